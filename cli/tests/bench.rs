//! `bloomline bench`: what it prints. Nothing here depends on how long anything takes.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use bloomline::sizing::{blocked, classic, split};
use statrs::distribution::{Beta, ContinuousCDF};
use support::{Directory, measured_bench, number, numbers, refused, run, text};

const KERNELS: [&str; 2] = ["scalar", "portable"];
const SIZES: [u64; 2] = [4 << 10, 64 << 10];
const HIT_RATES: [u64; 3] = [0, 1, 100];
const THREADS: [u64; 2] = [1, 3];
const ROUNDS: usize = 5;

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[track_caller]
fn assert_close(got: f64, wanted: f64, tolerance: f64) {
    assert!((got / wanted - 1.0).abs() <= tolerance, "{got} is not {wanted}");
}

/// k, the rate that theory expects of a filter at 10 bits per key, and its relative standard deviation between filters.
fn theory(scheme: &str, items: u64, bytes: u64) -> (u64, f64, f64) {
    let of = |k, rate, spread| (k, rate, spread);
    match scheme {
        "block512" => {
            let blocks = bytes / 64;
            of(8, blocked::rate(items, blocks, 8).unwrap(), blocked::spread(items, blocks, 8).unwrap())
        }
        "split-block" => {
            let blocks = bytes / 32;
            of(8, split::rate(items, blocks).unwrap(), split::spread(items, blocks).unwrap())
        }
        // Half of the bits are set, give or take the square root of a quarter of them at most, and the rate is the seventh
        // power of that part; double hashing adds 2 % at most.
        "classic" => {
            let spread = 7.0 / (8.0 * bytes as f64).sqrt() + 0.02;
            of(7, classic::rate_exact(items, 8 * bytes, 7), spread)
        }
        other => panic!("{other}"),
    }
}

/// Whether `found` of `probes` is what 99.9 % of all experiments give, by exact intervals, when the rate may be off by four
/// standard deviations between filters.
#[track_caller]
fn assert_rate(found: f64, probes: f64, rate: f64, spread: f64) {
    let beta = |a, b, p| Beta::new(a, b).unwrap().inverse_cdf(p);
    let low = beta(found, probes - found + 1.0, 0.0005);
    let high = beta(found + 1.0, probes - found, 0.9995);
    let room = 1.0 + 4.0 * spread;
    assert!(low <= rate * room && rate / room <= high, "{found} of {probes} for a rate of {rate}");
}

#[test]
fn rows_hold_what_is_known() {
    let (report, _) = measured_bench("--hit-rates 0,1,100 --threads 1,3 --pages ordinary");
    let rows = report["rows"].as_array().unwrap();
    // Two kernels on two schemes and the reference; lookups at all hit rates and numbers of threads, inserts on one thread.
    let contestants = 2 * KERNELS.len() + 1;
    let works = HIT_RATES.len() * THREADS.len() + 1;
    assert_eq!(rows.len(), SIZES.len() * contestants * 2 * works);
    let distinct: BTreeSet<String> = rows
        .iter()
        .map(|row| {
            ["kernel", "scheme", "op", "filter_bytes", "hit_rate", "threads"]
                .map(|name| row[name].to_string())
        })
        .map(|parts| parts.join(" "))
        .collect();
    assert_eq!(distinct.len(), rows.len());

    for row in rows {
        let (samples, rooflines) = (numbers(&row["samples"]), numbers(&row["roofline_samples"]));
        assert_eq!((samples.len(), rooflines.len()), (ROUNDS, ROUNDS));
        assert!(samples.iter().chain(&rooflines).all(|&time| time > 0.0), "{row}");
        let ratios = samples.iter().zip(&rooflines).map(|(time, roofline)| time / roofline).collect();
        for (name, expected) in [
            ("ratio", middle(ratios)),
            ("ns", middle(samples.clone())),
            ("ns_min", samples.iter().copied().fold(f64::INFINITY, f64::min)),
            ("ns_max", samples.iter().copied().fold(0.0, f64::max)),
            ("roofline_ns", middle(rooflines)),
        ] {
            // Reading a number back can take its last digit.
            assert_close(number(row, name), expected, 1e-12);
        }

        let bytes = row["filter_bytes"].as_u64().unwrap();
        assert!(SIZES.contains(&bytes));
        let items = bytes * 8 / 10;
        assert_close(number(row, "bits_per_key"), (bytes * 8) as f64 / items as f64, 1e-12);
        let scheme = row["scheme"].as_str().unwrap();
        let (k, rate, spread) = theory(scheme, items, bytes);
        assert_eq!(row["k"].as_u64(), Some(k));
        let probes = number(&report, "probes");
        assert!(probes >= 1e6);
        assert_rate((number(row, "fpr") * probes).round(), probes, rate, spread);
        assert_eq!(row["kernel"] == "reference", scheme == "classic");
        assert!(row["kernel"] == "reference" || KERNELS.contains(&row["kernel"].as_str().unwrap()));
        assert_eq!((row["key_type"].as_str(), row["pages"].as_str()), (Some("u64"), Some("ordinary")));

        let is_insert = row["op"].as_str().unwrap().starts_with("insert_");
        assert!(
            ["insert_bulk", "insert_single", "lookup_bulk", "lookup_single"]
                .contains(&row["op"].as_str().unwrap())
        );
        assert_eq!(row["hit_rate"].is_null(), is_insert);
        assert!(is_insert || HIT_RATES.contains(&row["hit_rate"].as_u64().unwrap()));
        assert!(THREADS[..if is_insert { 1 } else { 2 }].contains(&row["threads"].as_u64().unwrap()));
    }

    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((report["rounds"].as_u64(), report["seed"].as_u64()), (Some(ROUNDS as u64), Some(0)));
    assert!(report["machine"].as_str().unwrap().contains(std::env::consts::ARCH));
    let date = report["date"].as_str().unwrap();
    assert!(date.len() == 20 && date.starts_with("20") && date.ends_with('Z'), "{date}");
    assert!(report["command"].as_str().unwrap().starts_with("bloomline bench --quick --sizes 64K,4K "));
}

#[test]
fn measured_rates_lie_on_the_curves() {
    let (report, _) = measured_bench("--hit-rates 0 --bits-per-key 16 --threads 2");
    let points = report["rates"].as_array().unwrap();
    assert_eq!(points.len(), 3 * 6);
    for point in points {
        let count = |name: &str| point[name].as_u64().unwrap();
        let (items, bits) = (count("items"), number(point, "bits_per_key"));
        let bytes = (items as f64 * bits / 8.0).round() as u64;
        let (rate, spread) = match point["scheme"].as_str().unwrap() {
            "classic" => {
                let k = (bits * std::f64::consts::LN_2).round();
                assert_eq!(number(point, "k"), k);
                // The textbook's formula, which is off by less than its own double hashing for so many bits.
                ((1.0 - (-k / bits).exp()).powf(k), 0.01)
            }
            scheme => {
                let (k, rate, spread) = theory(scheme, items, bytes);
                assert_eq!(count("k"), k);
                (rate, spread)
            }
        };
        assert_close(number(point, "exact"), rate, 1e-3);
        assert_rate(number(point, "found"), number(point, "probes"), rate, spread);
        assert_close(number(point, "rate"), number(point, "found") / number(point, "probes"), 1e-12);
        assert!(
            number(point, "low") < number(point, "rate") && number(point, "rate") < number(point, "high")
        );
    }
    // Filters on two threads take no inserts, and are as full as they were asked to be.
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), SIZES.len() * (2 * KERNELS.len() + 1) * 2);
    assert!(rows.iter().all(|row| (number(row, "bits_per_key") - 16.0).abs() < 0.02));
    assert!(report["notes"].to_string().contains("no inserts"), "{}", report["notes"]);
}

/// The reference, which lies in ordinary pages, and filters that get no huge ones have their rows once.
#[test]
fn no_row_comes_twice_with_both_kinds_of_pages() {
    let (report, _) = measured_bench("--hit-rates 0 --sizes 4M --pages huge,ordinary --kernels scalar");
    let mut rows: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for row in report["rows"].as_array().unwrap() {
        let name = ["kernel", "scheme", "op", "filter_bytes"].map(|name| row[name].to_string()).join(" ");
        rows.entry(name).or_default().push(row["pages"].as_str().unwrap());
    }
    // Lookups and inserts, each in two ways, for every contestant and size.
    assert_eq!(rows.len(), 3 * (2 * KERNELS.len() + 1) * 4);
    let given = !report["notes"].to_string().contains("no huge pages");
    for (name, mut pages) in rows {
        pages.sort_unstable();
        let is_huge = given && name.ends_with(&(4 << 20).to_string()) && !name.contains("reference");
        assert_eq!(pages, if is_huge { vec!["huge", "ordinary"] } else { vec!["ordinary"] }, "{name}");
    }
}

#[test]
fn a_rate_fills_every_filter_until_it_has_it() {
    let (report, page) = measured_bench("--hit-rates 100 --fpr 0.001 --schemes block512");
    for row in report["rows"].as_array().unwrap() {
        // 15.72 and 14.38 bits per key, by theory, for large filters.
        let bits = if row["scheme"] == "classic" { 14.38 } else { 15.72 };
        assert_close(number(row, "bits_per_key"), bits, 0.002);
        assert!(row["scheme"] != "split-block");
        let probes = number(&report, "probes");
        assert_rate((number(row, "fpr") * probes).round(), probes, 0.001, 0.05);
    }
    assert!(page.contains("block512") && !page.contains("split-block"));
}

#[test]
fn the_table_has_a_row_for_each_contestant() {
    let options = "bench --quick --sizes 16K --hit-rates 50 --kernels scalar --threads 1,2";
    let table = text(&run(&options.split(' ').collect::<Vec<_>>()));
    for part in
        ["16 KiB, inserts, 1 thread", "16 KiB, lookups, 50 % present, 2 threads", "roofline", "reference"]
    {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert_eq!(table.matches(" scalar block512 ").count(), 3);
    for line in table.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn bad_values_are_refused_before_anything_is_measured_bench() {
    let directory = Directory::new();
    let nowhere = directory.path("no/such/page.html");
    for (options, parts) in [
        ("--sizes 0", ["'0'", "from 4096 to 68719476736"]),
        ("--sizes 4K,", ["''", "--sizes"]),
        ("--sizes 100", ["'100'", "multiple of 64"]),
        ("--sizes 65G", ["'65G'", "from 4096 to 68719476736"]),
        ("--sizes -16K", ["-1", ""]),
        ("--sizes NaN", ["NaN", "--sizes"]),
        ("--sizes 99999999999999999999G", ["99999999999999999999G", "68719476736"]),
        ("--sizes 64G", ["split-block of 64 GiB: ", "limit"]),
        ("--sizes 64G --schemes block512", ["memory: ", "available"]),
        ("--sizes 16K --threads 1024 --kernels scalar --hit-rates 101", ["101", "0..=100"]),
        ("--hit-rates -1", ["-1", "--hit-rates"]),
        ("--hit-rates ,", ["''", "--hit-rates"]),
        ("--kernels abacus", ["--kernels: ", "available: "]),
        ("--kernels scalar,", ["--kernels: ", "\"\""]),
        ("--schemes abacus", ["abacus", "split-block"]),
        ("--threads 0", ["'0'", "1..=1024"]),
        ("--threads 1025", ["1025", "1..=1024"]),
        ("--fpr 2", ["false-positive rate 2.0 ", "--fpr: "]),
        ("--fpr 0", ["false-positive rate 0.0 ", "--fpr: "]),
        ("--fpr NaN", ["false-positive rate NaN ", "--fpr: "]),
        ("--fpr 0.9", ["--fpr: ", "from 5 to 64"]),
        ("--fpr 1e-15", ["--fpr: ", ""]),
        ("--bits-per-key 0", ["--bits-per-key: 0 ", "from 5 to 64"]),
        ("--bits-per-key -1", ["--bits-per-key: -1 ", "from 5 to 64"]),
        ("--bits-per-key NaN", ["--bits-per-key: NaN ", "from 5 to 64"]),
        ("--bits-per-key inf", ["--bits-per-key: inf ", "from 5 to 64"]),
        ("--bits-per-key 1e-9", ["--bits-per-key: ", "from 5 to 64"]),
        ("--bits-per-key 10 --fpr 0.01", ["--bits-per-key", "--fpr"]),
        ("--pages tiny", ["tiny", "ordinary"]),
        ("--seed -1", ["-1", ""]),
    ] {
        let args: Vec<_> = ["bench"].into_iter().chain(options.split(' ')).collect();
        refused(&run(&args), &parts);
    }
    refused(&run(&["bench", "--html", &nowhere]), &[&nowhere, "No such file"]);
    refused(&run(&["bench", "--html", &directory.path("")]), &["directory"]);
    assert_eq!(directory.files(), Vec::<String>::new());
}
