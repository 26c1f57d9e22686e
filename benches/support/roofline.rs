//! The least that any filter of one cache line per key can cost: the same keys, hashing and prefetch ring as the
//! engine's, then one 8-byte load from each key's line instead of the test of the key's bits.
//!
//! Written apart from the engine, so that a slip of the engine's schedule does not slow its own yardstick.

use std::hint::black_box;

const RING: usize = 4;
const GROUP: usize = 8;

/// Sums one word of the line of every key. `direct` leaves the ring and the prefetches out.
pub fn sum(lines: &[[u64; 8]], keys: &[u64], direct: bool) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
        // SAFETY: the features were just detected.
        return unsafe { avx512(lines, keys, direct) };
    }
    run(lines, keys, direct, |keys, count| keys.map(|key| index(mix(key), count)))
}

/// As costly as the engine's mixer: three shifts, two multiplications, two words of seed, and the pattern's product.
#[inline(always)]
fn mix(key: u64) -> u64 {
    let mut h = key ^ black_box(1);
    h = (h ^ h >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(1);
    h = (h ^ h >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ h >> 31
}

#[inline(always)]
fn index(h: u64, lines: u64) -> u64 {
    (u128::from(h) * u128::from(lines) >> 64) as u64
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn avx512(lines: &[[u64; 8]], keys: &[u64], direct: bool) -> u64 {
    use std::arch::x86_64::*;

    #[inline(always)]
    fn indexes(keys: &[u64; GROUP], lines: u64) -> [u64; GROUP] {
        // SAFETY: only inlined into `avx512`, which has the features; loads and stores are of whole arrays.
        unsafe {
            let splat = |word: u64| _mm512_set1_epi64(word as i64);
            let mut h = _mm512_xor_si512(_mm512_loadu_si512(keys.as_ptr().cast()), splat(1));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<30>(h));
            h = _mm512_add_epi64(_mm512_mullo_epi64(h, splat(0xbf58_476d_1ce4_e5b9)), splat(1));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<27>(h));
            h = _mm512_mullo_epi64(h, splat(0x94d0_49bb_1331_11eb));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<31>(h));
            let low = _mm512_srli_epi64::<32>(_mm512_mul_epu32(h, splat(lines)));
            let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(h), splat(lines));
            let mut indexes = [0; GROUP];
            let index = _mm512_srli_epi64::<32>(_mm512_add_epi64(high, low));
            _mm512_storeu_si512(indexes.as_mut_ptr().cast(), index);
            indexes
        }
    }
    run(lines, keys, direct, |keys, count| indexes(&keys, count))
}

#[inline(always)]
fn run(
    lines: &[[u64; 8]],
    keys: &[u64],
    direct: bool,
    indexes: impl Fn([u64; GROUP], u64) -> [u64; GROUP],
) -> u64 {
    let (groups, _) = keys.as_chunks::<GROUP>();
    let count = lines.len() as u64;
    let mut total = 0;
    let mut load = |group: &[u64; GROUP]| {
        for &index in group {
            // SAFETY: the range reduction gives indexes below the number of lines.
            total += unsafe { lines.get_unchecked(index as usize)[index as usize % 8] };
        }
    };
    if direct {
        for keys in groups {
            load(&indexes(*keys, count));
        }
        return total;
    }
    let mut ring = [[0; GROUP]; RING];
    for (g, keys) in groups.iter().enumerate() {
        let slot = &mut ring[g % RING];
        if g >= RING {
            load(slot);
        }
        *slot = indexes(*keys, count);
        for index in *slot {
            prefetch(lines.as_ptr().wrapping_add(index as usize));
        }
    }
    for g in groups.len().saturating_sub(RING)..groups.len() {
        load(&ring[g % RING]);
    }
    total
}

#[inline(always)]
fn prefetch(line: *const [u64; 8]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
