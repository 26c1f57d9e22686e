//! The page of `bloomline bench`: that it shows what was measured, and where it is written.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;

use roxmltree::{Document, Node};
use serde_json::Value;
use support::{Directory, command, full_disk, is_ignored, measured_bench, number, refused, run, send, text};

const KERNELS: [&str; 2] = ["scalar", "portable"];
const SIZES: [u64; 2] = [4 << 10, 64 << 10];

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
    let (report, page) = measured_bench("--hit-rates 0,50,100");
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
    let (report, page) = measured_bench("--hit-rates 0 --kernels scalar");
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
fn the_page_can_go_to_standard_output() {
    let options = "bench --quick --sizes 4K --hit-rates 0 --kernels scalar --html -";
    let output = run(&options.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"<!DOCTYPE html>") && output.stdout.ends_with(b"</html>"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("roofline"));
    refused(&run(&["bench", "--json", "--html", "-"]), &["--html: ", "JSON"]);
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
