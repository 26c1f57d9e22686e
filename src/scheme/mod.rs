//! Bit contracts: how a 64-bit hash becomes a block and the bits of a key inside it.
//!
//! One file per scheme. `docs/FORMAT.md` states each contract byte for byte; every kernel must
//! reproduce it exactly.

pub(crate) mod block512;
pub(crate) mod split;

use crate::error::Error;

/// How the bits of a key lie in its block.
///
/// ```
/// use bloomline::{BloomFilter, Scheme};
///
/// let filter = BloomFilter::with_rate(1000, 0.01).build()?;
/// assert_eq!(filter.scheme(), Scheme::Block512);
/// let filter = BloomFilter::with_rate(1000, 0.01).scheme(Scheme::SplitBlock).build()?;
/// assert_eq!(filter.scheme(), Scheme::SplitBlock);
/// # Ok::<(), bloomline::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// Blocks of 64 bytes, eight words of 64 bits, k = 1…16. The default: at equal memory it has fewer false positives.
    #[default]
    Block512,
    /// The split block of Parquet: blocks of 32 bytes, eight words of 32 bits, k = 8, with at most 2^26 − 1 blocks (2 GiB).
    ///
    /// For the same rate it takes more memory than [`Block512`](Self::Block512) with k = 8: at 1 % 4.3 % more (10.53 bits per
    /// key, not 10.10), at 0.1 % 7.4 % more (16.89, not 15.72), at 0.01 % 11.6 % more (26.34, not 23.61). At 10 bits per key its
    /// rate is 1.26 %, not 1.05 %. A block is one 256-bit register.
    SplitBlock,
}

impl Scheme {
    /// Every scheme, the default first.
    pub const ALL: [Self; 2] = [Self::Block512, Self::SplitBlock];

    /// The scheme's name: `block512` or `split-block`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block512 => "block512",
            Self::SplitBlock => "split-block",
        }
    }

    /// The scheme of this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownScheme`] when there is none.
    ///
    /// ```
    /// use bloomline::Scheme;
    ///
    /// assert_eq!(Scheme::by_name("split-block")?, Scheme::SplitBlock);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn by_name(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|scheme| scheme.name() == name);
        found.ok_or_else(|| Error::UnknownScheme { name: name.into() })
    }

    /// The number that stands for the scheme in files.
    pub(crate) const fn id(self) -> u32 {
        match self {
            Self::Block512 => 1,
            Self::SplitBlock => 2,
        }
    }

    /// Bytes in one of the eight words of a block.
    pub(crate) const fn word_bytes(self) -> usize {
        self.block_bytes() as usize / 8
    }

    /// The largest number of blocks of a filter.
    pub(crate) const fn max_blocks(self) -> u64 {
        match self {
            Self::Block512 => block512::MAX_BLOCKS,
            Self::SplitBlock => split::MAX_BLOCKS,
        }
    }

    /// The values of k that a filter can have.
    pub(crate) fn has_k(self, k: u32) -> bool {
        match self {
            Self::Block512 => (1..=block512::MAX_K).contains(&k),
            Self::SplitBlock => k == split::K,
        }
    }

    /// Bytes in a block.
    pub const fn block_bytes(self) -> u64 {
        match self {
            Self::Block512 => block512::BLOCK_BYTES,
            Self::SplitBlock => split::BLOCK_BYTES,
        }
    }
}
