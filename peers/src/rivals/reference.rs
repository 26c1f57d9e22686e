//! The bit-array reference of this repository, with the best k.

use bloomline::reference::ReferenceFilter;
use bloomline::sizing::classic;

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, LOOP, REFERENCE, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: REFERENCE,
        package: "bloomline",
        scheme: "classic",
        hash: "its own",
        bulk: LOOP,
        build: Build::Empty(build),
        from_bytes: 0,
        build_bytes: 0,
    }
}

fn build<K: RaceKey>(shape: Shape) -> Built<K> {
    let bits = shape.bytes as u64 * 8;
    let k = classic::optimal_k(shape.items as u64, bits);
    Ok(Box::new(ReferenceFilter::with_bits(bits, k, 0).map_err(|error| error.to_string())?))
}

impl<K: RaceKey> Rival<K> for ReferenceFilter {
    #[inline]
    fn insert(&mut self, key: &K) {
        key.insert_reference(self);
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        key.check_reference(self)
    }

    fn bytes(&self) -> usize {
        self.bytes() as usize
    }

    fn k(&self) -> Option<u32> {
        Some(self.k())
    }

    fn kernel(&self) -> Option<&'static str> {
        Some(REFERENCE)
    }
}
