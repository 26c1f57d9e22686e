//! The one error type of the crate.

use alloc::string::String;
use core::fmt;

/// Everything that can be refused, each with the value that was refused and the limit it broke.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A false-positive rate that is not a number in `[min, 1)`.
    InvalidRate {
        /// The refused rate.
        rate: f64,
        /// The lowest rate that can be asked of this kind of filter.
        min: f64,
    },
    /// Bits per key that are not a finite number above zero.
    InvalidBitsPerKey {
        /// The refused number of bits per key.
        bits_per_key: f64,
    },
    /// A number of bits that a key sets, k, of 0 or above the most that the filter takes.
    InvalidK {
        /// The refused k.
        k: u32,
        /// The largest k.
        max: u32,
    },
    /// No filter within the size limit reaches the asked rate with the asked k.
    RateUnreachable {
        /// The asked rate.
        rate: f64,
        /// The expected number of items.
        items: u64,
    },
    /// A size above what a filter or the address space can hold.
    TooLarge {
        /// The asked size in bytes.
        bytes: u128,
        /// The largest size in bytes that is possible here.
        limit: u64,
    },
    /// A size below the least that a filter can have.
    TooSmall {
        /// The asked size in bytes.
        bytes: u64,
        /// The least size in bytes.
        min: u64,
    },
    /// The allocator had no room.
    AllocationFailed {
        /// The size in bytes that was asked for.
        bytes: u64,
    },
    /// No scheme has this name.
    UnknownScheme {
        /// The name that was asked for.
        name: String,
    },
    /// A k that the scheme does not have.
    SchemeFixesK {
        /// The refused k.
        k: u32,
        /// The scheme's name.
        scheme: &'static str,
        /// The k that it has.
        fixed: u32,
    },
    /// No kernel has this name.
    UnknownKernel {
        /// The name that was asked for.
        name: String,
    },
    /// The kernel exists, but this CPU or this build cannot run it.
    KernelUnavailable {
        /// The kernel's name.
        name: &'static str,
    },
    /// The output slice cannot hold the answer to the batch.
    OutputTooShort {
        /// The length that the batch needs.
        needed: usize,
        /// The length of the slice that was given.
        got: usize,
    },
    /// A batch whose positions do not fit a `u32`.
    BatchTooLong {
        /// The number of keys in the batch.
        keys: usize,
    },
    /// Two filters that differ in a parameter which must agree.
    Incompatible {
        /// The first parameter that differs: `"scheme"` (by its number in files), `"blocks"`, `"k"` or `"seed"`.
        parameter: &'static str,
        /// Its value in the filter the operation was called on.
        left: u64,
        /// Its value in the other filter.
        right: u64,
    },
    /// Bytes that are not a filter of a known version.
    Format(FormatError),
    /// The operating system refused to read or write.
    #[cfg(feature = "std")]
    Io(std::io::Error),
}

/// What is wrong with the bytes of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The bytes end early.
    Truncated {
        /// The number of bytes that the filter needs.
        needed: u64,
        /// The number of bytes that there are.
        got: u64,
    },
    /// Bytes follow the end of the filter.
    TrailingBytes {
        /// The number of bytes that the filter needs.
        needed: u64,
    },
    /// The first eight bytes are not the magic.
    BadMagic {
        /// What stands there instead.
        found: [u8; 8],
    },
    /// A version, scheme, hash or flag that this release does not know.
    Unsupported {
        /// The field's name in `docs/FORMAT.md`.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// A field whose value no filter can have.
    InvalidField {
        /// The field's name in `docs/FORMAT.md`.
        field: &'static str,
        /// Its value; of `rate`, the bits of the number.
        value: u64,
    },
    /// A checksum that does not match: the bytes changed after they were written.
    BadChecksum {
        /// `"header"` or `"payload"`.
        part: &'static str,
        /// The checksum that is stored.
        stored: u32,
        /// The checksum of the bytes as they are.
        computed: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidRate { rate, min } => {
                write!(f, "false-positive rate {rate:?} is not in [{min:?}, 1)")
            }
            Self::InvalidBitsPerKey { bits_per_key } => {
                write!(f, "bits per key {bits_per_key:?} is not a finite number above 0")
            }
            Self::InvalidK { k, max } => write!(f, "k = {k} is not in 1..={max}"),
            Self::RateUnreachable { rate, items } => write!(
                f,
                "no filter within the size limit holds {items} items at a false-positive rate of {rate:?}"
            ),
            Self::TooLarge { bytes, limit } => {
                write!(f, "a filter of {bytes} bytes is above the limit of {limit} bytes")
            }
            Self::TooSmall { bytes, min } => {
                write!(f, "a filter of {bytes} bytes is below the minimum of {min} bytes")
            }
            Self::AllocationFailed { bytes } => write!(f, "could not allocate {bytes} bytes"),
            Self::UnknownScheme { name } => write!(f, "no scheme is named {name:?}"),
            Self::SchemeFixesK { k, scheme, fixed } => {
                write!(f, "k = {k} is not possible: scheme {scheme} has k = {fixed}")
            }
            Self::UnknownKernel { name } => write!(f, "no kernel is named {name:?}"),
            Self::KernelUnavailable { name } => {
                write!(f, "kernel {name:?} cannot run on this CPU or in this build")
            }
            Self::OutputTooShort { needed, got } => {
                write!(f, "the output holds {got} elements, the batch needs {needed}")
            }
            Self::BatchTooLong { keys } => {
                write!(f, "positions in a batch of {keys} keys do not fit 32 bits")
            }
            Self::Incompatible { parameter, left, right } => {
                write!(f, "the filters differ in {parameter}: {left} and {right}")
            }
            Self::Format(error) => error.fmt(f),
            #[cfg(feature = "std")]
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, got } => {
                write!(f, "the filter is cut off: it needs {needed} bytes and has {got}")
            }
            Self::TrailingBytes { needed } => {
                write!(f, "bytes follow the end of the filter at byte {needed}")
            }
            Self::BadMagic { found } => {
                write!(f, "not a bloomline filter: it begins with {found:02x?}")
            }
            Self::Unsupported { field, value } => {
                write!(f, "{field} {value} is not known to this release")
            }
            Self::InvalidField { field: "rate", value } => {
                write!(f, "rate cannot be {:?}", f64::from_bits(*value))
            }
            Self::InvalidField { field, value } => write!(f, "{field} cannot be {value}"),
            Self::BadChecksum { part, stored, computed } => write!(
                f,
                "the {part} checksum is {computed:08x}, stored is {stored:08x}: the bytes have changed"
            ),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Format(error) => Some(error),
            #[cfg(feature = "std")]
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl core::error::Error for FormatError {}

impl From<FormatError> for Error {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

#[cfg(feature = "std")]
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}
