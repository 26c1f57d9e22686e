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

/// The upper five bits of the low half of the hash, times the word's salt, place its bit.
pub(crate) const SALT: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

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
