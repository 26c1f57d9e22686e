//! A race of bloomline against other filters at equal memory.
//!
//! `docs/BENCHMARKING.md` says how it is run and what is fair about it. Nothing depends on this package, so that users of the
//! library build none of the rivals.

mod keys;
mod race;
mod report;
mod rival;
mod rivals;
mod roofline;
#[cfg(test)]
mod tests;
mod versions;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use keys::KeyType;
use race::Plan;
use report::Report;

/// Race bloomline against other filters at equal memory, on one core.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Sizes of the filters: bytes, or with a suffix K, M, G (powers of 1024) [default: 16K,256K,4M,64M and, unless --quick,
    /// 512M]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = bytes)]
    sizes: Vec<usize>,
    /// Memory for each key, where the contestant lets one choose, 5…64
    #[arg(long, value_name = "BITS", default_value_t = 10.0, value_parser = bits_per_key)]
    bits_per_key: f64,
    /// Per cent of looked-up keys that are present [default: 0,10,50,100, or 0,50 with --quick]
    #[arg(long, value_name = "PERCENTAGES", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..=100))]
    hit_rates: Vec<u32>,
    /// Kinds of keys
    #[arg(long, value_name = "TYPES", value_delimiter = ',', default_value = "u64")]
    key_types: Vec<KeyType>,
    /// Few rounds, so that the race with all other defaults ends within 50 seconds
    #[arg(long)]
    quick: bool,
}

const LEAST_BYTES: usize = 4 << 10;
const MOST_BYTES: usize = 64 << 30;

/// A multiple of the largest block, so that every contestant that lets one choose takes exactly as much.
fn bytes(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|error| format!("{error}"))?;
    number
        .checked_mul(1 << shift)
        .filter(|bytes| (LEAST_BYTES..=MOST_BYTES).contains(bytes) && bytes % 64 == 0)
        .ok_or_else(|| format!("not a multiple of 64 from {LEAST_BYTES} to {MOST_BYTES}"))
}

fn bits_per_key(text: &str) -> Result<f64, String> {
    let bits: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if (5.0..=64.0).contains(&bits) { Ok(bits) } else { Err("not from 5 to 64".into()) }
}

impl Args {
    fn plan(self) -> Plan {
        let or = |given: Vec<u32>, default: &[u32]| if given.is_empty() { default.to_vec() } else { given };
        let mut sizes = self.sizes;
        if sizes.is_empty() {
            sizes = vec![16 << 10, 256 << 10, 4 << 20, 64 << 20];
            sizes.extend((!self.quick).then_some(512 << 20));
        }
        sizes.sort_unstable();
        sizes.dedup();
        let mut system = sysinfo::System::new();
        system.refresh_memory();
        Plan {
            sizes,
            bits_per_key: self.bits_per_key,
            hit_rates: or(self.hit_rates, if self.quick { &[0, 50] } else { &[0, 10, 50, 100] }),
            rounds: if self.quick { 5 } else { 15 },
            batch: if self.quick { 1 << 18 } else { 1 << 20 },
            fill_limit: Duration::from_secs(if self.quick { 24 } else { 900 }),
            memory: system.available_memory() / 5 * 4,
        }
    }
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bloomline-peers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<(), String> {
    let (json, key_types) = (args.json, args.key_types.clone());
    let plan = args.plan();
    // The last core, since the first one serves most interrupts.
    let pinned = core_affinity::get_core_ids().and_then(|cores| cores.last().copied());
    let pinned = pinned.is_some_and(core_affinity::set_for_current);
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    if !pinned {
        notes.push("not pinned to a core: the system does not allow it".into());
    }
    for key_type in key_types {
        let (more_rows, more_notes) = match key_type {
            KeyType::U64 => race::run::<u64>(&plan, key_type),
            KeyType::S16 => race::run::<[u8; 16]>(&plan, key_type),
            KeyType::S64 => race::run::<[u8; 64]>(&plan, key_type),
        }?;
        rows.extend(more_rows);
        notes.extend(more_notes);
    }
    let report = Report::new(rows, notes);
    let text = if json {
        serde_json::to_string_pretty(&report).map_err(|error| error.to_string())? + "\n"
    } else {
        report.to_text()
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        // A reader that has seen enough is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}
