//! fastbloom: a classic filter, k chosen by itself.

use fastbloom::BloomFilter;
use foldhash::fast::FixedState;

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, LOOP, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "fastbloom",
        package: "fastbloom",
        scheme: "classic",
        hash: "foldhash (fast)",
        bulk: LOOP,
        build: Build::Empty(build),
        from_bytes: 0,
        build_bytes: 0,
    }
}

fn build<K: RaceKey>(shape: Shape) -> Built<K> {
    let builder = BloomFilter::with_num_bits(shape.bytes * 8).hasher(FixedState::default());
    Ok(Box::new(builder.expected_items(shape.items)))
}

/// Its `insert_all` is a loop of `insert`, as the default here is; the key is hashed here to spare strings the length
/// that the `Hash` of slices adds.
impl<K: RaceKey> Rival<K> for BloomFilter<FixedState> {
    #[inline]
    fn insert(&mut self, key: &K) {
        self.insert_hash(key.fold());
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        self.contains_hash(key.fold())
    }

    fn bytes(&self) -> usize {
        self.num_bits() / 8
    }

    fn k(&self) -> Option<u32> {
        Some(self.num_hashes())
    }
}
