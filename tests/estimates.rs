//! What a filter tells from its bits: all of it against the bits of its file, and the number of items over many seeded
//! filters of known contents.

use bloomline::{BloomFilter, Scheme};
use statrs::distribution::{ChiSquared, ContinuousCDF};

const FILTERS: u64 = 300;
const BLOCKS: u64 = 64;

/// Either tail of the chi-squared distribution; with the 28 cells here, one set of seeds in a thousand would fail.
const TAIL: f64 = 1e-5;

/// Mean and standard deviation of the estimate against the truth and the deviation that it states. Every filter holds the
/// same number of keys and has its own seed and keys.
fn check(scheme: Scheme, k: u32, items: u64) {
    let (mut sum, mut squares, mut stated) = (0.0, 0.0, 0.0);
    for seed in 0..FILTERS {
        let mut filter = BloomFilter::with_bytes(scheme.block_bytes() * BLOCKS)
            .scheme(scheme)
            .k(k)
            .seed(seed)
            .build()
            .unwrap();
        filter.insert_batch(&(seed * items..(seed + 1) * items).collect::<Vec<u64>>());
        let estimate = filter.health().items;
        let error = estimate.items - items as f64;
        sum += error;
        squares += error * error;
        stated += estimate.standard_deviation.powi(2);
    }
    let count = FILTERS as f64;
    let (mean, stated) = (sum / count, (stated / count).sqrt());
    let variance = (squares - count * mean * mean) / (count - 1.0);
    let tell = format!(
        "{scheme:?}, k {k}, {items} items: {mean} off, deviation {}, stated {stated}",
        variance.sqrt()
    );

    // The documentation allows a bias of one part in the number of unset bits, which is far below the standard error here.
    assert!(mean.abs() < 4.0 * (variance / count).sqrt(), "{tell}");
    let statistic = (count - 1.0) * variance / (stated * stated);
    let chi_squared = ChiSquared::new(count - 1.0).unwrap();
    assert!(chi_squared.cdf(statistic) > TAIL && chi_squared.sf(statistic) > TAIL, "{tell}");
    // So small a sample of filters still shows a deviation that is off by a fifth, and a bias of a 200th.
    assert!(variance.sqrt() / count.sqrt() * 4.0 < items as f64 / 200.0, "{tell}");
}

/// From a fifth to nine tenths of the bits are set.
fn check_fills(scheme: Scheme, k: u32) {
    for share in [0.2, 0.5, 0.7, 0.9_f64] {
        let bits_per_block = -8.0 * scheme.block_bytes() as f64 * (1.0 - share).ln();
        check(scheme, k, (BLOCKS as f64 * bits_per_block / f64::from(k)) as u64);
    }
}

#[test]
fn k_1() {
    check_fills(Scheme::Block512, 1);
}

#[test]
fn k_4() {
    check_fills(Scheme::Block512, 4);
}

#[test]
fn k_6() {
    check_fills(Scheme::Block512, 6);
}

#[test]
fn k_8() {
    check_fills(Scheme::Block512, 8);
}

#[test]
fn k_9() {
    check_fills(Scheme::Block512, 9);
}

#[test]
fn k_12() {
    check_fills(Scheme::Block512, 12);
}

#[test]
fn split_blocks() {
    check_fills(Scheme::SplitBlock, 8);
}

#[test]
fn k_16() {
    check_fills(Scheme::Block512, 16);
}

/// Three blocks with few keys, so that their words differ much. By the rule of the format, a random key finds a bit of a word
/// set with the probability of the word's fill, independently, and its run starts at each of eight words equally often.
#[test]
fn health_is_that_of_the_bits() {
    let block512 = (1..=16_u32).map(|k| (Scheme::Block512, k));
    for (scheme, k) in block512.chain([(Scheme::SplitBlock, 8)]) {
        let (word_bytes, word_bits) = (scheme.block_bytes() as usize / 8, scheme.block_bytes() as f64);
        let builder = BloomFilter::with_bytes(3 * scheme.block_bytes()).scheme(scheme).k(k);
        let mut filter = builder.seed(u64::from(k)).build().unwrap();
        filter.insert_batch(&(0..30_u64).collect::<Vec<_>>());
        let file = filter.to_bytes();
        let words: Vec<u32> = file[128..]
            .chunks(word_bytes)
            .map(|word| word.iter().map(|byte| byte.count_ones()).sum())
            .collect();

        let mut rate = 0.0;
        for block in words.chunks(8) {
            for start in 0..8 {
                let run = (0..if k > 8 { k - 8 } else { k }).map(|i| (start + i as usize) % 8);
                let every = if k > 8 { 0..8 } else { 0..0 };
                let chance: f64 = run.chain(every).map(|word| f64::from(block[word]) / word_bits).product();
                rate += chance / 24.0;
            }
        }
        let mut block_loads = vec![0; 8 * scheme.block_bytes() as usize + 1];
        words.chunks(8).for_each(|block| block_loads[block.iter().sum::<u32>() as usize] += 1);
        let set_bits: u32 = words.iter().sum();

        let health = filter.health();
        assert!((health.rate / rate - 1.0).abs() < 1e-12, "{scheme:?}, k {k}: {}, not {rate}", health.rate);
        assert_eq!(health.block_loads, block_loads);
        assert_eq!(
            (health.set_bits, health.fill),
            (set_bits.into(), f64::from(set_bits) / (24.0 * word_bits))
        );
    }
}
