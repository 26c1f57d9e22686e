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
/// The largest number of blocks: the kernels multiply a 64-bit hash by it as two products of 32-bit numbers, which is what the
/// vector units have.
pub(crate) const MAX_BLOCKS: u64 = u32::MAX as u64;

/// Multiplier of the first product: byte w of `h * FIRST` places the bit of word w.
pub(crate) const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
/// Multiplier of the second product, for k > 8: byte w of `(first ^ first >> FOLD) * SECOND` places the
/// second bit of word w.
pub(crate) const SECOND: u64 = 0xd134_2543_de82_ef95;
/// Brings high bits of the first product down before the second one. Without it, low bytes of both
/// products would be functions of the same few bits of the hash, and the bits of a key would come
/// in fixed company: measured, 15 % more false positives at k = 16. It is the first product that is
/// folded, and not the hash, whose high bits are all alike within a block of a large filter.
pub(crate) const FOLD: u32 = 29;

/// Words in the run of a key. For k ≤ 8 the key sets one bit in each word of its run; for k > 8 it sets
/// one bit in every word and a second one in each word of its run.
pub(crate) const fn run_length(k: u32) -> u32 {
    if k <= WORDS { k } else { k - WORDS }
}

/// The run of a key that starts at word 0, as a mask of bytes: byte w is 0xff when word w is in it.
#[inline(always)]
pub(crate) const fn run_from_0(k: u32) -> u64 {
    u64::MAX >> (64 - 8 * run_length(k))
}

/// Eight times the first word of a key's run, from three bits of the first product that place no bit: how far
/// [`run_from_0`] must be rotated.
#[inline(always)]
pub(crate) const fn run_start(first: u64) -> u32 {
    (first >> 59 & 0x18 | first >> 49 & 0x20) as u32
}

/// Number of bits that one key sets in `word`, when its run starts at `start`.
pub(crate) const fn bits_in_word(k: u32, start: u32, word: u32) -> u32 {
    let in_run = (run_from_0(k).rotate_left(8 * start) >> (8 * word) & 1) as u32;
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
        let second = if k > WORDS { (first ^ first >> FOLD).wrapping_mul(SECOND) } else { 0 };
        let run = run_from_0(k).rotate_left(run_start(first));
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
        u32::from(self.second.to_le_bytes()[word])
    }

    /// All bits set when `word` is in the run, none otherwise.
    #[inline(always)]
    pub(crate) fn in_run(self, word: usize) -> u64 {
        (self.run >> (8 * word) & 1).wrapping_neg()
    }
}

/// The block of a key with hash `h` among `blocks`: the high 64 bits of their product.
#[inline(always)]
pub(crate) const fn block_index(h: u64, blocks: usize) -> usize {
    ((h as u128 * blocks as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Seed;

    /// The bits of a key, one word after the other.
    fn pattern(hash: u64, k: u32) -> [u64; 8] {
        let key = Placement::of(hash, k);
        core::array::from_fn(|w| match k {
            0..8 => 1_u64.wrapping_shl(key.place(w)) & key.in_run(w),
            8 => 1_u64.wrapping_shl(key.place(w)),
            _ => 1_u64.wrapping_shl(key.place(w)) | 1_u64.wrapping_shl(key.second_place(w)) & key.in_run(w),
        })
    }

    /// The chance that k independent places, spread over the words as those of a key, find only set bits.
    fn independent_rate(block: &[u64; 8], k: u32) -> f64 {
        let fill = |w: u32| f64::from(block[w as usize].count_ones()) / 64.0;
        let rate = |start| (0..8).map(|w| fill(w).powi(bits_in_word(k, start, w) as i32)).product::<f64>();
        (0..8).map(rate).sum::<f64>() / 8.0
    }

    /// In a filter of 2^32 blocks, all keys of a block share the upper half of their hashes. What is left must still place
    /// their bits as if they were independent: the measured rate is then the one of independent places.
    #[test]
    fn places_are_independent_even_when_the_block_fixes_half_of_the_hash() {
        const BLOCKS: u64 = 256;
        const KEYS: u64 = 50;
        const PROBES: u64 = 1 << 13;
        let seed = Seed::new(1);
        let hash = |block: u64, key: u64| seed.mix(block) & !0 << 32 | seed.mix(block << 32 | key) >> 32;
        for k in [3, 6, 8, 9, 12, 16] {
            let (mut found, mut expected, mut variance) = (0.0, 0.0, 0.0);
            for block in 0..BLOCKS {
                let mut bits = [0; 8];
                for key in 0..KEYS {
                    let pattern = pattern(hash(block, key), k);
                    bits.iter_mut().zip(pattern).for_each(|(word, pattern)| *word |= pattern);
                }
                let rate = independent_rate(&bits, k);
                expected += rate * PROBES as f64;
                variance += rate * (1.0 - rate) * PROBES as f64;
                for probe in KEYS..KEYS + PROBES {
                    let pattern = pattern(hash(block, probe), k);
                    found +=
                        f64::from(u8::from(bits.iter().zip(pattern).all(|(word, bits)| bits & !word == 0)));
                }
            }
            let deviations = (found - expected) / variance.sqrt();
            assert!(deviations.abs() < 4.0, "k {k}: {found} of {expected} expected, {deviations} deviations");
            assert!(expected > 3000.0, "k {k}: {expected} expected cannot show an error of 10 %");
        }
    }

    #[test]
    fn a_key_has_k_places_wherever_its_run_starts() {
        for k in 1..=MAX_K {
            for start in 0..8 {
                assert_eq!((0..8).map(|word| bits_in_word(k, start, word)).sum::<u32>(), k);
            }
        }
    }
}
