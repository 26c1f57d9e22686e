//! Key to 64-bit hash: the mixer of integers, wyhash for bytes, and the seed.
//!
//! `docs/FORMAT.md` §1 states every function here; filters written to files depend on them.

use crate::wyhash::wyhash;

/// The seed of every filter that does not ask for another one.
pub(crate) const DEFAULT_SEED: u64 = 0;

/// First multiplier of the integer mixer.
pub(crate) const MIX_1: u64 = 0xbf58_476d_1ce4_e5b9;
/// Second multiplier of the integer mixer.
pub(crate) const MIX_2: u64 = 0x94d0_49bb_1331_11eb;
/// The shifts of the integer mixer, in order.
pub(crate) const MIX_SHIFTS: [u32; 3] = [30, 27, 31];

/// A seed with the two words that the integer mixer takes from it.
///
/// Both words are needed: with one alone, a filter seeded with `s` would hash key `x` as the
/// unseeded filter hashes `x ^ s`, and keys chosen against one seed would be chosen against all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    pub(crate) value: u64,
    pub(crate) before: u64,
    pub(crate) between: u64,
}

impl Seed {
    pub(crate) const fn new(value: u64) -> Self {
        // Steps 1 and 2 of the splitmix64 sequence from `value`.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let plain = Self { value, before: 0, between: 0 };
        Self {
            value,
            before: plain.mix(value.wrapping_add(STEP)),
            between: plain.mix(value.wrapping_add(STEP.wrapping_mul(2))),
        }
    }

    /// A seed that nobody can predict, from the randomness that the standard library gives its maps.
    #[cfg(feature = "std")]
    pub(crate) fn random() -> Self {
        use std::hash::{BuildHasher, RandomState};
        Self::new(RandomState::new().hash_one(0))
    }

    /// Hash of an integer: a bijection of the 64-bit integers, so distinct ones never collide.
    ///
    /// Stafford's variant 13 of the murmur3 finaliser, with the seed before and between its rounds.
    #[inline]
    pub(crate) const fn mix(&self, key: u64) -> u64 {
        let mut h = key ^ self.before;
        h = (h ^ h >> MIX_SHIFTS[0]).wrapping_mul(MIX_1).wrapping_add(self.between);
        h = (h ^ h >> MIX_SHIFTS[1]).wrapping_mul(MIX_2);
        h ^ h >> MIX_SHIFTS[2]
    }

    /// The 64-bit integer that stands for a 128-bit one: itself below 2^64.
    #[inline]
    pub(crate) const fn fold(&self, key: u128) -> u64 {
        key as u64 ^ self.mix((key >> 64) as u64) ^ self.mix(0)
    }

    /// Hash of a byte string.
    #[inline(always)]
    pub(crate) fn bytes(&self, key: &[u8]) -> u64 {
        wyhash(key, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wyhash::SECRET;

    /// Why the documentation sends hostile byte strings to a keyed hasher: eight bytes of these keys make a factor of
    /// wyhash 0 whatever the seed, and the other eight are free.
    #[test]
    fn byte_strings_can_be_prepared_that_collide_under_every_seed() {
        let word = SECRET[1].to_be_bytes();
        let key = |free: u64| {
            let mut key = [0; 16];
            for half in [0, 4] {
                key[2 * half..][..4].copy_from_slice(&word[half..half + 4]);
                key[2 * half..][..4].reverse();
                key[2 * half + 4..][..4].copy_from_slice(&free.to_be_bytes()[half..half + 4]);
            }
            key
        };
        for seed in [0, 1, 0x1234_5678_9abc_def0, u64::MAX] {
            let hash = Seed::new(seed).bytes(&key(0));
            assert!((1..1000).all(|free| Seed::new(seed).bytes(&key(free)) == hash));
        }
    }
}
