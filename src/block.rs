//! Storage: zeroed, cache-line aligned blocks on the heap or, on request, in 2 MiB pages.
#![allow(unsafe_code)]

use core::ptr::NonNull;

use crate::error::Error;
use crate::scheme::block512::{BLOCK_BYTES, MAX_BLOCKS};

/// One cache line of a filter: eight 64-bit words, in memory as they lie in a file on a
/// little-endian machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u64; 8]);

/// Half a cache line: eight 32-bit words, in memory as they lie in a file on a little-endian machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(crate) struct HalfBlock(pub(crate) [u32; 8]);

/// Bytes in a huge page.
#[cfg(all(feature = "std", target_os = "linux"))]
const HUGE: usize = 2 << 20;

/// The pages that hold a filter's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pages {
    /// The system's ordinary pages (4 KiB on most machines).
    Ordinary,
    /// 2 MiB pages: the TLB then reaches hundreds of times farther, which pays for filters larger than the
    /// last-level cache. Every page is touched when the filter is built. Filters below 2 MiB stay in ordinary pages.
    Huge,
}

/// The blocks of a filter.
pub(crate) struct Blocks {
    start: NonNull<Block>,
    len: usize,
    owner: Owner,
}

enum Owner {
    Heap,
    #[cfg(all(feature = "std", target_os = "linux"))]
    Mapping {
        _map: memmap2::MmapMut,
        pages: Pages,
    },
}

// SAFETY: `Blocks` owns its memory as a `Box<[Block]>` would; `Block` is plain data.
unsafe impl Send for Blocks {}
// SAFETY: shared access only reads plain data; writing needs `&mut`.
unsafe impl Sync for Blocks {}

impl Blocks {
    /// The largest number of blocks that one allocation of this machine can hold.
    pub(crate) fn limit() -> u64 {
        (isize::MAX as u64 / BLOCK_BYTES).min(MAX_BLOCKS)
    }

    /// Zeroed blocks.
    ///
    /// # Panics
    ///
    /// When `count` is 0: kernels rely on a first block, and the allocator on a size above zero.
    pub(crate) fn zeroed(count: u64, pages: Pages) -> Result<Self, Error> {
        assert!(count > 0, "a filter has at least one block");
        if count > Self::limit() {
            return Err(Error::TooLarge {
                bytes: u128::from(count) * u128::from(BLOCK_BYTES),
                limit: Self::limit() * BLOCK_BYTES,
            });
        }
        let count = count as usize;
        #[cfg(all(feature = "std", target_os = "linux"))]
        if pages == Pages::Huge
            && count >= HUGE / size_of::<Block>()
            && let Some(mapped) = Self::mapped(count)
        {
            return Ok(mapped);
        }
        let _ = pages;
        Self::on_heap(count)
    }

    fn on_heap(count: usize) -> Result<Self, Error> {
        let failed = Error::AllocationFailed { bytes: count as u64 * BLOCK_BYTES };
        let Ok(layout) = alloc::alloc::Layout::array::<Block>(count) else {
            return Err(failed);
        };
        // SAFETY: the layout has a size above zero, because `zeroed` has refused a count of 0.
        let memory = unsafe { alloc::alloc::alloc_zeroed(layout) };
        match NonNull::new(memory.cast::<Block>()) {
            Some(start) => Ok(Self { start, len: count, owner: Owner::Heap }),
            None => Err(failed),
        }
    }

    /// Anonymous memory aligned to 2 MiB, with huge pages asked for; `None` where that is refused.
    #[cfg(all(feature = "std", target_os = "linux"))]
    fn mapped(count: usize) -> Option<Self> {
        let bytes = count * size_of::<Block>();
        // Mappings begin at any 4 KiB page; one huge page more always holds an aligned start.
        let reserve = bytes.checked_next_multiple_of(HUGE)?.checked_add(HUGE)?;
        let mut map = memmap2::MmapMut::map_anon(reserve).ok()?;
        let skip = map.as_ptr().align_offset(HUGE);
        map.advise_range(memmap2::Advice::HugePage, skip, reserve - HUGE).ok()?;
        let region = map.get_mut(skip..skip + bytes)?;
        // Touching every page now makes the kernel hand out the pages that are then reported, and keeps
        // page faults out of the first inserts.
        for page in region.chunks_mut(4096) {
            page[0] = core::hint::black_box(0);
        }
        let start = NonNull::new(region.as_mut_ptr().cast::<Block>())?;
        let pages = pages_behind(start.as_ptr() as usize, bytes);
        Some(Self { start, len: count, owner: Owner::Mapping { _map: map, pages } })
    }

    pub(crate) fn pages(&self) -> Pages {
        match self.owner {
            Owner::Heap => Pages::Ordinary,
            #[cfg(all(feature = "std", target_os = "linux"))]
            Owner::Mapping { pages, .. } => pages,
        }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[Block] {
        // SAFETY: `start` points to `len` initialised blocks, aligned to 64 bytes, that live as long as
        // `self`; they are only written through `as_mut_slice`, which borrows `self` exclusively.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Block] {
        // SAFETY: as in `as_slice`, and `&mut self` makes this the only access.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Clone for Blocks {
    fn clone(&self) -> Self {
        let Ok(mut clone) = Self::zeroed(self.len as u64, self.pages()) else {
            let layout = alloc::alloc::Layout::for_value(self.as_slice());
            alloc::alloc::handle_alloc_error(layout);
        };
        clone.as_mut_slice().copy_from_slice(self.as_slice());
        clone
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        match self.owner {
            Owner::Heap => {
                let layout = core::alloc::Layout::array::<Block>(self.len);
                let layout = layout.expect("the layout that the blocks were allocated with");
                // SAFETY: `start` was allocated by the global allocator with this very layout, and nothing
                // can use it after `drop`.
                unsafe { alloc::alloc::dealloc(self.start.as_ptr().cast(), layout) }
            }
            #[cfg(all(feature = "std", target_os = "linux"))]
            Owner::Mapping { .. } => {}
        }
    }
}

/// What the kernel really put behind `bytes` bytes at `start`: it may take the advice and still have no
/// huge page left. More than half in huge pages counts as huge.
#[cfg(all(feature = "std", target_os = "linux"))]
fn pages_behind(start: usize, bytes: usize) -> Pages {
    let huge = std::fs::read_to_string("/proc/self/smaps")
        .map(|smaps| huge_bytes(&smaps, start, start + bytes))
        .unwrap_or(0);
    if huge > bytes / 2 { Pages::Huge } else { Pages::Ordinary }
}

/// Bytes in huge pages of the mappings that overlap `start..end`, by the text of `/proc/self/smaps`.
#[cfg(all(feature = "std", target_os = "linux"))]
fn huge_bytes(smaps: &str, start: usize, end: usize) -> usize {
    let mut overlaps = false;
    let mut total = 0;
    for line in smaps.lines() {
        let mut fields = line.split_ascii_whitespace();
        let head = fields.next().unwrap_or("");
        if let Some((low, high)) = head.split_once('-')
            && let (Ok(low), Ok(high)) = (usize::from_str_radix(low, 16), usize::from_str_radix(high, 16))
        {
            overlaps = low < end && start < high;
        } else if overlaps && head == "AnonHugePages:" {
            let kib = fields.next().and_then(|kib| kib.parse().ok()).unwrap_or(0_usize);
            total += kib * 1024;
        }
    }
    total
}

/// Asks the CPU to bring the cache line of `block` near. Never faults, whatever the address.
#[inline(always)]
pub(crate) fn prefetch<T>(block: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint: it reads nothing that the program can see and never faults; SSE, which
    // it needs, is part of every x86-64.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(block.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; the instruction neither writes memory nor touches flags or the stack.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{0}]", in(reg) block, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = block;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zeroed_and_aligned() {
        for pages in [Pages::Ordinary, Pages::Huge] {
            for count in [1, 2, 3, 1000, 40_000] {
                let blocks = Blocks::zeroed(count, pages).unwrap();
                assert_eq!(blocks.as_slice().len() as u64, count);
                assert!(blocks.as_slice().iter().all(|block| block.0 == [0; 8]));
                assert_eq!(blocks.as_slice().as_ptr() as usize % 64, 0);
            }
        }
    }

    #[test]
    #[should_panic(expected = "at least one block")]
    fn no_blocks_are_refused() {
        let _ = Blocks::zeroed(0, Pages::Ordinary);
    }

    #[test]
    fn a_clone_has_the_same_bits_in_memory_of_its_own() {
        for pages in [Pages::Ordinary, Pages::Huge] {
            let mut blocks = Blocks::zeroed(40_000, pages).unwrap();
            blocks.as_mut_slice()[39_999].0[7] = 5;
            let clone = blocks.clone();
            assert_eq!(clone.as_slice(), blocks.as_slice());
            assert_eq!(clone.pages(), blocks.pages());
            blocks.as_mut_slice()[0].0[0] = 1;
            assert_eq!(clone.as_slice()[0].0[0], 0);
        }
    }

    #[test]
    fn sizes_past_the_limits_are_errors() {
        for count in [Blocks::limit() + 1, u64::MAX / 64, u64::MAX] {
            let Err(Error::TooLarge { bytes, limit }) = Blocks::zeroed(count, Pages::Ordinary) else {
                panic!("{count} blocks were not refused as too large");
            };
            assert_eq!(bytes, u128::from(count) * 64);
            assert_eq!(limit, Blocks::limit() * 64);
        }
    }

    #[cfg(all(feature = "std", target_os = "linux"))]
    #[test]
    fn smaps_are_read_by_overlap() {
        let smaps = "70000000-70400000 rw-p 00000000 00:00 0 \n\
                     Size:               4096 kB\n\
                     AnonHugePages:      2048 kB\n\
                     70400000-70800000 rw-p 00000000 00:00 0 \n\
                     AnonHugePages:      4096 kB\n\
                     VmFlags: rd wr mr mw me ac sd hg\n";
        assert_eq!(huge_bytes(smaps, 0x7000_0000, 0x7040_0000), 2 << 20);
        assert_eq!(huge_bytes(smaps, 0x7020_0000, 0x7040_0001), 6 << 20);
        assert_eq!(huge_bytes(smaps, 0x7080_0000, 0x7090_0000), 0);
        assert_eq!(huge_bytes("", 0, 1), 0);
    }
}
