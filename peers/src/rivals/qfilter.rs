//! qfilter: a quotient filter. Its slots are a power of two, and a remainder has whole bits.

use qfilter::Filter;

use crate::keys::RaceKey;
use crate::rival::{Build, Built, Entry, LOOP, Rival, Shape};

pub(crate) fn entry<K: RaceKey>() -> Entry<K> {
    Entry {
        name: "qfilter",
        package: "qfilter",
        scheme: "quotient",
        hash: "foldhash (fast)",
        bulk: LOOP,
        build: Build::Empty(build),
        from_bytes: 0,
        build_bytes: 0,
    }
}

/// The remainder that brings the memory nearest to what is asked for. A slot has 2.125 bits beside it, and
/// the number of slots is the power of two that the items fill to at most 95 %.
fn build<K: RaceKey>(shape: Shape) -> Built<K> {
    let slots = (shape.items * 20).div_ceil(19).next_power_of_two();
    let remainder = (shape.bytes as f64 * 8.0 / slots as f64 - 2.125).round();
    if remainder < 1.0 {
        return Err(format!("{} bytes leave no remainder for {} items", shape.bytes, shape.items));
    }
    let filter =
        Filter::new(shape.items as u64, (-remainder).exp2()).map_err(|error| format!("{error:?}"))?;
    Ok(Box::new(filter))
}

impl<K: RaceKey> Rival<K> for Filter {
    #[inline]
    fn insert(&mut self, key: &K) {
        self.insert_fingerprint(false, key.fold()).expect("room for as many items as it was built for");
    }

    #[inline]
    fn contains(&self, key: &K) -> bool {
        self.contains_fingerprint(key.fold())
    }

    fn bytes(&self) -> usize {
        self.memory_usage()
    }
}
