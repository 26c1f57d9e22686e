//! The scalar kernel: the bit contract in safe Rust, and so the oracle of every other kernel.

use super::schedule::{Engine, GROUP, Group, Parameters, Placement};
use super::{Detected, EIGHT, Row, functions};
use crate::block::Block;
use crate::hash::Seed;

pub(super) const ROW: Row =
    Row { name: "scalar", needs: "nothing", detect: || true, functions: functions!(Scalar) };

struct Scalar<const CLASS: u8, const MIX: bool> {
    k: u32,
    seed: Seed,
    blocks: usize,
}

impl<const CLASS: u8, const MIX: bool> Scalar<CLASS, MIX> {
    fn new(_: Detected, parameters: &Parameters, blocks: usize) -> Self {
        // As a constant, k = 8 leaves nothing of the run in the compiled code.
        let k = if CLASS == EIGHT { 8 } else { parameters.k };
        Self { k, seed: parameters.seed, blocks }
    }
}

impl<const CLASS: u8, const MIX: bool> Engine for Scalar<CLASS, MIX> {
    type Missing = u64;

    #[inline(always)]
    fn prepare(&self, words: &[u64; GROUP], group: &mut Group) {
        for (lane, &word) in words.iter().enumerate() {
            let hash = if MIX { self.seed.mix(word) } else { word };
            group.store(lane, hash, self.k, self.blocks);
        }
    }

    #[inline(always)]
    fn missing(&self, block: &Block, key: Placement) -> u64 {
        key.pattern(self.k).iter().zip(&block.0).fold(0, |missing, (bits, word)| missing | bits & !word)
    }

    #[inline(always)]
    fn insert(&self, block: &mut Block, key: Placement) -> u64 {
        let missing = self.missing(block, key);
        for (bits, word) in key.pattern(self.k).iter().zip(&mut block.0) {
            *word |= bits;
        }
        missing
    }

    #[inline(always)]
    fn is_present(&self, missing: u64) -> bool {
        missing == 0
    }
}
