//! The command line.

use std::path::PathBuf;

use bloomline::sizing::Choice;
use bloomline::{BloomFilter, Builder, Kernel, Pages, Scheme};
use bytesize::ByteSize;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};

use crate::bench;
use crate::design::{Design, Layout, Size};
use crate::failure::{Context, Failure};
use crate::memory;

/// A SIMD, cache-blocked Bloom filter engine.
///
/// Exit codes: 0 on success, 1 when a verdict does not pass, 2 on bad usage or bad input.
#[derive(Parser)]
#[command(name = "bloomline", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Verify(VerifyArgs),
    Bench(BenchArgs),
    Size(SizeArgs),
    Build(BuildArgs),
    Query(QueryArgs),
    Stats(StatsArgs),
    Info(InfoArgs),
}

/// Build the blocked and the reference filter from the same keys, check every claim, and time both.
///
/// Without arguments: 1,000,000 keys `user<i>@mail.com` at a false-positive rate of 1 %. Checked: every inserted key is
/// found, one at a time and batched; both ways of inserting give the same filter; the rate measured with keys that are
/// certainly absent agrees, by an exact 99.9 % interval, with the rate read from the filter's own bits; and that rate
/// lies where 99.9 % of all such filters lie, by the theory's spread between filters. A run can be repeated exactly;
/// another --seed draws other filters and other absent keys, and a few seeds in a thousand fail a check by chance.
///
/// Everything runs on one thread. The reference has no batch call: its batch is a loop over the same keys.
#[derive(Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) input: OptionalInput,
    /// How many keys to make; with --keys, the number of distinct keys to size the filters for [default: as many as
    /// there are]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(crate) items: Option<u64>,
    #[command(flatten)]
    pub(crate) accuracy: Accuracy,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    /// How many absent keys to probe [default: enough for 4,500 false positives, from 1,000,000 to 4,500,000]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(crate) probes: Option<u64>,
    #[command(flatten)]
    pub(crate) engine: Engine,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measure every kernel, the reference and the roofline on this machine.
///
/// Times are nanoseconds a key: the median over rounds in which all take turns, with the least and the most. Beside each
/// stand its ratio to the roofline of the same round, which is the least time that a filter of one cache line per key can
/// take for 64-bit keys in bulk, and the false-positive rate, measured with absent keys.
///
/// The reference, a classic Bloom filter, has no call for many keys: its bulk is a loop. Inserts run on one thread.
///
/// The machine should have nothing else to do. With all defaults it takes some minutes.
#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Sizes of the filters: bytes, or with a suffix K, M, G (powers of 1024) [default: 16K,256K,4M,64M, and 512M unless
    /// --quick]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = bench::filter_bytes)]
    pub(crate) sizes: Vec<u64>,
    /// Per cent of the looked-up keys that are present
    #[arg(long, value_name = "PERCENTAGES", value_delimiter = ',', default_value = "0,50,100", allow_negative_numbers = true,
        value_parser = value_parser!(u32).range(0..=100))]
    pub(crate) hit_rates: Vec<u32>,
    /// Fill each filter until this is its expected false-positive rate
    #[arg(short = 'p', long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) fpr: Option<f64>,
    /// Fill all filters to these bits per key, from 5 to 64 [default: 10]
    #[arg(long, value_name = "C", allow_negative_numbers = true, conflicts_with = "fpr")]
    pub(crate) bits_per_key: Option<f64>,
    /// The kernels [default: all that this CPU can run]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) kernels: Vec<String>,
    /// The schemes [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = schemes())]
    pub(crate) schemes: Vec<Scheme>,
    /// Numbers of threads that look up in one filter together, each on a core of its own
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1", allow_negative_numbers = true,
        value_parser = value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Vec<u32>,
    /// The pages to hold the filters in
    #[arg(long, value_name = "KINDS", value_delimiter = ',', default_value = "huge")]
    pages: Vec<PageKind>,
    /// The seed of the keys and of the hash
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Few rounds: ends within half a minute with all other defaults
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print one JSON object, with the times of all rounds
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page with plots: one file that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

impl BenchArgs {
    pub(crate) fn pages(&self) -> impl Iterator<Item = Pages> {
        self.pages.iter().map(|&kind| kind.into())
    }
}

/// Calculate size, k and exact false-positive rate of the blocked, the split-block and the classic filter.
///
/// Give two of: the number of items, the rate (or the bits per key), the memory. --k and --mode are for the blocked filter, unless
/// --scheme says which filter to calculate beside the classic one.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct SizeArgs {
    /// How many distinct items
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(1..))]
    pub(crate) items: Option<u64>,
    /// The false-positive rate to reach, in [1e-15, 1), with split blocks in [1e-8, 1)
    #[arg(short = 'p', long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) fpr: Option<f64>,
    /// The bits per key to spend
    #[arg(long, value_name = "C", allow_negative_numbers = true, conflicts_with_all = ["fpr", "bytes"])]
    pub(crate) bits_per_key: Option<f64>,
    /// The memory to spend: bytes, or with a suffix K, M, G (powers of 1000) or KiB, MiB, GiB (powers of 1024)
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = bytes)]
    pub(crate) bytes: Option<u64>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Build a filter file from the lines of a key file.
///
/// The filter is sized for the number of lines, which counts a repeated key every time; --items says better. A file is
/// read twice, once to count and once to insert. Anything that cannot be read twice, such as standard input, is held in
/// memory unless --items is given. The output is written to a temporary file beside it, and renamed when complete;
/// an interrupted build leaves the old file as it was.
#[derive(Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The filter file to write, `-` for standard output
    #[arg(short, long, value_name = "FILTER")]
    pub(crate) output: PathBuf,
    /// The number of distinct keys to size the filter for [default: the number of lines]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(crate) items: Option<u64>,
    #[command(flatten)]
    pub(crate) accuracy: Accuracy,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    #[command(flatten)]
    pub(crate) engine: Engine,
}

/// Print the lines of a key file whose keys are possibly present in a filter.
///
/// Lines are printed byte for byte; only a missing last newline is added. A filter that was built with --u64 must be
/// asked with --u64.
#[derive(Args)]
pub(crate) struct QueryArgs {
    /// The filter file
    #[arg(value_name = "FILTER")]
    pub(crate) filter: PathBuf,
    #[command(flatten)]
    pub(crate) input: Input,
    /// Print the lines whose keys are certainly absent instead
    #[arg(long)]
    pub(crate) invert: bool,
    /// Print only the number of lines
    #[arg(long)]
    pub(crate) count: bool,
}

/// Describe a filter file: parameters, fill, rate, number of items, block loads.
#[derive(Args)]
pub(crate) struct StatsArgs {
    /// The filter file
    #[arg(value_name = "FILTER")]
    pub(crate) filter: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Describe this machine: CPU features, kernels, caches, page sizes, cores.
#[derive(Args)]
pub(crate) struct InfoArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// One key a line.
const KEYS_HELP: &str = "The keys, one a line, `-` for standard input. A key is the bytes of its line without the line \
    end (LF or CRLF). An empty line is the empty key; a missing last newline adds none";
const U64_HELP: &str = "Keys are decimal numbers from 0 to 2^64 - 1";

#[derive(Args)]
pub(crate) struct Input {
    #[arg(long, value_name = "FILE", help = KEYS_HELP)]
    pub(crate) keys: PathBuf,
    #[arg(long = "u64", help = U64_HELP)]
    pub(crate) integers: bool,
}

#[derive(Args)]
pub(crate) struct OptionalInput {
    #[arg(long, value_name = "FILE", help = KEYS_HELP)]
    pub(crate) keys: Option<PathBuf>,
    #[arg(long = "u64", help = U64_HELP, requires = "keys")]
    pub(crate) integers: bool,
}

#[derive(Args)]
pub(crate) struct Accuracy {
    /// The false-positive rate to reach, in [1e-15, 1), with split blocks in [1e-8, 1) [default: 0.01]
    #[arg(short = 'p', long, value_name = "P", allow_negative_numbers = true)]
    fpr: Option<f64>,
    /// The bits per key to spend, instead of a rate to reach
    #[arg(long, value_name = "C", allow_negative_numbers = true, conflicts_with = "fpr")]
    pub(crate) bits_per_key: Option<f64>,
}

impl Accuracy {
    /// The rate of the worked example.
    const DEFAULT_RATE: f64 = 0.01;

    /// The rate that is asked for, unless bits per key are.
    pub(crate) fn rate(&self) -> f64 {
        self.fpr.unwrap_or(Self::DEFAULT_RATE)
    }

    /// The shape of the blocked filter, without its memory.
    pub(crate) fn design(&self, items: u64, layout: Layout) -> Result<Design, bloomline::Error> {
        layout.design(items, self.bits_per_key.map_or(Size::Rate(self.rate()), Size::BitsPerKey))
    }

    fn builder(&self, items: u64) -> Builder {
        match self.bits_per_key {
            Some(bits_per_key) => BloomFilter::with_bits_per_key(items, bits_per_key),
            None => BloomFilter::with_rate(items, self.rate()),
        }
    }
}

#[derive(Args)]
pub(crate) struct LayoutArgs {
    /// How the bits of a key lie in its block: in 64 bytes, or in the 32 bytes of Parquet's split blocks [default: block512; for
    /// size, all]
    #[arg(long, value_name = "NAME", value_parser = schemes())]
    pub(crate) scheme: Option<Scheme>,
    /// The bits of a key, 1 to 16; 8 with split blocks
    #[arg(long, value_name = "K", conflicts_with = "mode")]
    k: Option<u32>,
    /// How to choose k; split blocks have no choice
    #[arg(long, value_name = "MODE", default_value = "compact")]
    mode: Mode,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    /// k = 8: the fastest queries
    Fast,
    /// The k of least memory, or of the lowest rate when the memory is given
    Compact,
}

impl LayoutArgs {
    pub(crate) fn choice(&self) -> Choice {
        match (self.k, self.mode) {
            (Some(k), _) => Choice::Exactly(k),
            (None, Mode::Fast) => Choice::Fast,
            (None, Mode::Compact) => Choice::Compact,
        }
    }

    /// Of the scheme that was asked for, or else the default one.
    pub(crate) fn layout(&self) -> Layout {
        Layout { scheme: self.scheme.unwrap_or_default(), choice: self.choice() }
    }
}

fn schemes() -> impl TypedValueParser<Value = Scheme> {
    PossibleValuesParser::new(Scheme::ALL.map(Scheme::name)).try_map(|name| Scheme::by_name(&name))
}

#[derive(Args)]
pub(crate) struct Engine {
    /// The kernel that probes and sets bits [default: the fastest that this CPU can run]
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The seed of the hash
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The pages to hold the filter in
    #[arg(long, value_name = "KIND", default_value = "ordinary")]
    pages: PageKind,
}

#[derive(Clone, Copy, ValueEnum)]
enum PageKind {
    /// The system's ordinary pages
    Ordinary,
    /// 2 MiB pages, where the system has them to give
    Huge,
}

impl From<PageKind> for Pages {
    fn from(kind: PageKind) -> Self {
        match kind {
            PageKind::Ordinary => Self::Ordinary,
            PageKind::Huge => Self::Huge,
        }
    }
}

impl Engine {
    /// The kernel that was asked for, if any.
    pub(crate) fn kernel(&self) -> Result<Option<Kernel>, Failure> {
        self.kernel.as_deref().map(|name| kernel("--kernel", name)).transpose()
    }
}

/// The kernel of this name, which an option gave.
pub(crate) fn kernel(option: &str, name: &str) -> Result<Kernel, Failure> {
    Kernel::by_name(name).map_err(|error| {
        let available: Vec<_> = Kernel::available().map(|kernel| kernel.name()).collect();
        Failure::new(option, format!("{error}; available: {}", available.join(", ")))
    })
}

/// The empty blocked filter that the options ask for.
pub(crate) fn empty_filter(
    items: u64,
    accuracy: &Accuracy,
    layout: Layout,
    engine: &Engine,
) -> Result<BloomFilter, Failure> {
    memory::check(accuracy.design(items, layout).about("filter")?.bytes())?;
    let mut builder = accuracy.builder(items).scheme(layout.scheme);
    builder = match layout.choice {
        Choice::Exactly(k) => builder.k(k),
        Choice::Fast => builder.fast(),
        Choice::Compact => builder.compact(),
    };
    if let Some(kernel) = engine.kernel()? {
        builder = builder.kernel(kernel);
    }
    builder.seed(engine.seed).pages(engine.pages.into()).build().about("filter")
}

fn bytes(text: &str) -> Result<u64, String> {
    let refused = || format!("not a number of bytes up to {}, such as 4096, 1.5G or 10 MiB", u64::MAX);
    // A size that does not fit is parsed as the largest one; digits alone are exact.
    let size = text.parse().map(|size: ByteSize| size.as_u64()).map_err(|_| refused())?;
    if size == u64::MAX && text != u64::MAX.to_string() { Err(refused()) } else { Ok(size) }
}
