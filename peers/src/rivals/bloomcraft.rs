//! bloomcraft's register-blocked filter: 512-bit blocks, a power of two of them.

use std::f64::consts::LN_2;
use std::hash::{BuildHasher, Hash};

use bloomcraft::core::BloomFilter as _;
use bloomcraft::filters::RegisterBlockedBloomFilter;
use bloomcraft::hash::BloomHasher;
use foldhash::fast::FixedState;

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, LOOP, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "bloomcraft blocked",
        package: "bloomcraft",
        scheme: "block512",
        hash: "foldhash (fast), halves of one hash",
        bulk: LOOP,
        build: Build::Empty(build),
        from_bytes: 0,
        build_bytes: 0,
    }
}

/// Its own hashers write the key to a vector first, which takes most of their time.
#[derive(Clone, Default)]
struct Fold(FixedState);

impl BloomHasher for Fold {
    fn hash_bytes(&self, bytes: &[u8]) -> u64 {
        self.0.hash_one(bytes)
    }

    /// The filter takes the block from the low bits of the first word, and the steps from the second one.
    #[inline]
    fn hash_item<T: Hash>(&self, item: &T) -> (u64, u64) {
        let hash = self.0.hash_one(item);
        (hash, hash.rotate_left(32))
    }

    fn name(&self) -> &'static str {
        "foldhash"
    }
}

/// The size can only be asked for by a rate: the filter has −n·ln(p ÷ 2.5) ÷ ln² 2 bits, rounded up to a power of two of
/// blocks. A rate for 1 % fewer bits keeps the rounding from doubling a size that is a power of two.
fn build<K: RaceKey>(shape: Shape) -> Built<K> {
    let bits_per_key = 0.99 * shape.bytes as f64 * 8.0 / shape.items as f64;
    let rate = 2.5 * (-bits_per_key * LN_2 * LN_2).exp();
    let filter = RegisterBlockedBloomFilter::<K, Fold>::with_hasher(shape.items, rate, Fold::default());
    Ok(Box::new(filter.map_err(|error| error.to_string())?))
}

impl<K: RaceKey> Rival<K> for RegisterBlockedBloomFilter<K, Fold> {
    #[inline]
    fn insert(&mut self, key: &K) {
        bloomcraft::core::BloomFilter::insert(self, key);
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        bloomcraft::core::BloomFilter::contains(self, key)
    }

    fn bytes(&self) -> usize {
        self.bit_count() / 8
    }

    fn k(&self) -> Option<u32> {
        Some(self.hash_count() as u32)
    }
}
