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

/// A full filter of one size, memory of the same size, and keys that were not inserted.
struct Case {
    name: String,
    filter: BloomFilter,
    lines: Lines,
    absent: Vec<u64>,
    mask: Vec<u64>,
}

impl Case {
    fn new(bytes: usize) -> Self {
        let items = bytes * 8 / BITS_PER_KEY;
        let builder = BloomFilter::with_bytes(bytes as u64).expected_items(items as u64).fast();
        let mut filter = builder.pages(Pages::Huge).build().expect("a filter");
        filter.insert_batch(&keys(1, items));
        // So many keys that their lines are not all in a nearer cache than the filter.
        let absent = keys(2, if bytes <= 256 * KIB { 1 << 16 } else { 1 << 20 });
        let name = if bytes < MIB { format!("{} KiB", bytes / KIB) } else { format!("{} MiB", bytes / MIB) };
        Self { name, filter, lines: Lines::new(bytes), mask: vec![0; absent.len() / 64], absent }
    }

    fn rate(&self) -> f64 {
        self.filter.count_batch(&self.absent) as f64 / self.absent.len() as f64
    }

    fn roofline(&self, order: Order) {
        black_box(roofline::sum(self.lines.as_slice(), black_box(&self.absent), order));
    }

    fn lookup(&mut self) {
        self.filter
            .contains_batch(black_box(&self.absent), &mut self.mask)
            .expect("a mask that is long enough");
        black_box(&mut self.mask);
    }
}

fn table(sizes: &[usize], rounds: usize) {
    println!("ns per key and, in brackets, × the roofline: medians of {rounds} interleaved rounds");
    for &bytes in sizes {
        let mut case = Case::new(bytes);
        let kernels: Vec<Kernel> = Kernel::available().collect();
        let mut roofs = Vec::new();
        let mut times = vec![Vec::new(); kernels.len()];
        let mut ratios = vec![Vec::new(); kernels.len()];
        let count = case.absent.len();
        case.lookup();
        for _ in 0..rounds {
            let roof = [Order::Phases, Order::Ring]
                .map(|order| time(count, || case.roofline(order)))
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            roofs.push(roof);
            for (i, &kernel) in kernels.iter().enumerate() {
                case.filter.set_kernel(kernel);
                let time = time(count, || case.lookup());
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
        group.throughput(Throughput::Elements(case.absent.len() as u64));
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
