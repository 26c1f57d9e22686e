//! `bloomline build`: a filter file from a key file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use bloomline::BloomFilter;
use tempfile::NamedTempFile;

use crate::args::{self, BuildArgs};
use crate::failure::{Context, Failure};
use crate::keys::{Keys, Source};
use crate::output;

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
    let tell = if matches!(target, Target::Path(..)) { output::print } else { output::print_aside };
    target.write(&filter).about(args.output.display())?;
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

/// Where a filter file goes.
enum Target {
    /// `-`: standard output.
    Standard,
    /// A device or a pipe is written, not replaced.
    Device(File),
    /// The temporary file takes the place of the path when it is complete.
    Path(NamedTempFile, PathBuf),
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Standard);
        }
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
        remove_when_interrupted(file.path().into());
        if let Some(existing) = existing {
            file.as_file().set_permissions(existing.permissions())?;
        }
        Ok(Self::Path(file, path))
    }

    /// Whoever opens the path finds the old file or the new one, complete and on the disk.
    fn write(self, filter: &BloomFilter) -> Result<(), bloomline::Error> {
        let (file, path) = match self {
            Self::Standard => return filter.write_to(io::stdout().lock()),
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

/// The exit code of a command that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// Leaves no temporary file behind when the process is asked to end.
fn remove_when_interrupted(file: PathBuf) {
    let handler = move || {
        let _ = fs::remove_file(&file);
        process::exit(INTERRUPTED);
    };
    // Refused where a signal is ignored, as under nohup, and should stay so.
    let _ = ctrlc::try_set_handler(handler);
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
