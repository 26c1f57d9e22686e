//! Bytes that are no filter, or a damaged one, each refused with what is wrong; readers and writers that misbehave.
#![cfg(feature = "std")]

use std::io::{self, ErrorKind, Read, Write};

use bloomline::{BloomFilter, Error, FormatError, Scheme};
use proptest::prelude::*;

const HEADER: usize = 128;

/// CRC-32 of ISO 3309, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[test]
fn the_checksum_is_the_published_one() {
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
}

/// A filter of three blocks, and its file.
fn sample() -> (BloomFilter, Vec<u8>) {
    let mut filter =
        BloomFilter::with_bytes(192).k(5).seed(0x0123_4567_89ab_cdef).expected_items(40).build().unwrap();
    filter.insert_batch(&["a", "b", "c"]);
    let file = filter.to_bytes();
    (filter, file)
}

/// The same of three split blocks, an odd number: half of the last cache line is no part of the filter.
fn split_sample() -> (BloomFilter, Vec<u8>) {
    let builder = BloomFilter::with_bytes(96).scheme(Scheme::SplitBlock).seed(0x0123_4567_89ab_cdef);
    let mut filter = builder.expected_items(40).build().unwrap();
    filter.insert_batch(&["a", "b", "c"]);
    let file = filter.to_bytes();
    assert_eq!(file.len(), HEADER + 96);
    (filter, file)
}

/// The file with these bytes at this offset of the header, and the header checksum that belongs to it.
fn with_field(at: usize, field: &[u8]) -> Vec<u8> {
    with_field_of(sample().1, at, field)
}

fn with_field_of(mut file: Vec<u8>, at: usize, field: &[u8]) -> Vec<u8> {
    file[at..at + field.len()].copy_from_slice(field);
    sign(&mut file);
    file
}

fn sign(file: &mut [u8]) {
    let checksum = crc32(&file[..HEADER - 4]).to_le_bytes();
    file[HEADER - 4..HEADER].copy_from_slice(&checksum);
}

/// The error of bytes that are no filter, which must not depend on how they are read.
fn refusal(bytes: &[u8]) -> FormatError {
    let errors = [BloomFilter::from_bytes(bytes), BloomFilter::read_from(bytes)].map(|result| match result {
        Ok(filter) => panic!("read as {filter:?}"),
        Err(Error::Format(error)) => error,
        Err(error) => panic!("{error:?}"),
    });
    assert_eq!(errors[0], errors[1]);
    errors.into_iter().next().unwrap()
}

#[test]
fn filters_of_every_size_come_through_streams() {
    for scheme in Scheme::ALL {
        for blocks in [1, 2, 3, 1000, 40_001] {
            let builder = BloomFilter::with_bytes(scheme.block_bytes() * blocks).scheme(scheme).seed(blocks);
            let mut filter = builder.build().unwrap();
            filter.insert_batch(&(0..20 * blocks).collect::<Vec<_>>());
            let mut written = Vec::new();
            filter.write_to(&mut written).unwrap();
            assert_eq!(written.len() as u64, 128 + scheme.block_bytes() * blocks);
            assert_eq!(written, filter.to_bytes());
            let read = BloomFilter::read_from(&written[..]).unwrap();
            assert!(read == filter && read.scheme() == scheme);
        }
    }
}

#[test]
fn every_truncation_is_named_with_its_length() {
    for (_, file) in [sample(), split_sample()] {
        for got in 0..file.len() {
            let needed = if got < HEADER { HEADER } else { file.len() } as u64;
            assert_eq!(refusal(&file[..got]), FormatError::Truncated { needed, got: got as u64 });
        }
    }
}

#[test]
fn every_flipped_bit_is_found() {
    for (_, file) in [sample(), split_sample()] {
        check_flips(&file);
    }
}

fn check_flips(file: &[u8]) {
    for bit in 0..8 * file.len() {
        let mut damaged = file.to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let error = refusal(&damaged);
        let right = match bit / 8 {
            0..8 => matches!(error, FormatError::BadMagic { found } if found == damaged[..8]),
            8..12 => matches!(error, FormatError::Unsupported { field: "version", .. }),
            12..HEADER => matches!(error, FormatError::BadChecksum { part: "header", .. }),
            _ => matches!(error, FormatError::BadChecksum { part: "payload", .. }),
        };
        assert!(right, "bit {bit}: {error:?}");
    }
}

#[test]
fn checksums_are_named_with_both_values() {
    let (_, mut file) = sample();
    let stored = crc32(&file[HEADER..]);
    file[200] ^= 0xff;
    let computed = crc32(&file[HEADER..]);
    assert_eq!(refusal(&file), FormatError::BadChecksum { part: "payload", stored, computed });
}

#[test]
fn fields_that_this_release_does_not_know() {
    for (at, field, known) in [(8, "version", 1..=1), (12, "scheme", 1..=2), (16, "hash", 1..=1)] {
        for value in [0, known.end() + 1, 1 << 24, u32::MAX] {
            let error = refusal(&with_field(at, &value.to_le_bytes()));
            assert_eq!(error, FormatError::Unsupported { field, value: value.into() });
        }
    }
    for flags in [4_u32, 5, 1 << 31, u32::MAX] {
        let error = refusal(&with_field(20, &flags.to_le_bytes()));
        assert_eq!(error, FormatError::Unsupported { field: "flags", value: flags.into() });
    }
    // A later version may have another header: its number is told before its checksum is looked at.
    let (_, mut later) = sample();
    later[8] = 2;
    assert_eq!(refusal(&later), FormatError::Unsupported { field: "version", value: 2 });
}

#[test]
fn bytes_that_are_zero_in_this_version() {
    for at in (28..32).chain(64..120) {
        for value in [1, 0x80] {
            let error = refusal(&with_field(at, &[value]));
            assert!(matches!(error, FormatError::Unsupported { field: "reserved", .. }), "{at}: {error:?}");
        }
    }
}

#[test]
fn values_that_no_filter_has() {
    for k in [0, 17, 256, u32::MAX] {
        let error = refusal(&with_field(24, &k.to_le_bytes()));
        assert_eq!(error, FormatError::InvalidField { field: "k", value: k.into() });
    }
    for blocks in [0, 1 << 32, (1 << 58) + 3, u64::MAX] {
        let error = refusal(&with_field(40, &blocks.to_le_bytes()));
        assert_eq!(error, FormatError::InvalidField { field: "blocks", value: blocks });
    }
    let (items_only, both, rate_only, neither) = (1_u32, 3_u32, 2_u32, 0_u32);
    let with_design = |flags: u32, items: u64, rate: f64| {
        let fields =
            [&flags.to_le_bytes()[..], &sample().1[24..48], &items.to_le_bytes(), &rate.to_le_bytes()];
        with_field(20, &fields.concat())
    };
    for flags in [both, rate_only] {
        let items = if flags == both { 40 } else { 0 };
        for rate in [0.0, -0.0, 1.0, 1.5, -0.5, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = refusal(&with_design(flags, items, rate));
            assert_eq!(error, FormatError::InvalidField { field: "rate", value: rate.to_bits() });
        }
        for rate in [5e-324, 1e-300, 0.01, 1.0_f64.next_down()] {
            let read = BloomFilter::from_bytes(&with_design(flags, items, rate)).unwrap();
            assert_eq!(read.target_rate(), Some(rate));
        }
    }
    // Without their flags the fields are 0.
    for rate in [0.01, -0.0, f64::NAN] {
        let error = refusal(&with_design(items_only, 40, rate));
        assert_eq!(error, FormatError::InvalidField { field: "rate", value: rate.to_bits() });
    }
    for flags in [neither, rate_only] {
        let error = refusal(&with_design(flags, 40, if flags == rate_only { 0.01 } else { 0.0 }));
        assert_eq!(error, FormatError::InvalidField { field: "items", value: 40 });
    }
    for items in [0, u64::MAX] {
        let read = BloomFilter::from_bytes(&with_design(items_only, items, 0.0)).unwrap();
        assert_eq!((read.expected_items(), read.target_rate()), (Some(items), None));
        assert_eq!(read.predicted_rate(), Some(if items == 0 { 0.0 } else { 1.0 }));
    }
}

/// Split blocks have one k and fewer blocks, and half the bytes in each.
#[test]
fn values_that_no_filter_of_split_blocks_has() {
    let with_field = |at: usize, field: &[u8]| with_field_of(split_sample().1, at, field);
    for k in [0, 1, 7, 9, 16, 17, u32::MAX] {
        let error = refusal(&with_field(24, &k.to_le_bytes()));
        assert_eq!(error, FormatError::InvalidField { field: "k", value: k.into() });
    }
    for blocks in [0, 1 << 26, (1 << 32) - 1, 1 << 32, (1 << 59) + 3, u64::MAX] {
        let error = refusal(&with_field(40, &blocks.to_le_bytes()));
        assert_eq!(error, FormatError::InvalidField { field: "blocks", value: blocks });
    }
    for blocks in [4_u64, 5, (1 << 26) - 1] {
        let error = refusal(&with_field(40, &blocks.to_le_bytes()));
        assert_eq!(error, FormatError::Truncated { needed: 128 + 32 * blocks, got: 224 });
    }
    for blocks in [1_u64, 2] {
        let error = refusal(&with_field(40, &blocks.to_le_bytes()));
        assert_eq!(error, FormatError::TrailingBytes { needed: 128 + 32 * blocks });
    }
    // The fields of one scheme under the number of the other.
    let error = refusal(&with_field_of(sample().1, 12, &2_u32.to_le_bytes()));
    assert_eq!(error, FormatError::InvalidField { field: "k", value: 5 });
    let error = refusal(&with_field(12, &1_u32.to_le_bytes()));
    assert_eq!(error, FormatError::Truncated { needed: 320, got: 224 });
}

#[test]
fn the_first_fault_is_the_one_that_is_named() {
    let mut file = with_field(24, &17_u32.to_le_bytes());
    file.pop();
    assert_eq!(refusal(&file), FormatError::InvalidField { field: "k", value: 17 });
    let (_, mut file) = sample();
    file[300] ^= 1;
    assert!(matches!(refusal(&file[..319]), FormatError::Truncated { needed: 320, got: 319 }));
    file.push(0);
    assert_eq!(refusal(&file), FormatError::TrailingBytes { needed: 320 });
    file[50] ^= 1;
    assert!(matches!(refusal(&file), FormatError::BadChecksum { part: "header", .. }));
    file[9] ^= 1;
    assert!(matches!(refusal(&file), FormatError::Unsupported { field: "version", value: 257 }));
    file[0] ^= 1;
    assert!(matches!(refusal(&file), FormatError::BadMagic { .. }));
}

#[test]
fn bytes_that_follow_a_filter() {
    let (_, file) = sample();
    for count in [1, 64, 100_000] {
        let longer = [file.clone(), vec![0; count]].concat();
        assert_eq!(refusal(&longer), FormatError::TrailingBytes { needed: 320 });
    }
    // Another filter is no less a trailing byte; the reader is left one byte past the end.
    let two = [file.clone(), file].concat();
    let mut reader = &two[..];
    assert!(BloomFilter::read_from(&mut reader).is_err());
    assert_eq!(reader.len(), 319);
}

#[test]
fn bytes_at_any_alignment() {
    let (filter, file) = sample();
    for offset in 0..=64 {
        let moved = [vec![0xff; offset], file.clone()].concat();
        assert!(BloomFilter::from_bytes(&moved[offset..]).unwrap() == filter);
    }
}

/// Hands out at most `step` bytes at a time, then fails if there is an error, and remembers the largest buffer it saw.
struct Slow<'a> {
    bytes: &'a [u8],
    step: usize,
    then: Option<ErrorKind>,
    largest_buffer: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.largest_buffer = self.largest_buffer.max(buffer.len());
        if let (true, Some(kind)) = (self.bytes.is_empty(), self.then) {
            return Err(kind.into());
        }
        let step = self.step.min(buffer.len());
        self.bytes.read(&mut buffer[..step])
    }
}

/// The header promises up to 256 GiB, and a few blocks follow: the buffers must be of the size of what came.
#[test]
fn headers_that_lie_about_the_size() {
    for blocks in [4, 1000, 1 << 31, (1_u64 << 32) - 1] {
        let file = with_field(40, &blocks.to_le_bytes());
        let truncated = FormatError::Truncated { needed: 128 + 64 * blocks, got: 320 };
        assert_eq!(refusal(&file), truncated);
        let mut reader = Slow { bytes: &file, step: usize::MAX, then: None, largest_buffer: 0 };
        let Err(Error::Format(error)) = BloomFilter::read_from(&mut reader) else {
            panic!("{blocks} blocks")
        };
        assert_eq!(error, truncated);
        assert!(reader.largest_buffer <= 1 << 16, "a buffer of {} bytes", reader.largest_buffer);
    }
    for blocks in [1, 2] {
        let file = with_field(40, &u64::to_le_bytes(blocks));
        assert_eq!(refusal(&file), FormatError::TrailingBytes { needed: 128 + 64 * blocks });
    }
}

#[test]
fn readers_that_are_slow_or_fail() {
    let (filter, file) = sample();
    for step in [1, 7, 127, 129] {
        let reader = Slow { bytes: &file, step, then: None, largest_buffer: 0 };
        assert!(BloomFilter::read_from(reader).unwrap() == filter);
    }
    for length in 0..file.len() {
        let kind = ErrorKind::ConnectionReset;
        let reader = Slow { bytes: &file[..length], step: 50, then: Some(kind), largest_buffer: 0 };
        let Err(Error::Io(error)) = BloomFilter::read_from(reader) else { panic!("length {length}") };
        assert_eq!(error.kind(), kind);
    }
}

/// Takes `room` bytes, `step` at a time, then fails; flushing fails when there was just room enough.
struct Narrow {
    taken: Vec<u8>,
    step: usize,
    room: usize,
}

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.step).min(self.room - self.taken.len());
        self.taken.extend_from_slice(&bytes[..count]);
        if count == 0 { Err(ErrorKind::StorageFull.into()) } else { Ok(count) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.taken.len() < self.room { Ok(()) } else { Err(ErrorKind::StorageFull.into()) }
    }
}

#[test]
fn writers_that_are_slow_or_fail() {
    let (filter, file) = sample();
    for room in 0..=file.len() {
        let mut writer = Narrow { taken: Vec::new(), step: 100, room };
        let Err(Error::Io(error)) = filter.write_to(&mut writer) else { panic!("room for {room}") };
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        assert_eq!(writer.taken, file[..room]);
    }
    let mut writer = Narrow { taken: Vec::new(), step: 1, room: file.len() + 1 };
    filter.write_to(&mut writer).unwrap();
    assert_eq!(writer.taken, file);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A filter has one file: whatever is read is written again as it was. Nothing makes the reader panic.
    #[test]
    fn what_is_accepted_comes_back(
        header in prop::collection::vec(any::<u8>(), HEADER),
        scheme in 1..3_u8, flags in 0..5_u32, k in prop_oneof![0..18_u32, Just(8)], blocks in 0..4_u64, payload in prop::collection::vec(any::<u8>(), 192),
        valid in any::<[bool; 8]>(),
    ) {
        let mut file = header;
        // Each part is valid more often than not, so that the reader gets past it.
        let mut put = |valid: bool, at: usize, field: &[u8]| {
            if valid {
                file[at..at + field.len()].copy_from_slice(field);
            }
        };
        let (known, length) = (valid[0] || valid[1], valid[2] || valid[3]);
        put(true, 0, b"\x89BLM\r\n\x1a\n\x01\0\0\0");
        put(known, 12, &[scheme, 0, 0, 0, 1, 0, 0, 0]);
        put(true, 20, &[flags, k, 0].map(u32::to_le_bytes).concat());
        put(true, 40, &blocks.to_le_bytes());
        put(flags & 1 == 0 && valid[4], 48, &[0; 8]);
        put(flags & 2 == 0 && valid[5], 56, &[0; 8]);
        put(flags & 2 != 0 && valid[5], 63, &[0x3f]);
        put(true, 64, &[0; 56]);
        let block_bytes = if scheme == 2 { 32 } else { 64 };
        let payload = &payload[..if length { block_bytes * blocks as usize } else { 100 }];
        put(valid[6] || valid[7], 120, &crc32(payload).to_le_bytes());
        sign(&mut file);
        file.extend_from_slice(payload);
        if let Ok(filter) = BloomFilter::from_bytes(&file) {
            assert_eq!(filter.to_bytes(), file);
            let health = filter.health();
            assert!((0.0..=1.0).contains(&health.rate) && !health.items.items.is_nan());
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        refusal(&bytes);
    }
}
