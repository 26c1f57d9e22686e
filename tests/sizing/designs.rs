//! Designs are the true minimum, and every bad input has its error.

use bloomline::Error;
use bloomline::sizing::blocked::{self, MAX_BLOCKS};
use bloomline::sizing::{Choice, classic, ladder};

const LIMIT: u64 = MAX_BLOCKS * 64;

#[test]
fn a_design_has_the_fewest_blocks() {
    for items in [1, 2, 37, 1_000, 123_456, 1_000_000, 20_000_000_000] {
        for rate in [0.999, 0.5, 0.1, 0.01, 1e-3, 1e-5] {
            for choice in [Choice::Fast, Choice::Exactly(3), Choice::Exactly(11), Choice::Exactly(16)] {
                let Ok(design) = blocked::design(items, rate, choice) else {
                    // Only the largest number of items at low rates does not fit.
                    assert!(items > 10_000_000_000 && rate < 0.01, "{items} {rate} {choice:?}");
                    continue;
                };
                assert_eq!(design.rate, blocked::rate(items, design.blocks, design.k).unwrap());
                assert!(design.rate <= rate, "{design:?} for {rate}");
                if design.blocks > 1 {
                    let one_less = blocked::rate(items, design.blocks - 1, design.k).unwrap();
                    assert!(one_less > rate, "{design:?} for {rate}");
                }
            }
        }
    }
}

#[test]
fn a_compact_design_has_the_fewest_blocks_over_all_k() {
    for (items, rate) in
        [(1, 0.01), (100, 0.01), (5_000, 0.3), (1_000_000, 0.01), (1_000_000, 1e-4), (777, 1e-7), (10, 1e-15)]
    {
        let design = blocked::design(items, rate, Choice::Compact).unwrap();
        assert!(design.rate <= rate);
        for k in 1..=16 {
            if design.blocks > 1 {
                assert!(blocked::rate(items, design.blocks - 1, k).unwrap() > rate, "{design:?}, {k}");
            }
            // Among the k that reach the rate with these blocks it has the lowest.
            assert!(blocked::rate(items, design.blocks, k).unwrap() >= design.rate, "{design:?}, {k}");
        }
        assert_eq!(blocked::best_k(items, design.blocks).unwrap(), design.k);
    }
}

#[test]
fn more_blocks_and_fewer_items_lower_the_rate() {
    for k in 1..=16 {
        let rates: Vec<f64> =
            [500, 600, 601, 1_000, 5_000].map(|blocks| blocked::rate(20_000, blocks, k).unwrap()).into();
        assert!(rates.is_sorted_by(|a, b| a > b), "{k}: {rates:?}");
        let rates: Vec<f64> =
            [0, 1, 2, 50, 20_000, 20_001].map(|items| blocked::rate(items, 500, k).unwrap()).into();
        assert!(rates.is_sorted_by(|a, b| a < b), "{k}: {rates:?}");
    }
}

#[test]
fn sizes_by_bits_per_key_and_by_blocks() {
    let design = blocked::design_bits_per_key(1_000, 10.0, Choice::Fast).unwrap();
    assert_eq!((design.blocks, design.bytes(), design.bits_per_key()), (20, 1_280, 10.24));
    assert_eq!(blocked::design_bits_per_key(512, 10.0, Choice::Fast).unwrap().blocks, 10);
    assert_eq!(blocked::design_bits_per_key(1, 1e-300, Choice::Exactly(2)).unwrap().blocks, 1);
    assert_eq!(blocked::design_blocks(1_000, 20, Choice::Fast).unwrap(), design);
    let largest = blocked::design_blocks(1, MAX_BLOCKS, Choice::Fast).unwrap();
    assert_eq!(largest.bytes(), LIMIT);
}

#[test]
fn no_item_counts_as_one() {
    for choice in [Choice::Fast, Choice::Compact, Choice::Exactly(5)] {
        let design = blocked::design(0, 0.01, choice).unwrap();
        assert_eq!((design.items, design.blocks), (1, 1));
        assert_eq!(blocked::design_bits_per_key(0, 8.0, choice).unwrap().blocks, 1);
    }
    assert_eq!(blocked::rate(0, 1, 8).unwrap(), 0.0);
    assert_eq!(classic::bits(0, 0.01).unwrap(), classic::bits(1, 0.01).unwrap());
    assert_eq!(classic::optimal_k(0, 10), classic::optimal_k(1, 10));
    assert_eq!(classic::rate(0, 100, 3), 0.0);
    assert_eq!(classic::rate_exact(0, 100, 3), 0.0);
}

#[test]
fn overfull_filters_answer_always() {
    assert_eq!(blocked::rate(u64::MAX, MAX_BLOCKS, 16).unwrap(), 1.0);
    assert_eq!(blocked::rate(u64::MAX, 1, 1).unwrap(), 1.0);
    assert_eq!(blocked::rate_limit(f64::MIN_POSITIVE, 8).unwrap(), 1.0);
    assert_eq!(blocked::spread(u64::MAX, 1, 12).unwrap(), 0.0);
    assert_eq!(blocked::best_k(u64::MAX, 1).unwrap(), 1);
    assert_eq!(classic::rate(u64::MAX, 1, 1), 1.0);
    // 70 squarings of a 65-row matrix round this much.
    assert!((1.0 - classic::rate_exact(u64::MAX, 1_000, 64)).abs() < 1e-13);
    assert_eq!(classic::rate_exact(u64::MAX, 0, 64), 1.0);
    assert_eq!(classic::goel_gupta(1, 1, 1), 1.0);
}

#[test]
fn empty_or_nearly_empty_filters_have_no_spread_to_speak_of() {
    assert!(blocked::spread(0, 10, 8).unwrap().is_nan());
    assert!(blocked::spread(1, MAX_BLOCKS, 16).unwrap().is_nan());
    // Every filter of one key has the same rate.
    assert!(blocked::spread(1, 1, 2).unwrap() < 1e-6);
    assert!(blocked::rate_limit(f64::MAX, 16).unwrap() < 1e-26);
}

#[test]
fn rates_outside_the_range_are_refused() {
    for rate in [0.0, -0.5, 1.0, 2.0, 9e-16, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let is_refused = |error| matches!(error, Error::InvalidRate { rate: r, min: 1e-15 } if r.to_bits() == rate.to_bits());
        assert!(is_refused(blocked::design(10, rate, Choice::Compact).unwrap_err()), "{rate}");
        assert!(is_refused(classic::bits(10, rate).unwrap_err()), "{rate}");
        assert!(is_refused(classic::design(10, rate).unwrap_err()), "{rate}");
    }
    assert!(classic::bits(10, 1e-15).is_ok());
}

#[test]
fn bits_per_key_outside_the_range_are_refused() {
    for bits in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let is_refused = |error| matches!(error, Error::InvalidBitsPerKey { bits_per_key } if bits_per_key.to_bits() == bits.to_bits());
        assert!(is_refused(blocked::rate_limit(bits, 8).unwrap_err()));
        assert!(is_refused(blocked::design_bits_per_key(10, bits, Choice::Compact).unwrap_err()));
    }
}

#[test]
fn k_outside_1_to_16_is_refused() {
    for bad in [0, 17, u32::MAX] {
        let is_refused = |error| matches!(error, Error::InvalidK { k, max: 16 } if k == bad);
        assert!(is_refused(blocked::rate(1, 1, bad).unwrap_err()));
        assert!(is_refused(blocked::rate_limit(1.0, bad).unwrap_err()));
        assert!(is_refused(blocked::spread(1, 1, bad).unwrap_err()));
        assert!(is_refused(blocked::estimate_items(1, 1, bad).unwrap_err()));
        assert!(is_refused(blocked::design(1, 0.1, Choice::Exactly(bad)).unwrap_err()));
        assert!(is_refused(blocked::design_blocks(1, 1, Choice::Exactly(bad)).unwrap_err()));
    }
    assert!(classic::rate_exact(1, 1, 65).is_nan());
    assert_eq!(classic::rate_exact(5, 100, 0), 1.0);
}

#[test]
fn sizes_outside_the_range_are_refused() {
    assert!(matches!(blocked::rate(1, 0, 8), Err(Error::TooSmall { bytes: 0, min: 64 })));
    assert!(matches!(blocked::design_blocks(1, 0, Choice::Fast), Err(Error::TooSmall { bytes: 0, min: 64 })));
    assert!(matches!(blocked::estimate_items(0, 0, 8), Err(Error::TooSmall { bytes: 0, min: 64 })));
    let one_more = u128::from(LIMIT) + 64;
    for error in [
        blocked::rate(1, MAX_BLOCKS + 1, 8).unwrap_err(),
        blocked::design_blocks(1, MAX_BLOCKS + 1, Choice::Fast).unwrap_err(),
        blocked::estimate_items(1, MAX_BLOCKS + 1, 8).unwrap_err(),
        blocked::design_bits_per_key(512, (MAX_BLOCKS + 1) as f64, Choice::Fast).unwrap_err(),
    ] {
        assert!(matches!(error, Error::TooLarge { bytes, limit: LIMIT } if bytes == one_more), "{error}");
    }
    assert!(matches!(
        blocked::design_bits_per_key(u64::MAX, f64::MAX, Choice::Fast),
        Err(Error::TooLarge { bytes: u128::MAX, limit: LIMIT })
    ));
    assert!(matches!(classic::bits(u64::MAX, 0.01), Err(Error::TooLarge { .. })));
    assert!(matches!(classic::design(u64::MAX, 1e-15), Err(Error::TooLarge { .. })));
    // 513 unset bits among 512.
    assert!(matches!(blocked::estimate_items(513, 1, 8), Err(Error::TooLarge { bytes: 65, limit: 64 })));
}

#[test]
fn unreachable_rates_are_named() {
    for (items, rate, choice) in [
        (u64::MAX, 0.01, Choice::Compact),
        (u64::MAX, 0.999, Choice::Fast),
        (1_000, 1e-15, Choice::Exactly(1)),
    ] {
        let error = blocked::design(items, rate, choice).unwrap_err();
        assert!(
            matches!(error, Error::RateUnreachable { rate: r, items: n } if (r, n) == (rate, items)),
            "{error}"
        );
    }
    assert!(matches!(ladder(1_000_000_000_000), Err(Error::RateUnreachable { .. })));
    assert!(matches!(ladder(u64::MAX), Err(Error::TooLarge { .. })));
}
