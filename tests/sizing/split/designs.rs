//! Designs are the true minimum, and every bad input has its error.

use bloomline::Error;
use bloomline::sizing::split::{self, MAX_BLOCKS, MIN_RATE};

/// 2 GiB less one block, the largest multiple of 32 that fits an `i32`.
const LIMIT: u64 = i32::MAX as u64 / 32 * 32;

#[test]
fn the_largest_filter_is_the_largest_that_parquet_can_state() {
    assert_eq!(split::design_blocks(1, MAX_BLOCKS).unwrap().bytes(), LIMIT);
}

#[test]
fn a_design_has_the_fewest_blocks() {
    for items in [1, 2, 37, 1_000, 123_456, 1_000_000, 200_000_000] {
        for rate in [0.999, 0.5, 0.1, 0.01, 1e-3, 1e-5, MIN_RATE] {
            let Ok(design) = split::design(items, rate) else {
                // Only the largest number of items at low rates does not fit.
                assert!(items > 100_000_000 && rate < 1e-5, "{items} {rate}");
                continue;
            };
            assert_eq!(design.items, items);
            assert_eq!(design.rate, split::rate(items, design.blocks).unwrap());
            assert!(design.rate <= rate, "{design:?} for {rate}");
            if design.blocks > 1 {
                assert!(split::rate(items, design.blocks - 1).unwrap() > rate, "{design:?} for {rate}");
            }
        }
    }
}

#[test]
fn more_blocks_and_fewer_items_lower_the_rate() {
    let rates: Vec<f64> =
        [1, 500, 600, 601, 5_000, 50_000_000].map(|blocks| split::rate(20_000, blocks).unwrap()).into();
    assert!(rates.is_sorted_by(|a, b| a > b), "{rates:?}");
    let rates: Vec<f64> = [0, 1, 2, 50, 20_000, 20_001].map(|items| split::rate(items, 500).unwrap()).into();
    assert!(rates.is_sorted_by(|a, b| a < b), "{rates:?}");
}

#[test]
fn sizes_by_bits_per_key_and_by_blocks() {
    let design = split::design_bits_per_key(1_000, 10.0).unwrap();
    assert_eq!((design.blocks, design.bytes(), design.bits_per_key()), (40, 1_280, 10.24));
    assert_eq!(split::design_bits_per_key(256, 10.0).unwrap().blocks, 10);
    assert_eq!(split::design_bits_per_key(1, 1e-300).unwrap().blocks, 1);
    assert_eq!(split::design_blocks(1_000, 40).unwrap(), design);
}

#[test]
fn no_item_counts_as_one() {
    for design in [
        split::design(0, 0.01).unwrap(),
        split::design_bits_per_key(0, 8.0).unwrap(),
        split::design_blocks(0, 1).unwrap(),
    ] {
        assert_eq!((design.items, design.blocks), (1, 1));
        assert_eq!(design.rate, split::rate(1, 1).unwrap());
    }
    assert_eq!(split::rate(0, 1).unwrap(), 0.0);
}

#[test]
fn overfull_and_nearly_empty_filters() {
    assert_eq!(split::rate(u64::MAX, MAX_BLOCKS).unwrap(), 1.0);
    assert_eq!(split::rate(u64::MAX, 1).unwrap(), 1.0);
    assert_eq!(split::rate_limit(f64::MIN_POSITIVE).unwrap(), 1.0);
    assert_eq!(split::spread(u64::MAX, 1).unwrap(), 0.0);
    // A single key in the largest filter has only twins, and only in its own block.
    let one = split::rate(1, MAX_BLOCKS).unwrap() * MAX_BLOCKS as f64 * 2_f64.powi(32);
    assert!((one - 1.0).abs() < 0.004, "{one}");
    assert!(split::rate_limit(f64::MAX).unwrap() < 1e-26);
    // Below the lowest rate the scatter is that of the twins.
    assert!(split::spread(0, 10).unwrap().is_nan());
    assert!(split::spread(1, 1).unwrap().is_nan());
    assert!(split::spread(4, 1).unwrap() > 0.1);
}

#[test]
fn rates_outside_the_range_are_refused() {
    let bad = [0.0, -0.5, 1.0, 2.0, MIN_RATE.next_down(), 1e-15, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for rate in bad {
        let error = split::design(10, rate).unwrap_err();
        assert!(
            matches!(error, Error::InvalidRate { rate: r, min: MIN_RATE } if r.to_bits() == rate.to_bits()),
            "{error:?}"
        );
        assert_eq!(error.to_string(), format!("false-positive rate {rate:?} is not in [1e-8, 1)"));
    }
    assert!(split::design(10, 1.0_f64.next_down()).is_ok());
}

#[test]
fn bits_per_key_outside_the_range_are_refused() {
    for bits in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let is_refused = |error| matches!(error, Error::InvalidBitsPerKey { bits_per_key } if bits_per_key.to_bits() == bits.to_bits());
        assert!(is_refused(split::rate_limit(bits).unwrap_err()));
        assert!(is_refused(split::design_bits_per_key(10, bits).unwrap_err()));
    }
}

#[test]
fn sizes_outside_the_range_are_refused() {
    for error in [
        split::rate(1, 0).unwrap_err(),
        split::spread(1, 0).unwrap_err(),
        split::design_blocks(1, 0).unwrap_err(),
        split::estimate_items(0, 0).unwrap_err(),
    ] {
        assert!(matches!(error, Error::TooSmall { bytes: 0, min: 32 }), "{error}");
    }
    let one_more = u128::from(LIMIT) + 32;
    for error in [
        split::rate(1, MAX_BLOCKS + 1).unwrap_err(),
        split::spread(1, MAX_BLOCKS + 1).unwrap_err(),
        split::design_blocks(1, MAX_BLOCKS + 1).unwrap_err(),
        split::estimate_items(1, MAX_BLOCKS + 1).unwrap_err(),
        split::design_bits_per_key(256, (MAX_BLOCKS + 1) as f64).unwrap_err(),
    ] {
        assert!(matches!(error, Error::TooLarge { bytes, limit: LIMIT } if bytes == one_more), "{error}");
    }
    assert!(matches!(split::rate(1, u64::MAX), Err(Error::TooLarge { limit: LIMIT, .. })));
    assert!(matches!(
        split::design_bits_per_key(u64::MAX, f64::MAX),
        Err(Error::TooLarge { bytes: u128::MAX, limit: LIMIT })
    ));
    // 257 unset bits among 256.
    assert!(matches!(split::estimate_items(257, 1), Err(Error::TooLarge { bytes: 33, limit: 32 })));
}

#[test]
fn unreachable_rates_are_named() {
    for (items, rate) in [(u64::MAX, 0.01), (u64::MAX, 0.999), (700_000_000, 1e-4)] {
        let error = split::design(items, rate).unwrap_err();
        assert!(
            matches!(error, Error::RateUnreachable { rate: r, items: n } if (r, n) == (rate, items)),
            "{error}"
        );
    }
}
