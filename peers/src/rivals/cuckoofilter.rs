//! cuckoofilter: 8-bit fingerprints, four to a bucket, a power of two of buckets.

use std::hash::{BuildHasher, Hasher};

use cuckoofilter::CuckooFilter;
use foldhash::fast::{FixedState, FoldHasher};

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, LOOP, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "cuckoofilter",
        package: "cuckoofilter",
        scheme: "cuckoo, 8-bit fingerprints",
        hash: "foldhash (fast)",
        bulk: LOOP,
        build: Build::Empty(build),
        from_bytes: 0,
        build_bytes: 0,
    }
}

/// foldhash with the `Default` that the filter makes hashers by.
struct Fold(FoldHasher<'static>);

impl Default for Fold {
    #[inline]
    fn default() -> Self {
        Self(FixedState::with_seed(0).build_hasher())
    }
}

impl Hasher for Fold {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0.write_u64(word);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.0.write_usize(word);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// Near a load of 0.95 it begins to lose keys.
const MAX_LOAD: f64 = 0.9;

fn build<K: RaceKey>(shape: Shape) -> Built<K> {
    let load = shape.items as f64 / shape.bytes.next_power_of_two() as f64;
    if load > MAX_LOAD {
        return Err(format!("{load:.2} items a slot, which is more than {MAX_LOAD}"));
    }
    Ok(Box::new(CuckooFilter::<Fold>::with_capacity(shape.bytes)))
}

impl<K: RaceKey> Rival<K> for CuckooFilter<Fold> {
    #[inline]
    fn insert(&mut self, key: &K) {
        self.add(key).expect("room below the load that loses keys");
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        self.contains(key)
    }

    fn bytes(&self) -> usize {
        self.memory_usage()
    }
}
