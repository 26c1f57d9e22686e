//! The blocked filter of this crate: 512-bit blocks, k = 1…16 bits of a key in one block.
//!
//! Putze, Sanders and Singler (WEA 2007, equation 3) average the rate of one block over the number
//! of keys in it, and approximate the rate of one block. The rates here are exact for the placement
//! of bits that `docs/FORMAT.md` §2 fixes, under one assumption: hashes are uniform and independent.

use core::ops::RangeInclusive;
use core::{array, iter};

use super::blocks::{Sizes, check_bits_per_key};
use super::shape::Shape;
use super::untouched::Terms;
use super::{MIN_RATE, cardinality, check_rate, spread};
use crate::Error;
use crate::scheme::block512::{self, BLOCK_BITS, BLOCK_BYTES, MAX_K, WORDS, bits_in_word};

pub use super::cardinality::Estimate;

/// The largest number of blocks, 2³² − 1: a filter of 256 GiB.
///
/// The kernels multiply a 64-bit hash by the number of blocks as two products of 32-bit numbers,
/// which is what the vector units have.
pub const MAX_BLOCKS: u64 = block512::MAX_BLOCKS;

const SIZES: Sizes = Sizes { block_bytes: BLOCK_BYTES, max_blocks: MAX_BLOCKS };

/// How the number of bits for a key, k, is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// k = 8: one bit in each word of the block, which the kernels place and test fastest. Costs
    /// 1.7 % more space than [`Choice::Compact`] for a rate of 1 % and 0.9 % more for 0.1 %.
    Fast,
    /// The k that needs the fewest blocks for an asked rate, or that has the lowest rate in a given
    /// number of blocks.
    Compact,
    /// This k, in 1…16.
    Exactly(u32),
}

/// The parameters of a blocked filter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Design {
    /// The number of items that the filter is meant to hold, at least 1.
    pub items: u64,
    /// The number of 64-byte blocks.
    pub blocks: u64,
    /// The number of bits that a key sets in its block.
    pub k: u32,
    /// The expected false-positive rate when the filter holds `items`, as [`rate`] gives it.
    pub rate: f64,
}

impl Design {
    /// The size of the filter's blocks in bytes.
    ///
    /// ```
    /// use bloomline::sizing::{Choice, blocked};
    /// assert_eq!(blocked::design_blocks(100, 2, Choice::Fast)?.bytes(), 128);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub const fn bytes(&self) -> u64 {
        self.blocks * BLOCK_BYTES
    }

    /// The size of the filter's blocks in bits, divided by the number of items.
    ///
    /// ```
    /// use bloomline::sizing::{Choice, blocked};
    /// assert_eq!(blocked::design_blocks(64, 2, Choice::Fast)?.bits_per_key(), 16.0);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn bits_per_key(&self) -> f64 {
        self.blocks as f64 * f64::from(BLOCK_BITS) / self.items as f64
    }
}

/// The expected false-positive rate of a filter of `blocks` blocks that holds `items` different keys.
///
/// The mean over all filters of that shape, exact for every n and b: a finite sum, computed with an
/// absolute error below 10⁻²⁶ before it is rounded to an `f64`. Rates above 10⁻¹² are right to the
/// last digit or the one before, and those above 10⁻¹⁵ to eleven digits. Lower ones lose digits, and
/// can come out as 0 below 10⁻²⁶.
///
/// # Errors
///
/// [`Error::InvalidK`] outside 1…16; [`Error::TooSmall`] for 0 blocks; [`Error::TooLarge`] above
/// [`MAX_BLOCKS`].
///
/// # Examples
///
/// ```
/// // 10 bits a key and 6 bits set: 0.97 %, where the classic formula promises 0.84 %.
/// let rate = bloomline::sizing::blocked::rate(1_000_000, 19_532, 6)?;
/// assert!((rate - 0.009_725_188_628_497).abs() < 1e-15);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn rate(items: u64, blocks: u64, k: u32) -> Result<f64, Error> {
    SIZES.check(blocks)?;
    check_k(k)?;
    Ok(query(k).rate(items, blocks))
}

/// The false-positive rate at this many bits a key, in the limit of many keys.
///
/// The loads of the blocks are then Poisson distributed. [`rate`] differs from it by a relative error
/// of order 1/b. The rounding is that of [`rate`].
///
/// # Errors
///
/// [`Error::InvalidBitsPerKey`] unless finite and above 0; [`Error::InvalidK`] outside 1…16.
///
/// # Examples
///
/// ```
/// let rate = bloomline::sizing::blocked::rate_limit(10.0, 8)?;
/// assert!((rate - 0.010_489_826_020_745_95).abs() < 1e-15);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn rate_limit(bits_per_key: f64, k: u32) -> Result<f64, Error> {
    check_bits_per_key(bits_per_key)?;
    check_k(k)?;
    Ok(query(k).rate_limit(f64::from(BLOCK_BITS) / bits_per_key))
}

/// How far the rates of filters of the same shape scatter: their standard deviation divided by
/// their mean, [`rate`].
///
/// The rate of one built filter is the mean over its blocks of the rate given the block's bits, which
/// differs from filter to filter. Measured rates scatter by this much more than the sampling of
/// queries alone explains.
///
/// Writing R for the rate of one block and I for the number of keys in it, the result is the root of
/// (Var R − Cov(R, I)² / Var I) / b, divided by E R. The second term is there because the loads of all
/// blocks add up to n; it takes the dependence of R on I as linear, so the result is exact for
/// one block and otherwise right to a relative error of order 1/b.
///
/// NaN when the rate is below 10⁻¹²: the difference of E R² and (E R)² is then too small for the
/// arithmetic, and without items it is 0/0.
///
/// # Errors
///
/// Those of [`rate`].
///
/// # Examples
///
/// ```
/// // A thousand blocks at 16 bits a key: one filter in three is more than 2 % off the mean.
/// let spread = bloomline::sizing::blocked::spread(32_000, 1_000, 9)?;
/// assert!((0.018..0.025).contains(&spread));
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn spread(items: u64, blocks: u64, k: u32) -> Result<f64, Error> {
    SIZES.check(blocks)?;
    check_k(k)?;
    let rate = query(k).rate(items, blocks);
    if rate < 1e-12 {
        return Ok(f64::NAN);
    }
    Ok(spread::standard_deviation(&shape(k), items, blocks) / rate)
}

/// The number of different items in a filter of `blocks` blocks of which `zero_bits` bits are unset.
///
/// A key sets a given bit of its block with probability π, so a bit stays unset with probability
/// (1 − π/b)ⁿ, and n̂ = ln(Z/m) / ln(1 − π/b). The classic estimate (Swamidass and Baldi, JCIM 47, 2007) has
/// k/512 for π, which is too much where two bits of a key can coincide, for k > 8. The bias is below
/// one part in the number of zero bits.
///
/// The standard deviation follows from the exact variance of Z at n = n̂, to first order. Where half of
/// the bits are set it is 4 % larger than that of a classic filter at k = 8, 18 % at k = 16.
///
/// Without zero bits both numbers are infinite: the filter is full and tells nothing but that.
///
/// # Errors
///
/// [`Error::TooSmall`] for 0 blocks; [`Error::TooLarge`] above [`MAX_BLOCKS`], or when the blocks have
/// fewer bits than `zero_bits`; [`Error::InvalidK`] outside 1…16.
///
/// # Examples
///
/// ```
/// use bloomline::sizing::blocked::estimate_items;
///
/// // Half of the bits of 1000 blocks are set, eight at a time.
/// let estimate = estimate_items(256_000, 1_000, 8)?;
/// assert!((estimate.items - 44_361.0).abs() < 1.0);
/// assert!(estimate.standard_deviation < 100.0);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn estimate_items(zero_bits: u64, blocks: u64, k: u32) -> Result<Estimate, Error> {
    SIZES.check(blocks)?;
    check_k(k)?;
    cardinality::estimate_items(&shape(k), zero_bits, blocks)
}

/// The k in 1…16 with the lowest [`rate`]; of equal ones the smallest.
///
/// # Errors
///
/// [`Error::TooSmall`] for 0 blocks; [`Error::TooLarge`] above [`MAX_BLOCKS`].
///
/// # Examples
///
/// ```
/// // Ten bits a key.
/// assert_eq!(bloomline::sizing::blocked::best_k(1_000_000, 19_532)?, 6);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn best_k(items: u64, blocks: u64) -> Result<u32, Error> {
    Ok(design_blocks(items, blocks, Choice::Compact)?.k)
}

/// The fewest blocks whose [`rate`] at `items` is at most the asked one.
///
/// Under [`Choice::Compact`], the fewest over all k, and among the k that need equally few the one with
/// the lowest rate. No item counts as one.
///
/// # Errors
///
/// [`Error::InvalidRate`] unless the rate is in [`MIN_RATE`]`..1`;
/// [`Error::InvalidK`] outside 1…16; [`Error::RateUnreachable`] when [`MAX_BLOCKS`] are too few.
///
/// # Examples
///
/// ```
/// use bloomline::sizing::{Choice, blocked};
///
/// let design = blocked::design(1_000_000, 0.001, Choice::Fast)?;
/// assert!(design.rate <= 0.001);
/// assert!(blocked::rate(1_000_000, design.blocks - 1, 8)? > 0.001);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn design(items: u64, rate: f64, choice: Choice) -> Result<Design, Error> {
    check_rate(rate, MIN_RATE)?;
    let items = items.max(1);
    let mut best: Option<Design> = None;
    // The first candidate finds a size near the smallest; the others are rarely better, which one
    // evaluation shows. A tenth of the rate takes some three bits more.
    let likely = libm::round(-3.0 * libm::log10(rate)).clamp(1.0, f64::from(MAX_K)) as u32;
    let candidates = choice.candidates()?;
    let first = iter::once(likely).filter(|k| candidates.contains(k));
    for k in first.chain(candidates.clone()) {
        let at_most = best.map_or(MAX_BLOCKS, |best| best.blocks);
        let found = fewest_blocks(items, rate, k, at_most);
        best = found.filter(|found| best.is_none_or(|best| found.is_better_than(&best))).or(best);
    }
    best.ok_or(Error::RateUnreachable { rate, items })
}

/// The filter with at least this many bits for each of the expected items, in whole blocks.
///
/// No item counts as one.
///
/// # Errors
///
/// [`Error::InvalidBitsPerKey`] unless finite and above 0; [`Error::InvalidK`] outside 1…16;
/// [`Error::TooLarge`] above [`MAX_BLOCKS`].
///
/// # Examples
///
/// ```
/// use bloomline::sizing::{Choice, blocked};
///
/// let design = blocked::design_bits_per_key(1_000_000, 16.0, Choice::Compact)?;
/// assert_eq!((design.blocks, design.k), (31_250, 9));
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn design_bits_per_key(items: u64, bits_per_key: f64, choice: Choice) -> Result<Design, Error> {
    let items = items.max(1);
    design_blocks(items, SIZES.with_bits_per_key(items, bits_per_key)?, choice)
}

/// The filter with this many blocks. No item counts as one.
///
/// # Errors
///
/// [`Error::TooSmall`] for 0 blocks; [`Error::TooLarge`] above [`MAX_BLOCKS`];
/// [`Error::InvalidK`] outside 1…16.
///
/// # Examples
///
/// ```
/// use bloomline::sizing::{Choice, blocked};
///
/// // 1 MiB for a million items.
/// let design = blocked::design_blocks(1_000_000, (1 << 20) / 64, Choice::Compact)?;
/// assert_eq!((design.bytes(), design.k), (1 << 20, 6));
/// assert!((design.rate - 0.0198).abs() < 0.0001);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn design_blocks(items: u64, blocks: u64, choice: Choice) -> Result<Design, Error> {
    SIZES.check(blocks)?;
    let items = items.max(1);
    let with_k = |k| Design { items, blocks, k, rate: query(k).rate(items, blocks) };
    let candidates = choice.candidates()?;
    let first = with_k(*candidates.start());
    let others = candidates.skip(1).map(with_k);
    Ok(others.fold(first, |best, next| if next.is_better_than(&best) { next } else { best }))
}

impl Design {
    /// Fewer blocks, then a lower rate, then a smaller k.
    fn is_better_than(&self, other: &Self) -> bool {
        let rank = |design: &Self| (design.blocks, design.rate, design.k);
        rank(self) < rank(other)
    }
}

impl Choice {
    fn candidates(self) -> Result<RangeInclusive<u32>, Error> {
        match self {
            Self::Fast => Ok(8..=8),
            Self::Compact => Ok(1..=MAX_K),
            Self::Exactly(k) => check_k(k).map(|()| k..=k),
        }
    }
}

/// The fewest blocks, not above `at_most`, with which k bits reach the rate.
fn fewest_blocks(items: u64, rate: f64, k: u32, at_most: u64) -> Option<Design> {
    let terms = query(k);
    let (blocks, rate) = SIZES.fewest(items, rate, at_most, |blocks| terms.rate(items, blocks))?;
    Some(Design { items, blocks, k, rate })
}

fn shape(k: u32) -> Shape {
    Shape { word_bits: BLOCK_BITS / WORDS, bits: array::from_fn(|word| bits_in_word(k, 0, word as u32)) }
}

fn query(k: u32) -> Terms {
    Terms::query(&shape(k))
}

fn check_k(k: u32) -> Result<(), Error> {
    if (1..=MAX_K).contains(&k) { Ok(()) } else { Err(Error::InvalidK { k, max: MAX_K }) }
}
