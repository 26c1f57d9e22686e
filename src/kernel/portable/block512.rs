//! Blocks of 64 bytes: eight words in a vector.

use wide::u64x8;

use crate::block::Block;
use crate::kernel::engine::{Engine, Shape};
use crate::kernel::layout::Block512;
use crate::kernel::{Detected, EIGHT, MORE};
use crate::scheme::block512::Placement;

pub(super) struct Portable<const CLASS: u8, const MIX: bool>(Shape);

/// Moves byte w of a product down to the low end of lane w.
const DOWN: [u64; 8] = [0, 8, 16, 24, 32, 40, 48, 56];

impl<const CLASS: u8, const MIX: bool> Portable<CLASS, MIX> {
    #[inline(always)]
    pub(super) fn new(_: Detected, shape: Shape) -> Self {
        Self(shape)
    }

    #[inline(always)]
    fn pattern(&self, key: Placement) -> u64x8 {
        let one = u64x8::splat(1);
        let bits = |product| one << (u64x8::splat(product) >> u64x8::new(DOWN) & u64x8::splat(63));
        let first = bits(key.first);
        if CLASS == EIGHT {
            return first;
        }
        let in_run = u64x8::new(core::array::from_fn(|w| key.in_run(w)));
        if CLASS == MORE { first | bits(key.second) & in_run } else { first & in_run }
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// The default `prepare` writes each lane with `Layout::put`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const CLASS: u8, const MIX: bool> Engine for Portable<CLASS, MIX> {
    type Layout = Block512;
    const CLASS: u8 = CLASS;
    const MIX: bool = MIX;

    type Missing = u64;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        &self.0
    }

    #[inline(always)]
    fn missing(&self, block: &Block, key: Placement) -> u64 {
        any(self.pattern(key) & !u64x8::new(block.0))
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Placement) -> u64 {
        let pattern = self.pattern(key);
        let before = u64x8::new(block.0);
        block.0 = (before | pattern).to_array();
        any(pattern & !before)
    }

    #[inline(always)]
    fn is_present(&self, missing: u64) -> bool {
        missing == 0
    }
}

/// 0 when no bit is set.
#[inline(always)]
fn any(bits: u64x8) -> u64 {
    bits.to_array().into_iter().fold(0, |all, word| all | word)
}
