//! AVX2: a block is two registers.
//!
//! A shuffle brings the bytes of a product to their words, a shift of 1 by each makes the pattern, and one and-not per half
//! finds the missing bits.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::cpu_has;
use crate::block::Block;
use crate::hash::{MIX_1, MIX_2, MIX_SHIFTS};
use crate::kernel::schedule::{Engine, GROUP, Group, Placement, Shape};
use crate::kernel::{Detected, EIGHT, MORE, Row, functions};
use crate::scheme::block512::{self, FIRST, FOLD, SECOND};

pub(in crate::kernel) const ROW: Row = Row {
    name: "avx2",
    needs: "AVX2",
    detect: || cpu_has!("avx2"),
    functions: functions!(Avx2, #[target_feature(enable = "avx2")]),
};

/// The low six bits of every byte.
const PLACES: u64 = 0x3f3f_3f3f_3f3f_3f3f;

struct Avx2<const CLASS: u8, const MIX: bool>(Shape);

impl<const CLASS: u8, const MIX: bool> Avx2<CLASS, MIX> {
    #[inline(always)]
    fn new(_: Detected, shape: Shape) -> Self {
        Self(shape)
    }

    /// [`Seed::mix`] in every lane.
    #[inline(always)]
    fn mix(&self, keys: __m256i) -> __m256i {
        let seed = &self.0.parameters.seed;
        const S: [i32; 3] = [MIX_SHIFTS[0] as i32, MIX_SHIFTS[1] as i32, MIX_SHIFTS[2] as i32];
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let mut h = _mm256_xor_si256(keys, splat(seed.before));
            h = _mm256_xor_si256(h, _mm256_srli_epi64::<{ S[0] }>(h));
            h = _mm256_add_epi64(times(h, MIX_1), splat(seed.between));
            h = _mm256_xor_si256(h, _mm256_srli_epi64::<{ S[1] }>(h));
            h = times(h, MIX_2);
            _mm256_xor_si256(h, _mm256_srli_epi64::<{ S[2] }>(h))
        }
    }

    /// Hashes half a group.
    #[inline(always)]
    fn prepare_half(&self, words: &[u64], group: &mut Group, half: usize) {
        let lanes = 4 * half..4 * half + 4;
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let mut h = load(&words[lanes.clone()]);
            if MIX {
                h = self.mix(h);
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
                let run = splat(block512::run_from_0(self.0.parameters.k));
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

    /// Bit i of the answer is set when `missing[i]` is 0, for four keys.
    #[inline(always)]
    fn zeros(&self, missing: &[__m256i]) -> u8 {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            // Pairs of keys, then pairs of pairs: word i of the last sum is the sum of the words of key i.
            let a = or_pairs(missing[0], missing[1]);
            let b = or_pairs(missing[2], missing[3]);
            let low = _mm256_permute2x128_si256::<0x20>(a, b);
            let high = _mm256_permute2x128_si256::<0x31>(a, b);
            let zero = _mm256_cmpeq_epi64(_mm256_or_si256(low, high), _mm256_setzero_si256());
            _mm256_movemask_pd(_mm256_castsi256_pd(zero)) as u8
        }
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
unsafe impl<const CLASS: u8, const MIX: bool> Engine for Avx2<CLASS, MIX> {
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
        unsafe { _mm256_testz_si256(missing, missing) == 1 }
    }

    #[inline(always)]
    fn are_present(&self, missing: &[__m256i; GROUP]) -> u8 {
        self.zeros(&missing[..4]) | self.zeros(&missing[4..]) << 4
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

/// In words 0 and 2 what the pairs of words of `a` have together, in words 1 and 3 the same of `b`.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn or_pairs(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_or_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)) }
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
