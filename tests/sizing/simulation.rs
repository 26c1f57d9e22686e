//! Simulated filters: the rate of each is read exactly from its bits, so the mean and the scatter over
//! filters test [`blocked::rate`] and [`blocked::spread`] without the noise of queries, and the number
//! of unset bits tests [`blocked::estimate_items`].

use crate::scheme::bits_in_word;
use bloomline::sizing::blocked::{self, Estimate};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

type Block = [u64; 8];

fn build(items: usize, blocks: usize, k: usize, rng: &mut SmallRng) -> Vec<Block> {
    let mut filter = vec![[0; 8]; blocks];
    for _ in 0..items {
        let block = &mut filter[rng.random_range(0..blocks)];
        let start = rng.random_range(0..8);
        for (w, word) in block.iter_mut().enumerate() {
            (0..bits_in_word(k, start, w)).for_each(|_| *word |= 1 << rng.random_range(0..64));
        }
    }
    filter
}

/// The probability that a random query is positive, given the bits.
fn rate_of(filter: &[Block], k: usize) -> f64 {
    let mut sum = 0.0;
    for block in filter {
        let fill = block.map(|word| f64::from(word.count_ones()) / 64.0);
        for start in 0..8 {
            let all_set: f64 = (0..8).map(|w| fill[w].powi(bits_in_word(k, start, w) as i32)).product();
            sum += all_set / 8.0;
        }
    }
    sum / filter.len() as f64
}

/// Mean and standard deviation of a sample, each with its standard error; that of the deviation comes
/// from the fourth moment.
struct Sample {
    mean: f64,
    mean_error: f64,
    deviation: f64,
    deviation_error: f64,
}

impl Sample {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let moment = |power| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / count;
        let (variance, fourth) = (moment(2), moment(4));
        let deviation = variance.sqrt();
        let deviation_error = ((fourth - variance * variance) / count).sqrt() / (2.0 * deviation);
        Self { mean, mean_error: deviation / count.sqrt(), deviation, deviation_error }
    }
}

/// The size of some filters and what the library says of them.
pub(crate) struct Stated<'a> {
    pub(crate) items: usize,
    pub(crate) blocks: usize,
    pub(crate) bits: usize,
    pub(crate) rate: f64,
    pub(crate) spread: f64,
    pub(crate) estimate: &'a dyn Fn(u64) -> Estimate,
}

impl Stated<'_> {
    /// Against simulated filters, each with the rate that its bits show and the number of its unset bits.
    ///
    /// Four standard errors: 99.99 % for the nearly normal means of thousands of filters. The deviations of
    /// the theory are right to the first order in 1/b, which the allowance of 2/b covers.
    pub(crate) fn check(&self, filters: impl Iterator<Item = (f64, u64)>) {
        let (mut rates, mut estimates, mut stated_deviation) = (Vec::new(), Vec::new(), 0.0);
        for (rate, zero_bits) in filters {
            rates.push(rate);
            let estimate = (self.estimate)(zero_bits);
            estimates.push(estimate.items);
            stated_deviation += estimate.standard_deviation;
        }
        stated_deviation /= rates.len() as f64;
        let first_order = 2.0 / self.blocks as f64;

        let (rates, rate) = (Sample::of(&rates), self.rate);
        assert!((rates.mean - rate).abs() < 4.0 * rates.mean_error, "rate {}, not {rate}", rates.mean);
        assert!(rates.mean_error < 0.01 * rate, "the sample is too small to show 4 %");
        let deviation = rate * self.spread;
        assert!(
            (rates.deviation - deviation).abs() < 4.0 * rates.deviation_error + first_order * deviation,
            "deviation of the rate {} ± {}, not {deviation}",
            rates.deviation,
            rates.deviation_error,
        );
        assert!(rates.deviation_error < 0.05 * deviation, "the sample is too small to show 20 %");

        let (estimates, items) = (Sample::of(&estimates), self.items as f64);
        let bias = (estimates.mean - items).abs();
        // One part in the number of unset bits, here a third of all or more, is the stated bias.
        let allowed = 4.0 * estimates.mean_error + items / (self.bits as f64 / 3.0);
        assert!(bias < allowed, "{} items, not {items}", estimates.mean);
        assert!(
            (estimates.deviation - stated_deviation).abs()
                < 4.0 * estimates.deviation_error + first_order * stated_deviation,
            "deviation of the estimate {} ± {}, not {stated_deviation}",
            estimates.deviation,
            estimates.deviation_error,
        );
        assert!(estimates.deviation_error < 0.02 * stated_deviation, "the sample is too small to show 8 %");
    }
}

fn check(blocks: usize, items: usize, k: usize) {
    let mut rng = SmallRng::seed_from_u64(k as u64);
    let filters = (0..3_000).map(|_| {
        let filter = build(items, blocks, k, &mut rng);
        let zero_bits = filter.iter().flatten().map(|word| u64::from(word.count_zeros())).sum();
        (rate_of(&filter, k), zero_bits)
    });
    let (n, b, k) = (items as u64, blocks as u64, k as u32);
    let stated = Stated {
        items,
        blocks,
        bits: 512 * blocks,
        rate: blocked::rate(n, b, k).unwrap(),
        spread: blocked::spread(n, b, k).unwrap(),
        estimate: &|zero_bits| blocked::estimate_items(zero_bits, b, k).unwrap(),
    };
    stated.check(filters);
}

#[test]
fn few_bits() {
    check(50, 50 * 64, 3);
}

#[test]
fn six_bits() {
    check(50, 50 * 51, 6);
}

#[test]
fn eight_bits() {
    check(50, 50 * 51, 8);
}

#[test]
fn nine_bits() {
    check(50, 50 * 32, 9);
}

#[test]
fn eleven_bits() {
    check(50, 50 * 32, 11);
}

#[test]
fn thirteen_bits() {
    check(50, 50 * 32, 13);
}

#[test]
fn sixteen_bits() {
    check(50, 50 * 32, 16);
}

/// Where the estimate has its ends.
#[test]
fn full_and_empty_filters() {
    let empty = blocked::estimate_items(512 * 10, 10, 8).unwrap();
    assert_eq!((empty.items, empty.standard_deviation), (0.0, 0.0));
    let full = blocked::estimate_items(0, 10, 8).unwrap();
    assert_eq!((full.items, full.standard_deviation), (f64::INFINITY, f64::INFINITY));
    // One key of eight bits in the largest filter.
    let blocks = blocked::MAX_BLOCKS;
    let one = blocked::estimate_items(512 * blocks - 8, blocks, 8).unwrap();
    assert!((one.items - 1.0).abs() < 1e-9 && one.standard_deviation < 1e-3, "{one:?}");
    let nearly_full = blocked::estimate_items(1, blocks, 16).unwrap();
    assert!(nearly_full.items.is_finite() && nearly_full.standard_deviation.is_finite());
}

/// A single block holds no other blocks to be correlated with: the variance of its unset bits is a sum
/// over pairs of bits, here for one bit a key, where every key sets one of 512 bits at random.
#[test]
fn one_block_and_one_bit_a_key_is_the_occupancy_problem() {
    let zero_bits = 300;
    let estimate = blocked::estimate_items(zero_bits, 1, 1).unwrap();
    let n = (300.0_f64 / 512.0).ln() / (511.0_f64 / 512.0).ln();
    assert!((estimate.items / n - 1.0).abs() < 1e-12);
    // Var Z of the classical occupancy problem.
    let (one, two) = ((511.0_f64 / 512.0).powf(n), (510.0_f64 / 512.0).powf(n));
    let variance = 512.0 * one + 512.0 * 511.0 * two - (512.0 * one).powi(2);
    let deviation = variance.sqrt() / (300.0 * -(511.0_f64 / 512.0).ln());
    assert!((estimate.standard_deviation / deviation - 1.0).abs() < 1e-9);
}
