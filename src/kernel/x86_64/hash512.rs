//! Hashing eight keys in one 512-bit register, for both AVX-512 kernels.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use crate::hash::{MIX_1, MIX_2, MIX_SHIFTS, Seed};
use crate::kernel::Detected;
use crate::kernel::schedule::{GROUP, Group};
use crate::scheme::block512::{FIRST, SECOND};

/// The integer mixer and the range reduction, eight lanes at a time. A value exists only where AVX-512 F and DQ were
/// detected.
pub(super) struct Hash512 {
    seed: Seed,
    blocks: u64,
}

impl Hash512 {
    pub(super) fn new(_: Detected, seed: Seed, blocks: usize) -> Self {
        Self { seed, blocks: blocks as u64 }
    }

    /// Fills a group from eight words: integers to be mixed (`MIX`) or hashes.
    #[inline(always)]
    pub(super) fn prepare<const MIX: bool, const TWO: bool>(&self, words: &[u64; GROUP], group: &mut Group) {
        // SAFETY: the CPU has AVX-512 F and DQ, or `self` would not exist. The loads and stores are of whole arrays
        // of eight words, through references, and need no alignment.
        unsafe {
            let mut h = _mm512_loadu_si512(words.as_ptr().cast());
            if MIX {
                h = self.mix(h);
            }
            // high 64 bits of h × blocks, with blocks below 2^32: two products of 32 bits and no overflow.
            let blocks = splat(self.blocks);
            let low = _mm512_srli_epi64::<32>(_mm512_mul_epu32(h, blocks));
            let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(h), blocks);
            let index = _mm512_srli_epi64::<32>(_mm512_add_epi64(high, low));
            _mm512_storeu_si512(group.index.as_mut_ptr().cast(), index);
            let first = _mm512_mullo_epi64(h, splat(FIRST));
            _mm512_storeu_si512(group.first.as_mut_ptr().cast(), first);
            if TWO {
                let second = _mm512_mullo_epi64(h, splat(SECOND));
                _mm512_storeu_si512(group.second.as_mut_ptr().cast(), second);
            }
        }
    }

    /// [`Seed::mix`] in every lane.
    #[inline(always)]
    fn mix(&self, keys: __m512i) -> __m512i {
        const S: [u32; 3] = MIX_SHIFTS;
        // SAFETY: the CPU has AVX-512 F and DQ, or `self` would not exist.
        unsafe {
            let mut h = _mm512_xor_si512(keys, splat(self.seed.before));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<{ S[0] }>(h));
            h = _mm512_add_epi64(_mm512_mullo_epi64(h, splat(MIX_1)), splat(self.seed.between));
            h = _mm512_xor_si512(h, _mm512_srli_epi64::<{ S[1] }>(h));
            h = _mm512_mullo_epi64(h, splat(MIX_2));
            _mm512_xor_si512(h, _mm512_srli_epi64::<{ S[2] }>(h))
        }
    }
}

/// # Safety
///
/// The CPU has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn splat(word: u64) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_set1_epi64(word as i64) }
}
