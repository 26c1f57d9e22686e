//! What is measured, known before anything takes memory.

use bloomline::{Kernel, Pages, Scheme};

use super::filter::Kind;
use super::keys::BATCHES;
use crate::args::{self, BenchArgs};
use crate::failure::{Context, Failure};
use crate::{memory, output};

/// Bytes of the filters: one for each level of the memory.
const SIZES: [u64; 5] = [16 << 10, 256 << 10, 4 << 20, 64 << 20, 512 << 20];
/// How many of them are measured quickly.
const QUICK_SIZES: usize = 4;

const SIZE_LIMITS: std::ops::RangeInclusive<u64> = 4 << 10..=64 << 30;
/// The range of the bits per key: with fewer or more, filters of one k are no use.
const BITS_PER_KEY: std::ops::RangeInclusive<f64> = 5.0..=64.0;
const DEFAULT_BITS_PER_KEY: f64 = 10.0;

/// Bytes of the roofline's lines beside those of the filter, for its alignment.
const ALIGNMENT: u64 = 4 << 20;

pub(super) struct Plan {
    /// From small to large.
    pub(super) sizes: Vec<u64>,
    pub(super) hit_rates: Vec<u32>,
    pub(super) kernels: Vec<Kernel>,
    /// The filters of every size: one of each scheme, then the reference.
    pub(super) loads: Vec<Load>,
    pub(super) threads: Vec<usize>,
    pub(super) pages: Vec<Pages>,
    pub(super) seed: u64,
    pub(super) rounds: usize,
    /// Keys in a batch.
    pub(super) batch: usize,
    /// Absent keys that are asked for where false positives are counted.
    pub(super) probes: u64,
    /// Keys of the filters whose rate is measured at several bits per key.
    pub(super) rate_items: u64,
    /// What the options ask for that is not as it seems.
    pub(super) notes: Vec<String>,
}

/// A kind of filter, and how full it is.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) kind: Kind,
    pub(super) bits_per_key: f64,
}

impl Load {
    /// How many keys make a filter this full.
    pub(super) fn items(self, bytes: u64) -> u64 {
        (bytes as f64 * 8.0 / self.bits_per_key) as u64
    }
}

impl Plan {
    pub(super) fn new(args: &BenchArgs) -> Result<Self, Failure> {
        let schemes = if args.schemes.is_empty() { Scheme::ALL.into() } else { unique(args.schemes.clone()) };
        let kinds = schemes.into_iter().map(Kind::Blocked).chain([Kind::Classic]);
        let default_sizes = if args.quick { &SIZES[..QUICK_SIZES] } else { &SIZES[..] };
        let mut plan = Self {
            sizes: sorted(if args.sizes.is_empty() { default_sizes.into() } else { args.sizes.clone() }),
            hit_rates: sorted(args.hit_rates.clone()),
            kernels: kernels(&args.kernels)?,
            loads: kinds.map(|kind| load(args, kind)).collect::<Result<_, _>>()?,
            threads: sorted(args.threads.iter().map(|&threads| threads as usize).collect()),
            pages: unique(args.pages().collect()),
            seed: args.seed,
            rounds: if args.quick { 5 } else { 15 },
            batch: if args.quick { 1 << 18 } else { 1 << 20 },
            probes: if args.quick { 1 << 20 } else { 1 << 22 },
            rate_items: if args.quick { 200_000 } else { 1_000_000 },
            notes: Vec::new(),
        };
        for load in &plan.loads {
            for &bytes in &plan.sizes {
                let name = format!("{} of {}", load.kind.name(), output::size(bytes));
                load.kind.rate(load.items(bytes), bytes).about(name)?;
            }
        }
        while args.sizes.is_empty() && plan.sizes.len() > 1 && memory::check(plan.memory()).is_err() {
            let bytes = plan.sizes.pop().unwrap_or_default();
            plan.notes.push(format!("{} left out: too little memory is available", output::size(bytes)));
        }
        memory::check(plan.memory())?;
        plan.note_threads();
        Ok(plan)
    }

    fn note_threads(&mut self) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for threads in self.threads.iter().filter(|&&threads| threads > cores) {
            self.notes.push(format!("{threads} threads take turns on the logical cores: there are {cores}"));
        }
        if !self.inserts() {
            self.notes.push("no inserts: a filter takes them from one thread at a time".into());
        }
    }

    /// Whether inserts are measured.
    pub(super) fn inserts(&self) -> bool {
        self.threads.contains(&1)
    }

    /// Batches that follow each other in turn: at least as many as all threads take at once.
    pub(super) fn batches(&self) -> usize {
        self.threads.iter().fold(BATCHES, |most, threads| most.max(2 * threads))
    }

    /// Steps of the work that are told one after the other.
    pub(super) fn steps(&self) -> u64 {
        let works = usize::from(self.inserts()) + self.hit_rates.len() * self.threads.len();
        (self.sizes.len() * self.pages.len() * (1 + works) + 1) as u64
    }

    /// Bytes at the peak: the filters of the largest size, the lines of the roofline, and the keys with their answers.
    fn memory(&self) -> u64 {
        let largest = self.sizes.iter().copied().max().unwrap_or(0);
        let filters = largest.saturating_mul(self.loads.len() as u64 + 1) + ALIGNMENT;
        let keys = (self.batches() * self.batch) as u64 * size_of::<u64>() as u64;
        filters.saturating_add(keys + keys / 64)
    }
}

/// A multiple of the largest block, so that every filter takes exactly as much.
pub(crate) fn filter_bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    let fits = |bytes: &u64| SIZE_LIMITS.contains(bytes) && bytes.is_multiple_of(64);
    let [least, most] = [SIZE_LIMITS.start(), SIZE_LIMITS.end()];
    bytes
        .filter(fits)
        .ok_or_else(|| format!("not a multiple of 64 bytes from {least} to {most}, such as 16K"))
}

fn load(args: &BenchArgs, kind: Kind) -> Result<Load, Failure> {
    let (option, bits_per_key) = match args.fpr {
        Some(rate) => ("--fpr", kind.bits_per_key(rate).about("--fpr")?),
        None => ("--bits-per-key", args.bits_per_key.unwrap_or(DEFAULT_BITS_PER_KEY)),
    };
    if !BITS_PER_KEY.contains(&bits_per_key) {
        let [least, most] = [BITS_PER_KEY.start(), BITS_PER_KEY.end()];
        let name = kind.name();
        let why = format!("{bits_per_key} bits per key with {name}; from {least} to {most} can be measured");
        return Err(Failure::new(option, why));
    }
    Ok(Load { kind, bits_per_key })
}

fn kernels(names: &[String]) -> Result<Vec<Kernel>, Failure> {
    if names.is_empty() {
        return Ok(Kernel::available().collect());
    }
    let kernels = names.iter().map(|name| args::kernel("--kernels", name)).collect::<Result<_, _>>()?;
    Ok(unique(kernels))
}

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}

/// Each value once, in the order of their first occurrence.
fn unique<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut kept = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_suffixes_of_powers_of_1024() {
        assert_eq!(filter_bytes("16K"), Ok(16_384));
        assert_eq!(filter_bytes("4160"), Ok(4160));
        assert_eq!(filter_bytes("64G"), Ok(68_719_476_736));
        for bad in ["", "K", "0", "4K1", "4159", "4032", "65G", "-16K", "1.5M", "16k", "99999999999G", "NaN"]
        {
            assert!(filter_bytes(bad).unwrap_err().contains("from 4096 to 68719476736"), "{bad}");
        }
    }

    #[test]
    fn values_that_come_again_count_once() {
        assert_eq!(unique(vec![3, 1, 3, 2, 1]), [3, 1, 2]);
        assert_eq!(sorted(vec![3, 1, 3, 2, 1]), [1, 2, 3]);
    }
}
