//! What comes out: rows and points, as JSON or as tables.

use std::fmt::Write;

use bloomline::Pages;
use serde::Serialize;

use super::plan::Plan;
use super::rates::Point;
use crate::output;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Op {
    LookupBulk,
    LookupSingle,
    InsertBulk,
    InsertSingle,
}

impl Op {
    fn name(self) -> &'static str {
        match self {
            Self::LookupBulk => "lookup, bulk",
            Self::LookupSingle => "lookup, single",
            Self::InsertBulk => "insert, bulk",
            Self::InsertSingle => "insert, single",
        }
    }
}

/// What a row is about, whoever does it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Of the filters, as asked for.
    pub(super) bytes: u64,
    pub(super) pages: Pages,
    pub(super) threads: usize,
    pub(super) hit_rate: Option<u32>,
}

/// Times of one contestant at one piece of work, in nanoseconds a key.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    /// Or `reference`.
    pub(super) kernel: &'static str,
    pub(super) scheme: &'static str,
    pub(super) op: Op,
    key_type: &'static str,
    pub(super) filter_bytes: u64,
    bits_per_key: f64,
    k: u32,
    /// Per cent of the keys that are present; none for inserts.
    pub(super) hit_rate: Option<u32>,
    pub(super) threads: usize,
    /// What the filter got.
    pub(super) pages: &'static str,
    /// Median, least and most over the rounds.
    pub(super) ns: f64,
    ns_min: f64,
    ns_max: f64,
    pub(super) roofline_ns: f64,
    /// Median over the rounds of this time over that of the roofline.
    pub(super) ratio: f64,
    /// Measured with absent keys.
    pub(super) fpr: f64,
    /// Of every round.
    samples: Vec<f64>,
    roofline_samples: Vec<f64>,
}

impl Row {
    #[expect(clippy::too_many_arguments, reason = "the fields of a row")]
    pub(super) fn new(
        kernel: &'static str,
        scheme: &'static str,
        op: Op,
        work: Work,
        bits_per_key: f64,
        k: u32,
        fpr: f64,
        times: &[f64],
        rooflines: &[f64],
    ) -> Self {
        let ratios: Vec<f64> = times.iter().zip(rooflines).map(|(time, roofline)| time / roofline).collect();
        Self {
            kernel,
            scheme,
            op,
            key_type: "u64",
            filter_bytes: work.bytes,
            bits_per_key,
            k,
            hit_rate: work.hit_rate,
            threads: work.threads,
            pages: output::pages(work.pages),
            ns: median(times),
            ns_min: times.iter().copied().fold(f64::INFINITY, f64::min),
            ns_max: times.iter().copied().fold(0.0, f64::max),
            roofline_ns: median(rooflines),
            ratio: median(&ratios),
            fpr,
            samples: times.into(),
            roofline_samples: rooflines.into(),
        }
    }

    /// Who was timed, in words.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.kernel, self.scheme)
    }

    /// The cells of the tables, on the page too.
    pub(super) fn cells(&self) -> [String; 7] {
        [
            self.name(),
            self.op.name().into(),
            self.hit_rate.map_or("—".into(), |rate| format!("{rate} %")),
            format!("{:.2}", self.ns),
            format!("{:.2}–{:.2}", self.ns_min, self.ns_max),
            format!("{:.2}", self.ratio),
            format!("{:.4} %", 100.0 * self.fpr),
        ]
    }
}

pub(super) const HEADER: [&str; 7] = ["", "operation", "present", "ns", "least–most", "× roofline", "rate"];

/// Of an odd number of values the middle one.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A cache of the first core.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cache {
    pub(super) level: u32,
    pub(super) bytes: u64,
}

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) machine: String,
    pub(super) date: String,
    pub(super) version: &'static str,
    /// Data caches, nearest first; empty where the system does not tell.
    pub(super) caches: Vec<Cache>,
    pub(super) bits_per_key: f64,
    pub(super) rows: Vec<Row>,
    /// False-positive rates at several sizes.
    pub(super) rates: Vec<Point>,
    pub(super) notes: Vec<String>,
}

impl Report {
    pub(super) fn new(plan: &Plan, rows: Vec<Row>, rates: Vec<Point>) -> Self {
        Self {
            machine: crate::info::machine(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            version: env!("CARGO_PKG_VERSION"),
            caches: crate::info::data_caches().map(|(level, bytes)| Cache { level, bytes }).collect(),
            bits_per_key: plan.bits_per_key,
            rows,
            rates,
            notes: plan.notes.clone(),
        }
    }

    /// Rows that share a size, pages and threads, with a title.
    pub(super) fn tables(&self) -> Vec<(String, Vec<&Row>)> {
        let mut tables: Vec<(String, Vec<&Row>)> = Vec::new();
        for row in &self.rows {
            let size = output::memory(row.filter_bytes);
            // The reference is always in ordinary pages, and stands in each table.
            let pages = if row.kernel == "reference" { "" } else { row.pages };
            let threads = if row.threads == 1 { String::new() } else { format!(", {} threads", row.threads) };
            let title = format!("{size}{threads}, roofline");
            match tables.last_mut() {
                Some((known, rows))
                    if known.starts_with(&title) && (pages.is_empty() || known.contains(pages)) =>
                {
                    rows.push(row);
                }
                _ => tables.push((format!("{title} {:.2} ns, {pages} pages", row.roofline_ns), vec![row])),
            }
        }
        tables
    }

    pub(super) fn to_text(&self) -> String {
        let Self { machine, date, version, bits_per_key, .. } = self;
        let mut text = format!("bloomline {version}, {machine}, {date}\n");
        let _ = writeln!(
            text,
            "{bits_per_key:.2} bits per key, 64-bit keys; nanoseconds a key, medians over the rounds"
        );
        for (title, rows) in self.tables() {
            let _ = writeln!(text, "\n{title}");
            text += &output::table(HEADER, rows.into_iter().map(Row::cells));
        }
        text += "\nFalse-positive rates by bits per key, with their exact 99.9 % intervals\n";
        let header = ["", "bits per key", "k", "rate", "interval", "exact"];
        text += &output::table(header, self.rates.iter().map(Point::cells));
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_medians_and_the_median_of_ratios() {
        let work = Work { bytes: 64, pages: Pages::Ordinary, threads: 1, hit_rate: Some(50) };
        let (times, rooflines) = ([3.0, 1.0, 8.0], [1.0, 1.0, 2.0]);
        let row = Row::new("scalar", "block512", Op::LookupBulk, work, 10.0, 8, 0.01, &times, &rooflines);
        assert_eq!((row.ns, row.ns_min, row.ns_max), (3.0, 1.0, 8.0));
        // Of 3, 1 and 4, not 3 by 1.
        assert_eq!((row.roofline_ns, row.ratio), (1.0, 3.0));
        assert_eq!(row.samples, times);
    }
}
