//! The split-block filter of the parquet crate. It hashes with XXH64, and nothing else.

use parquet::bloom_filter::Sbbf;

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, LOOP, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "parquet Sbbf",
        package: "parquet",
        scheme: "split-block",
        hash: "XXH64 (fixed)",
        bulk: LOOP,
        build: Build::Empty(build),
        from_bytes: 0,
        build_bytes: 0,
    }
}

/// Its constructors round to powers of two of at most 128 MiB, so the size is set by zeros.
fn build<K: RaceKey>(shape: Shape) -> Built<K> {
    Ok(Box::new(Sbbf::new(&vec![0; shape.bytes])))
}

impl<K: RaceKey> Rival<K> for Sbbf {
    #[inline]
    fn insert(&mut self, key: &K) {
        key.insert_parquet(self);
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        key.check_parquet(self)
    }

    fn bytes(&self) -> usize {
        self.num_blocks() * 32
    }

    fn k(&self) -> Option<u32> {
        Some(8)
    }
}
