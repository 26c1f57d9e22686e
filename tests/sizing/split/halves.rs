//! What it costs that one half of the hash places all bits of a key, and the other half chooses the block.

use super::contract::{SALTS, place};
use bloomline::sizing::split::{self, MAX_BLOCKS};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// For keys in a block: the probability that they set all bits of a query, its standard error, and how far the rate of
/// the library may be from it, as a share.
///
/// From 200 random queries, each compared with all 2^32 words that a key can have, which is what [`exhaustive`] does. The
/// first is exact: no two words have the same places.
const MEASURED: [(u64, f64, f64, f64); 8] = [
    (1, 1.0 / 4_294_967_296.0, 0.0, 4e-3),
    (2, 6.71090e-10, 1.1e-12, 1e-3),
    (3, 5.33560e-9, 3.2e-12, 1e-3),
    (4, 4.18380e-8, 6.6e-12, 1e-3),
    (5, 2.16612e-7, 1.2e-11, 1e-3),
    (6, 8.20414e-7, 1.9e-11, 5e-4),
    (8, 6.40830e-6, 4.0e-11, 1e-4),
    (12, 1.01488e-4, 1.2e-10, 3e-5),
];

fn independent(keys: u64) -> f64 {
    (1.0 - (31.0_f64 / 32.0).powi(keys as i32)).powi(8)
}

#[test]
fn rates_of_one_block_are_those_of_the_real_places() {
    for (keys, measured, error, share) in MEASURED {
        let rate = split::rate(keys, 1).unwrap();
        assert!(
            (rate - measured).abs() < 3.3 * error + share * measured,
            "{keys}: {rate:e}, not {measured:e}"
        );
        // Independent places alone would not do.
        let off = measured - independent(keys);
        assert!(keys > 8 || off > 3.3 * error + share * measured, "{keys}: {off:e}");
    }
}

/// How many words share their places with the query in each set of words of the block, a bit of the index for each word.
fn matches(query: u32) -> [u64; 256] {
    let places = SALTS.map(|salt| place(query, salt));
    let mut counts = [0; 256];
    for low in 0..=u32::MAX {
        let shared = (0..8).fold(0, |set, w| set | usize::from(place(low, SALTS[w]) == places[w]) << w);
        counts[shared] += 1;
    }
    counts
}

/// The probability that `keys` keys, with these matches each, match in every word: one key after the other, over the sets of
/// words that are matched so far.
fn all_matched(matches: &[u64; 256], keys: u64) -> f64 {
    let mut sets = [0.0; 256];
    sets[0] = 1.0;
    for _ in 0..keys {
        let mut next = [0.0; 256];
        for (matched, weight) in sets.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            for (shared, count) in matches.iter().enumerate() {
                next[matched | shared] += weight * *count as f64 / 2_f64.powi(32);
            }
        }
        sets = next;
    }
    sets[255]
}

#[test]
#[ignore = "twelve times 2^32 words: cargo test --release --test sizing -- --ignored"]
fn exhaustive() {
    const QUERIES: usize = 12;
    let mut rng = SmallRng::seed_from_u64(32);
    let all: Vec<[u64; 256]> = (0..QUERIES).map(|_| matches(rng.random())).collect();
    for (keys, measured, error, _) in MEASURED {
        let each: Vec<f64> = all.iter().map(|matches| all_matched(matches, keys)).collect();
        let mean = each.iter().sum::<f64>() / QUERIES as f64;
        let error = error * (1.0 + 200.0 / QUERIES as f64).sqrt();
        assert!((mean - measured).abs() <= 4.0 * error, "{keys}: {mean:e} ± {error:e}, not {measured:e}");
    }
}

/// By how much of itself the rate of `blocks` blocks is above that of equally likely ones. The blocks share 2^32 hashes, as
/// ⌊2^32/b⌋ for one or as one more.
fn excess(blocks: u64, bits_per_key: f64) -> f64 {
    let hashes = 2_f64.powi(32);
    let (fewer, with_more) = ((1 << 32) / blocks, (1 << 32) % blocks);
    // Relative to the mean share: the loads of the blocks, and how many queries they get.
    let part = |share: u64, count: u64| {
        let share = (share * blocks) as f64 / hashes;
        share * count as f64 / blocks as f64 * split::rate_limit(bits_per_key / share).unwrap()
    };
    (part(fewer, blocks - with_more) + part(fewer + 1, with_more)) / split::rate_limit(bits_per_key).unwrap()
        - 1.0
}

/// The worst is where half of the blocks get one hash more, in the largest filters.
#[test]
fn unequal_blocks_raise_no_rate_by_more_than_a_thousandth() {
    let worst = |at_least: u64, bits_per_key| {
        let shares = (1..20).map(|i| at_least as f64 + f64::from(i) / 20.0);
        shares.map(|share| excess((2_f64.powi(32) / share) as u64, bits_per_key)).fold(0.0, f64::max)
    };
    // 64 hashes for each of 2^26 blocks.
    assert_eq!((1 << 32) / MAX_BLOCKS, 64);
    // From 10 % to 10^-8.
    for bits_per_key in [6.0, 10.5, 16.9, 26.3, 41.0, 64.7, 105.0, 178.9] {
        let at_the_limit = worst(64, bits_per_key);
        assert!((3.5e-4..1e-3).contains(&at_the_limit), "{bits_per_key}: {at_the_limit:e}");
        assert!(worst(32, bits_per_key) > 1.5e-3, "twice the limit would do at {bits_per_key}");
    }
    assert!(excess(1 << 20, 10.0).abs() < 1e-12, "equal shares");
}
