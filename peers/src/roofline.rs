//! The least that a filter of one line per key can take, for integers, in the same rounds as the contestants.

use std::hint::black_box;
use std::time::Instant;

use bloomline_roofline::{Lines, Order, Pages, insert, lookup};

use crate::keys::RaceKey;
use crate::race::nanos;

/// Lines of the size of the filters, in ordinary pages as most contestants lie.
pub(crate) struct Roofline(Lines);

impl Roofline {
    pub(crate) fn new(bytes: usize) -> Result<Self, String> {
        Lines::new(bytes, Pages::Ordinary).map(Self).map_err(|error| error.to_string())
    }

    /// Looks batches up in every order, the last one timed, and gives the time of the fastest. None for strings.
    pub(crate) fn time_lookups<K: RaceKey>(&self, batches: &[&[K]]) -> Option<f64> {
        let lines = self.0.as_slice();
        time(batches, |keys, order| {
            black_box(lookup(lines, keys, order));
        })
    }

    /// The same for inserts.
    pub(crate) fn time_inserts<K: RaceKey>(&mut self, batches: &[&[K]]) -> Option<f64> {
        let lines = self.0.as_mut_slice();
        time(batches, |keys, order| insert(lines, keys, order))
    }
}

fn time<K: RaceKey>(batches: &[&[K]], mut work: impl FnMut(&[u64], Order)) -> Option<f64> {
    let batches: Vec<&[u64]> = batches.iter().map(|keys| K::integers(keys)).collect::<Option<_>>()?;
    let mut time = |order| {
        batches.iter().fold(0.0, |_, keys| {
            let start = Instant::now();
            work(black_box(keys), order);
            nanos(start.elapsed(), keys.len())
        })
    };
    Order::ALL.map(&mut time).into_iter().reduce(f64::min)
}
