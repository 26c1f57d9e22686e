//! Split blocks: eight words in a vector.

use wide::u32x8;

use crate::block::HalfBlock;
use crate::kernel::engine::{Engine, Shape};
use crate::kernel::layout::SplitBlock;
use crate::kernel::{Detected, EIGHT};
use crate::scheme::split::{PLACE_SHIFT, SALT};

pub(super) struct PortableSplit<const CLASS: u8, const MIX: bool>(Shape);

impl<const MIX: bool> PortableSplit<EIGHT, MIX> {
    #[inline(always)]
    pub(super) fn new(_: Detected, shape: Shape) -> Self {
        Self(shape)
    }

    #[inline(always)]
    fn pattern(&self, hash: u64) -> u32x8 {
        let products = u32x8::splat(hash as u32) * u32x8::new(SALT);
        u32x8::splat(1) << (products >> PLACE_SHIFT)
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// The default `prepare` writes each lane with `Layout::put`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const MIX: bool> Engine for PortableSplit<EIGHT, MIX> {
    type Layout = SplitBlock;
    const CLASS: u8 = EIGHT;
    const MIX: bool = MIX;

    type Missing = u32;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        &self.0
    }

    #[inline(always)]
    fn missing(&self, block: &HalfBlock, hash: u64) -> u32 {
        any(self.pattern(hash) & !u32x8::new(block.0))
    }

    #[inline(always)]
    fn insert(&self, block: &mut HalfBlock, hash: u64) -> u32 {
        let pattern = self.pattern(hash);
        let before = u32x8::new(block.0);
        block.0 = (before | pattern).to_array();
        any(pattern & !before)
    }

    #[inline(always)]
    fn is_present(&self, missing: u32) -> bool {
        missing == 0
    }
}

/// 0 when no bit is set.
#[inline(always)]
fn any(bits: u32x8) -> u32 {
    bits.to_array().into_iter().fold(0, |all, word| all | word)
}
