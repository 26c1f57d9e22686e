//! The calculator's answer, for programs and for people.

use std::fmt::Write;

use bloomline::Scheme;
use bloomline::sizing::{classic, split};
use serde::Serialize;

use crate::design::{Design, rate_and_spread};
use crate::output::{self, count, memory, rate};

#[derive(Serialize)]
pub(super) struct Report {
    /// None where it was not asked for, or where `notes` says why there is none.
    blocked: Option<BlockedSize>,
    split_block: Option<BlockedSize>,
    classic: ClassicSize,
    /// The price of rates, for the items of the first filter; empty where the lowest rate cannot be reached.
    pub(super) ladder: Vec<Rung>,
    pub(super) notes: Vec<String>,
}

/// A filter whose keys have all their bits in one block.
#[derive(Serialize)]
struct BlockedSize {
    scheme: &'static str,
    items: u64,
    bits: u64,
    bytes: u64,
    blocks: u64,
    block_bytes: u64,
    bits_per_key: f64,
    k: u32,
    fpr: f64,
    /// Standard deviation of the rate between filters, relative to the rate; None where the rate is too low to know it.
    spread: Option<f64>,
}

impl From<Design> for BlockedSize {
    fn from(design: Design) -> Self {
        let Design { scheme, items, blocks, k, rate } = design;
        let spread = rate_and_spread(scheme, items, blocks, k).ok().map(|(_, spread)| spread);
        Self {
            scheme: scheme.name(),
            items,
            bits: 8 * design.bytes(),
            bytes: design.bytes(),
            blocks,
            block_bytes: scheme.block_bytes(),
            bits_per_key: design.bits_per_key(),
            k,
            fpr: rate,
            spread: spread.filter(|spread| !spread.is_nan()),
        }
    }
}

#[derive(Serialize)]
pub(super) struct ClassicSize {
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
    pub(super) fn new(items: u64, bits: u64) -> Self {
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
pub(super) struct Rung {
    fpr: f64,
    classic_bits_per_key: f64,
    classic_k: u32,
    compact_bits_per_key: f64,
    compact_k: u32,
    fast_bits_per_key: f64,
    /// None where split blocks cannot hold as many items.
    split_block_bits_per_key: Option<f64>,
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
            split_block_bits_per_key: split::design(rung.fast.items, rung.rate)
                .ok()
                .map(|design| design.bits_per_key()),
        }
    }
}

impl Report {
    pub(super) fn new(classic: ClassicSize) -> Self {
        Self { blocked: None, split_block: None, classic, ladder: Vec::new(), notes: Vec::new() }
    }

    pub(super) fn add(&mut self, design: Design) {
        let filter =
            if design.scheme == Scheme::SplitBlock { &mut self.split_block } else { &mut self.blocked };
        *filter = Some(design.into());
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = self.sizes();
        for note in &self.notes {
            text += &format!("\n{note}\n");
        }
        text + &self.prices()
    }

    /// A column for every filter.
    fn sizes(&self) -> String {
        let filters = [("blocked", &self.blocked), ("split block", &self.split_block)];
        let filters: Vec<_> =
            filters.into_iter().filter_map(|(name, filter)| Some((name, filter.as_ref()?))).collect();
        let c = &self.classic;
        let row = |name: &str, blocked: fn(&BlockedSize) -> String, classic: String| {
            let cells = filters.iter().map(|(_, filter)| blocked(filter));
            [name.into()].into_iter().chain(cells).chain([classic]).collect::<Vec<_>>()
        };
        let none = || String::from("-");
        let spread = |b: &BlockedSize| {
            b.spread.map_or("-".into(), |spread| format!("± {:.3} % of it", 100.0 * spread))
        };
        let rows = [
            row("items", |b| count(b.items), count(c.items)),
            row("memory", |b| memory(b.bytes), memory(c.bytes)),
            row("bytes", |b| count(b.bytes), count(c.bytes)),
            row("bits", |b| count(b.bits), count(c.bits)),
            row("blocks", |b| count(b.blocks), none()),
            row("bytes per block", |b| b.block_bytes.to_string(), none()),
            row("bits per key", |b| format!("{:.2}", b.bits_per_key), format!("{:.2}", c.bits_per_key)),
            row("k", |b| b.k.to_string(), c.k.to_string()),
            row("false-positive rate, exact", |b| rate(b.fpr), rate(c.fpr_exact)),
            row("  by the textbook's formula", |_| "-".into(), rate(c.fpr)),
            row("  bound of Goel and Gupta", |_| "-".into(), rate(c.fpr_bound)),
            row("  varies between filters by", spread, none()),
        ];
        let names = filters.iter().map(|(name, _)| *name);
        output::table([""].into_iter().chain(names).chain(["classic"]).collect::<Vec<_>>(), rows)
    }

    fn prices(&self) -> String {
        let Some(filter) = self.blocked.as_ref().or(self.split_block.as_ref()) else { return String::new() };
        if self.ladder.is_empty() {
            return String::new();
        }
        let mut text = String::new();
        writeln!(text, "\nbits per key (k) by false-positive rate, for {} items", count(filter.items))
            .expect("writing to a string cannot fail");
        let rows = self.ladder.iter().map(|rung| {
            [
                rate(rung.fpr),
                format!("{:.2} ({})", rung.classic_bits_per_key, rung.classic_k),
                format!("{:.2} ({})", rung.compact_bits_per_key, rung.compact_k),
                format!("{:.2} (8)", rung.fast_bits_per_key),
                rung.split_block_bits_per_key.map_or("-".into(), |bits| format!("{bits:.2} (8)")),
            ]
        });
        let header = ["rate", "classic", "blocked, compact", "blocked, fast", "split block"];
        text + &output::table(header, rows)
    }
}
