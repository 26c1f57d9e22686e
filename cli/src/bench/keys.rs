//! The keys: pseudo-random, the same in every run with the same seed, and no two alike.

use std::cell::Cell;
use std::hint::black_box;

use rand::SeedableRng;
use rand::prelude::*;
use rand::rngs::SmallRng;

/// Batches of different keys that follow each other in turn, at least. No key comes again before all others came, so that no
/// lines are still near that a lookup of fresh keys would not find there.
pub(super) const BATCHES: usize = 8;

/// Absent keys are numbered from here on.
const ABSENT: u64 = 1 << 40;

/// The keys that a seed makes.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    pub(super) seed: u64,
}

impl Keys {
    /// Key number `index`: of splitmix64 from the seed, which is a bijection of the index.
    fn at(self, index: u64) -> u64 {
        let mut z = self.seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Hands out the first `count` keys, which are those that go into a filter, piece by piece.
    pub(super) fn for_each_present(self, count: u64, take: impl FnMut(&[u64])) {
        self.in_pieces(0, count, take);
    }

    /// Hands out `count` keys that are in no filter, piece by piece.
    pub(super) fn for_each_absent(self, count: u64, take: impl FnMut(&[u64])) {
        self.in_pieces(ABSENT, count, take);
    }

    fn in_pieces(self, first: u64, count: u64, mut take: impl FnMut(&[u64])) {
        const PIECE: usize = 1 << 16;
        let mut piece = Vec::with_capacity(PIECE);
        let mut next = first;
        while next < first + count {
            let end = (next + PIECE as u64).min(first + count);
            piece.clear();
            piece.extend((next..end).map(|index| self.at(index)));
            take(&piece);
            next = end;
        }
    }

    /// Batches of which `hit_rate` per cent are among the first `items` keys and the rest are absent, in random order.
    pub(super) fn stream(self, items: u64, hit_rate: u32, batches: usize, batch: usize) -> Stream {
        let mut random = SmallRng::seed_from_u64(self.seed);
        let mut absent = ABSENT..;
        let present = batch * hit_rate as usize / 100;
        let mut mix = || {
            let inside = std::iter::repeat_with(|| random.random_range(0..items)).take(present);
            let mut keys: Vec<u64> =
                inside.chain(absent.by_ref().take(batch - present)).map(|i| self.at(i)).collect();
            keys.shuffle(&mut random);
            Batch { keys, present }
        };
        Stream { batches: (0..batches).map(|_| mix()).collect(), turn: Cell::new(0) }
    }
}

/// Keys to look up together.
pub(super) struct Batch {
    keys: Vec<u64>,
    /// How many of them are present.
    pub(super) present: usize,
}

impl Batch {
    /// The keys, of which the compiler knows nothing.
    pub(super) fn keys(&self) -> &[u64] {
        black_box(&self.keys)
    }
}

/// Batches that take turns.
pub(super) struct Stream {
    batches: Vec<Batch>,
    turn: Cell<usize>,
}

impl Stream {
    pub(super) fn next(&self) -> &Batch {
        let turn = self.turn.replace((self.turn.get() + 1) % self.batches.len());
        &self.batches[turn]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_are_splitmix64() {
        // The first outputs from seed 0 of the published reference implementation.
        let mut keys = Vec::new();
        Keys { seed: 0 }.for_each_present(2, |piece| keys.extend_from_slice(piece));
        assert_eq!(keys, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }

    #[test]
    fn present_and_absent_keys_are_distinct() {
        let mut keys: HashSet<u64> = HashSet::new();
        Keys { seed: 7 }.for_each_present(100_000, |piece| keys.extend(piece));
        Keys { seed: 7 }.for_each_absent(100_000, |piece| keys.extend(piece));
        assert_eq!(keys.len(), 200_000);
    }

    #[test]
    fn batches_have_the_hit_rate_in_random_order() {
        let keys = Keys { seed: 3 };
        let mut inside: HashSet<u64> = HashSet::new();
        keys.for_each_present(1000, |piece| inside.extend(piece.iter().copied()));
        for (hit_rate, present) in [(0, 0), (1, 5), (50, 250), (100, 500)] {
            let stream = keys.stream(1000, hit_rate, 4, 500);
            let mut seen = HashSet::new();
            for _ in 0..4 {
                let batch = stream.next();
                let is_present: Vec<bool> = batch.keys().iter().map(|key| inside.contains(key)).collect();
                assert_eq!((is_present.len(), batch.present), (500, present));
                assert_eq!(is_present.iter().filter(|&&present| present).count(), present);
                // Of 250 in random order, fewer than 90 or more than 160 in one half have a probability below 10⁻⁷.
                let half = is_present[..250].iter().filter(|&&present| present).count();
                assert!(hit_rate != 50 || (90..=160).contains(&half), "{half}");
                seen.insert(batch.keys().to_vec());
            }
            assert_eq!(seen.len(), 4);
            assert_eq!(stream.next().keys(), stream.batches[0].keys());
        }
    }
}
