//! Axes: linear or logarithmic, with ticks at round values.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use crate::output;

#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) title: &'static str,
    logarithmic: bool,
    low: f64,
    high: f64,
    ticks: Vec<f64>,
    label: fn(f64) -> String,
}

/// Room at the ends of an axis, as a share of its length.
const ROOM: f64 = 0.04;
/// The most ticks of a linear axis.
const TICKS: f64 = 7.0;

impl Axis {
    /// Sizes of memory, a tick at every power of 4.
    pub(super) fn memory(title: &'static str, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = widened(values);
        let ticks = (0..32).map(|i| 4_f64.powi(i)).collect();
        Self::new(title, true, low, high, ticks, |bytes| output::size(bytes as u64))
    }

    /// Positive values on a logarithmic scale.
    pub(super) fn logarithmic(
        title: &'static str,
        values: impl Iterator<Item = f64>,
        label: fn(f64) -> String,
    ) -> Self {
        let (low, high) = widened(values);
        let steps: &[&str] = match high / low {
            ..5.0 => &["1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8"],
            ..2000.0 => &["1", "2", "5"],
            _ => &["1"],
        };
        // Parsed, not multiplied, so that ticks are the numbers that they are written as.
        let tick = |exponent| steps.iter().filter_map(move |step| format!("{step}e{exponent}").parse().ok());
        Self::new(title, true, low, high, (-20..20).flat_map(tick).collect(), label)
    }

    /// From 0, or from the least value where that is asked for.
    pub(super) fn linear(
        title: &'static str,
        values: impl Iterator<Item = f64>,
        from_zero: bool,
        label: fn(f64) -> String,
    ) -> Self {
        let zero = from_zero.then_some(0.0);
        let (low, high) = ends(values.chain(zero));
        let length = if high > low { high - low } else { low.abs().max(1.0) };
        let step = (-20..20)
            .flat_map(|exponent| {
                ["1", "2", "5"].map(|step| format!("{step}e{exponent}").parse().unwrap_or(1.0))
            })
            .find(|step: &f64| length / step <= TICKS)
            .unwrap_or(length);
        let first = (low / step).floor() as i64;
        let ticks = (first..).map(|i| i as f64 * step).take(2 * TICKS as usize).collect();
        let below = if from_zero { low } else { low - ROOM * length };
        Self::new(title, false, below, high + ROOM * length, ticks, label)
    }

    fn new(
        title: &'static str,
        logarithmic: bool,
        low: f64,
        high: f64,
        mut ticks: Vec<f64>,
        label: fn(f64) -> String,
    ) -> Self {
        ticks.retain(|tick| (low..=high).contains(tick));
        Self { title, logarithmic, low, high, ticks, label }
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    fn position(&self, value: f64) -> f64 {
        let [low, high, value] = [self.low, self.high, value.clamp(self.low, self.high)]
            .map(|value| if self.logarithmic { value.ln() } else { value });
        (value - low) / (high - low)
    }
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// The ends of a logarithmic axis of positive values, with some room.
fn widened(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = ends(values.filter(|&value| value > 0.0));
    let room = (high / low).powf(ROOM).max(1.1);
    (low / room, high * room)
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        start + (f64::from(end - start) * self.position(*value)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // The hint's limit is kept by leaving out as many between two as it takes.
        let every = self.ticks.len().div_ceil(hint.max_num_points().max(1)).max(1);
        self.ticks.iter().copied().step_by(every).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| axis.format_ext(tick)).collect()
    }

    #[test]
    fn ticks_are_round() {
        let memory = Axis::memory("", [16384.0, 4194304.0].into_iter());
        assert_eq!(labels(&memory), ["16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB"]);
        let plain = |value: f64| value.to_string();
        let times = Axis::logarithmic("", [0.4, 30.0].into_iter(), plain);
        assert_eq!(labels(&times), ["0.5", "1", "2", "5", "10", "20"]);
        let ratios = Axis::logarithmic("", [1.0, 1.6].into_iter(), plain);
        assert_eq!(labels(&ratios), ["1", "1.2", "1.5"]);
        let rates = Axis::linear("", [0.0, 50.0, 100.0].into_iter(), false, plain);
        assert_eq!(labels(&rates), ["0", "20", "40", "60", "80", "100"]);
        let speed = Axis::linear("", [300.0, 1730.0].into_iter(), true, plain);
        assert_eq!(labels(&speed), ["0", "500", "1000", "1500"]);
        let alone = Axis::linear("", [50.0].into_iter(), false, plain);
        assert!(labels(&alone).contains(&String::from("50")), "{alone:?}");
    }

    #[test]
    fn values_lie_where_their_logarithm_says() {
        let axis = Axis::logarithmic("", [1.0, 100.0].into_iter(), |value| value.to_string());
        let [one, ten, hundred] = [1.0, 10.0, 100.0].map(|value| axis.map(&value, (0, 10_000)));
        assert!((ten - one - (hundred - ten)).abs() <= 1 && hundred - one > 8000, "{one} {ten} {hundred}");
        // Beyond the ends, at the ends; a rate of 0 is below all others.
        assert_eq!(axis.map(&0.0, (500, 0)), 500);
        assert_eq!(axis.map(&1e9, (500, 0)), 0);
    }
}
