//! Every kernel that this CPU can run, on every operation, class of k, schedule and tail length, against a model
//! that was written from the format's description.

use std::vec::Vec;

use super::engine::{Shape, Words};
use super::schedule::Schedule;
use super::{BitArray, Kernel, TABLE};
use crate::block::{Block, Pages};
use crate::hash::Seed;
use crate::scheme::Scheme;

#[path = "../../tests/support/model.rs"]
#[allow(unreachable_pub)]
mod model;
use model::Model;

/// Few blocks, so that keys of one batch meet in a block; none is a power of two but the first.
const BLOCKS: [usize; 3] = [1, 5, 1000];

fn keys(count: usize) -> Vec<u64> {
    (0..count as u64).map(|i| i.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ i << 7).collect()
}

/// The lines of a model, byte for byte.
fn lines_of(model: &Model, count: usize) -> Vec<Block> {
    let mut lines = std::vec![Block([0; 8]); count];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut lines);
    for &bit in &model.bits {
        bytes[bit as usize / 8] |= 1 << (bit % 8);
    }
    lines
}

/// The schemes under test, with every k.
fn shapes() -> impl Iterator<Item = (Scheme, u32)> {
    (1..=16).map(|k| (Scheme::Block512, k)).chain([(Scheme::SplitBlock, 8)])
}

fn mask(answers: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| eight.iter().enumerate().map(|(bit, &set)| u8::from(set) << bit).sum();
    answers.chunks(8).map(byte).collect()
}

/// One batch on one filter, with everything that the model says of it.
struct Case {
    shape: Shape,
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
    fn new((scheme, k): (Scheme, u32), blocks: usize, keys: &[u64], hashed: bool) -> Self {
        let seed = u64::from(k);
        let (layout, lines) = match scheme {
            Scheme::Block512 => (model::Scheme::Block512 { blocks: blocks as u64, k }, blocks),
            Scheme::SplitBlock => (model::Scheme::SplitBlock { blocks: blocks as u64 }, blocks.div_ceil(2)),
        };
        let mut model = Model::new(layout, seed);
        let hashes: Vec<u64> = keys.iter().map(|&key| if hashed { key } else { model.hash(key) }).collect();
        // Half of the keys are in the filter already.
        for &hash in hashes.iter().step_by(2) {
            model.insert_hash(hash);
        }
        let before = lines_of(&model, lines);
        let present = hashes.iter().map(|&hash| model.contains_hash(hash)).collect();
        let reported = hashes.iter().map(|&hash| model.insert_hash(hash)).collect();
        let after = lines_of(&model, lines);
        Self {
            shape: Shape { scheme, k, blocks, seed: Seed::new(seed) },
            keys: keys.to_vec(),
            hashes,
            hashed,
            before,
            after,
            present,
            reported,
        }
    }

    /// Checks every operation of every kernel under every schedule. Returns the number of kernels.
    fn check(&self) -> usize {
        let mut kernels = 0;
        for kernel in Kernel::available() {
            for schedule in [Schedule::NEAR, Schedule::FAR] {
                self.check_one(kernel, schedule);
            }
            kernels += 1;
        }
        kernels
    }

    fn check_one(&self, kernel: Kernel, schedule: Schedule) {
        let filled = || {
            let mut array = BitArray::new(kernel, self.shape, Pages::Ordinary).unwrap();
            array.set_schedule(schedule);
            array.lines_mut().copy_from_slice(&self.before);
            array
        };
        let words = if self.hashed { Words::Hashes(&self.keys) } else { Words::Integers(&self.keys) };
        let tell = || {
            let keys = self.keys.len();
            std::format!("{kernel:?} {schedule:?} {:?} keys {keys} hashed {}", self.shape, self.hashed)
        };
        let blank = std::vec![0xaa; self.keys.len().div_ceil(8)];

        let array = filled();
        let mut out = blank.clone();
        array.contains(words, &mut out);
        assert_eq!(out, mask(&self.present), "contains: {}", tell());
        for (&hash, &expected) in self.hashes.iter().zip(&self.present) {
            assert_eq!(array.contains_one(hash), expected, "contains_one: {}", tell());
        }

        let mut array = filled();
        array.insert(words);
        assert_eq!(array.lines(), self.after, "insert: {}", tell());

        let mut array = filled();
        let mut out = blank;
        array.insert_and_report(words, &mut out);
        assert_eq!(array.lines(), self.after, "insert_and_report: {}", tell());
        assert_eq!(out, mask(&self.reported), "answers of insert_and_report: {}", tell());

        let mut array = filled();
        for (&hash, &expected) in self.hashes.iter().zip(&self.reported) {
            assert_eq!(array.insert_one(hash), expected, "insert_one: {}", tell());
        }
        assert_eq!(array.lines(), self.after, "bits of insert_one: {}", tell());
    }
}

#[test]
fn every_kernel_agrees_with_the_model_on_every_operation_and_tail() {
    // Every tail, on rings that are not full, just full, and go round more than once.
    let lengths = (0..=160).chain(250..=280).chain(505..=530);
    let mut checked = 0;
    for shape in shapes() {
        for length in lengths.clone() {
            // Each length with another number of blocks and kind of word; all pairs occur many times.
            let blocks = BLOCKS[(length + shape.1 as usize) % BLOCKS.len()];
            let hashed = (length / BLOCKS.len()) % 2 == 1;
            let mut keys = keys(length);
            if hashed {
                let seed = Seed::new(77);
                keys.iter_mut().for_each(|key| *key = seed.mix(*key));
            }
            checked += Case::new(shape, blocks, &keys, hashed).check();
        }
    }
    let kernels: Vec<_> = Kernel::available().map(|kernel| kernel.name()).collect();
    assert_eq!(checked, 17 * lengths.count() * kernels.len());
    std::println!("{checked} batches agree, kernels {kernels:?}");
}

/// A key twice in one group, and a whole batch of one key: nothing is lost, and the second is reported as present.
#[test]
fn repeated_keys_in_a_batch_are_reported_in_order() {
    for shape in shapes() {
        Case::new(shape, 3, &[5, 6, 5, 5, 6, 7, 8, 5, 5], false).check();
        Case::new(shape, 3, &[9; 100], false).check();
    }
}

/// The extremes of the range reduction, which no mixed key is likely to reach.
#[test]
fn extreme_hashes_stay_inside_the_filter() {
    let extremes =
        [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1, u64::MAX << 32];
    for shape in shapes() {
        for blocks in [1, 2, 3, 1023] {
            Case::new(shape, blocks, &extremes, true).check();
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

/// A kernel reads the block of every key, so there must be one, and as many as the shape says.
#[test]
fn missing_blocks_are_refused() {
    let refused = |run: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
    for (scheme, k) in shapes() {
        let shape = |blocks| Shape { scheme, k, blocks, seed: Seed::new(0) };
        let new = |blocks| BitArray::new(Kernel::best(), shape(blocks), Pages::Ordinary);
        assert!(refused(&|| drop(new(0))));
        for kernel in Kernel::available() {
            let functions = kernel.functions(&shape(5));
            let words = Words::Hashes(&[u64::MAX; 8]);
            for lines in [0, 2] {
                assert!(refused(&|| {
                    let lines = std::vec![Block([0; 8]); lines];
                    // SAFETY: the kernel is available, and the functions check the number of blocks.
                    unsafe { (functions.contains)(&shape(5), &lines, Schedule::NEAR, words, &mut [0]) }
                }));
                assert!(refused(&|| {
                    let mut lines = std::vec![Block([0; 8]); lines];
                    // SAFETY: as above.
                    unsafe { (functions.insert)(&shape(5), &mut lines, Schedule::NEAR, words) }
                }));
            }
        }
    }
}
