//! AVX2, and what its engines share.
#![allow(unsafe_code)]

mod block512;
mod split;

use core::arch::x86_64::*;

use super::cpu_has;
use crate::hash::{MIX_1, MIX_2, MIX_SHIFTS, Seed};
use crate::kernel::engine::Lanes;
use crate::kernel::{Detected, EIGHT, Row, by_class, functions};
use block512::Avx2;
use split::Avx2Split;

pub(in crate::kernel) const ROW: Row = Row {
    name: "avx2",
    needs: "AVX2",
    detect: || cpu_has!("avx2"),
    block512: by_class!(Avx2, #[target_feature(enable = "avx2")]),
    split: functions!(Avx2Split, EIGHT, #[target_feature(enable = "avx2")]),
};

/// A factor of 32 bits in every lane. A value exists only where AVX2 was detected.
struct Factor(__m256i);

impl Factor {
    #[inline(always)]
    fn new(_: Detected, factor: u32) -> Self {
        // SAFETY: the CPU has AVX2, or there would be no `Detected`.
        Self(unsafe { splat(factor.into()) })
    }

    /// The products with the low halves of the lanes.
    ///
    /// The factor is read from memory each time: of a register that lives through a loop, the compiler does not know that its
    /// lanes are below 2^32, and would multiply 64 bits by 64.
    #[inline(always)]
    fn times(&self, lanes: __m256i) -> __m256i {
        // SAFETY: the CPU has AVX2, or `self` would not exist; a reference is valid for reads.
        unsafe { _mm256_mul_epu32(lanes, core::ptr::read_volatile(&self.0)) }
    }
}

/// [`Seed::mix`] in every lane.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn mix(seed: &Seed, keys: __m256i) -> __m256i {
    const S: [i32; 3] = [MIX_SHIFTS[0] as i32, MIX_SHIFTS[1] as i32, MIX_SHIFTS[2] as i32];
    // SAFETY: the caller's promise.
    unsafe {
        let mut h = _mm256_xor_si256(keys, splat(seed.before));
        h = _mm256_xor_si256(h, _mm256_srli_epi64::<{ S[0] }>(h));
        h = _mm256_add_epi64(times(h, MIX_1), splat(seed.between));
        h = _mm256_xor_si256(h, _mm256_srli_epi64::<{ S[1] }>(h));
        h = times(h, MIX_2);
        _mm256_xor_si256(h, _mm256_srli_epi64::<{ S[2] }>(h))
    }
}

/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn splat(word: u64) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_set1_epi64x(word as i64) }
}

/// The first four of the words.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn load(words: &[u64]) -> __m256i {
    let words: &[u64; 4] = words.first_chunk().expect("four words");
    // SAFETY: the caller's promise; four words are 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn store(words: &mut [u64], value: __m256i) {
    let words: &mut [u64; 4] = words.first_chunk_mut().expect("four words");
    // SAFETY: the caller's promise; four words are 32 bytes, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), value) }
}

/// Writes four lanes, the lower or the upper ones.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn store_lanes(lanes: &mut Lanes, half: usize, value: __m256i) {
    assert!(half < 2);
    // SAFETY: the caller's promise; half of eight words is 32 bytes, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().add(4 * half).cast(), value) }
}

/// The low 64 bits of each lane's product with `factor`, from products of 32 bits.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn times(lanes: __m256i, factor: u64) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let (low, high) = (splat(factor), splat(factor >> 32));
        let cross = _mm256_add_epi64(
            _mm256_mul_epu32(_mm256_srli_epi64::<32>(lanes), low),
            _mm256_mul_epu32(lanes, high),
        );
        _mm256_add_epi64(_mm256_mul_epu32(lanes, low), _mm256_slli_epi64::<32>(cross))
    }
}
