//! What a filter knows of itself, from its own bits.

use alloc::vec;
use alloc::vec::Vec;

use super::{BloomFilter, Design, arithmetic};
use crate::sizing::blocked::Estimate;

/// The state of a filter, read from its bits in one pass, without probing. See [`BloomFilter::health`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Health {
    /// Number of bits that are set.
    pub set_bits: u64,
    /// Share of the bits that are set, 0…1.
    pub fill: f64,
    /// The false-positive rate of this very filter: the probability that a key with a random hash is possibly present,
    /// as the mean over the blocks of the chance to meet only set bits. Not a measurement: it has no sampling error.
    pub rate: f64,
    /// The number of distinct items inserted, as the bits tell it.
    pub items: Estimate,
    /// How many blocks have each number of set bits: element i counts the blocks with i set bits, from 0 to
    /// all.
    pub block_loads: Vec<u64>,
    /// The estimated items as a multiple of the expected ones, where the filter knows how many to expect: how far the
    /// filter is within or past its design.
    pub load: Option<f64>,
    /// What the load means.
    pub verdict: Verdict,
}

/// How full a filter is against the number of items that it was built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The filter does not know how many items to expect.
    Unknown,
    /// At most the expected number of items, within what the estimate can tell, or more that the filter holds at the
    /// rate that was asked for: whole blocks leave room in small filters.
    Within,
    /// More items than expected, and the false-positive rate is above the one that was asked for or predicted.
    Over,
    /// As [`Over`](Self::Over), with at least twice the expected items. Build a larger filter.
    Saturated,
}

impl Verdict {
    /// An estimate this many standard deviations above the expected number is no accident.
    const DEVIATIONS: f64 = 3.0;

    /// `estimate` is the estimate of the items, `least` the same with at least one zero bit assumed: the estimate of a
    /// full filter is infinite, which says nothing of how many items it took to fill it. `rate` is the filter's own.
    fn of(estimate: Estimate, least: Estimate, rate: f64, design: Design) -> Self {
        let Some(expected) = design.items else { return Self::Unknown };
        if design.rate.is_some_and(|asked| rate <= asked) {
            return Self::Within;
        }
        // No item counts as one, as in `sizing`.
        let expected = expected.max(1) as f64;
        // Items are whole: less than half of one above the expected number is rounding.
        if least.items - Self::DEVIATIONS * least.standard_deviation < expected + 0.5 {
            Self::Within
        } else if estimate.items < 2.0 * expected {
            Self::Over
        } else {
            Self::Saturated
        }
    }
}

impl BloomFilter {
    /// Reads the state of the filter from its bits: fill, rate, number of items, block loads, saturation.
    ///
    /// Takes one pass over the filter.
    ///
    /// The rate takes the bits of a query for independent of each other. With split blocks, a query whose eight places are
    /// those of a key in its block, one in 2^32 for each key there, is then missed: the true rate is higher by the number of keys
    /// per block × 2^−32, which is 3 % of 10^−8, and less of every higher rate.
    ///
    /// ```
    /// use bloomline::{BloomFilter, Verdict};
    ///
    /// let mut filter = BloomFilter::with_rate(1000, 0.01).build()?;
    /// filter.insert_batch(&(0..1000_u64).collect::<Vec<_>>());
    /// let health = filter.health();
    /// assert_eq!(health.verdict, Verdict::Within);
    /// assert!((0.9..1.1).contains(&health.load.unwrap()));
    /// assert!((health.items.items - 1000.0).abs() < 4.0 * health.items.standard_deviation);
    /// assert!((health.rate / 0.01 - 1.0).abs() < 0.2);
    ///
    /// filter.insert_batch(&(0..3000_u64).collect::<Vec<_>>());
    /// assert_eq!(filter.health().verdict, Verdict::Saturated);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn health(&self) -> Health {
        let shape = self.array().shape();
        let mut block_loads = vec![0; shape.scheme.block_bytes() as usize * 8 + 1];
        let mut set_bits = 0;
        let mut rates = 0.0;
        arithmetic::for_each_block(self.array(), |words| {
            let load: u32 = words.iter().sum();
            set_bits += u64::from(load);
            block_loads[load as usize] += 1;
            rates += arithmetic::block_rate(shape, words);
        });
        let zero_bits = self.bits() - set_bits;
        let items = arithmetic::estimate(shape, zero_bits);
        let least = arithmetic::estimate(shape, zero_bits.max(1));
        let rate = rates / self.blocks() as f64;
        Health {
            set_bits,
            fill: set_bits as f64 / self.bits() as f64,
            rate,
            items,
            block_loads,
            load: self.expected_items().map(|expected| items.items / expected.max(1) as f64),
            verdict: Verdict::of(items, least, rate, self.design()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::block512::BLOCK_BITS;
    use crate::sizing::blocked;

    /// One block is the least, and it holds far more than ten items at 1 %.
    #[test]
    fn small_filters_are_within_while_they_keep_the_asked_rate() {
        for (items, inserted, verdict) in [
            (0, 1, Verdict::Within),
            (10, 21, Verdict::Within),
            (10, 40, Verdict::Within),
            (10, 200, Verdict::Saturated),
            (100, 201, Verdict::Saturated),
        ] {
            let mut filter = BloomFilter::with_rate(items, 0.01).build().unwrap();
            filter.insert_batch(&(0..inserted).collect::<Vec<u64>>());
            let health = filter.health();
            assert_eq!(health.verdict, verdict, "{inserted} items where {items} were expected");
            assert_eq!(health.rate <= 0.01, verdict == Verdict::Within, "rate {}", health.rate);
        }
    }

    /// With 0 expected items, where no rate was asked for, one item is no more than was expected.
    #[test]
    fn no_expected_item_counts_as_one() {
        let mut filter = BloomFilter::with_bytes(64).expected_items(0).build().unwrap();
        filter.insert(&1_u64);
        assert_eq!(filter.health().verdict, Verdict::Within);
        filter.insert_batch(&[2_u64, 3, 4]);
        assert_eq!(filter.health().verdict, Verdict::Saturated);
    }

    /// Eight bits of 2^32 − 1 blocks at k = 1 are eight items, and an estimate that rounds to a little more without a
    /// deviation.
    #[test]
    fn rounding_is_not_an_item_too_many() {
        let blocks = blocked::MAX_BLOCKS;
        let estimate = blocked::estimate_items(blocks * u64::from(BLOCK_BITS) - 8, blocks, 1).unwrap();
        assert!(estimate.items > 8.0);
        let of =
            |expected| Verdict::of(estimate, estimate, 1e-12, Design { items: Some(expected), rate: None });
        assert_eq!((of(8), of(7), of(4)), (Verdict::Within, Verdict::Over, Verdict::Saturated));
    }
}
