//! The keys that a filter takes.

use alloc::string::String;
use alloc::vec::Vec;

use crate::block::prefetch;
use crate::hash::Seed;
use sealed::Hashed;

/// A key: an integer, a byte string, a string, or a hash that was computed elsewhere.
///
/// A key's answer does not depend on how it is handed over: one at a time or in a batch, borrowed or owned.
///
/// * `u64`, `u32`, `u128`, `i64`, `i32` are integers: the value modulo 2^64 is mixed with the seed by a
///   bijection, so distinct 64-bit keys never share a hash. Equal values are the same key whatever their
///   type (`7_u32`, `7_i64` and `7_u128`); negative values are taken in two's complement, so `-1_i64` and `-1_i32`
///   are the same key as `u64::MAX`. A `u128` above that is folded with the seed first.
/// * `[u8]`, `[u8; N]`, `Vec<u8>`, `str`, `String` are byte strings, hashed with wyhash under the seed. `"abc"` and
///   `b"abc"` are the same key.
/// * [`Prehashed`] is taken as it is.
/// * References to keys are keys.
///
/// The trait is sealed. Other types go through a hasher of your choice and [`Prehashed`], or through their bytes.
pub trait Key: Hashed {}

impl<K: Hashed + ?Sized> Key for K {}

/// A 64-bit hash that serves as a key without further hashing.
///
/// Every one of the 64 bits must be well mixed: the high bits choose the block, and all bits place the key in it. A
/// 32-bit hash, an address or a multiplicative hash will not do: hand such words over as `u64` keys instead, which
/// mixes them. If the same hash also picks a shard or a hash-table bucket by its high bits, the keys of one shard
/// crowd into few blocks; mix them too.
///
/// A keyed hasher, such as the SipHash of the standard library, makes a filter that keys chosen by an attacker
/// cannot crowd:
///
/// ```
/// use std::hash::RandomState;
/// use bloomline::{BloomFilter, Prehashed};
///
/// let hasher = RandomState::new();
/// let mut filter = BloomFilter::with_rate(1000, 0.01).build()?;
/// filter.insert(&Prehashed::of(&hasher, &("any", "hashable", 3)));
/// assert!(filter.contains(&Prehashed::of(&hasher, &("any", "hashable", 3))));
/// # Ok::<(), bloomline::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Prehashed(pub u64);

impl Prehashed {
    /// The hash of `key` by `hasher`.
    pub fn of<T: core::hash::Hash + ?Sized>(hasher: &impl core::hash::BuildHasher, key: &T) -> Self {
        Self(hasher.hash_one(key))
    }

    /// A slice of hashes as a slice of keys, without copying.
    ///
    /// ```
    /// use bloomline::Prehashed;
    ///
    /// assert_eq!(Prehashed::slice(&[1, 2]), [Prehashed(1), Prehashed(2)]);
    /// ```
    pub fn slice(hashes: &[u64]) -> &[Self] {
        bytemuck::cast_slice(hashes)
    }
}

pub(crate) mod sealed {
    use super::Seed;

    /// How a type becomes the words that kernels take.
    pub trait Hashed {
        /// Whether `word` gives integers that are still to be mixed, rather than hashes.
        const INTEGER: bool;

        /// The word of the key.
        fn word(&self, seed: &Seed) -> u64;

        /// The words of a batch, where they lie in memory already.
        #[inline]
        fn words(_keys: &[Self]) -> Option<&[u64]>
        where
            Self: Sized,
        {
            None
        }

        /// Calls what the key refers to, where that lies elsewhere in memory.
        #[inline(always)]
        fn prefetch(&self) {}

        /// The hash of the key.
        #[inline]
        fn hash(&self, seed: &Seed) -> u64 {
            let word = self.word(seed);
            if Self::INTEGER { seed.mix(word) } else { word }
        }
    }
}

impl Hashed for u64 {
    const INTEGER: bool = true;

    #[inline]
    fn word(&self, _: &Seed) -> u64 {
        *self
    }

    #[inline]
    fn words(keys: &[Self]) -> Option<&[u64]> {
        Some(keys)
    }
}

impl Hashed for i64 {
    const INTEGER: bool = true;

    #[inline]
    fn word(&self, _: &Seed) -> u64 {
        self.cast_unsigned()
    }

    #[inline]
    fn words(keys: &[Self]) -> Option<&[u64]> {
        Some(bytemuck::cast_slice(keys))
    }
}

impl Hashed for u32 {
    const INTEGER: bool = true;

    #[inline]
    fn word(&self, _: &Seed) -> u64 {
        u64::from(*self)
    }
}

impl Hashed for i32 {
    const INTEGER: bool = true;

    #[inline]
    fn word(&self, _: &Seed) -> u64 {
        i64::from(*self).cast_unsigned()
    }
}

impl Hashed for u128 {
    const INTEGER: bool = true;

    #[inline]
    fn word(&self, seed: &Seed) -> u64 {
        seed.fold(*self)
    }
}

impl Hashed for Prehashed {
    const INTEGER: bool = false;

    #[inline]
    fn word(&self, _: &Seed) -> u64 {
        self.0
    }

    #[inline]
    fn words(keys: &[Self]) -> Option<&[u64]> {
        Some(bytemuck::cast_slice(keys))
    }
}

/// Types that are byte strings; for those that only refer to their bytes, how to get at these.
macro_rules! byte_strings {
    ($([$($generics:tt)*] $type:ty $(, by $bytes:expr)?;)*) => {
        $(impl<$($generics)*> Hashed for $type {
            const INTEGER: bool = false;

            #[inline(always)]
            fn word(&self, seed: &Seed) -> u64 {
                let bytes: &[u8] = self.as_ref();
                seed.bytes(bytes)
            }

            $(#[inline(always)]
            fn prefetch(&self) {
                prefetch_ends($bytes(self));
            })?
        })*
    };
}
byte_strings! {
    [] [u8];
    [] str;
    [const N: usize] [u8; N];
    [] String, by String::as_bytes;
    [] Vec<u8>, by Vec::as_slice;
}

impl<K: Hashed + ?Sized> Hashed for &K {
    const INTEGER: bool = K::INTEGER;

    #[inline(always)]
    fn word(&self, seed: &Seed) -> u64 {
        (**self).word(seed)
    }

    #[inline(always)]
    fn prefetch(&self) {
        prefetch_ends::<K>(self);
    }
}

/// Calls the lines of the first and the last byte: most strings have no more, and longer ones are a stream by themselves.
#[inline(always)]
fn prefetch_ends<T: ?Sized>(value: &T) {
    let start = core::ptr::from_ref(value).cast::<u8>();
    prefetch(start);
    // Before the start where there is no byte; a prefetch never faults.
    prefetch(start.wrapping_add(size_of_val(value)).wrapping_sub(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_integers_are_one_key_whatever_their_type() {
        let seed = Seed::new(42);
        for value in [0_u32, 1, 7, i32::MAX as u32] {
            let hash = u64::from(value).hash(&seed);
            assert_eq!(value.hash(&seed), hash);
            assert_eq!((value as i32).hash(&seed), hash);
            assert_eq!(i64::from(value).hash(&seed), hash);
            assert_eq!(u128::from(value).hash(&seed), hash);
            assert_eq!((&&value).hash(&seed), hash);
        }
        assert_eq!((-1_i32).hash(&seed), u64::MAX.hash(&seed));
        assert_eq!((-1_i64).hash(&seed), u64::MAX.hash(&seed));
        assert_eq!(u128::from(u64::MAX).hash(&seed), u64::MAX.hash(&seed));
        assert_eq!(i64::MIN.hash(&seed), (1_u64 << 63).hash(&seed));
        assert_ne!((1_u128 << 64).hash(&seed), 0_u64.hash(&seed));
        assert_ne!((1_u128 << 64).hash(&seed), 1_u64.hash(&seed));
    }

    #[test]
    fn byte_strings_are_one_key_whatever_their_type() {
        let seed = Seed::new(3);
        let hash = "key".hash(&seed);
        assert_eq!(b"key".hash(&seed), hash);
        assert_eq!(b"key"[..].hash(&seed), hash);
        assert_eq!(String::from("key").hash(&seed), hash);
        assert_eq!(Vec::from(b"key").hash(&seed), hash);
        assert_eq!((&"key").hash(&seed), hash);
    }

    #[test]
    fn prehashed_is_taken_as_it_is() {
        assert_eq!(Prehashed(99).hash(&Seed::new(3)), 99);
    }
}
