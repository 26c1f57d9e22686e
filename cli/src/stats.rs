//! `bloomline stats`: what a filter file says of itself.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bloomline::{BloomFilter, FormatError, Health, Verdict};
use serde::Serialize;

use crate::args::StatsArgs;
use crate::failure::{Context, Failure};
use crate::memory;
use crate::output::{self, count, rate};

/// Rows of the histogram.
const BINS: usize = 16;
/// Characters of its longest bar.
const BAR: u64 = 40;

pub(crate) fn run(args: &StatsArgs) -> Result<(), Failure> {
    let filter = open(&args.filter)?;
    let stats = Stats::of(&filter);
    if args.json { output::print_json(&stats) } else { output::print(&stats.to_text()) }
}

/// Reads a filter file that this machine has memory for.
pub(crate) fn open(path: &Path) -> Result<BloomFilter, Failure> {
    let begin = || -> io::Result<_> {
        let mut file = File::open(path)?;
        let mut header = Vec::new();
        file.by_ref().take(HEADER_BYTES).read_to_end(&mut header)?;
        Ok((header, file))
    };
    let (header, file) = begin().about(path.display())?;
    // Reading takes twice the memory for a moment.
    memory::check(2 * filter_bytes(&header).min(longest(&file)))?;
    BloomFilter::read_from(header.chain(file)).about(path.display())
}

/// The length of the header of a filter file.
const HEADER_BYTES: u64 = 128;

/// The size that a header names; 0 where it is no header, which `read_from` tells.
fn filter_bytes(header: &[u8]) -> u64 {
    // A header alone is a filter that is cut off, and the error says how long the filter is.
    match BloomFilter::from_bytes(header) {
        Err(bloomline::Error::Format(FormatError::Truncated { needed, .. })) => needed,
        _ => 0,
    }
}

/// The longest filter that can be read: a file that is shorter than its header says takes no more memory than it has bytes.
fn longest(file: &File) -> u64 {
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => u64::MAX,
    }
}

#[derive(Serialize)]
struct Stats {
    scheme: &'static str,
    blocks: u64,
    block_bytes: u64,
    bytes: u64,
    k: u32,
    seed: u64,
    expected_items: Option<u64>,
    bits_per_key: Option<f64>,
    fpr_target: Option<f64>,
    fpr_predicted: Option<f64>,
    fpr_from_bits: f64,
    fill: f64,
    set_bits: u64,
    /// None where every bit is set.
    estimated_items: Option<f64>,
    estimated_items_sd: Option<f64>,
    load: Option<f64>,
    verdict: &'static str,
    block_loads: Vec<Bin>,
}

/// Blocks by their number of set bits.
#[derive(Debug, PartialEq, Serialize)]
struct Bin {
    from: usize,
    to: usize,
    blocks: u64,
}

impl Stats {
    fn of(filter: &BloomFilter) -> Self {
        let Health { set_bits, fill, rate, items, block_loads, load, verdict, .. } = filter.health();
        let known = items.items.is_finite();
        Self {
            scheme: filter.scheme().name(),
            blocks: filter.blocks(),
            block_bytes: filter.scheme().block_bytes(),
            bytes: filter.bytes(),
            k: filter.k(),
            seed: filter.seed(),
            expected_items: filter.expected_items(),
            bits_per_key: filter.bits_per_key(),
            fpr_target: filter.target_rate(),
            fpr_predicted: filter.predicted_rate(),
            fpr_from_bits: rate,
            fill,
            set_bits,
            estimated_items: known.then_some(items.items),
            estimated_items_sd: known.then_some(items.standard_deviation),
            load: load.filter(|load| load.is_finite()),
            verdict: match verdict {
                Verdict::Within => "within",
                Verdict::Over => "over",
                Verdict::Saturated => "saturated",
                _ => "unknown",
            },
            block_loads: bins(&block_loads),
        }
    }

    fn to_text(&self) -> String {
        let or_unknown = |value: Option<String>| value.unwrap_or_else(|| "unknown".into());
        let items = self.estimated_items.zip(self.estimated_items_sd);
        let rows = [
            ("scheme", self.scheme.into()),
            ("memory", output::memory(self.bytes)),
            ("blocks", count(self.blocks)),
            ("bytes per block", self.block_bytes.to_string()),
            ("k", self.k.to_string()),
            ("seed", self.seed.to_string()),
            ("items expected", or_unknown(self.expected_items.map(count))),
            ("bits per expected item", or_unknown(self.bits_per_key.map(|bits| format!("{bits:.2}")))),
            ("false-positive rate asked for", or_unknown(self.fpr_target.map(rate))),
            ("  predicted", or_unknown(self.fpr_predicted.map(rate))),
            ("  by its bits", rate(self.fpr_from_bits)),
            ("bits set", format!("{} ({:.2} %)", count(self.set_bits), 100.0 * self.fill)),
            ("items estimated", or_unknown(items.map(estimate))),
            ("estimated / expected", or_unknown(self.load.map(|load| format!("{load:.2}")))),
            ("state", self.verdict.into()),
        ];
        let mut text = output::table(["", "filter"], rows.map(|(name, value)| [name.into(), value]));
        text += "\nset bits of a block\n";
        let most = self.block_loads.iter().map(|bin| bin.blocks).max().unwrap_or(0).max(1);
        for Bin { from, to, blocks } in &self.block_loads {
            let bar = "#".repeat((u128::from(blocks * BAR)).div_ceil(most.into()) as usize);
            let row = format!("{from:>3} to {to:>3}  {:>13}  {bar}", count(*blocks));
            writeln!(text, "{}", row.trim_end()).expect("writing to a string cannot fail");
        }
        text
    }
}

fn estimate((items, deviation): (f64, f64)) -> String {
    format!("{} ± {}", count(items.round() as u64), count(deviation.round() as u64))
}

/// At most `BINS` bins of equal width over the loads that occur.
fn bins(loads: &[u64]) -> Vec<Bin> {
    let occurs = |load: &usize| loads[*load] > 0;
    let Some(first) = (0..loads.len()).find(occurs) else { return Vec::new() };
    let last = (0..loads.len()).rfind(occurs).unwrap_or(first);
    let width = (last - first + 1).div_ceil(BINS);
    let starts = (first..=last).step_by(width);
    starts
        .map(|from| {
            let to = (from + width - 1).min(loads.len() - 1);
            Bin { from, to, blocks: loads[from..=to].iter().sum() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_cover_the_loads_that_occur() {
        assert_eq!(bins(&[0; 513]), []);
        let mut loads = vec![0; 513];
        loads[512] = 3;
        assert_eq!(bins(&loads), [Bin { from: 512, to: 512, blocks: 3 }]);
        loads[0] = 4;
        let wide = bins(&loads);
        assert_eq!(wide.len(), 16);
        assert_eq!(wide[0], Bin { from: 0, to: 32, blocks: 4 });
        assert_eq!(wide[15], Bin { from: 495, to: 512, blocks: 3 });
    }
}
