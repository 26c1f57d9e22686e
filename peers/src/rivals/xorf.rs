//! xorf: static filters of 8-bit fingerprints. Their memory follows from the number of keys.

use xorf::{BinaryFuse8, Filter, Xor8};

use crate::keys::RaceKey;
use crate::rival::{Build, Entry, LOOP, Rival};

const HASH: &str = "its own mixer; foldhash (fast) first";

pub(crate) fn binary_fuse<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "xorf BinaryFuse8",
        package: "xorf",
        scheme: "binary fuse, 8-bit fingerprints",
        hash: HASH,
        bulk: LOOP,
        build: Build::Whole(|keys| Ok(Box::new(BinaryFuse8::try_from(words(keys))?))),
        from_bytes: 0,
        build_bytes: 40,
    }
}

pub(crate) fn xor<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "xorf Xor8",
        scheme: "xor, 8-bit fingerprints",
        build: Build::Whole(|keys| Ok(Box::new(Xor8::from(words(keys))))),
        build_bytes: 80,
        ..binary_fuse()
    }
}

fn words<K: RaceKey>(keys: &[K]) -> Vec<u64> {
    keys.iter().map(K::unmixed).collect()
}

macro_rules! rival {
    ($filter:ty) => {
        impl<K: RaceKey> Rival<K> for $filter {
            fn insert(&mut self, _: &K) {
                unreachable!("a static filter takes no more keys");
            }

            #[inline]
            fn contains(&self, key: &K) -> bool {
                Filter::contains(self, &key.unmixed())
            }

            fn bytes(&self) -> usize {
                self.fingerprints.len()
            }
        }
    };
}
rival!(BinaryFuse8);
rival!(Xor8);
