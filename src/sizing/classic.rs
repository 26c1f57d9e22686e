//! The classic Bloom filter: one array of m bits, k independent positions for every key.
//!
//! The yardstick for the blocked filter, and what the reference filter is sized with. The formulas
//! are Bloom's (CACM 13, 1970); [`rate`] is the usual approximation, [`rate_exact`] is not.

use alloc::vec::Vec;
use core::f64::consts::LN_2;

use super::{MIN_RATE, check_rate};
use crate::Error;

/// The largest k that [`optimal_k`] answers and [`rate_exact`] computes with. The lowest rate that
/// can be asked for, [`MIN_RATE`], takes 50.
pub const MAX_K: u32 = 64;

const WORD_BITS: u64 = 64;

/// The parameters of a classic filter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Design {
    /// The number of items that the filter is meant to hold, at least 1.
    pub items: u64,
    /// The number of bits, a multiple of 64: the array consists of whole words.
    pub bits: u64,
    /// The number of positions of a key.
    pub k: u32,
    /// The rate at `items` with these `bits` and this whole k, as [`rate`] gives it.
    pub rate: f64,
}

impl Design {
    /// The size of the array in bytes.
    ///
    /// ```
    /// let design = bloomline::sizing::classic::design(1_000, 0.01)?;
    /// assert_eq!((design.bits, design.bytes()), (9_600, 1_200));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub const fn bytes(&self) -> u64 {
        self.bits / 8
    }

    /// The size of the array in bits, divided by the number of items.
    ///
    /// ```
    /// let design = bloomline::sizing::classic::design(1_000, 0.01)?;
    /// assert_eq!(design.bits_per_key(), 9.6);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn bits_per_key(&self) -> f64 {
        self.bits as f64 / self.items as f64
    }
}

/// The number of bits for `items` at a rate, m = ⌈−n ln p / ln² 2⌉. No item counts as one.
///
/// # Errors
///
/// [`Error::InvalidRate`] unless the rate is in [`MIN_RATE`]`..1`;
/// [`Error::TooLarge`] when the number does not fit a `u64`.
///
/// # Examples
///
/// ```
/// assert_eq!(bloomline::sizing::classic::bits(1_000_000, 0.01)?, 9_585_059);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn bits(items: u64, rate: f64) -> Result<u64, Error> {
    check_rate(rate, MIN_RATE)?;
    let bits = libm::ceil(items.max(1) as f64 * -libm::log(rate) / (LN_2 * LN_2));
    // `u64::MAX as f64` is 2^64, the first number that does not fit.
    if bits < u64::MAX as f64 { Ok(bits as u64) } else { Err(too_large(bits as u128)) }
}

/// The number of positions with the lowest rate, (m/n) ln 2, rounded to the nearest of
/// 1…[`MAX_K`]. No item counts as one.
///
/// # Examples
///
/// ```
/// assert_eq!(bloomline::sizing::classic::optimal_k(1_000_000, 9_585_059), 7);
/// ```
pub fn optimal_k(items: u64, bits: u64) -> u32 {
    let best = bits as f64 / items.max(1) as f64 * LN_2;
    libm::round(best).clamp(1.0, f64::from(MAX_K)) as u32
}

/// The textbook rate (1 − e^(−kn/m))^k.
///
/// It takes the number of set bits for constant and therefore promises too little (Bose et al., IPL
/// 108, 2008): by 0.06 % of the rate at 10⁴ bits, by 1 % at 512. An array of 0 bits counts as one of 1.
///
/// # Examples
///
/// ```
/// let rate = bloomline::sizing::classic::rate(1_000_000, 9_585_059, 7);
/// assert!((rate - 0.010_04).abs() < 0.000_01);
/// ```
pub fn rate(items: u64, bits: u64, k: u32) -> f64 {
    let load = f64::from(k) * items as f64 / bits.max(1) as f64;
    libm::pow(-libm::expm1(-load), f64::from(k))
}

/// The upper bound (1 − e^(−k(n + ½)/(m − 1)))^k of Goel and Gupta (SIGMETRICS 2010).
///
/// It is 1 for arrays of fewer than two bits.
///
/// # Examples
///
/// ```
/// use bloomline::sizing::classic;
///
/// let (bound, exact) = (classic::goel_gupta(100, 1_000, 7), classic::rate_exact(100, 1_000, 7));
/// assert!(exact < bound && bound < 1.03 * exact);
/// ```
pub fn goel_gupta(items: u64, bits: u64, k: u32) -> f64 {
    if bits < 2 {
        return 1.0;
    }
    let load = f64::from(k) * (items as f64 + 0.5) / (bits - 1) as f64;
    libm::pow(-libm::expm1(-load), f64::from(k))
}

/// The exact expected rate, for independent and uniform positions that may coincide.
///
/// A chain over u, the number of different positions of a query that are still unset: each of the k·n
/// positions of the filter's keys hits one of them with probability u/m. All terms are positive, so
/// nothing cancels; the matrix of one position is raised to the power k·n by repeated squaring.
///
/// An array of 0 bits counts as one of 1. NaN for k above [`MAX_K`].
///
/// # Examples
///
/// ```
/// use bloomline::sizing::classic;
///
/// // One item in two bits, k = 1: the query has the same position half of the time.
/// assert_eq!(classic::rate_exact(1, 2, 1), 0.5);
/// // The textbook formula gives 0.39.
/// assert!((classic::rate(1, 2, 1) - 0.393).abs() < 0.001);
/// ```
pub fn rate_exact(items: u64, bits: u64, k: u32) -> f64 {
    if k > MAX_K {
        return f64::NAN;
    }
    let bits = bits.max(1);
    let mut unset = distinct_positions(bits, k);
    let mut power = Power::first(bits, unset.len());
    let mut exponent = u128::from(k) * u128::from(items);
    while exponent > 0 {
        if exponent & 1 == 1 {
            unset = power.apply(&unset);
        }
        exponent >>= 1;
        if exponent > 0 {
            power = power.squared();
        }
    }
    unset[0].min(1.0)
}

/// P(k positions are u different ones), for u = 0…min(k, bits).
fn distinct_positions(bits: u64, k: u32) -> Vec<f64> {
    let most = u64::from(k).min(bits) as usize;
    let mut distribution = alloc::vec![0.0; most + 1];
    distribution[0] = 1.0;
    for _ in 0..k {
        for u in (0..=most).rev() {
            let old = u as f64 / bits as f64;
            let fresh = if u == 0 { 0.0 } else { distribution[u - 1] * (1.0 - (u - 1) as f64 / bits as f64) };
            distribution[u] = distribution[u] * old + fresh;
        }
    }
    distribution
}

/// The lower triangular matrix of a number of positions that is a power of two: row u, column v
/// holds P(v of u positions stay unset).
struct Power {
    bits: u64,
    positions: f64,
    rows: Vec<Vec<f64>>,
}

impl Power {
    fn first(bits: u64, states: usize) -> Self {
        let mut first = Self { bits, positions: 1.0, rows: Vec::new() };
        for u in 0..states {
            let mut row = alloc::vec![0.0; u + 1];
            row[u] = first.all_stay_unset(u);
            if u > 0 {
                row[u - 1] = u as f64 / bits as f64;
            }
            first.rows.push(row);
        }
        first
    }

    /// The diagonal. Squaring it would double its relative error each time.
    fn all_stay_unset(&self, u: usize) -> f64 {
        libm::exp(self.positions * libm::log1p(-(u as f64 / self.bits as f64)))
    }

    fn squared(&self) -> Self {
        let mut square = Self { bits: self.bits, positions: 2.0 * self.positions, rows: Vec::new() };
        for row in &self.rows {
            let mut product = self.apply(row);
            let u = row.len() - 1;
            product[u] = square.all_stay_unset(u);
            square.rows.push(product);
        }
        square
    }

    /// A row vector times the matrix.
    fn apply(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = alloc::vec![0.0; vector.len()];
        for (weight, row) in vector.iter().zip(&self.rows) {
            for (sum, entry) in product.iter_mut().zip(row) {
                *sum += weight * entry;
            }
        }
        product
    }
}

/// The bits for `items` at a rate, rounded up to whole 64-bit words, and the k and the rate that
/// follow.
///
/// Since k must be whole, the achieved rate can be a few parts in a hundred above the asked one.
///
/// # Errors
///
/// Those of [`bits`].
///
/// # Examples
///
/// ```
/// // 1.14 MiB, 9.6 bits a key.
/// let design = bloomline::sizing::classic::design(1_000_000, 0.01)?;
/// assert_eq!((design.bits, design.k), (9_585_088, 7));
/// assert!((design.rate - 0.010_04).abs() < 0.000_01);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn design(items: u64, rate: f64) -> Result<Design, Error> {
    let items = items.max(1);
    let bits = bits(items, rate)?;
    let bits = bits.checked_next_multiple_of(WORD_BITS).ok_or_else(|| too_large(bits.into()))?;
    let k = optimal_k(items, bits);
    Ok(Design { items, bits, k, rate: self::rate(items, bits, k) })
}

fn too_large(bits: u128) -> Error {
    Error::TooLarge { bytes: bits.div_ceil(8), limit: u64::MAX / 8 }
}
