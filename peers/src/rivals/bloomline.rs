//! This engine, with its defaults and with 2 MiB pages.

use bloomline::{BloomFilter, Pages};

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, OURS, OURS_HUGE, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: OURS,
        package: "bloomline",
        scheme: "block512",
        hash: "its own mixer; wyhash",
        bulk: "insert_batch, contains_batch",
        build: Build::Empty(|shape| build(shape, Pages::Ordinary)),
        from_bytes: 0,
        build_bytes: 0,
    }
}

/// Below one such page there is nothing to compare.
pub(crate) fn entry_huge<K: RaceKey>() -> Entry<K> {
    Entry {
        name: OURS_HUGE,
        build: Build::Empty(|shape| build(shape, Pages::Huge)),
        from_bytes: 2 << 20,
        ..entry()
    }
}

struct Ours {
    filter: BloomFilter,
    mask: Vec<u64>,
}

fn build<K: RaceKey>(shape: Shape, pages: Pages) -> Built<K> {
    let builder = BloomFilter::with_bytes(shape.bytes as u64).expected_items(shape.items as u64);
    let filter = builder.fast().pages(pages).build().map_err(|error| error.to_string())?;
    Ok(Box::new(Ours { filter, mask: Vec::new() }))
}

impl<K: RaceKey> Rival<K> for Ours {
    #[inline]
    fn insert(&mut self, key: &K) {
        self.filter.insert(key);
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        self.filter.contains(key)
    }

    fn bytes(&self) -> usize {
        self.filter.bytes() as usize
    }

    fn k(&self) -> Option<u32> {
        Some(self.filter.k())
    }

    fn pages(&self) -> Option<&'static str> {
        Some(match self.filter.pages() {
            Pages::Ordinary => "ordinary",
            _ => "huge",
        })
    }

    fn insert_bulk(&mut self, keys: &[K]) {
        self.filter.insert_batch(keys);
    }

    fn lookup_bulk(&mut self, keys: &[K]) -> usize {
        self.mask.resize(keys.len().div_ceil(64), 0);
        self.filter.contains_batch(keys, &mut self.mask).expect("the mask is long enough")
    }
}
