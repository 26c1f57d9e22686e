//! Split blocks, word by word.

use crate::block::HalfBlock;
use crate::kernel::engine::{Engine, Shape};
use crate::kernel::layout::SplitBlock;
use crate::kernel::{Detected, EIGHT};
use crate::scheme::split::place;

pub(super) struct ScalarSplit<const CLASS: u8, const MIX: bool>(Shape);

impl<const MIX: bool> ScalarSplit<EIGHT, MIX> {
    #[inline(always)]
    pub(super) fn new(_: Detected, shape: Shape) -> Self {
        Self(shape)
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// The default `prepare` writes each lane with `Layout::put`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const MIX: bool> Engine for ScalarSplit<EIGHT, MIX> {
    type Layout = SplitBlock;
    const CLASS: u8 = EIGHT;
    const MIX: bool = MIX;

    /// 1 when a bit is missing.
    type Missing = u32;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        &self.0
    }

    #[inline(always)]
    fn missing(&self, block: &HalfBlock, hash: u64) -> u32 {
        let all = block.0.iter().enumerate().fold(u32::MAX, |all, (w, word)| all & word >> place(hash, w));
        !all & 1
    }

    #[inline(always)]
    fn insert(&self, block: &mut HalfBlock, hash: u64) -> u32 {
        let missing = self.missing(block, hash);
        for (w, word) in block.0.iter_mut().enumerate() {
            *word |= 1 << place(hash, w);
        }
        missing
    }

    #[inline(always)]
    fn is_present(&self, missing: u32) -> bool {
        missing == 0
    }
}
