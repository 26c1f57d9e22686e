//! What filters promise beside their answers: refusals, empty batches, sets, equality, health at its ends, seeds.
#![cfg(feature = "std")]

use bloomline::sizing::blocked::MAX_BLOCKS;
use bloomline::{BloomFilter, Builder, Error, Kernel, Key, Pages, Prehashed, Verdict};

#[path = "support/refusal.rs"]
#[macro_use]
mod refusal;
use refusal::refusal;

fn filter(blocks: u64) -> BloomFilter {
    BloomFilter::with_bytes(64 * blocks).build().unwrap()
}

#[test]
fn rates_that_no_filter_has() {
    for bad in
        [0.0, -0.0, 1.0, -1.0, 2.0, 1e-16, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
    {
        let same = |rate: &f64| rate.to_bits() == bad.to_bits();
        assert_refused!(refusal(BloomFilter::with_rate(1000, bad)), Error::InvalidRate { rate, .. } if same(rate), format!("{bad:?}"), "1e-15");
    }
    for items in [1 << 50, u64::MAX] {
        let refused = refusal(BloomFilter::with_rate(items, 0.01));
        assert_refused!(refused, Error::RateUnreachable { items: named, .. } if *named == items, items, 0.01);
    }
    // With one bit for each, a billion items find a rate of some 1e-4 in the largest filter.
    let refused = refusal(BloomFilter::with_rate(1_000_000_000, 1e-6).k(1));
    assert_refused!(refused, Error::RateUnreachable { items: 1_000_000_000, .. }, 1_000_000_000, "1e-6");
}

#[test]
fn bits_per_key_that_no_filter_has() {
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refused = refusal(BloomFilter::with_bits_per_key(1000, bad));
        assert_refused!(refused, Error::InvalidBitsPerKey { bits_per_key } if bits_per_key.to_bits() == bad.to_bits(), format!("{bad:?}"));
    }
    let largest = MAX_BLOCKS * 64;
    for (items, bits) in
        [(1000, 1e300), (1, f64::MAX), (u64::MAX, 1.0), (u64::MAX, 10.0), (u64::MAX, f64::MAX)]
    {
        let refused = refusal(BloomFilter::with_bits_per_key(items, bits));
        assert_refused!(refused, Error::TooLarge { limit, .. } if *limit == largest, largest);
    }
    assert_eq!(BloomFilter::with_bits_per_key(1, f64::MIN_POSITIVE).build().unwrap().blocks(), 1);
}

#[test]
fn k_that_no_filter_has() {
    for bad in [0, 17, u32::MAX] {
        for builder in [
            BloomFilter::with_rate(1000, 0.01),
            BloomFilter::with_bits_per_key(1000, 10.0),
            BloomFilter::with_bytes(1024),
            BloomFilter::with_bytes(1024).expected_items(10),
        ] {
            assert_refused!(refusal(builder.k(bad)), Error::InvalidK { k, max: 16 } if *k == bad, bad, 16);
        }
    }
}

#[test]
fn sizes_that_no_filter_has() {
    for bad in [0, 1, 63] {
        assert_refused!(refusal(BloomFilter::with_bytes(bad)), Error::TooSmall { bytes, min: 64 } if *bytes == bad, bad, 64);
    }
    for (bytes, blocks) in [(64, 1), (127, 1), (128, 2), (191, 2)] {
        assert_eq!(BloomFilter::with_bytes(bytes).build().unwrap().blocks(), blocks);
    }
    let largest = MAX_BLOCKS * 64;
    for bad in [largest + 64, 1 << 46, u64::MAX] {
        for pages in [Pages::Ordinary, Pages::Huge] {
            let refused = refusal(BloomFilter::with_bytes(bad).pages(pages));
            let asked = u128::from(bad);
            assert_refused!(refused, Error::TooLarge { bytes, limit } if (*bytes, *limit) == (asked, largest), asked, largest);
        }
    }
}

/// The largest filter takes 256 GiB. Where the system has that or promises it, there is a filter; elsewhere an error, and
/// never an abort.
#[test]
fn memory_that_is_not_there() {
    match BloomFilter::with_bytes(MAX_BLOCKS * 64).build() {
        Ok(filter) => assert_eq!(filter.blocks(), MAX_BLOCKS),
        // Where addresses have 32 bits, it is the address space that has no room.
        Err(error) if usize::BITS == 32 => assert!(matches!(error, Error::TooLarge { .. }), "{error:?}"),
        Err(error) => {
            let all = MAX_BLOCKS * 64;
            assert_refused!(error, Error::AllocationFailed { bytes } if *bytes == all, all);
        }
    }
}

#[test]
fn unknown_kernels() {
    assert_refused!(Kernel::by_name("abacus").unwrap_err(), Error::UnknownKernel { .. }, "abacus");
    assert!(matches!(Kernel::by_name(""), Err(Error::UnknownKernel { .. })));
    for (name, _) in Kernel::known() {
        match Kernel::by_name(name) {
            Ok(kernel) => assert!(Kernel::available().any(|available| available == kernel)),
            Err(Error::KernelUnavailable { name: named }) => {
                assert_eq!(named, name);
                assert!(Kernel::available().all(|available| available.name() != name));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(Some(Kernel::best()), Kernel::available().next());
}

/// A batch whose output is one element short leaves the output and the filter alone.
#[test]
fn outputs_that_are_too_short() {
    for count in [1_usize, 2, 63, 64, 65, 128, 129, 5000] {
        let keys: Vec<u64> = (0..count as u64).collect();
        let words = count.div_ceil(64);
        let mut filter = filter(10);
        filter.insert_batch(&keys);
        let (mut mask, mut bools) = (vec![7; words - 1], vec![false; count - 1]);
        let mut positions = vec![7; count - 1];
        let refused = filter.contains_batch(&keys, &mut mask).unwrap_err();
        assert_refused!(refused, Error::OutputTooShort { needed, got } if (*needed, *got) == (words, words - 1), words);
        let refused = filter.contains_batch_bools(&keys, &mut bools).unwrap_err();
        assert_refused!(refused, Error::OutputTooShort { needed, got } if (*needed, *got) == (count, count - 1), count);
        let refused = filter.select_batch(&keys, &mut positions).unwrap_err();
        assert_refused!(refused, Error::OutputTooShort { needed, got } if (*needed, *got) == (count, count - 1), count);
        filter.clear();
        let refused = filter.insert_batch_reporting(&keys, &mut mask).unwrap_err();
        assert_refused!(refused, Error::OutputTooShort { needed, got } if (*needed, *got) == (words, words - 1), words);
        assert_eq!(filter.health().set_bits, 0, "a refused batch was inserted");
        assert!(mask.iter().all(|&word| word == 7) && positions.iter().all(|&position| position == 7));
        assert!(bools.iter().all(|&answer| !answer));
    }
}

/// Keys without bytes take no memory, however many.
#[cfg(target_pointer_width = "64")]
#[test]
fn batches_whose_positions_do_not_fit() {
    static KEYS: [[u8; 0]; (1 << 32) + 1] = [[]; (1 << 32) + 1];
    let refused = filter(1).select_batch(&KEYS, &mut []).unwrap_err();
    assert_refused!(refused, Error::BatchTooLong { keys } if *keys == KEYS.len(), KEYS.len());
    // One fewer has positions that fit, and then it is the output that is too short.
    let refused = filter(1).select_batch(&KEYS[1..], &mut []).unwrap_err();
    assert_refused!(refused, Error::OutputTooShort { needed, got: 0 } if *needed == 1 << 32, 1_u64 << 32);
}

fn check_empty_batches<K: Key>() {
    for kernel in Kernel::available() {
        for blocks in [1, 5000] {
            let mut filter = filter(blocks);
            filter.set_kernel(kernel);
            let none: &[K] = &[];
            filter.insert_batch(none);
            let (mut mask, mut bools, mut positions) = ([7], [true], [7]);
            assert_eq!(filter.insert_batch_reporting(none, &mut []).unwrap(), 0);
            assert_eq!(filter.insert_batch_reporting(none, &mut mask).unwrap(), 0);
            assert_eq!(filter.contains_batch(none, &mut []).unwrap(), 0);
            assert_eq!(filter.contains_batch(none, &mut mask).unwrap(), 0);
            assert_eq!(filter.contains_batch_bools(none, &mut bools).unwrap(), 0);
            assert_eq!(filter.select_batch(none, &mut positions).unwrap(), 0);
            assert_eq!(filter.count_batch(none), 0);
            assert_eq!((mask, bools, positions), ([7], [true], [7]));
            assert_eq!(filter.health().set_bits, 0);
        }
    }
}

#[test]
fn empty_batches() {
    check_empty_batches::<u64>();
    check_empty_batches::<i64>();
    check_empty_batches::<u32>();
    check_empty_batches::<i32>();
    check_empty_batches::<u128>();
    check_empty_batches::<Prehashed>();
    check_empty_batches::<&u64>();
    check_empty_batches::<&str>();
    check_empty_batches::<String>();
    check_empty_batches::<Vec<u8>>();
    check_empty_batches::<&[u8]>();
    check_empty_batches::<[u8; 4]>();
}

#[test]
fn clearing_leaves_an_empty_filter() {
    let mut cleared = BloomFilter::with_rate(1000, 0.01).seed(3).build().unwrap();
    cleared.insert_batch(&(0..1000_u64).collect::<Vec<_>>());
    cleared.clear();
    let empty = BloomFilter::with_rate(1000, 0.01).seed(3).build().unwrap();
    assert!(cleared == empty);
    assert_eq!(cleared.to_bytes(), empty.to_bytes());
    assert!(!cleared.insert(&1_u64) && cleared != empty);
}

#[test]
fn equality_looks_at_keys_only() {
    let keys: Vec<u64> = (0..100).collect();
    let mut plain = BloomFilter::with_bytes(64 * 40).k(8).build().unwrap();
    plain.insert_batch(&keys);
    for kernel in Kernel::available() {
        for pages in [Pages::Ordinary, Pages::Huge] {
            let builder = BloomFilter::with_bytes(64 * 40).k(8).expected_items(100);
            let mut other = builder.kernel(kernel).pages(pages).build().unwrap();
            assert!(other != plain);
            other.insert_batch(&keys);
            assert!(other == plain);
        }
    }
    let same_size = |builder: Builder| {
        let mut filter = builder.build().unwrap();
        filter.insert_batch(&keys);
        filter
    };
    assert!(same_size(BloomFilter::with_bytes(64 * 40).k(8).seed(1)) != plain);
    assert!(same_size(BloomFilter::with_bytes(64 * 40).k(7)) != plain);
    assert!(same_size(BloomFilter::with_bytes(64 * 41).k(8)) != plain);
}

#[test]
fn filters_that_place_keys_differently_are_not_combined() {
    let build = |blocks: u64, k, seed| {
        let mut filter = BloomFilter::with_bytes(64 * blocks).k(k).seed(seed).build().unwrap();
        filter.insert(&1_u64);
        filter
    };
    let base = (2, 8, 0);
    // Where several differ, the first of blocks, k and seed is named.
    for (other, name, values) in [
        ((3, 8, 0), "blocks", (2, 3)),
        ((2, 9, 0), "k", (8, 9)),
        ((2, 8, 5), "seed", (0, 5)),
        ((3, 9, 5), "blocks", (2, 3)),
        ((2, 9, 5), "k", (8, 9)),
    ] {
        let (mut left, right) = (build(base.0, base.1, base.2), build(other.0, other.1, other.2));
        let untouched = left.to_bytes();
        for result in [left.check_compatible(&right), left.union_with(&right), left.intersect_with(&right)] {
            assert_refused!(
                result.unwrap_err(),
                Error::Incompatible { parameter, left, right } if (*parameter, (*left, *right)) == (name, values),
                name, values.0, values.1
            );
        }
        assert_eq!(left.to_bytes(), untouched);
        assert!(left != right);
    }
    assert!(build(2, 8, 0).check_compatible(&build(2, 8, 0)).is_ok());
}

#[test]
fn health_of_an_empty_filter() {
    for k in 1..=16 {
        let empty = BloomFilter::with_bytes(640).k(k).expected_items(5).build().unwrap();
        let health = empty.health();
        assert_eq!((health.set_bits, health.fill, health.rate), (0, 0.0, 0.0));
        assert_eq!((health.items.items, health.items.standard_deviation), (0.0, 0.0));
        assert_eq!(health.block_loads.len(), 513);
        assert_eq!((health.block_loads[0], health.block_loads.iter().sum()), (10, 10));
        assert_eq!(health.verdict, Verdict::Within);
        assert_eq!(empty.predicted_rate_at(0), 0.0);
    }
    assert_eq!(filter(1).health().verdict, Verdict::Unknown);
}

#[test]
fn health_of_a_full_filter() {
    for k in 1..=16 {
        let mut full = BloomFilter::with_bytes(128).k(k).expected_items(50).build().unwrap();
        full.insert_batch(&(0..40_000_u64).collect::<Vec<_>>());
        let health = full.health();
        assert_eq!((health.set_bits, health.fill, health.rate), (1024, 1.0, 1.0), "k {k}");
        assert_eq!((health.items.items, health.items.standard_deviation), (f64::INFINITY, f64::INFINITY));
        assert_eq!(health.block_loads[512], 2);
        assert_eq!(health.verdict, Verdict::Saturated);
        assert!(full.contains("anything") && full.contains(&u64::MAX));
        assert_eq!(full.predicted_rate_at(u64::MAX), 1.0);
    }
}

#[test]
fn verdicts() {
    let mut filter = BloomFilter::with_rate(10_000, 0.01).build().unwrap();
    for (items, verdict) in [
        (5_000, Verdict::Within),
        (10_000, Verdict::Within),
        (12_000, Verdict::Over),
        (18_000, Verdict::Over),
        (22_000, Verdict::Saturated),
        (200_000, Verdict::Saturated),
    ] {
        filter.insert_batch(&(0..items).collect::<Vec<u64>>());
        assert_eq!(filter.health().verdict, verdict, "{items} items");
    }
}

/// That a filter is full says how many items it took at the least, not that there were more than expected.
#[test]
fn a_full_filter_within_its_design_is_within() {
    let mut filter = BloomFilter::with_bytes(64).k(8).expected_items(10_000).build().unwrap();
    filter.insert_batch(&(0..5_000_u64).collect::<Vec<_>>());
    assert_eq!(filter.health().set_bits, 512);
    assert_eq!(filter.health().verdict, Verdict::Within);
}

#[test]
fn seeds_make_different_filters() {
    let build = |builder: Builder| {
        let mut filter = builder.build().unwrap();
        filter.insert_batch(&(0..100_u64).collect::<Vec<_>>());
        filter.insert_batch(&["a", "b"]);
        filter
    };
    let payload = |filter: &BloomFilter| filter.to_bytes().split_off(128);
    let seeds = [0, 1, 2, 1 << 32, 1 << 63, u64::MAX];
    let filters: Vec<BloomFilter> =
        seeds.iter().map(|&seed| build(BloomFilter::with_bytes(4096).seed(seed))).collect();
    for (i, filter) in filters.iter().enumerate() {
        assert_eq!(filter.seed(), seeds[i]);
        assert!(filters[..i].iter().all(|other| payload(other) != payload(filter)));
    }
    assert_eq!(payload(&build(BloomFilter::with_bytes(4096))), payload(&filters[0]));
    let random = || build(BloomFilter::with_bytes(4096).random_seed());
    let (one, two) = (random(), random());
    assert!(one.seed() != two.seed() && payload(&one) != payload(&two));
}

#[test]
fn huge_pages_hold_the_same_filter() {
    let keys: Vec<u64> = (0..50_000).collect();
    for bytes in [64, 4096, 2 << 20, (5 << 20) + 64] {
        let mut huge = BloomFilter::with_bytes(bytes).pages(Pages::Huge).build().unwrap();
        let mut ordinary = BloomFilter::with_bytes(bytes).build().unwrap();
        assert_eq!((huge.health().set_bits, huge.bytes()), (0, bytes));
        // Which pages the huge one got is the system's choice.
        assert_eq!(ordinary.pages(), Pages::Ordinary);
        huge.insert_batch(&keys);
        ordinary.insert_batch(&keys);
        assert!(huge == ordinary);
    }
}

#[test]
fn values_can_be_shared_between_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<BloomFilter>();
    check::<Builder>();
    check::<Kernel>();
    check::<Error>();
    let mut filter = filter(100);
    filter.insert_batch(&[1_u64, 2, 3]);
    let found: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| filter.count_batch(&[1_u64, 2, 3]))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(found, 9);
}
