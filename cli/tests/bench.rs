//! `bloomline bench`: what it prints, and the page that it writes. Nothing here depends on how long anything takes.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Stdio;

use bloomline::sizing::{blocked, classic, split};
use roxmltree::{Document, Node};
use serde_json::Value;
use statrs::distribution::{Beta, ContinuousCDF};
use support::{Directory, command, full_disk, is_ignored, json, refused, run, send, text};

const KERNELS: [&str; 2] = ["scalar", "portable"];
const SIZES: [u64; 2] = [4 << 10, 64 << 10];
const HIT_RATES: [u64; 3] = [0, 1, 100];
const THREADS: [u64; 2] = [1, 3];
const ROUNDS: usize = 5;

/// The report of a run that the tests below share in kind, not in time, and its page.
fn measured(more: &str) -> (Value, String) {
    let directory = Directory::new();
    let page = directory.path("page.html");
    let options =
        format!("bench --quick --sizes 64K,4K --kernels scalar,portable {more} --json --html {page}");
    let report = json(&run(&options.split_whitespace().collect::<Vec<_>>()));
    assert_eq!(directory.files(), ["page.html"]);
    (report, fs::read_to_string(page).unwrap())
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name} of {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

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
    let (report, _) = measured("--hit-rates 0,1,100 --threads 1,3 --pages ordinary");
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
    let (report, _) = measured("--hit-rates 0 --bits-per-key 16 --threads 2");
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
    let (report, _) = measured("--hit-rates 0 --sizes 4M --pages huge,ordinary --kernels scalar");
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
    let (report, page) = measured("--hit-rates 100 --fpr 0.001 --schemes block512");
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

/// The elements with this name, wherever they are.
fn all<'a, 'b: 'a>(node: Node<'a, 'b>, name: &'a str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.descendants().filter(move |node| node.tag_name().name() == name)
}

/// The figures of a page as XML, by their ids. What is not closed in HTML is outside of them.
fn figures(page: &str) -> BTreeMap<String, String> {
    let figures = page.split("<figure ").skip(1).map(|rest| {
        let (figure, _) = rest.split_once("</figure>").unwrap();
        let xml = format!("<figure {figure}</figure>");
        let document = Document::parse(&xml).unwrap();
        (document.root_element().attribute("id").unwrap().to_owned(), xml.clone())
    });
    figures.collect()
}

fn points(node: Node<'_, '_>) -> Vec<(f64, f64)> {
    let pairs = node.attribute("points").unwrap().split_whitespace();
    let point = |pair: &str| {
        let (x, y) = pair.split_once(',').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    pairs.map(point).collect()
}

/// The lines of a figure by the names of its legend.
fn lines(figure: Node<'_, '_>) -> BTreeMap<String, Vec<(f64, f64)>> {
    let plot = figure.descendants().find(|node| node.attribute("class") == Some("plot")).unwrap();
    let entries = all(figure, "li").map(|entry| {
        let colour = all(entry, "polyline").next().unwrap().attribute("stroke").unwrap();
        let is_it = |node: &Node<'_, '_>| node.attribute("stroke") == Some(colour) && points(*node).len() > 1;
        let line = all(plot, "polyline").filter(is_it).max_by_key(|node| points(*node).len());
        (
            entry.text().or(entry.last_child().unwrap().text()).unwrap().trim().to_owned(),
            points(line.unwrap()),
        )
    });
    entries.collect()
}

/// Asserts that pixels are a linear function of values: the one that the first and the last fix.
#[track_caller]
fn assert_linear(pairs: &[(f64, f64)]) {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((first, low), (last, high)) = (sorted[0], sorted[sorted.len() - 1]);
    assert!((high - low).abs() > 100.0, "{sorted:?}");
    for &(value, pixel) in &sorted {
        let expected = low + (value - first) / (last - first) * (high - low);
        assert!((pixel - expected).abs() < 2.0, "{value} lies at {pixel}, not at {expected}");
    }
}

#[test]
fn every_point_of_the_page_lies_where_the_rows_say() {
    let (report, page) = measured("--hit-rates 0,50,100");
    let rows = report["rows"].as_array().unwrap();
    let figures = figures(&page);
    let mut seen = 0;
    for (op, title) in [
        ("lookup_bulk", "lookups-in-bulk"),
        ("insert_bulk", "inserts-in-bulk"),
        ("lookup_single", "lookups-one-at-a-time"),
        ("insert_single", "inserts-one-at-a-time"),
    ] {
        for scheme in ["block512", "split-block"] {
            let row = |kernel: &str, bytes: u64, hit_rate: u64| {
                let is_it = |row: &&Value| {
                    row["op"] == op
                        && row["kernel"] == kernel
                        && (row["scheme"] == scheme || kernel == "reference")
                        && row["filter_bytes"] == bytes
                        && row["hit_rate"].as_u64().unwrap_or(hit_rate) == hit_rate
                };
                rows.iter().find(is_it).unwrap()
            };
            let is_bulk = op.ends_with("bulk");
            type Height = fn(&Value) -> f64;
            let value: [(&str, Height, Height); 2] = [
                ("time", |row| number(row, "ns").ln(), |row| number(row, "roofline_ns").ln()),
                ("ratio", |row| number(row, "ratio").ln(), |_| 0.0),
            ];
            for (what, kernel_value, roofline_value) in &value[..if is_bulk { 2 } else { 1 }] {
                let document = Document::parse(&figures[&format!("{what}-{title}-{scheme}-1-huge")]).unwrap();
                let lines = lines(document.root_element());
                assert_eq!(lines.len(), KERNELS.len() + 2, "{:?}", lines.keys());
                let (mut across, mut up) = (Vec::new(), Vec::new());
                for (name, line) in &lines {
                    assert_eq!(line.len(), SIZES.len());
                    for (&(x, y), bytes) in line.iter().zip(SIZES) {
                        across.push(((bytes as f64).ln(), x));
                        up.push(match name.as_str() {
                            "roofline" => (roofline_value(row(KERNELS[0], bytes, 0)), y),
                            kernel => (kernel_value(row(kernel, bytes, 0)), y),
                        });
                    }
                }
                // The ticks are on the same scale as the points.
                for label in all(document.root_element(), "text") {
                    let text = label.text().unwrap_or("").trim();
                    let at = |name| label.attribute(name).unwrap().parse::<f64>().unwrap();
                    if let Some(kib) = text.strip_suffix(" KiB").filter(|text| !text.starts_with('L')) {
                        across.push(((kib.parse::<f64>().unwrap() * 1024.0).ln(), at("x")));
                    } else if let Ok(value) = text.parse::<f64>() {
                        up.push((value.ln(), at("y")));
                    }
                }
                assert!(across.len() > 4 * SIZES.len() + 2 && up.len() > 4 * SIZES.len(), "no ticks");
                assert_linear(&across);
                assert_linear(&up);
                seen += 1;
            }
            for bytes in SIZES.into_iter().filter(|_| op == "lookup_bulk") {
                let document =
                    Document::parse(&figures[&format!("throughput-{bytes}-{title}-{scheme}-1-huge")])
                        .unwrap();
                let lines = lines(document.root_element());
                let (mut across, mut up) = (Vec::new(), Vec::new());
                for (name, line) in &lines {
                    assert_eq!(line.len(), 3);
                    for (&(x, y), hit_rate) in line.iter().zip([0, 50, 100]) {
                        across.push((hit_rate as f64, x));
                        up.push((1000.0 / number(row(name, bytes, hit_rate), "ns"), y));
                    }
                }
                assert_eq!(lines.len(), KERNELS.len() + 1);
                assert_linear(&across);
                assert_linear(&up);
                seen += 1;
            }
        }
    }
    assert_eq!((seen, figures.len()), (8 + 4 + 4, seen + 1));

    // The measured rates, as marks; every mark is a polygon round its point.
    let document = Document::parse(&figures["rates"]).unwrap();
    let plot = document.descendants().find(|node| node.attribute("class") == Some("plot")).unwrap();
    let centres: Vec<(f64, f64)> = all(plot, "polygon")
        .map(|mark| {
            let corners = points(mark);
            let middle = |values: Vec<f64>| {
                (values.iter().copied().fold(f64::INFINITY, f64::min)
                    + values.iter().copied().fold(0.0, f64::max))
                    / 2.0
            };
            (middle(corners.iter().map(|c| c.0).collect()), middle(corners.iter().map(|c| c.1).collect()))
        })
        .collect();
    let measured = report["rates"].as_array().unwrap();
    assert_eq!(centres.len(), measured.len());
    let across: Vec<_> = measured
        .iter()
        .zip(&centres)
        .map(|(point, centre)| (number(point, "bits_per_key"), centre.0))
        .collect();
    let up: Vec<_> =
        measured.iter().zip(&centres).map(|(point, centre)| (number(point, "rate").ln(), centre.1)).collect();
    assert_linear(&across);
    assert_linear(&up);
}

#[test]
fn the_page_needs_nothing_else() {
    let (report, page) = measured("--hit-rates 0 --kernels scalar");
    assert!(page.starts_with("<!DOCTYPE html>"));
    // But for the tags that HTML does not close, the page is XML.
    let closed = page.replace("<!DOCTYPE html>", "").split("<meta ").enumerate().fold(
        String::new(),
        |all, (i, part)| {
            if i == 0 {
                return all + part;
            }
            let (tag, rest) = part.split_once('>').unwrap();
            format!("{all}<meta {tag}/>{rest}")
        },
    );
    let document = Document::parse(&closed).unwrap_or_else(|error| panic!("{error}"));
    for node in document.descendants().filter(Node::is_element) {
        assert!(
            !["script", "link", "img", "iframe", "object", "image", "use"].contains(&node.tag_name().name())
        );
        for attribute in node.attributes() {
            assert!(!["src", "href", "srcset", "data"].contains(&attribute.name()), "{node:?}");
            assert!(!attribute.name().starts_with("on"), "{node:?}");
        }
    }
    let without_namespace = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for part in ["http:", "https:", "url(", "@import", "//"] {
        assert!(!without_namespace.contains(part), "{part}");
    }
    // Every colour is one of the style sheet, light and dark.
    for attribute in ["stroke", "fill"] {
        let values = document.descendants().filter_map(|node| node.attribute(attribute));
        for value in values.filter(|&value| value != "none") {
            let name = value
                .strip_prefix("var(")
                .and_then(|rest| rest.strip_suffix(')'))
                .unwrap_or_else(|| panic!("{value}"));
            assert_eq!(page.matches(&format!("{name}: #")).count(), 2, "{name}");
        }
    }
    let rows = report["rows"].as_array().unwrap().len();
    assert_eq!(all(document.root_element(), "tr").count(), rows + 1);
    for fact in ["machine", "date", "version", "command"] {
        assert!(page.contains(report[fact].as_str().unwrap()), "{fact}");
    }
}

#[test]
fn names_of_files_are_text_on_the_page() {
    let directory = Directory::new();
    let page = directory.path("<b>&\".html");
    text(&run(&[
        "bench",
        "--quick",
        "--sizes",
        "4K",
        "--hit-rates",
        "0",
        "--kernels",
        "scalar",
        "--html",
        &page,
    ]));
    let written = fs::read_to_string(&page).unwrap();
    assert!(written.contains("&lt;b&gt;&amp;") && !written.contains("<b>"));
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
fn the_page_can_go_to_standard_output() {
    let options = "bench --quick --sizes 4K --hit-rates 0 --kernels scalar --html -";
    let output = run(&options.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"<!DOCTYPE html>") && output.stdout.ends_with(b"</html>"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("roofline"));
    refused(&run(&["bench", "--json", "--html", "-"]), &["--html: ", "JSON"]);
}

#[test]
fn bad_values_are_refused_before_anything_is_measured() {
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

#[test]
fn a_page_that_cannot_be_written_is_told_and_no_other_is_lost() {
    if full_disk().is_none() {
        println!("skipped: /dev/full is not there");
        return;
    }
    let options = "bench --quick --sizes 4K --hit-rates 0 --kernels scalar --html /dev/full";
    refused(&run(&options.split(' ').collect::<Vec<_>>()), &["bloomline: /dev/full: ", "No space left"]);
}

/// Under another name, standard output still holds the page alone.
#[cfg(unix)]
#[test]
fn a_page_on_the_device_of_standard_output_is_alone_there() {
    let options = "bench --quick --sizes 4K --hit-rates 0 --kernels scalar --html /dev/stdout";
    let args: Vec<_> = options.split(' ').collect();
    let output = run(&args);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.ends_with(b"</html>\n") || output.stdout.ends_with(b"</html>"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("false-positive rates"));
    refused(&run(&[&args[..], &["--json"]].concat()), &["--html: ", "standard output holds the JSON"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_the_old_page_and_no_other_file() {
    for signal in ["INT", "TERM", "HUP"] {
        if is_ignored(signal) {
            println!("skipped: SIG{signal} is ignored here");
            continue;
        }
        let directory = Directory::new();
        let page = directory.write("page.html", "old");
        let mut child = command(&["bench", "--quick", "--sizes", "4M", "--html", &page])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The temporary file tells that the command is at work. It has seconds of it.
        while directory.files().len() < 2 {
            assert!(child.try_wait().unwrap().is_none(), "ended before it began");
        }
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "SIG{signal}");
        assert_eq!(directory.files(), ["page.html"]);
        assert_eq!(fs::read(&page).unwrap(), b"old");
    }
}
