//! The 64-byte block with one bit per word at k = 8, fewer words below, a second bit above.
//!
//! This file is the bit contract in its plainest form; `docs/FORMAT.md` §2 states the same in words.

/// Words of 64 bits in a block.
pub(crate) const WORDS: u32 = 8;
/// Bits in a block.
pub(crate) const BLOCK_BITS: u32 = 512;
/// The largest k: two bits in each word.
pub(crate) const MAX_K: u32 = 16;

/// Multiplier of the first product: byte w of `h * FIRST` places the bit of word w.
pub(crate) const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
/// Multiplier of the second product, for k > 8: byte 7 - w of `h * SECOND` places the second bit of
/// word w. The bytes are taken in reverse because the low bytes of both products depend on the same
/// few low bits of the hash: paired with each other they would place the two bits of word 0 together.
pub(crate) const SECOND: u64 = 0xd134_2543_de82_ef95;

/// Number of bits that one key sets in `word`, when its run of words starts at `start`.
///
/// k < 8: one bit in each of the k words `start, start + 1, …` (modulo 8). k = 8: one bit in every
/// word. k > 8: one bit in every word and a second one in the k − 8 words from `start`.
pub(crate) const fn bits_in_word(k: u32, start: u32, word: u32) -> u32 {
    let in_run = (word + WORDS - start) % WORDS < k % WORDS;
    (k / WORDS) + in_run as u32
}

/// The first word of a key's run, from three bits of the first product that place no bit.
pub(crate) const fn start(first: u64) -> u32 {
    ((first >> 62) | (first >> 52 & 4)) as u32
}

/// The bits of a key with hash `h` in its block, as eight words.
pub(crate) const fn pattern(h: u64, k: u32) -> [u64; WORDS as usize] {
    let first = h.wrapping_mul(FIRST);
    let second = h.wrapping_mul(SECOND);
    let start = start(first);
    let mut words = [0; WORDS as usize];
    let mut w = 0;
    while w < WORDS {
        let bits = bits_in_word(k, start, w);
        if bits >= 1 {
            words[w as usize] |= 1 << (first >> (8 * w) & 63);
        }
        if bits == 2 {
            words[w as usize] |= 1 << (second >> (56 - 8 * w) & 63);
        }
        w += 1;
    }
    words
}

/// The block of a key with hash `h` among `blocks`: the high 64 bits of their product.
pub(crate) const fn block_index(h: u64, blocks: u64) -> u64 {
    ((h as u128 * blocks as u128) >> 64) as u64
}
