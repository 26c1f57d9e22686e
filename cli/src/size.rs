//! `bloomline size`: the calculator.

use std::fmt::Write;

use bloomline::sizing::{Choice, MIN_RATE, blocked, classic, ladder};
use serde::Serialize;

use crate::args::SizeArgs;
use crate::failure::{Context, Failure};
use crate::output::{self, count, memory, rate};

const BLOCK_BYTES: u64 = 64;

pub(crate) fn run(args: &SizeArgs) -> Result<(), Failure> {
    let choice = args.k.choice();
    let (blocked, classic) = match (args.items, args.fpr, args.bits_per_key, args.bytes) {
        (Some(items), Some(rate), None, None) => {
            let blocked = blocked::design(items, rate, choice).about("blocked filter")?;
            let bits = classic::bits(items, rate).about("classic filter")?;
            (blocked, ClassicSize::new(items, bits))
        }
        (Some(items), None, Some(bits_per_key), None) => {
            let blocked = blocked::design_bits_per_key(items, bits_per_key, choice);
            // The blocked filter is the smaller of what is possible, so this does not overflow.
            let bits = items as f64 * bits_per_key;
            (blocked.about("blocked filter")?, ClassicSize::new(items, bits.ceil() as u64))
        }
        (Some(items), None, None, Some(bytes)) => {
            let blocked = blocked::design_blocks(items, blocks(bytes)?, choice).about("blocked filter")?;
            (blocked, ClassicSize::new(items, bits(bytes)?))
        }
        (None, Some(rate), None, Some(bytes)) => most_items(rate, bytes, choice)?,
        _ => {
            return Err(Failure::new(
                "size",
                "give --items and one of --fpr, --bits-per-key, --bytes; or --fpr and --bytes",
            ));
        }
    };
    let report = Report {
        ladder: ladder(blocked.items).map(|rungs| rungs.map(Rung::from).into()).unwrap_or_default(),
        blocked: blocked.into(),
        classic,
    };
    if args.json { output::print_json(&report) } else { output::print(&report.to_text()) }
}

fn blocks(bytes: u64) -> Result<u64, Failure> {
    match bytes / BLOCK_BYTES {
        0 => Err(bloomline::Error::TooSmall { bytes, min: BLOCK_BYTES }).about("--bytes"),
        blocks => Ok(blocks),
    }
}

fn bits(bytes: u64) -> Result<u64, Failure> {
    let too_large = bloomline::Error::TooLarge { bytes: bytes.into(), limit: u64::MAX / 8 };
    bytes.checked_mul(8).ok_or(too_large).about("--bytes")
}

/// The filters that hold the most items within `bytes` at no more than `rate`.
fn most_items(rate: f64, bytes: u64, choice: Choice) -> Result<(blocked::Design, ClassicSize), Failure> {
    if !(MIN_RATE..1.0).contains(&rate) {
        return Err(bloomline::Error::InvalidRate { rate, min: MIN_RATE }).about("--fpr");
    }
    let (blocks, bits) = (blocks(bytes)?, bits(bytes)?);
    let unreachable = || {
        let limit = format!("{bytes} bytes cannot hold a single item at a false-positive rate of {rate}");
        Failure::new("--bytes", limit)
    };
    // Refuses a bad k or too many blocks once, so that the search meets no error.
    blocked::design_blocks(1, blocks, choice).about("blocked filter")?;
    let fits = |items| blocked::design_blocks(items, blocks, choice).is_ok_and(|design| design.rate <= rate);
    let items = last_true(fits).ok_or_else(unreachable)?;
    let blocked = blocked::design_blocks(items, blocks, choice).about("blocked filter")?;
    let fits = |items| classic::rate_exact(items, bits, classic::optimal_k(items, bits)) <= rate;
    let items = last_true(fits).ok_or_else(unreachable)?;
    Ok((blocked, ClassicSize::new(items, bits)))
}

/// The largest number from 1 on for which `holds` is true, when it is true up to there and false from there on.
fn last_true(holds: impl Fn(u64) -> bool) -> Option<u64> {
    let mut high = 1_u64;
    while holds(high) {
        high = high.checked_mul(2)?;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    (low > 0).then_some(low)
}

#[derive(Serialize)]
struct Report {
    blocked: BlockedSize,
    classic: ClassicSize,
    /// The price of rates, for the blocked filter's items; empty where the lowest rate cannot be reached.
    ladder: Vec<Rung>,
}

#[derive(Serialize)]
struct BlockedSize {
    items: u64,
    bits: u64,
    bytes: u64,
    blocks: u64,
    bits_per_key: f64,
    k: u32,
    fpr: f64,
    /// Standard deviation of the rate between filters, relative to the rate; None where the rate is too low to know it.
    spread: Option<f64>,
}

impl From<blocked::Design> for BlockedSize {
    fn from(design: blocked::Design) -> Self {
        Self {
            items: design.items,
            bits: 8 * design.bytes(),
            bytes: design.bytes(),
            blocks: design.blocks,
            bits_per_key: design.bits_per_key(),
            k: design.k,
            fpr: design.rate,
            spread: blocked::spread(design.items, design.blocks, design.k)
                .ok()
                .filter(|spread| !spread.is_nan()),
        }
    }
}

#[derive(Serialize)]
struct ClassicSize {
    items: u64,
    bits: u64,
    /// Of whole 64-bit words.
    bytes: u64,
    bits_per_key: f64,
    k: u32,
    /// By the textbook's formula.
    fpr: f64,
    fpr_exact: f64,
    /// The bound of Goel and Gupta.
    fpr_bound: f64,
}

impl ClassicSize {
    fn new(items: u64, bits: u64) -> Self {
        let k = classic::optimal_k(items, bits);
        Self {
            items,
            bits,
            bytes: bits.div_ceil(64) * 8,
            bits_per_key: bits as f64 / items as f64,
            k,
            fpr: classic::rate(items, bits, k),
            fpr_exact: classic::rate_exact(items, bits, k),
            fpr_bound: classic::goel_gupta(items, bits, k),
        }
    }
}

#[derive(Serialize)]
struct Rung {
    fpr: f64,
    classic_bits_per_key: f64,
    classic_k: u32,
    compact_bits_per_key: f64,
    compact_k: u32,
    fast_bits_per_key: f64,
}

impl From<bloomline::sizing::Rung> for Rung {
    fn from(rung: bloomline::sizing::Rung) -> Self {
        Self {
            fpr: rung.rate,
            classic_bits_per_key: rung.classic.bits_per_key(),
            classic_k: rung.classic.k,
            compact_bits_per_key: rung.compact.bits_per_key(),
            compact_k: rung.compact.k,
            fast_bits_per_key: rung.fast.bits_per_key(),
        }
    }
}

impl Report {
    fn to_text(&self) -> String {
        let (b, c) = (&self.blocked, &self.classic);
        let spread = b.spread.map_or("-".into(), |spread| format!("± {:.3} % of it", 100.0 * spread));
        let none = || String::from("-");
        let rows = [
            ("items", count(b.items), count(c.items)),
            ("memory", memory(b.bytes), memory(c.bytes)),
            ("bytes", count(b.bytes), count(c.bytes)),
            ("bits", count(b.bits), count(c.bits)),
            ("blocks of 64 bytes", count(b.blocks), none()),
            ("bits per key", format!("{:.2}", b.bits_per_key), format!("{:.2}", c.bits_per_key)),
            ("k", b.k.to_string(), c.k.to_string()),
            ("false-positive rate, exact", rate(b.fpr), rate(c.fpr_exact)),
            ("  by the textbook's formula", none(), rate(c.fpr)),
            ("  bound of Goel and Gupta", none(), rate(c.fpr_bound)),
            ("  varies between filters by", spread, none()),
        ];
        let rows = rows.map(|(name, blocked, classic)| [name.into(), blocked, classic]);
        let mut text = output::table(["", "blocked", "classic"], rows);
        if !self.ladder.is_empty() {
            writeln!(text, "\nbits per key (k) by false-positive rate, for {} items", count(b.items))
                .expect("writing to a string cannot fail");
            let rows = self.ladder.iter().map(|rung| {
                [
                    rate(rung.fpr),
                    format!("{:.2} ({})", rung.classic_bits_per_key, rung.classic_k),
                    format!("{:.2} ({})", rung.compact_bits_per_key, rung.compact_k),
                    format!("{:.2} (8)", rung.fast_bits_per_key),
                ]
            });
            text += &output::table(["rate", "classic", "blocked, compact", "blocked, fast"], rows);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_finds_the_last_one() {
        for last in [1, 2, 3, 7, 8, 1000, 1 << 40] {
            assert_eq!(last_true(|n| n <= last), Some(last));
        }
        assert_eq!(last_true(|_| false), None);
    }

    #[test]
    fn the_most_items_are_the_inverse_of_the_design() {
        for (rate, choice) in [(0.01, Choice::Fast), (0.001, Choice::Exactly(9))] {
            let (most, _) = most_items(rate, 1 << 16, choice).unwrap();
            let fits = |items| blocked::design(items, rate, choice).unwrap().bytes() <= 1 << 16;
            assert!(fits(most.items) && !fits(most.items + 1), "{most:?}");
        }
    }
}
