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
use crate::failure::{Context, Failure};
use crate::keys::{Keys, Piece, Source, lines};
use crate::output;
use crate::progress::Progress;
use checks::Outcome;
use rates::{Rates, interval};
use report::{FilterReport, Report};
use timing::{Operations, Pair};
use trial::Findings;
use workload::{TestKey, Workload};

/// The number of keys of the worked example.
const DEFAULT_ITEMS: u64 = 1_000_000;

/// False positives that pin a rate to 5 % by a 99.9 % interval.
const FALSE_POSITIVES: f64 = 4500.0;
const PROBES: std::ops::RangeInclusive<u64> = 1_000_000..=4_500_000;

pub(crate) fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let progress = Progress::steps(5);
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
    // The filters come first: they know what is too large.
    let filters = Filters::empty(args, items)?;
    let probes = filters.probes(args, items)?;
    memory_for(items, probes, &filters)?;
    progress.step("making keys");
    let text = workload::addresses("user", items);
    let (keys, set) = workload::distinct(lines(&text).collect());
    let absent_text = workload::absent_addresses(&set, probes);
    drop(set);
    verify_strings(args, filters, &keys, &absent_text, progress)
}

fn key_file(args: &VerifyArgs, source: &Source, progress: &Progress) -> Result<Report, Failure> {
    progress.step("reading keys");
    let text = source.read()?;
    let piece = Piece { text: &text, lines_before: 0 };
    let mut rng = StdRng::seed_from_u64(args.engine.seed);
    match Keys::parse(&piece, args.input.integers, &source.name())? {
        Keys::Bytes(keys) => {
            let (keys, set) = workload::distinct(keys);
            let (filters, probes) = sized_for(args, &keys, source)?;
            let absent_text = workload::absent_strings(&keys, &set, probes, &mut rng);
            drop(set);
            verify_strings(args, filters, &keys, &absent_text, progress)
        }
        Keys::Integers(keys) => {
            let (keys, set): (_, HashSet<u64>) = workload::distinct(keys);
            let (filters, probes) = sized_for(args, &keys, source)?;
            let absent = workload::absent_integers(&set, probes, &mut rng);
            drop(set);
            let shuffled = workload::shuffle(&keys, &mut rng);
            let workload = Workload { keys: &keys, shuffled: &shuffled, absent: &absent };
            verify(args, filters, &workload, progress)
        }
    }
}

fn sized_for<K>(args: &VerifyArgs, keys: &[K], source: &Source) -> Result<(Filters, usize), Failure> {
    let items = keys.len() as u64;
    if items == 0 {
        return Err(Failure::new(source.name(), "no keys; at least 1 is needed"));
    }
    let filters = Filters::empty(args, args.items.unwrap_or(items))?;
    let probes = filters.probes(args, items)?;
    Ok((filters, probes))
}

fn verify_strings(
    args: &VerifyArgs,
    filters: Filters,
    keys: &[&[u8]],
    absent_text: &[u8],
    progress: &Progress,
) -> Result<Report, Failure> {
    let mut rng = StdRng::seed_from_u64(args.engine.seed);
    let shuffled_text = workload::lay_out(&workload::shuffle(keys, &mut rng));
    let shuffled: Vec<_> = lines(&shuffled_text).collect();
    let absent: Vec<_> = lines(absent_text).collect();
    verify(args, filters, &Workload { keys, shuffled: &shuffled, absent: &absent }, progress)
}

/// The filters, and a second one of each, for the other way of inserting and for timing.
struct Filters {
    blocked: Pair<BloomFilter>,
    reference: Pair<ReferenceFilter>,
    /// The number of items that they are sized for.
    items: u64,
}

impl Filters {
    fn empty(args: &VerifyArgs, items: u64) -> Result<Self, Failure> {
        let blocked = || args::empty_filter(items, &args.accuracy, &args.k, &args.engine);
        let blocked = Pair { full: blocked()?, scratch: blocked()? };
        let reference = || {
            let seed = args.engine.seed;
            match args.accuracy.bits_per_key {
                None => ReferenceFilter::with_rate(items, args.accuracy.rate(), seed),
                Some(bits_per_key) => {
                    let bits = (items as f64 * bits_per_key).ceil() as u64;
                    ReferenceFilter::with_bits(bits, classic::optimal_k(items, bits), seed)
                }
            }
            .about("reference filter")
        };
        Ok(Self { blocked, reference: Pair { full: reference()?, scratch: reference()? }, items })
    }

    /// How many absent keys to probe.
    fn probes(&self, args: &VerifyArgs, items: u64) -> Result<usize, Failure> {
        let rate = self.blocked.full.predicted_rate_at(items);
        let enough = ((FALSE_POSITIVES / rate) as u64).clamp(*PROBES.start(), *PROBES.end());
        usize::try_from(args.probes.unwrap_or(enough)).about("--probes")
    }
}

/// Refuses what this machine has no memory for, since the system would rather end the process than refuse.
fn memory_for(items: u64, probes: usize, filters: &Filters) -> Result<(), Failure> {
    // A line of text, a slice, and an entry of a hash set with its spare room.
    const KEY_BYTES: u64 = 24 + 16 + 2 * 17;
    let keys = items.saturating_add(probes as u64).saturating_mul(KEY_BYTES);
    let filters = 2 * (filters.blocked.full.bytes() + filters.reference.full.bytes());
    let needed = keys.saturating_add(filters);
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let free = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    let free = free.min(system.available_memory());
    if sysinfo::IS_SUPPORTED_SYSTEM && needed > free {
        let (needed, free) = (output::memory(needed), output::memory(free));
        return Err(Failure::new("memory", format!("{needed} needed, {free} available")));
    }
    Ok(())
}

fn verify<K: TestKey>(
    args: &VerifyArgs,
    filters: Filters,
    workload: &Workload<'_, K>,
    progress: &Progress,
) -> Result<Report, Failure> {
    let Filters { mut blocked, mut reference, items: sized_for } = filters;
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
        sized_for,
        probes,
        kernel: filter.kernel().name(),
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
