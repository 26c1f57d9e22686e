//! The schemes as the kernels see them: a type for the block, and what places a key's bits in it.

use super::engine::{Engine, Group, Prepared};
use super::{EIGHT, MORE};
use crate::block::{Block, HalfBlock};
use crate::scheme::{block512, split};

/// A scheme.
pub(crate) trait Layout {
    type Block: bytemuck::Pod;

    /// What places the bits of a key in its block.
    type Placement: Copy;

    /// The block of a key with hash `hash`; below `blocks` unless that is 0.
    fn block_index(hash: u64, blocks: usize) -> usize;

    fn placement(hash: u64, k: u32) -> Self::Placement;

    /// Keeps the placement of the key in `lane`, as far as engines of type `E` need it.
    fn put<E: Engine>(key: Self::Placement, group: &mut Group, lane: usize);

    /// What [`put`](Self::put) has kept.
    fn get<E: Engine>(keys: Prepared<'_, E>, lane: usize) -> Self::Placement;
}

/// [`Scheme::Block512`](crate::scheme::Scheme::Block512).
pub(crate) struct Block512;

impl Layout for Block512 {
    type Block = Block;
    type Placement = block512::Placement;

    #[inline(always)]
    fn block_index(hash: u64, blocks: usize) -> usize {
        block512::block_index(hash, blocks)
    }

    #[inline(always)]
    fn placement(hash: u64, k: u32) -> Self::Placement {
        block512::Placement::of(hash, k)
    }

    #[inline(always)]
    fn put<E: Engine>(key: Self::Placement, group: &mut Group, lane: usize) {
        group.first.set(lane, key.first);
        if E::CLASS != EIGHT {
            group.run.set(lane, key.run);
        }
        if E::CLASS == MORE {
            group.second.set(lane, key.second);
        }
    }

    #[inline(always)]
    fn get<E: Engine>(keys: Prepared<'_, E>, lane: usize) -> Self::Placement {
        let run = if E::CLASS == EIGHT { 0 } else { keys.run()[lane] };
        let second = if E::CLASS == MORE { keys.second()[lane] } else { 0 };
        block512::Placement { first: keys.first()[lane], second, run }
    }
}

/// [`Scheme::SplitBlock`](crate::scheme::Scheme::SplitBlock). The hash itself places the bits.
pub(crate) struct SplitBlock;

impl Layout for SplitBlock {
    type Block = HalfBlock;
    type Placement = u64;

    #[inline(always)]
    fn block_index(hash: u64, blocks: usize) -> usize {
        split::block_index(hash, blocks)
    }

    #[inline(always)]
    fn placement(hash: u64, _: u32) -> u64 {
        hash
    }

    #[inline(always)]
    fn put<E: Engine>(hash: u64, group: &mut Group, lane: usize) {
        group.first.set(lane, hash);
    }

    #[inline(always)]
    fn get<E: Engine>(keys: Prepared<'_, E>, lane: usize) -> u64 {
        keys.first()[lane]
    }
}

/// The first `count` blocks of a filter.
///
/// # Panics
///
/// When `count` is 0, or the lines do not hold so many: engines rely on it.
#[inline(always)]
pub(crate) fn blocks<B: bytemuck::Pod>(lines: &[Block], count: usize) -> &[B] {
    assert!(count > 0, "{NO_BLOCK}");
    &bytemuck::cast_slice(lines)[..count]
}

/// As [`blocks`].
#[inline(always)]
pub(crate) fn blocks_mut<B: bytemuck::Pod>(lines: &mut [Block], count: usize) -> &mut [B] {
    assert!(count > 0, "{NO_BLOCK}");
    &mut bytemuck::cast_slice_mut(lines)[..count]
}

const NO_BLOCK: &str = "a filter has at least one block";
