//! The keys of the race, and how each kind of key is hashed for a filter that takes hashes.

use std::hash::{BuildHasher, Hash, Hasher};

use bloomline::reference::ReferenceFilter;
use clap::ValueEnum;
use foldhash::fast::FixedState;

/// A key that every contestant can take.
pub(crate) trait RaceKey: bloomline::Key + Hash + Copy + Send + Sync + 'static {
    /// The key with number `index`; different indices give different keys.
    fn at(index: u64) -> Self;

    /// foldhash of the bare key, for the filters that take hashes.
    fn fold(&self) -> u64;

    /// What a filter takes that mixes 64-bit keys itself.
    fn unmixed(&self) -> u64;

    /// The mixer of bloomline for integers; foldhash for strings.
    fn mix(&self) -> u64;

    /// The keys as the roofline takes them: 64-bit integers. None where they are something else.
    fn integers(_keys: &[Self]) -> Option<&[u64]> {
        None
    }

    fn insert_parquet(&self, filter: &mut parquet::bloom_filter::Sbbf);
    fn check_parquet(&self, filter: &parquet::bloom_filter::Sbbf) -> bool;
    fn insert_reference(&self, filter: &mut ReferenceFilter);
    fn check_reference(&self, filter: &ReferenceFilter) -> bool;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyType {
    /// 64-bit integers
    U64,
    /// Strings of 16 bytes
    S16,
    /// Strings of 64 bytes
    S64,
}

impl KeyType {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::U64 => "u64",
            Self::S16 => "s16",
            Self::S64 => "s64",
        }
    }

    /// Bytes of one key.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::U64 => 8,
            Self::S16 => 16,
            Self::S64 => 64,
        }
    }
}

/// Stafford's variant 13 of the murmur3 finaliser: a bijection, and the mixer of bloomline's integers but for the seed.
#[inline]
fn stafford(key: u64) -> u64 {
    let mut z = key;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The `index`th output of splitmix64 from 0. Since it is a bijection of the index, no key comes twice.
fn splitmix(index: u64) -> u64 {
    stafford(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

const FOLD: FixedState = FixedState::with_seed(0);

impl RaceKey for u64 {
    fn at(index: u64) -> Self {
        splitmix(index)
    }

    fn integers(keys: &[Self]) -> Option<&[u64]> {
        Some(keys)
    }

    #[inline]
    fn fold(&self) -> u64 {
        FOLD.hash_one(self)
    }

    #[inline]
    fn unmixed(&self) -> u64 {
        *self
    }

    #[inline]
    fn mix(&self) -> u64 {
        stafford(*self)
    }

    #[inline]
    fn insert_parquet(&self, filter: &mut parquet::bloom_filter::Sbbf) {
        filter.insert(self);
    }

    #[inline]
    fn check_parquet(&self, filter: &parquet::bloom_filter::Sbbf) -> bool {
        filter.check(self)
    }

    #[inline]
    fn insert_reference(&self, filter: &mut ReferenceFilter) {
        filter.insert_u64(*self);
    }

    #[inline]
    fn check_reference(&self, filter: &ReferenceFilter) -> bool {
        filter.contains_u64(*self)
    }
}

/// Strings of `N` bytes, at least 16: sixteen hexadecimal digits that tell keys apart, after what they have in common.
impl<const N: usize> RaceKey for [u8; N]
where
    [u8; N]: bloomline::Key,
{
    fn at(index: u64) -> Self {
        const DIGITS: [u8; 16] = *b"0123456789abcdef";
        const COMMON: [u8; 32] = *b"https://example.com/users/by-id/";
        let word = splitmix(index);
        let mut key: Self = std::array::from_fn(|i| COMMON[i % COMMON.len()]);
        for (nibble, byte) in key[N - 16..].iter_mut().enumerate() {
            *byte = DIGITS[(word >> (4 * nibble) & 15) as usize];
        }
        key
    }

    #[inline]
    fn fold(&self) -> u64 {
        let mut hasher = FOLD.build_hasher();
        hasher.write(self);
        hasher.finish()
    }

    #[inline]
    fn unmixed(&self) -> u64 {
        self.fold()
    }

    #[inline]
    fn mix(&self) -> u64 {
        self.fold()
    }

    #[inline]
    fn insert_parquet(&self, filter: &mut parquet::bloom_filter::Sbbf) {
        filter.insert(&self[..]);
    }

    #[inline]
    fn check_parquet(&self, filter: &parquet::bloom_filter::Sbbf) -> bool {
        filter.check(&self[..])
    }

    #[inline]
    fn insert_reference(&self, filter: &mut ReferenceFilter) {
        filter.insert_bytes(self);
    }

    #[inline]
    fn check_reference(&self, filter: &ReferenceFilter) -> bool {
        filter.contains_bytes(self)
    }
}

/// `count` keys from number `start` on.
pub(crate) fn keys<K: RaceKey>(start: u64, count: usize) -> Vec<K> {
    (start..).take(count).map(K::at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_splitmix64() {
        // The first outputs from seed 0 of the published reference implementation.
        assert_eq!(keys::<u64>(0, 2), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }

    #[test]
    fn strings_are_distinct_and_readable() {
        let mut strings = keys::<[u8; 64]>(0, 10_000);
        assert!(std::str::from_utf8(&strings[0]).unwrap().starts_with("https://"));
        strings.sort_unstable();
        strings.dedup();
        assert_eq!(strings.len(), 10_000);
    }
}
