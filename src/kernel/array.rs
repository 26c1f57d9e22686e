//! The bits of a filter together with the kernel that probes them.

use super::engine::{Shape, Words};
use super::schedule::Schedule;
use super::{Class, Functions, Kernel, cache};
use crate::block::{Block, Blocks, Pages};
use crate::error::Error;
use crate::scheme::Scheme;

/// The lines of a filter, its shape, and the functions of its kernel and the schedule for that shape, chosen
/// once.
#[derive(Clone)]
pub(crate) struct BitArray {
    /// Hold the blocks of the shape, at least one.
    lines: Blocks,
    shape: Shape,
    kernel: Kernel,
    functions: Functions,
    schedule: Schedule,
}

impl BitArray {
    /// A bit array with no bit set.
    ///
    /// # Panics
    ///
    /// When the shape has no block, or more than its scheme allows: kernels multiply by the number in 32 bits.
    pub(crate) fn new(kernel: Kernel, shape: Shape, pages: Pages) -> Result<Self, Error> {
        assert!(shape.blocks as u64 <= shape.scheme.max_blocks(), "more blocks than the scheme has");
        let lines = Blocks::zeroed(shape.lines(), pages)?;
        let schedule = Schedule::new(shape.bytes() as u64, cache::last_level_bytes());
        Ok(Self { lines, shape, kernel, functions: kernel.functions(&shape), schedule })
    }

    #[inline]
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn kernel(&self) -> Kernel {
        self.kernel
    }

    pub(crate) fn set_kernel(&mut self, kernel: Kernel) {
        self.kernel = kernel;
        self.functions = kernel.functions(&self.shape);
    }

    /// Batches go by this schedule from now on.
    #[cfg(test)]
    pub(super) fn set_schedule(&mut self, schedule: Schedule) {
        self.schedule = schedule;
    }

    pub(crate) fn pages(&self) -> Pages {
        self.lines.pages()
    }

    /// The memory of the blocks. The second half of the last line is no block where split blocks are odd in number, and 0.
    pub(crate) fn lines(&self) -> &[Block] {
        self.lines.as_slice()
    }

    pub(crate) fn lines_mut(&mut self) -> &mut [Block] {
        self.lines.as_mut_slice()
    }

    /// The memory of the blocks, byte by byte.
    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(self.lines())[..self.shape.bytes()]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let bytes = self.shape.bytes();
        &mut bytemuck::cast_slice_mut(self.lines_mut())[..bytes]
    }

    /// Bit i % 8 of byte i / 8 of `out` tells whether key i is possibly present; bits past the last key are 0.
    #[inline]
    pub(crate) fn contains(&self, keys: Words<'_>, out: &mut [u8]) {
        // SAFETY: a `Kernel` exists only after its row's detection succeeded, the functions are those of the shape, and the
        // lines hold its blocks.
        unsafe { (self.functions.contains)(&self.shape, self.lines.as_slice(), self.schedule, keys, out) }
    }

    #[inline]
    pub(crate) fn insert(&mut self, keys: Words<'_>) {
        // SAFETY: as in `contains`.
        unsafe { (self.functions.insert)(&self.shape, self.lines.as_mut_slice(), self.schedule, keys) }
    }

    /// Inserts, and tells as [`contains`](Self::contains) does which keys were possibly present before, as if they came
    /// one by one.
    #[inline]
    pub(crate) fn insert_and_report(&mut self, keys: Words<'_>, out: &mut [u8]) {
        // SAFETY: as in `contains`.
        unsafe {
            (self.functions.insert_and_report)(
                &self.shape,
                self.lines.as_mut_slice(),
                self.schedule,
                keys,
                out,
            )
        }
    }

    #[inline]
    pub(crate) fn contains_one(&self, hash: u64) -> bool {
        // SAFETY: as in `contains`.
        unsafe { (self.functions.contains_one)(&self.shape, self.lines.as_slice(), hash) }
    }

    #[inline]
    pub(crate) fn insert_one(&mut self, hash: u64) -> bool {
        // SAFETY: as in `contains`.
        unsafe { (self.functions.insert_one)(&self.shape, self.lines.as_mut_slice(), hash) }
    }
}

impl Shape {
    /// Cache lines that hold the blocks.
    fn lines(&self) -> u64 {
        (self.blocks as u64 * self.scheme.block_bytes()).div_ceil(size_of::<Block>() as u64)
    }

    /// Bytes of the blocks, once they are allocated.
    fn bytes(&self) -> usize {
        self.blocks * self.scheme.block_bytes() as usize
    }
}

impl Kernel {
    pub(super) fn functions(self, shape: &Shape) -> Functions {
        match shape.scheme {
            Scheme::Block512 => self.0.block512[Class::of(shape.k) as usize],
            Scheme::SplitBlock => self.0.split,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Seed;

    #[test]
    fn the_schedule_is_chosen_by_the_bytes_of_the_blocks() {
        let near = (cache::last_level_bytes() / 4) as usize;
        for scheme in Scheme::ALL {
            let fit = near / scheme.block_bytes() as usize;
            for (blocks, schedule) in [(fit, Schedule::NEAR), (fit + 1, Schedule::FAR)] {
                let shape = Shape { scheme, k: 8, blocks, seed: Seed::new(0) };
                let array = BitArray::new(Kernel::best(), shape, Pages::Ordinary).unwrap();
                assert_eq!(array.schedule, schedule, "{shape:?}");
            }
        }
    }
}
