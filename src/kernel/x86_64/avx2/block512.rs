//! Blocks of 64 bytes: two registers.
//!
//! A shuffle brings the bytes of a product to their words, a shift of 1 by each makes the pattern, and one and-not per half
//! finds the missing bits.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::{load, mix, splat, store, times};
use crate::block::Block;
use crate::kernel::layout::Block512;
use crate::kernel::schedule::{Engine, GROUP, Group, Shape};
use crate::kernel::{Detected, EIGHT, MORE};
use crate::kernel::x86_64::split256::{are_zero, is_zero};
use crate::scheme::block512::{self, FIRST, FOLD, Placement, SECOND};

/// The low six bits of every byte.
const PLACES: u64 = 0x3f3f_3f3f_3f3f_3f3f;

pub(super) struct Avx2<const CLASS: u8, const MIX: bool>(Shape);

impl<const CLASS: u8, const MIX: bool> Avx2<CLASS, MIX> {
    #[inline(always)]
    pub(super) fn new(_: Detected, shape: Shape) -> Self {
        Self(shape)
    }

    /// Hashes half a group.
    #[inline(always)]
    fn prepare_half(&self, words: &[u64], group: &mut Group, half: usize) {
        let lanes = 4 * half..4 * half + 4;
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let mut h = load(&words[lanes.clone()]);
            if MIX {
                h = mix(&self.0.seed, h);
            }
            // high 64 bits of h × blocks, with blocks below 2^32: two products of 32 bits, and no overflow.
            let blocks = splat(self.0.blocks as u64);
            let low = _mm256_srli_epi64::<32>(_mm256_mul_epu32(h, blocks));
            let high = _mm256_mul_epu32(_mm256_srli_epi64::<32>(h), blocks);
            let sum = _mm256_add_epi64(high, low);
            // The upper half of the sum is the block; 64 times that is the sum moved down by 26, its low bits cleared.
            let offset = _mm256_and_si256(_mm256_srli_epi64::<26>(sum), splat(!63));
            store(&mut group.offset[lanes.clone()], offset);
            let first = times(h, FIRST);
            let places = splat(PLACES);
            store(&mut group.first[lanes.clone()], _mm256_and_si256(first, places));
            if CLASS == MORE {
                let folded = _mm256_xor_si256(first, _mm256_srli_epi64::<{ FOLD as i32 }>(first));
                store(&mut group.second[lanes.clone()], _mm256_and_si256(times(folded, SECOND), places));
            }
            if CLASS != EIGHT {
                let high = _mm256_and_si256(_mm256_srli_epi64::<59>(first), splat(0x18));
                let low = _mm256_and_si256(_mm256_srli_epi64::<49>(first), splat(0x20));
                let left = _mm256_or_si256(high, low);
                let right = _mm256_sub_epi64(splat(64), left);
                // A rotation from two shifts; a shift by 64 gives 0, as it must.
                let run = splat(block512::run_from_0(self.0.k));
                let run = _mm256_or_si256(_mm256_sllv_epi64(run, left), _mm256_srlv_epi64(run, right));
                store(&mut group.run[lanes], run);
            }
        }
    }

    /// The bits of a key in the lower and the upper half of its block, from its products with only the places left in
    /// their bytes.
    #[inline(always)]
    fn pattern(&self, first: u64, second: u64, run: u64) -> [__m256i; 2] {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let first = bits(first);
            if CLASS == EIGHT {
                return first;
            }
            let run = spread(run);
            if CLASS == MORE {
                let second = bits(second);
                [
                    _mm256_or_si256(first[0], _mm256_and_si256(second[0], run[0])),
                    _mm256_or_si256(first[1], _mm256_and_si256(second[1], run[1])),
                ]
            } else {
                [_mm256_and_si256(first[0], run[0]), _mm256_and_si256(first[1], run[1])]
            }
        }
    }

    #[inline(always)]
    fn pattern_of(&self, key: Placement) -> [__m256i; 2] {
        self.pattern(key.first & PLACES, key.second & PLACES, key.run)
    }

    #[inline(always)]
    fn pattern_in_lane(&self, group: &Group, lane: usize) -> [__m256i; 2] {
        self.pattern(group.first[lane], group.second[lane], group.run[lane])
    }

    #[inline(always)]
    fn lacks(&self, block: &Block, pattern: [__m256i; 2]) -> __m256i {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        let halves = unsafe { [load(&block.0[..4]), load(&block.0[4..])] };
        self.missing_of(halves, pattern)
    }

    #[inline(always)]
    fn set(&self, block: &mut Block, pattern: [__m256i; 2]) -> __m256i {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let before = [load(&block.0[..4]), load(&block.0[4..])];
            store(&mut block.0[..4], _mm256_or_si256(before[0], pattern[0]));
            store(&mut block.0[4..], _mm256_or_si256(before[1], pattern[1]));
            self.missing_of(before, pattern)
        }
    }

    /// The bits of the pattern that the halves of a block lack, in any of the words that share a lane.
    #[inline(always)]
    fn missing_of(&self, halves: [__m256i; 2], pattern: [__m256i; 2]) -> __m256i {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let low = _mm256_andnot_si256(halves[0], pattern[0]);
            let high = _mm256_andnot_si256(halves[1], pattern[1]);
            _mm256_or_si256(low, high)
        }
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
unsafe impl<const CLASS: u8, const MIX: bool> Engine for Avx2<CLASS, MIX> {
    type Layout = Block512;
    const CLASS: u8 = CLASS;
    const MIX: bool = MIX;

    /// The missing bits of words w, w + 4 together in lane w.
    type Missing = __m256i;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        &self.0
    }

    #[inline(always)]
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group) {
        self.prepare_half(words, group, 0);
        self.prepare_half(words, group, 1);
    }

    #[inline(always)]
    fn missing(&self, block: &Block, key: Placement) -> __m256i {
        self.lacks(block, self.pattern_of(key))
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Placement) -> __m256i {
        self.set(block, self.pattern_of(key))
    }

    #[inline(always)]
    fn missing_in_lane(&self, block: &Block, group: &Group, lane: usize) -> __m256i {
        self.lacks(block, self.pattern_in_lane(group, lane))
    }

    #[inline(always)]
    fn insert_in_lane(&self, block: &mut Block, group: &Group, lane: usize) -> __m256i {
        self.set(block, self.pattern_in_lane(group, lane))
    }

    #[inline(always)]
    fn is_present(&self, missing: __m256i) -> bool {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe { is_zero(missing) }
    }

    #[inline(always)]
    fn are_present(&self, missing: &[__m256i; GROUP]) -> u8 {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe { are_zero(missing) }
    }
}

/// In each word one bit: the one that the byte of the product names, which holds nothing but a place.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn bits(product: u64) -> [__m256i; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        // A byte w to the low end of word w, and zeros above it: an index with its top bit set gives 0.
        let low = _mm256_setr_epi64x(!0xff, !0xff | 1, !0xff | 2, !0xff | 3);
        let high = _mm256_setr_epi64x(!0xff | 4, !0xff | 5, !0xff | 6, !0xff | 7);
        let (one, product) = (splat(1), splat(product));
        [
            _mm256_sllv_epi64(one, _mm256_shuffle_epi8(product, low)),
            _mm256_sllv_epi64(one, _mm256_shuffle_epi8(product, high)),
        ]
    }
}

/// Byte w, 0 or 0xff, in every byte of word w.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn spread(bytes: u64) -> [__m256i; 2] {
    const EVERY: i64 = 0x0101_0101_0101_0101;
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm256_setr_epi64x(0, EVERY, 2 * EVERY, 3 * EVERY);
        let high = _mm256_setr_epi64x(4 * EVERY, 5 * EVERY, 6 * EVERY, 7 * EVERY);
        let bytes = splat(bytes);
        [_mm256_shuffle_epi8(bytes, low), _mm256_shuffle_epi8(bytes, high)]
    }
}
