//! The order in which a batch is hashed, prefetched and probed: one for all kernels.
//!
//! Groups of eight keys go through a ring. Each step tells what was found of the oldest group in a slot of the ring, probes
//! the one that came after it, hashes a new one into the slot, and calls the lines of one that was hashed some steps ago.
//! This does three things:
//!
//! * The lines of a hundred keys are on their way from memory at once. Loads alone would not do, since they hold up the
//!   CPU's window until they arrive; prefetches do not.
//! * What was stored by vectors is read back as words some steps later. Read at once, it would have to wait for the store.
//!   This is why the ring pays in the smallest filters too.
//! * What was stored as words is read back by vectors a full round later, for the same reason.
#![allow(unsafe_code, clippy::needless_range_loop)]

use core::hint::black_box;

use super::engine::{Engine, Found, GROUP, Group, Prepared};
use super::operation::Operation;
use crate::block::prefetch;

/// Groups between calling the words of a group and hashing it: two pages of them. The CPU's own prefetchers would bring a
/// plain stream in time, but lose it among the scattered accesses to the filter.
const AHEAD: usize = 128;

/// The most groups in a ring; a power of two.
const MAX_RING: usize = 32;

/// How many steps lie between those of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    /// Steps from hashing a group to probing it, and again to telling what was found: the groups in the ring. A power of
    /// two.
    ring: usize,
    /// Steps from hashing a group to calling its lines.
    lag: usize,
}

impl Schedule {
    /// For lines in the caches: 32 keys on their way. More would put lines out of the first level before they are probed.
    pub(super) const NEAR: Self = Self { ring: 16, lag: 12 };

    /// For lines in memory: 128 keys on their way, as many as the CPU has room to wait for.
    pub(super) const FAR: Self = Self { ring: 32, lag: 16 };

    /// The schedule for a filter of `bytes` on a machine whose last-level cache has `cache` bytes. A filter shares that
    /// cache with the keys, the rest of the program, and other cores.
    pub(super) fn new(bytes: u64, cache: u64) -> Self {
        if bytes <= cache / 4 { Self::NEAR } else { Self::FAR }
    }

    /// The schedule for a batch of this many groups, at least one: a short one would spend its time on a long ring.
    fn for_batch(self, groups: usize) -> Self {
        let ring = (1 << groups.ilog2()).clamp(1, self.ring);
        Self { ring, lag: if ring < self.ring { ring / 2 } else { self.lag } }
    }
}

/// Runs a batch. With `REPORT`, byte g of `out` receives the answers of group g, and the bits past the last
/// key are 0; `out` holds a byte for each group, the last and shorter one included.
///
/// # Safety
///
/// `engine` was built for the number of blocks that `operation` works on; that is not 0, and no more than the scheme allows.
#[inline(always)]
pub(super) unsafe fn run<E: Engine, O: Operation<E>, const REPORT: bool>(
    engine: &E,
    operation: &mut O,
    schedule: Schedule,
    words: &[u64],
    out: &mut [u8],
) {
    let (groups, rest) = words.as_chunks::<GROUP>();
    let mut batch = Batch::<E, O, REPORT> { engine, operation, out };
    if !groups.is_empty() {
        batch.ring(groups, schedule.for_batch(groups.len()));
    }
    batch.singly(rest, groups.len());
}

/// A place in the ring.
#[derive(Clone, Copy)]
struct Slot {
    group: Group,
    found: Found,
}

/// A batch under way.
struct Batch<'a, E, O, const REPORT: bool> {
    engine: &'a E,
    operation: &'a mut O,
    out: &'a mut [u8],
}

impl<E: Engine, O: Operation<E>, const REPORT: bool> Batch<'_, E, O, REPORT> {
    /// Runs groups through a ring, at least one.
    #[inline(always)]
    fn ring(&mut self, groups: &[[u64; GROUP]], schedule: Schedule) {
        // Constants would get a loop of their own each, in every kernel.
        let Schedule { ring: length, lag } = black_box(schedule);
        let mask = length.wrapping_sub(1) % MAX_RING;
        let mut ring = [Slot { group: Group::UNWRITTEN, found: Found::UNWRITTEN }; MAX_RING];
        let count = groups.len();
        let blocks = self.operation.blocks();
        let out = if REPORT { &mut self.out[..count] } else { &mut [] };
        // One loop for filling, running and emptying the ring: each step is compiled in one place. A number below 0 wraps
        // to one that is not below `count`.
        for step in 0..count + 2 * length {
            let slot = &mut ring[step & mask];
            let told = step.wrapping_sub(2 * length);
            if REPORT && told < count {
                // SAFETY: the operation kept what it found `length` steps ago.
                out[told] = unsafe { self.engine.answers(&slot.found) };
            }
            if step.wrapping_sub(length) < count {
                // SAFETY: `self.engine` prepared the group `length` steps ago, and the caller of `run` has promised that it was
                // built for the blocks of the operation.
                unsafe {
                    let keys = Prepared::new(&slot.group);
                    self.operation.group::<REPORT>(self.engine, keys, &mut slot.found);
                }
            }
            if step < count {
                // May lie past the batch; a prefetch never faults.
                prefetch(groups[step].as_ptr().wrapping_add(AHEAD * GROUP));
                self.engine.prepare(&groups[step], &mut slot.group);
            }
            let called = step.wrapping_sub(lag);
            if called < count {
                // SAFETY: `self.engine` prepared the group `lag` steps ago, less than `length`.
                let keys = unsafe { Prepared::<E>::new(&ring[called & mask].group) };
                // By index: a copy of all offsets would take the registers that the whole loop needs.
                for lane in 0..GROUP {
                    prefetch(blocks.wrapping_byte_add(keys.offset()[lane] as usize));
                }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_last_cache_is_near() {
        assert_eq!(Schedule::new(8 << 20, 32 << 20), Schedule::NEAR);
        assert_eq!(Schedule::new((8 << 20) + 1, 32 << 20), Schedule::FAR);
    }

    /// As `docs/DESIGN.md` and the measurements say: what is on its way decides the speed.
    #[test]
    fn lines_are_called_four_or_sixteen_groups_ahead() {
        let ahead = |schedule: Schedule| schedule.ring - schedule.lag;
        assert_eq!((ahead(Schedule::NEAR), ahead(Schedule::FAR)), (4, 16));
    }

    /// A slot is used again only after its group was probed, and its lines are called before that.
    #[test]
    fn every_batch_fits_its_ring() {
        for schedule in [Schedule::NEAR, Schedule::FAR] {
            for groups in 1..100 {
                let Schedule { ring, lag } = schedule.for_batch(groups);
                assert!(ring.is_power_of_two() && ring <= MAX_RING && lag < ring, "{groups} groups");
                // A group's offsets are not read in the step that stores them, unless there is no other.
                assert!(lag > 0 || ring == 1, "{groups} groups");
            }
            assert_eq!(schedule.for_batch(usize::MAX / GROUP), schedule);
        }
    }
}
