//! The reference filter against exact sets, an independent model of its rule, and the theory.

use std::collections::HashSet;

use bloomline::Error;
use bloomline::reference::ReferenceFilter;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use statrs::distribution::{Binomial, DiscreteCDF};

/// The rule of the module documentation, written again with remainders and wide integers.
mod model {
    const SECRET: [u64; 4] = [0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3];

    fn murmur(mut x: u64) -> u64 {
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51afd7ed558ccd);
        x ^= x >> 33;
        x = x.wrapping_mul(0xc4ceb9fe1a85ec53);
        x ^ (x >> 33)
    }

    fn splitmix(mut x: u64) -> u64 {
        x ^= x >> 30;
        x = x.wrapping_mul(0xbf58476d1ce4e5b9);
        x ^= x >> 27;
        x = x.wrapping_mul(0x94d049bb133111eb);
        x ^ (x >> 31)
    }

    fn seeds(seed: u64) -> (u64, u64) {
        let first = seed.wrapping_add(0x9e3779b97f4a7c15);
        (splitmix(first), splitmix(first.wrapping_add(0x9e3779b97f4a7c15)))
    }

    fn walk(h1: u64, h2: u64, m: u64, k: u32) -> Vec<u64> {
        let m = u128::from(m);
        let start = u128::from(h1) * m / (1 << 64);
        let step = 1 + u128::from(h2) * (m - 1) / (1 << 64);
        (0..u128::from(k)).map(|i| ((start + i * step) % m) as u64).collect()
    }

    pub(super) fn of_u64(key: u64, m: u64, k: u32, seed: u64) -> Vec<u64> {
        let (s1, s2) = seeds(seed);
        walk(murmur(key ^ s1), splitmix(key ^ s2), m, k)
    }

    pub(super) fn of_bytes(key: &[u8], m: u64, k: u32, seed: u64) -> Vec<u64> {
        let (s1, s2) = seeds(seed);
        let hash = |seed| wyhash::final3::wyhash(key, seed, SECRET);
        walk(hash(s1), hash(s2), m, k)
    }
}

/// Whether the Clopper-Pearson interval of confidence 99.9 % around `hits` of `trials` holds `rate`:
/// neither tail of the binomial distribution at `rate` is rarer than 0.05 %.
fn plausible(hits: u64, trials: u64, rate: f64) -> bool {
    let binomial = Binomial::new(rate, trials).unwrap();
    let at_most = binomial.cdf(hits);
    let at_least = if hits == 0 { 1.0 } else { binomial.sf(hits - 1) };
    at_most > 0.0005 && at_least > 0.0005
}

/// Standard deviation of the fill after n keys of k bits each in m (bins hit by k·n balls).
fn fill_deviation(m: f64, balls: f64) -> f64 {
    let a = balls / m;
    let variance = m * (-a).exp() * (1.0 - (1.0 + a) * (-a).exp());
    variance.sqrt() / m
}

#[test]
fn the_interval_is_that_of_clopper_and_pearson() {
    // No hit in n trials: the upper end is 1 - 0.0005^(1/n). All hits: the lower end is 0.0005^(1/n).
    let upper = 1.0 - 0.0005_f64.powf(1.0 / 1000.0);
    assert!(plausible(0, 1000, upper * 0.9999));
    assert!(!plausible(0, 1000, upper * 1.0001));
    assert!(plausible(1000, 1000, (1.0 - upper) * 1.000_001));
    assert!(!plausible(1000, 1000, (1.0 - upper) * 0.999_999));
}

#[test]
fn inserts_and_queries_follow_the_rule() {
    for (m, k) in [(1, 1), (1, 64), (2, 3), (63, 2), (64, 7), (65, 7), (1000, 1), (4099, 64), (20_000, 7)] {
        for seed in [0, 1, u64::MAX] {
            let mut rng = StdRng::seed_from_u64(m ^ seed);
            let mut filter = ReferenceFilter::with_bits(m, k, seed).unwrap();
            assert_eq!((filter.bits(), filter.k(), filter.bytes()), (m, k, m.div_ceil(64) * 8));
            let mut set = HashSet::new();
            for round in 0..600 {
                let number: u64 = rng.random::<u64>() >> (round % 64);
                let number_bits = model::of_u64(number, m, k, seed);
                let text: Vec<u8> = (0..round % 120).map(|_| rng.random()).collect();
                let text_bits = model::of_bytes(&text, m, k, seed);

                let before = number_bits.iter().all(|bit| set.contains(bit));
                assert_eq!(filter.contains_u64(number), before);
                let before = text_bits.iter().all(|bit| set.contains(bit));
                assert_eq!(filter.contains_bytes(&text), before);

                let expected = number_bits.iter().fold(true, |all, &bit| !set.insert(bit) & all);
                assert_eq!(filter.insert_u64(number), expected);
                let expected = text_bits.iter().fold(true, |all, &bit| !set.insert(bit) & all);
                assert_eq!(filter.insert_bytes(&text), expected);

                assert_eq!(filter.fill(), set.len() as f64 / m as f64);
                // The product of up to 64 factors rounds up to 64 times.
                let rate = (0..k).fold(1.0, |product, _| product * filter.fill());
                assert!((filter.rate_from_fill() / rate - 1.0).abs() < 65.0 * f64::EPSILON);
            }
        }
    }
}

#[test]
fn no_inserted_key_is_denied() {
    let mut rng = StdRng::seed_from_u64(1);
    for rate in [0.9, 0.5, 0.01, 1e-6] {
        let mut filter = ReferenceFilter::with_rate(20_000, rate, rng.random()).unwrap();
        let numbers: HashSet<u64> = (0..10_000).map(|_| rng.random()).collect();
        let texts: HashSet<Vec<u8>> =
            (0..10_000).map(|i| (0..i % 200).map(|_| rng.random()).collect()).collect();
        for &number in &numbers {
            filter.insert_u64(number);
            assert!(filter.contains_u64(number));
        }
        for text in &texts {
            filter.insert_bytes(text);
            assert!(filter.contains_bytes(text));
        }
        assert!(numbers.iter().all(|&number| filter.contains_u64(number)));
        assert!(texts.iter().all(|text| filter.contains_bytes(text)));

        filter.clear();
        assert_eq!(filter.fill(), 0.0);
        assert!(!numbers.iter().any(|&number| filter.contains_u64(number)));
        assert!(!texts.iter().any(|text| filter.contains_bytes(text)));
    }
}

/// Key number i of a kind. Distinct numbers give distinct keys.
type Kind = (&'static str, fn(u64) -> Key);

enum Key {
    Number(u64),
    Text(String),
}

const KINDS: [Kind; 7] = [
    // An odd multiplier and a xor are bijections; the numbers have no pattern that the mixers undo.
    ("random", |i| Key::Number((i ^ 0x5deece66d).wrapping_mul(0xd1342543de82ef95).rotate_left(29))),
    ("sequential", Key::Number),
    ("strided by 2^32", |i| Key::Number(i << 32)),
    ("reversed bits", |i| Key::Number(i.reverse_bits())),
    ("pairs (i, i)", |i| Key::Number(i << 32 | i)),
    ("text", |i| Key::Text(format!("user:{i}@example.org"))),
    ("long text", |i| Key::Text(format!("{:>60}/{i:x}/index.html", "a constant prefix"))),
];

fn insert(filter: &mut ReferenceFilter, key: Key) {
    match key {
        Key::Number(number) => filter.insert_u64(number),
        Key::Text(text) => filter.insert_bytes(text.as_bytes()),
    };
}

fn contains(filter: &ReferenceFilter, key: Key) -> bool {
    match key {
        Key::Number(number) => filter.contains_u64(number),
        Key::Text(text) => filter.contains_bytes(text.as_bytes()),
    }
}

#[test]
fn measured_rates_are_the_predicted_ones() {
    const ITEMS: u64 = 100_000;
    const PROBES: u64 = 1_500_000;
    for (kind, key) in KINDS {
        for (rate, seed) in [(0.01, 0), (0.001, 1)] {
            let mut filter = ReferenceFilter::with_rate(ITEMS, rate, seed).unwrap();
            (0..ITEMS).for_each(|i| insert(&mut filter, key(i)));

            let (m, k) = (filter.bits() as f64, f64::from(filter.k()));
            let balls = k * ITEMS as f64;
            let fill = 1.0 - (1.0 - 1.0 / m).powf(balls);
            let deviation = fill_deviation(m, balls);
            assert!(
                (filter.fill() - fill).abs() < 4.0 * deviation,
                "{kind}, {rate}: fill {}, expected {fill} ± {deviation}",
                filter.fill()
            );
            let predicted = filter.predicted_rate(ITEMS);
            assert!((predicted / (1.0 - (-balls / m).exp()).powf(k) - 1.0).abs() < 1e-12);
            let relative = k * deviation / fill;
            assert!(
                (filter.rate_from_fill() / predicted - 1.0).abs() < 4.0 * relative,
                "{kind}, {rate}: {} from the fill, {predicted} predicted",
                filter.rate_from_fill()
            );

            let hits = (ITEMS..ITEMS + PROBES).filter(|&i| contains(&filter, key(i))).count() as u64;
            assert!(
                plausible(hits, PROBES, filter.rate_from_fill()),
                "{kind}, {rate}: {hits} of {PROBES}, expected {} of them",
                filter.rate_from_fill()
            );
        }
    }
}

#[test]
fn double_hashing_costs_what_the_documentation_says() {
    // m is a power of two, the divisors of m below k are 2, 4, 8 and 16; φ(2^j) = 2^(j-1).
    const BITS: u64 = 1 << 16;
    const ITEMS: u64 = 2_272;
    const PROBES: u64 = 1_000_000;
    let (m, n) = (BITS as f64, ITEMS as f64);
    let few_bits = (1.0 / 4.0 + 2.0 / 16.0 + 4.0 / 256.0 + 8.0 / 65_536.0) / m;
    let documented = 6.0 * n / (m * m) + few_bits;
    let (mut hits, mut independent) = (0, 0.0);
    for seed in 0..10 {
        let mut filter = ReferenceFilter::with_bits(BITS, 20, seed).unwrap();
        (0..ITEMS).for_each(|key| insert(&mut filter, Key::Number(key)));
        assert!((filter.fill() - 0.5).abs() < 0.01);
        independent += filter.rate_from_fill() / 10.0;
        let absent = ITEMS..ITEMS + PROBES;
        hits += absent.filter(|&key| filter.contains_u64(key)).count() as u64;
    }
    assert!(plausible(hits, 10 * PROBES, independent + documented), "{hits}");
    assert!(!plausible(hits, 10 * PROBES, independent), "{hits}");
}

#[test]
fn sizes_are_those_of_the_textbook() {
    let size = |items, rate| {
        let filter = ReferenceFilter::with_rate(items, rate, 0).unwrap();
        (filter.bits(), filter.k())
    };
    // 10^6 · 4.605170186 / 0.480453014 = 9 585 058.4 bits; 9.585059 · 0.693147 = 6.64.
    assert_eq!(size(1_000_000, 0.01), (9_585_059, 7));
    // 10^3 · 6.907755279 / 0.480453014 = 14 377.6 bits; 14.378 · 0.693147 = 9.97.
    assert_eq!(size(1_000, 0.001), (14_378, 10));
    // 10^3 · ln 2 / (ln 2)² = 1 442.7 bits; k is 1.
    assert_eq!(size(1_000, 0.5), (1_443, 1));
    // 34.538776395 / 0.480453014 = 71.9 bits; 72 · 0.693147 = 49.9. No items count as one.
    assert_eq!(size(1, 1e-15), (72, 50));
    assert_eq!(size(0, 1e-15), (72, 50));
    // The largest rate below 1: a fraction of a bit, and a k that rounds to 0, become 1.
    assert_eq!(size(1, 1.0_f64.next_down()), (1, 1));
    assert_eq!(size(1_000, 0.9), (220, 1));
}

#[test]
fn rates_outside_the_limits_are_refused() {
    let refused =
        [0.0, -0.0, 1.0, 1.5, -0.01, 0.99e-15, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE];
    for rate in refused {
        match ReferenceFilter::with_rate(1_000, rate, 0).unwrap_err() {
            Error::InvalidRate { rate: named, min } => {
                assert_eq!((named.to_bits(), min), (rate.to_bits(), 1e-15));
            }
            other => panic!("{rate}: {other}"),
        }
    }
}

#[test]
fn sizes_outside_the_limits_are_refused() {
    for k in [0, 65, u32::MAX] {
        let error = ReferenceFilter::with_bits(64, k, 0).unwrap_err();
        assert!(matches!(error, Error::InvalidK { k: named, max: 64 } if named == k), "{error}");
    }
    let error = ReferenceFilter::with_bits(0, 1, 0).unwrap_err();
    assert!(matches!(error, Error::TooSmall { bytes: 0, min: 8 }), "{error}");

    let error = ReferenceFilter::with_rate(u64::MAX, 1e-15, 0).unwrap_err();
    assert!(matches!(error, Error::TooLarge { bytes, limit } if bytes > limit.into()), "{error}");
    let error = ReferenceFilter::with_bits(u64::MAX, 1, 0).unwrap_err();
    assert!(matches!(error, Error::TooLarge { bytes, .. } if bytes == 1 << 61), "{error}");
}

#[test]
#[cfg(target_pointer_width = "64")]
fn more_memory_than_an_address_space_is_refused() {
    let error = ReferenceFilter::with_bits((1 << 63) + 1, 1, 0).unwrap_err();
    let limit_named =
        matches!(error, Error::TooLarge { bytes, limit } if bytes == (1 << 60) + 8 && limit == 1 << 60);
    assert!(limit_named, "{error}");
    // 2⁵⁷ bytes and more: no 64-bit processor gives a process that many addresses.
    for bits in [1 << 63, 1 << 60] {
        let error = ReferenceFilter::with_bits(bits, 1, 0).unwrap_err();
        assert!(matches!(error, Error::AllocationFailed { bytes } if bytes == bits / 8), "{error}");
    }
}
