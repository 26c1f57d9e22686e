//! Filters as bytes: the version dispatch, and reading and writing.
//!
//! `docs/FORMAT.md` states the bytes. One file per version; a released version is never changed.

mod v1;

use alloc::vec::Vec;

use crate::error::{Error, FormatError};
use crate::filter::BloomFilter;
use crate::scheme::Scheme;

const MAGIC: [u8; 8] = *b"\x89BLM\r\n\x1a\n";

impl BloomFilter {
    /// The filter as bytes, by `docs/FORMAT.md`: the same on every machine.
    ///
    /// ```
    /// use bloomline::BloomFilter;
    ///
    /// let mut filter = BloomFilter::with_rate(1000, 0.01).build()?;
    /// filter.insert("key");
    /// let read = BloomFilter::from_bytes(&filter.to_bytes())?;
    /// assert!(read == filter && read.contains("key"));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(v1::HEADER_BYTES + self.array().bytes().len());
        bytes.extend_from_slice(&v1::encode(self, payload_checksum(self)));
        for_each_piece(self, |piece| bytes.extend_from_slice(piece));
        bytes
    }

    /// Reads a filter from all of `bytes`, which need no alignment. Both checksums are verified.
    ///
    /// The filter runs on the fastest kernel and in ordinary pages.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] with what is wrong; nothing is allocated before the length is known to be right.
    /// [`Error::AllocationFailed`] when there is no memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let header = v1::decode(bytes)?;
        let payload = &bytes[v1::HEADER_BYTES..];
        let needed = header.total_bytes();
        match (bytes.len() as u64).cmp(&needed) {
            core::cmp::Ordering::Less => {
                return Err(FormatError::Truncated { needed, got: bytes.len() as u64 }.into());
            }
            core::cmp::Ordering::Greater => return Err(FormatError::TrailingBytes { needed }.into()),
            core::cmp::Ordering::Equal => {}
        }
        header.check_payload(payload)?;
        let mut filter = header.empty_filter()?;
        let scheme = filter.scheme();
        let blocks = filter.array_mut().bytes_mut();
        blocks.copy_from_slice(payload);
        in_native_order(blocks, scheme);
        Ok(filter)
    }

    /// Writes [`to_bytes`](Self::to_bytes) to `writer`, without a copy of the filter.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the writer fails; what was written until then is not a filter.
    #[cfg(feature = "std")]
    pub fn write_to(&self, mut writer: impl std::io::Write) -> Result<(), Error> {
        writer.write_all(&v1::encode(self, payload_checksum(self)))?;
        let mut result = Ok(());
        for_each_piece(self, |piece| {
            if result.is_ok() {
                result = writer.write_all(piece);
            }
        });
        result?;
        Ok(writer.flush()?)
    }

    /// Reads a filter that reaches to the end of `reader`. Memory is only taken as bytes arrive, so a header that
    /// lies about the size costs nothing; at the end, twice the size of the filter is in use for a moment.
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes), and [`Error::Io`] when the reader fails.
    #[cfg(feature = "std")]
    pub fn read_from(mut reader: impl std::io::Read) -> Result<Self, Error> {
        use std::io::Read;

        let mut bytes = Vec::new();
        reader.by_ref().take(v1::HEADER_BYTES as u64).read_to_end(&mut bytes)?;
        let needed = v1::decode(&bytes)?.total_bytes();
        // One byte more than needed tells whether something follows.
        reader.take(needed - bytes.len() as u64 + 1).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
    }
}

/// Hands out the payload piece by piece: the blocks, their words little-endian.
fn for_each_piece(filter: &BloomFilter, mut take: impl FnMut(&[u8])) {
    let bytes = filter.array().bytes();
    if cfg!(target_endian = "little") {
        return take(bytes);
    }
    for block in bytes.chunks(filter.scheme().block_bytes() as usize) {
        let mut block = block.to_vec();
        in_native_order(&mut block, filter.scheme());
        take(&block);
    }
}

fn payload_checksum(filter: &BloomFilter) -> u32 {
    let mut checksum = crc32fast::Hasher::new();
    for_each_piece(filter, |piece| checksum.update(piece));
    checksum.finalize()
}

/// Turns little-endian words, as they lie in a file, into those of this machine, or back.
fn in_native_order(bytes: &mut [u8], scheme: Scheme) {
    if cfg!(target_endian = "big") {
        bytes.chunks_mut(scheme.word_bytes()).for_each(<[u8]>::reverse);
    }
}
