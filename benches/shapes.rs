//! What k and the length of a batch cost: 64-bit keys that were not inserted, 10 bits per key, every kernel.
//!
//!     taskset -c 1 cargo bench --bench shapes
//!
//! Two tables, medians of interleaved rounds in ns a key: lookups and inserts in bulk by k and scheme, in L1; and lookups in
//! batches of few keys beside those one at a time, in L1 and in the last-level cache.
#![allow(missing_docs, unreachable_pub)]

mod support;

use std::hint::black_box;

use bloomline::{BloomFilter, Kernel, Pages, Scheme};
use support::{is_trial, keys, median, time};

const BITS_PER_KEY: usize = 10;
const BATCH: usize = 1 << 18;

/// A full filter of `bytes` bytes.
fn filter(bytes: usize, scheme: Scheme, k: u32) -> BloomFilter {
    let items = bytes * 8 / BITS_PER_KEY;
    let builder = BloomFilter::with_bytes(bytes as u64).expected_items(items as u64).scheme(scheme).k(k);
    let mut filter = builder.pages(Pages::Huge).build().expect("a filter");
    filter.insert_batch(&keys(1, items));
    filter
}

fn by_k(rounds: usize) {
    const BYTES: usize = 16 << 10;
    println!("by k, {} KiB: lookup / insert in bulk", BYTES >> 10);
    let shapes = [1, 4, 7, 8, 9, 12, 16].map(|k| (Scheme::Block512, k));
    let shapes = shapes.into_iter().chain([(Scheme::SplitBlock, 8)]);
    let mut filters: Vec<_> = shapes.map(|(scheme, k)| filter(BYTES, scheme, k)).collect();
    let absent = keys(2, BATCH);
    // Keys that are there already: the filter stays as full as it is.
    let present: Vec<u64> = keys(1, BYTES * 8 / BITS_PER_KEY).into_iter().cycle().take(BATCH).collect();
    let mut mask = vec![0; BATCH / 64];
    for kernel in Kernel::available() {
        let mut times = vec![[Vec::new(), Vec::new()]; filters.len()];
        for _ in 0..rounds {
            for (filter, times) in filters.iter_mut().zip(&mut times) {
                filter.set_kernel(kernel);
                let mut look_up = || {
                    black_box(filter.contains_batch(black_box(&absent), &mut mask))
                        .expect("a mask that is long enough")
                };
                look_up();
                times[0].push(time(BATCH, || {
                    look_up();
                }));
                filter.insert_batch(&present);
                times[1].push(time(BATCH, || filter.insert_batch(black_box(&present))));
            }
        }
        print!("{:>9}", kernel.name());
        for (filter, [lookups, inserts]) in filters.iter().zip(&times) {
            let k = if filter.scheme() == Scheme::SplitBlock {
                "split".into()
            } else {
                format!("k={}", filter.k())
            };
            print!("  {k} {:.2}/{:.2}", median(lookups), median(inserts));
        }
        println!();
    }
}

fn by_length(rounds: usize) {
    let absent = keys(2, BATCH);
    for bytes in [16 << 10, 4 << 20] {
        println!("by the length of a batch, {} KiB, k = 8: lookups", bytes >> 10);
        let mut filter = filter(bytes, Scheme::Block512, 8);
        for kernel in Kernel::available() {
            filter.set_kernel(kernel);
            let lengths = [1, 2, 4, 8, 16, 32, 64, 128, 1024];
            let mut single = Vec::new();
            let mut times = vec![Vec::new(); lengths.len()];
            let mut mask = [0; 16];
            for _ in 0..rounds {
                single.push(time(BATCH, || {
                    for key in &absent {
                        black_box(filter.contains(black_box(key)));
                    }
                }));
                for (length, times) in lengths.into_iter().zip(&mut times) {
                    times.push(time(BATCH, || {
                        for keys in absent.chunks_exact(length) {
                            let found = filter.contains_batch(black_box(keys), &mut mask);
                            black_box(found.expect("a mask that is long enough"));
                        }
                    }));
                }
            }
            print!("{:>9}  single {:.2}", kernel.name(), median(&single));
            for (length, times) in lengths.into_iter().zip(&times) {
                print!("  {length}: {:.2}", median(times));
            }
            println!();
        }
    }
}

fn main() {
    let rounds = if is_trial() { 1 } else { 15 };
    by_k(rounds);
    println!();
    by_length(rounds);
}
