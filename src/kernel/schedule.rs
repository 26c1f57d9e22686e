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

use crate::block::{Block, prefetch};
use crate::hash::Seed;
use crate::scheme::block512;
pub(crate) use crate::scheme::block512::Placement;

/// Keys in a group: the lanes of a 512-bit register.
pub(crate) const GROUP: usize = 8;

/// Groups in the ring.
const RING: usize = 16;

/// Groups in the ring of a short batch, which would spend its time on clearing a longer one.
const SHORT_RING: usize = 4;

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

/// What a kernel must know of a filter, apart from its blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    pub(crate) k: u32,
    pub(crate) seed: Seed,
}

/// Eight hashed keys, lane by lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Group {
    /// Where each key's block begins, in bytes from the first block.
    pub(crate) offset: [u64; GROUP],
    pub(crate) first: [u64; GROUP],
    /// Only written for k > 8.
    pub(crate) second: [u64; GROUP],
    /// Only written for k ≠ 8.
    pub(crate) run: [u64; GROUP],
}

impl Group {
    const BLANK: Self = Self { offset: [0; GROUP], first: [0; GROUP], second: [0; GROUP], run: [0; GROUP] };

    /// Stores the key in `lane`; how engines without vectors hash.
    #[inline(always)]
    pub(crate) fn store(&mut self, lane: usize, hash: u64, k: u32, blocks: usize) {
        let key = Placement::of(hash, k);
        self.offset[lane] = (block512::block_index(hash, blocks) * size_of::<Block>()) as u64;
        self.first[lane] = key.first;
        self.second[lane] = key.second;
        self.run[lane] = key.run;
    }

    #[inline(always)]
    pub(crate) fn placement(&self, lane: usize) -> Placement {
        Placement { first: self.first[lane], second: self.second[lane], run: self.run[lane] }
    }
}

/// The steps of a kernel for one class of k, with or without mixing of the words. A value exists only on a CPU
/// that has what the kernel needs.
///
/// # Safety
///
/// Every offset that [`prepare`](Self::prepare) stores is that of one of the blocks that the engine was built for, if
/// there are any.
pub(crate) unsafe trait Engine {
    /// What a key lacks in its block, in the form that costs the kernel least.
    type Missing: Copy;

    /// Hashes a group.
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group);

    /// What the block lacks of the bits of a key.
    fn missing(&self, block: &Block, key: Placement) -> Self::Missing;

    /// [`missing`](Self::missing) of the key in `lane` of a prepared group.
    #[inline(always)]
    fn missing_in_lane(&self, block: &Block, group: &Group, lane: usize) -> Self::Missing {
        self.missing(block, group.placement(lane))
    }

    /// [`insert`](Self::insert) of the key in `lane` of a prepared group.
    #[inline(always)]
    fn insert_in_lane(&self, block: &mut Block, group: &Group, lane: usize) -> Self::Missing {
        self.insert(block, group.placement(lane))
    }

    /// Sets all bits of a key in its block. Returns what was missing.
    fn insert(&self, block: &mut Block, key: Placement) -> Self::Missing;

    /// Whether nothing is missing.
    fn is_present(&self, missing: Self::Missing) -> bool;

    /// [`is_present`](Self::is_present) for a group: bit i of the answer belongs to key i.
    #[inline(always)]
    fn are_present(&self, missing: &[Self::Missing; GROUP]) -> u8 {
        missing.iter().rev().fold(0, |present, &missing| present << 1 | u8::from(self.is_present(missing)))
    }
}

/// What to do with a key of a prepared group.
pub(crate) trait Operation {
    /// The first of the blocks.
    fn blocks(&self) -> *const Block;

    /// Does it, and returns what was missing.
    ///
    /// # Safety
    ///
    /// `group` was prepared by `engine`, which was built for the number of blocks of this operation, at least one.
    unsafe fn apply<E: Engine>(&mut self, engine: &E, group: &Group, lane: usize) -> E::Missing;
}

pub(crate) struct Lookup<'a>(pub(crate) &'a [Block]);

impl Operation for Lookup<'_> {
    #[inline(always)]
    fn blocks(&self) -> *const Block {
        self.0.as_ptr()
    }

    #[inline(always)]
    unsafe fn apply<E: Engine>(&mut self, engine: &E, group: &Group, lane: usize) -> E::Missing {
        // SAFETY: by the caller's promise, the offset is that of a block of the slice.
        let block = unsafe { &*self.0.as_ptr().byte_add(group.offset[lane] as usize) };
        engine.missing_in_lane(block, group, lane)
    }
}

pub(crate) struct Insert<'a>(pub(crate) &'a mut [Block]);

impl Operation for Insert<'_> {
    #[inline(always)]
    fn blocks(&self) -> *const Block {
        self.0.as_ptr()
    }

    #[inline(always)]
    unsafe fn apply<E: Engine>(&mut self, engine: &E, group: &Group, lane: usize) -> E::Missing {
        // SAFETY: by the caller's promise, the offset is that of a block of the slice; the reference is gone before the
        // next key.
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
pub(crate) unsafe fn run<E: Engine, O: Operation, const REPORT: bool>(
    engine: &E,
    operation: &mut O,
    words: &[u64],
    out: &mut [u8],
) {
    let mut batch = Batch::<E, O, REPORT> { engine, operation, out };
    if words.len() <= SHORT_RING * GROUP {
        batch.run::<SHORT_RING>(words);
    } else {
        batch.run::<RING>(words);
    }
}

/// A batch under way.
struct Batch<'a, E, O, const REPORT: bool> {
    engine: &'a E,
    operation: &'a mut O,
    out: &'a mut [u8],
}

impl<E: Engine, O: Operation, const REPORT: bool> Batch<'_, E, O, REPORT> {
    /// Runs the batch through a ring of `N` groups.
    #[inline(always)]
    fn run<const N: usize>(&mut self, words: &[u64]) {
        let (groups, rest) = words.as_chunks::<GROUP>();
        let full = groups.len();
        let total = full + usize::from(!rest.is_empty());
        let mut padded = [0; GROUP];
        padded[..rest.len()].copy_from_slice(rest);

        // One loop for filling, running and emptying the ring: each step is compiled in one place.
        let mut ring = [Group::BLANK; N];
        for g in 0..full + N {
            if g >= N {
                self.finish(&ring[g % N], g - N, GROUP);
            }
            if g < total {
                let words = if g < full { &groups[g] } else { &padded };
                // May lie past the batch; a prefetch never faults.
                prefetch(words.as_ptr().wrapping_add(AHEAD * GROUP).cast());
                self.engine.prepare(words, &mut ring[g % N]);
            }
            if g >= LAG && g - LAG < total {
                self.prefetch(&ring[(g - LAG) % N]);
            }
        }
        if total > full {
            self.finish(&ring[full % N], full, rest.len());
        }
    }

    /// Calls the lines of a prepared group.
    #[inline(always)]
    fn prefetch(&self, group: &Group) {
        for offset in group.offset {
            prefetch(self.operation.blocks().wrapping_byte_add(offset as usize));
        }
    }

    /// Finishes the first `keys` keys, at least one, of group number `number`, which was prepared.
    #[inline(always)]
    fn finish(&mut self, group: &Group, number: usize, keys: usize) {
        let mut missing = [self.apply(group, 0); GROUP];
        for lane in 1..keys {
            missing[lane] = self.apply(group, lane);
        }
        if REPORT {
            self.out[number] = self.engine.are_present(&missing) & (u8::MAX >> (GROUP - keys));
        }
    }

    #[inline(always)]
    fn apply(&mut self, group: &Group, lane: usize) -> E::Missing {
        // SAFETY: only groups that `self.engine` prepared come here, and the caller of `schedule::run` has promised that
        // it was built for the blocks of the operation.
        unsafe { self.operation.apply(self.engine, group, lane) }
    }
}
