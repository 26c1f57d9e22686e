//! Memory for the rooflines.

use std::io;

use memmap2::MmapMut;

use crate::{Line, MAX_LINES};

/// The pages to put lines in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// What the system gives by itself.
    Ordinary,
    /// 2 MiB pages, where the system is Linux and has them to give.
    Huge,
}

/// Lines in memory, like those of a filter of the same size.
pub struct Lines {
    map: MmapMut,
    start: usize,
    bytes: usize,
}

impl Lines {
    /// As many whole lines as `bytes` hold, aligned to 2 MiB, every one of them written once, so that no page is missing
    /// later.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] unless there are from 1 to [`MAX_LINES`] − 1 lines, and the system's error where it
    /// has no memory.
    ///
    /// ```
    /// use bloomline_roofline::{Lines, Pages};
    ///
    /// assert_eq!(Lines::new(1000, Pages::Ordinary)?.as_slice().len(), 15);
    /// assert!(Lines::new(63, Pages::Ordinary).is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(bytes: usize, pages: Pages) -> io::Result<Self> {
        const HUGE: usize = 2 << 20;
        let refused = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let count = bytes / size_of::<Line>();
        if count == 0 || count as u64 >= MAX_LINES {
            let most = (MAX_LINES - 1) * size_of::<Line>() as u64;
            return Err(refused(format!("{bytes} bytes; lines take from 64 to {most}")));
        }
        let bytes = count * size_of::<Line>();
        let whole = bytes.checked_next_multiple_of(HUGE).and_then(|whole| whole.checked_add(HUGE));
        let mut map =
            MmapMut::map_anon(whole.ok_or_else(|| refused(format!("{bytes} bytes are too many")))?)?;
        let start = map.as_ptr().align_offset(HUGE);
        #[cfg(target_os = "linux")]
        if pages == Pages::Huge {
            // Refused where there are no huge pages; then neither does a filter have them.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let _ = pages;
        map[start..start + bytes].fill(1);
        Ok(Self { map, start, bytes })
    }

    /// The lines.
    pub fn as_slice(&self) -> &[Line] {
        bytemuck::cast_slice(&self.map[self.start..self.start + self.bytes])
    }

    /// The lines, to [`insert`](crate::insert) into.
    pub fn as_mut_slice(&mut self) -> &mut [Line] {
        bytemuck::cast_slice_mut(&mut self.map[self.start..self.start + self.bytes])
    }
}
