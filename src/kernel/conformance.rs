//! Every kernel that this CPU can run, on every operation, class of k, schedule and tail length, against a model
//! that was written from the format's description.

use std::vec::Vec;

use super::schedule::{Parameters, Words};
use super::{Kernel, TABLE};
use crate::block::Block;
use crate::hash::Seed;

#[path = "../../tests/support/model.rs"]
#[allow(unreachable_pub)]
mod model;
use model::Model;

/// Few blocks, so that keys of one batch meet in a block; none is a power of two but the first.
const BLOCKS: [usize; 3] = [1, 5, 1000];

fn keys(count: usize) -> Vec<u64> {
    (0..count as u64).map(|i| i.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ i << 7).collect()
}

/// The blocks of a model.
fn blocks_of(model: &Model, count: usize) -> Vec<Block> {
    let mut blocks = std::vec![Block([0; 8]); count];
    for &bit in &model.bits {
        blocks[bit as usize / 512].0[bit as usize % 512 / 64] |= 1 << (bit % 64);
    }
    blocks
}

fn mask(answers: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| eight.iter().enumerate().map(|(bit, &set)| u8::from(set) << bit).sum();
    answers.chunks(8).map(byte).collect()
}

/// One batch on one filter, with everything that the model says of it.
struct Case {
    k: u32,
    seed: Seed,
    keys: Vec<u64>,
    hashes: Vec<u64>,
    /// Whether the keys are handed over as hashes.
    hashed: bool,
    before: Vec<Block>,
    after: Vec<Block>,
    present: Vec<bool>,
    reported: Vec<bool>,
}

impl Case {
    fn new(k: u32, blocks: usize, keys: &[u64], hashed: bool) -> Self {
        let seed = u64::from(k);
        let mut model = Model::new(blocks as u64, k, seed);
        let hashes: Vec<u64> = keys.iter().map(|&key| if hashed { key } else { model.hash(key) }).collect();
        // Half of the keys are in the filter already.
        for &hash in hashes.iter().step_by(2) {
            model.insert_hash(hash);
        }
        let before = blocks_of(&model, blocks);
        let present = hashes.iter().map(|&hash| model.contains_hash(hash)).collect();
        let reported = hashes.iter().map(|&hash| model.insert_hash(hash)).collect();
        let after = blocks_of(&model, blocks);
        Self {
            k,
            seed: Seed::new(seed),
            keys: keys.to_vec(),
            hashes,
            hashed,
            before,
            after,
            present,
            reported,
        }
    }

    /// Checks every operation of every kernel. Returns the number of kernels.
    fn check(&self) -> usize {
        let mut kernels = 0;
        for kernel in Kernel::available() {
            self.check_one(kernel);
            kernels += 1;
        }
        kernels
    }

    fn check_one(&self, kernel: Kernel) {
        let parameters = &Parameters { k: self.k, seed: self.seed };
        let words = if self.hashed { Words::Hashes(&self.keys) } else { Words::Integers(&self.keys) };
        let tell = || {
            let (blocks, keys) = (self.before.len(), self.keys.len());
            std::format!("{kernel:?} {parameters:?} blocks {blocks} keys {keys} hashed {}", self.hashed)
        };
        let blank = std::vec![0xaa; self.keys.len().div_ceil(8)];

        let mut out = blank.clone();
        kernel.contains(parameters, &self.before, words, &mut out);
        assert_eq!(out, mask(&self.present), "contains: {}", tell());
        for (&hash, &expected) in self.hashes.iter().zip(&self.present) {
            let answer = kernel.contains_one(parameters, &self.before, hash);
            assert_eq!(answer, expected, "contains_one: {}", tell());
        }

        let mut blocks = self.before.clone();
        kernel.insert(parameters, &mut blocks, words);
        assert_eq!(blocks, self.after, "insert: {}", tell());

        let mut blocks = self.before.clone();
        let mut out = blank;
        kernel.insert_and_report(parameters, &mut blocks, words, &mut out);
        assert_eq!(blocks, self.after, "insert_and_report: {}", tell());
        assert_eq!(out, mask(&self.reported), "answers of insert_and_report: {}", tell());

        let mut blocks = self.before.clone();
        for (&hash, &expected) in self.hashes.iter().zip(&self.reported) {
            let answer = kernel.insert_one(parameters, &mut blocks, hash);
            assert_eq!(answer, expected, "insert_one: {}", tell());
        }
        assert_eq!(blocks, self.after, "bits of insert_one: {}", tell());
    }
}

#[test]
fn every_kernel_agrees_with_the_model_on_every_operation_and_tail() {
    let mut checked = 0;
    for k in 1..=16 {
        for length in 0..=200 {
            // Each length with another number of blocks and kind of word; all pairs occur many times.
            let blocks = BLOCKS[(length + k as usize) % BLOCKS.len()];
            let hashed = (length / BLOCKS.len()) % 2 == 1;
            let mut keys = keys(length);
            if hashed {
                let seed = Seed::new(77);
                keys.iter_mut().for_each(|key| *key = seed.mix(*key));
            }
            checked += Case::new(k, blocks, &keys, hashed).check();
        }
    }
    let kernels: Vec<_> = Kernel::available().map(|kernel| kernel.name()).collect();
    assert_eq!(checked, 16 * 201 * kernels.len());
    std::println!("{checked} batches agree, kernels {kernels:?}");
}

/// A key twice in one group, and a whole batch of one key: nothing is lost, and the second is reported as present.
#[test]
fn repeated_keys_in_a_batch_are_reported_in_order() {
    for k in [1, 4, 8, 9, 16] {
        Case::new(k, 3, &[5, 6, 5, 5, 6, 7, 8, 5, 5], false).check();
        Case::new(k, 3, &[9; 100], false).check();
    }
}

/// The extremes of the range reduction, which no mixed key is likely to reach.
#[test]
fn extreme_hashes_stay_inside_the_filter() {
    let extremes =
        [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1, u64::MAX << 32];
    for k in [3, 8, 12] {
        for blocks in [1, 2, 3, 1023] {
            Case::new(k, blocks, &extremes, true).check();
        }
    }
}

/// The kernels that whoever runs the tests knows the machine to have: a detection that fails must not pass for a CPU
/// that lacks the feature.
#[test]
fn required_kernels_are_available() {
    let Ok(required) = std::env::var("BLOOMLINE_REQUIRE_KERNELS") else { return };
    for name in required.split(',').filter(|name| !name.is_empty()) {
        assert!(Kernel::by_name(name).is_ok(), "kernel {name} is required and missing");
    }
}

#[test]
fn names_are_unique_and_some_kernel_runs_everywhere() {
    for (i, row) in TABLE.iter().enumerate() {
        assert!(TABLE[..i].iter().all(|other| other.name != row.name));
    }
    assert!(Kernel::by_name("scalar").is_ok());
    assert!(Kernel::by_name("portable").is_ok());
}

/// A kernel reads the block of every key, so it must not be handed a filter without one.
#[test]
#[should_panic(expected = "at least one block")]
fn batches_on_no_blocks_are_refused() {
    let parameters = Parameters { k: 8, seed: Seed::new(0) };
    Kernel::best().contains(&parameters, &[], Words::Hashes(&[0; 8]), &mut [0]);
}
