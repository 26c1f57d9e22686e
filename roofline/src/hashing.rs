//! From keys to lines: as costly as the hashing of the engine.
//!
//! Three shifts, two multiplications and two words of seed; the range reduction; and the product that would place the
//! bits of the key. In AVX-512, AVX2 or plain words: without an AVX2 one, a CPU that has no AVX-512 would be measured
//! against hashing that is slower than what its filters do.
#![allow(unsafe_code, clippy::needless_range_loop)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Keys that are hashed together.
pub(crate) const GROUP: usize = 8;

const MIX_1: u64 = 0xbf58_476d_1ce4_e5b9;
const MIX_2: u64 = 0x94d0_49bb_1331_11eb;
const PLACE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Stands for any seed.
const SEED: u64 = 1;

/// The instructions that hash keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashing {
    /// Eight keys in a register. Needs AVX-512 F and DQ.
    Avx512,
    /// Four keys in a register. Needs AVX2.
    Avx2,
    /// Key by key, or as the compiler likes.
    Plain,
}

impl Hashing {
    /// The fastest that this CPU can run.
    pub fn best() -> Self {
        Self::available().next().expect("plain words need nothing")
    }

    /// Those that this CPU can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Avx512, Self::Avx2, Self::Plain].into_iter().filter(|hashing| hashing.is_available())
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_available(self) -> bool {
        match self {
            Self::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq"),
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::Plain => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn is_available(self) -> bool {
        self == Self::Plain
    }
}

/// Where the lines of eight keys begin, in bytes from the first line, and the products that would place their bits.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Group {
    pub(crate) offsets: [u64; GROUP],
    pub(crate) products: [u64; GROUP],
}

impl Group {
    pub(crate) const BLANK: Self = Self { offsets: [0; GROUP], products: [0; GROUP] };
}

/// Hashes a group of keys for `lines` lines; without `MIX`, the keys are hashes already.
///
/// # Safety
///
/// An implementation gives offsets of lines: multiples of 64 below 64 × `lines`, where `lines` is from 1 to 2^32 − 1.
pub(crate) unsafe trait Hash {
    /// # Safety
    ///
    /// The CPU has what the implementation needs, and so has the function that this is inlined into.
    unsafe fn group<const MIX: bool>(keys: &[u64; GROUP], lines: u64, group: &mut Group);
}

/// The offset and the product of one key.
#[inline(always)]
pub(crate) fn place<const MIX: bool>(key: u64, lines: u64) -> (u64, u64) {
    let mut h = key;
    if MIX {
        h ^= SEED;
        h = (h ^ h >> 30).wrapping_mul(MIX_1).wrapping_add(SEED);
        h = (h ^ h >> 27).wrapping_mul(MIX_2);
        h ^= h >> 31;
    }
    (((u128::from(h) * u128::from(lines)) >> 64) as u64 * 64, h.wrapping_mul(PLACE))
}

pub(crate) struct Plain;

// SAFETY: the high half of a product with `lines` is below `lines`.
unsafe impl Hash for Plain {
    #[inline(always)]
    unsafe fn group<const MIX: bool>(keys: &[u64; GROUP], lines: u64, group: &mut Group) {
        for lane in 0..GROUP {
            (group.offsets[lane], group.products[lane]) = place::<MIX>(keys[lane], lines);
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx512;

// SAFETY: as `lines` is below 2^32, the high half of its product with a hash is the high half of high + (low >> 32) with
// the products of the two halves of the hash, which does not overflow; moved down by 26 with its low bits cleared, it is
// 64 times a number below `lines`.
#[cfg(target_arch = "x86_64")]
unsafe impl Hash for Avx512 {
    #[inline(always)]
    unsafe fn group<const MIX: bool>(keys: &[u64; GROUP], lines: u64, group: &mut Group) {
        // SAFETY: the caller has AVX-512 F and DQ; loads and stores are of whole arrays.
        unsafe {
            let mut h = _mm512_loadu_si512(keys.as_ptr().cast());
            if MIX {
                h = _mm512_xor_si512(h, splat_512(SEED));
                h = _mm512_xor_si512(h, _mm512_srli_epi64::<30>(h));
                h = _mm512_add_epi64(_mm512_mullo_epi64(h, splat_512(MIX_1)), splat_512(SEED));
                h = _mm512_xor_si512(h, _mm512_srli_epi64::<27>(h));
                h = _mm512_mullo_epi64(h, splat_512(MIX_2));
                h = _mm512_xor_si512(h, _mm512_srli_epi64::<31>(h));
            }
            let lines = splat_512(lines);
            let low = _mm512_srli_epi64::<32>(_mm512_mul_epu32(h, lines));
            let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(h), lines);
            let offsets = _mm512_srli_epi64::<26>(_mm512_add_epi64(high, low));
            let offsets = _mm512_and_si512(offsets, splat_512(!63));
            _mm512_storeu_si512(group.offsets.as_mut_ptr().cast(), offsets);
            let products = _mm512_mullo_epi64(h, splat_512(PLACE));
            _mm512_storeu_si512(group.products.as_mut_ptr().cast(), products);
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;

// SAFETY: as for AVX-512.
#[cfg(target_arch = "x86_64")]
unsafe impl Hash for Avx2 {
    #[inline(always)]
    unsafe fn group<const MIX: bool>(keys: &[u64; GROUP], lines: u64, group: &mut Group) {
        for half in [0, GROUP / 2] {
            // SAFETY: the caller has AVX2; loads and stores are of half an array, from its start or its middle.
            unsafe {
                let mut h = _mm256_loadu_si256(keys.as_ptr().add(half).cast());
                if MIX {
                    h = _mm256_xor_si256(h, splat_256(SEED));
                    h = _mm256_xor_si256(h, _mm256_srli_epi64::<30>(h));
                    h = _mm256_add_epi64(times(h, MIX_1), splat_256(SEED));
                    h = _mm256_xor_si256(h, _mm256_srli_epi64::<27>(h));
                    h = times(h, MIX_2);
                    h = _mm256_xor_si256(h, _mm256_srli_epi64::<31>(h));
                }
                let lines = splat_256(lines);
                let low = _mm256_srli_epi64::<32>(_mm256_mul_epu32(h, lines));
                let high = _mm256_mul_epu32(_mm256_srli_epi64::<32>(h), lines);
                let offsets = _mm256_srli_epi64::<26>(_mm256_add_epi64(high, low));
                let offsets = _mm256_and_si256(offsets, splat_256(!63));
                _mm256_storeu_si256(group.offsets.as_mut_ptr().add(half).cast(), offsets);
                let products = times(h, PLACE);
                _mm256_storeu_si256(group.products.as_mut_ptr().add(half).cast(), products);
            }
        }
    }
}

/// The low 64 bits of each lane's product with `factor`: three products of 32 bits.
///
/// # Safety
///
/// The CPU has AVX2, and so has the function that this is inlined into.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn times(lanes: __m256i, factor: u64) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let (low, high) = (splat_256(factor), splat_256(factor >> 32));
        let crossed = _mm256_mul_epu32(_mm256_srli_epi64::<32>(lanes), low);
        let crossed = _mm256_add_epi64(crossed, _mm256_mul_epu32(lanes, high));
        _mm256_add_epi64(_mm256_mul_epu32(lanes, low), _mm256_slli_epi64::<32>(crossed))
    }
}

/// # Safety
///
/// As for [`times`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn splat_256(word: u64) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_set1_epi64x(word as i64) }
}

/// # Safety
///
/// The CPU has AVX-512 F, and so has the function that this is inlined into.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn splat_512(word: u64) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_set1_epi64(word as i64) }
}
