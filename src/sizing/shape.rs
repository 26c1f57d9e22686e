//! How the bits of a key lie in its block: all that a rate depends on.

/// Words in a block. All schemes have eight.
pub(super) const WORDS: usize = 8;

/// A block of eight words, and the number of bits that a key sets in each.
///
/// A key starts at one of the words, each with probability ⅛, and sets `bits[i]` bits in the i-th word from there, cyclically.
/// Each bit has a uniform and independent place in its word, so two of them can coincide.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Bits in a word, a power of two.
    pub(super) word_bits: u32,
    /// Bits that a key which starts at word 0 sets in each word.
    pub(super) bits: [u32; WORDS],
}

impl Shape {
    pub(super) const fn block_bits(&self) -> u32 {
        WORDS as u32 * self.word_bits
    }

    /// Bits that a key which starts at word `start` sets in `word`.
    pub(super) const fn bits_in_word(&self, start: usize, word: usize) -> u32 {
        self.bits[(WORDS + word - start) % WORDS]
    }
}
