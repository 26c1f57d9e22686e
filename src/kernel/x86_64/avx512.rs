//! AVX-512 with VBMI and BITALG (Ice Lake, Zen 4 and later).
//!
//! A block is one register. One instruction spreads the bytes of a product over the words, one gathers the bits that
//! the bytes name: a key is present when all gathered bits are set.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::cpu_has;
use super::hash512::{Hash512, load, missing, splat, spread, store};
use crate::block::Block;
use crate::kernel::schedule::{Engine, GROUP, Group, Parameters, Placement};
use crate::kernel::{Detected, EIGHT, FEWER, Row, functions};

pub(in crate::kernel) const ROW: Row = Row {
    name: "avx512",
    needs: "AVX-512 F, BW, DQ, VBMI, BITALG",
    detect: || cpu_has!("avx512f", "avx512bw", "avx512dq", "avx512vbmi", "avx512bitalg"),
    functions: functions!(
        Vbmi,
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,avx512bitalg")]
    ),
};

struct Vbmi<const CLASS: u8, const MIX: bool>(Hash512);

/// In every byte of word w, how far down the first product must move.
static UP: [u64; 8] = bytes_of([0, 8, 16, 24, 32, 40, 48, 56]);
/// The same for the second product, whose bytes are taken from the top.
static DOWN: [u64; 8] = bytes_of([56, 48, 40, 32, 24, 16, 8, 0]);

const fn bytes_of(mut words: [u64; 8]) -> [u64; 8] {
    let mut w = 0;
    while w < 8 {
        words[w] *= 0x0101_0101_0101_0101;
        w += 1;
    }
    words
}

impl<const CLASS: u8, const MIX: bool> Vbmi<CLASS, MIX> {
    #[inline(always)]
    fn new(detected: Detected, parameters: &Parameters, blocks: usize) -> Self {
        Self(Hash512::new(detected, parameters, blocks))
    }

    /// In every byte of word w, the byte of the first product that places the bit of word w.
    #[inline(always)]
    fn first(key: Placement) -> __m512i {
        // SAFETY: the CPU has AVX-512 VBMI, or no value of this type would exist to call this.
        unsafe { _mm512_multishift_epi64_epi8(load(&UP), splat(key.first)) }
    }

    #[inline(always)]
    fn second(key: Placement) -> __m512i {
        // SAFETY: as in `first`.
        unsafe { _mm512_multishift_epi64_epi8(load(&DOWN), splat(key.second)) }
    }
}

impl<const CLASS: u8, const MIX: bool> Engine for Vbmi<CLASS, MIX> {
    /// A bit for each bit or word that is missing.
    type Missing = u64;

    #[inline(always)]
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group) {
        self.0.prepare::<CLASS, MIX>(words, group);
    }

    #[inline(always)]
    fn missing(&self, block: &Block, key: Placement) -> u64 {
        // SAFETY: the CPU has AVX-512 BITALG, or `self` would not exist.
        unsafe {
            let block = load(&block.0);
            match CLASS {
                EIGHT => !_mm512_bitshuffle_epi64_mask(block, Self::first(key)),
                FEWER => {
                    let bits = _mm512_bitshuffle_epi64_mask(block, Self::first(key));
                    !bits & key.run
                }
                _ => {
                    let first = _mm512_bitshuffle_epi64_mask(block, Self::first(key));
                    let second = _mm512_bitshuffle_epi64_mask(block, Self::second(key));
                    !first | !second & key.run
                }
            }
        }
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Placement) -> u64 {
        // SAFETY: as in `contains`.
        unsafe {
            let one = splat(1);
            let before = load(&block.0);
            // A rotation takes its count modulo 64: the low six bits of the byte in each word.
            let first = _mm512_rolv_epi64(one, Self::first(key));
            let pattern = match CLASS {
                EIGHT => first,
                FEWER => _mm512_and_si512(first, spread(key.run)),
                _ => {
                    let second = _mm512_rolv_epi64(one, Self::second(key));
                    _mm512_or_si512(first, _mm512_and_si512(second, spread(key.run)))
                }
            };
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
