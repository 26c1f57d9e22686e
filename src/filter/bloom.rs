//! The filter and its operations on keys.

use core::fmt;

use super::arithmetic;
use crate::batch;
use crate::block::Pages;
use crate::error::Error;
use crate::hash::Seed;
use crate::kernel::engine::Shape;
use crate::kernel::{BitArray, Kernel};
use crate::key::Key;
use crate::scheme::Scheme;

/// A cache-blocked Bloom filter.
///
/// All bits of a key lie in one 64-byte block, so a query costs one memory access (Putze, Sanders and Singler,
/// *Cache-, Hash- and Space-Efficient Bloom Filters*, 2007). The answer to a query is "certainly absent" or "possibly
/// present": a key that was inserted is always possibly present, and a key that was not is possibly present with the
/// false-positive rate. Keys cannot be removed, and the filter does not grow: past the number of items that it was
/// built for, the rate rises ([`health`](Self::health) tells).
///
/// The bits depend only on the scheme, the number of blocks, k, the seed and the keys: not on the kernel, the machine, or the
/// order of the inserts. `docs/FORMAT.md` states them.
///
/// ```
/// use bloomline::BloomFilter;
///
/// let mut filter = BloomFilter::with_rate(1_000_000, 0.01).build()?;
/// filter.insert("user1@mail.com");
/// assert!(filter.contains("user1@mail.com"));
/// assert!(!filter.contains("ghost@mail.com"));
///
/// // In bulk, several times faster: one bit per key, in the order of the keys.
/// let keys = [3_u64, 5, 8];
/// filter.insert_batch(&keys[..2]);
/// let mut mask = [0];
/// let possibly_present = filter.contains_batch(&keys, &mut mask)?;
/// assert_eq!((possibly_present, mask[0]), (2, 0b011));
/// # Ok::<(), bloomline::Error>(())
/// ```
///
/// A clone has the same bits, kernel and kind of pages; cloning ends the process when there is no memory, as the collections
/// of the standard library do.
#[derive(Clone)]
pub struct BloomFilter {
    array: BitArray,
    design: Design,
}

/// What the filter was built for, where that was said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Design {
    pub(crate) items: Option<u64>,
    pub(crate) rate: Option<f64>,
}

impl BloomFilter {
    pub(crate) fn new(
        scheme: Scheme,
        blocks: u64,
        k: u32,
        seed: Seed,
        kernel: Kernel,
        pages: Pages,
        design: Design,
    ) -> Result<Self, Error> {
        let Ok(count) = usize::try_from(blocks) else {
            let bytes = u128::from(blocks) * u128::from(scheme.block_bytes());
            return Err(Error::TooLarge { bytes, limit: usize::MAX as u64 });
        };
        let shape = Shape { scheme, k, blocks: count, seed };
        Ok(Self { array: BitArray::new(kernel, shape, pages)?, design })
    }

    /// Inserts a key. Returns whether it was possibly present before: `false` is certain, `true` is wrong with the
    /// false-positive rate.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> bool {
        let hash = key.hash(&self.array.shape().seed);
        self.array.insert_one(hash)
    }

    /// Whether a key is possibly present. `false` is certain.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        let hash = key.hash(&self.array.shape().seed);
        self.array.contains_one(hash)
    }

    /// Inserts every key of a batch.
    ///
    /// ```
    /// use bloomline::BloomFilter;
    ///
    /// let mut filter = BloomFilter::with_bits_per_key(1000, 12.0).build()?;
    /// filter.insert_batch(&["a", "b"]);
    /// filter.insert_batch(&[1_u64, 2, 3]);
    /// assert_eq!(filter.count_batch(&["a", "b"]), 2);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn insert_batch<K: Key>(&mut self, keys: &[K]) {
        self.array.insert_batch(keys);
    }

    /// Inserts every key of a batch and tells which were possibly present before, exactly as if
    /// [`insert`](Self::insert) had been called with one after the other: a key that occurs twice in the batch is
    /// reported the second time.
    ///
    /// Bit `i % 64` of `before[i / 64]` is the answer for key `i`; later bits of the last word are 0, and words past it
    /// are left alone. Returns the number of answers that are `true`.
    ///
    /// # Errors
    ///
    /// [`Error::OutputTooShort`] when `before` has fewer than `keys.len() / 64` words, rounded up; nothing is inserted.
    ///
    /// ```
    /// use bloomline::BloomFilter;
    ///
    /// let mut filter = BloomFilter::with_bits_per_key(1000, 12.0).build()?;
    /// let mut before = [0];
    /// filter.insert_batch_reporting(&["a", "b", "a"], &mut before)?;
    /// assert_eq!(before[0], 0b100);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn insert_batch_reporting<K: Key>(&mut self, keys: &[K], before: &mut [u64]) -> Result<usize, Error> {
        let words = keys.len().div_ceil(64);
        batch::check_output(words, before.len())?;
        self.array.insert_batch_and_report(keys, &mut before[..words]);
        Ok(batch::count(&before[..words]))
    }

    /// Which keys of a batch are possibly present, as a bitmask.
    ///
    /// Bit `i % 64` of `mask[i / 64]` is the answer for key `i`; later bits of the last word are 0, and words past it
    /// are left alone. Returns the number of keys that are possibly present.
    ///
    /// # Errors
    ///
    /// [`Error::OutputTooShort`] when `mask` has fewer than `keys.len() / 64` words, rounded up.
    pub fn contains_batch<K: Key>(&self, keys: &[K], mask: &mut [u64]) -> Result<usize, Error> {
        let words = keys.len().div_ceil(64);
        batch::check_output(words, mask.len())?;
        self.array.mask(keys, &mut mask[..words]);
        Ok(batch::count(&mask[..words]))
    }

    /// Which keys of a batch are possibly present, as one `bool` per key. Elements of `answers` past the last key are
    /// left alone. Returns the number of keys that are possibly present.
    ///
    /// # Errors
    ///
    /// [`Error::OutputTooShort`] when `answers` is shorter than `keys`.
    ///
    /// ```
    /// use bloomline::BloomFilter;
    ///
    /// let mut filter = BloomFilter::with_rate(1000, 0.001).build()?;
    /// filter.insert(&6_u64);
    /// let mut answers = [false; 3];
    /// filter.contains_batch_bools(&[5_u64, 6, 7], &mut answers)?;
    /// assert_eq!(answers, [false, true, false]);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn contains_batch_bools<K: Key>(&self, keys: &[K], answers: &mut [bool]) -> Result<usize, Error> {
        batch::check_output(keys.len(), answers.len())?;
        let answers = &mut answers[..keys.len()];
        let mut found = 0;
        self.array.for_each_mask(keys, |start, mask| {
            found += batch::count(mask);
            for (answers, word) in answers[start..].chunks_mut(64).zip(mask) {
                for (bit, answer) in answers.iter_mut().enumerate() {
                    *answer = word >> bit & 1 == 1;
                }
            }
        });
        Ok(found)
    }

    /// The positions of the keys of a batch that are possibly present, in increasing order: a selection vector.
    ///
    /// Returns how many there are; that many elements of `positions` are written.
    ///
    /// # Errors
    ///
    /// [`Error::OutputTooShort`] when `positions` is shorter than `keys`, since every key may be present.
    /// [`Error::BatchTooLong`] when a position would not fit a `u32`.
    ///
    /// ```
    /// use bloomline::BloomFilter;
    ///
    /// let mut filter = BloomFilter::with_rate(1000, 0.001).build()?;
    /// filter.insert_batch(&["b", "d"]);
    /// let mut positions = [0; 4];
    /// let found = filter.select_batch(&["a", "b", "c", "d"], &mut positions)?;
    /// assert_eq!(positions[..found], [1, 3]);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn select_batch<K: Key>(&self, keys: &[K], positions: &mut [u32]) -> Result<usize, Error> {
        if u32::try_from(keys.len().saturating_sub(1)).is_err() {
            return Err(Error::BatchTooLong { keys: keys.len() });
        }
        batch::check_output(keys.len(), positions.len())?;
        let mut found = 0;
        self.array.for_each_mask(keys, |start, mask| {
            for (word, &bits) in mask.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    positions[found] = (start + 64 * word) as u32 + bits.trailing_zeros();
                    found += 1;
                    bits &= bits - 1;
                }
            }
        });
        Ok(found)
    }

    /// How many keys of a batch are possibly present.
    pub fn count_batch<K: Key>(&self, keys: &[K]) -> usize {
        let mut found = 0;
        self.array.for_each_mask(keys, |_, mask| found += batch::count(mask));
        found
    }

    /// Number of bits of a key, 1…16.
    pub fn k(&self) -> u32 {
        self.array.shape().k
    }

    /// How the bits of a key lie in its block.
    pub fn scheme(&self) -> Scheme {
        self.array.shape().scheme
    }

    /// Number of blocks, of [`Scheme::block_bytes`] each.
    pub fn blocks(&self) -> u64 {
        self.array.shape().blocks as u64
    }

    /// Size of the blocks in bytes.
    pub fn bytes(&self) -> u64 {
        self.blocks() * self.scheme().block_bytes()
    }

    /// Size of the blocks in bits.
    pub fn bits(&self) -> u64 {
        self.bytes() * 8
    }

    /// The seed of the hashes.
    pub fn seed(&self) -> u64 {
        self.array.shape().seed.value
    }

    /// The kernel that does the work.
    pub fn kernel(&self) -> Kernel {
        self.array.kernel()
    }

    /// Changes the kernel. The bits and the answers stay the same.
    pub fn set_kernel(&mut self, kernel: Kernel) {
        self.array.set_kernel(kernel);
    }

    /// The pages that the system gave for the blocks, which may differ from those asked for.
    pub fn pages(&self) -> Pages {
        self.array.pages()
    }

    /// The number of items that the filter was built for, where that was said.
    pub fn expected_items(&self) -> Option<u64> {
        self.design.items
    }

    /// The false-positive rate that the filter was built for, where that was said.
    pub fn target_rate(&self) -> Option<f64> {
        self.design.rate
    }

    /// Bits per expected item.
    pub fn bits_per_key(&self) -> Option<f64> {
        self.design.items.map(|items| self.bits() as f64 / items.max(1) as f64)
    }

    /// The exact expected false-positive rate at the expected number of items.
    pub fn predicted_rate(&self) -> Option<f64> {
        self.design.items.map(|items| self.predicted_rate_at(items))
    }

    /// The exact expected false-positive rate of a filter of this shape that holds `items` distinct items.
    ///
    /// ```
    /// use bloomline::BloomFilter;
    ///
    /// let filter = BloomFilter::with_rate(1000, 0.01).build()?;
    /// assert!(filter.predicted_rate_at(1000) <= 0.01);
    /// assert!(filter.predicted_rate_at(2000) > 0.05);
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn predicted_rate_at(&self, items: u64) -> f64 {
        arithmetic::rate(self.array.shape(), items)
    }

    pub(crate) fn array(&self) -> &BitArray {
        &self.array
    }

    pub(crate) fn array_mut(&mut self) -> &mut BitArray {
        &mut self.array
    }

    pub(crate) fn design(&self) -> Design {
        self.design
    }
}

impl fmt::Debug for BloomFilter {
    /// The parameters, without the bits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BloomFilter")
            .field("scheme", &self.scheme())
            .field("blocks", &self.blocks())
            .field("k", &self.k())
            .field("seed", &self.seed())
            .field("kernel", &self.kernel().name())
            .field("pages", &self.pages())
            .field("design", &self.design)
            .finish_non_exhaustive()
    }
}
