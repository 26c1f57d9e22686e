//! Simulated filters of the real contract, where random hashes choose blocks and bits.

use super::contract::Filter;
use crate::simulation::Stated;
use bloomline::sizing::split;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use statrs::distribution::{Binomial, DiscreteCDF};

fn check(items: usize, blocks: usize, seed: u64) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let filters = (0..3_000).map(|_| {
        let filter = Filter::random(items, blocks, &mut rng);
        (filter.rate(), filter.zero_bits())
    });
    let (n, b) = (items as u64, blocks as u64);
    let stated = Stated {
        items,
        blocks,
        bits: 256 * blocks,
        rate: split::rate(n, b).unwrap(),
        spread: split::spread(n, b).unwrap(),
        estimate: &|zero_bits| split::estimate_items(zero_bits, b).unwrap(),
    };
    stated.check(filters);
}

#[test]
fn eight_bits_per_key() {
    check(3_200, 100, 1);
}

#[test]
fn twelve_bits_per_key() {
    check(2_133, 100, 2);
}

#[test]
fn sixteen_bits_per_key() {
    check(1_600, 100, 3);
}

/// Neither tail is rarer than this.
const TAIL: f64 = 5e-7;

/// So many hits are plausible at some rate between these, by the interval of Clopper and Pearson.
fn is_plausible(hits: u64, probes: u64, lowest: f64, highest: f64) -> bool {
    let binomial = |rate| Binomial::new(rate, probes).unwrap();
    let at_least = if hits == 0 { 1.0 } else { binomial(highest).sf(hits - 1) };
    at_least > TAIL && binomial(lowest).cdf(hits) > TAIL
}

/// Designs for given rates, built and probed: the hits of random hashes, hardly one of which is among the keys, against the
/// rate of the design, give or take six times the spread of such filters.
#[test]
fn built_designs_have_their_rate() {
    let items = 2_000_000;
    for (rate, probes) in [(0.1, 500_000), (0.01, 2_000_000), (0.001, 8_000_000)] {
        let design = split::design(items, rate).unwrap();
        let mut rng = SmallRng::seed_from_u64(probes);
        let filter = Filter::random(items as usize, design.blocks as usize, &mut rng);
        let hits = (0..probes).filter(|_| filter.contains(rng.random())).count() as u64;
        let scatter = 6.0 * split::spread(items, design.blocks).unwrap();
        let plausible =
            |hits| is_plausible(hits, probes, (1.0 - scatter) * design.rate, (1.0 + scatter) * design.rate);
        assert!(plausible(hits), "{hits} of {probes}, not {rate}");
        // An error of 10 % shows.
        let wrong = |factor: f64| (factor * rate * probes as f64) as u64;
        assert!(!plausible(wrong(0.9)) && !plausible(wrong(1.1)), "{probes} probes cannot tell");
    }
}

/// Where the estimate has its ends.
#[test]
fn full_and_empty_filters() {
    let empty = split::estimate_items(256 * 10, 10).unwrap();
    assert_eq!((empty.items, empty.standard_deviation), (0.0, 0.0));
    let full = split::estimate_items(0, 10).unwrap();
    assert_eq!((full.items, full.standard_deviation), (f64::INFINITY, f64::INFINITY));
    let blocks = split::MAX_BLOCKS;
    let one = split::estimate_items(256 * blocks - 8, blocks).unwrap();
    assert!((one.items - 1.0).abs() < 1e-7 && one.standard_deviation < 1e-3, "{one:?}");
    let nearly_full = split::estimate_items(1, blocks).unwrap();
    assert!(nearly_full.items.is_finite() && nearly_full.standard_deviation.is_finite());
}

/// n keys set one bit in each of eight words of 32 bits. The words are independent occupancy problems with equally many keys.
#[test]
fn one_block_is_eight_occupancy_problems() {
    let estimate = split::estimate_items(100, 1).unwrap();
    let n = (100.0_f64 / 256.0).ln() / (31.0_f64 / 32.0).ln();
    assert!((estimate.items / n - 1.0).abs() < 1e-12);
    let (one, two) = ((31.0_f64 / 32.0).powf(n), (30.0_f64 / 32.0).powf(n));
    let variance = 8.0 * (32.0 * one + 32.0 * 31.0 * two - (32.0 * one).powi(2));
    let deviation = variance.sqrt() / (100.0 * -(31.0_f64 / 32.0).ln());
    assert!((estimate.standard_deviation / deviation - 1.0).abs() < 1e-9);
}
