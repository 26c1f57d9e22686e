//! AVX-512 as Skylake-X has it, without VBMI.
//!
//! A block is one register. Shifts move the bytes of a product to their words, a rotation of 1 by each makes the
//! pattern, and one test of pattern against block tells which words miss a bit.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::cpu_has;
use super::hash512::{Hash512, load, missing, splat, spread, store};
use super::split512::Split512;
use crate::block::Block;
use crate::kernel::layout::Block512;
use crate::kernel::schedule::{Engine, GROUP, Group, Shape};
use crate::kernel::{Detected, EIGHT, FEWER, Row, by_class, functions};
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

    /// The bits of a key in its block.
    #[inline(always)]
    fn pattern(&self, key: Placement) -> __m512i {
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist.
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
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
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
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist.
        unsafe { missing(load(&block.0), self.pattern(key)) }
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Placement) -> u64 {
        let pattern = self.pattern(key);
        // SAFETY: as in `missing`.
        unsafe {
            let before = load(&block.0);
            store(&mut block.0, _mm512_or_si512(before, pattern));
            missing(before, pattern)
        }
    }

    #[inline(always)]
    fn is_present(&self, missing: u64) -> bool {
        missing == 0
    }

    #[inline(always)]
    fn are_present(&self, missing: &[u64; GROUP]) -> u8 {
        self.0.zeros(missing)
    }
}
