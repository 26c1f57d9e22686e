//! `bloomline verify`: both filters built from the same keys, every claim checked, every operation timed.

mod checks;
mod rates;
mod report;
mod timing;
mod trial;
mod workload;

use std::collections::HashSet;
use std::process::ExitCode;

use bloomline::BloomFilter;
use bloomline::reference::ReferenceFilter;
use bloomline::sizing::classic;
use rand::prelude::*;

use crate::args::{self, VerifyArgs};
use crate::design::rate_and_spread;
use crate::failure::{Context, Failure};
use crate::interval::interval;
use crate::keys::{Keys, Piece, Source, lines};
use crate::progress::Progress;
use crate::{memory, output};
use checks::Outcome;
use rates::Rates;
use report::{FilterReport, Report};
use timing::{Operations, Pair};
use trial::Findings;
use workload::{TestKey, Workload};

/// The number of keys of the worked example.
const DEFAULT_ITEMS: u64 = 1_000_000;

/// False positives that pin a rate to 5 % by a 99.9 % interval.
const FALSE_POSITIVES: f64 = 4500.0;
const PROBES: std::ops::RangeInclusive<u64> = 1_000_000..=4_500_000;

/// A key without its text: a slice, and an entry of a hash set with its spare room.
const KEY_BYTES: u64 = 16 + 2 * 17;

pub(crate) fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    // A wrong name is told before the keys are read.
    args.engine.kernel()?;
    let progress = Progress::steps(4);
    let report = match &args.input.keys {
        None => worked_example(args, &progress),
        Some(path) => key_file(args, &Source::new(path), &progress),
    }?;
    drop(progress);
    if args.json {
        output::print_json(&report)?;
    } else {
        output::print(&report.to_text())?;
    }
    Ok(if report.passes() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn worked_example(args: &VerifyArgs, progress: &Progress) -> Result<Report, Failure> {
    let items = args.items.unwrap_or(DEFAULT_ITEMS);
    let plan = Plan::new(args, items, items)?;
    const LINE_BYTES: u64 = 24;
    plan.check_memory(items.saturating_add(plan.probes).saturating_mul(LINE_BYTES + KEY_BYTES))?;
    progress.step("making keys");
    let text = workload::addresses("user", items);
    let (keys, set) = workload::distinct(lines(&text).collect());
    let absent_text = workload::addresses("ghost", plan.probes);
    let absent: Vec<_> = lines(&absent_text).filter(|address| !set.contains(address)).collect();
    drop(set);
    verify_strings(args, &plan, &keys, &absent, progress)
}

fn key_file(args: &VerifyArgs, source: &Source, progress: &Progress) -> Result<Report, Failure> {
    progress.step("reading keys");
    let text = source.read()?;
    memory::check(lines(&text).count() as u64 * KEY_BYTES)?;
    let piece = Piece { text: &text, lines_before: 0 };
    let mut rng = StdRng::seed_from_u64(args.engine.seed);
    match Keys::parse(&piece, args.input.integers, &source.name())? {
        Keys::Bytes(keys) => {
            let (keys, set) = workload::distinct(keys);
            let plan = Plan::for_keys(args, &keys, source)?;
            let bytes: usize = keys.iter().map(|key| workload::absent_length(key) + 1).sum();
            let mean = bytes.div_ceil(keys.len()) + size_of::<&[u8]>();
            plan.check_memory(plan.probes.saturating_mul(mean as u64))?;
            let absent_text = workload::absent_strings(&keys, &set, plan.probes, &mut rng);
            drop(set);
            let absent: Vec<_> = lines(&absent_text).collect();
            verify_strings(args, &plan, &keys, &absent, progress)
        }
        Keys::Integers(keys) => {
            let (keys, set): (_, HashSet<u64>) = workload::distinct(keys);
            let plan = Plan::for_keys(args, &keys, source)?;
            plan.check_memory(plan.probes.saturating_mul(size_of::<u64>() as u64))?;
            let absent = workload::absent_integers(&set, plan.probes, &mut rng);
            drop(set);
            let shuffled = workload::shuffle(&keys, &mut rng);
            let workload = Workload { keys: &keys, shuffled: &shuffled, absent: &absent };
            verify(args, &plan, &workload, progress)
        }
    }
}

fn verify_strings(
    args: &VerifyArgs,
    plan: &Plan,
    keys: &[&[u8]],
    absent: &[&[u8]],
    progress: &Progress,
) -> Result<Report, Failure> {
    let mut rng = StdRng::seed_from_u64(args.engine.seed);
    let shuffled_text = workload::lay_out(&workload::shuffle(keys, &mut rng));
    let shuffled: Vec<_> = lines(&shuffled_text).collect();
    verify(args, plan, &Workload { keys, shuffled: &shuffled, absent }, progress)
}

/// What is to be built, known before anything takes memory.
struct Plan {
    /// The number of items that the filters are sized for.
    sized_for: u64,
    blocked_bytes: u64,
    reference_bits: u64,
    reference_k: u32,
    /// The number of absent keys.
    probes: u64,
}

impl Plan {
    /// For filters sized for `sized_for` items that will hold `items`.
    fn new(args: &VerifyArgs, sized_for: u64, items: u64) -> Result<Self, Failure> {
        let design = args.accuracy.design(sized_for, args.layout.layout()).about("blocked filter")?;
        let reference_bits = match args.accuracy.bits_per_key {
            None => classic::bits(sized_for, args.accuracy.rate()).about("reference filter")?,
            Some(bits_per_key) => (sized_for as f64 * bits_per_key).ceil() as u64,
        };
        let (rate, _) =
            rate_and_spread(design.scheme, items, design.blocks, design.k).about("blocked filter")?;
        let enough = ((FALSE_POSITIVES / rate) as u64).clamp(*PROBES.start(), *PROBES.end());
        Ok(Self {
            sized_for,
            blocked_bytes: design.bytes(),
            reference_bits,
            reference_k: classic::optimal_k(sized_for, reference_bits),
            probes: args.probes.unwrap_or(enough),
        })
    }

    fn for_keys<K>(args: &VerifyArgs, keys: &[K], source: &Source) -> Result<Self, Failure> {
        match keys.len() as u64 {
            0 => Err(Failure::new(source.name(), "no keys; at least 1 is needed")),
            items => Self::new(args, args.items.unwrap_or(items), items),
        }
    }

    /// Refuses what this machine has no memory for: the filters, two of each, and `more` bytes.
    fn check_memory(&self, more: u64) -> Result<(), Failure> {
        memory::check(more.saturating_add(2 * (self.blocked_bytes + self.reference_bits / 8)))
    }

    /// An empty filter, and a second one for the other way of inserting and for timing.
    fn blocked(&self, args: &VerifyArgs) -> Result<Pair<BloomFilter>, Failure> {
        let empty = || args::empty_filter(self.sized_for, &args.accuracy, args.layout.layout(), &args.engine);
        Ok(Pair { full: empty()?, scratch: empty()? })
    }

    fn reference(&self, seed: u64) -> Result<Pair<ReferenceFilter>, Failure> {
        let empty = || ReferenceFilter::with_bits(self.reference_bits, self.reference_k, seed);
        Ok(Pair { full: empty().about("reference filter")?, scratch: empty().about("reference filter")? })
    }
}

fn verify<K: TestKey>(
    args: &VerifyArgs,
    plan: &Plan,
    workload: &Workload<'_, K>,
    progress: &Progress,
) -> Result<Report, Failure> {
    let (mut blocked, mut reference) = (plan.blocked(args)?, plan.reference(args.engine.seed)?);
    progress.step("inserting");
    blocked.full.insert_batch(workload.keys);
    for key in workload.keys {
        blocked.scratch.insert(key);
        key.insert_into(&mut reference.full);
    }
    let same_bits = blocked.full == blocked.scratch;

    progress.step("probing");
    let items = workload.keys.len() as u64;
    let probes = workload.absent.len() as u64;
    let blocked_findings = Findings::of(&blocked.full, workload);
    let reference_findings = Findings::of(&reference.full, workload);
    let blocked_rates = Rates::of_blocked(&blocked.full, items).about("prediction")?;
    let reference_rates = Rates::of_reference(&reference.full, items);

    progress.step("timing");
    let [blocked_ns, reference_ns] = timing::measure(workload, &mut blocked, &mut reference);

    let mut checks = vec![checks::same_bits(same_bits, items)];
    checks.extend(checks::of_filter("blocked", &blocked_findings, &blocked_rates));
    checks.extend(checks::of_filter("reference", &reference_findings, &reference_rates));
    let report = |findings: &Findings, rates: &Rates, ns: Operations<f64>, k, bytes, bits| {
        let measured = findings.absent.found;
        FilterReport {
            k,
            bytes,
            bits_per_key: bits as f64 / items as f64,
            fpr_target: args.accuracy.bits_per_key.is_none().then(|| args.accuracy.rate()),
            fpr_predicted: rates.predicted,
            fpr_bounds: rates.bounds,
            fpr_from_bits: rates.from_bits,
            fpr_measured: measured as f64 / probes as f64,
            fpr_interval: interval(measured, probes),
            false_negatives: findings.present.denied,
            times: ns.into(),
        }
    };
    let (filter, bits) = (&blocked.full, reference.full.bits());
    Ok(Report {
        items,
        sized_for: plan.sized_for,
        probes,
        kernel: filter.kernel().name(),
        scheme: filter.scheme().name(),
        pages: output::pages(filter.pages()),
        seed: args.engine.seed,
        threads: 1,
        batch: trial::BATCH,
        verdict: if checks.iter().any(|check| check.result == Outcome::Fail) { "fail" } else { "pass" },
        blocked: report(
            &blocked_findings,
            &blocked_rates,
            blocked_ns,
            filter.k(),
            filter.bytes(),
            filter.bits(),
        ),
        reference: report(
            &reference_findings,
            &reference_rates,
            reference_ns,
            reference.full.k(),
            reference.full.bytes(),
            bits,
        ),
        speedup: reference_ns.zip_with(blocked_ns, |reference, blocked| reference / blocked),
        checks,
    })
}
