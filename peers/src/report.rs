//! What comes out: the rows, as JSON or as tables.

use std::fmt::Write;

use serde::Serialize;

use crate::keys::RaceKey;
use crate::race::size;
use crate::rival::{Entry, OURS, Rival, Shape, table};
use crate::versions;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Op {
    InsertBulk,
    InsertSingle,
    LookupBulk,
    LookupSingle,
}

/// What a row is about, whoever does it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) op: Op,
    pub(crate) key_type: &'static str,
    pub(crate) shape: Shape,
    pub(crate) hit_rate: Option<u32>,
}

/// Times of one contestant at one piece of work, in ns a key. None where a field does not apply.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    rival: Option<&'static str>,
    version: Option<&'static str>,
    /// The kernel of this engine, or `reference`.
    kernel: Option<&'static str>,
    scheme: &'static str,
    op: Op,
    key_type: &'static str,
    /// The memory that was asked for; `bits_per_key` tells what the contestant took.
    pub(crate) filter_bytes: usize,
    bits_per_key: f64,
    k: Option<u32>,
    /// Per cent of the keys that are present.
    hit_rate: Option<u32>,
    threads: u32,
    pages: Option<&'static str>,
    /// Median, least and most over the rounds.
    ns: f64,
    ns_min: f64,
    ns_max: f64,
    /// Median over the rounds of the least that a filter of one line per key can take, and of this time over that. None for
    /// strings.
    roofline_ns: Option<f64>,
    ratio: Option<f64>,
    /// Measured with absent keys.
    fpr: f64,
    /// Median over the rounds of this time over that of this engine.
    ratio_to_ours: Option<f64>,
    #[serde(skip)]
    name: &'static str,
}

impl Row {
    /// The row of a contestant, from its times of all rounds and those of this engine. None without times.
    pub(crate) fn new<K: RaceKey>(
        work: Work,
        entry: &Entry<K>,
        rival: &dyn Rival<K>,
        fpr: f64,
        times: &[f64],
        ours: &[f64],
        rooflines: &[f64],
    ) -> Option<Self> {
        let kernel = rival.kernel();
        let is_rival = kernel.is_none();
        let ratio_to = |others: &[f64]| {
            let ratios: Vec<f64> = times.iter().zip(others).map(|(time, other)| time / other).collect();
            median(&ratios)
        };
        Some(Self {
            rival: is_rival.then_some(entry.name),
            version: is_rival.then(|| versions::locked(entry.package)),
            kernel,
            scheme: entry.scheme,
            op: work.op,
            key_type: work.key_type,
            filter_bytes: work.shape.bytes,
            bits_per_key: rival.bytes() as f64 * 8.0 / work.shape.items as f64,
            k: rival.k(),
            hit_rate: work.hit_rate,
            threads: 1,
            pages: rival.pages(),
            ns: median(times)?,
            ns_min: times.iter().copied().reduce(f64::min)?,
            ns_max: times.iter().copied().reduce(f64::max)?,
            roofline_ns: median(rooflines),
            ratio: ratio_to(rooflines),
            fpr,
            ratio_to_ours: ratio_to(ours),
            name: entry.name,
        })
    }
}

pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[derive(Serialize)]
struct Contestant {
    name: &'static str,
    version: &'static str,
    scheme: &'static str,
    hash: &'static str,
    bulk: &'static str,
}

#[derive(Serialize)]
pub(crate) struct Report {
    machine: String,
    date: String,
    version: &'static str,
    contestants: Vec<Contestant>,
    rows: Vec<Row>,
    /// Who sat out what, and why.
    notes: Vec<String>,
}

impl Report {
    pub(crate) fn new(rows: Vec<Row>, notes: Vec<String>) -> Self {
        let contestant = |entry: Entry<u64>| Contestant {
            name: entry.name,
            version: versions::locked(entry.package),
            scheme: entry.scheme,
            hash: entry.hash,
            bulk: entry.bulk,
        };
        Self {
            machine: machine(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            version: versions::locked("bloomline"),
            contestants: table().into_iter().map(contestant).collect(),
            rows,
            notes,
        }
    }

    /// Tables of at most 100 columns: one for each key type, size and kind of work, with the bulk call beside single calls.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("bloomline {}, {}, {}\n\n", self.version, self.machine, self.date);
        for c in &self.contestants {
            let name = format!("{} {}", c.name, c.version);
            let _ = writeln!(text, "{name:<32} hash: {}; bulk: {}", c.hash, c.bulk);
        }
        text.push_str("\nNanoseconds a key: median, least – most over the rounds, × that of bloomline.\n");
        let mut tables: Vec<(_, Vec<&Row>)> = Vec::new();
        for row in &self.rows {
            let insert = matches!(row.op, Op::InsertBulk | Op::InsertSingle);
            let title = (row.key_type, row.filter_bytes, insert, row.hit_rate);
            match tables.iter_mut().find(|(known, _)| *known == title) {
                Some((_, rows)) => rows.push(row),
                None => tables.push((title, vec![row])),
            }
        }
        for ((key_type, bytes, _, hit_rate), rows) in tables {
            let work = hit_rate.map_or("inserts".into(), |rate| format!("lookups, {rate} % present"));
            let roofline = rows.first().and_then(|row| row.roofline_ns);
            let roofline = roofline.map_or(String::new(), |ns| format!("; roofline {ns:.2}"));
            let _ = writeln!(text, "\n{}, {key_type}, {work}{roofline}", size(bytes));
            let _ =
                writeln!(text, "{:<27} {:>5} {:>7}  {:>15} {:>28}", "", "bits", "fpr %", "bulk", "single");
            write_table(&mut text, &rows);
        }
        if !self.notes.is_empty() {
            let _ = writeln!(text, "\n{}", self.notes.join("\n"));
        }
        text
    }
}

fn write_table(text: &mut String, rows: &[&Row]) {
    let is_single = |row: &Row| matches!(row.op, Op::InsertSingle | Op::LookupSingle);
    for bulk in rows.iter().filter(|row| !is_single(row)) {
        let single = rows.iter().find(|row| is_single(row) && row.name == bulk.name);
        let name = match (bulk.version, bulk.kernel) {
            (Some(version), _) => format!("{} {version}", bulk.name),
            (None, Some(kernel)) if bulk.name == OURS => format!("{} {kernel}", bulk.name),
            _ => bulk.name.into(),
        };
        let (bits, rate) = (bulk.bits_per_key, 100.0 * bulk.fpr);
        let cells = [Some(*bulk), single.copied()].map(cell).join("  ");
        let _ = writeln!(text, "{name:<27} {bits:>5.2} {rate:>7.4}  {}", cells.trim_end());
    }
}

fn cell(row: Option<&Row>) -> String {
    let Some(row) = row else { return format!("{:^27}", "—") };
    let ratio = row.ratio_to_ours.map_or(String::new(), |ratio| figure(ratio) + "×");
    let [ns, least, most] = [row.ns, row.ns_min, row.ns_max].map(figure);
    format!("{ns:>6} {least:>6}–{most:<6}{ratio:>7}")
}

/// Hundredths, as long as they fit the column.
fn figure(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn machine() -> String {
    let mut system = sysinfo::System::new();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let brand = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
    let brand = brand.filter(|brand| !brand.is_empty()).unwrap_or_else(|| "unknown CPU".into());
    format!("{brand}, {} logical cores, {}", system.cpus().len(), std::env::consts::ARCH)
}
