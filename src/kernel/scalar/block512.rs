//! Blocks of 64 bytes, word by word.

use crate::block::Block;
use crate::kernel::engine::{Engine, Shape};
use crate::kernel::layout::Block512;
use crate::kernel::{Detected, EIGHT, FEWER};
use crate::scheme::block512::Placement;

pub(super) struct Scalar<const CLASS: u8, const MIX: bool>(Shape);

impl<const CLASS: u8, const MIX: bool> Scalar<CLASS, MIX> {
    #[inline(always)]
    pub(super) fn new(_: Detected, shape: Shape) -> Self {
        Self(shape)
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// The default `prepare` writes each lane with `Layout::put`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const CLASS: u8, const MIX: bool> Engine for Scalar<CLASS, MIX> {
    type Layout = Block512;
    const CLASS: u8 = CLASS;
    const MIX: bool = MIX;

    /// 1 when a bit is missing.
    type Missing = u64;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        &self.0
    }

    // Shifts take their count modulo 64, as the places are meant.
    #[inline(always)]
    fn missing(&self, block: &Block, key: Placement) -> u64 {
        let mut all = u64::MAX;
        for (w, word) in block.0.iter().enumerate() {
            let first = word.wrapping_shr(key.place(w));
            all &= match CLASS {
                EIGHT => first,
                FEWER => first | !key.in_run(w),
                _ => first & (word.wrapping_shr(key.second_place(w)) | !key.in_run(w)),
            };
        }
        !all & 1
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Placement) -> u64 {
        let missing = self.missing(block, key);
        for (w, word) in block.0.iter_mut().enumerate() {
            let first = 1_u64.wrapping_shl(key.place(w));
            *word |= match CLASS {
                EIGHT => first,
                FEWER => first & key.in_run(w),
                _ => first | 1_u64.wrapping_shl(key.second_place(w)) & key.in_run(w),
            };
        }
        missing
    }

    #[inline(always)]
    fn is_present(&self, missing: u64) -> bool {
        missing == 0
    }
}
