//! The rounds: the roofline and every contestant in turn within each, so that a change of the machine's speed meets all alike.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use bloomline::reference::ReferenceFilter;
use bloomline::sizing::classic;
use bloomline::{BloomFilter, Kernel, Pages};
use bloomline_roofline::{self as roofline, Lines, Order};
use rand::SeedableRng;
use rand::prelude::*;
use rand::rngs::SmallRng;

use super::plan::{BATCHES, Plan};
use super::report::{Op, Row, Work};
use crate::failure::{Context, Failure};
use crate::output;
use crate::progress::Progress;

/// Absent keys are numbered from here on.
const ABSENT: u64 = 1 << 40;

/// Key number `index` of a stream: a bijection, so that no two are equal.
pub(super) fn key(seed: u64, index: u64) -> u64 {
    let mut z = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

pub(super) fn absent(seed: u64, count: usize) -> impl Iterator<Item = u64> {
    (ABSENT..).take(count).map(move |index| key(seed, index))
}

/// Who is timed: a kernel on the filter of a scheme, or the reference.
#[derive(Clone, Copy)]
enum Contestant {
    Kernel(Kernel, usize),
    Reference,
}

pub(super) fn run(plan: &Plan) -> Result<Vec<Row>, Failure> {
    let steps = plan.sizes.len() * plan.pages.len() * plan.threads.len() * (plan.hit_rates.len() + 1);
    let progress = Progress::steps(steps as u64);
    let mut rows = Vec::new();
    for &bytes in &plan.sizes {
        for &pages in &plan.pages {
            progress.say(format!("filling filters of {}", output::memory(bytes)));
            let mut field = Field::new(plan, bytes, pages)?;
            for &threads in &plan.threads {
                let (work, name) = (Work { bytes, pages, threads, hit_rate: None }, output::memory(bytes));
                progress.step(format!("inserts, {name}"));
                if threads == 1 {
                    let batches = field.present();
                    rows.extend(field.rows(&batches, work, [Op::InsertBulk, Op::InsertSingle]));
                }
                for &hit_rate in &plan.hit_rates {
                    progress.step(format!("lookups, {hit_rate} % present, {name}, threads {threads}"));
                    let batches = field.mixed(hit_rate);
                    let work = Work { hit_rate: Some(hit_rate), ..work };
                    rows.extend(field.rows(&batches, work, [Op::LookupBulk, Op::LookupSingle]));
                }
            }
        }
    }
    Ok(rows)
}

/// Full filters of one size, and lines of the same size for the roofline.
struct Field<'a> {
    plan: &'a Plan,
    items: u64,
    filters: Vec<BloomFilter>,
    reference: ReferenceFilter,
    lines: Lines,
    /// False-positive rates in the order of `filters`, then of the reference.
    rates: Vec<f64>,
}

impl<'a> Field<'a> {
    fn new(plan: &'a Plan, bytes: u64, pages: Pages) -> Result<Self, Failure> {
        let items = plan.items(bytes);
        let kind = if pages == Pages::Huge { roofline::Pages::Huge } else { roofline::Pages::Ordinary };
        let lines = Lines::new(bytes as usize, kind).about("roofline")?;
        let filter = |&scheme| {
            let builder = BloomFilter::with_bytes(bytes).expected_items(items).fast().scheme(scheme);
            builder.seed(plan.seed).pages(pages).build().about("filter")
        };
        let mut filters = plan.schemes.iter().map(filter).collect::<Result<Vec<_>, _>>()?;
        let bits = bytes * 8;
        let mut reference = ReferenceFilter::with_bits(bits, classic::optimal_k(items, bits), plan.seed)
            .about("reference")?;
        let mut batch = Vec::new();
        for start in (0..items).step_by(plan.batch) {
            batch.clear();
            batch.extend((start..items.min(start + plan.batch as u64)).map(|index| key(plan.seed, index)));
            filters.iter_mut().for_each(|filter| filter.insert_batch(&batch));
            for &key in &batch {
                reference.insert_u64(key);
            }
        }
        let probes: Vec<u64> = absent(plan.seed, BATCHES * plan.batch).collect();
        let part = |found: usize| found as f64 / probes.len() as f64;
        let mut rates: Vec<_> = filters.iter().map(|filter| part(filter.count_batch(&probes))).collect();
        rates.push(part(probes.iter().filter(|&&key| reference.contains_u64(key)).count()));
        Ok(Self { plan, items, filters, reference, lines, rates })
    }

    /// Batches of keys that are in the filters. To insert them again takes as long as it took the first time, since nothing
    /// depends on what the bits are, and leaves the filters as full as they are.
    fn present(&self) -> Vec<Vec<u64>> {
        self.mixed(100)
    }

    /// Batches of which each key is present with the probability `hit_rate` per cent.
    fn mixed(&self, hit_rate: u32) -> Vec<Vec<u64>> {
        let mut random = SmallRng::seed_from_u64(self.plan.seed);
        let mut absent = absent(self.plan.seed, usize::MAX);
        let mut batch = || {
            let key = |_| {
                let present = random.random_range(0..100) < hit_rate;
                let index = random.random_range(0..self.items);
                if present { key(self.plan.seed, index) } else { absent.next().unwrap_or_default() }
            };
            (0..self.plan.batch).map(key).collect()
        };
        (0..BATCHES).map(|_| batch()).collect()
    }

    fn contestants(&self) -> Vec<Contestant> {
        let of = |filter| self.plan.kernels.iter().map(move |&kernel| Contestant::Kernel(kernel, filter));
        (0..self.filters.len()).flat_map(of).chain([Contestant::Reference]).collect()
    }

    fn rows(&mut self, batches: &[Vec<u64>], work: Work, ops: [Op; 2]) -> Vec<Row> {
        let contestants = self.contestants();
        let mut rooflines = Vec::new();
        let mut times = vec![Vec::new(); 2 * contestants.len()];
        for round in 0..self.plan.rounds {
            let turn = Turn { batches, threads: work.threads, round };
            rooflines.push(self.time_roofline(turn, ops[0]));
            for (i, &contestant) in contestants.iter().enumerate() {
                for (j, &op) in ops.iter().enumerate() {
                    times[2 * i + j].push(self.time(turn, contestant, op));
                }
            }
        }
        let mut rows = Vec::new();
        for (i, &contestant) in contestants.iter().enumerate() {
            for (j, &op) in ops.iter().enumerate() {
                rows.push(self.row(contestant, op, work, &times[2 * i + j], &rooflines));
            }
        }
        rows
    }

    fn row(&self, contestant: Contestant, op: Op, work: Work, times: &[f64], rooflines: &[f64]) -> Row {
        let bits = |bytes: u64| bytes as f64 * 8.0 / self.items as f64;
        match contestant {
            Contestant::Kernel(kernel, index) => {
                let filter = &self.filters[index];
                let work = Work { pages: filter.pages(), ..work };
                let scheme = filter.scheme().name();
                let (bits, k) = (bits(filter.bytes()), filter.k());
                Row::new(kernel.name(), scheme, op, work, bits, k, self.rates[index], times, rooflines)
            }
            Contestant::Reference => {
                let (bits, k) = (bits(self.reference.bytes()), self.reference.k());
                let work = Work { pages: Pages::Ordinary, ..work };
                let rate = self.rates[self.filters.len()];
                Row::new("reference", "classic", op, work, bits, k, rate, times, rooflines)
            }
        }
    }

    /// Nanoseconds a key of the fastest order.
    fn time_roofline(&mut self, turn: Turn<'_>, op: Op) -> f64 {
        let insert = matches!(op, Op::InsertBulk | Op::InsertSingle);
        let times = Order::ALL.map(|order| {
            if insert {
                let lines = self.lines.as_mut_slice();
                turn.time_alone(|keys| roofline::insert(lines, keys, order))
            } else {
                let lines = self.lines.as_slice();
                turn.time(|keys| {
                    black_box(roofline::lookup(lines, keys, order));
                })
            }
        });
        times.into_iter().fold(f64::INFINITY, f64::min)
    }

    fn time(&mut self, turn: Turn<'_>, contestant: Contestant, op: Op) -> f64 {
        match contestant {
            Contestant::Kernel(kernel, index) => {
                let filter = &mut self.filters[index];
                filter.set_kernel(kernel);
                match op {
                    Op::LookupBulk => turn.time(|keys| {
                        black_box(filter.count_batch(keys));
                    }),
                    Op::LookupSingle => turn.time(|keys| {
                        for key in keys {
                            black_box(filter.contains(key));
                        }
                    }),
                    Op::InsertBulk => turn.time_alone(|keys| filter.insert_batch(keys)),
                    Op::InsertSingle => turn.time_alone(|keys| {
                        for key in keys {
                            black_box(filter.insert(key));
                        }
                    }),
                }
            }
            // The reference has no bulk calls: bulk is a loop in which the answers are summed, as in those of the kernels.
            Contestant::Reference => {
                let reference = &mut self.reference;
                match op {
                    Op::LookupBulk => turn.time(|keys| {
                        black_box(keys.iter().filter(|&&key| reference.contains_u64(key)).count());
                    }),
                    Op::LookupSingle => turn.time(|keys| {
                        for &key in keys {
                            black_box(reference.contains_u64(key));
                        }
                    }),
                    Op::InsertBulk | Op::InsertSingle => turn.time_alone(|keys| {
                        for &key in keys {
                            black_box(reference.insert_u64(key));
                        }
                    }),
                }
            }
        }
    }
}

/// The keys of a round.
#[derive(Clone, Copy)]
struct Turn<'a> {
    batches: &'a [Vec<u64>],
    threads: usize,
    round: usize,
}

impl Turn<'_> {
    /// The keys of a thread: none comes again before all others came, so that no lines are near which fresh keys would not
    /// find there.
    fn keys(&self, thread: usize, run: usize) -> &[u64] {
        black_box(&self.batches[(2 * self.round + run + 2 * thread) % self.batches.len()])
    }

    /// Nanoseconds a key of the second of two runs: the first brings the caches to the state that the work itself keeps them
    /// in, whatever ran before.
    fn time_alone(&self, mut work: impl FnMut(&[u64])) -> f64 {
        work(self.keys(0, 0));
        let keys = self.keys(0, 1);
        let start = Instant::now();
        work(keys);
        start.elapsed().as_secs_f64() * 1e9 / keys.len() as f64
    }

    /// The same with every thread at work on its own keys, pinned to a core: time from the first start to the last end, over
    /// all keys.
    fn time(&self, work: impl Fn(&[u64]) + Sync) -> f64 {
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        let barrier = Barrier::new(self.threads);
        let run = &|thread: usize| {
            // The last core first, since the first one serves most interrupts.
            if let Some(core) = cores.iter().rev().cycle().nth(thread) {
                core_affinity::set_for_current(*core);
            }
            work(self.keys(thread, 0));
            let keys = self.keys(thread, 1);
            barrier.wait();
            let start = Instant::now();
            work(keys);
            (start, Instant::now(), keys.len())
        };
        let times: Vec<(Instant, Instant, usize)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|thread| scope.spawn(move || run(thread))).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        let start = times.iter().map(|time| time.0).min();
        let end = times.iter().map(|time| time.1).max();
        let keys: usize = times.iter().map(|time| time.2).sum();
        let elapsed = start.zip(end).map_or(Duration::ZERO, |(start, end)| end - start);
        elapsed.as_secs_f64() * 1e9 / keys as f64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Present and absent keys never meet.
    #[test]
    fn keys_are_distinct() {
        let keys: HashSet<u64> = (0..10_000).map(|index| key(7, index)).chain(absent(7, 10_000)).collect();
        assert_eq!(keys.len(), 20_000);
    }
}
