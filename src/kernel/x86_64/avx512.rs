//! AVX-512 with VBMI and BITALG (Ice Lake, Zen 4 and later).
//!
//! A block is one register. One instruction spreads the bytes of a product over the words, one gathers the bits that
//! the bytes name: a key is present when all gathered bits are set.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::cpu_has;
use super::hash512::{Hash512, splat};
use crate::block::Block;
use crate::kernel::schedule::{Engine, GROUP, Group, Parameters, Products};
use crate::kernel::{Detected, EIGHT, FEWER, MORE, Row, functions};
use crate::scheme::block512;

pub(in crate::kernel) const ROW: Row = Row {
    name: "avx512",
    needs: "AVX-512 F, BW, DQ, VBMI, BITALG",
    detect: || cpu_has!("avx512f", "avx512bw", "avx512dq", "avx512vbmi", "avx512bitalg"),
    functions: functions!(
        Vbmi,
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,avx512bitalg")]
    ),
};

struct Vbmi<const CLASS: u8, const MIX: bool> {
    hash: Hash512,
    k: u32,
}

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
        Self { hash: Hash512::new(detected, parameters.seed, blocks), k: parameters.k }
    }

    /// In every byte of word w, the byte of the first product that places the bit of word w.
    #[inline(always)]
    fn first(key: Products) -> __m512i {
        // SAFETY: the CPU has AVX-512 VBMI, or no value of this type would exist to call this.
        unsafe { _mm512_multishift_epi64_epi8(load(&UP), splat(key.first)) }
    }

    #[inline(always)]
    fn second(key: Products) -> __m512i {
        // SAFETY: as in `first`.
        unsafe { _mm512_multishift_epi64_epi8(load(&DOWN), splat(key.second)) }
    }
}

impl<const CLASS: u8, const MIX: bool> Engine for Vbmi<CLASS, MIX> {
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
        // SAFETY: the CPU has AVX-512 BITALG, or `self` would not exist; a `Block` is 64 bytes.
        unsafe {
            let block = _mm512_loadu_si512(block.0.as_ptr().cast());
            match CLASS {
                EIGHT => _mm512_bitshuffle_epi64_mask(block, Self::first(key)) == u64::MAX,
                FEWER => {
                    let bits = _mm512_bitshuffle_epi64_mask(block, Self::first(key));
                    bits | block512::outside_run(self.k, key.first) == u64::MAX
                }
                _ => {
                    let first = _mm512_bitshuffle_epi64_mask(block, Self::first(key));
                    let second = _mm512_bitshuffle_epi64_mask(block, Self::second(key));
                    first & (second | block512::outside_run(self.k, key.first)) == u64::MAX
                }
            }
        }
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Products) -> bool {
        // SAFETY: as in `contains`.
        unsafe {
            let one = splat(1);
            let address: *mut __m512i = block.0.as_mut_ptr().cast();
            let before = _mm512_loadu_si512(address.cast_const());
            // A rotation takes its count modulo 64: the low six bits of the byte in each word.
            let first = _mm512_rolv_epi64(one, Self::first(key));
            let pattern = match CLASS {
                EIGHT => first,
                FEWER => _mm512_maskz_mov_epi64(key.run(self.k), first),
                _ => {
                    let second = _mm512_rolv_epi64(one, Self::second(key));
                    _mm512_mask_or_epi64(first, key.run(self.k), first, second)
                }
            };
            _mm512_storeu_si512(address, _mm512_or_si512(before, pattern));
            _mm512_cmpneq_epi64_mask(_mm512_and_si512(before, pattern), pattern) == 0
        }
    }
}

/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn load(words: &[u64; 8]) -> __m512i {
    // SAFETY: the caller's promise; eight words are 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}
