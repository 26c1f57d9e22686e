//! Measured false-positive rates against the rate that a filter reads off its bits, and that against the predicted one.
//!
//! Given its bits, the false positives among absent keys are binomially distributed with exactly the rate that `health`
//! tells, so the bounds are those of Clopper and Pearson. Each comparison errs with 2 · `TAIL`, and there are fewer than 500:
//! by chance the whole suite would fail once in a thousand sets of seeds. A rate that is off by 10 % at 10 bits a key
//! (0.97 % or more, 10^6 probes, standard error at most 1.03 %) is 9.7 errors off, where the bound is 4.9: it passes
//! with a probability of about 10^-6.

use std::path::Path;

use bloomline::sizing::{blocked, split};
use bloomline::{BloomFilter, Kernel, Key, Pages, Scheme};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use statrs::distribution::{Binomial, DiscreteCDF};

const TAIL: f64 = 5e-7;

/// Six standard deviations of the filter-to-filter scatter: the mean over thousands of blocks is nearly normal, but has a
/// longer upper tail at low rates.
const SCATTER: f64 = 6.0;

const PROBES: usize = 1_000_000;

/// Whether so many hits are plausible at this rate: neither tail of the binomial distribution is rarer than `TAIL`.
fn is_plausible(hits: usize, probes: usize, rate: f64) -> bool {
    let binomial = Binomial::new(rate, probes as u64).unwrap();
    let at_least = if hits == 0 { 1.0 } else { binomial.sf(hits as u64 - 1) };
    binomial.cdf(hits as u64) > TAIL && at_least > TAIL
}

#[test]
fn the_interval_is_that_of_clopper_and_pearson() {
    // Without a hit in n probes the upper end is 1 − TAIL^(1/n); with nothing but hits, the lower end is TAIL^(1/n).
    let upper = 1.0 - TAIL.powf(1.0 / 1000.0);
    assert!(is_plausible(0, 1000, upper * 0.9999) && !is_plausible(0, 1000, upper * 1.0001));
    assert!(
        is_plausible(1000, 1000, (1.0 - upper) * 1.0001) && !is_plausible(1000, 1000, (1.0 - upper) * 0.9999)
    );
    // The power that is claimed above.
    let (rate, probes) = (0.0097, PROBES);
    for wrong in [0.9, 1.1] {
        assert!(!is_plausible((wrong * rate * probes as f64) as usize, probes, rate));
    }
}

/// Fills the filter with the keys, and checks both rates with the probes, none of which is among the keys.
fn check<K: Key>(mut filter: BloomFilter, keys: &[K], probes: &[K], tell: &str) {
    let tell = format!("{tell}: {filter:?}");
    filter.insert_batch(keys);
    assert_eq!(filter.count_batch(keys), keys.len(), "false negative, {tell}");
    let rate = filter.health().rate;
    let items = keys.len() as u64;
    let predicted = filter.predicted_rate_at(items);
    let spread = match filter.scheme() {
        Scheme::SplitBlock => split::spread(items, filter.blocks()).unwrap(),
        _ => blocked::spread(items, filter.blocks(), filter.k()).unwrap(),
    };
    let off = (rate / predicted - 1.0) / spread;
    assert!(off.abs() < SCATTER, "{rate} from the bits, {predicted} predicted, {off} deviations, {tell}");
    let hits = filter.count_batch(probes);
    assert!(is_plausible(hits, probes.len(), rate), "{hits} of {}, not {rate}, {tell}", probes.len());
}

/// All bits per key and k, and split blocks, with enough probes for the low rates where `probes` has them.
fn check_all_shapes<K: Key>(keys: &[K], probes: &[K], tell: &str) {
    let mut seed = 0;
    for bits_per_key in [8.0, 10.0, 12.0, 16.0, 20.0] {
        for (scheme, k) in
            [4, 6, 8, 9, 11, 16].map(|k| (Scheme::Block512, k)).into_iter().chain([(Scheme::SplitBlock, 8)])
        {
            let builder = BloomFilter::with_bits_per_key(keys.len() as u64, bits_per_key);
            let builder = builder.scheme(scheme).k(k).seed(seed);
            let probes = if bits_per_key < 16.0 { &probes[..PROBES.min(probes.len())] } else { probes };
            check(builder.build().unwrap(), keys, probes, tell);
            seed += 1;
        }
    }
}

const ITEMS: usize = 100_000;

/// Keys number 0 to `ITEMS` − 1 of a kind, and 4 · `PROBES` others.
fn keys_and_probes(key: KeyOf) -> (Vec<u64>, Vec<u64>) {
    let mut keys: Vec<u64> = (0..(ITEMS + 4 * PROBES) as u64).map(key).collect();
    let probes = keys.split_off(ITEMS);
    (keys, probes)
}

fn random_keys(seed: u64, count: usize) -> Vec<u64> {
    let mut rng = SmallRng::seed_from_u64(seed);
    (0..count).map(|_| rng.random()).collect()
}

#[test]
fn random_integers() {
    let (keys, probes) = (random_keys(1, ITEMS), random_keys(2, 4 * PROBES));
    check_all_shapes(&keys, &probes, "random");
}

#[test]
fn sequential_integers() {
    let (keys, probes) = keys_and_probes(|i| i);
    check_all_shapes(&keys, &probes, "sequential");
}

#[test]
fn strided_integers() {
    let (keys, probes) = keys_and_probes(|i| i << 32);
    check_all_shapes(&keys, &probes, "strided");
}

#[test]
fn text() {
    let mut keys: Vec<String> = (0..ITEMS + PROBES).map(|i| format!("user{i}@mail.com")).collect();
    let probes = keys.split_off(ITEMS);
    check_all_shapes(&keys, &probes, "text");
}

#[test]
fn every_kernel() {
    let (keys, probes) = (random_keys(3, ITEMS), random_keys(4, PROBES));
    for kernel in Kernel::available() {
        for (scheme, k) in
            [(Scheme::Block512, 4), (Scheme::Block512, 8), (Scheme::Block512, 11), (Scheme::SplitBlock, 8)]
        {
            let builder = BloomFilter::with_bits_per_key(ITEMS as u64, 10.0).scheme(scheme).k(k);
            check(builder.kernel(kernel).build().unwrap(), &keys, &probes, "random");
        }
    }
}

/// Key number i of a kind.
type KeyOf = fn(u64) -> u64;

/// Integers whose bits depend on each other, which weaker mixers fail on.
const STRUCTURES: [(&str, KeyOf); 6] = [
    ("pairs", |i| i << 32 | i),
    ("reversed bits", u64::reverse_bits),
    ("floats", |i| (i as f64).to_bits()),
    ("decimal digits", |i| {
        (0..8).map(|digit| (u64::from(b'0') + i / 10_u64.pow(digit) % 10) << (8 * (7 - digit))).sum()
    }),
    ("addresses and ports", |i| (0x0a00_0000 + i / 1000) << 16 | (1024 + i % 1000)),
    ("multiples of 2^38", |i| i << 38),
];

fn check_structures(blocks: u64, seed: u64) {
    let items = blocks * 512 / 10;
    for (tell, key) in STRUCTURES {
        let keys: Vec<u64> = (0..items).map(key).collect();
        let probes: Vec<u64> = (items..items + PROBES as u64).map(key).collect();
        for scheme in Scheme::ALL {
            let builder = BloomFilter::with_bytes(64 * blocks).scheme(scheme).seed(seed);
            check(builder.build().unwrap(), &keys, &probes, tell);
        }
    }
}

#[test]
fn structured_integers() {
    for (seed, blocks) in [1 << 8, 1 << 12, 50_000].into_iter().enumerate() {
        check_structures(blocks, seed as u64);
    }
}

#[test]
#[ignore = "54 million keys of each kind: cargo test --release --test rates -- --ignored"]
fn structured_integers_in_a_million_blocks() {
    check_structures(1 << 20, 0);
}

const CHUNK: u64 = 1 << 16;

/// Inserts the integers from 0, whole chunks of them, and queries those that follow. Returns the number of false positives.
fn fill_and_probe(filter: &mut BloomFilter, items: u64, probes: u64) -> usize {
    assert_eq!(items % CHUNK, 0);
    let mut keys = Vec::new();
    let mut hits = 0;
    for first in (0..items + probes).step_by(CHUNK as usize) {
        keys.clear();
        keys.extend(first..(first + CHUNK).min(items + probes));
        if first < items {
            filter.insert_batch(&keys);
        } else {
            hits += filter.count_batch(&keys);
        }
    }
    hits
}

/// The block takes the upper bits of the hash, 22 of them here, and the bits of a key must do with the rest: places that
/// follow from each other show in a large filter, at a low rate and a high k.
#[test]
#[ignore = "256 MiB and 200 million probes: cargo test --release --test rates -- --ignored"]
fn many_bits_in_a_large_filter() {
    let blocks = 1_u64 << 22;
    let items = blocks * 512 / 20 / CHUNK * CHUNK;
    for k in [8, 9, 12, 16] {
        let mut filter = BloomFilter::with_bytes(64 * blocks).k(k).pages(Pages::Huge).build().unwrap();
        let probes = 200_000_000;
        let hits = fill_and_probe(&mut filter, items, probes);
        let rate = filter.health().rate;
        assert!(is_plausible(hits, probes as usize, rate), "{hits} of {probes}, not {rate}, k {k}");
    }
}

/// A filter above 2^33 bits, 16 bits a key: the rates as above, and the number of set bits in a block against its mean and
/// variance in theory, which would show blocks that are preferred.
#[test]
#[ignore = "1 GiB and 537 million keys: cargo test --release --test rates -- --ignored"]
fn a_filter_of_a_gibibyte() {
    let blocks = (1_u64 << 24) + 4099;
    let (items, probes) = (blocks * 32 / CHUNK * CHUNK, 100_000_000);
    let mut filter = BloomFilter::with_bytes(64 * blocks).pages(Pages::Huge).build().unwrap();
    let hits = fill_and_probe(&mut filter, items, probes);

    let health = filter.health();
    let predicted = filter.predicted_rate_at(items);
    let off = (health.rate / predicted - 1.0) / blocked::spread(items, blocks, 8).unwrap();
    assert!(off.abs() < SCATTER, "{} from the bits, {predicted} predicted", health.rate);
    assert!(is_plausible(hits, probes as usize, health.rate), "{hits} of {probes}, not {}", health.rate);
    let off = (health.items.items - items as f64) / health.items.standard_deviation;
    assert!(off.abs() < SCATTER, "{:?}, not {items}", health.items);

    // A key leaves a bit unset, or two of one word, or two of different words, with these probabilities.
    let (n, b) = (items as f64, blocks as f64);
    let unset = |touch: f64| (n * (-touch / b).ln_1p()).exp();
    let (one, same, other) = (unset(1.0 / 64.0), unset(2.0 / 64.0), unset(1.0 - (63.0_f64 / 64.0).powi(2)));
    let mean = 512.0 * (1.0 - one);
    let variance = 512.0 * (one * (1.0 - one) + 63.0 * (same - one * one) + 448.0 * (other - one * one));
    assert_eq!(health.block_loads.iter().sum::<u64>(), blocks);
    let moment = |power: i32| {
        let terms = health.block_loads.iter().enumerate();
        terms.map(|(load, &count)| count as f64 * (load as f64 - mean).powi(power)).sum::<f64>() / b
    };
    let (first, second, fourth) = (moment(1), moment(2), moment(4));
    assert!(first.abs() < 5.0 * (variance / b).sqrt(), "mean {}, not {mean}", mean + first);
    let error = ((fourth - second * second) / b).sqrt();
    assert!((second - variance).abs() < 5.0 * error, "variance {second} ± {error}, not {variance}");
    assert!(error < 1e-3 * variance, "too few blocks to show half a percent");
}

/// The keys of a file beside the project, where it is there: one a line, `#` for comments, fields parted by tabs.
fn real_keys(name: &str) -> Option<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/keys").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return None;
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut keys: Vec<String> = lines.map(|line| line.split('\t').next().unwrap().to_owned()).collect();
    keys.sort_unstable();
    keys.dedup();
    Some(keys)
}

/// Half of the keys, every second one, by every kernel; the other half, which looks just like it, is absent.
fn check_real_keys<K: Key>(keys: Vec<K>, tell: &str) {
    let (mut present, mut absent) = (Vec::new(), Vec::new());
    for (i, key) in keys.into_iter().enumerate() {
        if i % 2 == 0 { present.push(key) } else { absent.push(key) }
    }
    assert!(absent.len() > 50_000, "{tell}: only {} keys", absent.len());
    for kernel in Kernel::available() {
        for rate in [0.1, 0.01] {
            let builder = BloomFilter::with_rate(present.len() as u64, rate).kernel(kernel);
            check(builder.build().unwrap(), &present, &absent, tell);
        }
    }
}

#[test]
fn english_words() {
    if let Some(words) = real_keys("english-words.txt") {
        check_real_keys(words, "words");
    }
}

/// As text, and as the 32-bit integers that they are.
#[test]
fn addresses() {
    if let Some(addresses) = real_keys("ipv4-threats.txt") {
        let integer = |text: &String| u32::from(text.parse::<std::net::Ipv4Addr>().unwrap());
        check_real_keys(addresses.iter().map(integer).collect(), "addresses as integers");
        check_real_keys(addresses, "addresses as text");
    }
}
