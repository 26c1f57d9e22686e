//! Numbers of blocks: which a scheme can have, and how many it takes.

use super::classic;
use crate::Error;

/// The sizes that a filter of one scheme can have.
pub(super) struct Sizes {
    pub(super) block_bytes: u64,
    pub(super) max_blocks: u64,
}

impl Sizes {
    const fn block_bits(&self) -> u64 {
        8 * self.block_bytes
    }

    pub(super) fn check(&self, blocks: u64) -> Result<(), Error> {
        if blocks == 0 {
            Err(Error::TooSmall { bytes: 0, min: self.block_bytes })
        } else if blocks > self.max_blocks {
            Err(self.too_large(blocks.into()))
        } else {
            Ok(())
        }
    }

    /// The fewest blocks with at least this many bits for each item.
    pub(super) fn with_bits_per_key(&self, items: u64, bits_per_key: f64) -> Result<u64, Error> {
        check_bits_per_key(bits_per_key)?;
        let blocks = libm::ceil(items as f64 * bits_per_key / self.block_bits() as f64);
        if blocks > self.max_blocks as f64 {
            return Err(self.too_large(blocks as u128));
        }
        // A quotient that underflows to 0 still needs a block.
        Ok((blocks as u64).max(1))
    }

    /// The fewest blocks, not above `at_most`, that reach the rate, with the rate that they have.
    ///
    /// The rate falls with every block, since the number of keys in a block gets stochastically smaller.
    /// Its logarithm is nearly linear in that of the number of blocks, so the secant through the last two
    /// probes finds the answer in a few steps; the bracket around it makes the answer exact.
    pub(super) fn fewest(
        &self,
        items: u64,
        rate: f64,
        at_most: u64,
        rate_with: impl Fn(u64) -> f64,
    ) -> Option<(u64, f64)> {
        const SECANT_STEPS: u32 = 12;
        let point = |blocks: u64, rate: f64| (libm::log(blocks as f64), libm::log(rate));

        let mut enough = (at_most, rate_with(at_most));
        if enough.1 > rate {
            return None;
        }
        let mut too_few = 0;
        let mut last = point(enough.0, enough.1);
        let mut guess = classic::bits(items, rate).map_or(at_most, |bits| bits / self.block_bits());
        let mut steps = 0;
        while enough.0 - too_few > 1 {
            let probe = guess.clamp(too_few + 1, enough.0 - 1);
            let probe_rate = rate_with(probe);
            let (x, y) = point(probe, probe_rate);
            if probe_rate <= rate {
                enough = (probe, probe_rate);
            } else {
                too_few = probe;
            }
            steps += 1;
            guess = if steps < SECANT_STEPS {
                let slope = (y - last.1) / (x - last.0);
                // A slope that is not a number leads to 0, and so to the end of the bracket.
                libm::ceil(libm::exp(x + (libm::log(rate) - y) / slope)) as u64
            } else {
                too_few + (enough.0 - too_few) / 2
            };
            last = (x, y);
        }
        Some(enough)
    }

    fn too_large(&self, blocks: u128) -> Error {
        let bytes = blocks.saturating_mul(self.block_bytes.into());
        Error::TooLarge { bytes, limit: self.max_blocks * self.block_bytes }
    }
}

pub(super) fn check_bits_per_key(bits_per_key: f64) -> Result<(), Error> {
    if bits_per_key.is_finite() && bits_per_key > 0.0 {
        Ok(())
    } else {
        Err(Error::InvalidBitsPerKey { bits_per_key })
    }
}
