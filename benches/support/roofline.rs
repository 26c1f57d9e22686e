//! The least that any filter of one cache line per key can cost: the same keys, hashing and order of work as the
//! engine's, then one 8-byte load from each key's line instead of the test of the key's bits.
//!
//! Written apart from the engine, so that a slip of the engine does not slow its own yardstick. It comes in two orders,
//! of which the faster one counts: hash a phase of groups, then load from their lines; or call the lines ahead
//! through a ring of groups.
#![allow(unsafe_code)]

/// One line of memory.
pub type Line = [u64; 8];

const GROUP: usize = 8;
const PHASE: usize = 8;
const RING: usize = 16;
const LAG: usize = 4;
const AHEAD: usize = 64;

/// The order of the work.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    Phases,
    Ring,
}

/// Sums one word of the line of every key, groups of eight keys at a time.
pub fn sum(lines: &[Line], keys: &[u64], order: Order) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
        // SAFETY: the features were just detected.
        return unsafe { with_avx512(lines, keys, order) };
    }
    run::<Plain>(lines, keys, order)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn with_avx512(lines: &[Line], keys: &[u64], order: Order) -> u64 {
    run::<Avx512>(lines, keys, order)
}

/// As costly as the engine's hashing: three shifts, two multiplications, two words of seed, the range reduction, and the
/// product that would place the key's bits.
trait Hash {
    fn group(keys: &[u64; GROUP], lines: u64, group: &mut Group);
}

/// Offsets of the lines in bytes, and the products that nobody reads.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Group([u64; GROUP], [u64; GROUP]);

const MIX_1: u64 = 0xbf58_476d_1ce4_e5b9;
const MIX_2: u64 = 0x94d0_49bb_1331_11eb;
const PLACE: u64 = 0x9e37_79b9_7f4a_7c15;

struct Plain;

impl Hash for Plain {
    #[inline(always)]
    fn group(keys: &[u64; GROUP], lines: u64, group: &mut Group) {
        for (lane, key) in keys.iter().enumerate() {
            let mut h = key ^ 1;
            h = (h ^ h >> 30).wrapping_mul(MIX_1).wrapping_add(1);
            h = (h ^ h >> 27).wrapping_mul(MIX_2);
            h ^= h >> 31;
            group.0[lane] = ((u128::from(h) * u128::from(lines)) >> 64) as u64 * 64;
            group.1[lane] = h.wrapping_mul(PLACE);
        }
    }
}

#[cfg(target_arch = "x86_64")]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Hash for Avx512 {
    #[inline(always)]
    fn group(keys: &[u64; GROUP], lines: u64, group: &mut Group) {
        use std::arch::x86_64::*;
        // SAFETY: only inlined into `with_avx512`, which has the features; loads and stores are of whole arrays.
        unsafe {
            let mut h = _mm512_xor_si512(_mm512_loadu_si512(keys.as_ptr().cast()), _mm512_set1_epi64(1));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<30>(h));
            h = _mm512_mullo_epi64(h, _mm512_set1_epi64(MIX_1 as i64));
            h = _mm512_add_epi64(h, _mm512_set1_epi64(1));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<27>(h));
            h = _mm512_mullo_epi64(h, _mm512_set1_epi64(MIX_2 as i64));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<31>(h));
            let lines = _mm512_set1_epi64(lines as i64);
            let low = _mm512_srli_epi64::<32>(_mm512_mul_epu32(h, lines));
            let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(h), lines);
            let offset = _mm512_srli_epi64::<26>(_mm512_add_epi64(high, low));
            let offset = _mm512_and_si512(offset, _mm512_set1_epi64(!63));
            _mm512_storeu_si512(group.0.as_mut_ptr().cast(), offset);
            let place = _mm512_mullo_epi64(h, _mm512_set1_epi64(PLACE as i64));
            _mm512_storeu_si512(group.1.as_mut_ptr().cast(), place);
        }
    }
}

#[inline(always)]
fn run<H: Hash>(lines: &[Line], keys: &[u64], order: Order) -> u64 {
    let (groups, _) = keys.as_chunks::<GROUP>();
    let count = lines.len() as u64;
    let mut total = 0;
    match order {
        Order::Phases => {
            let mut phase = [Group([0; GROUP], [0; GROUP]); PHASE];
            for keys in groups.as_chunks::<PHASE>().0 {
                for (keys, group) in keys.iter().zip(&mut phase) {
                    prefetch(keys.as_ptr().wrapping_add(AHEAD * GROUP).cast());
                    H::group(keys, count, group);
                }
                std::hint::black_box(&mut phase);
                for group in &phase {
                    total += load(lines, group);
                }
            }
        }
        Order::Ring => {
            let mut ring = [Group([0; GROUP], [0; GROUP]); RING];
            for (g, keys) in groups.iter().enumerate() {
                if g >= RING {
                    total += load(lines, &ring[g % RING]);
                }
                prefetch(keys.as_ptr().wrapping_add(AHEAD * GROUP).cast());
                H::group(keys, count, &mut ring[g % RING]);
                if g >= LAG {
                    for offset in ring[(g - LAG) % RING].0 {
                        prefetch(lines.as_ptr().wrapping_byte_add(offset as usize));
                    }
                }
            }
            for g in groups.len().saturating_sub(RING)..groups.len() {
                total += load(lines, &ring[g % RING]);
            }
        }
    }
    total
}

#[inline(always)]
fn load(lines: &[Line], group: &Group) -> u64 {
    let mut total = 0;
    for offset in group.0 {
        // SAFETY: the range reduction gives offsets of lines in the slice.
        total += unsafe { *lines.as_ptr().byte_add(offset as usize).cast::<u64>() };
    }
    total
}

#[inline(always)]
fn prefetch(line: *const Line) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
