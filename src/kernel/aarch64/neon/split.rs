//! Split blocks: two registers.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::{are_zero, is_zero};
use crate::block::HalfBlock;
use crate::kernel::engine::{Engine, Found, GROUP, Shape};
use crate::kernel::layout::SplitBlock;
use crate::kernel::{Detected, EIGHT};
use crate::scheme::split::{PLACE_SHIFT, SALT};

pub(super) struct NeonSplit<const CLASS: u8, const MIX: bool>(Shape);

/// Eight words, four to a register.
type Registers = [uint32x4_t; 2];

impl<const MIX: bool> NeonSplit<EIGHT, MIX> {
    #[inline(always)]
    pub(super) fn new(_: Detected, shape: Shape) -> Self {
        Self(shape)
    }

    /// In each word the bit of a key.
    #[inline(always)]
    fn pattern(&self, hash: u64) -> Registers {
        let mut pattern = self.load(&SALT);
        for words in &mut pattern {
            // SAFETY: the target has NEON, or this file would not be compiled.
            unsafe {
                let places = vshrq_n_u32::<{ PLACE_SHIFT as i32 }>(vmulq_n_u32(*words, hash as u32));
                *words = vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(places));
            }
        }
        pattern
    }

    /// The bits of the pattern that the block lacks, in any of the words that share a lane.
    #[inline(always)]
    fn missing_of(&self, block: Registers, pattern: Registers) -> uint64x2_t {
        // SAFETY: the target has NEON, or this file would not be compiled.
        unsafe {
            let missing = vorrq_u32(vbicq_u32(pattern[0], block[0]), vbicq_u32(pattern[1], block[1]));
            vreinterpretq_u64_u32(missing)
        }
    }

    #[inline(always)]
    fn load(&self, words: &[u32; 8]) -> Registers {
        // SAFETY: the target has NEON, or this file would not be compiled. The loads read words 0 to 7 of eight.
        unsafe { [vld1q_u32(words.as_ptr()), vld1q_u32(words.as_ptr().add(4))] }
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// The default `prepare` writes each lane with `Layout::put`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const MIX: bool> Engine for NeonSplit<EIGHT, MIX> {
    type Layout = SplitBlock;
    const CLASS: u8 = EIGHT;
    const MIX: bool = MIX;

    /// The missing bits of words w and w + 4 together.
    type Missing = uint64x2_t;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        &self.0
    }

    #[inline(always)]
    fn missing(&self, block: &HalfBlock, hash: u64) -> uint64x2_t {
        self.missing_of(self.load(&block.0), self.pattern(hash))
    }

    #[inline(always)]
    fn insert(&self, block: &mut HalfBlock, hash: u64) -> uint64x2_t {
        let pattern = self.pattern(hash);
        let before = self.load(&block.0);
        for i in 0..2 {
            // SAFETY: the target has NEON, or this file would not be compiled. The stores write words 0 to 7 of eight.
            unsafe { vst1q_u32(block.0.as_mut_ptr().add(4 * i), vorrq_u32(before[i], pattern[i])) }
        }
        self.missing_of(before, pattern)
    }

    #[inline(always)]
    fn is_present(&self, missing: uint64x2_t) -> bool {
        is_zero(missing)
    }

    #[inline(always)]
    fn keep(&self, missing: &[uint64x2_t; GROUP], found: &mut Found) {
        found.set_answers(are_zero(missing));
    }
}
