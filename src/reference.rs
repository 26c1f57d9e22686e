//! The classic Bloom filter over one array of bits: the yardstick for the blocked engine.
//!
//! [`ReferenceFilter`] is written from the textbook and uses nothing of this crate but the error
//! type and wyhash, the published hash of byte strings: what else the two filters agree on, they agree
//! on independently.
//!
//! # The rule
//!
//! A key sets k of m bits. All arithmetic is on unsigned integers, and no product or sum loses
//! bits unless it is marked mod 2⁶⁴.
//!
//! 1. The caller's seed becomes two: s₁ = mix(seed + γ) and s₂ = mix(seed + 2γ), sums mod 2⁶⁴, with
//!    γ = `0x9e3779b97f4a7c15` and mix the finaliser of SplitMix64. They are the first two outputs of
//!    that generator. As mix is a bijection, s₁ ≠ s₂.
//! 2. A key becomes two 64-bit hashes. Byte strings: h₁ and h₂ are wyhash (final version 3, default
//!    secret) with seed s₁ and with seed s₂. Integers: h₁ = fmix64(key ⊕ s₁), the finaliser of
//!    MurmurHash3, and h₂ = mix(key ⊕ s₂).
//! 3. The hashes become a start a = ⌊h₁·m / 2⁶⁴⌋ in `0..m` and a step
//!    b = 1 + ⌊h₂·(m − 1) / 2⁶⁴⌋, which is in `1..m` (and 1 if m = 1).
//! 4. The bits are (a + i·b) mod m for i = 0, 1, …, k − 1.
//!
//! Step 4 is the double hashing of A. Kirsch and M. Mitzenmacher, *Less Hashing, Same Performance:
//! Building a Better Bloom Filter* (ESA 2006). It needs two independent hashes and a step that is
//! never 0, hence two passes over byte strings and two different functions for integers: one
//! function under two seeds would give the keys x and x ⊕ s₁ ⊕ s₂ the same hashes in exchanged roles.
//!
//! Step 3 keeps the high half of a product where a remainder would do: a multiplication is cheaper
//! than a division, and no position's probability is off by more than a share of m / 2⁶⁴. As m is at
//! most 2⁶³, a + b fits 64 bits, and one conditional subtraction brings it back below m.
//!
//! # What double hashing costs
//!
//! With half of the bits set, the false-positive rate exceeds that of k independent bits, 2^(−k), by
//! about 6·n/m² + Σ φ(d)·2^(−d)/m, where φ is Euler's function and the sum runs over the divisors d
//! of m with 1 < d < k. The first term counts absent keys whose step is that of an inserted key or its
//! negative, so that they walk along its bits; the second those whose step is a multiple of m/d, so
//! that they have only d bits. The excess is below 2 % of a rate of 1 % from 1 000 keys up, but three
//! times a rate of 1e-9 for a million keys: there the filter is no yardstick.

use alloc::vec::Vec;
use core::{f64::consts::LN_2, fmt};

use crate::error::Error;
use crate::wyhash::wyhash;

/// The increment of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The lowest rate that can be asked for.
const MIN_RATE: f64 = 1e-15;
/// More bits than this for a key never pay.
const MAX_K: u32 = 64;

const WORD_BITS: u64 = u64::BITS as u64;
/// 2⁶³ bits, or as much as one allocation can be.
const MAX_BYTES: u64 = if usize::BITS < 64 { isize::MAX as u64 } else { 1 << 60 };

/// A classic Bloom filter: one array of m bits, k bits anywhere in it for each key.
///
/// It never denies a key that was inserted. The [module documentation](self) states the rule by
/// which a key becomes bits. A query touches up to k cache lines where the blocked filter touches
/// one, but at equal memory its false-positive rate is lower.
///
/// # Examples
///
/// ```
/// use bloomline::reference::ReferenceFilter;
///
/// let mut filter = ReferenceFilter::with_rate(1_000, 0.01, 0)?;
/// filter.insert_bytes(b"apple");
/// filter.insert_u64(42);
/// assert!(filter.contains_bytes(b"apple"));
/// assert!(filter.contains_u64(42));
/// assert!(!filter.contains_u64(43)); // but one absent key in a hundred would be found
/// # Ok::<(), bloomline::Error>(())
/// ```
pub struct ReferenceFilter {
    words: Vec<u64>,
    bits: u64,
    k: u32,
    seeds: [u64; 2],
}

impl ReferenceFilter {
    /// An empty filter for `items` distinct keys (0 counts as 1) and the false-positive rate `rate`.
    ///
    /// m = ⌈−n·ln p / (ln 2)²⌉ bits and k = (m / n)·ln 2 rounded to an integer, at least 1. The
    /// textbook's optimum is for a real k, so the [predicted rate](Self::predicted_rate) of the
    /// integer k can lie above `rate`: 1.004 % for 1 %, and the most where k is rounded up to 1
    /// (99 % for 90 %).
    ///
    /// Filters with different seeds place the same keys at unrelated bits.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRate`] if `rate` is not in `[1e-15, 1)`; [`Error::TooLarge`] above 2⁶³ bits or
    /// the largest possible allocation; [`Error::AllocationFailed`] if there is no memory.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let filter = ReferenceFilter::with_rate(1_000_000, 0.01, 0)?;
    /// assert_eq!((filter.bits(), filter.k()), (9_585_059, 7));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn with_rate(items: u64, rate: f64, seed: u64) -> Result<Self, Error> {
        if !(MIN_RATE..1.0).contains(&rate) {
            return Err(Error::InvalidRate { rate, min: MIN_RATE });
        }
        let n = items.max(1) as f64;
        let m = libm::ceil(-n * libm::log(rate) / (LN_2 * LN_2));
        let k = libm::round(m / n * LN_2).max(1.0);
        Self::allocate(m as u128, k as u32, seed)
    }

    /// An empty filter of exactly `bits` bits that sets `k` of them for each key, for comparisons at
    /// equal memory.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidK`] if `k` is not in 1…64; [`Error::TooSmall`] if `bits` is 0;
    /// [`Error::TooLarge`] and [`Error::AllocationFailed`] as from [`with_rate`](Self::with_rate).
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let filter = ReferenceFilter::with_bits(8 * 4096, 8, 0)?;
    /// assert_eq!(filter.bytes(), 4096);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn with_bits(bits: u64, k: u32, seed: u64) -> Result<Self, Error> {
        if !(1..=MAX_K).contains(&k) {
            return Err(Error::InvalidK { k, max: MAX_K });
        }
        if bits == 0 {
            return Err(Error::TooSmall { bytes: 0, min: 8 });
        }
        Self::allocate(bits.into(), k, seed)
    }

    fn allocate(bits: u128, k: u32, seed: u64) -> Result<Self, Error> {
        let length = bits.div_ceil(WORD_BITS.into());
        let bytes = length.saturating_mul(8);
        if bytes > MAX_BYTES.into() {
            return Err(Error::TooLarge { bytes, limit: MAX_BYTES });
        }
        let (length, bytes) = (length as usize, bytes as u64);
        let mut words = Vec::new();
        words.try_reserve_exact(length).map_err(|_| Error::AllocationFailed { bytes })?;
        words.resize(length, 0);
        let seeds = [1, 2].map(|i| mix(seed.wrapping_add(GAMMA.wrapping_mul(i))));
        Ok(Self { words, bits: bits as u64, k, seeds })
    }

    /// Inserts a byte string and returns whether it was possibly present before.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let mut filter = ReferenceFilter::with_rate(1_000, 0.01, 0)?;
    /// assert!(!filter.insert_bytes(b"apple"));
    /// assert!(filter.insert_bytes(b"apple"));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    #[inline]
    pub fn insert_bytes(&mut self, key: &[u8]) -> bool {
        self.insert(self.hash_bytes(key))
    }

    /// Whether a byte string is possibly present: always true if it was inserted.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let empty = ReferenceFilter::with_rate(1_000, 0.01, 0).unwrap();
    /// assert!(!empty.contains_bytes(b"apple"));
    /// ```
    #[inline]
    pub fn contains_bytes(&self, key: &[u8]) -> bool {
        self.contains(self.hash_bytes(key))
    }

    /// Inserts an integer and returns whether it was possibly present before.
    ///
    /// An integer and its bytes are different keys.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let mut filter = ReferenceFilter::with_rate(1_000, 0.01, 0)?;
    /// assert!(!filter.insert_u64(42));
    /// assert!(filter.insert_u64(42));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    #[inline]
    pub fn insert_u64(&mut self, key: u64) -> bool {
        self.insert(self.hash_u64(key))
    }

    /// Whether an integer is possibly present: always true if it was inserted.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let empty = ReferenceFilter::with_rate(1_000, 0.01, 0).unwrap();
    /// assert!(!empty.contains_u64(42));
    /// ```
    #[inline]
    pub fn contains_u64(&self, key: u64) -> bool {
        self.contains(self.hash_u64(key))
    }

    /// The number of bits, m.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// assert_eq!(ReferenceFilter::with_bits(65, 3, 0).unwrap().bits(), 65);
    /// ```
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// The number of bits that a key sets, k.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// assert_eq!(ReferenceFilter::with_bits(65, 3, 0).unwrap().k(), 3);
    /// ```
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The memory of the bit array in bytes: m bits in whole words of 8 bytes.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// assert_eq!(ReferenceFilter::with_bits(65, 3, 0).unwrap().bytes(), 16);
    /// ```
    pub fn bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    /// The share of the m bits that are set, in `0.0..=1.0`. Counts them: time linear in m.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let mut filter = ReferenceFilter::with_bits(1_000, 1, 0)?;
    /// filter.insert_u64(42);
    /// assert_eq!(filter.fill(), 0.001);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn fill(&self) -> f64 {
        let ones = |word: &u64| u64::from(word.count_ones());
        self.words.iter().map(ones).sum::<u64>() as f64 / self.bits as f64
    }

    /// The false-positive rate of the filter as it is: [`fill`](Self::fill) to the power of k.
    ///
    /// This is the probability that k independent bits are all set. The
    /// [module documentation](self#what-double-hashing-costs) says what it leaves out.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let mut filter = ReferenceFilter::with_rate(1_000, 0.01, 0)?;
    /// (0..1_000).for_each(|key| { filter.insert_u64(key); });
    /// assert!((0.008..0.012).contains(&filter.rate_from_fill()));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn rate_from_fill(&self) -> f64 {
        libm::pow(self.fill(), self.k.into())
    }

    /// The false-positive rate to expect after the insertion of `items` distinct keys, whatever was
    /// inserted so far: (1 − e^(−k·n/m))^k, the textbook's approximation for large m.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let filter = ReferenceFilter::with_rate(1_000_000, 0.01, 0)?;
    /// assert!((filter.predicted_rate(1_000_000) - 0.01004).abs() < 0.00001);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn predicted_rate(&self, items: u64) -> f64 {
        let k = f64::from(self.k);
        libm::pow(-libm::expm1(-k * items as f64 / self.bits as f64), k)
    }

    /// Removes all keys. Size, k and seed stay.
    ///
    /// ```
    /// # use bloomline::reference::ReferenceFilter;
    /// let mut filter = ReferenceFilter::with_rate(1_000, 0.01, 0)?;
    /// filter.insert_u64(42);
    /// filter.clear();
    /// assert!(!filter.contains_u64(42));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    #[inline]
    fn hash_bytes(&self, key: &[u8]) -> [u64; 2] {
        self.seeds.map(|seed| wyhash(key, seed))
    }

    #[inline]
    fn hash_u64(&self, key: u64) -> [u64; 2] {
        [fmix64(key ^ self.seeds[0]), mix(key ^ self.seeds[1])]
    }

    #[inline]
    fn insert(&mut self, hashes: [u64; 2]) -> bool {
        let mut present = true;
        for position in positions(hashes, self.bits, self.k) {
            let word = &mut self.words[(position / WORD_BITS) as usize];
            let bit = 1 << (position % WORD_BITS);
            present &= *word & bit != 0;
            *word |= bit;
        }
        present
    }

    /// Stops at the first bit that is not set: an absent key costs two probes on average at half fill.
    #[inline]
    fn contains(&self, hashes: [u64; 2]) -> bool {
        positions(hashes, self.bits, self.k).all(|position| {
            let word = self.words[(position / WORD_BITS) as usize];
            word >> (position % WORD_BITS) & 1 == 1
        })
    }
}

impl fmt::Debug for ReferenceFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferenceFilter")
            .field("bits", &self.bits)
            .field("k", &self.k)
            .finish_non_exhaustive()
    }
}

/// The k positions of a key among m bits, 1 ≤ m ≤ 2⁶³: steps 3 and 4 of the rule.
#[inline]
fn positions([h1, h2]: [u64; 2], m: u64, k: u32) -> impl Iterator<Item = u64> {
    let mut next = below(h1, m);
    let step = 1 + below(h2, m - 1);
    (0..k).map(move |_| {
        let position = next;
        let sum = position + step;
        next = if sum >= m { sum - m } else { sum };
        position
    })
}

/// Maps a hash to `0..limit` (to 0 if `limit` is 0) in order of size, as evenly as 2⁶⁴ values go.
#[inline]
const fn below(hash: u64, limit: u64) -> u64 {
    ((hash as u128 * limit as u128) >> 64) as u64
}

/// The finaliser of MurmurHash3 (A. Appleby).
#[inline]
const fn fmix64(x: u64) -> u64 {
    xor_shift_multiply(x, [33, 33, 33], [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53])
}

/// The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood 2014), D. Stafford's variant 13.
#[inline]
const fn mix(x: u64) -> u64 {
    xor_shift_multiply(x, [30, 27, 31], [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb])
}

#[inline]
const fn xor_shift_multiply(mut x: u64, shifts: [u32; 3], factors: [u64; 2]) -> u64 {
    x = (x ^ x >> shifts[0]).wrapping_mul(factors[0]);
    x = (x ^ x >> shifts[1]).wrapping_mul(factors[1]);
    x ^ x >> shifts[2]
}

#[cfg(test)]
mod tests;
