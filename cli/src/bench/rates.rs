//! False-positive rates at several bits per key.

use serde::Serialize;

use super::filter::{Kind, Op};
use super::keys::Keys;
use super::plan::Plan;
use crate::failure::{Context, Failure};
use crate::interval::interval;
use crate::progress::Progress;

const BITS_PER_KEY: [f64; 6] = [6.0, 8.0, 10.0, 12.0, 14.0, 16.0];

/// The measured rate of one filter.
#[derive(Serialize)]
pub(super) struct Point {
    pub(super) scheme: &'static str,
    pub(super) bits_per_key: f64,
    pub(super) k: u32,
    pub(super) items: u64,
    pub(super) probes: u64,
    pub(super) found: u64,
    pub(super) rate: f64,
    /// The ends of the exact 99.9 % interval.
    pub(super) low: f64,
    pub(super) high: f64,
    /// The exact expected rate.
    pub(super) exact: f64,
}

/// Exact expected rates of a scheme, by bits per key.
pub(super) struct Curve {
    pub(super) scheme: &'static str,
    pub(super) line: Vec<(f64, f64)>,
}

/// The points of every kind of filter, one kind after the other, and the curves that they should lie on.
pub(super) struct Rates {
    pub(super) points: Vec<Point>,
    pub(super) curves: Vec<Curve>,
}

pub(super) fn run(plan: &Plan, progress: &Progress) -> Result<Rates, Failure> {
    progress.step("counting false positives");
    let kinds = || plan.loads.iter().map(|load| load.kind);
    let points = kinds().flat_map(|kind| BITS_PER_KEY.map(|bits| point(plan, kind, bits)));
    let points = points.collect::<Result<_, _>>().about("rates")?;
    let curves = kinds().map(|kind| curve(plan, kind)).collect::<Result<_, _>>().about("rates")?;
    Ok(Rates { points, curves })
}

fn curve(plan: &Plan, kind: Kind) -> Result<Curve, bloomline::Error> {
    let items = plan.rate_items;
    // Quarters of a bit, a little beyond the points.
    let line = (22..=66).map(|quarters| {
        let bytes = bytes(items, f64::from(quarters) / 4.0);
        kind.rate(items, bytes).map(|rate| (bits_per_key(items, bytes), rate))
    });
    Ok(Curve { scheme: kind.name(), line: line.collect::<Result<_, _>>()? })
}

fn point(plan: &Plan, kind: Kind, bits: f64) -> Result<Point, bloomline::Error> {
    let (items, probes, keys) = (plan.rate_items, plan.probes, Keys { seed: plan.seed });
    let bytes = bytes(items, bits);
    let mut filter = kind.build(items, bytes, plan.seed, bloomline::Pages::Ordinary)?;
    keys.for_each_present(items, |piece| filter.insert(Op::InsertBulk, piece));
    let mut found = 0;
    keys.for_each_absent(probes, |piece| found += filter.count(piece));
    let [low, high] = interval(found, probes);
    Ok(Point {
        scheme: kind.name(),
        bits_per_key: bits_per_key(items, bytes),
        k: filter.k(),
        items,
        probes,
        found,
        rate: found as f64 / probes as f64,
        low,
        high,
        exact: kind.rate(items, bytes)?,
    })
}

/// The memory of so many bits per key, in whole blocks of every scheme.
fn bytes(items: u64, bits_per_key: f64) -> u64 {
    (items as f64 * bits_per_key / 8.0 / 64.0).ceil() as u64 * 64
}

fn bits_per_key(items: u64, bytes: u64) -> f64 {
    8.0 * bytes as f64 / items as f64
}
