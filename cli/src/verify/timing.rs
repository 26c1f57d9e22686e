//! Times of every operation of both filters.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::trial::{BATCH, Filter};
use super::workload::{TIMED, TestKey, Workload};

/// Operations that are timed together, at least: far more than the clock's resolution.
const OPERATIONS: usize = 10_000;

/// Rounds that are measured, unless the time runs out.
const ROUNDS: usize = 15;
const FEWEST_ROUNDS: usize = 3;
const TIME: Duration = Duration::from_secs(4);

/// A value for every operation.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Operations<T> {
    pub(super) insert: T,
    pub(super) hit: T,
    pub(super) miss: T,
    pub(super) single_insert: T,
    pub(super) single_hit: T,
    pub(super) single_miss: T,
}

impl<T> Operations<T> {
    /// The values with the names of their operations.
    pub(super) fn named(self) -> [(&'static str, T); 6] {
        [
            ("insert, batched", self.insert),
            ("hit, batched", self.hit),
            ("miss, batched", self.miss),
            ("insert, one at a time", self.single_insert),
            ("hit, one at a time", self.single_hit),
            ("miss, one at a time", self.single_miss),
        ]
    }

    pub(super) fn zip_with<U>(self, other: Self, combine: impl Fn(T, T) -> U) -> Operations<U> {
        Operations {
            insert: combine(self.insert, other.insert),
            hit: combine(self.hit, other.hit),
            miss: combine(self.miss, other.miss),
            single_insert: combine(self.single_insert, other.single_insert),
            single_hit: combine(self.single_hit, other.single_hit),
            single_miss: combine(self.single_miss, other.single_miss),
        }
    }
}

/// A filter that holds all keys, and a second one of the same shape to insert into.
pub(super) struct Pair<F> {
    pub(super) full: F,
    pub(super) scratch: F,
}

/// Nanoseconds per key: the medians over rounds in which every operation of both filters takes its turn, so that
/// whatever disturbs the machine meets all of them.
pub(super) fn measure<K: TestKey, A: Filter, B: Filter>(
    workload: &Workload<'_, K>,
    a: &mut Pair<A>,
    b: &mut Pair<B>,
) -> [Operations<f64>; 2] {
    stay_on_one_core();
    let start = Instant::now();
    let mut rounds = [Vec::new(), Vec::new()];
    while rounds[0].len() < FEWEST_ROUNDS || (rounds[0].len() < ROUNDS && start.elapsed() < TIME) {
        rounds[0].push(round(workload, a));
        rounds[1].push(round(workload, b));
    }
    rounds.map(|rounds| medians(&rounds))
}

/// Goes on without where the system refuses.
fn stay_on_one_core() {
    // The first core tends to serve the interrupts.
    if let Some(core) = core_affinity::get_core_ids().and_then(|cores| cores.last().copied()) {
        core_affinity::set_for_current(core);
    }
}

fn round<K: TestKey, F: Filter>(workload: &Workload<'_, K>, filter: &mut Pair<F>) -> Operations<f64> {
    let Pair { full, scratch } = filter;
    let (present, absent) = (workload.shuffled, &workload.absent[..workload.absent.len().min(TIMED)]);
    scratch.clear();
    let insert = per_key(present, |keys| {
        for batch in keys.chunks(BATCH) {
            scratch.insert_batch(black_box(batch));
        }
    });
    scratch.clear();
    let single_insert = per_key(present, |keys| {
        for key in keys {
            black_box(scratch.insert(*key));
        }
    });
    let full = &*full;
    let mut mask = [0; BATCH / 64];
    let mut batched = |keys: &[K]| {
        for batch in keys.chunks(BATCH) {
            full.contains_batch(black_box(batch), &mut mask[..batch.len().div_ceil(64)]);
            black_box(&mut mask);
        }
    };
    let (hit, miss) = (per_key(present, &mut batched), per_key(absent, &mut batched));
    let single = |keys: &[K]| {
        for key in keys {
            black_box(full.contains(*key));
        }
    };
    let (single_hit, single_miss) = (per_key(present, single), per_key(absent, single));
    Operations { insert, hit, miss, single_insert, single_hit, single_miss }
}

/// Nanoseconds per key of an operation on all of `keys`.
fn per_key<K>(keys: &[K], mut operate: impl FnMut(&[K])) -> f64 {
    let passes = OPERATIONS.div_ceil(keys.len());
    let start = Instant::now();
    for _ in 0..passes {
        operate(black_box(keys));
    }
    start.elapsed().as_nanos() as f64 / (passes * keys.len()) as f64
}

fn medians(rounds: &[Operations<f64>]) -> Operations<f64> {
    let median = |value: fn(&Operations<f64>) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Operations {
        insert: median(|o| o.insert),
        hit: median(|o| o.hit),
        miss: median(|o| o.miss),
        single_insert: median(|o| o.single_insert),
        single_hit: median(|o| o.single_hit),
        single_miss: median(|o| o.single_miss),
    }
}
