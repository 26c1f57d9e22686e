//! The order in which a batch is hashed, prefetched and probed: one for all kernels.
//!
//! A kernel gives the steps: hash a group of eight keys, test or set the bits of one key in its block. A ring of groups
//! arranges them. Each step hashes one group, calls the lines of a group that was hashed some steps ago, and probes the
//! oldest group of the ring. This does two things:
//!
//! * The lines of a hundred keys are on their way from memory at once. Loads alone would not do, since they hold up the
//!   CPU's window until they arrive; prefetches do not.
//! * What was stored by vectors is read back as words some steps later. Read at once, it would have to wait for the store.
//!   This is why the ring pays in the smallest filters too.
//!
//! Everything here is `#[inline(always)]`, because a function takes the CPU features of the function it is
//! inlined into, and only so can the kernels' vector code stay in registers. For the same reason loops count: the
//! adapters of iterators are functions without the kernel's features, and the compiler does not always dissolve them.
#![allow(unsafe_code, clippy::needless_range_loop)]

use super::EIGHT;
use super::layout::Layout;
use crate::block::prefetch;
use crate::hash::Seed;
use crate::scheme::Scheme;

/// Keys in a group: the lanes of a 512-bit register.
pub(crate) const GROUP: usize = 8;

/// Groups in the ring.
const RING: usize = 16;

/// Groups in the ring of a short batch, which would spend its time on clearing a longer one.
const SHORT_RING: usize = 4;

/// Batches below this many keys are done one by one: there is nothing to overlap the steps of a group with.
const FEW: usize = 2 * GROUP;

/// Groups between hashing a group and calling its lines, so that the offsets are in memory by then: read from there,
/// each costs one load, not a move between register files.
const LAG: usize = 4;

/// Groups between calling the words of a group and hashing it: a page of them. The CPU's own prefetchers would bring a
/// plain stream in time, but lose it among the scattered accesses to the filter.
const AHEAD: usize = 64;

/// The words of a batch: integers that are still to be mixed with the seed, or hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Words<'a> {
    Integers(&'a [u64]),
    Hashes(&'a [u64]),
}

/// What a kernel must know of a filter, apart from its bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) scheme: Scheme,
    pub(crate) k: u32,
    pub(crate) blocks: usize,
    pub(crate) seed: Seed,
}

/// The results for lanes 0 to 7 as an array. Not a loop: a long body would stay one, and then neither the lane is a constant
/// nor do results stay in registers.
macro_rules! every_lane {
    (|$lane:ident| $result:expr) => {
        every_lane!(@ $lane, $result, 0 1 2 3 4 5 6 7)
    };
    (@ $lane:ident, $result:expr, $($number:literal)*) => {
        [$({ let $lane = $number; $result }),*]
    };
}

/// Eight hashed keys, lane by lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Group {
    /// Where each key's block begins, in bytes from the first block.
    pub(crate) offset: [u64; GROUP],
    /// For split blocks the hash.
    pub(crate) first: [u64; GROUP],
    /// Only written for k > 8.
    pub(crate) second: [u64; GROUP],
    /// Only written for k ≠ 8.
    pub(crate) run: [u64; GROUP],
}

impl Group {
    const BLANK: Self = Self { offset: [0; GROUP], first: [0; GROUP], second: [0; GROUP], run: [0; GROUP] };
}

/// The blocks of the keys of a prepared group.
#[derive(Clone, Copy)]
pub(crate) struct BlocksOf<'a, B> {
    blocks: &'a [B],
    offset: &'a [u64; GROUP],
}

impl<'a, B> BlocksOf<'a, B> {
    /// # Safety
    ///
    /// Every offset of the group is that of a block of the slice.
    #[inline(always)]
    unsafe fn new(blocks: &'a [B], group: &'a Group) -> Self {
        Self { blocks, offset: &group.offset }
    }

    /// The block of the key in `lane`.
    #[inline(always)]
    pub(crate) fn of(&self, lane: usize) -> &'a B {
        // SAFETY: whoever made `self` has promised that the offset is that of a block of the slice.
        unsafe { &*self.blocks.as_ptr().byte_add(self.offset[lane] as usize) }
    }
}

/// The block and the placement of keys in an engine's scheme.
pub(crate) type BlockOf<E> = <<E as Engine>::Layout as Layout>::Block;
pub(crate) type PlacementOf<E> = <<E as Engine>::Layout as Layout>::Placement;

/// The steps of a kernel for one scheme and class of k, with or without mixing of the words. A value exists only on a
/// CPU that has what the kernel needs.
///
/// # Safety
///
/// Where the engine's shape has a block, every block that [`place`](Self::place) gives and every offset that
/// [`prepare`](Self::prepare) stores is that of one of its blocks.
pub(crate) unsafe trait Engine {
    type Layout: Layout;

    /// The class of k.
    const CLASS: u8;

    /// Whether words are integers to be mixed, rather than hashes.
    const MIX: bool;

    /// What a key lacks in its block, in the form that costs the kernel least.
    type Missing: Copy;

    fn shape(&self) -> &Shape;

    /// The block of one key and its placement there.
    #[inline(always)]
    fn place(&self, word: u64) -> (usize, PlacementOf<Self>) {
        let shape = self.shape();
        // As a constant, k = 8 leaves nothing of the run in the compiled code.
        let k = if Self::CLASS == EIGHT { 8 } else { shape.k };
        let hash = if Self::MIX { shape.seed.mix(word) } else { word };
        (Self::Layout::block_index(hash, shape.blocks), Self::Layout::placement(hash, k))
    }

    /// Hashes a group; word by word where the kernel has no vectors for it.
    #[inline(always)]
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group) {
        for lane in 0..GROUP {
            let (block, key) = self.place(words[lane]);
            group.offset[lane] = (block * size_of::<BlockOf<Self>>()) as u64;
            Self::Layout::put(key, group, lane);
        }
    }

    /// What the block lacks of the bits of a key.
    fn missing(&self, block: &BlockOf<Self>, key: PlacementOf<Self>) -> Self::Missing;

    /// Sets all bits of a key in its block. Returns what was missing.
    fn insert(&self, block: &mut BlockOf<Self>, key: PlacementOf<Self>) -> Self::Missing;

    /// Whether nothing is missing.
    fn is_present(&self, missing: Self::Missing) -> bool;

    /// [`missing`](Self::missing) of the key in `lane` of a prepared group.
    #[inline(always)]
    fn missing_in_lane(&self, block: &BlockOf<Self>, group: &Group, lane: usize) -> Self::Missing {
        self.missing(block, Self::Layout::get(group, lane))
    }

    /// [`insert`](Self::insert) of the key in `lane` of a prepared group.
    #[inline(always)]
    fn insert_in_lane(&self, block: &mut BlockOf<Self>, group: &Group, lane: usize) -> Self::Missing {
        self.insert(block, Self::Layout::get(group, lane))
    }

    /// [`is_present`](Self::is_present) for a group: bit i of the answer belongs to key i.
    #[inline(always)]
    fn are_present(&self, missing: &[Self::Missing; GROUP]) -> u8 {
        missing.iter().rev().fold(0, |present, &missing| present << 1 | u8::from(self.is_present(missing)))
    }

    /// Which keys of a prepared group have their bits in their blocks: bit i of the answer belongs to key i.
    #[inline(always)]
    fn contains_group(&self, blocks: BlocksOf<'_, BlockOf<Self>>, group: &Group) -> u8 {
        let missing = every_lane!(|lane| self.missing_in_lane(blocks.of(lane), group, lane));
        self.are_present(&missing)
    }
}

/// What to do with keys whose blocks are known.
pub(crate) trait Operation<E: Engine> {
    /// The first of the blocks.
    fn blocks(&self) -> *const BlockOf<E>;

    /// Does it to one key, and returns what was missing.
    fn one(&mut self, engine: &E, block: usize, key: PlacementOf<E>) -> E::Missing;

    /// Does it to the keys of a prepared group, the first lane first. With `REPORT`, bit i of the answer tells whether nothing
    /// was missing of key i.
    ///
    /// # Safety
    ///
    /// `group` was prepared by `engine`, which was built for the number of blocks of this operation, at least one.
    unsafe fn group<const REPORT: bool>(&mut self, engine: &E, group: &Group) -> u8;
}

pub(crate) struct Lookup<'a, B>(pub(crate) &'a [B]);

impl<E: Engine> Operation<E> for Lookup<'_, BlockOf<E>> {
    #[inline(always)]
    fn blocks(&self) -> *const BlockOf<E> {
        self.0.as_ptr()
    }

    #[inline(always)]
    fn one(&mut self, engine: &E, block: usize, key: PlacementOf<E>) -> E::Missing {
        engine.missing(&self.0[block], key)
    }

    #[inline(always)]
    unsafe fn group<const REPORT: bool>(&mut self, engine: &E, group: &Group) -> u8 {
        // SAFETY: by the caller's promise.
        engine.contains_group(unsafe { BlocksOf::new(self.0, group) }, group)
    }
}

pub(crate) struct Insert<'a, B>(pub(crate) &'a mut [B]);

impl<E: Engine> Operation<E> for Insert<'_, BlockOf<E>> {
    #[inline(always)]
    fn blocks(&self) -> *const BlockOf<E> {
        self.0.as_ptr()
    }

    #[inline(always)]
    fn one(&mut self, engine: &E, block: usize, key: PlacementOf<E>) -> E::Missing {
        engine.insert(&mut self.0[block], key)
    }

    #[inline(always)]
    unsafe fn group<const REPORT: bool>(&mut self, engine: &E, group: &Group) -> u8 {
        // SAFETY: by the caller's promise.
        let missing = every_lane!(|lane| unsafe { self.in_lane(engine, group, lane) });
        if REPORT { engine.are_present(&missing) } else { 0 }
    }
}

impl<B> Insert<'_, B> {
    /// # Safety
    ///
    /// The offset of the lane is that of a block of the slice.
    #[inline(always)]
    unsafe fn in_lane<E: Engine>(&mut self, engine: &E, group: &Group, lane: usize) -> E::Missing
    where
        E::Layout: Layout<Block = B>,
    {
        // SAFETY: by the caller's promise; the reference is gone before the next key, which may have the same block.
        let block = unsafe { &mut *self.0.as_mut_ptr().byte_add(group.offset[lane] as usize) };
        engine.insert_in_lane(block, group, lane)
    }
}

/// Runs a batch. With `REPORT`, byte g of `out` receives the answers of group g, and the bits past the last
/// key are 0; `out` holds a byte for each group, the last and shorter one included.
///
/// # Safety
///
/// `engine` was built for the number of blocks that `operation` works on, and that is not 0.
#[inline(always)]
pub(crate) unsafe fn run<E: Engine, O: Operation<E>, const REPORT: bool>(
    engine: &E,
    operation: &mut O,
    words: &[u64],
    out: &mut [u8],
) {
    let mut batch = Batch::<E, O, REPORT> { engine, operation, out };
    let (groups, rest) = if words.len() < FEW { (&[][..], words) } else { words.as_chunks::<GROUP>() };
    match groups.len() {
        0 => {}
        1..=SHORT_RING => batch.ring::<SHORT_RING, 1>(groups),
        _ => batch.ring::<RING, LAG>(groups),
    }
    batch.singly(rest, groups.len());
}

/// A batch under way.
struct Batch<'a, E, O, const REPORT: bool> {
    engine: &'a E,
    operation: &'a mut O,
    out: &'a mut [u8],
}

impl<E: Engine, O: Operation<E>, const REPORT: bool> Batch<'_, E, O, REPORT> {
    /// Runs groups through a ring of `N`, and calls their lines `LAG` steps after hashing them.
    #[inline(always)]
    fn ring<const N: usize, const LAG: usize>(&mut self, groups: &[[u64; GROUP]]) {
        let count = groups.len();
        // One loop for filling, running and emptying the ring: each step is compiled in one place.
        let mut ring = [Group::BLANK; N];
        for g in 0..count + N {
            if g >= N {
                self.finish(&ring[g % N], g - N);
            }
            if g < count {
                // May lie past the batch; a prefetch never faults.
                prefetch(groups[g].as_ptr().wrapping_add(AHEAD * GROUP));
                self.engine.prepare(&groups[g], &mut ring[g % N]);
            }
            if g >= LAG && g - LAG < count {
                self.prefetch(&ring[(g - LAG) % N]);
            }
        }
    }

    /// Does keys one by one, those of group number `first` and on.
    #[inline(always)]
    fn singly(&mut self, words: &[u64], first: usize) {
        let mut answers = 0;
        for i in 0..words.len() {
            let (block, key) = self.engine.place(words[i]);
            let missing = self.operation.one(self.engine, block, key);
            if REPORT {
                answers |= u8::from(self.engine.is_present(missing)) << (i % GROUP);
                if i % GROUP == GROUP - 1 || i == words.len() - 1 {
                    self.out[first + i / GROUP] = answers;
                    answers = 0;
                }
            }
        }
    }

    /// Calls the lines of a prepared group.
    #[inline(always)]
    fn prefetch(&self, group: &Group) {
        for offset in group.offset {
            prefetch(self.operation.blocks().wrapping_byte_add(offset as usize));
        }
    }

    /// Finishes group number `number`, which was prepared.
    #[inline(always)]
    fn finish(&mut self, group: &Group, number: usize) {
        // SAFETY: only groups that `self.engine` prepared come here, and the caller of `schedule::run` has promised that
        // it was built for the blocks of the operation.
        let answers = unsafe { self.operation.group::<REPORT>(self.engine, group) };
        if REPORT {
            self.out[number] = answers;
        }
    }
}
