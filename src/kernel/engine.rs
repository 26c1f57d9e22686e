//! What a kernel must give, step by step, and what its steps pass on.
//!
//! A kernel hashes a group of eight keys, and tests or sets the bits of one key in its block; [`schedule`](super::schedule)
//! arranges these steps.
//!
//! Everything here is `#[inline(always)]`, because a function takes the CPU features of the function it is
//! inlined into, and only so can the kernels' vector code stay in registers. For the same reason loops count: the
//! adapters of iterators are functions without the kernel's features, and the compiler does not always dissolve them.
#![allow(unsafe_code, clippy::needless_range_loop)]

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::layout::Layout;
use super::{EIGHT, MORE};
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

/// Proof that the CPU has what a kernel needs; its engines are built from it. Here, so that no kernel can make one by itself.
#[derive(Clone, Copy)]
pub(super) struct Detected(());

impl Detected {
    /// # Safety
    ///
    /// The `detect` function of the kernel that receives the value has returned true.
    #[inline(always)]
    pub(super) unsafe fn assume() -> Self {
        Self(())
    }
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

/// A word for each key of a group, unknown until it is written. Clearing them would cost a short batch more than its lookups.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes([MaybeUninit<u64>; GROUP]);

impl Lanes {
    const UNWRITTEN: Self = Self([MaybeUninit::uninit(); GROUP]);

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, word: u64) {
        self.0[lane].write(word);
    }

    /// Where to write the eight words.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn as_mut_ptr(&mut self) -> *mut u64 {
        self.0.as_mut_ptr().cast()
    }

    /// # Safety
    ///
    /// All words were written.
    #[inline(always)]
    pub(crate) unsafe fn words(&self) -> &[u64; GROUP] {
        // SAFETY: written words are as good as `u64`, and the caller has promised that.
        unsafe { &*self.0.as_ptr().cast() }
    }
}

/// Eight hashed keys, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    /// Where each key's block begins, in bytes from the first block.
    pub(crate) offset: Lanes,
    /// For split blocks the hash.
    pub(crate) first: Lanes,
    /// For k ≠ 8, unless the kernel has it among the others.
    pub(crate) run: Lanes,
    /// For k > 8.
    pub(crate) second: Lanes,
}

impl Group {
    pub(crate) const UNWRITTEN: Self = Self {
        offset: Lanes::UNWRITTEN,
        first: Lanes::UNWRITTEN,
        run: Lanes::UNWRITTEN,
        second: Lanes::UNWRITTEN,
    };
}

/// A group that an engine of type `E` has prepared.
pub(crate) struct Prepared<'a, E>(&'a Group, PhantomData<E>);

impl<E> Clone for Prepared<'_, E> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Prepared<'_, E> {}

impl<'a, E: Engine> Prepared<'a, E> {
    /// # Safety
    ///
    /// An engine of this type has prepared the group.
    #[inline(always)]
    pub(crate) unsafe fn new(group: &'a Group) -> Self {
        Self(group, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn offset(self) -> &'a [u64; GROUP] {
        // SAFETY: whoever made `self` has promised that the group is prepared, and `Engine` says what then is written.
        unsafe { self.0.offset.words() }
    }

    #[inline(always)]
    pub(crate) fn first(self) -> &'a [u64; GROUP] {
        // SAFETY: as in `offset`.
        unsafe { self.0.first.words() }
    }

    /// # Panics
    ///
    /// Unless engines of this type write the run.
    #[inline(always)]
    pub(crate) fn run(self) -> &'a [u64; GROUP] {
        assert!(E::WRITES_RUN);
        // SAFETY: as in `offset`.
        unsafe { self.0.run.words() }
    }

    /// # Panics
    ///
    /// For k ≤ 8.
    #[inline(always)]
    pub(crate) fn second(self) -> &'a [u64; GROUP] {
        assert!(E::CLASS == MORE);
        // SAFETY: as in `offset`.
        unsafe { self.0.second.words() }
    }
}

/// What was found of the keys of a group, in the form that costs the kernel least, until it is asked for the answers.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// Unless the kernel does it otherwise, the first word holds the answers.
    pub(crate) bits: Lanes,
    /// What a kernel needs to judge the bits.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) needed: Lanes,
}

impl Found {
    pub(crate) const UNWRITTEN: Self = Self { bits: Lanes::UNWRITTEN, needed: Lanes::UNWRITTEN };

    #[inline(always)]
    pub(crate) fn set_answers(&mut self, answers: u8) {
        self.bits.set(0, answers.into());
    }
}

/// The blocks of the keys of a prepared group.
pub(crate) struct BlocksOf<'a, E: Engine> {
    blocks: &'a [BlockOf<E>],
    offset: &'a [u64; GROUP],
}

impl<'a, E: Engine> BlocksOf<'a, E> {
    /// # Safety
    ///
    /// The engine that prepared the group was built for the number of these blocks, at least one.
    #[inline(always)]
    pub(crate) unsafe fn new(blocks: &'a [BlockOf<E>], keys: Prepared<'a, E>) -> Self {
        Self { blocks, offset: keys.offset() }
    }

    /// The block of the key in `lane`.
    #[inline(always)]
    pub(crate) fn of(&self, lane: usize) -> &'a BlockOf<E> {
        // SAFETY: the offset is that of one of the blocks, as `Engine` promises to whoever made `self`.
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
/// * Where the engine's shape has a block, and no more than its scheme allows, every block that [`place`](Self::place) gives and every offset that
///   [`prepare`](Self::prepare) writes is that of one of its blocks.
/// * [`prepare`](Self::prepare) writes every lane of `offset` and `first`, of `run` where [`WRITES_RUN`](Self::WRITES_RUN)
///   says so, and for k > 8 of `second`.
/// * [`keep`](Self::keep) and [`probe`](Self::probe) write what [`answers`](Self::answers) reads.
pub(crate) unsafe trait Engine: Sized {
    type Layout: Layout;

    /// The class of k.
    const CLASS: u8;

    /// Whether words are integers to be mixed, rather than hashes.
    const MIX: bool;

    /// Whether the run of a key is among what is prepared.
    const WRITES_RUN: bool = Self::CLASS != EIGHT;

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
            group.offset.set(lane, (block * size_of::<BlockOf<Self>>()) as u64);
            Self::Layout::put::<Self>(key, group, lane);
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
    fn missing_in_lane(&self, block: &BlockOf<Self>, keys: Prepared<'_, Self>, lane: usize) -> Self::Missing {
        self.missing(block, Self::Layout::get(keys, lane))
    }

    /// [`insert`](Self::insert) of the key in `lane` of a prepared group.
    #[inline(always)]
    fn insert_in_lane(
        &self,
        block: &mut BlockOf<Self>,
        keys: Prepared<'_, Self>,
        lane: usize,
    ) -> Self::Missing {
        self.insert(block, Self::Layout::get(keys, lane))
    }

    /// Keeps what is missing of the keys of a group.
    #[inline(always)]
    fn keep(&self, missing: &[Self::Missing; GROUP], found: &mut Found) {
        let bit = |present, &missing| present << 1 | u8::from(self.is_present(missing));
        found.set_answers(missing.iter().rev().fold(0, bit));
    }

    /// Keeps what is missing of the keys of a prepared group in their blocks.
    #[inline(always)]
    fn probe(&self, blocks: BlocksOf<'_, Self>, keys: Prepared<'_, Self>, found: &mut Found) {
        self.keep(&every_lane!(|lane| self.missing_in_lane(blocks.of(lane), keys, lane)), found);
    }

    /// The answers of a group: bit i tells whether nothing was missing of key i.
    ///
    /// # Safety
    ///
    /// [`keep`](Self::keep) or [`probe`](Self::probe) of an engine of this type has written `found`.
    #[inline(always)]
    unsafe fn answers(&self, found: &Found) -> u8 {
        // SAFETY: the caller's promise; `set_answers` writes the first word.
        unsafe { found.bits.0[0].assume_init() as u8 }
    }
}
