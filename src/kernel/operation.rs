//! What a batch does to the blocks of its keys: lookups and inserts.
#![allow(unsafe_code)]

use super::engine::{BlockOf, BlocksOf, Engine, Found, PlacementOf, Prepared, every_lane};
use super::layout::Layout;

/// What to do with keys whose blocks are known.
///
/// # Safety
///
/// With `REPORT`, [`group`](Self::group) has the engine [keep](Engine::keep) or [probe](Engine::probe) into `found`.
pub(crate) unsafe trait Operation<E: Engine> {
    /// The first of the blocks.
    fn blocks(&self) -> *const BlockOf<E>;

    /// Does it to one key, and returns what was missing.
    fn one(&mut self, engine: &E, block: usize, key: PlacementOf<E>) -> E::Missing;

    /// Does it to the keys of a prepared group, the first lane first. With `REPORT`, keeps what was missing.
    ///
    /// # Safety
    ///
    /// The engine that prepared the keys was built for the number of blocks of this operation, at least one.
    unsafe fn group<const REPORT: bool>(&mut self, engine: &E, keys: Prepared<'_, E>, found: &mut Found);
}

pub(crate) struct Lookup<'a, B>(pub(crate) &'a [B]);

// SAFETY: every group is probed.
unsafe impl<E: Engine> Operation<E> for Lookup<'_, BlockOf<E>> {
    #[inline(always)]
    fn blocks(&self) -> *const BlockOf<E> {
        self.0.as_ptr()
    }

    #[inline(always)]
    fn one(&mut self, engine: &E, block: usize, key: PlacementOf<E>) -> E::Missing {
        engine.missing(&self.0[block], key)
    }

    #[inline(always)]
    unsafe fn group<const REPORT: bool>(&mut self, engine: &E, keys: Prepared<'_, E>, found: &mut Found) {
        // SAFETY: by the caller's promise.
        engine.probe(unsafe { BlocksOf::new(self.0, keys) }, keys, found);
    }
}

pub(crate) struct Insert<'a, B>(pub(crate) &'a mut [B]);

// SAFETY: with `REPORT`, what was missing is kept.
unsafe impl<E: Engine> Operation<E> for Insert<'_, BlockOf<E>> {
    #[inline(always)]
    fn blocks(&self) -> *const BlockOf<E> {
        self.0.as_ptr()
    }

    #[inline(always)]
    fn one(&mut self, engine: &E, block: usize, key: PlacementOf<E>) -> E::Missing {
        engine.insert(&mut self.0[block], key)
    }

    #[inline(always)]
    unsafe fn group<const REPORT: bool>(&mut self, engine: &E, keys: Prepared<'_, E>, found: &mut Found) {
        // SAFETY: by the caller's promise.
        let missing = every_lane!(|lane| unsafe { self.in_lane(engine, keys, lane) });
        if REPORT {
            engine.keep(&missing, found);
        }
    }
}

impl<B> Insert<'_, B> {
    /// # Safety
    ///
    /// As for [`Operation::group`].
    #[inline(always)]
    unsafe fn in_lane<E: Engine>(&mut self, engine: &E, keys: Prepared<'_, E>, lane: usize) -> E::Missing
    where
        E::Layout: Layout<Block = B>,
    {
        // SAFETY: by the caller's promise; the reference is gone before the next key, which may have the same block.
        let block = unsafe { &mut *self.0.as_mut_ptr().byte_add(keys.offset()[lane] as usize) };
        engine.insert_in_lane(block, keys, lane)
    }
}
