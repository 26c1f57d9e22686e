//! The report as one page that needs nothing else.

mod axis;
mod chart;
mod ink;
mod plots;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::report::{Report, Row};
use super::table::figure;
use crate::failure::Failure;
use crate::output;
use chart::{Chart, Series};
use plots::Section;

const STYLE: &str = include_str!("style.css");

pub(super) fn html(report: &Report) -> Result<String, Failure> {
    let sections = plots::sections(report).iter().map(section).collect::<Result<Vec<_>, _>>()?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "bloomline bench, " (report.machine) ", " (report.date) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (head(report))
                @for section in &sections { (section) }
                (table(&report.rows))
            }
        }
    };
    Ok(page.into_string())
}

fn head(report: &Report) -> Markup {
    let caches = report.caches.iter().map(|cache| format!("L{} {}", cache.level, output::size(cache.bytes)));
    let caches = caches.collect::<Vec<_>>().join(", ");
    let facts = [
        ("machine", report.machine.clone()),
        ("caches", if caches.is_empty() { "unknown".into() } else { caches }),
        ("date", report.date.clone()),
        ("version", format!("bloomline {}", report.version)),
        ("kernels", report.kernels.join(", ")),
        ("command", report.command.clone()),
    ];
    html! {
        header {
            h1 { "bloomline bench" }
            p {
                "Blocked Bloom filters with every kernel, the bit-array reference, and the roofline: hashing the same keys \
                 and loading one word of each key’s line, which no filter of one cache line per key can do without. \
                 Each of " (report.rounds) " rounds times everything once, after an untimed run, on batches of "
                (output::count(report.batch as u64)) " keys. The reference has no call for many keys: its bulk is a loop. \
                 False-positive rates are measured with " (output::count(report.probes)) " absent keys."
            }
            dl { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } }
            @if !report.notes.is_empty() {
                ul.notes { @for note in &report.notes { li { (note) } } }
            }
        }
    }
}

fn section(section: &Section) -> Result<Markup, Failure> {
    let figures = section.charts.iter().map(figure_of).collect::<Result<Vec<_>, _>>()?;
    Ok(html! {
        @if !figures.is_empty() {
            section {
                h2 { (section.title) }
                div.charts { @for figure in &figures { (figure) } }
            }
        }
    })
}

fn figure_of(chart: &Chart) -> Result<Markup, Failure> {
    let svg = chart.svg()?;
    Ok(html! {
        figure id=(chart.id) {
            h3 { (chart.title) }
            ul.legend { @for series in &chart.series { (legend(series)) } }
            div.plot tabindex="0" role="group" aria-label=(chart.title) { (PreEscaped(svg)) }
            figcaption { (chart.caption) }
        }
    })
}

/// A piece of the line with its mark, and the name.
fn legend(series: &Series) -> Markup {
    const MARK: f64 = 4.5;
    let colour = series.ink.variable();
    let corner = |&(x, y): &(f64, f64)| format!("{:.1},{:.1}", 16.0 + MARK * x, 8.0 + MARK * y);
    let corners = series.ink.shape().iter().map(corner).collect::<Vec<_>>().join(" ");
    html! {
        li {
            svg viewBox="0 0 32 16" width="32" height="16" aria-hidden="true" {
                polyline points="0,8 32,8" fill="none" stroke=(colour) stroke-width="2" {}
                @if !corners.is_empty() { polygon points=(corners) fill=(colour) {} }
            }
            (series.name)
        }
    }
}

fn table(rows: &[Row]) -> Markup {
    const HEADER: [&str; 15] = [
        "operation",
        "kernel",
        "scheme",
        "size",
        "bits per key",
        "k",
        "present",
        "threads",
        "pages",
        "false positives",
        "ns a key",
        "least",
        "most",
        "roofline",
        "ratio",
    ];
    html! {
        details {
            summary { "All " (rows.len()) " rows" }
            div.rows tabindex="0" {
                table {
                    thead { tr { @for name in HEADER { th scope="col" { (name) } } } }
                    tbody { @for row in rows { tr { @for cell in cells(row) { td { (cell) } } } } }
                }
            }
        }
    }
}

fn cells(row: &Row) -> [String; 15] {
    let (contestant, times) = (&row.contestant, &row.times);
    [
        row.op.title().into(),
        contestant.kernel.into(),
        contestant.scheme.into(),
        output::size(contestant.filter_bytes),
        format!("{:.2}", contestant.bits_per_key),
        contestant.k.to_string(),
        row.hit_rate.map_or(String::new(), |rate| format!("{rate} %")),
        row.threads.to_string(),
        contestant.pages.into(),
        output::rate(contestant.fpr),
        figure(times.ns),
        figure(times.ns_min),
        figure(times.ns_max),
        figure(times.roofline_ns),
        figure(times.ratio),
    ]
}
