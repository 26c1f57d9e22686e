//! That every adapter is wired to a filter that works, and that the output is what it says.

use std::time::Duration;

use bloomline::Kernel;
use serde_json::Value;

use crate::keys::{KeyType, RaceKey, keys};
use crate::race::{self, Plan};
use crate::report::Report;
use crate::rival::{Build, Entry, Rival, Shape, table};

const ABSENT: usize = 1_000_000;

/// The size of a filter of ten bits a key that is a power of two, since some contestants take nothing else.
const SHAPE: Shape = Shape { bytes: 128 << 10, items: (128 << 10) * 8 / 10 };

fn fill<K: RaceKey>(entry: &Entry<K>, keys: &[K]) -> Box<dyn Rival<K>> {
    let (bulk, single) = keys.split_at(keys.len() / 2);
    match entry.build {
        Build::Empty(build) => {
            let mut rival = build(SHAPE).unwrap();
            rival.insert_bulk(bulk);
            rival.insert_single(single);
            rival
        }
        Build::Whole(build) => build(keys).unwrap(),
    }
}

/// The rate that each scheme has in theory, and the bits per key, at ten bits a key where it can be set.
fn expected(name: &str) -> (f64, f64) {
    let load = SHAPE.items as f64 / SHAPE.bytes as f64;
    match name {
        // Blocks of 512 bits, k = 8: the exact rate of the Poisson mixture.
        "bloomline" | "bloomline, 2 MiB pages" | "bloomline avx2" => (0.010_5, 10.0),
        // (1 − e^(−k/c))^k with k = 7, c = 10.
        "reference" | "fastbloom" | "bloomfilter" => (0.008_19, 10.0),
        // Split blocks of 256 bits: Σ Poisson(25.6; i) (1 − (31/32)^i)^8.
        "bloomline split block" | "bloomline split block avx2" | "sbbf-rs-safe" | "parquet Sbbf" => {
            (split_block_rate(), 10.0)
        }
        // Blocks of 512 bits, k = 7, bits in steps: a little above the rate of independent bits.
        "bloomcraft blocked" => (0.012, 10.0),
        // 2^−8, since a fingerprint has 8 bits.
        "xorf BinaryFuse8" => (1.0 / 256.0, 9.0),
        "xorf Xor8" => (1.0 / 256.0, 9.84),
        // 1 − e^(−load ÷ 2^r) with remainders of r = 6 bits, 8.125 bits a slot.
        "qfilter" => (1.0 - (-load / 64.0).exp(), 8.125 / load),
        // Two buckets of four slots, of which the load is taken, by one of 255 fingerprints each.
        "cuckoofilter" => (1.0 - (1.0 - load / 255.0).powi(8), 8.0 / load),
        _ => panic!("no expectation for {name}"),
    }
}

fn split_block_rate() -> f64 {
    let mean = 25.6_f64;
    let mut probability = (-mean).exp();
    let mut rate = 0.0;
    for i in 0..200 {
        rate += probability * (1.0 - (31.0_f64 / 32.0).powi(i)).powi(8);
        probability *= mean / f64::from(i + 1);
    }
    rate
}

fn check<K: RaceKey>() {
    let present: Vec<K> = keys(0, SHAPE.items);
    let absent: Vec<K> = keys(1 << 40, ABSENT);
    for entry in table::<K>() {
        let name = entry.name;
        let mut rival = fill(&entry, &present);
        assert_eq!(rival.lookup_bulk(&present), present.len(), "{name} loses keys in bulk");
        assert_eq!(rival.lookup_single(&present), present.len(), "{name} loses keys one at a time");
        let found = rival.lookup_bulk(&absent);
        assert_eq!(rival.lookup_single(&absent), found, "{name} answers otherwise in bulk");
        let (rate, bits_per_key) = expected(name);
        let measured = found as f64 / ABSENT as f64;
        // Filters of this size spread by about 2 %, and the counts by 1.6 %.
        assert!((measured / rate - 1.0).abs() < 0.1, "{name}: a rate of {measured}, not {rate}");
        let taken = rival.bytes() as f64 * 8.0 / SHAPE.items as f64;
        assert!((taken / bits_per_key - 1.0).abs() < 0.06, "{name}: {taken} bits a key, not {bits_per_key}");
    }
}

#[test]
fn integers_are_found_and_rates_are_those_of_theory() {
    check::<u64>();
}

#[test]
fn short_strings_are_found_and_rates_are_those_of_theory() {
    check::<[u8; 16]>();
}

#[test]
fn long_strings_are_found_and_rates_are_those_of_theory() {
    check::<[u8; 64]>();
}

fn plan() -> Plan {
    Plan {
        sizes: vec![16 << 10, 2 << 20],
        bits_per_key: 10.0,
        hit_rates: vec![0, 100],
        rounds: 3,
        batch: 1 << 10,
        fill_limit: Duration::from_secs(60),
        memory: u64::MAX,
    }
}

#[test]
fn every_contestant_has_a_row_for_all_it_can_do() {
    let (rows, notes) = race::run::<u64>(&plan(), KeyType::U64).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    let json = serde_json::to_value(Report::new(rows, notes)).unwrap();
    let rows = json["rows"].as_array().unwrap();
    // Twelve take part at 16 KiB, thirteen at 2 MiB; the two static ones have no single inserts.
    let forced = if has_forced_kernel() { 2 } else { 0 };
    assert_eq!(rows.len(), (12 + forced) * 6 - 2 + (13 + forced) * 6 - 2);
    for row in rows {
        let (least, median, most) =
            (row["ns_min"].as_f64().unwrap(), row["ns"].as_f64().unwrap(), row["ns_max"].as_f64().unwrap());
        assert!(0.0 < least && least <= median && median <= most, "{row}");
        assert_eq!(row["rival"].is_null(), !row["kernel"].is_null(), "{row}");
        assert_eq!(row["rival"].is_null(), row["version"].is_null(), "{row}");
        assert!(row["ratio_to_ours"].as_f64().unwrap() > 0.0, "{row}");
        let (roofline, ratio) = (row["roofline_ns"].as_f64().unwrap(), row["ratio"].as_f64().unwrap());
        assert!(roofline > 0.0 && ratio > 0.0, "{row}");
        assert_eq!(row["hit_rate"].is_null(), row["op"].as_str().unwrap().starts_with("insert"), "{row}");
    }
}

/// The roofline hashes integers.
#[test]
fn strings_have_no_roofline() {
    let (rows, _) = race::run::<[u8; 16]>(&plan(), KeyType::S16).unwrap();
    let json = serde_json::to_value(rows).unwrap();
    for row in json.as_array().unwrap() {
        assert!(row["roofline_ns"].is_null() && row["ratio"].is_null(), "{row}");
    }
}

/// Whether AVX2 runs beside a better kernel.
fn has_forced_kernel() -> bool {
    Kernel::available().skip(1).any(|kernel| kernel.name() == "avx2")
}

/// A scheme and a kernel tell our rows apart, so that each can be set against a rival within one run.
#[test]
fn every_scheme_and_kernel_of_ours_has_its_rows() {
    let (rows, notes) = race::run::<u64>(&plan(), KeyType::U64).unwrap();
    let report = serde_json::to_value(Report::new(rows, notes)).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let kernels: &[&str] =
        if has_forced_kernel() { &[Kernel::best().name(), "avx2"] } else { &[Kernel::best().name()] };
    for scheme in ["block512", "split-block"] {
        for kernel in kernels {
            for (bytes, op) in [16 << 10, 2 << 20].into_iter().flat_map(|bytes| {
                ["insert_bulk", "insert_single", "lookup_bulk", "lookup_single"].map(|op| (bytes, op))
            }) {
                let is_this = |row: &&Value| {
                    row["scheme"] == scheme
                        && row["kernel"] == *kernel
                        && row["filter_bytes"] == bytes
                        && row["op"] == op
                        && row["pages"] == "ordinary"
                };
                let hit_rates = if op.starts_with("insert") { 1 } else { 2 };
                assert_eq!(rows.iter().filter(is_this).count(), hit_rates, "{scheme} {kernel} {bytes} {op}");
            }
        }
    }
    let by_rivals = |row: &&Value| row["rival"].is_string() && row["scheme"] == "split-block";
    assert!(rows.iter().any(|row| by_rivals(&row) && row["rival"] == "sbbf-rs-safe"));
}

#[test]
fn tables_have_at_most_100_columns() {
    let (rows, notes) = race::run::<u64>(&plan(), KeyType::U64).unwrap();
    let text = Report::new(rows, notes).to_text();
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn who_sits_out_is_said() {
    let short = Plan { fill_limit: Duration::from_nanos(1), ..plan() };
    let (_, notes) = race::run::<u64>(&short, KeyType::U64).unwrap();
    assert!(
        notes.iter().any(|note| note.starts_with("2 MiB, u64: fastbloom left out: it takes about")),
        "{notes:?}"
    );
    let poor = Plan { memory: 10 << 20, ..plan() };
    let (rows, notes) = race::run::<u64>(&poor, KeyType::U64).unwrap();
    assert!(rows.iter().all(|row| row.filter_bytes == 16 << 10));
    assert!(notes[0].starts_with("2 MiB, u64: left out: it takes"), "{notes:?}");
}
