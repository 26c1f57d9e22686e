//! Version 1: a header of 128 bytes, then the blocks.

use super::MAGIC;
use crate::block::Pages;
use crate::error::{Error, FormatError};
use crate::filter::{BloomFilter, Design};
use crate::hash::Seed;
use crate::kernel::Kernel;
use crate::scheme::Scheme;

pub(super) const HEADER_BYTES: usize = 128;
const VERSION: u32 = 1;
/// The hashes of `hash`.
const HASH: u32 = 1;
/// Flags: which of the fields that describe the design are there.
const HAS_ITEMS: u32 = 1;
const HAS_RATE: u32 = 2;

// Where the fields begin.
const AT_VERSION: usize = 8;
const AT_SCHEME: usize = 12;
const AT_HASH: usize = 16;
const AT_FLAGS: usize = 20;
const AT_K: usize = 24;
const AT_SEED: usize = 32;
const AT_BLOCKS: usize = 40;
const AT_ITEMS: usize = 48;
const AT_RATE: usize = 56;
const AT_PAYLOAD_CHECKSUM: usize = 120;
const AT_HEADER_CHECKSUM: usize = 124;

pub(super) struct Header {
    scheme: Scheme,
    k: u32,
    seed: u64,
    blocks: u64,
    design: Design,
    payload_checksum: u32,
}

pub(super) fn encode(filter: &BloomFilter, payload_checksum: u32) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    let design = filter.design();
    let mut flags = 0;
    if let Some(items) = design.items {
        flags |= HAS_ITEMS;
        put(AT_ITEMS, &items.to_le_bytes());
    }
    if let Some(rate) = design.rate {
        flags |= HAS_RATE;
        put(AT_RATE, &rate.to_bits().to_le_bytes());
    }
    put(0, &MAGIC);
    put(AT_VERSION, &VERSION.to_le_bytes());
    put(AT_SCHEME, &filter.scheme().id().to_le_bytes());
    put(AT_HASH, &HASH.to_le_bytes());
    put(AT_FLAGS, &flags.to_le_bytes());
    put(AT_K, &filter.k().to_le_bytes());
    put(AT_SEED, &filter.seed().to_le_bytes());
    put(AT_BLOCKS, &filter.blocks().to_le_bytes());
    put(AT_PAYLOAD_CHECKSUM, &payload_checksum.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..AT_HEADER_CHECKSUM]);
    bytes[AT_HEADER_CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Reads the header at the beginning of `bytes`.
///
/// The version is looked at before the checksum, so that a file of a later version is named as such.
pub(super) fn decode(bytes: &[u8]) -> Result<Header, FormatError> {
    let truncated = FormatError::Truncated { needed: HEADER_BYTES as u64, got: bytes.len() as u64 };
    let Some(magic) = bytes.first_chunk::<8>() else { return Err(truncated) };
    if *magic != MAGIC {
        return Err(FormatError::BadMagic { found: *magic });
    }
    let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else { return Err(truncated) };
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;

    check_known("version", word(AT_VERSION), VERSION)?;
    let (stored, computed) = (word(AT_HEADER_CHECKSUM), crc32fast::hash(&header[..AT_HEADER_CHECKSUM]));
    if stored != computed {
        return Err(FormatError::BadChecksum { part: "header", stored, computed });
    }
    let Some(scheme) = Scheme::ALL.into_iter().find(|scheme| scheme.id() == word(AT_SCHEME)) else {
        return Err(FormatError::Unsupported { field: "scheme", value: word(AT_SCHEME).into() });
    };
    check_known("hash", word(AT_HASH), HASH)?;
    let flags = word(AT_FLAGS);
    if flags & !(HAS_ITEMS | HAS_RATE) != 0 {
        return Err(FormatError::Unsupported { field: "flags", value: u64::from(flags) });
    }
    let (k, blocks) = (word(AT_K), long(AT_BLOCKS));
    if !scheme.has_k(k) {
        return Err(FormatError::InvalidField { field: "k", value: u64::from(k) });
    }
    if !(1..=scheme.max_blocks()).contains(&blocks) {
        return Err(FormatError::InvalidField { field: "blocks", value: blocks });
    }
    let mut reserved = header[AT_K + 4..AT_SEED].iter().chain(&header[AT_RATE + 8..AT_PAYLOAD_CHECKSUM]);
    if let Some(&byte) = reserved.find(|&&byte| byte != 0) {
        return Err(FormatError::Unsupported { field: "reserved", value: u64::from(byte) });
    }
    let (items, rate) = (long(AT_ITEMS), f64::from_bits(long(AT_RATE)));
    if flags & HAS_ITEMS == 0 && items != 0 {
        return Err(FormatError::InvalidField { field: "items", value: items });
    }
    let rate_is_valid = if flags & HAS_RATE == 0 { rate.to_bits() == 0 } else { rate > 0.0 && rate < 1.0 };
    if !rate_is_valid {
        return Err(FormatError::InvalidField { field: "rate", value: rate.to_bits() });
    }
    let design = Design {
        items: (flags & HAS_ITEMS != 0).then_some(items),
        rate: (flags & HAS_RATE != 0).then_some(rate),
    };
    let payload_checksum = word(AT_PAYLOAD_CHECKSUM);
    Ok(Header { scheme, k, seed: long(AT_SEED), blocks, design, payload_checksum })
}

fn check_known(field: &'static str, value: u32, known: u32) -> Result<(), FormatError> {
    if value == known { Ok(()) } else { Err(FormatError::Unsupported { field, value: u64::from(value) }) }
}

impl Header {
    /// Length of the whole filter.
    pub(super) fn total_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.blocks * self.scheme.block_bytes()
    }

    pub(super) fn check_payload(&self, payload: &[u8]) -> Result<(), FormatError> {
        let (stored, computed) = (self.payload_checksum, crc32fast::hash(payload));
        if stored == computed {
            Ok(())
        } else {
            Err(FormatError::BadChecksum { part: "payload", stored, computed })
        }
    }

    pub(super) fn empty_filter(&self) -> Result<BloomFilter, Error> {
        let seed = Seed::new(self.seed);
        BloomFilter::new(self.scheme, self.blocks, self.k, seed, Kernel::best(), Pages::Ordinary, self.design)
    }
}
