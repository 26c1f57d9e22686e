//! AVX-512 with VBMI and BITALG (Ice Lake, Zen 4 and later).
//!
//! A block is one register, and so are the products of the eight keys of a group. One instruction takes a key's bytes
//! from the products and spreads them over the words, one gathers the bits that the bytes name: a key is present when
//! all gathered bits are set.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::cpu_has;
use super::hash512::{Hash512, load, missing, pattern, set, splat, store_lanes};
use super::split512::Split512;
use crate::block::Block;
use crate::kernel::engine::{BlocksOf, Engine, Found, GROUP, Group, Prepared, Shape};
use crate::kernel::layout::Block512;
use crate::kernel::{Detected, EIGHT, FEWER, MORE, Row, by_class, functions};
use crate::scheme::block512::Placement;

pub(in crate::kernel) const ROW: Row = Row {
    name: "avx512",
    needs: "AVX-512 F, BW, DQ, VBMI, BITALG",
    detect: || cpu_has!("avx512f", "avx512bw", "avx512dq", "avx512vbmi", "avx512bitalg"),
    block512: by_class!(Vbmi, #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,avx512bitalg")]),
    split: functions!(Split512, EIGHT, #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,avx512bitalg")]),
};

struct Vbmi<const CLASS: u8, const MIX: bool>(Hash512);

/// For a key in lane i: the index of the byte that places its bit of word w, in every byte of word w.
static BYTES: [[u64; 8]; 8] = {
    let mut bytes = [[0; 8]; 8];
    let mut byte = 0;
    while byte < 64 {
        bytes[byte / 8][byte % 8] = byte as u64 * 0x0101_0101_0101_0101;
        byte += 1;
    }
    bytes
};

/// The same for both products at once: bytes of the first one in even places, of the second one in odd places.
static BYTES_OF_BOTH: [[u64; 8]; 8] = {
    let mut bytes = BYTES;
    let mut byte = 0;
    while byte < 64 {
        bytes[byte / 8][byte % 8] |= 0x4000_4000_4000_4000;
        byte += 1;
    }
    bytes
};

impl<const CLASS: u8, const MIX: bool> Vbmi<CLASS, MIX> {
    #[inline(always)]
    fn new(detected: Detected, shape: Shape) -> Self {
        Self(Hash512::new(detected, shape))
    }

    /// A bit for each bit of the key in `lane`: whether it is set in the block. For k > 8, bits of both products take turns.
    #[inline(always)]
    fn bits(&self, block: &Block, first: __m512i, second: __m512i, lane: usize) -> u64 {
        // SAFETY: the CPU has AVX-512 VBMI and BITALG, or `self` would not exist.
        unsafe {
            let places = if CLASS == MORE {
                _mm512_permutex2var_epi8(first, load(&BYTES_OF_BOTH[lane]), second)
            } else {
                _mm512_permutexvar_epi8(load(&BYTES[lane]), first)
            };
            _mm512_bitshuffle_epi64_mask(load(&block.0), places)
        }
    }

    /// Which of the [`bits`](Self::bits) count, for all keys of a group.
    #[inline(always)]
    fn needed(&self, keys: Prepared<'_, Self>) -> __m512i {
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist.
        unsafe {
            match CLASS {
                EIGHT => splat(u64::MAX),
                FEWER => load(keys.run()),
                // The even bits are those of the first product, which count in every word.
                _ => _mm512_or_si512(load(keys.run()), splat(0x5555_5555_5555_5555)),
            }
        }
    }
}

// SAFETY: offsets come from the range reduction, whose result is below the number of blocks that `new` was given.
// `prepare` writes whole registers of lanes: see `Hash512::prepare`.
// `probe` and `keep` write all lanes of `bits`, and of `needed` for k ≠ 8.
unsafe impl<const CLASS: u8, const MIX: bool> Engine for Vbmi<CLASS, MIX> {
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

    // One key alone is laid out by shifts, whose constants the compiler keeps at hand, not by a row of the table.

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
    fn probe(&self, blocks: BlocksOf<'_, Self>, keys: Prepared<'_, Self>, found: &mut Found) {
        let second = if CLASS == MORE { keys.second() } else { keys.first() };
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist.
        let (first, second) = unsafe {
            if CLASS != EIGHT {
                store_lanes(&mut found.needed, self.needed(keys));
            }
            (load(keys.first()), load(second))
        };
        for lane in 0..GROUP {
            found.bits.set(lane, self.bits(blocks.of(lane), first, second, lane));
        }
    }

    #[inline(always)]
    fn keep(&self, missing: &[u64; GROUP], found: &mut Found) {
        for (lane, missing) in missing.iter().enumerate() {
            // A word that misses its bit is a bit that was not found.
            found.bits.set(lane, !missing);
        }
        if CLASS != EIGHT {
            // SAFETY: the CPU has AVX-512 F, or `self` would not exist.
            unsafe { store_lanes(&mut found.needed, splat(u64::MAX)) }
        }
    }

    #[inline(always)]
    unsafe fn answers(&self, found: &Found) -> u8 {
        // SAFETY: the CPU has AVX-512 F, or `self` would not exist; `probe` and `keep` write all lanes that
        // are read here.
        unsafe {
            let needed = if CLASS == EIGHT { splat(u64::MAX) } else { load(found.needed.words()) };
            let missing = _mm512_andnot_si512(load(found.bits.words()), needed);
            _mm512_testn_epi64_mask(missing, missing)
        }
    }
}
