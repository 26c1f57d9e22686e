//! Split blocks in both AVX-512 kernels: a lookup tests the blocks of two keys in one register.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::hash512::{Hash512, load};
use super::split256;
use crate::block::HalfBlock;
use crate::kernel::engine::{BlocksOf, Engine, Found, GROUP, Group, Prepared, Shape};
use crate::kernel::layout::SplitBlock;
use crate::kernel::{Detected, EIGHT};
use crate::scheme::split::{PLACE_SHIFT, SALT};

pub(super) struct Split512<const CLASS: u8, const MIX: bool>(Hash512);

/// For the keys in lanes 2i and 2i + 1: where the low half of their hashes lies in a register of eight, for each word of
/// both blocks.
static HASHES: [[u32; 16]; 4] = {
    let mut hashes = [[0; 16]; 4];
    let mut word = 0;
    while word < 64 {
        hashes[word / 16][word % 16] = (2 * (word / 8)) as u32;
        word += 1;
    }
    hashes
};

impl<const MIX: bool> Split512<EIGHT, MIX> {
    #[inline(always)]
    pub(super) fn new(detected: Detected, shape: Shape) -> Self {
        Self(Hash512::new(detected, shape))
    }

    /// Which words of the blocks of lanes 2`pair` and 2`pair` + 1 have the keys' bits.
    #[inline(always)]
    fn words(&self, blocks: &BlocksOf<'_, Self>, keys: Prepared<'_, Self>, pair: usize) -> __mmask16 {
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist; the load is of one row of the table.
        unsafe {
            let low = split256::load(&blocks.of(2 * pair).0);
            let high = split256::load(&blocks.of(2 * pair + 1).0);
            let blocks = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            let hashes = _mm512_permutexvar_epi32(
                _mm512_loadu_si512(HASHES[pair].as_ptr().cast()),
                load(keys.first()),
            );
            let salts = _mm512_broadcast_i64x4(split256::load(&SALT));
            let places = _mm512_srli_epi32::<PLACE_SHIFT>(_mm512_mullo_epi32(hashes, salts));
            _mm512_test_epi32_mask(_mm512_srlv_epi32(blocks, places), _mm512_set1_epi32(1))
        }
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// `prepare` writes all lanes of `offset` and `first`.
// Answers are kept by `set_answers`, and read by default.
unsafe impl<const MIX: bool> Engine for Split512<EIGHT, MIX> {
    type Layout = SplitBlock;
    const CLASS: u8 = EIGHT;
    const MIX: bool = MIX;

    /// The missing bits.
    type Missing = __m256i;

    #[inline(always)]
    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    #[inline(always)]
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group) {
        self.0.prepare_split::<MIX>(words, group);
    }

    #[inline(always)]
    fn missing(&self, block: &HalfBlock, hash: u64) -> __m256i {
        // SAFETY: every CPU with AVX-512 F has AVX2.
        unsafe { split256::missing(block, hash) }
    }

    #[inline(always)]
    fn insert(&self, block: &mut HalfBlock, hash: u64) -> __m256i {
        // SAFETY: as in `missing`.
        unsafe { split256::insert(block, hash) }
    }

    #[inline(always)]
    fn is_present(&self, missing: __m256i) -> bool {
        // SAFETY: as in `missing`.
        unsafe { split256::is_zero(missing) }
    }

    #[inline(always)]
    fn keep(&self, missing: &[__m256i; GROUP], found: &mut Found) {
        // SAFETY: as in `missing`.
        found.set_answers(unsafe { split256::are_zero(missing) });
    }

    #[inline(always)]
    fn probe(&self, blocks: BlocksOf<'_, Self>, keys: Prepared<'_, Self>, found: &mut Found) {
        let pair = |i| self.words(&blocks, keys, i);
        // SAFETY: the CPU has AVX-512 BW, or `self` would not exist.
        unsafe {
            let low = _mm512_kunpackw(u32::from(pair(1)), u32::from(pair(0)));
            let high = _mm512_kunpackw(u32::from(pair(3)), u32::from(pair(2)));
            // A byte for each key, with all bits set when every word has the key's bit.
            let words = _mm_cvtsi64_si128(_mm512_kunpackd(high.into(), low.into()) as i64);
            let answers = _mm_movemask_epi8(_mm_cmpeq_epi8(words, _mm_set1_epi8(-1)));
            found.set_answers(answers as u8);
        }
    }
}
