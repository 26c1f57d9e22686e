//! The filters that are measured, and what is done with them.

use std::hint::black_box;

use bloomline::reference::ReferenceFilter;
use bloomline::sizing::{Choice, classic};
use bloomline::{BloomFilter, Error, Pages, Scheme};
use serde::Serialize;

use crate::design::{Layout, Size};
use crate::output;

/// Items with which a rate becomes bits per key: so many that rounding to whole blocks does not show.
const MANY: u64 = 10_000_000;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Op {
    InsertBulk,
    InsertSingle,
    LookupBulk,
    LookupSingle,
}

impl Op {
    pub(super) const INSERTS: [Self; 2] = [Self::InsertBulk, Self::InsertSingle];
    pub(super) const LOOKUPS: [Self; 2] = [Self::LookupBulk, Self::LookupSingle];

    /// In words.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::InsertBulk => "inserts in bulk",
            Self::InsertSingle => "inserts one at a time",
            Self::LookupBulk => "lookups in bulk",
            Self::LookupSingle => "lookups one at a time",
        }
    }

    /// Untimed runs before the timed one. One does not do: in a cache of several megabytes, whoever comes first to a filter
    /// after others were at work still pays for them in the second run. Single calls follow bulk ones on the same filter.
    pub(super) const fn warm_runs(self) -> usize {
        match self {
            Self::InsertBulk | Self::LookupBulk => 3,
            Self::InsertSingle | Self::LookupSingle => 1,
        }
    }

    pub(super) const fn is_insert(self) -> bool {
        matches!(self, Self::InsertBulk | Self::InsertSingle)
    }
}

/// A kind of filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of this crate, with k = 8, the fastest.
    Blocked(Scheme),
    /// The reference, with the k of the lowest rate.
    Classic,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Blocked(scheme) => scheme.name(),
            Self::Classic => "classic",
        }
    }

    /// The bits per key at which the expected false-positive rate of a large filter is this one.
    pub(super) fn bits_per_key(self, rate: f64) -> Result<f64, Error> {
        match self {
            Self::Blocked(scheme) => Ok(layout(scheme).design(MANY, Size::Rate(rate))?.bits_per_key()),
            Self::Classic => Ok(classic::design(MANY, rate)?.bits_per_key()),
        }
    }

    /// The exact expected false-positive rate of a filter of `bytes` bytes.
    pub(super) fn rate(self, items: u64, bytes: u64) -> Result<f64, Error> {
        match self {
            Self::Blocked(scheme) => {
                let blocks = bytes / scheme.block_bytes();
                Ok(layout(scheme).design(items, Size::Blocks(blocks))?.rate)
            }
            Self::Classic => Ok(classic::rate_exact(items, 8 * bytes, classic::optimal_k(items, 8 * bytes))),
        }
    }

    /// An empty filter of `bytes` bytes for `items` keys.
    pub(super) fn build(self, items: u64, bytes: u64, seed: u64, pages: Pages) -> Result<Filter, Error> {
        match self {
            Self::Blocked(scheme) => {
                let builder = BloomFilter::with_bytes(bytes).expected_items(items).scheme(scheme).fast();
                builder.seed(seed).pages(pages).build().map(Filter::Blocked)
            }
            Self::Classic => {
                let k = classic::optimal_k(items, 8 * bytes);
                ReferenceFilter::with_bits(8 * bytes, k, seed).map(Filter::Classic)
            }
        }
    }
}

fn layout(scheme: Scheme) -> Layout {
    Layout { scheme, choice: Choice::Fast }
}

/// A filter of any kind. The functions of many keys are loops for each kind, so that nothing is chosen key by key.
pub(super) enum Filter {
    Blocked(BloomFilter),
    Classic(ReferenceFilter),
}

impl Filter {
    pub(super) fn k(&self) -> u32 {
        match self {
            Self::Blocked(filter) => filter.k(),
            Self::Classic(filter) => filter.k(),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Blocked(filter) => filter.bytes(),
            Self::Classic(filter) => filter.bytes(),
        }
    }

    /// The pages that the system gave; the reference takes what its allocator has.
    pub(super) fn pages(&self) -> &'static str {
        match self {
            Self::Blocked(filter) => output::pages(filter.pages()),
            Self::Classic(_) => output::pages(Pages::Ordinary),
        }
    }

    /// Inserts in bulk, or one at a time.
    pub(super) fn insert(&mut self, op: Op, keys: &[u64]) {
        match (self, op) {
            (Self::Blocked(filter), Op::InsertBulk) => filter.insert_batch(keys),
            (Self::Blocked(filter), _) => {
                for key in keys {
                    black_box(filter.insert(black_box(key)));
                }
            }
            (Self::Classic(filter), Op::InsertBulk) => {
                for &key in keys {
                    filter.insert_u64(key);
                }
            }
            (Self::Classic(filter), _) => {
                for &key in keys {
                    black_box(filter.insert_u64(black_box(key)));
                }
            }
        }
    }

    /// Looks up in bulk, or one at a time: how many keys are possibly present. `mask` has a bit for each key.
    pub(super) fn lookup(&self, op: Op, keys: &[u64], mask: &mut [u64]) -> usize {
        match (self, op) {
            (Self::Blocked(filter), Op::LookupBulk) => {
                let found = filter.contains_batch(keys, mask).expect("a bit for each key");
                black_box(mask);
                found
            }
            (Self::Blocked(filter), _) => {
                keys.iter().filter(|key| black_box(filter.contains(black_box(*key)))).count()
            }
            (Self::Classic(filter), Op::LookupBulk) => {
                keys.iter().filter(|&&key| filter.contains_u64(key)).count()
            }
            (Self::Classic(filter), _) => {
                keys.iter().filter(|key| black_box(filter.contains_u64(black_box(**key)))).count()
            }
        }
    }

    /// How many of the keys are possibly present, by the fastest way.
    pub(super) fn count(&self, keys: &[u64]) -> u64 {
        match self {
            Self::Blocked(filter) => filter.count_batch(keys) as u64,
            Self::Classic(filter) => keys.iter().filter(|&&key| filter.contains_u64(key)).count() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 3] =
        [Kind::Blocked(Scheme::Block512), Kind::Blocked(Scheme::SplitBlock), Kind::Classic];

    /// The sizes of theory for 1 %, from other programs: 10.10 and 10.53 bits per key; ln 100 / (ln 2)² = 9.585.
    #[test]
    fn a_rate_becomes_bits_per_key_and_back() {
        for (kind, bits_per_key) in KINDS.into_iter().zip([10.10, 10.53, 9.585]) {
            let got = kind.bits_per_key(0.01).unwrap();
            assert!((got - bits_per_key).abs() < 0.006, "{}: {got}", kind.name());
            let items = 1_000_000;
            let bytes = (items as f64 * got / 8.0) as u64 / 64 * 64;
            let rate = kind.rate(items, bytes).unwrap();
            // An integer k can miss the textbook's optimum, by 0.4 % here.
            assert!((rate / 0.01 - 1.0).abs() < 0.006, "{}: {rate}", kind.name());
        }
    }

    #[test]
    fn every_way_of_asking_gives_the_same_answers() {
        let present: Vec<u64> = (0..1000).collect();
        let asked: Vec<u64> = (500..5000).collect();
        for kind in KINDS {
            for insert in Op::INSERTS {
                let mut filter = kind.build(1000, 1280, 0, Pages::Ordinary).unwrap();
                filter.insert(insert, &present);
                let found = filter.count(&asked);
                // 500 keys that are there, and at 10 bits per key about 1 % of 4000 others.
                assert!((510..600).contains(&found), "{}: {found}", kind.name());
                let mut mask = vec![0; asked.len().div_ceil(64)];
                for lookup in Op::LOOKUPS {
                    assert_eq!(filter.lookup(lookup, &asked, &mut mask) as u64, found, "{lookup:?}");
                }
            }
        }
    }
}
