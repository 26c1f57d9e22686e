//! The 64-byte block with one bit per word at k = 8, fewer words below, a second bit above.
//!
//! This file is the bit contract in its plainest form; `docs/FORMAT.md` states the same in words.

/// Words of 64 bits in a block.
pub(crate) const WORDS: u32 = 8;
/// Bits in a block.
pub(crate) const BLOCK_BITS: u32 = 512;
/// Bytes in a block.
pub(crate) const BLOCK_BYTES: u64 = BLOCK_BITS as u64 / 8;
/// The largest k: two bits in each word.
pub(crate) const MAX_K: u32 = 16;

/// Multiplier of the first product: byte w of `h * FIRST` places the bit of word w.
pub(crate) const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
/// Multiplier of the second product, for k > 8: byte 7 − w of `h * SECOND` places the second bit of
/// word w. The bytes are taken in reverse because the low bytes of both products depend on the same
/// few low bits of the hash: paired with each other they would place the two bits of word 0 together.
pub(crate) const SECOND: u64 = 0xd134_2543_de82_ef95;

/// Words in the run of a key. For k ≤ 8 the key sets one bit in each word of its run; for k > 8 it sets
/// one bit in every word and a second one in each word of its run.
pub(crate) const fn run_length(k: u32) -> u32 {
    if k <= WORDS { k } else { k - WORDS }
}

/// The run that starts at word `start` and wraps after word 7: bit w is set when word w is in it.
const fn run(k: u32, start: u32) -> u8 {
    ((1_u16 << run_length(k)) - 1).to_le_bytes()[0].rotate_left(start)
}

/// The first word of a key's run, from three bits of the first product that place no bit.
#[inline(always)]
pub(crate) const fn start(first: u64) -> u32 {
    ((first >> 62) | (first >> 52 & 4)) as u32
}

/// Number of bits that one key sets in `word`, when its run starts at `start`.
pub(crate) const fn bits_in_word(k: u32, start: u32, word: u32) -> u32 {
    let in_run = (run(k, start) >> word & 1) as u32;
    if k <= WORDS { in_run } else { 1 + in_run }
}

/// What places the bits of a key in its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) first: u64,
    /// Only used for k > 8.
    pub(crate) second: u64,
    /// The run as a mask of bytes: byte w is 0xff when word w is in it. Not used for k = 8.
    pub(crate) run: u64,
}

impl Placement {
    /// The placement of a key with hash `h`.
    #[inline(always)]
    pub(crate) fn of(h: u64, k: u32) -> Self {
        let first = h.wrapping_mul(FIRST);
        let second = if k > WORDS { h.wrapping_mul(SECOND) } else { 0 };
        let run = if k == WORDS { u64::MAX } else { runs(k)[start(first) as usize] };
        Self { first, second, run }
    }

    /// The place in `word`, in the low six bits.
    #[inline(always)]
    pub(crate) fn place(self, word: usize) -> u32 {
        u32::from(self.first.to_le_bytes()[word])
    }

    /// The second place in `word`, in the low six bits.
    #[inline(always)]
    pub(crate) fn second_place(self, word: usize) -> u32 {
        u32::from(self.second.to_be_bytes()[word])
    }

    /// All bits set when `word` is in the run, none otherwise.
    #[inline(always)]
    pub(crate) fn in_run(self, word: usize) -> u64 {
        (self.run >> (8 * word) & 1).wrapping_neg()
    }
}

/// Per length and start of a run, its mask of bytes.
static RUNS: [[u64; 8]; 9] = {
    let mut runs = [[0; 8]; 9];
    let mut k = 1;
    while k <= WORDS {
        let mut word = 0;
        while word < 64 {
            let (start, w) = (word / 8, word % 8);
            if run(k, start) >> w & 1 == 1 {
                runs[k as usize][start as usize] |= 0xff << (8 * w);
            }
            word += 1;
        }
        k += 1;
    }
    runs
};

/// For each start, the run of a key as a mask of bytes.
#[inline(always)]
pub(crate) fn runs(k: u32) -> &'static [u64; 8] {
    &RUNS[run_length(k) as usize]
}

/// The block of a key with hash `h` among `blocks`: the high 64 bits of their product.
#[inline(always)]
pub(crate) const fn block_index(h: u64, blocks: usize) -> usize {
    ((h as u128 * blocks as u128) >> 64) as usize
}
