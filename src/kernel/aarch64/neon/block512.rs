//! Blocks of 64 bytes: four registers.
//!
//! Shifts move the bytes of a product to their words, a shift of 1 by each makes the pattern, and one and-not per
//! register tells whether a bit is missing.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::{are_zero, is_zero};
use crate::block::Block;
use crate::kernel::engine::{Engine, Found, GROUP, Shape};
use crate::kernel::layout::Block512;
use crate::kernel::{Detected, EIGHT, FEWER};
use crate::scheme::block512::Placement;

pub(super) struct Neon<const CLASS: u8, const MIX: bool>(Shape);

/// The shift that brings byte w of a product down to the low end of word w: −8w, in two's complement.
const DOWN: [u64; 8] = [0, !7, !15, !23, !31, !39, !47, !55];

/// The low six bits of every byte.
const PLACES: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// Eight words, two to a register.
type Registers = [uint64x2_t; 4];

impl<const CLASS: u8, const MIX: bool> Neon<CLASS, MIX> {
    #[inline(always)]
    pub(super) fn new(_: Detected, shape: Shape) -> Self {
        Self(shape)
    }

    /// The bits of a key in its block.
    #[inline(always)]
    fn pattern(&self, key: Placement) -> Registers {
        const NONE: u64 = 0x4040_4040_4040_4040;
        // A shift by 64 leaves nothing of the bit of a word that is not in the run.
        let none = !key.run & NONE;
        let (first, second) = (key.first & PLACES, key.second & PLACES | none);
        match CLASS {
            EIGHT => self.bits(first),
            FEWER => self.bits(first | none),
            _ => {
                let mut pattern = self.bits(first);
                let second = self.bits(second);
                for i in 0..4 {
                    // SAFETY: the target has NEON, or this file would not be compiled.
                    pattern[i] = unsafe { vorrq_u64(pattern[i], second[i]) };
                }
                pattern
            }
        }
    }

    /// In each word one bit: the one that the word's byte names, or none for 64 and more.
    #[inline(always)]
    fn bits(&self, places: u64) -> Registers {
        let down = self.load(&DOWN);
        // SAFETY: the target has NEON, or this file would not be compiled.
        unsafe {
            let one = vdupq_n_u64(1);
            let places = vdupq_n_u64(places);
            let mut bits = [one; 4];
            for i in 0..4 {
                // A shift takes its count from the lowest byte of a lane; the bytes above it, of other words, may stay.
                let place = vshlq_u64(places, vreinterpretq_s64_u64(down[i]));
                bits[i] = vshlq_u64(one, vreinterpretq_s64_u64(place));
            }
            bits
        }
    }

    /// The bits of the pattern that the block lacks, in any of the words that share a lane.
    #[inline(always)]
    fn missing_of(&self, block: Registers, pattern: Registers) -> uint64x2_t {
        // SAFETY: the target has NEON, or this file would not be compiled.
        unsafe {
            let low = vorrq_u64(vbicq_u64(pattern[0], block[0]), vbicq_u64(pattern[1], block[1]));
            let high = vorrq_u64(vbicq_u64(pattern[2], block[2]), vbicq_u64(pattern[3], block[3]));
            vorrq_u64(low, high)
        }
    }

    #[inline(always)]
    fn load(&self, words: &[u64; 8]) -> Registers {
        // SAFETY: the target has NEON, or this file would not be compiled. The loads read words 0 to 7 of eight.
        unsafe {
            let words = words.as_ptr();
            [vld1q_u64(words), vld1q_u64(words.add(2)), vld1q_u64(words.add(4)), vld1q_u64(words.add(6))]
        }
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// The default `prepare` writes each lane with `Layout::put`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const CLASS: u8, const MIX: bool> Engine for Neon<CLASS, MIX> {
    type Layout = Block512;
    const CLASS: u8 = CLASS;
    const MIX: bool = MIX;

    /// The missing bits of all even words together in lane 0, of all odd ones in lane 1.
    type Missing = uint64x2_t;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        &self.0
    }

    #[inline(always)]
    fn missing(&self, block: &Block, key: Placement) -> uint64x2_t {
        self.missing_of(self.load(&block.0), self.pattern(key))
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Placement) -> uint64x2_t {
        let pattern = self.pattern(key);
        let before = self.load(&block.0);
        for i in 0..4 {
            // SAFETY: the target has NEON, or this file would not be compiled. The stores write words 0 to 7 of eight.
            unsafe { vst1q_u64(block.0.as_mut_ptr().add(2 * i), vorrq_u64(before[i], pattern[i])) }
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
