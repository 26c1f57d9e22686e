//! How far a measured rate, a rate read from bits, and a prediction may lie apart.

use bloomline::{BloomFilter, Scheme, reference::ReferenceFilter};

use crate::design::rate_and_spread;
use crate::interval::SIGNIFICANCE;

/// How many standard deviations between filters the rate may be off.
///
/// 3.29 is the quantile of the normal distribution. With few of the `collisions` that make filters differ, no shape can
/// be relied on, so that the multiple is the one of Chebyshev's inequality, which holds for every distribution.
fn deviations(collisions: f64) -> f64 {
    const FEW: f64 = 100.0;
    if collisions < FEW { SIGNIFICANCE.sqrt().recip() } else { 3.29 }
}

/// What the theory says of a filter before any key is known, and what its bits say afterwards.
pub(super) struct Rates {
    /// The expected rate.
    pub(super) predicted: f64,
    /// Where the rate by the bits lies in at least 99.9 % of all filters.
    pub(super) bounds: [f64; 2],
    /// The rate of this filter, read from its bits.
    pub(super) from_bits: f64,
    /// How much the true rate may differ from the one read from the bits.
    pub(super) allowance: f64,
    /// Why it may.
    pub(super) allowed_for: &'static str,
}

impl Rates {
    /// Of a blocked filter that holds `items` distinct keys.
    pub(super) fn of_blocked(filter: &BloomFilter, items: u64) -> Result<Self, bloomline::Error> {
        let blocks = filter.blocks();
        let (predicted, spread) = rate_and_spread(filter.scheme(), items, blocks, filter.k())?;
        let (n, b) = (items as f64, blocks as f64);
        // Keys that meet others in their block: nearly all of them, or the pairs where most are alone.
        let collisions = n.min(n * n / (2.0 * b));
        // The bits do not show twins.
        let twins = if filter.scheme() == Scheme::SplitBlock { n / b * TWINS } else { 0.0 };
        Ok(Self {
            predicted,
            bounds: blocked_bounds(collisions, predicted, spread, twins),
            from_bits: filter.health().rate,
            allowance: twins,
            allowed_for: "keys with the same places",
        })
    }

    /// Of a reference filter that holds `items` distinct keys.
    ///
    /// Its fill is nearly normal with the mean 1 − e^(−a), a = kn/m, and the variance (e^(−a) − (1 + a)·e^(−2a))/m (of
    /// the number of empty cells when kn balls fall into m of them); the rate is the fill to the power of k.
    pub(super) fn of_reference(filter: &ReferenceFilter, items: u64) -> Self {
        let (n, m, k) = (items as f64, filter.bits() as f64, filter.k() as i32);
        let a = f64::from(k) * n / m;
        let deviation = (((-a).exp() - (1.0 + a) * (-2.0 * a).exp()) / m).sqrt();
        let fill = -(-a).exp_m1();
        // The variance of the number of set bits: that of the collisions where they are few and so nearly Poisson, and
        // of the clear bits where those are few.
        let collisions = (deviation * m).powi(2);
        let distance = deviations(collisions) * deviation;
        Self {
            predicted: filter.predicted_rate(items),
            bounds: [fill - distance, fill + distance].map(|fill| fill.clamp(0.0, 1.0).powi(k)),
            from_bits: filter.rate_from_fill(),
            allowance: double_hashing(filter, n),
            allowed_for: "double hashing",
        }
    }

    pub(super) fn agree_with_prediction(&self) -> bool {
        // The bounds meet where the rate cannot vary, as with one key; rounding must not decide then.
        const ROUNDING: f64 = 1e-9;
        let [low, high] = self.bounds;
        low * (1.0 - ROUNDING) <= self.from_bits && self.from_bits <= high * (1.0 + ROUNDING)
    }

    /// Whether the true rate lies in the interval; `None` where the bits tell too little about it.
    pub(super) fn agree_with(&self, [low, high]: [f64; 2]) -> Option<bool> {
        const MOST_UNKNOWN: f64 = 0.25;
        (self.allowance <= MOST_UNKNOWN * self.from_bits)
            .then_some(low <= self.from_bits + self.allowance && self.from_bits - self.allowance <= high)
    }
}

/// The probability that a key of a split-block filter has all the places of another, whose bits cannot tell it: see
/// `bloomline::sizing::split`.
const TWINS: f64 = 1.0 / (1_u64 << 32) as f64;

/// Where the rate by the bits lies in at least 99.9 % of all blocked filters, from the mean of the rate and its relative
/// spread, when up to `twins` of the mean does not show in the bits.
fn blocked_bounds(collisions: f64, predicted: f64, spread: f64, twins: f64) -> [f64; 2] {
    // That of `blocked::rate`.
    const ABSOLUTE_ERROR: f64 = 1e-26;
    if spread.is_nan() {
        // The spread of the lowest rates is not known; but no more than 0.1 % of filters have a thousand times the mean
        // (Markov's inequality).
        [0.0, (predicted + ABSOLUTE_ERROR) / SIGNIFICANCE]
    } else {
        let [low, high] = log_normal(spread, deviations(collisions));
        [low * (predicted - twins).max(0.0), high * predicted]
    }
}

/// The factors at `deviations` standard deviations below and above the mean 1 of a log-normal distribution with the
/// standard deviation `spread`.
///
/// A rate is a mean of products of fills: never negative, and skewed where the blocks are few. With many blocks the
/// factors are 1 ± `deviations`·`spread`.
fn log_normal(spread: f64, deviations: f64) -> [f64; 2] {
    let variance = (spread * spread).ln_1p();
    [-deviations, deviations].map(|deviations| (deviations * variance.sqrt() - variance / 2.0).exp())
}

/// How much the true rate of a double-hashing filter may differ from that of k independent bits.
///
/// Positions of a key are equidistant, so an absent key shares many bits with an inserted one that has the same
/// distance; a distance that is a multiple of m/d gives only d distinct bits (see the documentation of
/// `bloomline::reference`, there for half of the bits set). And there are only about m²/2 sets of bits that a key can
/// have: how many of them are fully set is a random count. All of it is far below the sampling error from some thousand
/// keys up, unless the rate itself is tiny.
fn double_hashing(filter: &ReferenceFilter, items: f64) -> f64 {
    let (m, fill) = (filter.bits() as f64, filter.fill());
    let same_distance = 2.0 * items / (m * m) * (1.0 + fill) / (1.0 - fill);
    let few_bits: f64 = (2..filter.k())
        .filter(|d| filter.bits().is_multiple_of(u64::from(*d)))
        .map(|d| f64::from(totient(d)) * fill.powi(d as i32) / m)
        .sum();
    let finite = 3.29 * (2.0 * filter.rate_from_fill()).sqrt() / m;
    (same_distance + few_bits + finite).min(1.0)
}

/// How many of 1…d have no divisor in common with d.
fn totient(d: u32) -> u32 {
    let gcd = |mut a: u32, mut b: u32| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (1..=d).filter(|i| gcd(*i, d) == 1).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(got: f64, wanted: f64, tolerance: f64) {
        assert!((got / wanted - 1.0).abs() < tolerance, "{got} is not {wanted}");
    }

    #[test]
    fn a_small_spread_is_symmetric_and_a_large_one_stays_positive() {
        let [low, high] = log_normal(0.001, 3.29);
        assert_close(1.0 - low, 0.003_29, 0.01);
        assert_close(high - 1.0, 0.003_29, 0.01);
        // ln 2 is the variance of the logarithm at a spread of 1.
        let [low, high] = log_normal(1.0, 1.0);
        assert_close(low * high, 0.5, 1e-12);
        assert_close(high / low, (2.0 * std::f64::consts::LN_2.sqrt()).exp(), 1e-12);
    }

    #[test]
    fn an_unknown_spread_is_bounded_by_markovs_inequality() {
        let [low, high] = blocked_bounds(5.0, 4e-14, f64::NAN, 0.0);
        assert_eq!(low, 0.0);
        assert_close(high, 4e-11, 1e-9);
        // A rate that is lost to rounding.
        assert_close(blocked_bounds(1.0, 0.0, f64::NAN, 0.0)[1], 1e-23, 1e-12);
    }

    /// The bounds reach down by what the bits do not show, and no further.
    #[test]
    fn twins_lower_the_lower_bound_only() {
        let [low, high] = blocked_bounds(1e6, 1e-8, 0.01, 0.0);
        let [with_twins, same] = blocked_bounds(1e6, 1e-8, 0.01, 3e-10);
        assert_close(with_twins, 0.97 * low, 1e-12);
        assert_eq!(same, high);
    }

    /// 700 bits of 100 keys among 287,552 collide 0.85 times on average: five or more collisions, in one filter of 500,
    /// are nothing unusual, and neither is none. The prediction is the rate with 0.85.
    #[test]
    fn the_bounds_of_a_sparse_reference_filter_hold_its_few_collisions() {
        let filter = ReferenceFilter::with_bits(287_552, 7, 0).unwrap();
        let Rates { bounds: [low, high], .. } = Rates::of_reference(&filter, 100);
        let rate = |set: f64| (set / 287_552.0).powi(7);
        assert!(low < rate(700.0 - 6.0) && rate(700.0) < high, "{low} to {high}");
        // Far fewer bits than were inserted are no accident.
        assert!(low > rate(650.0), "{low}");
    }

    #[test]
    fn totients() {
        assert_eq!([1, 2, 3, 4, 6, 7, 12].map(totient), [1, 1, 2, 2, 2, 6, 4]);
    }
}
