//! sbbf-rs-safe: the split-block filter of Parquet, with kernels chosen at run time. The caller hashes.

use sbbf_rs_safe::Filter;

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, LOOP, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "sbbf-rs-safe",
        package: "sbbf-rs-safe",
        scheme: "split-block",
        hash: "the mixer of bloomline; foldhash (fast)",
        bulk: LOOP,
        build: Build::Empty(build),
        from_bytes: 0,
        build_bytes: 0,
    }
}

/// `Filter::new` takes whole bits per key only, so the size is set by zeros.
fn build<K: RaceKey>(shape: Shape) -> Built<K> {
    let filter = Filter::from_bytes(&vec![0; shape.bytes]);
    Ok(Box::new(filter.ok_or("takes only multiples of 32 bytes")?))
}

impl<K: RaceKey> Rival<K> for Filter {
    #[inline]
    fn insert(&mut self, key: &K) {
        self.insert_hash(key.mix());
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        self.contains_hash(key.mix())
    }

    fn bytes(&self) -> usize {
        self.as_bytes().len()
    }

    fn k(&self) -> Option<u32> {
        Some(8)
    }
}
