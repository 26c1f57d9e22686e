//! What a kernel must give, step by step, and what its steps pass on.
//!
//! A kernel hashes a group of eight keys, and tests or sets the bits of one key in its block; [`schedule`](super::schedule)
//! arranges these steps.
//!
//! Everything here is `#[inline(always)]`, because a function takes the CPU features of the function it is
//! inlined into, and only so can the kernels' vector code stay in registers. For the same reason loops count: the
//! adapters of iterators are functions without the kernel's features, and the compiler does not always dissolve them.
#![allow(unsafe_code, clippy::needless_range_loop)]

use super::EIGHT;
use super::layout::Layout;
use crate::hash::Seed;
use crate::scheme::Scheme;

/// Keys in a group: the lanes of a 512-bit register.
pub(crate) const GROUP: usize = 8;

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
pub(super) use every_lane;

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
    pub(crate) const BLANK: Self =
        Self { offset: [0; GROUP], first: [0; GROUP], second: [0; GROUP], run: [0; GROUP] };
}

/// What was found of the keys of a group, in the form that costs the kernel least, until it is asked for the answers.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Found {
    /// Unless the kernel does it otherwise, the first word holds the answers.
    pub(crate) bits: [u64; GROUP],
    /// What a kernel needs to judge the bits.
    pub(crate) needed: [u64; GROUP],
}

impl Found {
    pub(crate) const BLANK: Self = Self { bits: [0; GROUP], needed: [0; GROUP] };
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
    pub(crate) unsafe fn new(blocks: &'a [B], group: &'a Group) -> Self {
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

    /// Keeps what is missing of the keys of a group.
    #[inline(always)]
    fn keep(&self, missing: &[Self::Missing; GROUP], found: &mut Found) {
        found.bits[0] = missing
            .iter()
            .rev()
            .fold(0, |present, &missing| present << 1 | u64::from(self.is_present(missing)));
    }

    /// The answers of a group: bit i tells whether nothing was missing of key i.
    #[inline(always)]
    fn answers(&self, found: &Found) -> u8 {
        found.bits[0] as u8
    }

    /// Keeps what is missing of the keys of a prepared group in their blocks.
    #[inline(always)]
    fn probe(&self, blocks: BlocksOf<'_, BlockOf<Self>>, group: &Group, found: &mut Found) {
        self.keep(&every_lane!(|lane| self.missing_in_lane(blocks.of(lane), group, lane)), found);
    }
}
