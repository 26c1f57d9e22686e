//! The page: plots with their legends, and all rows. One file that needs no network and no script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::plots::{COLOURS, Plot, Series};
use super::rates;
use super::report::{HEADER, Op, Report, Row};
use crate::failure::{Context, Failure};
use crate::output;

/// The marker of each style, in the order in which the plots draw them.
const MARKERS: [&str; 4] = ["●", "▲", "■", "✕"];

/// The style of what is compared with: the reference and the roofline.
const ROOFLINE: usize = 6;
const REFERENCE: usize = 7;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #222; --grid: #ddd; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --grid: #444; --ground: #181818; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 60rem; margin: 0 auto; padding: 1rem; }
figure { margin: 2rem 0; }
figcaption { max-width: 45rem; }
h2 { font-size: 1.2rem; margin-bottom: 0.2rem; }
.scroll { overflow-x: auto; }
svg { display: block; width: 100%; min-width: 40rem; height: auto; }
ul.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.1rem 0.8rem 0.1rem 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
thead th { border-bottom: 1px solid var(--ink); }
summary { cursor: pointer; margin: 0.5rem 0; }
";

pub(super) fn html(report: &Report) -> Result<String, Failure> {
    let figures = plots(report)
        .iter()
        .map(|plot| Ok(figure(plot, &plot.svg().about("plot")?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let Report { machine, date, version, bits_per_key, .. } = report;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "bloomline bench" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "bloomline bench" }
                p { "bloomline " (version) ", " (machine) ", " (date) "." br;
                    (format!("{bits_per_key:.2}")) " bits per key, 64-bit keys. Times are medians over interleaved rounds." br;
                    "Made by " code { (command()) } }
                p {
                    @for cache in &report.caches { "L" (cache.level) " " (output::memory(cache.bytes)) " " }
                    @if report.caches.is_empty() { "The system does not tell the sizes of its caches." }
                }
                @for figure in &figures { (figure) }
                @for (title, rows) in report.tables() { (details(&title, HEADER, rows.into_iter().map(Row::cells))) }
                (details(
                    "False-positive rates",
                    ["", "bits per key", "k", "rate", "interval", "exact"],
                    report.rates.iter().map(super::rates::Point::cells),
                ))
                @for note in &report.notes { p { "Note: " (note) "." } }
            }
        }
    };
    Ok(page.into_string())
}

fn command() -> String {
    std::iter::once("bloomline".into()).chain(std::env::args().skip(1)).collect::<Vec<_>>().join(" ")
}

fn figure(plot: &Plot, svg: &str) -> Markup {
    html! {
        figure {
            h2 { (plot.title) }
            figcaption { (plot.caption) }
            ul class="legend" {
                @for series in &plot.series {
                    @let (red, green, blue) = COLOURS[series.style % COLOURS.len()];
                    li {
                        span style=(format!("color:rgb({red},{green},{blue})")) aria-hidden="true" {
                            (if series.is_curve { "—" } else { MARKERS[series.style % MARKERS.len()] })
                        }
                        " " (series.name)
                    }
                }
            }
            div class="scroll" { (PreEscaped(svg)) }
        }
    }
}

fn details<const N: usize>(
    title: &str,
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> Markup {
    html! {
        details {
            summary { (title) }
            div class="scroll" {
                table {
                    thead { tr { @for cell in header { th scope="col" { (cell) } } } }
                    tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
                }
            }
        }
    }
}

fn plots(report: &Report) -> Vec<Plot> {
    let mut plots = Vec::new();
    let Some(first) = report.rows.iter().find(|row| row.op == Op::LookupBulk) else { return plots };
    let hit_rate = first.hit_rate.unwrap_or(0);
    let is_shown = |row: &&Row| row.op == Op::LookupBulk && row.threads == first.threads;
    let shown: Vec<&Row> = report.rows.iter().filter(is_shown).collect();
    let with_hit_rate: Vec<&Row> =
        shown.iter().copied().filter(|row| row.hit_rate == Some(hit_rate)).collect();
    let marks: Vec<_> =
        report.caches.iter().map(|cache| (cache.bytes as f64, format!("L{}", cache.level))).collect();
    let work = format!("Bulk lookups, {hit_rate} % of the keys present, {} thread(s).", first.threads);
    for scheme in schemes(&shown) {
        let of_scheme: Vec<&Row> = with_hit_rate
            .iter()
            .copied()
            .filter(|row| row.scheme == scheme || row.kernel == "reference")
            .collect();
        let mut series = lines(&of_scheme, |row| (row.filter_bytes as f64, row.ns));
        series.push(Series {
            name: "roofline".into(),
            points: points(with_hit_rate.iter().map(|row| (row.filter_bytes as f64, row.roofline_ns))),
            intervals: Vec::new(),
            is_curve: false,
            style: ROOFLINE,
        });
        plots.push(Plot {
            title: format!("Time by filter size, {scheme}"),
            caption: format!("{work} The reference is a plain bit array; the roofline is the least that any filter of one line \
                              per key can take: it hashes the keys and loads a word of their lines."),
            x_name: "filter size",
            y_name: "ns per key",
            is_bytes: true,
            is_log: true,
            series,
            marks: marks.clone(),
        });
    }
    for scheme in schemes(&shown) {
        let of_scheme: Vec<&Row> = with_hit_rate.iter().copied().filter(|row| row.scheme == scheme).collect();
        plots.push(Plot {
            title: format!("Distance from the roofline, {scheme}"),
            caption: format!(
                "{work} The time as a multiple of the roofline's in the same round: 1 is the limit."
            ),
            x_name: "filter size",
            y_name: "time ÷ roofline",
            is_bytes: true,
            is_log: false,
            series: lines(&of_scheme, |row| (row.filter_bytes as f64, row.ratio)),
            marks: marks.clone(),
        });
    }
    plots.push(rate_plot(report));
    for bytes in [shown.first(), shown.last()].into_iter().flatten().map(|row| row.filter_bytes) {
        let of_size: Vec<&Row> = shown
            .iter()
            .copied()
            .filter(|row| {
                row.filter_bytes == bytes && (row.scheme == first.scheme || row.kernel == "reference")
            })
            .collect();
        let size = output::memory(bytes);
        if plots.iter().any(|plot| plot.title.ends_with(&size)) {
            continue;
        }
        plots.push(Plot {
            title: format!("Throughput by hit rate, {}, {size}", first.scheme),
            caption: format!("Bulk lookups in filters of {size}, {} thread(s). A branch on each answer would be guessed worst at \
                              50 %; the kernels have none.", first.threads),
            x_name: "keys that are present, %",
            y_name: "million lookups per second",
            is_bytes: false,
            is_log: true,
            series: lines(&of_size, |row| (f64::from(row.hit_rate.unwrap_or(0)), 1e3 / row.ns)),
            marks: Vec::new(),
        });
    }
    plots
}

fn rate_plot(report: &Report) -> Plot {
    let mut series = Vec::new();
    let mut known: Vec<&str> = report.rates.iter().map(|point| point.scheme).collect();
    known.dedup();
    for (style, scheme) in known.into_iter().enumerate() {
        let of_scheme = || report.rates.iter().filter(move |point| point.scheme == scheme);
        let ends = || of_scheme().map(|point| point.bits_per_key);
        let (least, most) = (ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max));
        let curve = (0..=56).map(|i| least + (most - least) * f64::from(i) / 56.0);
        series.push(Series {
            name: format!("{scheme}, exact"),
            points: curve.filter_map(|bits| Some((bits, rates::exact(scheme, bits)?))).collect(),
            intervals: Vec::new(),
            is_curve: true,
            style,
        });
        series.push(Series {
            name: format!("{scheme}, measured"),
            points: of_scheme()
                .map(|point| (point.bits_per_key, point.rate))
                .filter(|point| point.1 > 0.0)
                .collect(),
            intervals: of_scheme()
                .filter(|point| point.rate > 0.0)
                .map(|point| [point.low, point.high])
                .collect(),
            is_curve: false,
            style,
        });
    }
    Plot {
        title: "False positives by memory".into(),
        caption: "Measured with absent keys, with the exact 99.9 % intervals of Clopper and Pearson, over the exact expected rates \
                  of large filters: blocked with k = 8, and classic with the best k."
            .into(),
        x_name: "bits per key",
        y_name: "false-positive rate",
        is_bytes: false,
        is_log: true,
        series,
        marks: Vec::new(),
    }
}

fn schemes(rows: &[&Row]) -> Vec<&'static str> {
    let mut schemes = Vec::new();
    for row in rows.iter().filter(|row| row.kernel != "reference") {
        if !schemes.contains(&row.scheme) {
            schemes.push(row.scheme);
        }
    }
    schemes
}

/// A line for every contestant; kernels keep their style, whatever the scheme.
fn lines(rows: &[&Row], point: impl Fn(&Row) -> (f64, f64)) -> Vec<Series> {
    let mut kernels: Vec<&str> = Vec::new();
    let mut series: Vec<(String, Series)> = Vec::new();
    for row in rows {
        if !kernels.contains(&row.kernel) {
            kernels.push(row.kernel);
        }
        let place = kernels.iter().position(|&kernel| kernel == row.kernel).unwrap_or(0);
        let style = if row.kernel == "reference" { REFERENCE } else { place };
        let name = row.name();
        match series.iter_mut().find(|(known, _)| *known == name) {
            Some((_, line)) => line.points.push(point(row)),
            None => series.push((
                name.clone(),
                Series { name, points: vec![point(row)], intervals: Vec::new(), is_curve: false, style },
            )),
        }
    }
    series.into_iter().map(|(_, line)| Series { points: points(line.points.into_iter()), ..line }).collect()
}

/// In order, the first of those that share an x.
fn points(all: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut points: Vec<_> = all.collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.dedup_by(|later, first| later.0 == first.0);
    points
}
