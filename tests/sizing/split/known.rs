//! Values that other sources give.

use crate::chain::word_set;
use crate::scheme::loads;
use bloomline::sizing::{Choice, blocked, split};

fn assert_close(got: f64, expected: f64, relative: f64) {
    assert!((got / expected - 1.0).abs() <= relative, "{got:e} is not {expected:e} within {relative:e}");
}

/// Bits a key; the rate to three digits, from an independent numpy model with independent places; and the sum over
/// Poisson loads in 50-digit arithmetic, with twins.
const RATES: [(f64, &str, f64); 13] = [
    (4.0, "3.26e-1", 3.257643763763192e-1),
    (6.0, "9.93e-2", 9.933875057666426e-2),
    (8.0, "3.32e-2", 3.321187088002616e-2),
    (9.6, "1.52e-2", 1.518916569794214e-2),
    (10.0, "1.26e-2", 1.26484574074122e-2),
    (12.0, "5.42e-3", 5.419640734636931e-3),
    (14.4, "2.23e-3", 2.229692057430361e-3),
    (16.0, "1.32e-3", 1.315577121693573e-3),
    (20.0, "4.20e-4", 4.199738432686353e-4),
    (24.0, "1.63e-4", 1.626963630653531e-4),
    (40.0, "1.13e-5", 1.133939985820468e-5),
    (64.0, "1.05e-6", 1.053029053664174e-6),
    (100.0, "1.25e-7", 1.2516280930431e-7),
];

#[test]
fn rates_at_given_bits_per_key() {
    for (bits_per_key, three_digits, exact) in RATES {
        let rate = split::rate_limit(bits_per_key).unwrap();
        assert_eq!(format!("{rate:.2e}"), three_digits);
        assert_close(rate, exact, 1e-14);
    }
}

/// The rates of the table invite these sizes; to two decimals they are those of the numpy model.
#[test]
fn bits_per_key_for_given_rates() {
    for (rate, two_decimals) in [(1e-1, "5.99"), (1e-2, "10.53"), (1e-3, "16.89"), (1e-4, "26.34")] {
        let design = split::design(100_000_000, rate).unwrap();
        assert_eq!(format!("{:.2}", design.bits_per_key()), two_decimals);
    }
}

/// (1 − (31/32)^i)^8 for i keys without a twin, averaged over the loads, all terms positive.
#[test]
fn rates_agree_with_the_sum_over_loads() {
    let twins = 1.0 / 2_f64.powi(32);
    for (items, blocks) in [(1_000, 40), (3_000, 200), (500, 80), (2_000, 1), (40, 10), (5, 1_000)] {
        let loads = loads(items, blocks);
        let rate = |i| {
            let a_twin = -(i as f64 * f64::ln_1p(-twins)).exp_m1();
            a_twin + (1.0 - a_twin) * word_set(1, 1, i, 32).powi(8)
        };
        let expected: f64 = (0..=items).map(|i| loads[i] * rate(i)).sum();
        assert_close(split::rate(items as u64, blocks as u64).unwrap(), expected, 1e-11);
    }
}

/// The definition, with sums over loads in place of closed forms.
#[test]
fn spread_agrees_with_the_sum_over_loads() {
    for (items, blocks) in [(1_000, 40), (3_000, 200), (500, 80), (20, 1)] {
        let loads = loads(items, blocks);
        let mean_over = |f: &dyn Fn(usize) -> f64| -> f64 { (0..=items).map(|i| loads[i] * f(i)).sum() };
        let rate = |i| word_set(1, 1, i, 32).powi(8);
        let mean = mean_over(&rate);
        let mean_load = items as f64 / blocks as f64;
        let mut variance = mean_over(&|i| word_set(2, 1, i, 32).powi(8)) - mean * mean;
        if blocks > 1 {
            let covariance = mean_over(&|i| rate(i) * (i as f64 - mean_load));
            variance -= covariance.powi(2) / mean_over(&|i| (i as f64 - mean_load).powi(2));
        }
        let expected = (variance / blocks as f64).sqrt() / split::rate(items as u64, blocks as u64).unwrap();
        assert_close(split::spread(items as u64, blocks as u64).unwrap(), expected, 1e-8);
    }
}

/// b · spread² at 12 bits a key is 0.49.
#[test]
fn spread_of_a_large_filter() {
    let blocks = 3_000_000;
    let spread = split::spread(blocks * 256 / 12, blocks).unwrap();
    assert_eq!(format!("{:.2}", spread * spread * blocks as f64), "0.49");
}

#[test]
fn finite_filters_tend_to_the_limit() {
    let limit = split::rate_limit(16.0).unwrap();
    let relative_distance = |blocks| split::rate(16 * blocks, blocks).unwrap() / limit - 1.0;
    let (far, near) = (relative_distance(1_000), relative_distance(1_000_000));
    assert!(far.abs() < 0.01, "{far}");
    // The distance falls as 1/b.
    assert!((far / near / 1_000.0 - 1.0).abs() < 0.02, "{far}, {near}");
}

/// What the size of the Parquet specification, m = −8 n / ln(1 − p^(1/8)), leads to.
#[test]
fn the_size_of_the_specification_misses_its_rate() {
    for (rate, expected) in [(1e-2, "1.46e-2"), (1e-3, "2.08e-3")] {
        let bits_per_key = -8.0 / (1.0_f64 - f64::powf(rate, 0.125)).ln();
        assert_eq!(format!("{:.2e}", split::rate_limit(bits_per_key).unwrap()), expected);
    }
}

/// 8 × 32 bits hold half as many keys per block as 8 × 64 bits, whose number scatters more.
#[test]
fn larger_blocks_have_a_lower_rate() {
    for (bits_per_key, ..) in RATES {
        assert!(
            split::rate_limit(bits_per_key).unwrap() > blocked::rate_limit(bits_per_key, 8).unwrap(),
            "{bits_per_key}"
        );
    }
    // The price in space.
    for (rate, percent) in [(1e-2, 4.3), (1e-3, 7.4), (1e-4, 11.6)] {
        let split = split::design(10_000_000, rate).unwrap().bits_per_key();
        let larger = blocked::design(10_000_000, rate, Choice::Fast).unwrap().bits_per_key();
        assert!((100.0 * (split / larger - 1.0) - percent).abs() < 0.06, "{rate}: {split}, {larger}");
    }
}
