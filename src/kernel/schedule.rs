//! The order in which a batch is hashed, prefetched and probed: one for all kernels.
//!
//! A kernel gives the steps: hash a group of eight keys, test or set the bits of one key in its block. This module
//! arranges them so that the CPU always has something to do:
//!
//! * Between hashing a group and probing it lies the work on other groups. What was stored by vectors is then read
//!   back as words without waiting for the store.
//! * In a filter larger than the cache, the lines of a hundred keys are on their way at once. A ring holds the groups
//!   whose lines were called; loads alone would not do, since they hold up the CPU's window until they arrive.
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

/// Groups that are hashed before the first of them is probed, where lines need no calling.
const PHASE: usize = 8;

/// Groups in the ring.
const RING: usize = 16;

/// Groups between hashing a group and calling its lines, so that the offsets are in memory by then: read from there,
/// each costs one load, not a move between register files.
const LAG: usize = 4;

/// How the groups of a batch follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// Hash `PHASE` groups, then probe them. For filters in the cache.
    Phases,
    /// Hash a group, call the lines of the group `LAG` before it, probe the group `RING` before it. For filters in
    /// memory.
    Ring,
}

impl Schedule {
    /// Filters up to this size live in a core's own cache, where a prefetch costs more than it saves.
    const CACHED_BYTES: u64 = 256 << 10;

    pub(crate) fn for_size(bytes: u64) -> Self {
        if bytes <= Self::CACHED_BYTES { Self::Phases } else { Self::Ring }
    }
}

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
    pub(crate) schedule: Schedule,
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
    fn placement(&self, lane: usize) -> Placement {
        Placement { first: self.first[lane], second: self.second[lane], run: self.run[lane] }
    }
}

/// The steps of a kernel for one class of k, with or without mixing of the words. A value exists only on a CPU
/// that has what the kernel needs.
pub(crate) trait Engine {
    /// What a key lacks in its block, in the form that costs the kernel least.
    type Missing: Copy;

    /// Hashes a group. Every offset is that of one of the blocks that the engine was built for.
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group);

    /// What the block lacks of the bits of a key.
    fn missing(&self, block: &Block, key: Placement) -> Self::Missing;

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
    /// One of the blocks begins `offset` bytes after the first one.
    unsafe fn apply<E: Engine>(&mut self, engine: &E, offset: usize, key: Placement) -> E::Missing;
}

pub(crate) struct Lookup<'a>(pub(crate) &'a [Block]);

impl Operation for Lookup<'_> {
    #[inline(always)]
    fn blocks(&self) -> *const Block {
        self.0.as_ptr()
    }

    #[inline(always)]
    unsafe fn apply<E: Engine>(&mut self, engine: &E, offset: usize, key: Placement) -> E::Missing {
        // SAFETY: the caller promises that a block of the slice begins there.
        engine.missing(unsafe { &*self.0.as_ptr().byte_add(offset) }, key)
    }
}

pub(crate) struct Insert<'a>(pub(crate) &'a mut [Block]);

impl Operation for Insert<'_> {
    #[inline(always)]
    fn blocks(&self) -> *const Block {
        self.0.as_ptr()
    }

    #[inline(always)]
    unsafe fn apply<E: Engine>(&mut self, engine: &E, offset: usize, key: Placement) -> E::Missing {
        // SAFETY: the caller promises that a block of the slice begins there; the reference is gone before the next key.
        engine.insert(unsafe { &mut *self.0.as_mut_ptr().byte_add(offset) }, key)
    }
}

/// Runs a batch. With `REPORT`, byte g of `out` receives the answers of group g, and the bits past the last
/// key are 0; `out` holds a byte for each group, the last and shorter one included.
///
/// `engine` was built for the number of blocks that `operation` works on.
#[inline(always)]
pub(crate) fn run<E: Engine, O: Operation, const REPORT: bool>(
    engine: &E,
    operation: &mut O,
    words: &[u64],
    schedule: Schedule,
    out: &mut [u8],
) {
    let (groups, rest) = words.as_chunks::<GROUP>();
    let mut batch = Batch::<E, O, REPORT> { engine, operation, out };
    let done = match schedule {
        Schedule::Ring if groups.len() > PHASE => {
            batch.ring(groups);
            groups.len()
        }
        _ => 0,
    };
    let mut prepared = [Group::BLANK; PHASE];
    let (phases, last) = groups[done..].as_chunks::<PHASE>();
    for (number, phase) in phases.iter().enumerate() {
        batch.phase(phase, done + number * PHASE, schedule, &mut prepared);
    }
    batch.phase(last, done + phases.len() * PHASE, schedule, &mut prepared);
    if !rest.is_empty() {
        let mut padded = [0; GROUP];
        padded[..rest.len()].copy_from_slice(rest);
        let mut group = Group::BLANK;
        batch.engine.prepare(&padded, &mut group);
        batch.finish(&group, groups.len(), rest.len());
    }
}

/// A batch under way.
struct Batch<'a, E, O, const REPORT: bool> {
    engine: &'a E,
    operation: &'a mut O,
    out: &'a mut [u8],
}

impl<E: Engine, O: Operation, const REPORT: bool> Batch<'_, E, O, REPORT> {
    /// Hashes up to `PHASE` groups, the first of which is number `first`, then probes them.
    #[inline(always)]
    fn phase(
        &mut self,
        groups: &[[u64; GROUP]],
        first: usize,
        schedule: Schedule,
        prepared: &mut [Group; PHASE],
    ) {
        let count = groups.len().min(PHASE);
        for g in 0..count {
            self.engine.prepare(&groups[g], &mut prepared[g]);
            if schedule == Schedule::Ring {
                self.prefetch(&prepared[g]);
            }
        }
        for g in 0..count {
            self.finish(&prepared[g], first + g, GROUP);
        }
    }

    #[inline(always)]
    fn ring(&mut self, groups: &[[u64; GROUP]]) {
        let mut ring = [Group::BLANK; RING];
        for g in 0..groups.len() {
            if g >= RING {
                self.finish(&ring[g % RING], g - RING, GROUP);
            }
            self.engine.prepare(&groups[g], &mut ring[g % RING]);
            if g >= LAG {
                self.prefetch(&ring[(g - LAG) % RING]);
            }
        }
        for g in groups.len().saturating_sub(LAG)..groups.len() {
            self.prefetch(&ring[g % RING]);
        }
        for g in groups.len().saturating_sub(RING)..groups.len() {
            self.finish(&ring[g % RING], g, GROUP);
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
        let (offset, key) = (group.offset[lane] as usize, group.placement(lane));
        // SAFETY: only groups that `self.engine` prepared come here, and `functions!` builds the engine from the length
        // of the very blocks of the operation.
        unsafe { self.operation.apply(self.engine, offset, key) }
    }
}
