//! AVX-512 as Skylake-X has it, without VBMI.
//!
//! A block is one register. A key's bits are laid out in another one, and one test of the two tells which words miss a bit.
#![allow(unsafe_code)]

use super::cpu_has;
use super::hash512::{Hash512, load, missing, pattern, set};
use super::split512::Split512;
use crate::block::Block;
use crate::kernel::engine::{Engine, Found, GROUP, Group, Shape};
use crate::kernel::layout::Block512;
use crate::kernel::{Detected, EIGHT, Row, by_class, functions};
use crate::scheme::block512::Placement;

pub(in crate::kernel) const ROW: Row = Row {
    name: "avx512bw",
    needs: "AVX-512 F, BW, DQ",
    detect: || cpu_has!("avx512f", "avx512bw", "avx512dq"),
    block512: by_class!(Avx512, #[target_feature(enable = "avx512f,avx512bw,avx512dq")]),
    split: functions!(Split512, EIGHT, #[target_feature(enable = "avx512f,avx512bw,avx512dq")]),
};

struct Avx512<const CLASS: u8, const MIX: bool>(Hash512);

impl<const CLASS: u8, const MIX: bool> Avx512<CLASS, MIX> {
    #[inline(always)]
    fn new(detected: Detected, shape: Shape) -> Self {
        Self(Hash512::new(detected, shape))
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// `prepare` writes whole registers of lanes: see `Hash512::prepare`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const CLASS: u8, const MIX: bool> Engine for Avx512<CLASS, MIX> {
    type Layout = Block512;
    const CLASS: u8 = CLASS;
    const MIX: bool = MIX;

    /// A bit for each bit or word that is missing.
    type Missing = u64;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    #[inline(always)]
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group) {
        self.0.prepare::<CLASS, MIX>(words, group);
    }

    #[inline(always)]
    fn missing(&self, block: &Block, key: Placement) -> u64 {
        // SAFETY: the CPU has AVX-512 F and DQ, or `self` would not exist.
        unsafe { missing(load(&block.0), pattern::<CLASS>(key)) }
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Placement) -> u64 {
        // SAFETY: as in `missing`.
        unsafe { set(block, pattern::<CLASS>(key)) }
    }

    #[inline(always)]
    fn is_present(&self, missing: u64) -> bool {
        missing == 0
    }

    #[inline(always)]
    fn keep(&self, missing: &[u64; GROUP], found: &mut Found) {
        found.set_answers(self.0.zeros(missing));
    }
}
