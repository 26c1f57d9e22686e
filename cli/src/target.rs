//! The file that a command writes: complete, or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::interrupt;

/// Where a file goes.
pub(crate) enum Target {
    /// `-`: standard output.
    Standard,
    /// A device or a pipe is written, not replaced.
    Device(File),
    /// The temporary file takes the place of the path when it is complete.
    Path(NamedTempFile, PathBuf),
}

impl Target {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
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
        let file = interrupt::removed(|| {
            let file = temporary_file(directory_of(&path))?;
            Ok((file.path().into(), file))
        })?;
        if let Some(existing) = existing {
            file.as_file().set_permissions(existing.permissions())?;
        }
        Ok(Self::Path(file, path))
    }

    /// Whether standard output stays free for something else, also where it is a device.
    pub(crate) fn is_path(&self) -> bool {
        matches!(self, Self::Path(..))
    }

    /// Whoever opens the path finds the old file or the new one, complete and on the disk.
    pub(crate) fn write<E: From<io::Error>>(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        let (file, path) = match self {
            Self::Standard => return write(&mut io::stdout().lock()),
            Self::Device(mut device) => return write(&mut device),
            Self::Path(file, path) => (file, path),
        };
        write(&mut file.as_file())?;
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
