//! From what the user asks for to a filter.

use super::{BloomFilter, arithmetic};
use crate::block::Pages;
use crate::error::Error;
use crate::hash::{DEFAULT_SEED, Seed};
use crate::kernel::Kernel;
use crate::scheme::Scheme;
use crate::sizing::blocked::Choice;

/// Builds a [`BloomFilter`].
///
/// It begins with one way to state the size: [`BloomFilter::with_rate`], [`BloomFilter::with_bits_per_key`] or
/// [`BloomFilter::with_bytes`]. Everything else has a default. Values are checked by [`build`](Self::build).
///
/// ```
/// use bloomline::{BloomFilter, Kernel, Pages};
///
/// let filter = BloomFilter::with_rate(50_000, 0.001)
///     .fast()
///     .seed(7)
///     .kernel(Kernel::by_name("scalar")?)
///     .pages(Pages::Ordinary)
///     .build()?;
/// assert_eq!(filter.k(), 8);
/// assert!(filter.predicted_rate().unwrap() <= 0.001);
/// # Ok::<(), bloomline::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    size: Size,
    scheme: Scheme,
    choice: Choice,
    seed: Seed,
    kernel: Option<Kernel>,
    pages: Pages,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Rate { items: u64, rate: f64 },
    BitsPerKey { items: u64, bits_per_key: f64 },
    Bytes { bytes: u64, items: Option<u64> },
}

impl BloomFilter {
    /// A filter for `items` distinct items at a false-positive rate of at most `rate`, in the least memory.
    ///
    /// The rate is the exact expected one of the blocked filter
    /// ([`sizing::blocked::rate`](crate::sizing::blocked::rate)), not the classic formula, which promises too much.
    pub fn with_rate(items: u64, rate: f64) -> Builder {
        Builder::new(Size::Rate { items, rate })
    }

    /// A filter of `bits_per_key` bits for each of `items` distinct items, rounded up to whole blocks.
    pub fn with_bits_per_key(items: u64, bits_per_key: f64) -> Builder {
        Builder::new(Size::BitsPerKey { items, bits_per_key })
    }

    /// A filter of at most `bytes` bytes, rounded down to whole blocks.
    ///
    /// Say how many items to expect with [`Builder::expected_items`], so that the best k can be chosen; without, k
    /// is 8.
    pub fn with_bytes(bytes: u64) -> Builder {
        Builder::new(Size::Bytes { bytes, items: None })
    }
}

impl Builder {
    fn new(size: Size) -> Self {
        Self {
            size,
            scheme: Scheme::default(),
            choice: Choice::Compact,
            seed: Seed::new(DEFAULT_SEED),
            kernel: None,
            pages: Pages::Ordinary,
        }
    }

    /// The number of distinct items to expect, for predictions and for the choice of k.
    ///
    /// Replaces the number that was given with the size.
    pub fn expected_items(mut self, expected: u64) -> Self {
        match &mut self.size {
            Size::Rate { items, .. } | Size::BitsPerKey { items, .. } => *items = expected,
            Size::Bytes { items, .. } => *items = Some(expected),
        }
        self
    }

    /// Takes the k of least memory (or of the lowest rate, when the memory is given). The default.
    pub fn compact(mut self) -> Self {
        self.choice = Choice::Compact;
        self
    }

    /// Takes k = 8, one bit in every word of the block: the fastest, for about 2 % more memory at a rate of 1 %, and
    /// 1 % more at 0.1 %.
    pub fn fast(mut self) -> Self {
        self.choice = Choice::Fast;
        self
    }

    /// Takes this k, 1…16.
    pub fn k(mut self, k: u32) -> Self {
        self.choice = Choice::Exactly(k);
        self
    }

    /// Takes this scheme. The default is [`Scheme::Block512`].
    ///
    /// ```
    /// use bloomline::{BloomFilter, Scheme};
    ///
    /// // Parquet's split blocks: 6 % more memory at this rate, 4 % more than `fast()`.
    /// let filter = BloomFilter::with_rate(50_000, 0.01).scheme(Scheme::SplitBlock).build()?;
    /// assert_eq!((filter.k(), filter.bytes() % 32), (8, 0));
    /// assert!(filter.predicted_rate().unwrap() <= 0.01);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Takes this seed. The default seed is 0, so that equal keys make equal filters everywhere.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Seed::new(seed);
        self
    }

    /// Takes a seed that nobody can predict, so that filters differ in what they answer wrongly.
    ///
    /// This is no defence against hostile keys. The hashes are not cryptographic, and byte strings can be prepared that
    /// collide under every seed: wyhash multiplies, and its public secret tells which bytes make a factor 0. Where keys
    /// come from an attacker, use SipHash through [`Prehashed`](crate::Prehashed).
    #[cfg(feature = "std")]
    pub fn random_seed(mut self) -> Self {
        self.seed = Seed::random();
        self
    }

    /// Forces a kernel. The default is the fastest one that the CPU can run.
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    /// Asks for pages of this size. Where the system has no 2 MiB pages to give, ordinary ones are taken;
    /// [`BloomFilter::pages`] tells.
    pub fn pages(mut self, pages: Pages) -> Self {
        self.pages = pages;
        self
    }

    /// Allocates the empty filter.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRate`], [`Error::InvalidBitsPerKey`], [`Error::InvalidK`] and [`Error::TooSmall`] for values
    /// that no filter can have, [`Error::SchemeFixesK`] for those that this scheme does not have;
    /// [`Error::RateUnreachable`] and [`Error::TooLarge`] for filters past the most blocks of the scheme
    /// ([`blocked::MAX_BLOCKS`](crate::sizing::blocked::MAX_BLOCKS), [`split::MAX_BLOCKS`](crate::sizing::split::MAX_BLOCKS))
    /// or the address space; [`Error::AllocationFailed`] when there is no memory;
    pub fn build(self) -> Result<BloomFilter, Error> {
        let (blocks, k, design) = arithmetic::design(self.scheme, self.size, self.choice)?;
        let kernel = self.kernel.unwrap_or_else(Kernel::best);
        BloomFilter::new(self.scheme, blocks, k, self.seed, kernel, self.pages, design)
    }
}
