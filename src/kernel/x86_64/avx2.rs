//! AVX2: a block is two registers.
//!
//! Shifts move the bytes of a product to their words, a shift of 1 by each makes the pattern, and one test per half
//! tells whether a bit is missing.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::cpu_has;
use crate::block::Block;
use crate::hash::Seed;
use crate::kernel::schedule::{Engine, GROUP, Group, Parameters, Products};
use crate::kernel::{Detected, EIGHT, MORE, Row, functions};
use crate::scheme::block512;

pub(in crate::kernel) const ROW: Row = Row {
    name: "avx2",
    needs: "AVX2",
    detect: || cpu_has!("avx2"),
    functions: functions!(Avx2, #[target_feature(enable = "avx2")]),
};

struct Avx2<const CLASS: u8, const MIX: bool> {
    seed: Seed,
    blocks: usize,
    k: u32,
}

impl<const CLASS: u8, const MIX: bool> Avx2<CLASS, MIX> {
    #[inline(always)]
    fn new(_: Detected, parameters: &Parameters, blocks: usize) -> Self {
        Self { seed: parameters.seed, blocks, k: parameters.k }
    }

    /// The bits of a key in the lower and the upper half of its block.
    #[inline(always)]
    fn pattern(&self, key: Products) -> [__m256i; 2] {
        // SAFETY: the CPU has AVX2, or `self` would not exist. The loads read rows of eight words, by halves.
        unsafe {
            let low = _mm256_setr_epi64x(0, 8, 16, 24);
            let high = _mm256_setr_epi64x(32, 40, 48, 56);
            let first = [bits(key.first, low), bits(key.first, high)];
            if CLASS == EIGHT {
                return first;
            }
            let run = block512::run_words(self.k, key.first);
            let run = [load(&run[0]), load(&run[1])];
            if CLASS == MORE {
                let low = _mm256_setr_epi64x(56, 48, 40, 32);
                let high = _mm256_setr_epi64x(24, 16, 8, 0);
                let second = [bits(key.second, low), bits(key.second, high)];
                [
                    _mm256_or_si256(first[0], _mm256_and_si256(second[0], run[0])),
                    _mm256_or_si256(first[1], _mm256_and_si256(second[1], run[1])),
                ]
            } else {
                [_mm256_and_si256(first[0], run[0]), _mm256_and_si256(first[1], run[1])]
            }
        }
    }

    /// Whether every bit of the pattern is set in the halves of a block.
    #[inline(always)]
    fn covers(&self, halves: [__m256i; 2], pattern: [__m256i; 2]) -> bool {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let low = _mm256_andnot_si256(halves[0], pattern[0]);
            let high = _mm256_andnot_si256(halves[1], pattern[1]);
            let missing = _mm256_or_si256(low, high);
            _mm256_testz_si256(missing, missing) == 1
        }
    }
}

impl<const CLASS: u8, const MIX: bool> Engine for Avx2<CLASS, MIX> {
    #[inline(always)]
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group) {
        for (lane, &word) in words.iter().enumerate() {
            let hash = if MIX { self.seed.mix(word) } else { word };
            group.store(lane, hash, self.blocks);
        }
    }

    #[inline(always)]
    fn contains(&self, block: &Block, key: Products) -> bool {
        let (halves, _) = block.0.as_chunks();
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        let halves = unsafe { [load(&halves[0]), load(&halves[1])] };
        self.covers(halves, self.pattern(key))
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Products) -> bool {
        let (halves, _) = block.0.as_chunks_mut();
        let pattern = self.pattern(key);
        // SAFETY: the CPU has AVX2, or `self` would not exist; each store is of four words into four.
        unsafe {
            let before = [load(&halves[0]), load(&halves[1])];
            _mm256_storeu_si256(halves[0].as_mut_ptr().cast(), _mm256_or_si256(before[0], pattern[0]));
            _mm256_storeu_si256(halves[1].as_mut_ptr().cast(), _mm256_or_si256(before[1], pattern[1]));
            self.covers(before, pattern)
        }
    }
}

/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: the caller's promise; four words are 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// In each word one bit: the one that the product, shifted down by the word's shift, names with its low six bits.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn bits(product: u64, shifts: __m256i) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let moved = _mm256_srlv_epi64(_mm256_set1_epi64x(product as i64), shifts);
        let places = _mm256_and_si256(moved, _mm256_set1_epi64x(63));
        _mm256_sllv_epi64(_mm256_set1_epi64x(1), places)
    }
}
