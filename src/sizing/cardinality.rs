//! The number of items in a blocked filter, read off its bits.

use super::shape::{Shape, WORDS};
use crate::Error;

/// An estimate of a number of items.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The estimated number of different items.
    pub items: f64,
    /// The standard deviation of the estimate.
    pub standard_deviation: f64,
}

/// The number of different items in a filter of `blocks` blocks of which `zero_bits` bits are unset.
///
/// A bit stays unset with probability (1 − π/b)ⁿ, where π is the probability that a key sets a given
/// bit of its block. The standard deviation follows from the exact variance of Z at n = n̂, to first
/// order.
pub(super) fn estimate_items(shape: &Shape, zero_bits: u64, blocks: u64) -> Result<Estimate, Error> {
    let bits = blocks * u64::from(shape.block_bits());
    if zero_bits > bits {
        return Err(Error::TooLarge { bytes: zero_bits.div_ceil(8).into(), limit: bits / 8 });
    }
    if zero_bits == 0 {
        return Ok(Estimate { items: f64::INFINITY, standard_deviation: f64::INFINITY });
    }
    let pairs = BitPairs::new(shape, blocks);
    let set_bits = bits - zero_bits;
    // Either argument of the logarithm keeps its digits.
    let log_unset = if set_bits < zero_bits {
        libm::log1p(-(set_bits as f64 / bits as f64))
    } else {
        libm::log(zero_bits as f64 / bits as f64)
    };
    let items = log_unset.abs() / -pairs.log_one;
    let deviation = libm::sqrt(pairs.variance_of_zero_bits(items));
    Ok(Estimate { items, standard_deviation: deviation / (zero_bits as f64 * -pairs.log_one) })
}

/// The logarithms of the probabilities that one key of the filter leaves one bit, or two, unset.
struct BitPairs {
    bits: f64,
    block_bits: f64,
    /// One bit.
    log_one: f64,
    /// For a second bit of the same block: how many there are that relate to the first in this way,
    /// and ln P(both unset) − 2 ln P(one unset).
    same_block: [(f64, f64); WORDS],
    /// The same difference for a bit of another block.
    log_other_block: f64,
}

impl BitPairs {
    fn new(shape: &Shape, blocks: u64) -> Self {
        let blocks = blocks as f64;
        let log_untouched = |given: &[(usize, u32)]| libm::log1p(-touch(shape, given) / blocks);
        let log_one = log_untouched(&[(0, 1)]);
        let word_bits = f64::from(shape.word_bits);
        let same_block = core::array::from_fn(|distance| match distance {
            0 => (word_bits - 1.0, log_untouched(&[(0, 2)]) - 2.0 * log_one),
            word => (word_bits, log_untouched(&[(0, 1), (word, 1)]) - 2.0 * log_one),
        });
        let share = touch(shape, &[(0, 1)]) / blocks;
        let log_other_block = libm::log1p(-share * share / ((1.0 - share) * (1.0 - share)));
        let block_bits = f64::from(shape.block_bits());
        Self { bits: blocks * block_bits, block_bits, log_one, same_block, log_other_block }
    }

    /// E Z² − (E Z)², with every product of two bits as its excess over independence.
    fn variance_of_zero_bits(&self, items: f64) -> f64 {
        let zero = libm::exp(items * self.log_one);
        let excess = |log: f64| libm::expm1(items * log);
        let same_block: f64 = self.same_block.iter().map(|&(n, log)| n * excess(log)).sum();
        let other_blocks = (self.bits - self.block_bits) * excess(self.log_other_block);
        // Rounding can turn the variance of a nearly empty filter negative.
        (self.bits * zero * ((1.0 - zero) + zero * (same_block + other_blocks))).max(0.0)
    }
}

/// The probability that a key in the block sets at least one of some given bits: for each pair, so
/// many distinct bits of that word.
fn touch(shape: &Shape, given: &[(usize, u32)]) -> f64 {
    let word_bits = f64::from(shape.word_bits);
    let untouched = |start| {
        given.iter().fold(1.0, |product, &(word, distinct)| {
            let one_bit = (word_bits - f64::from(distinct)) / word_bits;
            product * libm::pow(one_bit, f64::from(shape.bits_in_word(start, word)))
        })
    };
    1.0 - (0..WORDS).map(untouched).sum::<f64>() / WORDS as f64
}
