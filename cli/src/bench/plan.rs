//! What is measured.

use bloomline::sizing::Choice;
use bloomline::{Kernel, Pages, Scheme};

use crate::args::BenchArgs;
use crate::design::{Layout, Size};
use crate::failure::{Context, Failure};
use crate::memory;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Sizes when none are asked for: one for each level of the memory, most of it measured only where there is enough.
const SIZES: [u64; 5] = [16 * KIB, 256 * KIB, 4 * MIB, 64 * MIB, 512 * MIB];
const QUICK_SIZES: usize = 3;

const HIT_RATES: [u32; 3] = [0, 50, 100];

/// Batches of different keys that follow each other in turn.
pub(super) const BATCHES: usize = 8;

/// Items by which a rate is turned into bits per key: so many that rounding to whole blocks does not show.
const MANY: u64 = 10_000_000;

pub(super) struct Plan {
    pub(super) sizes: Vec<u64>,
    /// Per cent of the keys that are present.
    pub(super) hit_rates: Vec<u32>,
    pub(super) bits_per_key: f64,
    pub(super) kernels: Vec<Kernel>,
    pub(super) schemes: Vec<Scheme>,
    pub(super) threads: Vec<usize>,
    pub(super) pages: Vec<Pages>,
    pub(super) seed: u64,
    pub(super) rounds: usize,
    /// Keys in a batch: enough for the untimed run to reach nearly every line of a filter that fits a cache.
    pub(super) batch: usize,
    /// Keys of a filter, and absent keys that are asked for, where false positives are counted.
    pub(super) items: u64,
    pub(super) probes: u64,
    pub(super) notes: Vec<String>,
}

impl Plan {
    pub(super) fn new(args: &BenchArgs) -> Result<Self, Failure> {
        let bits_per_key = bits_per_key(args)?;
        let (rounds, batch) = if args.quick { (3, 1 << 18) } else { (15, 1 << 20) };
        let mut plan = Self {
            sizes: args.sizes.clone(),
            hit_rates: if args.hit_rates.is_empty() { HIT_RATES.into() } else { args.hit_rates.clone() },
            bits_per_key,
            kernels: kernels(&args.kernels)?,
            schemes: if args.schemes.is_empty() { Scheme::ALL.into() } else { args.schemes.clone() },
            threads: args.threads.clone(),
            pages: args.pages(),
            seed: args.seed,
            rounds,
            batch,
            items: if args.quick { 50_000 } else { 500_000 },
            probes: if args.quick { 200_000 } else { 4_000_000 },
            notes: Vec::new(),
        };
        if plan.sizes.is_empty() {
            plan.sizes = SIZES[..if args.quick { QUICK_SIZES } else { SIZES.len() }].into();
            while plan.sizes.len() > 1 && memory::check(plan.memory().saturating_mul(2)).is_err() {
                let left_out = plan.sizes.pop().map_or(0, |bytes| bytes / MIB);
                plan.notes.push(format!("{left_out} MiB left out: not enough memory"));
            }
        }
        sort(&mut plan.sizes);
        sort(&mut plan.hit_rates);
        sort(&mut plan.threads);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for threads in plan.threads.iter().filter(|&&threads| threads > cores) {
            plan.notes.push(format!("{threads} threads share {cores} logical cores"));
        }
        if plan.threads != [1] {
            plan.notes.push("inserts run on one thread: a filter is not concurrent".into());
        }
        Ok(plan)
    }

    /// Keys in a filter of this size.
    pub(super) fn items(&self, bytes: u64) -> u64 {
        ((bytes * 8) as f64 / self.bits_per_key).max(1.0) as u64
    }

    /// Bytes at the peak: the filters of each scheme, the reference, the roofline's lines, and the keys.
    pub(super) fn memory(&self) -> u64 {
        let bytes = self.sizes.iter().copied().max().unwrap_or(0);
        let filters = bytes.saturating_mul(self.schemes.len() as u64 + 2);
        let batches = (BATCHES * self.batch) as u64 * 8 * 3;
        filters.saturating_add(self.items(bytes).saturating_mul(8)).saturating_add(batches)
    }
}

fn sort<T: Ord>(values: &mut Vec<T>) {
    values.sort_unstable();
    values.dedup();
}

fn bits_per_key(args: &BenchArgs) -> Result<f64, Failure> {
    let layout = Layout { scheme: Scheme::Block512, choice: Choice::Fast };
    let size = match (args.fpr, args.bits_per_key) {
        (Some(rate), _) => Size::Rate(rate),
        (None, bits_per_key) => Size::BitsPerKey(bits_per_key.unwrap_or(10.0)),
    };
    let design = layout.design(MANY, size).about("filter")?;
    Ok(if let Size::BitsPerKey(bits_per_key) = size { bits_per_key } else { design.bits_per_key() })
}

fn kernels(names: &[String]) -> Result<Vec<Kernel>, Failure> {
    if names.is_empty() {
        return Ok(Kernel::available().collect());
    }
    let refused = |error: bloomline::Error| {
        let available: Vec<_> = Kernel::available().map(|kernel| kernel.name()).collect();
        Failure::new("--kernels", format!("{error}; available: {}", available.join(", ")))
    };
    let mut kernels = Vec::new();
    for name in names {
        let kernel = Kernel::by_name(name).map_err(refused)?;
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    Ok(kernels)
}
