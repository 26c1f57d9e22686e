//! `bloomline build`: a filter file from a key file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use bloomline::BloomFilter;
use tempfile::NamedTempFile;

use crate::args::{self, BuildArgs};
use crate::failure::{Context, Failure};
use crate::keys::{Keys, Piece, Source, lines};
use crate::output;

pub(crate) fn run(args: &BuildArgs) -> Result<(), Failure> {
    // A target that cannot be written is refused before the work.
    let target = Target::open(&args.output).about(args.output.display())?;
    let source = Source::new(&args.input.keys);
    let new_filter = |items| args::empty_filter(items, &args.accuracy, &args.k, &args.engine);
    let (filter, keys) = match (args.items, source.length()) {
        (Some(items), _) => stream(args, &source, new_filter(items)?)?,
        (None, Some(_)) => {
            let items = count(&source)?;
            stream(args, &source, new_filter(items)?)?
        }
        (None, None) => {
            let text = source.read()?;
            let items = lines(&text).count() as u64;
            let mut filter = new_filter(items)?;
            let piece = Piece { text: &text, lines_before: 0 };
            Keys::parse(&piece, args.input.integers, &source.name())?.insert_into(&mut filter);
            (filter, items)
        }
    };
    if keys == 0 {
        return Err(Failure::new(source.name(), "no keys; at least 1 is needed"));
    }
    target.write(&filter).about(args.output.display())?;
    let sized_for = filter.expected_items().unwrap_or(keys);
    output::print(&format!(
        "{}: {} keys, {}, k = {}, predicted false-positive rate {} with {} distinct keys\n",
        args.output.display(),
        output::count(keys),
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

/// Where a filter file goes.
enum Target {
    /// A device or a pipe is written, not replaced.
    Device(File),
    /// The temporary file takes the place of the path when it is complete.
    Path(NamedTempFile, PathBuf),
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        let existing = match fs::metadata(path) {
            Ok(existing) if existing.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(existing) if !existing.is_file() => {
                return OpenOptions::new().write(true).open(path).map(Self::Device);
            }
            Ok(existing) => Some(existing),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        // The file behind a symbolic link is replaced, not the link.
        let path = if existing.is_some() { fs::canonicalize(path)? } else { path.into() };
        let file = temporary_file(directory_of(&path))?;
        if let Some(existing) = existing {
            file.as_file().set_permissions(existing.permissions())?;
        }
        Ok(Self::Path(file, path))
    }

    /// Whoever opens the path finds the old file or the new one, complete and on the disk.
    fn write(self, filter: &BloomFilter) -> Result<(), bloomline::Error> {
        let (file, path) = match self {
            Self::Device(device) => return filter.write_to(device),
            Self::Path(file, path) => (file, path),
        };
        filter.write_to(file.as_file())?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        // The new name is a change of the directory. Not every system can write that back on request.
        if let Ok(directory) = File::open(directory_of(&path)) {
            let _ = directory.sync_all();
        }
        Ok(())
    }
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

fn temporary_file(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bloomline-");
    // As readable as any new file: the process's umask takes its share.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory)
}
