//! Filters as sets: clearing, union, intersection, equality.

use super::BloomFilter;
use crate::error::Error;

impl BloomFilter {
    /// Removes every key, and keeps the memory.
    pub fn clear(&mut self) {
        self.array_mut().lines_mut().fill(bytemuck::Zeroable::zeroed());
    }

    /// Whether the filters can be united, intersected and compared: whether they place every key alike.
    ///
    /// # Errors
    ///
    /// [`Error::Incompatible`] with the first of scheme, blocks, k and seed that differs, and both values.
    ///
    /// ```
    /// use bloomline::{BloomFilter, Error};
    ///
    /// let a = BloomFilter::with_bytes(1024).build()?;
    /// let b = BloomFilter::with_bytes(1024).seed(1).build()?;
    /// assert!(matches!(a.check_compatible(&b), Err(Error::Incompatible { parameter: "seed", left: 0, right: 1 })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        let parameters = [
            ("scheme", self.scheme().id().into(), other.scheme().id().into()),
            ("blocks", self.blocks(), other.blocks()),
            ("k", u64::from(self.k()), u64::from(other.k())),
            ("seed", self.seed(), other.seed()),
        ];
        for (parameter, left, right) in parameters {
            if left != right {
                return Err(Error::Incompatible { parameter, left, right });
            }
        }
        Ok(())
    }

    /// Makes this filter hold the keys of both. Lossless: the result is the filter that the keys of both would have
    /// made.
    ///
    /// # Errors
    ///
    /// As [`check_compatible`](Self::check_compatible); the filter is then unchanged.
    ///
    /// ```
    /// use bloomline::BloomFilter;
    ///
    /// let mut a = BloomFilter::with_rate(1000, 0.01).build()?;
    /// let mut b = BloomFilter::with_rate(1000, 0.01).build()?;
    /// a.insert("a");
    /// b.insert("b");
    /// a.union_with(&b)?;
    /// assert!(a.contains("a") && a.contains("b"));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    pub fn union_with(&mut self, other: &Self) -> Result<(), Error> {
        self.combine(other, |left, right| left | right)
    }

    /// Keeps the bits that both filters have.
    ///
    /// Every key that is in both stays possibly present. The result is not the filter of the common keys: bits of
    /// other keys remain where they coincide, so its false-positive rate is at most that of either filter, and above
    /// that of a filter built from the common keys alone. The number of common keys is best estimated from the
    /// estimates of both filters and of their union: |A ∩ B| = |A| + |B| − |A ∪ B|.
    ///
    /// # Errors
    ///
    /// As [`check_compatible`](Self::check_compatible); the filter is then unchanged.
    pub fn intersect_with(&mut self, other: &Self) -> Result<(), Error> {
        self.combine(other, |left, right| left & right)
    }

    fn combine(&mut self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Result<(), Error> {
        self.check_compatible(other)?;
        for (left, right) in self.array_mut().lines_mut().iter_mut().zip(other.array().lines()) {
            for (left, right) in left.0.iter_mut().zip(right.0) {
                *left = combine(*left, right);
            }
        }
        Ok(())
    }
}

/// Filters are equal when they place keys alike and have the same bits. Kernel, pages, and what the filters were built
/// for do not matter.
impl PartialEq for BloomFilter {
    fn eq(&self, other: &Self) -> bool {
        self.check_compatible(other).is_ok() && self.array().lines() == other.array().lines()
    }
}

impl Eq for BloomFilter {}
