//! The keys of a verification: the ones to insert, the same shuffled, and ones that are certainly absent.

use std::collections::HashSet;
use std::fmt::Write;
use std::hash::Hash;

use bloomline::reference::ReferenceFilter;
use rand::prelude::*;

/// A type of key that both filters take.
pub(super) trait TestKey: bloomline::Key + Copy + Eq + Hash {
    fn insert_into(self, filter: &mut ReferenceFilter) -> bool;
    fn is_in(self, filter: &ReferenceFilter) -> bool;
}

impl TestKey for u64 {
    fn insert_into(self, filter: &mut ReferenceFilter) -> bool {
        filter.insert_u64(self)
    }

    fn is_in(self, filter: &ReferenceFilter) -> bool {
        filter.contains_u64(self)
    }
}

impl TestKey for &[u8] {
    fn insert_into(self, filter: &mut ReferenceFilter) -> bool {
        filter.insert_bytes(self)
    }

    fn is_in(self, filter: &ReferenceFilter) -> bool {
        filter.contains_bytes(self)
    }
}

/// What a verification runs on.
pub(super) struct Workload<'a, K> {
    /// The distinct keys, in the order in which they came.
    pub(super) keys: &'a [K],
    /// As many of them as are timed, in random order.
    pub(super) shuffled: &'a [K],
    /// Keys that are not among `keys`.
    pub(super) absent: &'a [K],
}

/// Keys that are timed at most: enough that neither the caches nor the branch predictor learn them.
pub(super) const TIMED: usize = 1 << 20;

/// The first of each key.
pub(super) fn distinct<K: TestKey>(mut keys: Vec<K>) -> (Vec<K>, HashSet<K>) {
    let mut set = HashSet::with_capacity(keys.len());
    keys.retain(|key| set.insert(*key));
    (keys, set)
}

/// A random sample in random order.
pub(super) fn shuffle<K: TestKey>(keys: &[K], rng: &mut StdRng) -> Vec<K> {
    let mut sample: Vec<K> = keys.sample(rng, TIMED).copied().collect();
    sample.shuffle(rng);
    sample
}

/// The keys as lines of one text, so that reading them in order reads memory in order.
pub(super) fn lay_out(keys: &[&[u8]]) -> Vec<u8> {
    let mut text = Vec::with_capacity(keys.iter().map(|key| key.len() + 1).sum());
    for key in keys {
        text.extend_from_slice(key);
        text.push(b'\n');
    }
    text
}

/// The worked example's addresses of a user, numbered, as lines.
pub(super) fn addresses(user: &str, count: u64) -> Vec<u8> {
    let mut text = String::new();
    for i in 0..count {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{user}{i}@mail.com");
    }
    text.into_bytes()
}

/// Random numbers that are not among `keys`.
pub(super) fn absent_integers(keys: &HashSet<u64>, count: u64, rng: &mut StdRng) -> Vec<u64> {
    rng.random_iter().filter(|number| !keys.contains(number)).take(count as usize).collect()
}

/// Lengths of random strings: long enough that they hardly repeat, short enough that millions fit the memory.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=256;

/// The bytes of a random string that is about as long as this key.
pub(super) fn absent_length(key: &[u8]) -> usize {
    key.len().clamp(*LENGTHS.start(), *LENGTHS.end())
}

/// Random strings that are not among `keys`, as lines, about as long as randomly drawn keys.
pub(super) fn absent_strings(keys: &[&[u8]], set: &HashSet<&[u8]>, count: u64, rng: &mut StdRng) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    let mut text = Vec::new();
    let mut made = 0_u64;
    while made < count {
        let length = keys.choose(rng).map_or(*LENGTHS.start(), |key| absent_length(key));
        let start = text.len();
        text.extend((0..length).map(|_| LETTERS[rng.random_range(0..LETTERS.len())]));
        if set.contains(&text[start..]) {
            text.truncate(start);
        } else {
            text.push(b'\n');
            made += 1;
        }
    }
    text
}
