//! What must hold for the verdict to pass.

use serde::Serialize;

use super::rates::{DEVIATIONS, Rates, interval};
use super::trial::Findings;
use crate::output::{count, rate};

/// One claim, and what was seen.
#[derive(Serialize)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) pass: bool,
    pub(super) seen: String,
}

pub(super) fn same_bits(pass: bool, items: u64) -> Check {
    let bits = if pass { "the same bits" } else { "different bits" };
    Check {
        name: "blocked: inserts one at a time and batched agree".into(),
        pass,
        seen: format!("{bits} after {} keys", count(items)),
    }
}

pub(super) fn of_filter(filter: &str, findings: &Findings, rates: &Rates) -> [Check; 4] {
    let check = |name, pass, seen| Check { name: format!("{filter}: {name}"), pass, seen };
    let (present, absent) = (&findings.present, &findings.absent);
    let asked = present.found + present.denied;
    let probes = absent.found + absent.denied;
    let differing = present.differing + absent.differing;
    let measured = interval(absent.found, probes);
    let allowance = match rates.allowance {
        0.0 => String::new(),
        allowance => format!(" ± {allowance:.1e} for double hashing"),
    };
    [
        check(
            "no false negative",
            present.denied == 0,
            format!("{} of {} inserted keys denied", count(present.denied), count(asked)),
        ),
        check(
            "answers one at a time and batched agree",
            differing == 0,
            format!("{} of {} answers differ", count(differing), count(asked + probes)),
        ),
        check(
            "measured rate agrees with its bits",
            rates.agree_with(measured),
            format!(
                "{} of {} absent keys found, 99.9 % interval {} to {}; by its bits {}{allowance}",
                count(absent.found),
                count(probes),
                rate(measured[0]),
                rate(measured[1]),
                rate(rates.from_bits),
            ),
        ),
        check(
            "rate by its bits agrees with the prediction",
            rates.agree_with_prediction(),
            format!(
                "{}; predicted {}, {DEVIATIONS} standard deviations between filters reach from {} to {}",
                rate(rates.from_bits),
                rate(rates.predicted),
                rate(rates.bounds[0].max(0.0)),
                rate(rates.bounds[1]),
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::trial::Answers;
    use super::*;

    fn passes(found: u64, denied: u64, differing: u64, from_bits: f64) -> [bool; 4] {
        let findings = Findings {
            present: Answers { found: 1000, denied, differing },
            absent: Answers { found, denied: 1_000_000 - found, differing: 0 },
        };
        let rates = Rates { predicted: 0.01, bounds: [0.0099, 0.0101], from_bits, allowance: 0.0 };
        of_filter("", &findings, &rates).map(|check| check.pass)
    }

    /// The 99.9 % interval of 10,000 of 1,000,000 is 0.9675 % to 1.0332 %.
    #[test]
    fn every_check_can_fail() {
        assert_eq!(passes(10_000, 0, 0, 0.01), [true, true, true, true]);
        assert_eq!(passes(10_000, 1, 0, 0.01), [false, true, true, true]);
        assert_eq!(passes(10_000, 0, 1, 0.01), [true, false, true, true]);
        assert_eq!(passes(10_350, 0, 0, 0.01), [true, true, false, true]);
        assert_eq!(passes(9_650, 0, 0, 0.01), [true, true, false, true]);
        assert_eq!(passes(10_000, 0, 0, 0.010_15), [true, true, true, false]);
        assert_eq!(passes(10_000, 0, 0, 0.009_85), [true, true, true, false]);
        assert!(!same_bits(false, 1).pass);
    }
}
