//! This engine: with its defaults, with 2 MiB pages, with split blocks, and with the AVX2 kernel of each scheme.

use bloomline::{BloomFilter, Kernel, Pages, Scheme};

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, OURS, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: OURS,
        package: "bloomline",
        scheme: Scheme::Block512.name(),
        hash: "its own mixer; wyhash",
        bulk: "insert_batch, contains_batch",
        build: Build::Empty(|shape| build(shape, Scheme::Block512, Kernel::best(), Pages::Ordinary)),
        from_bytes: 0,
        build_bytes: 0,
    }
}

/// Below one such page there is nothing to compare.
pub(crate) fn entry_huge<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "bloomline, 2 MiB pages",
        build: Build::Empty(|shape| build(shape, Scheme::Block512, Kernel::best(), Pages::Huge)),
        from_bytes: 2 << 20,
        ..entry()
    }
}

pub(crate) fn entry_split<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "bloomline split block",
        scheme: Scheme::SplitBlock.name(),
        build: Build::Empty(|shape| build(shape, Scheme::SplitBlock, Kernel::best(), Pages::Ordinary)),
        ..entry()
    }
}

const AVX2: &str = "avx2";

/// What a CPU without AVX-512 runs. None where it is the default already, or where the CPU cannot run it.
pub(crate) fn entries_avx2<K: RaceKey>() -> Vec<Entry<K>> {
    if Kernel::best().name() == AVX2 || Kernel::by_name(AVX2).is_err() {
        return Vec::new();
    }
    let blocked = Entry {
        name: "bloomline avx2",
        build: Build::Empty(|shape| build_avx2(shape, Scheme::Block512)),
        ..entry()
    };
    let split = Entry {
        name: "bloomline split block avx2",
        build: Build::Empty(|shape| build_avx2(shape, Scheme::SplitBlock)),
        ..entry_split()
    };
    vec![blocked, split]
}

struct Ours {
    filter: BloomFilter,
    mask: Vec<u64>,
}

fn build<K: RaceKey>(shape: Shape, scheme: Scheme, kernel: Kernel, pages: Pages) -> Built<K> {
    let builder = BloomFilter::with_bytes(shape.bytes as u64).expected_items(shape.items as u64);
    let builder = builder.scheme(scheme).fast().kernel(kernel).pages(pages);
    let filter = builder.build().map_err(|error| error.to_string())?;
    Ok(Box::new(Ours { filter, mask: Vec::new() }))
}

fn build_avx2<K: RaceKey>(shape: Shape, scheme: Scheme) -> Built<K> {
    let kernel = Kernel::by_name(AVX2).map_err(|error| error.to_string())?;
    build(shape, scheme, kernel, Pages::Ordinary)
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

    fn kernel(&self) -> Option<&'static str> {
        Some(self.filter.kernel().name())
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
