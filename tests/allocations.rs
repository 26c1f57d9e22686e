//! The hot paths allocate nothing.
#![allow(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bloomline::{BloomFilter, Kernel, Prehashed, Scheme};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn operations_on_keys_allocate_nothing() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8]))), 1, "the counter counts");

    let integers: Vec<u64> = (0..5000).collect();
    let small: Vec<u32> = (0..5000).collect();
    let strings: Vec<String> = (0..5000).map(|i| format!("key {i}")).collect();
    let (mut mask, mut bools, mut positions) = (vec![0; 79], vec![false; 5000], vec![0; 5000]);
    for kernel in Kernel::available() {
        for (scheme, k) in
            [(Scheme::Block512, 6), (Scheme::Block512, 8), (Scheme::Block512, 12), (Scheme::SplitBlock, 8)]
        {
            let builder = BloomFilter::with_bits_per_key(10_000, 12.0).scheme(scheme).k(k);
            let mut filter = builder.kernel(kernel).build().unwrap();
            let count = allocations(|| {
                filter.insert(&1_u64);
                filter.insert_batch(&integers);
                filter.insert_batch(&small);
                filter.insert_batch_reporting(&strings, &mut mask).unwrap();
                filter.insert_batch(Prehashed::slice(&integers));
                assert!(filter.contains("key 1") && filter.contains(&7_u64));
                for keys in [&strings[..], &strings[..3], &[]] {
                    filter.contains_batch(keys, &mut mask).unwrap();
                    filter.contains_batch_bools(keys, &mut bools).unwrap();
                    filter.select_batch(keys, &mut positions).unwrap();
                    assert_eq!(filter.count_batch(keys), keys.len());
                }
                filter.contains_batch(&integers, &mut mask).unwrap();
                filter.select_batch(&small, &mut positions).unwrap();
                filter.clear();
            });
            assert_eq!(count, 0, "{kernel:?}, {scheme:?}, k {k}");
        }
    }
}
