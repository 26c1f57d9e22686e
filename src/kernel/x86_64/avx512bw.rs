//! AVX-512 as Skylake-X has it, without VBMI.
//!
//! A block is one register. Shifts move the bytes of a product to their words, a rotation of 1 by each makes the
//! pattern, and one test of pattern against block tells which words miss a bit.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::cpu_has;
use super::hash512::{Hash512, splat};
use crate::block::Block;
use crate::kernel::schedule::{Engine, GROUP, Group, Parameters, Products};
use crate::kernel::{Detected, EIGHT, MORE, Row, functions};

pub(in crate::kernel) const ROW: Row = Row {
    name: "avx512bw",
    needs: "AVX-512 F, BW, DQ",
    detect: || cpu_has!("avx512f", "avx512bw", "avx512dq"),
    functions: functions!(Avx512, #[target_feature(enable = "avx512f,avx512bw,avx512dq")]),
};

struct Avx512<const CLASS: u8, const MIX: bool> {
    hash: Hash512,
    k: u32,
}

impl<const CLASS: u8, const MIX: bool> Avx512<CLASS, MIX> {
    #[inline(always)]
    fn new(detected: Detected, parameters: &Parameters, blocks: usize) -> Self {
        Self { hash: Hash512::new(detected, parameters.seed, blocks), k: parameters.k }
    }

    /// The bits of a key, and the words that have any.
    #[inline(always)]
    fn pattern(&self, key: Products) -> (__m512i, __mmask8) {
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist.
        unsafe {
            let one = splat(1);
            // A rotation takes its count modulo 64, which leaves the low six bits of the byte that was moved down.
            let shifts = _mm512_setr_epi64(0, 8, 16, 24, 32, 40, 48, 56);
            let first = _mm512_rolv_epi64(one, _mm512_srlv_epi64(splat(key.first), shifts));
            match CLASS {
                EIGHT => (first, 0xff),
                MORE => {
                    let shifts = _mm512_setr_epi64(56, 48, 40, 32, 24, 16, 8, 0);
                    let second = _mm512_rolv_epi64(one, _mm512_srlv_epi64(splat(key.second), shifts));
                    (_mm512_mask_or_epi64(first, key.run(self.k), first, second), 0xff)
                }
                _ => (first, key.run(self.k)),
            }
        }
    }
}

impl<const CLASS: u8, const MIX: bool> Engine for Avx512<CLASS, MIX> {
    #[inline(always)]
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group) {
        if CLASS == MORE {
            self.hash.prepare::<MIX, true>(words, group);
        } else {
            self.hash.prepare::<MIX, false>(words, group);
        }
    }

    #[inline(always)]
    fn contains(&self, block: &Block, key: Products) -> bool {
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist; a `Block` is 64 bytes.
        unsafe {
            let (pattern, words) = self.pattern(key);
            let block = _mm512_loadu_si512(block.0.as_ptr().cast());
            if CLASS == MORE {
                // A word can miss one of two bits: compare for equality instead.
                _mm512_cmpneq_epi64_mask(_mm512_and_si512(block, pattern), pattern) == 0
            } else {
                _mm512_mask_testn_epi64_mask(words, block, pattern) == 0
            }
        }
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Products) -> bool {
        let present = self.contains(block, key);
        // SAFETY: as in `contains`.
        unsafe {
            let (pattern, words) = self.pattern(key);
            let address: *mut __m512i = block.0.as_mut_ptr().cast();
            let before = _mm512_loadu_si512(address.cast_const());
            _mm512_storeu_si512(address, _mm512_mask_or_epi64(before, words, before, pattern));
        }
        present
    }
}
