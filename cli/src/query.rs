//! `bloomline query`: the lines of a key file whose keys are possibly present in a filter.

use std::io::{self, BufWriter, IsTerminal, Write};

use crate::args::QueryArgs;
use crate::failure::{Context, Failure};
use crate::keys::{Keys, Source, lines};
use crate::{output, stats};

pub(crate) fn run(args: &QueryArgs) -> Result<(), Failure> {
    let filter = stats::open(&args.filter)?;
    let source = Source::new(&args.input.keys);
    let name = source.name();
    let prints_to_terminal = !args.count && io::stdout().is_terminal();
    let mut pieces = if prints_to_terminal { source.quiet_pieces() } else { source.pieces("querying") }?;
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    let mut mask = Vec::new();
    let mut matches = 0_u64;
    while let Some(piece) = pieces.next()? {
        let keys = Keys::parse(&piece, args.input.integers, &name)?;
        keys.found_in(&filter, &mut mask).about("query")?;
        for (i, line) in lines(piece.text).enumerate() {
            let found = mask[i / 64] >> (i % 64) & 1 == 1;
            if found == args.invert {
                continue;
            }
            matches += 1;
            if args.count {
                continue;
            }
            match out.write_all(line).and_then(|()| out.write_all(b"\n")) {
                // The reader has seen enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                written => written.about("standard output")?,
            }
        }
    }
    if args.count {
        return output::print(&format!("{matches}\n"));
    }
    output::ignore_closed_pipe(out.flush()).about("standard output")
}
