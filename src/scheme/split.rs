//! The 32-byte split block of Parquet: eight words of 32 bits, one bit of a key in each.
//!
//! The block and the bits are those of the Parquet format (`BloomFilter.md` of parquet-format), which fixes XXH64 as the
//! hash; here the hash is whatever the key gives, so an XXH64 handed over as [`Prehashed`](crate::Prehashed) makes the
//! bits of a Parquet file.

/// Words of 32 bits in a block.
pub(crate) const WORDS: u32 = 8;
/// Bits in a word.
pub(crate) const WORD_BITS: u32 = 32;
/// Bits in a block.
pub(crate) const BLOCK_BITS: u32 = WORDS * WORD_BITS;
/// Bytes in a block.
pub(crate) const BLOCK_BYTES: u64 = BLOCK_BITS as u64 / 8;
/// Bits of a key: one in every word.
pub(crate) const K: u32 = WORDS;
/// The largest number of blocks: their bytes fit the signed 32-bit size in the header of a Parquet filter, and each block gets
/// at least 64 of the 2^32 values that choose it.
pub(crate) const MAX_BLOCKS: u64 = (1 << 26) - 1;

/// The upper five bits of the low half of the hash, times the word's salt, place its bit.
pub(crate) const SALT: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// What is left of a product of 32 bits is the place in a word.
pub(crate) const PLACE_SHIFT: u32 = 32 - WORD_BITS.trailing_zeros();

/// The block of a key with hash `h` among `blocks`, by the upper half of the hash.
#[inline(always)]
pub(crate) const fn block_index(h: u64, blocks: usize) -> usize {
    (((h >> 32) * blocks as u64) >> 32) as usize
}

/// The place of a key's bit in `word`, 0…31, by the low half of its hash.
#[inline(always)]
pub(crate) const fn place(h: u64, word: usize) -> u32 {
    (h as u32).wrapping_mul(SALT[word]) >> PLACE_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XXH64 of a text, and the block of 32 and the places that the Parquet format gives it: `data/bloom_filter.xxhash.bin` of
    /// parquet-testing holds the four texts.
    #[test]
    fn block_and_places_are_those_of_parquet() {
        for (hash, block, places) in [
            (0x26c7_827d_889f_6da3, 4, Some([20, 9, 10, 7, 9, 31, 28, 27])), // hello
            (0x3c9d_2927_5c52_e429, 7, Some([2, 22, 22, 19, 26, 13, 4, 1])), // parquet
            (0x50c8_fb9e_62db_c53c, 10, None),                               // bloom
            (0x2a57_36cd_fcd7_a9a1, 5, None),                                // filter
        ] {
            assert_eq!(block_index(hash, 32), block);
            let placed = core::array::from_fn(|word| place(hash, word));
            assert!(places.is_none_or(|places| places == placed), "{hash:x}: {placed:?}");
        }
    }

    #[test]
    fn block_and_places_use_different_halves_of_the_hash() {
        for blocks in [1, 3, 1000] {
            assert_eq!(
                (block_index(u64::from(u32::MAX), blocks), block_index(u64::MAX, blocks)),
                (0, blocks - 1)
            );
        }
        assert_eq!([0, 7].map(|word| place(u64::from(u32::MAX) << 32, word)), [0, 0]);
        assert_eq!(place(1 << 31, 0), 16);
    }

    /// Different low halves of the hash differ in the place in some word: no two share all eight. The rates of
    /// `sizing::split` build on it.
    ///
    /// Two numbers with the same upper five bits differ by less than 2^27, up or down. So two halves that share all places
    /// have a difference whose product with every salt is that small; and there is none, among the 2^27 − 1 that are
    /// small for the first salt, and with them their negatives.
    #[test]
    fn no_two_low_halves_share_all_places() {
        let inverse = inverse(SALT[0]);
        assert_eq!(SALT[0].wrapping_mul(inverse), 1);
        let is_small = |product: u32| product.cast_signed().unsigned_abs() < 1 << PLACE_SHIFT;
        let mut most = 0;
        for product in 1..1_u32 << PLACE_SHIFT {
            let difference = inverse.wrapping_mul(product);
            most = most.max(SALT.iter().filter(|&salt| is_small(difference.wrapping_mul(*salt))).count());
        }
        assert_eq!(most, 7);
    }

    /// The inverse of an odd number modulo 2^32, by Newton's iteration: each step doubles the right bits.
    fn inverse(odd: u32) -> u32 {
        (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse))))
    }
}
