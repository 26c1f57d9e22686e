//! Values that other sources give.

use bloomline::sizing::{Choice, blocked, classic, ladder};

fn assert_close(got: f64, expected: f64, relative: f64) {
    assert!((got / expected - 1.0).abs() <= relative, "{got:e} is not {expected:e} within {relative:e}");
}

/// From an independent numpy model in the limit of many keys: bits a key, then the rates and best k of
/// the classic filter and of 512-bit blocks with k independent positions, then 8 words of 64 bits with
/// one and with two bits in every word.
#[rustfmt::skip]
const RATES: [(f64, f64, u32, f64, f64, f64); 9] = [
    (6.0, 5.605667084e-02, 4, 5.774238174e-02, 9.292658211653e-02, 3.277942723804e-01),
    (8.0, 2.157714146e-02, 6, 2.326337595e-02, 2.931078309215e-02, 1.125947072987e-01),
    (9.6, 9.965154528e-03, 7, 1.143554868e-02, 1.275584780478e-02, 4.588478158821e-02),
    (10.0, 8.193722066e-03, 7, 9.664748360e-03, 1.048982602075e-02, 3.670075978753e-02),
    (12.0, 3.142350346e-03, 8, 4.134917133e-03, 4.222491031148e-03, 1.233697811063e-02),
    (14.4, 9.892969943e-04, 10, 1.560950370e-03, 1.614666621387e-03, 3.615599764999e-03),
    (16.0, 4.587107308e-04, 11, 8.439133015e-04, 9.088769195883e-04, 1.685052461851e-03),
    (20.0, 6.713708129e-05, 14, 1.978318198e-04, 2.596399170277e-04, 3.001966915195e-04),
    (24.0, 9.838577461e-06, 17, 5.329836610e-05, 9.086055708241e-05, 6.725738319563e-05),
];

#[test]
fn rates_at_given_bits_per_key() {
    for (bits_per_key, classic, classic_k, _, one_per_word, two_per_word) in RATES {
        let bits = (bits_per_key * 1e12) as u64;
        assert_close(classic::rate(1_000_000_000_000, bits, classic_k), classic, 1e-9);
        assert_close(blocked::rate_limit(bits_per_key, 8).unwrap(), one_per_word, 1e-12);
        assert_close(blocked::rate_limit(bits_per_key, 16).unwrap(), two_per_word, 1e-12);
    }
}

/// Spreading the bits of a key over the words costs little against independent positions: at the best
/// k of each, between nothing and 2.1 % of the rate, growing with the bits a key.
#[test]
fn the_best_k_comes_close_to_independent_positions_in_the_block() {
    for (bits_per_key, _, _, independent, _, _) in RATES {
        let best =
            (1..=16).map(|k| blocked::rate_limit(bits_per_key, k).unwrap()).fold(f64::INFINITY, f64::min);
        let ratio = best / independent;
        assert!((1.0..1.021).contains(&ratio), "at {bits_per_key} bits a key: {ratio}");
    }
}

/// From the same model: bits a key for 10 %, 1 %, 0.1 % and 0.01 %.
#[test]
fn bits_per_key_for_given_rates() {
    let items = 1_000_000_000;
    let rows =
        [(8, [5.879181, 10.099308, 15.724605, 23.606795]), (16, [8.212256, 12.397717, 17.14955, 22.884544])];
    for (k, row) in rows {
        for (rate, bits_per_key) in [1e-1, 1e-2, 1e-3, 1e-4].into_iter().zip(row) {
            let design = blocked::design(items, rate, Choice::Exactly(k)).unwrap();
            assert_close(design.bits_per_key(), bits_per_key, 1e-6);
        }
    }
    // The classic filter with the best whole k, to the two decimals of the table.
    for (rate, bits_per_key) in [(1e-1, 4.81), (1e-2, 9.59), (1e-3, 14.38), (1e-4, 19.17)] {
        let best = |c: f64| {
            let rates = (1..=20).map(|k| classic::rate(items, (c * items as f64) as u64, k));
            rates.fold(f64::INFINITY, f64::min)
        };
        assert!(best(bits_per_key + 0.006) < rate && rate < best(bits_per_key - 0.006), "{rate}");
    }
}

/// b · spread² for 512-bit blocks with independent positions is 0.06, 0.17, 0.54 and 1.8; ours is the
/// same to these digits.
#[test]
fn spread_of_large_filters() {
    for (bits_per_key, k, decimals, expected) in
        [(10.0, 6, 2, 0.06), (12.0, 8, 2, 0.17), (16.0, 9, 2, 0.54), (20.0, 11, 1, 1.8)]
    {
        let blocks = 1_000_000;
        let items = (blocks as f64 * 512.0 / bits_per_key) as u64;
        let spread = blocked::spread(items, blocks, k).unwrap();
        let unit = 10_f64.powi(decimals);
        assert_eq!((spread * spread * blocks as f64 * unit).round() / unit, expected);
    }
}

#[test]
fn finite_filters_tend_to_the_limit() {
    for k in [1, 6, 8, 9, 13, 16] {
        let limit = blocked::rate_limit(16.0, k).unwrap();
        let relative_distance = |blocks| blocked::rate(32 * blocks, blocks, k).unwrap() / limit - 1.0;
        let (far, near) = (relative_distance(1_000), relative_distance(1_000_000));
        assert!(far.abs() < 0.01, "k {k}: {far}");
        // The distance falls as 1/b.
        assert!((far / near / 1_000.0 - 1.0).abs() < 0.02, "k {k}: {far}, {near}");
    }
}

/// A textbook example: a million e-mail addresses at 1 %.
#[test]
fn the_worked_example() {
    let design = classic::design(1_000_000, 0.01).unwrap();
    assert_eq!(classic::bits(1_000_000, 0.01).unwrap(), 9_585_059);
    assert_eq!(design.bits, 9_585_088);
    assert_eq!(design.k, 7);
    assert_eq!(format!("{:.2} MiB", design.bytes() as f64 / 1_048_576.0), "1.14 MiB");
    assert_eq!(format!("{:.1}", design.bits_per_key()), "9.6");
    assert_eq!(format!("{:.3} %", 100.0 * design.rate), "1.004 %");
}

#[test]
fn each_step_of_the_ladder_costs_4_8_bits_and_three_positions() {
    let ladder = ladder(1_000_000).unwrap();
    assert_eq!(ladder.map(|rung| rung.rate), [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]);
    assert_eq!(ladder.map(|rung| rung.classic.k), [3, 7, 10, 13, 17, 20]);
    for (i, rung) in ladder.iter().enumerate() {
        assert_close(rung.classic.bits_per_key(), 4.7925 * (i + 1) as f64, 1e-4);
        assert!(rung.compact.rate <= rung.rate && rung.fast.rate <= rung.rate);
        assert!(rung.compact.blocks <= rung.fast.blocks);
        assert_eq!(rung.fast.k, 8);
    }
}

/// From the same model's chain over uncovered positions, one ball at a time.
#[test]
fn exact_classic_rates() {
    for (items, bits, k, expected) in [
        (100, 1_000, 7, 0.008266247514843571),
        (1_000, 10_000, 7, 0.008200957404774736),
        (51, 512, 6, 0.008408666280891925),
        (6, 64, 6, 0.007083909372321107),
        (20, 64, 3, 0.23112992352062794),
        (1_000, 10, 4, 1.0),
        (50, 30, 20, 1.0),
    ] {
        assert_close(classic::rate_exact(items, bits, k), expected, 1e-12);
    }
}

/// All placements of n·k positions and a query's k positions in m bits, counted.
#[test]
fn exact_classic_rates_of_tiny_filters_by_counting() {
    for (items, bits, k) in [(1, 3, 2), (2, 4, 2), (3, 2, 2), (1, 4, 4), (2, 5, 3), (4, 6, 1)] {
        let positions = (items + 1) * k;
        let total = u64::pow(bits, positions);
        let is_false_positive = |placement: &u64| {
            let at = |i| placement / bits.pow(i) % bits;
            (0..k).all(|query| (k..positions).any(|key| at(key) == at(query)))
        };
        let hits = (0..total).filter(is_false_positive).count();
        let rate = classic::rate_exact(items.into(), bits, k);
        assert_close(rate, hits as f64 / total as f64, 1e-13);
    }
}

#[test]
fn exact_classic_rates_tend_to_the_formula_and_stay_below_the_bound() {
    for (items, bits, k) in [
        (1, 2, 1),
        (1, 2, 2),
        (5, 64, 3),
        (51, 512, 6),
        (1_000, 9_586, 7),
        (1_000_000, 9_585_059, 7),
        (30, 1_000, 23),
    ] {
        let exact = classic::rate_exact(items, bits, k);
        assert!(exact <= classic::goel_gupta(items, bits, k), "{items} {bits} {k}");
        assert!(exact > classic::rate(items, bits, k), "{items} {bits} {k}");
    }
    // Even after 7·10¹² positions rounding has not piled up.
    let (items, bits) = (1_000_000_000_000, 10_000_000_000_000);
    assert_close(classic::rate_exact(items, bits, 7), classic::rate(items, bits, 7), 1e-11);
}
