//! The report for the terminal: at most 100 columns.

use std::fmt::Write;

use super::filter::Op;
use super::rates::Point;
use super::report::{Report, Row, Times, Work};
use crate::output::{self, rate};

pub(super) fn text(report: &Report) -> String {
    let Report { version, machine, date, rounds, .. } = report;
    let mut text = format!("bloomline {version}, {machine}, {date}\n\n");
    let _ = writeln!(
        text,
        "ns a key: median (least – most) of {rounds} rounds, × the roofline of the same rounds"
    );
    for (work, rows) in report.works() {
        let _ = writeln!(text, "\n{}", title(work, rows));
        text += &times(rows);
    }
    let _ = writeln!(text, "\nfalse-positive rates: measured, exact 99.9 % interval, exact expectation");
    text += &rates(&report.rates);
    for note in &report.notes {
        let _ = writeln!(text, "\nnote: {note}");
    }
    text
}

/// A piece of work in words.
fn title(work: Work, rows: &[Row]) -> String {
    let Work { bytes, threads, hit_rate, .. } = work;
    let pages = rows.first().map_or("", |row| row.contestant.pages);
    let what = hit_rate.map_or("inserts".into(), |rate| format!("lookups, {rate} % present"));
    let threads = if threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
    format!("{}, {what}, {threads}, {pages} pages", output::size(bytes))
}

/// A row for each contestant, with the bulk call beside single calls.
fn times(rows: &[Row]) -> String {
    let is_single = |row: &Row| matches!(row.op, Op::InsertSingle | Op::LookupSingle);
    let (single, bulk): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| is_single(row));
    let none = String::new;
    let roofline = bulk.first().map(|row| {
        let samples = row.times.roofline_samples.clone();
        let [time, ratio] = cells(&Times::new(samples.clone(), samples));
        ["roofline".into(), none(), none(), time, ratio, none(), none()]
    });
    let contestants = bulk.iter().zip(single).map(|(bulk, single)| {
        let contestant = &bulk.contestant;
        let ([a, b], [c, d]) = (cells(&bulk.times), cells(&single.times));
        let bits = format!("{:.2}", contestant.bits_per_key);
        let name = format!("{} {}", contestant.kernel, contestant.scheme);
        [name, bits, rate(contestant.fpr), a, b, c, d]
    });
    let header = ["", "bits", "rate", "bulk", "×", "single", "×"];
    output::table(header, roofline.into_iter().chain(contestants))
}

fn cells(times: &Times) -> [String; 2] {
    let [ns, least, most, ratio] = [times.ns, times.ns_min, times.ns_max, times.ratio].map(figure);
    [format!("{ns} ({least}–{most})"), ratio]
}

/// At most two digits after the point, and no more than three in all, so that it fits the column.
pub(super) fn figure(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

fn rates(points: &[Point]) -> String {
    let rows = points.iter().map(|point| {
        let (bits, k) = (format!("{:.2}", point.bits_per_key), point.k.to_string());
        let interval = format!("{} to {}", rate(point.low), rate(point.high));
        [point.scheme.into(), bits, k, rate(point.rate), interval, rate(point.exact)]
    });
    output::table(["scheme", "bits", "k", "rate", "interval", "exact"], rows)
}

#[cfg(test)]
mod tests {
    use super::super::report::Contestant;
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        let values = [0.567, 9.994, 9.996, 31.25, 99.94, 99.96, 1234.4];
        assert_eq!(values.map(figure), ["0.57", "9.99", "10.0", "31.2", "99.9", "100", "1234"]);
    }

    /// With times as long as they get, and the longest names.
    #[test]
    fn the_table_fits_100_columns() {
        let row = |op| Row {
            contestant: Contestant {
                kernel: "avx512bw",
                scheme: "split-block",
                filter_bytes: 1 << 20,
                bits_per_key: 63.99,
                k: 8,
                pages: "ordinary",
                fpr: 9.9e-5,
            },
            op,
            key_type: "u64",
            hit_rate: Some(100),
            threads: 1,
            times: Times::new(vec![1234.4; 3], vec![13.0; 3]),
            work: Work { bytes: 1 << 20, pages: bloomline::Pages::Ordinary, threads: 1, hit_rate: Some(100) },
        };
        let text = times(&Op::LOOKUPS.map(row));
        assert!(text.contains("avx512bw split-block   63.99   9.900e-5   1234 (1234–1234)   95.0"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}
