//! The shape of a filter of either scheme, before it takes memory.

use bloomline::sizing::{Choice, blocked, split};
use bloomline::{Error, Scheme};

/// The k of split blocks: one bit in each of the eight words.
const SPLIT_K: u32 = 8;

/// How the bits of a key lie in the filter: its scheme, and how its k is chosen.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) scheme: Scheme,
    pub(crate) choice: Choice,
}

/// What decides the number of blocks.
#[derive(Clone, Copy)]
pub(crate) enum Size {
    Rate(f64),
    BitsPerKey(f64),
    Blocks(u64),
}

/// The parameters of a filter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Design {
    pub(crate) scheme: Scheme,
    pub(crate) items: u64,
    pub(crate) blocks: u64,
    pub(crate) k: u32,
    /// The expected false-positive rate with `items`.
    pub(crate) rate: f64,
}

impl Layout {
    pub(crate) fn design(self, items: u64, size: Size) -> Result<Design, Error> {
        let Self { scheme, choice } = self;
        match (scheme, choice) {
            (Scheme::Block512, _) => {
                let blocked::Design { items, blocks, k, rate, .. } = match size {
                    Size::Rate(rate) => blocked::design(items, rate, choice),
                    Size::BitsPerKey(bits_per_key) => {
                        blocked::design_bits_per_key(items, bits_per_key, choice)
                    }
                    Size::Blocks(blocks) => blocked::design_blocks(items, blocks, choice),
                }?;
                Ok(Design { scheme, items, blocks, k, rate })
            }
            (Scheme::SplitBlock, Choice::Exactly(k)) if k != SPLIT_K => {
                Err(Error::SchemeFixesK { k, scheme: scheme.name(), fixed: SPLIT_K })
            }
            (Scheme::SplitBlock, _) => {
                let split::Design { items, blocks, rate, .. } = match size {
                    Size::Rate(rate) => split::design(items, rate),
                    Size::BitsPerKey(bits_per_key) => split::design_bits_per_key(items, bits_per_key),
                    Size::Blocks(blocks) => split::design_blocks(items, blocks),
                }?;
                Ok(Design { scheme, items, blocks, k: SPLIT_K, rate })
            }
            _ => Err(Error::UnknownScheme { name: scheme.name().into() }),
        }
    }

    /// The lowest rate that can be asked for.
    pub(crate) fn min_rate(self) -> f64 {
        if self.scheme == Scheme::SplitBlock { split::MIN_RATE } else { bloomline::sizing::MIN_RATE }
    }
}

impl Design {
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks * self.scheme.block_bytes()
    }

    pub(crate) fn bits_per_key(&self) -> f64 {
        8.0 * self.bytes() as f64 / self.items as f64
    }
}

/// The expected false-positive rate of such a filter, and the relative standard deviation of the rate between such filters: NaN
/// where the rate is too low to know it.
pub(crate) fn rate_and_spread(scheme: Scheme, items: u64, blocks: u64, k: u32) -> Result<(f64, f64), Error> {
    match scheme {
        Scheme::SplitBlock => Ok((split::rate(items, blocks)?, split::spread(items, blocks)?)),
        _ => Ok((blocked::rate(items, blocks, k)?, blocked::spread(items, blocks, k)?)),
    }
}

#[cfg(test)]
mod tests {
    use bloomline::BloomFilter;

    use super::*;

    /// What is told before the build is what the build makes.
    #[test]
    fn a_design_is_that_of_the_filter_that_is_built() {
        for scheme in Scheme::ALL {
            let layout = Layout { scheme, choice: Choice::Compact };
            let block = scheme.block_bytes();
            for (builder, size) in [
                (BloomFilter::with_rate(5000, 0.003), Size::Rate(0.003)),
                (BloomFilter::with_bits_per_key(5000, 11.7), Size::BitsPerKey(11.7)),
                (BloomFilter::with_bytes(100 * block).expected_items(5000), Size::Blocks(100)),
            ] {
                let design = layout.design(5000, size).unwrap();
                let filter = builder.scheme(scheme).build().unwrap();
                assert_eq!((design.scheme, design.blocks, design.k), (scheme, filter.blocks(), filter.k()));
                assert_eq!((design.bytes(), Some(design.rate)), (filter.bytes(), filter.predicted_rate()));
            }
        }
    }
}
