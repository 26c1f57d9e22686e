//! Split blocks: one register.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::{Factor, load, mix, splat, store_lanes};
use crate::block::HalfBlock;
use crate::kernel::engine::{Engine, Found, GROUP, Group, Shape};
use crate::kernel::layout::SplitBlock;
use crate::kernel::x86_64::split256;
use crate::kernel::{Detected, EIGHT};

pub(super) struct Avx2Split<const CLASS: u8, const MIX: bool> {
    shape: Shape,
    blocks: Factor,
}

impl<const MIX: bool> Avx2Split<EIGHT, MIX> {
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
            store_lanes(&mut group.first, half, h);
            let product = self.blocks.times(_mm256_srli_epi64::<32>(h));
            // The upper half of the product is the block; 32 times that is the product moved down by 27, its low bits cleared.
            let offset = _mm256_and_si256(_mm256_srli_epi64::<27>(product), splat(!31));
            store_lanes(&mut group.offset, half, offset);
        }
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// `prepare` writes all lanes of `offset` and `first`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const MIX: bool> Engine for Avx2Split<EIGHT, MIX> {
    type Layout = SplitBlock;
    const CLASS: u8 = EIGHT;
    const MIX: bool = MIX;

    /// The missing bits.
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
    fn missing(&self, block: &HalfBlock, hash: u64) -> __m256i {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe { split256::missing(block, hash) }
    }

    #[inline(always)]
    fn insert(&self, block: &mut HalfBlock, hash: u64) -> __m256i {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe { split256::insert(block, hash) }
    }

    #[inline(always)]
    fn is_present(&self, missing: __m256i) -> bool {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        unsafe { split256::is_zero(missing) }
    }

    #[inline(always)]
    fn keep(&self, missing: &[__m256i; GROUP], found: &mut Found) {
        // SAFETY: the CPU has AVX2, or `self` would not exist.
        found.set_answers(unsafe { split256::are_zero(missing) });
    }
}
