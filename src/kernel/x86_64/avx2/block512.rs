//! Blocks of 64 bytes: two registers.
//!
//! A shuffle brings the bytes of a product to their words, a shift of 1 by each makes the pattern, and one and-not per half
//! finds the missing bits.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::{Factor, load, mix, splat, store, store_lanes, times};
use crate::block::Block;
use crate::kernel::engine::{Engine, Found, GROUP, Group, Prepared, Shape};
use crate::kernel::layout::Block512;
use crate::kernel::x86_64::split256::{are_zero, is_zero};
use crate::kernel::{Detected, EIGHT, FEWER, MORE};
use crate::scheme::block512::{self, FIRST, FOLD, Placement, SECOND};

/// The low six bits of every byte.
const PLACES: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// In place of a word's byte, that there is no bit in the word: a shift by 64 or more leaves nothing of the bit.
const NONE: u64 = 0x4040_4040_4040_4040;

pub(super) struct Avx2<const CLASS: u8, const MIX: bool> {
    shape: Shape,
    blocks: Factor,
}

impl<const CLASS: u8, const MIX: bool> Avx2<CLASS, MIX> {
    #[inline(always)]
    pub(super) fn new(detected: Detected, shape: Shape) -> Self {
        Self { shape, blocks: Factor::new(detected, shape.blocks as u32) }
    }

    /// Hashes half a group.
    #[inline(always)]
    fn prepare_half(&self, words: &[u64], group: &mut Group, half: usize) {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let mut h = load(&words[4 * half..]);
            if MIX {
                h = mix(&self.shape.seed, h);
            }
            // high 64 bits of h × blocks, with blocks below 2^32: two products of 32 bits, and no overflow.
            let low = _mm256_srli_epi64::<32>(self.blocks.times(h));
            let sum = _mm256_add_epi64(self.blocks.times(_mm256_srli_epi64::<32>(h)), low);
            // The upper half of the sum is the block; 64 times that is the sum moved down by 26, its low bits cleared.
            let offset = _mm256_and_si256(_mm256_srli_epi64::<26>(sum), splat(!63));
            store_lanes(&mut group.offset, half, offset);
            let first = times(h, FIRST);
            let places = splat(PLACES);
            // What keeps the bits of a word out of the pattern, where there is such a word.
            let none = if CLASS == EIGHT { _mm256_setzero_si256() } else { self.none(first) };
            let mut first_places = _mm256_and_si256(first, places);
            if CLASS == FEWER {
                first_places = _mm256_or_si256(first_places, none);
            }
            store_lanes(&mut group.first, half, first_places);
            if CLASS == MORE {
                let folded = _mm256_xor_si256(first, _mm256_srli_epi64::<{ FOLD as i32 }>(first));
                let second_places = _mm256_and_si256(times(folded, SECOND), places);
                store_lanes(&mut group.second, half, _mm256_or_si256(second_places, none));
            }
        }
    }

    /// [`NONE`] for the words that are not in the runs of four keys, from their first products.
    #[inline(always)]
    fn none(&self, first: __m256i) -> __m256i {
        let none_from_0 = !block512::run_from_0(self.shape.k) & NONE;
        // Bytes 0 to 3 for a run that starts at word 0, 1, … 7. Bytes 4 to 7 are those of a run that starts four words later.
        let mut table = [0; 4];
        for (i, two) in table.iter_mut().enumerate() {
            let low = |start: u32| none_from_0.rotate_left(8 * start) & 0xffff_ffff;
            *two = low(2 * i as u32) | low(2 * i as u32 + 1) << 32;
        }
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            // Three bits say where the run starts; the lookup takes its index from the low three of each half-word.
            let low = _mm256_srli_epi64::<62>(first);
            let high = _mm256_and_si256(_mm256_srli_epi64::<52>(first), splat(4));
            let start = _mm256_or_si256(low, high);
            let starts = _mm256_xor_si256(_mm256_shuffle_epi32::<0b10_10_00_00>(start), splat(4 << 32));
            _mm256_permutevar8x32_epi32(load(&table), starts)
        }
    }

    /// The bits of a key in the lower and the upper half of its block. Each argument holds, for the key that `odd` tells, a byte
    /// for each word: the place, or [`NONE`].
    #[inline(always)]
    fn pattern(&self, first: __m256i, second: __m256i, odd: usize) -> [__m256i; 2] {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe {
            let first = bits(first, odd);
            if CLASS != MORE {
                return first;
            }
            let second = bits(second, odd);
            [_mm256_or_si256(first[0], second[0]), _mm256_or_si256(first[1], second[1])]
        }
    }

    #[inline(always)]
    fn pattern_of(&self, key: Placement) -> [__m256i; 2] {
        let none = !key.run & NONE;
        let first = key.first & PLACES;
        let (first, second) = match CLASS {
            EIGHT => (first, 0),
            FEWER => (first | none, 0),
            _ => (first, key.second & PLACES | none),
        };
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe { self.pattern(splat(first), splat(second), 0) }
    }

    #[inline(always)]
    fn pattern_in_lane(&self, keys: Prepared<'_, Self>, lane: usize) -> [__m256i; 2] {
        let second = if CLASS == MORE { keys.second() } else { keys.first() };
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        let (first, second) = unsafe { (pair(keys.first(), lane / 2), pair(second, lane / 2)) };
        self.pattern(first, second, lane % 2)
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
// `prepare` writes whole registers of lanes: offsets, places and, for k > 8, second places; no runs.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const CLASS: u8, const MIX: bool> Engine for Avx2<CLASS, MIX> {
    type Layout = Block512;
    const CLASS: u8 = CLASS;
    const MIX: bool = MIX;
    // What keeps a word out of the run stands in the places.
    const WRITES_RUN: bool = false;

    /// The missing bits of words w, w + 4 together in lane w.
    type Missing = __m256i;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        &self.shape
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
    fn missing_in_lane(&self, block: &Block, keys: Prepared<'_, Self>, lane: usize) -> __m256i {
        self.lacks(block, self.pattern_in_lane(keys, lane))
    }

    #[inline(always)]
    fn insert_in_lane(&self, block: &mut Block, keys: Prepared<'_, Self>, lane: usize) -> __m256i {
        self.set(block, self.pattern_in_lane(keys, lane))
    }

    #[inline(always)]
    fn is_present(&self, missing: __m256i) -> bool {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe { is_zero(missing) }
    }

    #[inline(always)]
    fn keep(&self, missing: &[__m256i; GROUP], found: &mut Found) {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        found.set_answers(unsafe { are_zero(missing) });
    }
}

/// Words 2`number` and 2`number` + 1, twice: a load alone, where filling a register with one word takes a shuffle too.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn pair(words: &[u64; GROUP], number: usize) -> __m256i {
    let pair = &words.as_chunks::<2>().0[number];
    // SAFETY: the caller's promise; two words are 16 bytes, and the load needs no alignment.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(pair.as_ptr().cast())) }
}

/// In each word one bit: the one that the word's byte names, or none. The bytes are the lower eight of both halves of the
/// register, or with `odd` the upper eight.
///
/// # Safety
///
/// The CPU has AVX2.
#[inline(always)]
unsafe fn bits(places: __m256i, odd: usize) -> [__m256i; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        // A byte w to the low end of word w, and zeros above it: an index with its top bit set gives 0.
        let from = !0xff | (8 * odd as i64);
        let low = _mm256_setr_epi64x(from, from + 1, from + 2, from + 3);
        let high = _mm256_setr_epi64x(from + 4, from + 5, from + 6, from + 7);
        let one = splat(1);
        [
            _mm256_sllv_epi64(one, _mm256_shuffle_epi8(places, low)),
            _mm256_sllv_epi64(one, _mm256_shuffle_epi8(places, high)),
        ]
    }
}
