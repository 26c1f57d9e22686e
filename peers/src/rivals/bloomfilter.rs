//! bloomfilter: a classic filter on SipHash-1-3, k chosen by itself.

use bloomfilter::Bloom;

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, LOOP, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "bloomfilter",
        package: "bloomfilter",
        scheme: "classic",
        hash: "SipHash-1-3 (fixed)",
        bulk: LOOP,
        build: Build::Empty(build),
        from_bytes: 0,
        build_bytes: 0,
    }
}

/// The halves of the seed are the keys of its two hashes, so they have to differ.
fn build<K: RaceKey>(shape: Shape) -> Built<K> {
    let seed = std::array::from_fn(|i| i as u8);
    Ok(Box::new(Bloom::<K>::new_with_seed(shape.bytes, shape.items, &seed)?))
}

impl<K: RaceKey> Rival<K> for Bloom<K> {
    #[inline]
    fn insert(&mut self, key: &K) {
        self.set(key);
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        self.check(key)
    }

    fn bytes(&self) -> usize {
        self.len() as usize / 8
    }

    fn k(&self) -> Option<u32> {
        Some(self.number_of_hash_functions())
    }
}
