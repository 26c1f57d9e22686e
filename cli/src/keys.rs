//! Key files: one key a line.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bloomline::BloomFilter;

use crate::failure::{Context, Failure};
use crate::memory;
use crate::progress::Progress;

/// The most bytes that a line may have. A longer one is hardly a list of keys, and would have to be held in memory.
const MAX_LINE: usize = 64 << 20;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;

/// Where keys come from.
pub(crate) enum Source {
    StandardInput,
    File(PathBuf),
    /// What could be read only once, and the name of where it came from.
    Held {
        text: Vec<u8>,
        name: String,
    },
}

impl Source {
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::StandardInput } else { Self::File(path.into()) }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::StandardInput => "standard input".into(),
            Self::File(path) => path.display().to_string(),
            Self::Held { name, .. } => name.clone(),
        }
    }

    /// Whether this is the regular file at `path`.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let Self::File(own) = self else { return false };
        let real = |path: &Path| fs::canonicalize(path).ok().filter(|path| path.is_file());
        real(own).is_some_and(|own| real(path) == Some(own))
    }

    /// The length in bytes of what can be read twice; `None` for pipes and devices.
    pub(crate) fn length(&self) -> Option<u64> {
        match self {
            Self::StandardInput => None,
            Self::Held { text, .. } => Some(text.len() as u64),
            Self::File(path) => {
                fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len())
            }
        }
    }

    /// The same keys, held in memory where they cannot be read twice.
    pub(crate) fn readable_twice(self) -> Result<Self, Failure> {
        match self.length() {
            Some(_) => Ok(self),
            None => Ok(Self::Held { text: self.read()?, name: self.name() }),
        }
    }

    /// The lines, in pieces; the progress says what is done with them.
    pub(crate) fn pieces(&self, doing: &'static str) -> Result<Pieces<'_>, Failure> {
        self.open(Some(Progress::bytes(self.length(), doing)))
    }

    /// The lines, in pieces, without progress, which would run into output on the same terminal.
    pub(crate) fn quiet_pieces(&self) -> Result<Pieces<'_>, Failure> {
        self.open(None)
    }

    fn open(&self, progress: Option<Progress>) -> Result<Pieces<'_>, Failure> {
        let reader: Box<dyn Read + '_> = match self {
            Self::StandardInput => Box::new(io::stdin().lock()),
            Self::File(path) => Box::new(File::open(path).about(self.name())?),
            Self::Held { text, .. } => Box::new(text.as_slice()),
        };
        Ok(Pieces { reader, name: self.name(), buffer: Vec::new(), taken: 0, lines: 0, progress })
    }

    /// All lines at once.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut text = Vec::new();
        let mut pieces = self.pieces("reading")?;
        while let Some(piece) = pieces.next()? {
            if text.capacity() - text.len() < piece.text.len() {
                // A vector doubles when it grows.
                memory::check(text.capacity().max(piece.text.len()) as u64)?;
            }
            text.extend_from_slice(piece.text);
        }
        Ok(text)
    }
}

/// A reader of whole lines, many at a time.
pub(crate) struct Pieces<'a> {
    reader: Box<dyn Read + 'a>,
    name: String,
    buffer: Vec<u8>,
    /// How much of the buffer was handed out.
    taken: usize,
    lines: u64,
    progress: Option<Progress>,
}

/// Whole lines; only the last one of the input may lack its line end.
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a [u8],
    /// How many lines came before.
    pub(crate) lines_before: u64,
}

impl Pieces<'_> {
    /// The next lines, at least one; `None` at the end of the input.
    pub(crate) fn next(&mut self) -> Result<Option<Piece<'_>>, Failure> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        while self.taken == 0 {
            let had = self.buffer.len();
            let got = self.reader.by_ref().take(CHUNK as u64).read_to_end(&mut self.buffer);
            let got = got.about(&self.name)?;
            if let Some(progress) = &self.progress {
                progress.advance(got as u64);
            }
            if got == 0 {
                self.taken = had;
                break;
            }
            match memchr::memrchr(b'\n', &self.buffer[had..]) {
                Some(newline) => self.taken = had + newline + 1,
                None if self.buffer.len() > MAX_LINE => {
                    let line = self.lines + 1;
                    return Err(Failure::new(
                        &self.name,
                        format!("line {line} is longer than the limit of {MAX_LINE} bytes"),
                    ));
                }
                None => {}
            }
        }
        if self.taken == 0 {
            return Ok(None);
        }
        let piece = Piece { text: &self.buffer[..self.taken], lines_before: self.lines };
        self.lines += lines(piece.text).count() as u64;
        Ok(Some(piece))
    }

    /// How many lines were handed out.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }
}

/// The lines of a text without their newlines. A missing last newline does not add a line.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    let ends = memchr::memchr_iter(b'\n', body).chain((!text.is_empty()).then_some(body.len()));
    ends.scan(0, |start, end| {
        let line = &body[*start..end];
        *start = end + 1;
        Some(line)
    })
}

/// The key on a line: without the carriage return of a CRLF line end.
fn key(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The keys of some lines.
pub(crate) enum Keys<'a> {
    Bytes(Vec<&'a [u8]>),
    Integers(Vec<u64>),
}

impl<'a> Keys<'a> {
    /// Reads the keys of `piece`, which comes from the input called `name`.
    pub(crate) fn parse(piece: &Piece<'a>, integers: bool, name: &str) -> Result<Self, Failure> {
        let keys = lines(piece.text).map(key);
        if !integers {
            return Ok(Self::Bytes(keys.collect()));
        }
        let numbers = keys
            .zip(piece.lines_before + 1..)
            .map(|(key, line)| number(key).ok_or_else(|| Failure::new(name, not_a_number(key, line))));
        Ok(Self::Integers(numbers.collect::<Result<_, _>>()?))
    }

    pub(crate) fn insert_into(&self, filter: &mut BloomFilter) {
        match self {
            Self::Bytes(keys) => filter.insert_batch(keys),
            Self::Integers(keys) => filter.insert_batch(keys),
        }
    }

    /// Which keys are possibly present, as a bitmask.
    pub(crate) fn found_in(&self, filter: &BloomFilter, mask: &mut Vec<u64>) -> Result<(), bloomline::Error> {
        mask.resize(self.len().div_ceil(64), 0);
        match self {
            Self::Bytes(keys) => filter.contains_batch(keys, mask),
            Self::Integers(keys) => filter.contains_batch(keys, mask),
        }?;
        Ok(())
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(keys) => keys.len(),
            Self::Integers(keys) => keys.len(),
        }
    }
}

fn number(key: &[u8]) -> Option<u64> {
    // The standard parser would also take a plus sign.
    if !key.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(key).ok()?.parse().ok()
}

fn not_a_number(key: &[u8], line: u64) -> String {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(&key[..key.len().min(SHOWN)]);
    let more = if key.len() > SHOWN { "..." } else { "" };
    format!("line {line}: {text:?}{more} is not a decimal number from 0 to {}", u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &[u8]) -> Vec<&[u8]> {
        lines(text).collect()
    }

    #[test]
    fn lines_end_at_newlines_and_a_missing_last_one_adds_none() {
        assert_eq!(split(b""), [b""; 0]);
        assert_eq!(split(b"\n"), [b""]);
        assert_eq!(split(b"a"), [b"a"]);
        assert_eq!(split(b"a\n"), [b"a"]);
        assert_eq!(split(b"a\n\nbc"), [&b"a"[..], b"", b"bc"]);
        assert_eq!(split(b"\n\n"), [b"", b""]);
    }

    #[test]
    fn one_carriage_return_belongs_to_the_line_end() {
        assert_eq!(key(b"a\r"), b"a");
        assert_eq!(key(b"a\r\r"), b"a\r");
        assert_eq!(key(b"\ra"), b"\ra");
    }

    #[test]
    fn numbers_are_decimal_digits_that_fit_64_bits() {
        assert_eq!(number(b"0"), Some(0));
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        for bad in [&b""[..], b"+1", b"-1", b" 1", b"1 ", b"0x1", b"1.0", b"18446744073709551616", b"\xff"] {
            assert_eq!(number(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn pieces_hold_whole_lines_and_know_their_position() {
        // Longer than a chunk, with a line across the boundary.
        let text: Vec<u8> = (0..300_000).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        assert!(text.len() > CHUNK);
        let reader = Box::new(io::Cursor::new(text.clone()));
        let mut pieces =
            Pieces { reader, name: "text".into(), buffer: Vec::new(), taken: 0, lines: 0, progress: None };
        let mut joined = Vec::new();
        while let Some(piece) = pieces.next().unwrap() {
            let first = lines(piece.text).next().and_then(number);
            assert_eq!(first, Some(piece.lines_before));
            joined.extend_from_slice(piece.text);
        }
        assert_eq!(joined, text);
        assert_eq!(pieces.lines(), 300_000);
    }
}
