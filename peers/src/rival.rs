//! What a contestant is, and the table of them all.

use std::hint::black_box;

use crate::keys::RaceKey;
use crate::rivals;

/// The size of a filter to build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) bytes: usize,
    pub(crate) items: usize,
}

/// A filter in the race. Only `insert`, `contains` and what the filter says of itself have to be written; a filter with a
/// call for many keys overrides the bulk functions.
///
/// The functions that take many keys are compiled for each filter, so that no call of one key goes through a pointer.
pub(crate) trait Rival<K: RaceKey> {
    fn insert(&mut self, key: &K);

    fn contains(&self, key: &K) -> bool;

    /// Memory of the filter, without its few parameters.
    fn bytes(&self) -> usize;

    /// Bits of a key, where the filter is one of bits.
    fn k(&self) -> Option<u32> {
        None
    }

    /// The kernel of this engine, or `reference`; a rival has none.
    fn kernel(&self) -> Option<&'static str> {
        None
    }

    /// The pages that the filter lies in, where it says so.
    fn pages(&self) -> Option<&'static str> {
        None
    }

    fn insert_bulk(&mut self, keys: &[K]) {
        for key in keys {
            self.insert(key);
        }
    }

    /// How many of the keys are possibly present.
    fn lookup_bulk(&mut self, keys: &[K]) -> usize {
        keys.iter().filter(|key| self.contains(key)).count()
    }

    fn insert_single(&mut self, keys: &[K]) {
        for key in keys {
            self.insert(black_box(key));
        }
    }

    fn lookup_single(&mut self, keys: &[K]) -> usize {
        keys.iter().filter(|key| black_box(self.contains(black_box(key)))).count()
    }
}

/// A filter, or why there is none of this shape.
pub(crate) type Built<K> = Result<Box<dyn Rival<K>>, String>;

/// How a filter comes to hold its keys.
pub(crate) enum Build<K> {
    /// It is built empty.
    Empty(fn(Shape) -> Built<K>),
    /// It is built from all keys at once, and takes no more.
    Whole(fn(&[K]) -> Built<K>),
}

/// A row of the table.
pub(crate) struct Entry<K> {
    pub(crate) name: &'static str,
    /// The crate that the version is of.
    pub(crate) package: &'static str,
    pub(crate) scheme: &'static str,
    /// The hash of integers, and that of strings.
    pub(crate) hash: &'static str,
    pub(crate) bulk: &'static str,
    pub(crate) build: Build<K>,
    /// The least size at which it takes part.
    pub(crate) from_bytes: usize,
    /// Bytes that the build takes for each key, beside the filter.
    pub(crate) build_bytes: usize,
}

pub(crate) const LOOP: &str = "loop";
pub(crate) const OURS: &str = "bloomline";
pub(crate) const REFERENCE: &str = "reference";

/// Every contestant. Where time is short, those further down sit out first.
pub(crate) fn table<K: RaceKey>() -> Vec<Entry<K>> {
    let mut ours =
        vec![rivals::bloomline::entry(), rivals::bloomline::entry_huge(), rivals::bloomline::entry_split()];
    ours.extend(rivals::bloomline::entries_avx2());
    let others = [
        rivals::reference::entry(),
        rivals::fastbloom::entry(),
        rivals::sbbf_rs::entry(),
        rivals::parquet::entry(),
        rivals::bloomcraft::entry(),
        rivals::bloomfilter::entry(),
        rivals::xorf::binary_fuse(),
        rivals::xorf::xor(),
        rivals::qfilter::entry(),
        rivals::cuckoofilter::entry(),
    ];
    ours.into_iter().chain(others).collect()
}
