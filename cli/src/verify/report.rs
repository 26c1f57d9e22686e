//! The result of a verification, for programs and for people.

use std::fmt::Write;

use serde::Serialize;

use super::checks::{Check, Outcome};
use super::timing::Operations;
use crate::output::{self, count, memory, rate};

#[derive(Serialize)]
pub(super) struct Report {
    /// Distinct keys in both filters.
    pub(super) items: u64,
    /// Distinct keys that both filters were sized for.
    pub(super) sized_for: u64,
    /// Absent keys that were probed.
    pub(super) probes: u64,
    pub(super) kernel: &'static str,
    /// Of the blocked filter.
    pub(super) scheme: &'static str,
    pub(super) pages: &'static str,
    pub(super) seed: u64,
    pub(super) threads: u32,
    /// Keys in a batch.
    pub(super) batch: usize,
    pub(super) verdict: &'static str,
    pub(super) blocked: FilterReport,
    pub(super) reference: FilterReport,
    /// Time of the reference divided by time of the blocked filter.
    pub(super) speedup: Operations<f64>,
    pub(super) checks: Vec<Check>,
}

#[derive(Serialize)]
pub(super) struct FilterReport {
    pub(super) k: u32,
    pub(super) bytes: u64,
    pub(super) bits_per_key: f64,
    /// None where bits per key were asked for.
    pub(super) fpr_target: Option<f64>,
    pub(super) fpr_predicted: f64,
    /// Where the rate by the bits may lie.
    pub(super) fpr_bounds: [f64; 2],
    pub(super) fpr_from_bits: f64,
    pub(super) fpr_measured: f64,
    pub(super) fpr_interval: [f64; 2],
    pub(super) false_negatives: u64,
    #[serde(flatten)]
    pub(super) times: Times,
}

/// Nanoseconds per key.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Times {
    insert_ns: f64,
    hit_ns: f64,
    miss_ns: f64,
    single_insert_ns: f64,
    single_hit_ns: f64,
    single_miss_ns: f64,
}

impl From<Operations<f64>> for Times {
    fn from(ns: Operations<f64>) -> Self {
        Self {
            insert_ns: ns.insert,
            hit_ns: ns.hit,
            miss_ns: ns.miss,
            single_insert_ns: ns.single_insert,
            single_hit_ns: ns.single_hit,
            single_miss_ns: ns.single_miss,
        }
    }
}

impl From<Times> for Operations<f64> {
    fn from(times: Times) -> Self {
        Self {
            insert: times.insert_ns,
            hit: times.hit_ns,
            miss: times.miss_ns,
            single_insert: times.single_insert_ns,
            single_hit: times.single_hit_ns,
            single_miss: times.single_miss_ns,
        }
    }
}

impl Report {
    pub(super) fn passes(&self) -> bool {
        self.verdict == "pass"
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        self.write_text(&mut text).expect("writing to a string cannot fail");
        text
    }

    fn write_text(&self, text: &mut String) -> std::fmt::Result {
        let plural = |number| if number == 1 { "" } else { "s" };
        write!(text, "{} distinct key{}", count(self.items), plural(self.items))?;
        if self.sized_for != self.items {
            write!(text, " in filters sized for {}", count(self.sized_for))?;
        }
        let (probes, seed) = (self.probes, self.seed);
        writeln!(text, ", {} certainly absent key{}, seed {seed}", count(probes), plural(probes))?;
        write!(text, "kernel {}, scheme {}, {} pages", self.kernel, self.scheme, self.pages)?;
        // Its memory is an ordinary vector, so large pages are an advantage that the ratios show.
        let reference = if self.pages == "huge" { " (the reference has ordinary ones)" } else { "" };
        writeln!(text, "{reference}, {} thread", self.threads)?;
        writeln!(text, "\n{}", self.properties())?;
        writeln!(text, "{}", self.times())?;
        writeln!(
            text,
            "medians; batches of {} keys; the reference's batch is a loop\n",
            count(self.batch as u64)
        )?;
        for Check { name, result, seen } in &self.checks {
            let result = match result {
                Outcome::Pass => "pass",
                Outcome::Fail => "FAIL",
                Outcome::Skip => "skip",
            };
            writeln!(text, "{result}  {name}")?;
            for line in seen.split("; ") {
                writeln!(text, "      {line}")?;
            }
        }
        writeln!(text, "\nverdict: {}", if self.passes() { "pass" } else { "FAIL" })
    }

    fn properties(&self) -> String {
        let filters = [&self.blocked, &self.reference];
        let row = |name: &str, value: fn(&FilterReport) -> String| {
            let [blocked, reference] = filters.map(value);
            [name.into(), blocked, reference]
        };
        output::table(
            ["", "blocked", "reference"],
            [
                row("memory", |f| memory(f.bytes)),
                row("bits per key", |f| format!("{:.2}", f.bits_per_key)),
                row("k", |f| f.k.to_string()),
                row("false-positive rate asked for", |f| f.fpr_target.map_or("-".into(), rate)),
                row("  predicted", |f| rate(f.fpr_predicted)),
                row("  by its bits", |f| rate(f.fpr_from_bits)),
                row("  measured", |f| rate(f.fpr_measured)),
                row("  99.9 % interval, from", |f| rate(f.fpr_interval[0])),
                row("  99.9 % interval, to", |f| rate(f.fpr_interval[1])),
                row("false negatives", |f| count(f.false_negatives)),
            ],
        )
    }

    fn times(&self) -> String {
        let blocked = Operations::from(self.blocked.times).named();
        let reference = Operations::from(self.reference.times).named();
        let rows = blocked.into_iter().zip(reference).zip(self.speedup.named()).map(
            |(((operation, blocked), (_, reference)), (_, speedup))| {
                [
                    operation.into(),
                    format!("{blocked:.2}"),
                    format!("{:.1}", 1000.0 / blocked),
                    format!("{reference:.2}"),
                    format!("{:.1}", 1000.0 / reference),
                    format!("{speedup:.2} x"),
                ]
            },
        );
        output::table(["ns per key", "blocked", "M keys/s", "reference", "M keys/s", "speed-up"], rows)
    }
}
