//! Bulk lookups and inserts of 64-bit keys by every kernel against their rooflines, from L1 to memory, at 10 bits per key
//! and k = 8, in 2 MiB pages.
//!
//! First two tables from interleaved rounds, each time as nanoseconds and as a ratio to the roofline of the same round,
//! with the false-positive rate of each filter; then the same one after the other through criterion, for its statistics:
//!
//!     cargo bench --bench lookup
//!
//! On a machine with more than one core, pin it to one (`taskset -c 1 …`).
#![allow(missing_docs, unreachable_pub)]

mod support;

use std::cell::Cell;
use std::hint::black_box;

use bloomline::{BloomFilter, Kernel, Pages};
use bloomline_roofline::{self as roofline, Lines, Order};
use criterion::{BenchmarkId, Criterion, Throughput};
use support::{is_trial, keys, median, time};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const SIZES: [usize; 5] = [16 * KIB, 256 * KIB, 4 * MIB, 64 * MIB, 512 * MIB];
const BITS_PER_KEY: usize = 10;
const ROUNDS: usize = 31;

/// Keys in a batch, and batches of different keys that follow each other in turn.
const BATCH: usize = 1 << 20;
const BATCHES: usize = 8;

/// Keys in batches of which none comes again before all others came, so that no lines are still near that a lookup of fresh
/// keys would not find there.
struct Stream {
    keys: Vec<u64>,
    turn: Cell<usize>,
}

impl Stream {
    fn new(keys: Vec<u64>) -> Self {
        assert_eq!(keys.len(), BATCH * BATCHES);
        Self { keys, turn: Cell::new(0) }
    }

    fn batch(&self) -> &[u64] {
        let turn = self.turn.replace((self.turn.get() + 1) % BATCHES);
        black_box(&self.keys[turn * BATCH..][..BATCH])
    }
}

/// What a round does, beside what the kernels do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Roofline {
    Lookup(Order),
    Prehashed(Order),
    Insert(Order),
}

/// A full filter of one size, and memory of the same size.
struct Case {
    name: String,
    filter: BloomFilter,
    lines: Lines,
    /// Keys that were inserted. To insert them again takes as long as it took the first time, since nothing depends on what
    /// the bits are, and leaves the filter as full as it is.
    present: Stream,
    /// Keys that were not.
    absent: Stream,
    mask: Vec<u64>,
}

impl Case {
    fn new(bytes: usize) -> Self {
        let items = bytes * 8 / BITS_PER_KEY;
        let builder = BloomFilter::with_bytes(bytes as u64).expected_items(items as u64).fast();
        let mut filter = builder.pages(Pages::Huge).build().expect("a filter");
        let present = keys(1, items);
        filter.insert_batch(&present);
        let name = if bytes < MIB { format!("{} KiB", bytes / KIB) } else { format!("{} MiB", bytes / MIB) };
        Self {
            name,
            filter,
            lines: Lines::new(bytes, roofline::Pages::Huge).expect("memory for the roofline"),
            present: Stream::new(present.into_iter().cycle().take(BATCH * BATCHES).collect()),
            absent: Stream::new(keys(2, BATCH * BATCHES)),
            mask: vec![0; BATCH / 64],
        }
    }

    fn rate(&self) -> f64 {
        self.filter.count_batch(&self.absent.keys) as f64 / self.absent.keys.len() as f64
    }

    fn roofline(&mut self, work: Roofline) {
        match work {
            Roofline::Lookup(order) => {
                black_box(roofline::lookup(self.lines.as_slice(), self.absent.batch(), order));
            }
            // The keys come from a mixer, so they are as good as hashes.
            Roofline::Prehashed(order) => {
                black_box(roofline::lookup_prehashed(self.lines.as_slice(), self.absent.batch(), order));
            }
            Roofline::Insert(order) => {
                roofline::insert(self.lines.as_mut_slice(), self.present.batch(), order);
            }
        }
    }

    fn lookup(&mut self) {
        let mut mask = std::mem::take(&mut self.mask);
        self.filter.contains_batch(self.absent.batch(), &mut mask).expect("a mask that is long enough");
        self.mask = black_box(mask);
    }

    fn insert(&mut self) {
        self.filter.insert_batch(self.present.batch());
    }

    /// Nanoseconds a key of the faster order.
    fn time_roofline(&mut self, work: fn(Order) -> Roofline) -> f64 {
        Order::ALL
            .map(|order| time_warm(|| self.roofline(work(order))))
            .into_iter()
            .fold(f64::INFINITY, f64::min)
    }
}

/// Nanoseconds a key of the second of two runs: the first brings the caches to the state that the work itself keeps them
/// in, whatever ran before.
fn time_warm(mut work: impl FnMut()) -> f64 {
    work();
    time(BATCH, work)
}

/// The times of one row: the roofline, perhaps the one without hashing, and every kernel with its ratios to the former.
#[derive(Default)]
struct Times {
    roofs: Vec<f64>,
    prehashed: Vec<f64>,
    kernels: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Times {
    fn add_round(&mut self, case: &mut Case, roofline: fn(Order) -> Roofline, work: fn(&mut Case)) {
        let roof = case.time_roofline(roofline);
        self.roofs.push(roof);
        if roofline(Order::Near) == Roofline::Lookup(Order::Near) {
            self.prehashed.push(case.time_roofline(Roofline::Prehashed));
        }
        for (i, kernel) in Kernel::available().enumerate() {
            case.filter.set_kernel(kernel);
            let time = time_warm(|| work(case));
            if i == self.kernels.len() {
                self.kernels.push(Default::default());
            }
            self.kernels[i].0.push(time);
            self.kernels[i].1.push(time / roof);
        }
    }

    fn print(&self, name: &str) {
        print!("{name:>8}  roofline {:.2}", median(&self.roofs));
        if !self.prehashed.is_empty() {
            print!("  prehashed {:.2}", median(&self.prehashed));
        }
        for (kernel, (times, ratios)) in Kernel::available().zip(&self.kernels) {
            print!("  {} {:.2} ({:.2})", kernel.name(), median(times), median(ratios));
        }
    }
}

fn tables(sizes: &[usize], rounds: usize) {
    println!("ns per key and, in brackets, × the roofline: medians of {rounds} interleaved rounds");
    println!("bulk lookups of absent keys");
    let mut inserts = Vec::new();
    for &bytes in sizes {
        let mut case = Case::new(bytes);
        let (mut lookup, mut insert) = (Times::default(), Times::default());
        for _ in 0..rounds {
            lookup.add_round(&mut case, Roofline::Lookup, Case::lookup);
            insert.add_round(&mut case, Roofline::Insert, Case::insert);
        }
        lookup.print(&case.name);
        println!("  false positives {:.3} %, pages {:?}", 100.0 * case.rate(), case.filter.pages());
        inserts.push((case.name, insert));
    }
    println!("bulk inserts");
    for (name, insert) in inserts {
        insert.print(&name);
        println!();
    }
    println!();
}

fn criterion(sizes: &[usize]) {
    let mut criterion = Criterion::default().configure_from_args();
    for &bytes in sizes {
        let mut case = Case::new(bytes);
        let rate = 100.0 * case.rate();
        for (title, rooflines, work) in [
            (
                format!("lookup {}, {rate:.2} %", case.name),
                &[Roofline::Lookup as fn(Order) -> Roofline, Roofline::Prehashed][..],
                Case::lookup as fn(&mut Case),
            ),
            (format!("insert {}", case.name), &[Roofline::Insert as fn(Order) -> Roofline], Case::insert),
        ] {
            let mut group = criterion.benchmark_group(title);
            group.throughput(Throughput::Elements(BATCH as u64));
            for roofline in rooflines {
                for order in Order::ALL {
                    let id = BenchmarkId::new("roofline", format!("{:?}", roofline(order)));
                    group.bench_function(id, |bencher| bencher.iter(|| case.roofline(roofline(order))));
                }
            }
            for kernel in Kernel::available() {
                case.filter.set_kernel(kernel);
                group.bench_function(kernel.name(), |bencher| bencher.iter(|| work(&mut case)));
            }
            group.finish();
        }
    }
    criterion.final_summary();
}

fn main() {
    let (sizes, rounds) = if is_trial() { (&SIZES[..2], 1) } else { (&SIZES[..], ROUNDS) };
    tables(sizes, rounds);
    criterion(sizes);
}
