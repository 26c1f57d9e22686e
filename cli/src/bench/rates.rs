//! False-positive rates at several bits per key.

use serde::Serialize;

use super::filter::{Kind, Op};
use super::keys::Keys;
use super::plan::Plan;
use crate::failure::{Context, Failure};
use crate::interval::interval;
use crate::progress::Progress;

const BITS_PER_KEY: [f64; 6] = [6.0, 8.0, 10.0, 12.0, 14.0, 16.0];

/// A kind of filter: the rates that were measured, and the exact ones between them.
#[derive(Serialize)]
pub(super) struct Rates {
    pub(super) scheme: &'static str,
    pub(super) points: Vec<RatePoint>,
    /// Bits per key, and the exact expected rate.
    pub(super) curve: Vec<[f64; 2]>,
}

/// The measured rate of one filter.
#[derive(Serialize)]
pub(super) struct RatePoint {
    pub(super) bits_per_key: f64,
    pub(super) k: u32,
    pub(super) items: u64,
    pub(super) probes: u64,
    pub(super) found: u64,
    pub(super) fpr: f64,
    /// The exact 99.9 % interval.
    pub(super) fpr_interval: [f64; 2],
    /// The exact expected rate.
    pub(super) fpr_predicted: f64,
}

pub(super) fn run(plan: &Plan, progress: &Progress) -> Result<Vec<Rates>, Failure> {
    progress.step("counting false positives");
    plan.loads.iter().map(|load| rates(plan, load.kind).about("rates")).collect()
}

fn rates(plan: &Plan, kind: Kind) -> Result<Rates, bloomline::Error> {
    let points = BITS_PER_KEY.into_iter().map(|bits| point(plan, kind, bits));
    // Quarters of a bit, a little beyond the points.
    let curve = (22..=66).map(|quarters| {
        let bytes = bytes(plan.rate_items, f64::from(quarters) / 4.0);
        kind.rate(plan.rate_items, bytes).map(|rate| [bits_per_key(plan.rate_items, bytes), rate])
    });
    Ok(Rates {
        scheme: kind.name(),
        points: points.collect::<Result<_, _>>()?,
        curve: curve.collect::<Result<_, _>>()?,
    })
}

fn point(plan: &Plan, kind: Kind, bits: f64) -> Result<RatePoint, bloomline::Error> {
    let (items, probes, keys) = (plan.rate_items, plan.probes, Keys { seed: plan.seed });
    let bytes = bytes(items, bits);
    let mut filter = kind.build(items, bytes, plan.seed, bloomline::Pages::Ordinary)?;
    keys.for_each_present(items, |piece| filter.insert(Op::InsertBulk, piece));
    let mut found = 0;
    keys.for_each_absent(probes, |piece| found += filter.count(piece));
    Ok(RatePoint {
        bits_per_key: bits_per_key(items, bytes),
        k: filter.k(),
        items,
        probes,
        found,
        fpr: found as f64 / probes as f64,
        fpr_interval: interval(found, probes),
        fpr_predicted: kind.rate(items, bytes)?,
    })
}

/// The memory of so many bits per key, in whole blocks of every scheme.
fn bytes(items: u64, bits_per_key: f64) -> u64 {
    (items as f64 * bits_per_key / 8.0 / 64.0).ceil() as u64 * 64
}

fn bits_per_key(items: u64, bytes: u64) -> f64 {
    8.0 * bytes as f64 / items as f64
}
