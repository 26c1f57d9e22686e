//! False-positive rates at several bits per key, measured and exact.

use bloomline::reference::ReferenceFilter;
use bloomline::sizing::{blocked, classic, split};
use bloomline::{BloomFilter, Scheme};
use serde::Serialize;

use super::measure::{absent, key};
use super::plan::Plan;
use crate::failure::{Context, Failure};
use crate::interval::interval;
use crate::output;

/// Bits per key of the measured points.
const BITS_PER_KEY: [u64; 7] = [6, 8, 10, 12, 14, 16, 20];

/// The rate of one filter.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Point {
    pub(super) scheme: &'static str,
    pub(super) bits_per_key: f64,
    k: u32,
    items: u64,
    probes: u64,
    found: u64,
    pub(super) rate: f64,
    /// The exact interval of 99.9 %.
    pub(super) low: f64,
    pub(super) high: f64,
    /// What theory expects of such filters.
    exact: f64,
}

impl Point {
    pub(super) fn cells(&self) -> [String; 6] {
        let rate = output::rate;
        [
            self.scheme.into(),
            format!("{:.2}", self.bits_per_key),
            self.k.to_string(),
            rate(self.rate),
            format!("{}–{}", rate(self.low), rate(self.high)),
            rate(self.exact),
        ]
    }
}

/// The exact expected rate at `bits_per_key`, of a large filter: what the curves show. None where there is none.
pub(super) fn exact(scheme: &str, bits_per_key: f64) -> Option<f64> {
    match Scheme::by_name(scheme) {
        Ok(Scheme::SplitBlock) => split::rate_limit(bits_per_key).ok(),
        Ok(_) => blocked::rate_limit(bits_per_key, 8).ok(),
        Err(_) => {
            let items = 1 << 20;
            let bits = (items as f64 * bits_per_key) as u64;
            Some(classic::rate(items, bits, classic::optimal_k(items, bits)))
        }
    }
}

pub(super) fn run(plan: &Plan) -> Result<Vec<Point>, Failure> {
    let items = plan.items;
    let keys: Vec<u64> = (0..items).map(|index| key(plan.seed, index)).collect();
    let probes: Vec<u64> = absent(plan.seed, plan.probes as usize).collect();
    let mut points = Vec::new();
    for &scheme in &plan.schemes {
        for bits_per_key in BITS_PER_KEY {
            let builder = BloomFilter::with_bits_per_key(items, bits_per_key as f64);
            let mut filter = builder.scheme(scheme).fast().seed(plan.seed).build().about("filter")?;
            filter.insert_batch(&keys);
            let found = filter.count_batch(&probes) as u64;
            let exact = filter.predicted_rate_at(items);
            points.push(point(plan, scheme.name(), filter.bits(), filter.k(), found, exact));
        }
    }
    for bits_per_key in BITS_PER_KEY {
        let bits = items * bits_per_key;
        let k = classic::optimal_k(items, bits);
        let mut filter = ReferenceFilter::with_bits(bits, k, plan.seed).about("reference")?;
        for &key in &keys {
            filter.insert_u64(key);
        }
        let found = probes.iter().filter(|&&key| filter.contains_u64(key)).count() as u64;
        points.push(point(plan, "classic", filter.bits(), k, found, filter.predicted_rate(items)));
    }
    Ok(points)
}

fn point(plan: &Plan, scheme: &'static str, bits: u64, k: u32, found: u64, exact: f64) -> Point {
    let Plan { items, probes, .. } = *plan;
    let [low, high] = interval(found, probes);
    let (bits_per_key, rate) = (bits as f64 / items as f64, found as f64 / probes as f64);
    Point { scheme, bits_per_key, k, items, probes, found, rate, low, high, exact }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classic filters: 1 % at 9.585 bits per key in the limit. Blocks cost some of that.
    #[test]
    fn curves_have_the_known_values() {
        let at = |scheme| exact(scheme, 10.0).unwrap();
        assert!((at("classic") - 0.008_194).abs() < 1e-5, "{}", at("classic"));
        assert!((at("block512") - 0.0105).abs() < 1e-4, "{}", at("block512"));
        assert!((at("split-block") - 0.0126).abs() < 1e-4, "{}", at("split-block"));
    }
}
