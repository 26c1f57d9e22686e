//! What must hold for the verdict to pass.

use serde::Serialize;

use super::rates::Rates;
use super::trial::Findings;
use crate::interval::interval;
use crate::output::{count, rate};

/// One claim, and what was seen.
#[derive(Serialize)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) result: Outcome,
    pub(super) seen: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Pass,
    Fail,
    /// The claim is not made of filters like this one.
    Skip,
}

impl From<bool> for Outcome {
    fn from(pass: bool) -> Self {
        if pass { Self::Pass } else { Self::Fail }
    }
}

pub(super) fn same_bits(same: bool, items: u64) -> Check {
    let bits = if same { "the same bits" } else { "different bits" };
    Check {
        name: "blocked: inserts one at a time and batched agree".into(),
        result: same.into(),
        seen: format!("{bits} after {} keys", count(items)),
    }
}

pub(super) fn of_filter(filter: &str, findings: &Findings, rates: &Rates) -> [Check; 4] {
    let check = |name, result, seen| Check { name: format!("{filter}: {name}"), result, seen };
    let (present, absent) = (&findings.present, &findings.absent);
    let asked = present.found + present.denied;
    let probes = absent.found + absent.denied;
    let differing = present.differing + absent.differing;
    let measured = interval(absent.found, probes);
    let agreement = rates.agree_with(measured);
    let allowance = match (rates.allowance, agreement) {
        (0.0, _) => String::new(),
        (allowance, Some(_)) => format!(" ± {allowance:.1e} for {}", rates.allowed_for),
        (_, None) => format!("; too few bits to allow for {}, at this rate", rates.allowed_for),
    };
    [
        check(
            "no false negative",
            (present.denied == 0).into(),
            format!("{} of {} inserted keys denied", count(present.denied), count(asked)),
        ),
        check(
            "answers one at a time and batched agree",
            (differing == 0).into(),
            format!("{} of {} answers differ", count(differing), count(asked + probes)),
        ),
        check(
            "measured rate agrees with its bits",
            agreement.map_or(Outcome::Skip, Outcome::from),
            format!(
                "{} of {} absent keys found; 99.9 % interval {} to {}; by its bits {}{allowance}",
                count(absent.found),
                count(probes),
                rate(measured[0]),
                rate(measured[1]),
                rate(rates.from_bits),
            ),
        ),
        check(
            "rate by its bits agrees with the prediction",
            rates.agree_with_prediction().into(),
            format!(
                "{}; predicted {}, 99.9 % of such filters lie between {} and {}",
                rate(rates.from_bits),
                rate(rates.predicted),
                rate(rates.bounds[0]),
                rate(rates.bounds[1]),
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::trial::Answers;
    use super::*;

    fn results(found: u64, denied: u64, differing: u64, from_bits: f64, allowance: f64) -> [Outcome; 4] {
        let findings = Findings {
            present: Answers { found: 1000, denied, differing },
            absent: Answers { found, denied: 1_000_000 - found, differing: 0 },
        };
        let rates =
            Rates { predicted: 0.01, bounds: [0.0099, 0.0101], from_bits, allowance, allowed_for: "" };
        of_filter("", &findings, &rates).map(|check| check.result)
    }

    /// The 99.9 % interval of 10,000 of 1,000,000 is 0.9675 % to 1.0332 %.
    #[test]
    fn every_check_can_fail() {
        use Outcome::{Fail, Pass};
        assert_eq!(results(10_000, 0, 0, 0.01, 0.0), [Pass, Pass, Pass, Pass]);
        assert_eq!(results(10_000, 1, 0, 0.01, 0.0), [Fail, Pass, Pass, Pass]);
        assert_eq!(results(10_000, 0, 1, 0.01, 0.0), [Pass, Fail, Pass, Pass]);
        assert_eq!(results(10_350, 0, 0, 0.01, 0.0), [Pass, Pass, Fail, Pass]);
        assert_eq!(results(9_650, 0, 0, 0.01, 0.0), [Pass, Pass, Fail, Pass]);
        assert_eq!(results(10_000, 0, 0, 0.010_15, 0.0), [Pass, Pass, Pass, Fail]);
        assert_eq!(results(10_000, 0, 0, 0.009_85, 0.0), [Pass, Pass, Pass, Fail]);
        assert_eq!(same_bits(false, 1).result, Fail);
    }

    #[test]
    fn an_allowance_widens_the_interval_until_it_says_nothing() {
        assert_eq!(results(10_350, 0, 0, 0.01, 0.000_1)[2], Outcome::Pass);
        assert_eq!(results(10_500, 0, 0, 0.01, 0.000_1)[2], Outcome::Fail);
        assert_eq!(results(10_500, 0, 0, 0.01, 0.01)[2], Outcome::Skip);
    }
}
