//! What both AVX-512 kernels share: hashing eight keys in one register, and the bits of one key.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use crate::block::Block;
use crate::hash::{MIX_1, MIX_2, MIX_SHIFTS};
use crate::kernel::engine::{GROUP, Group, Lanes, Shape};
use crate::kernel::{Detected, EIGHT, FEWER, MORE};
use crate::scheme::block512::{self, FIRST, FOLD, Placement, SECOND};

/// The integer mixer, the range reduction and the placement, eight lanes at a time. A value exists only where AVX-512 F
/// and DQ were detected.
pub(super) struct Hash512 {
    shape: Shape,
    /// The number of blocks in every lane.
    blocks: __m512i,
}

impl Hash512 {
    #[inline(always)]
    pub(super) fn new(_: Detected, shape: Shape) -> Self {
        // SAFETY: the CPU has AVX-512 F, or there would be no `Detected`.
        let blocks = unsafe { splat(shape.blocks as u64) };
        Self { shape, blocks }
    }

    /// The products of the number of blocks with the low halves of the lanes.
    ///
    /// The number is read from memory each time: of a register that lives through a loop, the compiler does not know that
    /// its lanes are below 2^32, and would multiply 64 bits by 64.
    #[inline(always)]
    fn times_blocks(&self, lanes: __m512i) -> __m512i {
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist; a reference is valid for reads.
        unsafe { _mm512_mul_epu32(lanes, core::ptr::read_volatile(&self.blocks)) }
    }

    #[inline(always)]
    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Fills a group from eight words: integers to be mixed (`MIX`) or hashes.
    #[inline(always)]
    pub(super) fn prepare<const CLASS: u8, const MIX: bool>(&self, words: &[u64; GROUP], group: &mut Group) {
        // SAFETY: the CPU has AVX-512 F and DQ, or `self` would not exist.
        unsafe {
            let mut h = load(words);
            if MIX {
                h = self.mix(h);
            }
            // high 64 bits of h × blocks, with blocks below 2^32: two products of 32 bits, and no overflow.
            let low = _mm512_srli_epi64::<32>(self.times_blocks(h));
            let sum = _mm512_add_epi64(self.times_blocks(_mm512_srli_epi64::<32>(h)), low);
            // The upper half of the sum is the block; 64 times that is the sum moved down by 26, its low bits cleared.
            let offset = _mm512_and_si512(_mm512_srli_epi64::<26>(sum), splat(!63));
            store_lanes(&mut group.offset, offset);
            let first = _mm512_mullo_epi64(h, splat(FIRST));
            store_lanes(&mut group.first, first);
            if CLASS != EIGHT {
                let high = _mm512_and_si512(_mm512_srli_epi64::<59>(first), splat(0x18));
                let low = _mm512_and_si512(_mm512_srli_epi64::<49>(first), splat(0x20));
                let run = splat(block512::run_from_0(self.shape.k));
                store_lanes(&mut group.run, _mm512_rolv_epi64(run, _mm512_or_si512(high, low)));
            }
            if CLASS == MORE {
                let folded = _mm512_xor_si512(first, _mm512_srli_epi64::<FOLD>(first));
                store_lanes(&mut group.second, _mm512_mullo_epi64(folded, splat(SECOND)));
            }
        }
    }

    /// [`prepare`](Self::prepare) for split blocks.
    #[inline(always)]
    pub(super) fn prepare_split<const MIX: bool>(&self, words: &[u64; GROUP], group: &mut Group) {
        // SAFETY: the CPU has AVX-512 F and DQ, or `self` would not exist.
        unsafe {
            let mut h = load(words);
            if MIX {
                h = self.mix(h);
            }
            store_lanes(&mut group.first, h);
            let product = self.times_blocks(_mm512_srli_epi64::<32>(h));
            // The upper half of the product is the block; 32 times that is the product moved down by 27, its low bits cleared.
            let offset = _mm512_and_si512(_mm512_srli_epi64::<27>(product), splat(!31));
            store_lanes(&mut group.offset, offset);
        }
    }

    /// Bit i of the answer is set when word i is 0.
    #[inline(always)]
    pub(super) fn zeros(&self, words: &[u64; GROUP]) -> u8 {
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist.
        unsafe {
            let words = load(words);
            _mm512_testn_epi64_mask(words, words)
        }
    }

    /// [`Seed::mix`] in every lane.
    #[inline(always)]
    fn mix(&self, keys: __m512i) -> __m512i {
        let seed = &self.shape.seed;
        const S: [u32; 3] = MIX_SHIFTS;
        // SAFETY: the CPU has AVX-512 F and DQ, or `self` would not exist.
        unsafe {
            let mut h = _mm512_xor_si512(keys, splat(seed.before));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<{ S[0] }>(h));
            h = _mm512_add_epi64(_mm512_mullo_epi64(h, splat(MIX_1)), splat(seed.between));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<{ S[1] }>(h));
            h = _mm512_mullo_epi64(h, splat(MIX_2));
            _mm512_xor_si512(h, _mm512_srli_epi64::<{ S[2] }>(h))
        }
    }
}

/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn splat(word: u64) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_set1_epi64(word as i64) }
}

/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn load(words: &[u64; 8]) -> __m512i {
    // SAFETY: the caller's promise; eight words are 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn store(words: &mut [u64; 8], value: __m512i) {
    // SAFETY: the caller's promise; eight words are 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), value) }
}

/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn store_lanes(lanes: &mut Lanes, value: __m512i) {
    // SAFETY: the caller's promise; eight words are 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), value) }
}

/// Each of eight bytes of 0 or 0xff as a word of 0 or all ones.
///
/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn spread(bytes: u64) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_cvtepi8_epi64(_mm_cvtsi64_si128(bytes as i64)) }
}

/// 0 when every bit of the pattern is set in the block.
///
/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn missing(block: __m512i, pattern: __m512i) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let missing = _mm512_andnot_si512(block, pattern);
        u64::from(_mm512_test_epi64_mask(missing, missing))
    }
}

/// Sets the bits of the pattern, and returns what was missing.
///
/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn set(block: &mut Block, pattern: __m512i) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let before = load(&block.0);
        store(&mut block.0, _mm512_or_si512(before, pattern));
        missing(before, pattern)
    }
}

/// The bits of a key in its block: shifts move the bytes of a product to their words, and 1 is rotated by each.
///
/// # Safety
///
/// The CPU has AVX-512 F and DQ.
#[inline(always)]
pub(super) unsafe fn pattern<const CLASS: u8>(key: Placement) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let one = splat(1);
        // A rotation takes its count modulo 64, which leaves the low six bits of the byte that was moved down.
        let shifts = _mm512_setr_epi64(0, 8, 16, 24, 32, 40, 48, 56);
        let first = _mm512_rolv_epi64(one, _mm512_srlv_epi64(splat(key.first), shifts));
        match CLASS {
            EIGHT => first,
            FEWER => _mm512_and_si512(first, spread(key.run)),
            _ => {
                let second = _mm512_rolv_epi64(one, _mm512_srlv_epi64(splat(key.second), shifts));
                _mm512_or_si512(first, _mm512_and_si512(second, spread(key.run)))
            }
        }
    }
}
