//! The exact interval of a measured rate.

use statrs::distribution::{Beta, ContinuousCDF};

/// One minus the confidence of every statistical statement.
pub(crate) const SIGNIFICANCE: f64 = 0.001;

/// The exact 99.9 % interval of a probability of which `found` of `probes` trials came out (Clopper and Pearson,
/// Biometrika 26, 1934). It holds the true probability in at least 99.9 % of all experiments, however rare the event.
pub(crate) fn interval(found: u64, probes: u64) -> [f64; 2] {
    let (found, missed) = (found as f64, (probes - found) as f64);
    let quantile = |a, b, p| Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(p));
    let low = if found > 0.0 { quantile(found, missed + 1.0, SIGNIFICANCE / 2.0) } else { 0.0 };
    let high = if missed > 0.0 { quantile(found + 1.0, missed, 1.0 - SIGNIFICANCE / 2.0) } else { 1.0 };
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(got: f64, wanted: f64, tolerance: f64) {
        assert!((got / wanted - 1.0).abs() < tolerance, "{got} is not {wanted}");
    }

    /// Without a success, and with nothing else, the interval has a closed form. The quantile of the beta distribution
    /// comes with five right digits or more, which is plenty for an interval.
    #[test]
    fn interval_of_none_and_all() {
        for probes in [1_u64, 10, 1000, 4_500_000] {
            let end = -(0.0005_f64.ln() / probes as f64).exp_m1();
            let [low, high] = interval(0, probes);
            assert_eq!(low, 0.0);
            assert_close(high, end, 1e-5);
            let [low, high] = interval(probes, probes);
            assert_eq!(high, 1.0);
            assert_close(1.0 - low, end, 1e-5);
        }
    }

    /// The probability of at least `found` successes at the low end, and of at most `found` at the high end, is half of
    /// the significance each: summed from the binomial distribution itself.
    #[test]
    fn interval_inverts_the_binomial_tails() {
        for (found, probes) in [(1_u64, 10_u64), (5, 10), (9, 10), (3, 1000), (100, 10_000), (950, 1000)] {
            let tail = |p: f64, range: std::ops::RangeInclusive<u64>| -> f64 {
                let mut log = 0.0;
                let mut sum = 0.0;
                for i in 0..=probes {
                    if range.contains(&i) {
                        let (hits, misses) = (i as f64, (probes - i) as f64);
                        sum += (log + hits * p.ln() + misses * (-p).ln_1p()).exp();
                    }
                    log += ((probes - i) as f64 / (i + 1) as f64).ln();
                }
                sum
            };
            let [low, high] = interval(found, probes);
            assert_close(tail(low, found..=probes), 0.0005, 1e-6);
            assert_close(tail(high, 0..=found), 0.0005, 1e-6);
        }
    }

    /// 4,500 false positives of 4.5 million probes pin a rate of 0.1 % to 5 %.
    #[test]
    fn interval_of_the_rule_of_4500() {
        let [low, high] = interval(4500, 4_500_000);
        assert!((0.000_95..0.000_953).contains(&low), "{low}");
        assert!((0.001_048..0.001_051).contains(&high), "{high}");
    }
}
