//! `bloomline bench`: what it prints and the page that it writes. Nothing here depends on how long anything takes.

mod support;

use std::fs;

use serde_json::Value;
use support::{Directory, json, refused, run, text};

const KERNELS: [&str; 2] = ["scalar", "portable"];
const SIZES: [u64; 2] = [16 << 10, 64 << 10];

fn report(page: &str) -> Value {
    let options = "--quick --sizes 16K,64K --hit-rates 0,50 --kernels scalar,portable --threads 1,2 --pages ordinary --json";
    let args: Vec<_> = ["bench"].into_iter().chain(options.split(' ')).chain(["--html", page]).collect();
    json(&run(&args))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn svgs(page: &str) -> Vec<&str> {
    page.split("<svg").skip(1).map(|rest| rest.split_once("</svg>").unwrap().0).collect()
}

#[test]
fn rows_and_page_hold_what_was_measured() {
    let directory = Directory::new();
    let page = directory.path("page.html");
    let report = report(&page);
    let rows = report["rows"].as_array().unwrap();

    // Two kernels on two schemes and the reference; lookups at two hit rates on one and two threads, inserts on one.
    let contestants = KERNELS.len() * 2 + 1;
    assert_eq!(rows.len(), SIZES.len() * contestants * (2 * 2 * 2 + 2));
    for row in rows {
        let samples = numbers(&row["samples"]);
        let rooflines = numbers(&row["roofline_samples"]);
        assert_eq!((samples.len(), rooflines.len()), (3, 3));
        assert!(samples.iter().chain(&rooflines).all(|&time| time > 0.0 && time.is_finite()), "{row}");
        let ratios = samples.iter().zip(&rooflines).map(|(time, roofline)| time / roofline).collect();
        for (name, expected) in [
            ("ratio", median(ratios)),
            ("ns", median(samples.clone())),
            ("ns_min", samples.iter().copied().fold(f64::INFINITY, f64::min)),
            ("ns_max", samples.iter().copied().fold(0.0, f64::max)),
            ("roofline_ns", median(rooflines)),
        ] {
            // Reading a number back can take its last digit.
            assert!((row[name].as_f64().unwrap() / expected - 1.0).abs() < 1e-12, "{name} of {row}");
        }
        assert!(SIZES.contains(&row["filter_bytes"].as_u64().unwrap()));
        assert_eq!((row["key_type"].as_str(), row["pages"].as_str()), (Some("u64"), Some("ordinary")));
        assert!((row["bits_per_key"].as_f64().unwrap() - 10.0).abs() < 0.01, "{row}");

        // Rates of 10 bits per key: of large filters, by the closed forms; filters of 16 KiB scatter by a few per cent.
        let (k, rate) = match row["scheme"].as_str().unwrap() {
            "block512" => (8, 0.010_5),
            "split-block" => (8, 0.012_6),
            "classic" => (7, 0.008_19),
            other => panic!("{other}"),
        };
        assert_eq!(row["k"].as_u64(), Some(k));
        assert!((row["fpr"].as_f64().unwrap() / rate - 1.0).abs() < 0.15, "{row}");

        let insert = row["op"].as_str().unwrap().starts_with("insert");
        assert_eq!(row["hit_rate"].is_null(), insert);
        assert!(!insert || row["threads"] == 1);
    }
    for field in ["machine", "date", "version", "caches", "notes"] {
        assert!(!report[field].is_null(), "{field}");
    }

    // Seven points for each scheme and the reference, each with the exact rate near its interval.
    let points = report["rates"].as_array().unwrap();
    assert_eq!(points.len(), 3 * 7);
    for point in points {
        let number = |name: &str| point[name].as_f64().unwrap();
        assert!((number("rate") - number("found") / number("probes")).abs() < 1e-12, "{point}");
        // The interval tells of this filter; filters scatter round the expectation.
        assert!(0.9 * number("low") < number("exact") && number("exact") < 1.1 * number("high"), "{point}");
    }

    let page = fs::read_to_string(page).unwrap();
    check_page(&page, rows);
    assert_eq!(directory.files(), ["page.html"]);
}

fn check_page(page: &str, rows: &[Value]) {
    // Nothing is fetched, and nothing runs.
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    for part in ["http:", "https:", "src=", "<script", "url(", "@import", "<link"] {
        assert!(!without_names.contains(part), "{part}");
    }
    // Time and ratio by scheme, rates, throughput of two sizes.
    let svgs = svgs(page);
    assert_eq!(svgs.len(), 2 + 2 + 1 + 2);
    for svg in &svgs {
        let svg = format!("<svg{svg}</svg>");
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert!(
            document
                .descendants()
                .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
                .count()
                > 5
        );
    }
    for kernel in KERNELS {
        for scheme in ["block512", "split-block"] {
            assert!(page.contains(&format!(" {kernel} {scheme}</li>")), "{kernel} {scheme}");
        }
    }
    assert!(page.contains(" roofline</li>") && page.contains(" reference classic</li>"));

    // In the plot of ratios, the circles are the first kernel: on a linear axis from 0 to 8 % above the highest value,
    // between 12 pixels from the top and 60 from the bottom.
    let ratios = |kernel: &str| -> Vec<f64> {
        let is_plotted = |row: &&Value| {
            row["kernel"] == kernel
                && row["scheme"] == "block512"
                && row["op"] == "lookup_bulk"
                && row["hit_rate"] == 0
                && row["threads"] == 1
        };
        rows.iter().filter(is_plotted).map(|row| row["ratio"].as_f64().unwrap()).collect()
    };
    let highest = KERNELS.iter().flat_map(|kernel| ratios(kernel)).fold(0.0, f64::max);
    let svg = format!("<svg{}</svg>", svgs[2]);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let circles = document.descendants().filter(|node| node.tag_name().name() == "circle");
    let heights: Vec<f64> = circles.map(|node| node.attribute("cy").unwrap().parse().unwrap()).collect();
    let expected: Vec<f64> =
        ratios(KERNELS[0]).iter().map(|ratio| 380.0 - 368.0 * ratio / (1.08 * highest)).collect();
    assert_eq!(heights.len(), expected.len());
    for (height, expected) in heights.iter().zip(&expected) {
        assert!((height - expected).abs() < 2.0, "{heights:?}, {expected:?}");
    }
}

#[test]
fn the_table_fits_100_columns() {
    let options = "bench --quick --sizes 16K --hit-rates 50 --kernels scalar --schemes split-block";
    let table = text(&run(&options.split(' ').collect::<Vec<_>>()));
    assert!(table.contains("scalar split-block") && table.contains("reference classic"), "{table}");
    assert!(!table.contains("block512"), "{table}");
    for line in table.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn bad_values_are_refused_before_anything_is_measured() {
    let directory = Directory::new();
    let lost = directory.path("no/such/page.html");
    for (options, parts) in [
        ("--sizes 0", ["'0'", "4K"]),
        ("--sizes 100", ["100", "multiple of 64"]),
        ("--sizes 99999999999999999999G", ["99999999999999999999G", "64G"]),
        ("--sizes 64G --quick", ["memory", "available"]),
        ("--hit-rates 101", ["101", "0..=100"]),
        ("--kernels abacus", ["abacus", "available: "]),
        ("--schemes abacus", ["abacus", "split-block"]),
        ("--threads 0", ["'0'", "1 to 1024"]),
        ("--threads 100000", ["100000", "1 to 1024"]),
        ("--fpr 2", ["2", "[1e-15, 1)"]),
        ("--fpr NaN", ["NaN", "[1e-15, 1)"]),
        ("--bits-per-key 0", ["0", "above 0"]),
        ("--bits-per-key NaN", ["NaN", "above 0"]),
        ("--bits-per-key 1e-9", ["memory", "available"]),
        ("--bits-per-key 10 --fpr 0.01", ["--bits-per-key", "--fpr"]),
        ("--pages tiny", ["tiny", "ordinary"]),
        ("--html .", [".", "directory"]),
    ] {
        let args: Vec<_> = ["bench"].into_iter().chain(options.split(' ')).collect();
        refused(&run(&args), &parts);
    }
    refused(&run(&["bench", "--html", &lost]), &[&lost, "No such file"]);
}
