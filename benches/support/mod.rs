//! What the benches share: keys, memory for the roofline, and interleaved rounds.

pub mod roofline;

use std::time::Instant;

use memmap2::{Advice, MmapMut};
use roofline::Line;

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

/// Memory of the size and the pages of a filter, for the roofline.
pub struct Lines {
    map: MmapMut,
    start: usize,
    bytes: usize,
}

impl Lines {
    pub fn new(bytes: usize) -> Self {
        const HUGE: usize = 2 << 20;
        let mut map =
            MmapMut::map_anon(bytes.next_multiple_of(HUGE) + HUGE).expect("memory for the roofline");
        let start = map.as_ptr().align_offset(HUGE);
        // Refused where there are no huge pages; then neither does the filter have them.
        let _ = map.advise(Advice::HugePage);
        map[start..start + bytes].fill(1);
        Self { map, start, bytes }
    }

    pub fn as_slice(&self) -> &[Line] {
        bytemuck::cast_slice(&self.map[self.start..self.start + self.bytes])
    }
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
