//! What the benches share: keys, clock and median.

use std::time::Instant;

/// Whether the bench is only to be tried: `cargo bench -- --test`, or as a test by `cargo test --benches`.
pub fn is_trial() -> bool {
    !std::env::args().any(|argument| argument == "--bench")
        || std::env::args().any(|argument| argument == "--test")
}

/// Distinct pseudo-random keys: the splitmix64 sequence from `seed`.
pub fn keys(seed: u64, count: usize) -> Vec<u64> {
    let next = |i: usize| {
        let mut z = seed.wrapping_add((i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    (0..count).map(next).collect()
}

/// Nanoseconds a key that `work` takes for `keys` keys.
pub fn time(keys: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9 / keys as f64
}

pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
