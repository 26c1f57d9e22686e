//! The split block filter of Parquet: 256-bit blocks, one bit of a key in each of eight 32-bit words.
//!
//! The rates are those of [`blocked`](super::blocked) for another shape of block. They are exact for eight independent
//! places and equally likely blocks. The scheme has neither: 32 bits of the hash choose the block and the other 32 the
//! places, so the price of each is stated here.
//!
//! **Places.** Different values of the 32 bits never agree in all eight words (a test of the crate proves it). So a query
//! has a *twin* in its block with probability 2⁻³² for each key there, where independent places would give 2⁻⁴⁰. The rates
//! take a key for a twin with that probability, and else for independent of the query. Against 200 random queries, each
//! compared with all 2³² values, they are then right to 0.4 %, and to 0.03 % down to [`MIN_RATE`]. Independent places alone
//! would promise 1/256 of the rate of a block of one key, 98 % with four and 99.97 % with eight.
//!
//! **Blocks.** The range reduction of 32 bits gives each of b blocks ⌊2³²/b⌋ or ⌈2³²/b⌉ of the hashes. Up to [`MAX_BLOCKS`] that
//! raises no rate by more than one part in a thousand, and the rates leave it out.

use super::blocks::{Sizes, check_bits_per_key};
use super::shape::Shape;
use super::untouched::Terms;
use super::{cardinality, check_rate, spread};
use crate::Error;
use crate::scheme::split::{self as contract, BLOCK_BITS, BLOCK_BYTES, K, WORD_BITS, WORDS};

pub use super::cardinality::Estimate;

/// The largest number of blocks, 2²⁶ − 1: a filter of 2 GiB less 32 bytes.
///
/// It is the largest that the header of a Parquet filter can state, whose size in bytes is a signed 32-bit number. And it keeps
/// the blocks alike: of the 2³² values that choose the block, each gets at least 64, and at most one more than another.
/// Near this limit, that raises rates by up to 0.04 % of themselves (at 10 %) or 0.1 % (at 10⁻⁴); at sizes around 4 GiB it would be
/// up to 0.4 %, around 8 GiB 1.5 %, around 28 GiB 20 %.
pub const MAX_BLOCKS: u64 = contract::MAX_BLOCKS;

/// The lowest false-positive rate that can be asked for.
///
/// A key in the block of a query has all the bits of the query with probability 2⁻³², however large the filter, so in the
/// end only fewer keys per block help. At 10⁻⁸, such twins are 3 % of the false positives and take 0.8 % more blocks. At
/// 10⁻⁹ it would be 18 % and 5 %, at 10⁻¹⁰ 67 % and 43 %, and further down a tenth of the rate takes ten times the blocks.
/// 10⁻⁸ takes 179 bits a key; [`blocked`](super::blocked) needs 66.
pub const MIN_RATE: f64 = 1e-8;

/// The probability that a key shares all its places with another.
const TWINS: f64 = 1.0 / (1_u64 << 32) as f64;

const SIZES: Sizes = Sizes { block_bytes: BLOCK_BYTES, max_blocks: MAX_BLOCKS };

const SHAPE: Shape = Shape { word_bits: WORD_BITS, bits: [K / WORDS; WORDS as usize] };

/// The parameters of a split block filter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Design {
    /// The number of items that the filter is meant to hold, at least 1.
    pub items: u64,
    /// The number of 32-byte blocks.
    pub blocks: u64,
    /// The expected false-positive rate when the filter holds `items`, as [`rate`] gives it.
    pub rate: f64,
}

impl Design {
    /// The size of the filter's blocks in bytes.
    ///
    /// ```
    /// use bloomline::sizing::split;
    /// assert_eq!(split::design_blocks(100, 4)?.bytes(), 128);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub const fn bytes(&self) -> u64 {
        self.blocks * BLOCK_BYTES
    }

    /// The size of the filter's blocks in bits, divided by the number of items.
    ///
    /// ```
    /// use bloomline::sizing::split;
    /// assert_eq!(split::design_blocks(64, 4)?.bits_per_key(), 16.0);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn bits_per_key(&self) -> f64 {
        self.blocks as f64 * f64::from(BLOCK_BITS) / self.items as f64
    }
}

/// The expected false-positive rate of a filter of `blocks` blocks that holds `items` different keys.
///
/// The mean over all filters of that shape, for every n and b, under the two conditions that the [module](self) names. In the
/// limit of many keys and without twins it is Σ P(i) (1 − (31/32)ⁱ)⁸ over Poisson loads i, as in equation 3 of Putze, Sanders and
/// Singler (WEA 2007). The size that the Parquet specification gives, −8 n / ln(1 − p^(1/8)) bits, takes all blocks as
/// equally loaded: for 1 % it leads to a rate of 1.46 %.
///
/// # Errors
///
/// [`Error::TooSmall`] for 0 blocks; [`Error::TooLarge`] above [`MAX_BLOCKS`].
///
/// # Examples
///
/// ```
/// use bloomline::sizing::split;
///
/// // 10 bits a key: 1.26 %.
/// let rate = split::rate(1_000_000, 39_063)?;
/// assert!((rate - 0.012_647).abs() < 1e-6);
/// // One key in one block can only be taken for its twins.
/// assert!((split::rate(1, 1)? * 4_294_967_296.0 - 1.0).abs() < 0.004);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn rate(items: u64, blocks: u64) -> Result<f64, Error> {
    SIZES.check(blocks)?;
    Ok(query().rate(items, blocks))
}

/// The false-positive rate at this many bits a key, in the limit of many keys.
///
/// The loads of the blocks are then Poisson distributed. [`rate`] differs from it by a relative error
/// of order 1/b.
///
/// # Errors
///
/// [`Error::InvalidBitsPerKey`] unless finite and above 0.
///
/// # Examples
///
/// ```
/// let rate = bloomline::sizing::split::rate_limit(10.0)?;
/// assert!((rate - 0.012_648_457).abs() < 1e-9);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn rate_limit(bits_per_key: f64) -> Result<f64, Error> {
    check_bits_per_key(bits_per_key)?;
    Ok(query().rate_limit(f64::from(BLOCK_BITS) / bits_per_key))
}

/// How far the rates of filters of the same shape scatter: their standard deviation divided by
/// their mean, [`rate`].
///
/// What [`blocked::spread`](super::blocked::spread) says holds here as well. At 10 bits a key, a filter scatters 17 % more than one
/// of equally many bytes in 512-bit blocks with k = 8, at 16 bits 20 %.
///
/// NaN when the rate is below [`MIN_RATE`], where twins, which the scatter leaves out, come to matter.
///
/// # Errors
///
/// Those of [`rate`].
///
/// # Examples
///
/// ```
/// // A thousand blocks at 16 bits a key: one filter in three is more than 3 % off the mean.
/// let spread = bloomline::sizing::split::spread(16_000, 1_000)?;
/// assert!((0.025..0.045).contains(&spread));
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn spread(items: u64, blocks: u64) -> Result<f64, Error> {
    let rate = rate(items, blocks)?;
    if rate < MIN_RATE {
        return Ok(f64::NAN);
    }
    Ok(spread::standard_deviation(&SHAPE, items, blocks) / rate)
}

/// The fewest blocks whose [`rate`] at `items` is at most the asked one. No item counts as one.
///
/// # Errors
///
/// [`Error::InvalidRate`] unless the rate is in [`MIN_RATE`]`..1`; [`Error::RateUnreachable`] when [`MAX_BLOCKS`] are
/// too few.
///
/// # Examples
///
/// ```
/// use bloomline::sizing::split;
///
/// let design = split::design(1_000_000, 0.001)?;
/// assert!(design.rate <= 0.001);
/// assert!(split::rate(1_000_000, design.blocks - 1)? > 0.001);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn design(items: u64, rate: f64) -> Result<Design, Error> {
    check_rate(rate, MIN_RATE)?;
    let items = items.max(1);
    let query = query();
    let (blocks, rate) = SIZES
        .fewest(items, rate, MAX_BLOCKS, |blocks| query.rate(items, blocks))
        .ok_or(Error::RateUnreachable { rate, items })?;
    Ok(Design { items, blocks, rate })
}

/// The filter with at least this many bits for each of the expected items, in whole blocks.
///
/// No item counts as one.
///
/// # Errors
///
/// [`Error::InvalidBitsPerKey`] unless finite and above 0; [`Error::TooLarge`] above [`MAX_BLOCKS`].
///
/// # Examples
///
/// ```
/// use bloomline::sizing::split;
///
/// let design = split::design_bits_per_key(1_000_000, 16.0)?;
/// assert_eq!((design.blocks, design.bytes()), (62_500, 2_000_000));
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn design_bits_per_key(items: u64, bits_per_key: f64) -> Result<Design, Error> {
    let items = items.max(1);
    design_blocks(items, SIZES.with_bits_per_key(items, bits_per_key)?)
}

/// The filter with this many blocks. No item counts as one.
///
/// # Errors
///
/// [`Error::TooSmall`] for 0 blocks; [`Error::TooLarge`] above [`MAX_BLOCKS`].
///
/// # Examples
///
/// ```
/// use bloomline::sizing::split;
///
/// // 1 MiB for a million items.
/// let design = split::design_blocks(1_000_000, (1 << 20) / 32)?;
/// assert_eq!(design.bytes(), 1 << 20);
/// assert!((design.rate - 0.02726).abs() < 0.00001);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn design_blocks(items: u64, blocks: u64) -> Result<Design, Error> {
    let items = items.max(1);
    Ok(Design { items, blocks, rate: rate(items, blocks)? })
}

/// The number of different items in a filter of `blocks` blocks of which `zero_bits` bits are unset.
///
/// Two bits of a key never coincide, so the classic estimate holds as it stands, with 8/256 for the probability that a key
/// sets a given bit of its block: n̂ = ln(Z/m) / ln(1 − 1/(32 b)) (Swamidass and Baldi, JCIM 47, 2007). The bias is below one
/// part in the number of zero bits.
///
/// The standard deviation follows from the exact variance of Z at n = n̂, to first order. Where half of the bits are set
/// it is 8 % larger than that of a classic filter at k = 8.
///
/// Without zero bits both numbers are infinite: the filter is full and tells nothing but that.
///
/// # Errors
///
/// [`Error::TooSmall`] for 0 blocks; [`Error::TooLarge`] above [`MAX_BLOCKS`], or when the blocks have
/// fewer bits than `zero_bits`.
///
/// # Examples
///
/// ```
/// use bloomline::sizing::split::estimate_items;
///
/// // Half of the bits of 2000 blocks are set, eight at a time.
/// let estimate = estimate_items(256_000, 2_000)?;
/// assert!((estimate.items - 44_361.0).abs() < 1.0);
/// assert!(estimate.standard_deviation < 100.0);
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn estimate_items(zero_bits: u64, blocks: u64) -> Result<Estimate, Error> {
    SIZES.check(blocks)?;
    cardinality::estimate_items(&SHAPE, zero_bits, blocks)
}

fn query() -> Terms {
    Terms::query(&SHAPE).with_twins(TWINS)
}
