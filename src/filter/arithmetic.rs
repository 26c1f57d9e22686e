//! The arithmetic of filters, where it depends on the scheme.

use bytemuck::cast_slice;

use super::Design;
use super::builder::Size;
use crate::block::HalfBlock;
use crate::error::Error;
use crate::kernel::BitArray;
use crate::kernel::engine::Shape;
use crate::scheme::block512::{self, bits_in_word};
use crate::scheme::{Scheme, split};
use crate::sizing::blocked::{self, Choice, Estimate};
use crate::sizing::split as split_sizing;

/// The blocks, k and what is known of the design of a filter of this size.
pub(super) fn design(scheme: Scheme, size: Size, choice: Choice) -> Result<(u64, u32, Design), Error> {
    let known = match size {
        Size::Rate { items, rate } => Design { items: Some(items), rate: Some(rate) },
        Size::BitsPerKey { items, .. } => Design { items: Some(items), rate: None },
        Size::Bytes { items, .. } => Design { items, rate: None },
    };
    let (blocks, k) = match scheme {
        Scheme::Block512 => block512_design(size, choice)?,
        Scheme::SplitBlock => {
            if let Choice::Exactly(k) = choice
                && k != split::K
            {
                return Err(Error::SchemeFixesK { k, scheme: scheme.name(), fixed: split::K });
            }
            (split_blocks(size)?, split::K)
        }
    };
    Ok((blocks, k, known))
}

fn block512_design(size: Size, choice: Choice) -> Result<(u64, u32), Error> {
    let design = match size {
        Size::Rate { items, rate } => blocked::design(items, rate, choice)?,
        Size::BitsPerKey { items, bits_per_key } => {
            blocked::design_bits_per_key(items, bits_per_key, choice)?
        }
        Size::Bytes { bytes, items } => {
            let blocks = whole_blocks(bytes, Scheme::Block512)?;
            let choice = match (choice, items) {
                (Choice::Compact, None) => Choice::Fast,
                (choice, _) => choice,
            };
            blocked::design_blocks(items.unwrap_or(0), blocks, choice)?
        }
    };
    Ok((design.blocks, design.k))
}

fn split_blocks(size: Size) -> Result<u64, Error> {
    match size {
        Size::Rate { items, rate } => Ok(split_sizing::design(items, rate)?.blocks),
        Size::BitsPerKey { items, bits_per_key } => {
            Ok(split_sizing::design_bits_per_key(items, bits_per_key)?.blocks)
        }
        Size::Bytes { bytes, .. } => whole_blocks(bytes, Scheme::SplitBlock),
    }
}

/// The blocks that fit into so many bytes.
fn whole_blocks(bytes: u64, scheme: Scheme) -> Result<u64, Error> {
    let (block, max) = (scheme.block_bytes(), scheme.max_blocks());
    match bytes / block {
        0 => Err(Error::TooSmall { bytes, min: block }),
        blocks if blocks > max => Err(Error::TooLarge { bytes: bytes.into(), limit: max * block }),
        blocks => Ok(blocks),
    }
}

/// The exact expected rate of a filter that holds so many items.
pub(super) fn rate(shape: &Shape, items: u64) -> f64 {
    let blocks = shape.blocks as u64;
    let rate = match shape.scheme {
        Scheme::Block512 => blocked::rate(items, blocks, shape.k),
        Scheme::SplitBlock => split_sizing::rate(items, blocks),
    };
    rate.expect(VALID)
}

/// The number of items of a filter with so many zero bits.
pub(super) fn estimate(shape: &Shape, zero_bits: u64) -> Estimate {
    let blocks = shape.blocks as u64;
    let estimate = match shape.scheme {
        Scheme::Block512 => blocked::estimate_items(zero_bits, blocks, shape.k),
        Scheme::SplitBlock => split_sizing::estimate_items(zero_bits, blocks),
    };
    estimate.expect(VALID)
}

const VALID: &str = "the shape of a filter is valid";

/// Hands out each block as the numbers of set bits in its eight words.
pub(super) fn for_each_block(array: &BitArray, take: impl FnMut([u32; 8])) {
    match array.shape().scheme {
        Scheme::Block512 => {
            array.lines().iter().map(|block| block.0.map(u64::count_ones)).for_each(take);
        }
        Scheme::SplitBlock => {
            let blocks = &cast_slice::<_, HalfBlock>(array.lines())[..array.shape().blocks];
            blocks.iter().map(|block| block.0.map(u32::count_ones)).for_each(take);
        }
    }
}

/// The chance that a random key finds only set bits in a block with so many set bits in its words: over the starts of its run,
/// the mean of the product of the word fills, each to the number of bits that a key has in the word.
pub(super) fn block_rate(shape: &Shape, set_bits: [u32; 8]) -> f64 {
    let word_bits = 8.0 * shape.scheme.word_bytes() as f64;
    let fills = set_bits.map(|bits| f64::from(bits) / word_bits);
    let starts = if shape.k.is_multiple_of(block512::WORDS) { 1 } else { block512::WORDS };
    let mut sum = 0.0;
    for start in 0..starts {
        let mut product = 1.0;
        for (word, fill) in fills.iter().enumerate() {
            for _ in 0..bits_in_word(shape.k, start, word as u32) {
                product *= fill;
            }
        }
        sum += product;
    }
    sum / f64::from(starts)
}
