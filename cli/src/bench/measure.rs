//! The rounds: the roofline and every contestant in turn within each, so that a change of the machine's speed meets all alike.

use std::hint::black_box;

use bloomline::{Kernel, Pages};
use bloomline_roofline::{self as roofline, Lines, Order};

use super::filter::{Filter, Kind, Op};
use super::keys::{Keys, Stream};
use super::plan::{Load, Plan};
use super::report::{Contestant, REFERENCE, Row, Times, Work};
use super::team::{Run, Team};
use crate::failure::{Context, Failure};
use crate::output;
use crate::progress::Progress;

/// Smaller filters lie in ordinary pages.
const HUGE_PAGE: u64 = 2 << 20;

/// The option that asked for more threads than the system gives.
const THREADS: &str = "--threads";

/// All rows, and what was left out.
pub(super) struct Measured {
    pub(super) rows: Vec<Row>,
    pub(super) notes: Vec<String>,
}

pub(super) fn run(plan: &Plan, progress: &Progress) -> Result<Measured, Failure> {
    let team = Team::new();
    let mut measured = Measured { rows: Vec::new(), notes: Vec::new() };
    if !team.is_pinned {
        measured.notes.push("not pinned to a core: the system does not allow it".into());
    }
    for &bytes in &plan.sizes {
        for &pages in &plan.pages {
            progress.step(format!("filling filters of {}", output::size(bytes)));
            let mut field = Field::fill(plan, &team, bytes, pages)?;
            if !field.lies_in(pages) {
                if bytes >= HUGE_PAGE {
                    measured.notes.push(format!("{}: the system gives no huge pages", output::size(bytes)));
                }
                if plan.pages.len() > 1 {
                    // These filters have their rows already, or get them, as ones in ordinary pages.
                    continue;
                }
            }
            field.measure(progress, &mut measured.rows)?;
        }
    }
    Ok(measured)
}

/// Full filters of one size, and memory of the same size for the roofline.
struct Field<'a> {
    plan: &'a Plan,
    team: &'a Team,
    bytes: u64,
    /// The pages that were asked for.
    pages: Pages,
    entrants: Vec<Entrant>,
    lines: Lines,
}

struct Entrant {
    kind: Kind,
    filter: Filter,
    items: u64,
    fpr: f64,
}

/// A filter, by its place among the entrants, and the kernel that works on it: none for the reference.
#[derive(Clone, Copy)]
struct Lane {
    entrant: usize,
    kernel: Option<Kernel>,
}

impl Lane {
    fn name(self) -> &'static str {
        self.kernel.map_or(REFERENCE, |kernel| kernel.name())
    }
}

impl<'a> Field<'a> {
    fn fill(plan: &'a Plan, team: &'a Team, bytes: u64, pages: Pages) -> Result<Self, Failure> {
        // The reference lies in ordinary pages, and takes part once.
        let once = pages == Pages::Ordinary || plan.pages.len() == 1;
        let takes_part = |load: &&Load| load.kind != Kind::Classic || once;
        let entrants =
            plan.loads.iter().filter(takes_part).map(|load| Entrant::fill(plan, load, bytes, pages));
        let roofline_pages =
            if pages == Pages::Huge { roofline::Pages::Huge } else { roofline::Pages::Ordinary };
        let entrants = entrants.collect::<Result<_, _>>().about("filter")?;
        let lines = usize::try_from(bytes).about("roofline")?;
        let lines = Lines::new(lines, roofline_pages).about("roofline")?;
        Ok(Self { plan, team, bytes, pages, entrants, lines })
    }

    /// Whether the system gave the pages that were asked for.
    fn lies_in(&self, pages: Pages) -> bool {
        let blocked = self.entrants.iter().filter(|entrant| entrant.kind != Kind::Classic);
        blocked.map(|entrant| entrant.filter.pages()).all(|given| given == output::pages(pages))
    }

    fn measure(&mut self, progress: &Progress, rows: &mut Vec<Row>) -> Result<(), Failure> {
        let (bytes, pages, size) = (self.bytes, self.pages, output::size(self.bytes));
        if self.plan.inserts() {
            progress.step(format!("inserts, {size}"));
            // To insert keys again takes as long as it took the first time, since nothing depends on what the bits are, and
            // leaves the filters as full as they are.
            let stream = self.stream(100);
            rows.extend(self.rows(&stream, Work { bytes, pages, threads: 1, hit_rate: None })?);
        }
        for &hit_rate in &self.plan.hit_rates {
            let stream = self.stream(hit_rate);
            for &threads in &self.plan.threads {
                progress.step(format!("lookups, {size}, {hit_rate} % present, threads: {threads}"));
                rows.extend(self.rows(&stream, Work { bytes, pages, threads, hit_rate: Some(hit_rate) })?);
            }
        }
        Ok(())
    }

    /// Batches whose present keys are in all of the filters.
    fn stream(&self, hit_rate: u32) -> Stream {
        let items = self.entrants.iter().map(|entrant| entrant.items).min().unwrap_or(1);
        Keys { seed: self.plan.seed }.stream(items, hit_rate, self.plan.batches(), self.plan.batch)
    }

    fn lanes(&self) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for (entrant, Entrant { kind, .. }) in self.entrants.iter().enumerate() {
            match kind {
                Kind::Blocked(_) => lanes
                    .extend(self.plan.kernels.iter().map(|&kernel| Lane { entrant, kernel: Some(kernel) })),
                Kind::Classic => lanes.push(Lane { entrant, kernel: None }),
            }
        }
        lanes
    }

    /// The rows of a piece of work: of every contestant, in bulk and one at a time.
    fn rows(&mut self, stream: &Stream, work: Work) -> Result<Vec<Row>, Failure> {
        let ops = if work.hit_rate.is_some() { Op::LOOKUPS } else { Op::INSERTS };
        let lanes: Vec<_> = self.lanes().into_iter().flat_map(|lane| ops.map(|op| (lane, op))).collect();
        let (mut rooflines, mut times) = (Vec::new(), vec![Vec::new(); lanes.len()]);
        for _ in 0..self.plan.rounds {
            rooflines.push(self.time_roofline(stream, work)?);
            for (&(lane, op), times) in lanes.iter().zip(&mut times) {
                times.push(self.time(stream, work, lane, op)?);
            }
        }
        let row = |(&(lane, op), samples): (&(Lane, Op), Vec<f64>)| Row {
            contestant: self.contestant(lane),
            op,
            key_type: "u64",
            hit_rate: work.hit_rate,
            threads: work.threads,
            times: Times::new(samples, rooflines.clone()),
            work,
        };
        Ok(lanes.iter().zip(times).map(row).collect())
    }

    fn contestant(&self, lane: Lane) -> Contestant {
        let Entrant { kind, filter, items, fpr } = &self.entrants[lane.entrant];
        Contestant {
            kernel: lane.name(),
            scheme: kind.name(),
            filter_bytes: filter.bytes(),
            bits_per_key: 8.0 * filter.bytes() as f64 / *items as f64,
            k: filter.k(),
            pages: filter.pages(),
            fpr: *fpr,
        }
    }

    /// The least work on the same stream of keys, by the fastest order.
    fn time_roofline(&mut self, stream: &Stream, work: Work) -> Result<f64, Failure> {
        let mut time = |order| match work.hit_rate {
            Some(_) => {
                let lines = self.lines.as_slice();
                let look_up = |keys: &[u64], _: &mut [u64]| {
                    black_box(roofline::lookup(lines, keys, order));
                    0
                };
                let timed = self.team.time(&runs(stream, Op::LookupBulk, work.threads), look_up);
                timed.about(THREADS).map(|(time, _)| time)
            }
            None => {
                let lines = self.lines.as_mut_slice();
                Ok(Team::time_alone(Run::next(stream, Op::InsertBulk.warm_runs()), |keys| {
                    roofline::insert(lines, keys, order)
                }))
            }
        };
        Order::ALL.into_iter().try_fold(f64::INFINITY, |least, order| Ok(time(order)?.min(least)))
    }

    fn time(&mut self, stream: &Stream, work: Work, lane: Lane, op: Op) -> Result<f64, Failure> {
        let filter = &mut self.entrants[lane.entrant].filter;
        if let (Filter::Blocked(filter), Some(kernel)) = (&mut *filter, lane.kernel) {
            filter.set_kernel(kernel);
        }
        if op.is_insert() {
            return Ok(Team::time_alone(Run::next(stream, op.warm_runs()), |keys| filter.insert(op, keys)));
        }
        let runs = runs(stream, op, work.threads);
        let (time, found) =
            self.team.time(&runs, |keys, mask| filter.lookup(op, keys, mask)).about(THREADS)?;
        let present: usize = runs.iter().map(|run| run.timed.present).sum();
        if found < present {
            return Err(Failure::new(lane.name(), format!("lost {} of its keys", present - found)));
        }
        Ok(time)
    }
}

impl Entrant {
    fn fill(plan: &Plan, load: &Load, bytes: u64, pages: Pages) -> Result<Self, bloomline::Error> {
        let (kind, items, keys) = (load.kind, load.items(bytes), Keys { seed: plan.seed });
        let mut filter = kind.build(items, bytes, plan.seed, pages)?;
        keys.for_each_present(items, |piece| filter.insert(Op::InsertBulk, piece));
        let mut found = 0;
        keys.for_each_absent(plan.probes, |piece| found += filter.count(piece));
        Ok(Self { kind, filter, items, fpr: found as f64 / plan.probes as f64 })
    }
}

/// What each thread is to do next.
fn runs(stream: &Stream, op: Op, threads: usize) -> Vec<Run<'_>> {
    (0..threads).map(|_| Run::next(stream, op.warm_runs())).collect()
}
