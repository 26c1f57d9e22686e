//! Filling both filters, and what they answer.

use bloomline::BloomFilter;
use bloomline::reference::ReferenceFilter;

use super::workload::{TestKey, Workload};

/// Keys in a batch.
pub(super) const BATCH: usize = 4096;

/// A filter, asked both ways.
pub(super) trait Filter {
    fn insert<K: TestKey>(&mut self, key: K) -> bool;
    fn insert_batch<K: TestKey>(&mut self, keys: &[K]);
    fn contains<K: TestKey>(&self, key: K) -> bool;
    /// Bit i % 64 of word i / 64 of `mask` is the answer for key i; `mask` has a word for every 64 keys.
    fn contains_batch<K: TestKey>(&self, keys: &[K], mask: &mut [u64]);
    fn clear(&mut self);
}

impl Filter for BloomFilter {
    fn insert<K: TestKey>(&mut self, key: K) -> bool {
        self.insert(&key)
    }

    fn insert_batch<K: TestKey>(&mut self, keys: &[K]) {
        self.insert_batch(keys);
    }

    fn contains<K: TestKey>(&self, key: K) -> bool {
        self.contains(&key)
    }

    fn contains_batch<K: TestKey>(&self, keys: &[K], mask: &mut [u64]) {
        self.contains_batch(keys, mask).expect("the mask has a bit for every key");
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// The reference has no batch call: a batch is a loop.
impl Filter for ReferenceFilter {
    fn insert<K: TestKey>(&mut self, key: K) -> bool {
        key.insert_into(self)
    }

    fn insert_batch<K: TestKey>(&mut self, keys: &[K]) {
        for key in keys {
            key.insert_into(self);
        }
    }

    fn contains<K: TestKey>(&self, key: K) -> bool {
        key.is_in(self)
    }

    fn contains_batch<K: TestKey>(&self, keys: &[K], mask: &mut [u64]) {
        for (keys, word) in keys.chunks(64).zip(mask) {
            *word = 0;
            for (i, key) in keys.iter().enumerate() {
                *word |= u64::from(key.is_in(self)) << i;
            }
        }
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// What a filter answered about keys, one at a time and in batches.
#[derive(Default)]
pub(super) struct Answers {
    /// Keys that were possibly present both ways.
    pub(super) found: u64,
    /// Keys that were certainly absent by at least one way.
    pub(super) denied: u64,
    /// Keys about which the two ways differ.
    pub(super) differing: u64,
}

pub(super) fn ask<K: TestKey>(filter: &impl Filter, keys: &[K]) -> Answers {
    let mut answers = Answers::default();
    let mut mask = [0; BATCH / 64];
    for batch in keys.chunks(BATCH) {
        filter.contains_batch(batch, &mut mask[..batch.len().div_ceil(64)]);
        for (i, key) in batch.iter().enumerate() {
            let batched = mask[i / 64] >> (i % 64) & 1 == 1;
            let single = filter.contains(*key);
            answers.found += u64::from(batched && single);
            answers.denied += u64::from(!(batched && single));
            answers.differing += u64::from(batched != single);
        }
    }
    answers
}

/// What a filter answered about the keys that it holds, and about absent ones.
pub(super) struct Findings {
    pub(super) present: Answers,
    pub(super) absent: Answers,
}

impl Findings {
    pub(super) fn of<K: TestKey>(filter: &impl Filter, workload: &Workload<'_, K>) -> Self {
        Self { present: ask(filter, workload.keys), absent: ask(filter, workload.absent) }
    }
}
