//! `bloomline build`: a filter file from a key file.

use bloomline::BloomFilter;

use crate::args::{self, BuildArgs};
use crate::failure::{Context, Failure};
use crate::keys::{Keys, Source};
use crate::output;
use crate::target::Target;

pub(crate) fn run(args: &BuildArgs) -> Result<(), Failure> {
    let mut source = Source::new(&args.input.keys);
    if source.is_at(&args.output) {
        return Err(Failure::new(args.output.display(), "the filter would replace its own key file"));
    }
    // A target that cannot be written is refused before the work.
    let target = Target::open(&args.output).about(args.output.display())?;
    let items = match args.items {
        Some(items) => items,
        None => {
            source = source.readable_twice()?;
            count(&source)?
        }
    };
    // An empty input is told below.
    let filter = args::empty_filter(items.max(1), &args.accuracy, args.layout.layout(), &args.engine)?;
    let (filter, keys) = stream(args, &source, filter)?;
    if keys == 0 {
        return Err(Failure::new(source.name(), "no keys; at least 1 is needed"));
    }
    let tell = if target.is_path() { output::print } else { output::print_aside };
    target.write(|out| filter.write_to(out)).about(args.output.display())?;
    let sized_for = filter.expected_items().unwrap_or(keys);
    tell(&format!(
        "{}: {} keys, {}, {}, k = {}, predicted false-positive rate {} with {} distinct keys\n",
        args.output.display(),
        output::count(keys),
        filter.scheme().name(),
        output::memory(filter.bytes()),
        filter.k(),
        output::rate(filter.predicted_rate_at(sized_for)),
        output::count(sized_for),
    ))
}

fn count(source: &Source) -> Result<u64, Failure> {
    let mut pieces = source.pieces("counting")?;
    while pieces.next()?.is_some() {}
    Ok(pieces.lines())
}

/// Inserts all keys, piece by piece, and tells how many there were.
fn stream(args: &BuildArgs, source: &Source, mut filter: BloomFilter) -> Result<(BloomFilter, u64), Failure> {
    let name = source.name();
    let mut pieces = source.pieces("inserting")?;
    while let Some(piece) = pieces.next()? {
        Keys::parse(&piece, args.input.integers, &name)?.insert_into(&mut filter);
    }
    Ok((filter, pieces.lines()))
}
