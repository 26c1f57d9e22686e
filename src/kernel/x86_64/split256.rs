//! The steps for one split block, a 256-bit register, for the AVX2 and the AVX-512 engines.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use crate::block::HalfBlock;
use crate::kernel::engine::GROUP;
use crate::scheme::split::{PLACE_SHIFT, SALT};

/// What the block lacks of the bits of a key.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn missing(block: &HalfBlock, hash: u64) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_andnot_si256(load(&block.0), pattern(hash)) }
}

/// Sets the bits of a key, and returns what was missing.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn insert(block: &mut HalfBlock, hash: u64) -> __m256i {
    // SAFETY: the caller's promise; a block is 32 bytes, and the store needs no alignment.
    unsafe {
        let (before, pattern) = (load(&block.0), pattern(hash));
        _mm256_storeu_si256(block.0.as_mut_ptr().cast(), _mm256_or_si256(before, pattern));
        _mm256_andnot_si256(before, pattern)
    }
}

/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn is_zero(missing: __m256i) -> bool {
    // SAFETY: the caller's promise.
    unsafe { _mm256_testz_si256(missing, missing) == 1 }
}

/// [`is_zero`] of eight registers: bit i of the answer belongs to register i.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn are_zero(registers: &[__m256i; GROUP]) -> u8 {
    // SAFETY: the caller's promise.
    unsafe {
        let [a, b, c, d, e, f, g, h] = *registers;
        // Packing saturates with the sign kept, so what is not 0 stays so. In each half of the result, four bytes are what is
        // left of the half of one register.
        let first = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        let second = _mm256_packs_epi16(_mm256_packs_epi32(e, f), _mm256_packs_epi32(g, h));
        let low = _mm256_permute2x128_si256::<0x20>(first, second);
        let high = _mm256_permute2x128_si256::<0x31>(first, second);
        let zero = _mm256_cmpeq_epi32(_mm256_or_si256(low, high), _mm256_setzero_si256());
        _mm256_movemask_ps(_mm256_castsi256_ps(zero)) as u8
    }
}

/// In each word the bit of a key.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn pattern(hash: u64) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let products = _mm256_mullo_epi32(_mm256_set1_epi32(hash as i32), load(&SALT));
        _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<{ PLACE_SHIFT as i32 }>(products))
    }
}

/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn load(words: &[u32; 8]) -> __m256i {
    // SAFETY: the caller's promise; eight words are 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}
