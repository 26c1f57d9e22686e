//! Which charts there are, and what they show.

use super::super::filter::{Kind, Op};
use super::super::rates::{self, Curve};
use super::super::report::{Cache, REFERENCE, Report, Row};
use super::axis::Axis;
use super::chart::{Chart, Point, Series};
use super::ink::Ink;
use crate::output;

/// Charts of one question.
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) charts: Vec<Chart>,
}

pub(super) fn sections(report: &Report) -> Vec<Section> {
    let facets = facets(report);
    let bulk = || facets.iter().filter(|facet| matches!(facet.op, Op::LookupBulk | Op::InsertBulk));
    let lookups = || facets.iter().filter(|facet| facet.op == Op::LookupBulk);
    vec![
        Section {
            title: "Time per key against filter size",
            charts: facets.iter().map(Facet::time).collect(),
        },
        Section { title: "Ratio to the roofline", charts: bulk().map(Facet::ratio).collect() },
        Section {
            title: "Throughput against hit rate",
            charts: lookups().flat_map(Facet::throughput).collect(),
        },
        Section { title: "False-positive rate against bits per key", charts: vec![rates(report)] },
    ]
}

/// What the rows of one chart have in common.
struct Facet<'a> {
    report: &'a Report,
    op: Op,
    scheme: &'static str,
    /// A row of these pages and this number of threads.
    like: &'a Row,
}

/// In the order of the operations, then of the rows.
fn facets(report: &Report) -> Vec<Facet<'_>> {
    let mut facets: Vec<Facet<'_>> = Vec::new();
    for op in [Op::LookupBulk, Op::InsertBulk, Op::LookupSingle, Op::InsertSingle] {
        for row in report.rows.iter().filter(|row| row.op == op && row.contestant.kernel != REFERENCE) {
            let facet = Facet { report, op, scheme: row.contestant.scheme, like: row };
            if !facets.iter().any(|known| known.has(row)) {
                facets.push(facet);
            }
        }
    }
    facets
}

impl Facet<'_> {
    /// Whether a row of a kernel belongs here, at whatever size and hit rate.
    fn has(&self, row: &Row) -> bool {
        row.op == self.op
            && row.contestant.scheme == self.scheme
            && row.work.threads == self.like.work.threads
            && row.work.pages == self.like.work.pages
    }

    /// The rows of every kernel, then those of the reference, which has one kind of pages.
    fn lanes(&self) -> impl Iterator<Item = (&'static str, Ink, Vec<&Row>)> {
        let of = |kernel: &'static str| {
            self.report.rows.iter().filter(move |row| row.contestant.kernel == kernel).collect::<Vec<_>>()
        };
        let kernels = self.report.kernels.iter().enumerate();
        let kernels = kernels.map(move |(i, &kernel)| {
            let rows = of(kernel).into_iter().filter(|row| self.has(row)).collect();
            (kernel, Ink::Series(i), rows)
        });
        let same = |row: &&Row| row.op == self.op && row.work.threads == self.like.work.threads;
        let reference = (REFERENCE, Ink::Reference, of(REFERENCE).into_iter().filter(same).collect());
        kernels.chain([reference])
    }

    /// The rows of a lane at the lowest hit rate, by size.
    fn by_size<'a>(&self, rows: &[&'a Row]) -> Vec<&'a Row> {
        let hit_rate = self.like.hit_rate;
        rows.iter().copied().filter(|row| row.hit_rate == hit_rate).collect()
    }

    fn time(&self) -> Chart {
        self.against_size("time", "ns a key", |row| row.times.ns, |row| row.times.roofline_ns)
    }

    fn ratio(&self) -> Chart {
        self.against_size("ratio", "time ÷ roofline", |row| row.times.ratio, |_| 1.0)
    }

    fn against_size(
        &self,
        what: &str,
        title: &'static str,
        value: fn(&Row) -> f64,
        roofline: fn(&Row) -> f64,
    ) -> Chart {
        let line = |rows: &[&Row], value: fn(&Row) -> f64| {
            rows.iter().map(|row| (row.contestant.filter_bytes as f64, value(row))).collect::<Vec<_>>()
        };
        let mut series = Vec::new();
        for (name, ink, rows) in self.lanes() {
            let rows = self.by_size(&rows);
            if series.is_empty() {
                series.push(Series::joined("roofline", Ink::Roofline, line(&rows, roofline)));
            }
            series.push(Series::joined(name, ink, line(&rows, value)));
        }
        let places = cache_places(&self.report.caches);
        let points = || series.iter().flat_map(|series| &series.line);
        let sizes = points().map(|&(x, _)| x).chain(places.iter().map(|&(x, _)| x));
        let caches = if places.is_empty() {
            "The sizes of the caches are unknown: the system does not tell."
        } else {
            "The vertical lines are the sizes of the caches."
        };
        let meaning = match what {
            "time" => "the dashed line is the roofline, the least that any filter of one line per key takes",
            _ => "ratios are taken within each round; the dashed line is the roofline itself",
        };
        Chart {
            id: format!("{what}-{}", self.slug()),
            title: format!("{}, {}", capital(self.op.title()), self.scheme),
            caption: format!(
                "{}; {}. Medians of {} rounds; {meaning}. {caches}",
                self.keys(),
                self.setting(),
                self.report.rounds
            ),
            x: Axis::memory("filter size", sizes),
            y: Axis::logarithmic(title, points().map(|&(_, y)| y), |value| value.to_string()),
            series,
            places,
        }
    }

    /// One chart for the smallest size, and one for the largest.
    fn throughput(&self) -> Vec<Chart> {
        let lanes: Vec<_> = self.lanes().collect();
        let sizes = || lanes.iter().flat_map(|(_, _, rows)| rows).map(|row| row.contestant.filter_bytes);
        let mut ends: Vec<_> = sizes().min().into_iter().chain(sizes().max()).collect();
        ends.dedup();
        ends.into_iter().map(|bytes| self.throughput_at(bytes, &lanes)).collect()
    }

    fn throughput_at(&self, bytes: u64, lanes: &[(&'static str, Ink, Vec<&Row>)]) -> Chart {
        let line = |rows: &[&Row]| {
            let rows = rows.iter().filter(|row| row.contestant.filter_bytes == bytes);
            rows.filter_map(|row| Some((f64::from(row.hit_rate?), 1000.0 / row.times.ns))).collect()
        };
        let series: Vec<_> =
            lanes.iter().map(|(name, ink, rows)| Series::joined(*name, *ink, line(rows))).collect();
        let points = || series.iter().flat_map(|series| &series.line);
        Chart {
            id: format!("throughput-{bytes}-{}", self.slug()),
            title: format!("{}, {}, {}", capital(self.op.title()), self.scheme, output::size(bytes)),
            caption: format!(
                "64-bit keys; {}. Medians of {} rounds. Kernels test all bits of a key whatever the answer; the reference stops \
                 at the first bit that is not set.",
                self.setting(),
                self.report.rounds
            ),
            x: Axis::linear("present keys, %", points().map(|&(x, _)| x), false, |value| value.to_string()),
            y: Axis::linear("million keys a second", points().map(|&(_, y)| y), true, |value| {
                value.to_string()
            }),
            places: Vec::new(),
            series,
        }
    }

    /// What does not change along the x axis, beside the hit rate.
    fn setting(&self) -> String {
        let work = self.like.work;
        let threads = if work.threads == 1 { "1 thread".into() } else { format!("{} threads", work.threads) };
        let bits = self.like.contestant.bits_per_key;
        format!(
            "{bits:.2} bits per key, {threads}, {} pages where the system gives them",
            output::pages(work.pages)
        )
    }

    fn keys(&self) -> String {
        match self.like.hit_rate {
            Some(rate) => format!("64-bit keys, {rate} % of them present"),
            None => "64-bit keys that are present already".into(),
        }
    }

    /// For the id of a chart.
    fn slug(&self) -> String {
        let work = self.like.work;
        let op = self.op.title().replace(' ', "-");
        format!("{op}-{}-{}-{}", self.scheme, work.threads, output::pages(work.pages))
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn cache_places(caches: &[Cache]) -> Vec<(f64, String)> {
    let place =
        |cache: &Cache| (cache.bytes as f64, format!("L{}: {}", cache.level, output::size(cache.bytes)));
    caches.iter().map(place).collect()
}

fn rates(report: &Report) -> Chart {
    let percent = |rate: f64| 100.0 * rate;
    let point = |point: &rates::Point| Point {
        x: point.bits_per_key,
        y: percent(point.rate),
        interval: Some([point.low, point.high].map(percent)),
    };
    let of = |(i, curve): (usize, &Curve)| Series {
        name: curve.scheme.into(),
        ink: if curve.scheme == Kind::Classic.name() { Ink::Reference } else { Ink::Series(i) },
        line: curve.line.iter().map(|&(bits, rate)| (bits, percent(rate))).collect(),
        points: report.rates.iter().filter(|point| point.scheme == curve.scheme).map(point).collect(),
    };
    let series: Vec<_> = report.curves.iter().enumerate().map(of).collect();
    let items = report.rates.first().map_or(0, |point| point.items);
    let ends = || series.iter().flat_map(|series| &series.points).flat_map(|point| point.interval).flatten();
    let lines = || series.iter().flat_map(|series| &series.line);
    Chart {
        id: "rates".into(),
        title: "Measured points, exact curves".into(),
        caption: format!(
            "A filter of {} keys for each point, asked for {} absent keys; bars are exact 99.9 % intervals \
             (Clopper and Pearson). Curves are the exact expectation, with k = 8 for both schemes and the best k for \
             the classic filter. Filters scatter round it, so that a bar can miss its curve by a little.",
            output::count(items),
            output::count(report.probes)
        ),
        x: Axis::linear("bits per key", lines().map(|&(x, _)| x), false, |value| value.to_string()),
        y: Axis::logarithmic("false-positive rate", ends().chain(lines().map(|&(_, y)| y)), |value| {
            format!("{value} %")
        }),
        series,
        places: Vec::new(),
    }
}
