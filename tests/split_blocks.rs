//! What filters of split blocks refuse, and the half of a cache line that an odd number of blocks leaves over.

use bloomline::sizing::split;
use bloomline::{BloomFilter, Builder, Error, Scheme, Verdict};

#[path = "support/refusal.rs"]
#[macro_use]
mod refusal;
use refusal::refusal;

#[test]
fn k_that_no_filter_of_split_blocks_has() {
    for bad in [0, 1, 7, 9, 16, 17, u32::MAX] {
        for builder in [
            BloomFilter::with_rate(1000, 0.01),
            BloomFilter::with_bits_per_key(1000, 10.0),
            BloomFilter::with_bytes(1024),
        ] {
            let refused = refusal(builder.scheme(Scheme::SplitBlock).k(bad));
            assert_refused!(refused, Error::SchemeFixesK { k, fixed: 8, .. } if *k == bad, bad, 8, "split-block");
        }
    }
    for choose in [Builder::compact, Builder::fast, |builder: Builder| builder.k(8)] {
        let builder = choose(BloomFilter::with_rate(1000, 0.01).scheme(Scheme::SplitBlock));
        assert_eq!(builder.build().unwrap().k(), 8);
    }
}

#[test]
fn sizes_that_no_filter_of_split_blocks_has() {
    let split = |builder: Builder| builder.scheme(Scheme::SplitBlock);
    for bad in [0, 1, 31] {
        let refused = refusal(split(BloomFilter::with_bytes(bad)));
        assert_refused!(refused, Error::TooSmall { bytes, min: 32 } if *bytes == bad, bad, 32);
    }
    for (bytes, blocks) in [(32, 1), (63, 1), (64, 2), (96, 3), (127, 3)] {
        let filter = split(BloomFilter::with_bytes(bytes)).build().unwrap();
        assert_eq!((filter.blocks(), filter.bytes(), filter.bits()), (blocks, 32 * blocks, 256 * blocks));
    }
    // 2 GiB less 32 bytes.
    assert_eq!(split::MAX_BLOCKS, (1 << 26) - 1);
    let largest = (1_u64 << 31) - 32;
    for bad in [largest + 32, 1 << 46, u64::MAX] {
        let refused = refusal(split(BloomFilter::with_bytes(bad)));
        let asked = u128::from(bad);
        assert_refused!(refused, Error::TooLarge { bytes, limit } if (*bytes, *limit) == (asked, largest), asked, largest);
    }
    for (items, bits) in [(1000, 1e300), (u64::MAX, 10.0)] {
        let refused = refusal(split(BloomFilter::with_bits_per_key(items, bits)));
        assert_refused!(refused, Error::TooLarge { limit, .. } if *limit == largest, largest);
    }
    for bad in [0.0, 1.0, 9e-9, f64::NAN, f64::INFINITY] {
        let refused = refusal(split(BloomFilter::with_rate(1000, bad)));
        assert_refused!(refused, Error::InvalidRate { .. }, "1e-8");
    }
}

/// Odd numbers of split blocks leave half a cache line over; it is no part of the filter.
#[test]
fn odd_numbers_of_split_blocks() {
    for blocks in [1, 3, 5, 255] {
        let build = || BloomFilter::with_bytes(32 * blocks).scheme(Scheme::SplitBlock).expected_items(50);
        let mut filter = build().build().unwrap();
        filter.insert_batch(&(0..400 * blocks).collect::<Vec<_>>());
        let health = filter.health();
        assert_eq!((health.set_bits, health.fill, health.rate), (256 * blocks, 1.0, 1.0), "{blocks} blocks");
        assert_eq!((health.block_loads.len(), health.block_loads[256]), (257, blocks));
        assert_eq!(health.verdict, Verdict::Saturated);
        filter.clear();
        assert!(filter == build().build().unwrap());
        assert_eq!((filter.health().set_bits, filter.health().rate), (0, 0.0));
        assert_eq!(filter.health().block_loads[0], blocks);
    }
}

#[test]
fn filters_of_different_schemes_are_not_combined() {
    let build = |scheme| {
        let mut filter =
            BloomFilter::with_bytes(2 * Scheme::block_bytes(scheme)).scheme(scheme).k(8).build().unwrap();
        filter.insert(&1_u64);
        filter
    };
    for (one, other, values) in
        [(Scheme::Block512, Scheme::SplitBlock, (1, 2)), (Scheme::SplitBlock, Scheme::Block512, (2, 1))]
    {
        let (mut left, right) = (build(one), build(other));
        let untouched = left.to_bytes();
        for result in [left.check_compatible(&right), left.union_with(&right), left.intersect_with(&right)] {
            assert_refused!(
                result.unwrap_err(),
                Error::Incompatible { parameter: "scheme", left, right } if (*left, *right) == values,
                "scheme", values.0, values.1
            );
        }
        assert_eq!(left.to_bytes(), untouched);
        assert!(left != right && left == build(one));
    }
}
