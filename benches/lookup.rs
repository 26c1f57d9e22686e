//! Bulk lookups of 64-bit keys by every kernel against the roofline, from L1 to memory, at 10 bits per key and k = 8,
//! in 2 MiB pages.
//!
//! First a table from interleaved rounds, each time as nanoseconds and as a ratio to the roofline of the same round, with
//! the false-positive rate of each filter; then the same one after the other through criterion, for its statistics:
//!
//!     cargo bench --bench lookup
//!
//! On a machine with more than one core, pin it to one (`taskset -c 1 …`).
#![allow(missing_docs, unreachable_pub)]

mod support;

use std::cell::Cell;
use std::hint::black_box;

use bloomline::{BloomFilter, Kernel, Pages};
use criterion::{BenchmarkId, Criterion, Throughput};
use support::roofline::{self, Order};
use support::{Lines, is_trial, keys, median, time};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const SIZES: [usize; 5] = [16 * KIB, 256 * KIB, 4 * MIB, 64 * MIB, 512 * MIB];
const BITS_PER_KEY: usize = 10;
const ROUNDS: usize = 31;

/// Keys in a batch, and batches of different keys that follow each other in turn.
const BATCH: usize = 1 << 20;
const BATCHES: usize = 8;

/// A full filter of one size, memory of the same size, and keys that were not inserted.
struct Case {
    name: String,
    filter: BloomFilter,
    lines: Lines,
    absent: Vec<u64>,
    mask: Vec<u64>,
    turn: Cell<usize>,
}

impl Case {
    fn new(bytes: usize) -> Self {
        let items = bytes * 8 / BITS_PER_KEY;
        let builder = BloomFilter::with_bytes(bytes as u64).expected_items(items as u64).fast();
        let mut filter = builder.pages(Pages::Huge).build().expect("a filter");
        filter.insert_batch(&keys(1, items));
        let absent = keys(2, BATCH * BATCHES);
        let name = if bytes < MIB { format!("{} KiB", bytes / KIB) } else { format!("{} MiB", bytes / MIB) };
        let mask = vec![0; BATCH / 64];
        Self { name, filter, lines: Lines::new(bytes), absent, mask, turn: Cell::new(0) }
    }

    fn rate(&self) -> f64 {
        self.filter.count_batch(&self.absent) as f64 / self.absent.len() as f64
    }

    /// The next batch of keys. None comes again before all others came, so that no lines are still near that a lookup of
    /// fresh keys would not find there.
    fn batch(&self) -> &[u64] {
        let turn = self.turn.replace((self.turn.get() + 1) % BATCHES);
        black_box(&self.absent[turn * BATCH..][..BATCH])
    }

    fn roofline(&self, order: Order) {
        black_box(roofline::sum(self.lines.as_slice(), self.batch(), order));
    }

    fn lookup(&mut self) {
        let mut mask = std::mem::take(&mut self.mask);
        self.filter.contains_batch(self.batch(), &mut mask).expect("a mask that is long enough");
        self.mask = black_box(mask);
    }
}

/// Nanoseconds a key of the second of two runs: the first brings the caches to the state that the work itself keeps them
/// in, whatever ran before.
fn time_warm(mut work: impl FnMut()) -> f64 {
    work();
    time(BATCH, work)
}

fn table(sizes: &[usize], rounds: usize) {
    println!("ns per key and, in brackets, × the roofline: medians of {rounds} interleaved rounds");
    for &bytes in sizes {
        let mut case = Case::new(bytes);
        let kernels: Vec<Kernel> = Kernel::available().collect();
        let mut roofs = Vec::new();
        let mut times = vec![Vec::new(); kernels.len()];
        let mut ratios = vec![Vec::new(); kernels.len()];
        for _ in 0..rounds {
            let roof = [Order::Phases, Order::Ring]
                .map(|order| time_warm(|| case.roofline(order)))
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            roofs.push(roof);
            for (i, &kernel) in kernels.iter().enumerate() {
                case.filter.set_kernel(kernel);
                let time = time_warm(|| case.lookup());
                times[i].push(time);
                ratios[i].push(time / roof);
            }
        }
        print!("{:>8}  roofline {:.2}", case.name, median(&roofs));
        for (i, kernel) in kernels.iter().enumerate() {
            print!("  {} {:.2} ({:.2})", kernel.name(), median(&times[i]), median(&ratios[i]));
        }
        println!("  false positives {:.3} %, pages {:?}", 100.0 * case.rate(), case.filter.pages());
    }
    println!();
}

fn criterion(sizes: &[usize]) {
    let mut criterion = Criterion::default().configure_from_args();
    for &bytes in sizes {
        let mut case = Case::new(bytes);
        let mut group =
            criterion.benchmark_group(format!("lookup {}, {:.2} %", case.name, 100.0 * case.rate()));
        group.throughput(Throughput::Elements(BATCH as u64));
        for order in [Order::Phases, Order::Ring] {
            let id = BenchmarkId::new("roofline", format!("{order:?}"));
            group.bench_function(id, |bencher| bencher.iter(|| case.roofline(order)));
        }
        for kernel in Kernel::available() {
            case.filter.set_kernel(kernel);
            group.bench_function(kernel.name(), |bencher| bencher.iter(|| case.lookup()));
        }
        group.finish();
    }
    criterion.final_summary();
}

fn main() {
    let (sizes, rounds) = if is_trial() { (&SIZES[..2], 1) } else { (&SIZES[..], ROUNDS) };
    table(sizes, rounds);
    criterion(sizes);
}
