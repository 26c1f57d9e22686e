//! `bloomline size`: the calculator.

mod report;

use bloomline::sizing::{Choice, classic, ladder};
use bloomline::{Error, Scheme};

use crate::args::SizeArgs;
use crate::design::{Design, Layout, Size};
use crate::failure::{Context, Failure};
use crate::output;
use report::{ClassicSize, Report, Rung};

pub(crate) fn run(args: &SizeArgs) -> Result<(), Failure> {
    let question = Question::of(args)?;
    let asked = args.layout.layout();
    let first = question.design(asked)?;
    let mut report = Report::new(question.classic()?);
    report.add(first);
    // Without --scheme, the others stand beside it where they can; k is not for them.
    for scheme in
        Scheme::ALL.into_iter().filter(|scheme| args.layout.scheme.is_none() && *scheme != asked.scheme)
    {
        match question.design(Layout { scheme, choice: Choice::Compact }) {
            Ok(design) => report.add(design),
            Err(failure) => report.notes.push(failure.to_string()),
        }
    }
    report.ladder = ladder(first.items).map(|rungs| rungs.map(Rung::from).into()).unwrap_or_default();
    if args.json { output::print_json(&report) } else { output::print(&report.to_text()) }
}

/// What is known, and so what is asked for.
enum Question {
    Rate {
        items: u64,
        rate: f64,
    },
    BitsPerKey {
        items: u64,
        bits_per_key: f64,
    },
    Bytes {
        items: u64,
        bytes: u64,
    },
    /// How many items fit.
    Items {
        rate: f64,
        bytes: u64,
    },
}

impl Question {
    fn of(args: &SizeArgs) -> Result<Self, Failure> {
        match (args.items, args.fpr, args.bits_per_key, args.bytes) {
            (Some(items), Some(rate), None, None) => Ok(Self::Rate { items, rate }),
            (Some(items), None, Some(bits_per_key), None) => Ok(Self::BitsPerKey { items, bits_per_key }),
            (Some(items), None, None, Some(bytes)) => Ok(Self::Bytes { items, bytes }),
            (None, Some(rate), None, Some(bytes)) => Ok(Self::Items { rate, bytes }),
            _ => Err(Failure::new(
                "size",
                "give --items and one of --fpr, --bits-per-key, --bytes; or --fpr and --bytes",
            )),
        }
    }

    fn design(&self, layout: Layout) -> Result<Design, Failure> {
        let (items, size) = match *self {
            Self::Rate { items, rate } => (items, Size::Rate(rate)),
            Self::BitsPerKey { items, bits_per_key } => (items, Size::BitsPerKey(bits_per_key)),
            Self::Bytes { items, bytes } => (items, Size::Blocks(blocks(bytes, layout.scheme)?)),
            Self::Items { rate, bytes } => return most_items(rate, bytes, layout),
        };
        layout.design(items, size).about(name(layout.scheme))
    }

    fn classic(&self) -> Result<ClassicSize, Failure> {
        let (items, bits) = match *self {
            Self::Rate { items, rate } => (items, classic::bits(items, rate).about("classic filter")?),
            // The blocked filter is the smaller of what is possible, so this does not overflow.
            Self::BitsPerKey { items, bits_per_key } => (items, (items as f64 * bits_per_key).ceil() as u64),
            Self::Bytes { items, bytes } => (items, bits(bytes)?),
            Self::Items { rate, bytes } => {
                let bits = bits(bytes)?;
                let fits = |items| classic::rate_exact(items, bits, classic::optimal_k(items, bits)) <= rate;
                (last_true(fits).ok_or_else(|| holds_nothing(rate, bytes))?, bits)
            }
        };
        Ok(ClassicSize::new(items, bits))
    }
}

/// What an error is about.
fn name(scheme: Scheme) -> &'static str {
    if scheme == Scheme::SplitBlock { "split-block filter" } else { "blocked filter" }
}

fn blocks(bytes: u64, scheme: Scheme) -> Result<u64, Failure> {
    match bytes / scheme.block_bytes() {
        0 => Err(Error::TooSmall { bytes, min: scheme.block_bytes() }).about("--bytes"),
        blocks => Ok(blocks),
    }
}

fn bits(bytes: u64) -> Result<u64, Failure> {
    let too_large = Error::TooLarge { bytes: bytes.into(), limit: u64::MAX / 8 };
    bytes.checked_mul(8).ok_or(too_large).about("--bytes")
}

fn holds_nothing(rate: f64, bytes: u64) -> Failure {
    let why = format!("{bytes} bytes cannot hold a single item at a false-positive rate of {rate}");
    Failure::new("--bytes", why)
}

/// The filter that holds the most items within `bytes` at no more than `rate`.
fn most_items(rate: f64, bytes: u64, layout: Layout) -> Result<Design, Failure> {
    let min = layout.min_rate();
    if !(min..1.0).contains(&rate) {
        return Err(Error::InvalidRate { rate, min }).about("--fpr");
    }
    let blocks = Size::Blocks(blocks(bytes, layout.scheme)?);
    // Refuses a bad k or too many blocks once, so that the search meets no error.
    layout.design(1, blocks).about(name(layout.scheme))?;
    let fits = |items| layout.design(items, blocks).is_ok_and(|design| design.rate <= rate);
    let items = last_true(fits).ok_or_else(|| holds_nothing(rate, bytes))?;
    layout.design(items, blocks).about(name(layout.scheme))
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
        for (rate, scheme, choice) in [
            (0.01, Scheme::Block512, Choice::Fast),
            (0.001, Scheme::Block512, Choice::Exactly(9)),
            (0.01, Scheme::SplitBlock, Choice::Compact),
        ] {
            let layout = Layout { scheme, choice };
            let most = most_items(rate, 1 << 16, layout).unwrap();
            let fits = |items| layout.design(items, Size::Rate(rate)).unwrap().bytes() <= 1 << 16;
            assert!(fits(most.items) && !fits(most.items + 1), "{most:?}");
        }
    }
}
