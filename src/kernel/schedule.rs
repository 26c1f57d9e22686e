//! The order in which a batch is hashed, prefetched and probed: one for all kernels.
//!
//! A kernel gives the steps: hash a group of eight keys, test or set the bits of one key in its block. While the
//! lines of one group travel from memory, the next groups are hashed: a ring holds the groups whose lines are on
//! their way. In a filter that lies in the cache the ring would only cost, so there a group is probed as soon as it
//! is hashed.
//!
//! Everything here is `#[inline(always)]`, because a function takes the CPU features of the function it is
//! inlined into, and only so can the kernels' vector code stay in registers.
#![allow(unsafe_code)]

use crate::block::{Block, prefetch};
use crate::hash::Seed;
use crate::scheme::block512;
pub(crate) use crate::scheme::block512::Products;

/// Keys in a group: the lanes of a 512-bit register.
pub(crate) const GROUP: usize = 8;

/// Groups in the ring, so four times eight lines are on their way at once.
const DEPTH: usize = 4;

/// How the groups of a batch follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// Hash a group, then probe it. For filters in the cache.
    Direct,
    /// Probe the group that was hashed `DEPTH` groups ago.
    Ring,
}

impl Schedule {
    /// Filters up to this size live in a core's own cache, where a lookup takes less time than the ring's bookkeeping.
    const DIRECT_BYTES: u64 = 256 << 10;

    pub(crate) fn for_size(bytes: u64) -> Self {
        if bytes <= Self::DIRECT_BYTES { Self::Direct } else { Self::Ring }
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
    /// Each key's block.
    pub(crate) index: [u64; GROUP],
    pub(crate) first: [u64; GROUP],
    /// Only written for k > 8.
    pub(crate) second: [u64; GROUP],
}

impl Group {
    const BLANK: Self = Self { index: [0; GROUP], first: [0; GROUP], second: [0; GROUP] };

    /// Stores the products and the block of the key in `lane`; how engines without vectors hash.
    #[inline(always)]
    pub(crate) fn store(&mut self, lane: usize, hash: u64, blocks: usize) {
        let products = Products::of(hash);
        self.index[lane] = block512::block_index(hash, blocks) as u64;
        self.first[lane] = products.first;
        self.second[lane] = products.second;
    }

    #[inline(always)]
    fn products(&self, lane: usize) -> Products {
        Products { first: self.first[lane], second: self.second[lane] }
    }
}

/// The steps of a kernel for one class of k, with or without mixing of the words. A value exists only on a CPU
/// that has what the kernel needs.
pub(crate) trait Engine {
    /// Hashes a group. Every index is below the number of blocks that the engine was built for.
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group);

    /// Whether all bits of a key are set in its block.
    fn contains(&self, block: &Block, key: Products) -> bool;

    /// Sets all bits of a key in its block, and tells whether they were set before.
    fn insert(&self, block: &mut Block, key: Products) -> bool;
}

/// What to do with a prepared group.
pub(crate) trait Operation {
    fn blocks(&self) -> &[Block];

    /// Does it to the first `keys` keys, one after the other. Bit i of the answer tells whether key i was possibly
    /// present; the bits from `keys` on are 0.
    ///
    /// # Safety
    ///
    /// `group` was prepared by `engine`, which was built for `self.blocks().len()` blocks.
    unsafe fn finish<E: Engine>(&mut self, engine: &E, group: &Group, keys: usize) -> u8;
}

pub(crate) struct Lookup<'a>(pub(crate) &'a [Block]);

impl Operation for Lookup<'_> {
    #[inline(always)]
    fn blocks(&self) -> &[Block] {
        self.0
    }

    #[inline(always)]
    unsafe fn finish<E: Engine>(&mut self, engine: &E, group: &Group, keys: usize) -> u8 {
        let mut answers = 0;
        for lane in 0..keys {
            // SAFETY: the caller promises that `prepare` wrote this index, so it is below the number of blocks.
            let block = unsafe { self.0.get_unchecked(group.index[lane] as usize) };
            answers |= u8::from(engine.contains(block, group.products(lane))) << lane;
        }
        answers
    }
}

pub(crate) struct Insert<'a>(pub(crate) &'a mut [Block]);

impl Operation for Insert<'_> {
    #[inline(always)]
    fn blocks(&self) -> &[Block] {
        self.0
    }

    #[inline(always)]
    unsafe fn finish<E: Engine>(&mut self, engine: &E, group: &Group, keys: usize) -> u8 {
        let mut answers = 0;
        for lane in 0..keys {
            // SAFETY: as in `Lookup`.
            let block = unsafe { self.0.get_unchecked_mut(group.index[lane] as usize) };
            answers |= u8::from(engine.insert(block, group.products(lane))) << lane;
        }
        answers
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
    let full = groups.len();
    let mut padded = [0; GROUP];
    padded[..rest.len()].copy_from_slice(rest);
    let mut batch = Batch::<E, O, REPORT> { engine, operation, out };

    match schedule {
        Schedule::Direct => {
            let mut group = Group::BLANK;
            for (g, words) in groups.iter().enumerate() {
                batch.engine.prepare(words, &mut group);
                batch.finish(&group, g, GROUP);
            }
            if !rest.is_empty() {
                batch.engine.prepare(&padded, &mut group);
                batch.finish(&group, full, rest.len());
            }
        }
        Schedule::Ring => {
            let mut ring = [Group::BLANK; DEPTH];
            for (g, words) in groups.iter().enumerate() {
                let slot = &mut ring[g % DEPTH];
                if g >= DEPTH {
                    batch.finish(slot, g - DEPTH, GROUP);
                }
                batch.start(words, slot);
            }
            let mut next = full.saturating_sub(DEPTH);
            if !rest.is_empty() {
                let slot = &mut ring[full % DEPTH];
                if full >= DEPTH {
                    batch.finish(slot, next, GROUP);
                    next += 1;
                }
                batch.start(&padded, slot);
            }
            for g in next..full {
                batch.finish(&ring[g % DEPTH], g, GROUP);
            }
            if !rest.is_empty() {
                batch.finish(&ring[full % DEPTH], full, rest.len());
            }
        }
    }
}

/// A batch under way.
struct Batch<'a, E, O, const REPORT: bool> {
    engine: &'a E,
    operation: &'a mut O,
    out: &'a mut [u8],
}

impl<E: Engine, O: Operation, const REPORT: bool> Batch<'_, E, O, REPORT> {
    /// Hashes a group and calls its lines.
    #[inline(always)]
    fn start(&self, words: &[u64; GROUP], group: &mut Group) {
        self.engine.prepare(words, group);
        let blocks = self.operation.blocks().as_ptr();
        for index in group.index {
            prefetch(blocks.wrapping_add(index as usize));
        }
    }

    /// Finishes group number `number`, which was prepared.
    #[inline(always)]
    fn finish(&mut self, group: &Group, number: usize, keys: usize) {
        // SAFETY: `run` calls this only with groups that `self.engine` prepared, and `functions!` builds the engine
        // from the length of the very blocks of the operation.
        let answers = unsafe { self.operation.finish(self.engine, group, keys) };
        if REPORT {
            self.out[number] = answers;
        }
    }
}
