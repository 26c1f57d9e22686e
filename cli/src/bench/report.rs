//! What was measured, in rows and with all that it takes to repeat it.

use bloomline::Pages;
use serde::Serialize;

use super::filter::Op;
use super::measure::Measured;
use super::plan::Plan;
use super::rates::{Curve, Point, Rates};
use crate::machine;

pub(super) const REFERENCE: &str = "reference";

/// A piece of work that all contestants do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Work {
    pub(super) bytes: u64,
    /// The pages that were asked for.
    pub(super) pages: Pages,
    pub(super) threads: usize,
    /// Per cent of the keys that are present; None for inserts.
    pub(super) hit_rate: Option<u32>,
}

/// One contestant at one piece of work.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    pub(super) contestant: Contestant,
    pub(super) op: Op,
    pub(super) key_type: &'static str,
    pub(super) hit_rate: Option<u32>,
    pub(super) threads: usize,
    #[serde(flatten)]
    pub(super) times: Times,
    #[serde(skip)]
    pub(super) work: Work,
}

/// A full filter, and the kernel that works on it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Contestant {
    /// `reference` for the reference.
    pub(super) kernel: &'static str,
    pub(super) scheme: &'static str,
    pub(super) filter_bytes: u64,
    pub(super) bits_per_key: f64,
    pub(super) k: u32,
    /// The pages that the system gave.
    pub(super) pages: &'static str,
    /// Measured with absent keys.
    pub(super) fpr: f64,
}

/// Nanoseconds a key.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Times {
    /// Median, least and most over the rounds.
    pub(super) ns: f64,
    pub(super) ns_min: f64,
    pub(super) ns_max: f64,
    /// The median of the roofline: of lookups, or of inserts.
    pub(super) roofline_ns: f64,
    /// Median over the rounds of this time over that of the roofline.
    pub(super) ratio: f64,
    /// Of every round.
    pub(super) samples: Vec<f64>,
    pub(super) roofline_samples: Vec<f64>,
}

impl Times {
    /// From the times of at least one round, and those of the roofline in the same rounds.
    pub(super) fn new(samples: Vec<f64>, roofline_samples: Vec<f64>) -> Self {
        let ratios: Vec<f64> =
            samples.iter().zip(&roofline_samples).map(|(time, least)| time / least).collect();
        Self {
            ns: median(&samples),
            ns_min: samples.iter().copied().fold(f64::INFINITY, f64::min),
            ns_max: samples.iter().copied().fold(0.0, f64::max),
            roofline_ns: median(&roofline_samples),
            ratio: median(&ratios),
            samples,
            roofline_samples,
        }
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// A cache of the first core.
#[derive(Serialize)]
pub(super) struct Cache {
    pub(super) level: u32,
    pub(super) bytes: u64,
}

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) machine: String,
    pub(super) date: String,
    pub(super) version: &'static str,
    /// What was typed.
    pub(super) command: String,
    /// Of data, nearest first; none where the system does not tell.
    pub(super) caches: Vec<Cache>,
    pub(super) kernels: Vec<&'static str>,
    pub(super) seed: u64,
    pub(super) rounds: usize,
    /// Keys that a thread works on between two looks at the clock.
    pub(super) batch: usize,
    /// Absent keys that false-positive rates are measured with.
    pub(super) probes: u64,
    pub(super) rows: Vec<Row>,
    /// False-positive rates at several bits per key.
    pub(super) rates: Vec<Point>,
    #[serde(skip)]
    pub(super) curves: Vec<Curve>,
    /// What is not as it was asked for, and why.
    pub(super) notes: Vec<String>,
}

impl Report {
    pub(super) fn new(plan: &Plan, measured: Measured, rates: Rates) -> Self {
        let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
        let command: Vec<String> = [String::from("bloomline")].into_iter().chain(arguments).collect();
        Self {
            machine: machine::summary(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            version: env!("CARGO_PKG_VERSION"),
            command: command.join(" "),
            caches: machine::data_caches().map(|(level, bytes)| Cache { level, bytes }).collect(),
            kernels: plan.kernels.iter().map(|kernel| kernel.name()).collect(),
            seed: plan.seed,
            rounds: plan.rounds,
            batch: plan.batch,
            probes: plan.probes,
            rows: measured.rows,
            rates: rates.points,
            curves: rates.curves,
            notes: plan.notes.iter().cloned().chain(measured.notes).collect(),
        }
    }

    /// The rows of each piece of work, in the order in which it was done.
    pub(super) fn works(&self) -> impl Iterator<Item = (Work, &[Row])> {
        self.rows.chunk_by(|a, b| a.work == b.work).map(|rows| (rows[0].work, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_a_round() {
        let times = Times::new(vec![4.0, 30.0, 6.0], vec![2.0, 10.0, 1.0]);
        assert_eq!((times.ns, times.ns_min, times.ns_max), (6.0, 4.0, 30.0));
        // 2, 3 and 6: not 6 / 2, which would be the medians' ratio.
        assert_eq!((times.roofline_ns, times.ratio), (2.0, 3.0));
        let even = Times::new(vec![9.0, 8.0], vec![1.0, 4.0]);
        assert_eq!((even.ns, even.ratio), (9.0, 9.0));
    }
}
