//! False-positive rates, and the size of a filter for an asked rate.
//!
//! [`classic`] is the textbook bit array with k independent positions for a key; [`blocked`] is the
//! scheme of this crate, where all k bits of a key lie in one 64-byte block, and [`split`] is that of
//! Parquet, with blocks of 32 bytes. A blocked filter must not be sized with the classic formula:
//! blocks that happen to hold more keys than the average raise the rate, and a filter built for 1 %
//! would give more. The functions in [`blocked`] and [`split`] account for that exactly.
//!
//! Everything is deterministic, to the bit, on every machine.
//!
//! ```
//! use bloomline::sizing::{Choice, blocked, classic};
//!
//! let classic = classic::design(1_000_000, 0.01)?;
//! assert_eq!((classic.k, classic.bytes()), (7, 1_198_136)); // 1.14 MiB
//!
//! let blocked = blocked::design(1_000_000, 0.01, Choice::Compact)?;
//! assert_eq!(blocked.k, 6);
//! assert!(blocked.rate <= 0.01 && blocked.bits_per_key() < 10.0);
//! # Ok::<(), bloomline::Error>(())
//! ```

pub mod blocked;
mod blocks;
mod cardinality;
pub mod classic;
mod dd;
mod shape;
pub mod split;
mod spread;
mod untouched;

use crate::Error;

pub use blocked::Choice;

/// The lowest false-positive rate that can be asked for. For split blocks it is [`split::MIN_RATE`].
///
/// Keys that are not integers are hashed to 64 bits, where n of them meet a query with probability
/// n · 2⁻⁶⁴ whatever the size of the filter: 10⁻¹⁵ at 20 000 keys.
pub const MIN_RATE: f64 = 1e-15;

/// Refuses rates outside `min..1`, among them NaN.
fn check_rate(rate: f64, min: f64) -> Result<(), Error> {
    if (min..1.0).contains(&rate) { Ok(()) } else { Err(Error::InvalidRate { rate, min }) }
}

/// One row of the [`ladder`]: what a false-positive rate costs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rung {
    /// The asked rate.
    pub rate: f64,
    /// The classic bit array.
    pub classic: classic::Design,
    /// The smallest blocked filter.
    pub compact: blocked::Design,
    /// The smallest blocked filter with k = 8.
    pub fast: blocked::Design,
}

/// The designs for the rates 10⁻¹, 10⁻², …, 10⁻⁶.
///
/// # Errors
///
/// [`Error::RateUnreachable`] when a blocked filter of [`blocked::MAX_BLOCKS`] blocks does not reach
/// 10⁻⁶ (from some 4·10¹⁰ items), [`Error::TooLarge`] when the classic filter has 2⁶⁴ bits.
///
/// # Examples
///
/// ```
/// // Each step down costs a classic filter 4.8 bits a key.
/// let ladder = bloomline::sizing::ladder(1_000_000)?;
/// for pair in ladder.windows(2) {
///     let step = pair[1].classic.bits_per_key() - pair[0].classic.bits_per_key();
///     assert!((step - 4.79).abs() < 0.01);
/// }
/// # Ok::<(), bloomline::Error>(())
/// ```
pub fn ladder(items: u64) -> Result<[Rung; 6], Error> {
    let rung = |rate| -> Result<Rung, Error> {
        Ok(Rung {
            rate,
            classic: classic::design(items, rate)?,
            compact: blocked::design(items, rate, Choice::Compact)?,
            fast: blocked::design(items, rate, Choice::Fast)?,
        })
    };
    Ok([rung(1e-1)?, rung(1e-2)?, rung(1e-3)?, rung(1e-4)?, rung(1e-5)?, rung(1e-6)?])
}
