//! What an interrupted command leaves behind: nothing.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, PoisonError};

/// The exit code of a command that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// The file to remove. Locked while it is made, so that an interrupt finds either none or its name.
static FILE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Makes a file that is removed when the process is asked to end. `make` gives its path first.
pub(crate) fn removed<T>(make: impl FnOnce() -> io::Result<(PathBuf, T)>) -> io::Result<T> {
    let mut file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    catch();
    let (path, made) = make()?;
    *file = Some(path);
    Ok(made)
}

fn end() {
    let file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = &*file {
        let _ = fs::remove_file(path);
    }
    process::exit(INTERRUPTED);
}

/// Catches the signals that ask to end, but for those that whoever started the command had it ignore, as nohup does and a
/// shell for what it runs in the background.
#[cfg(target_os = "linux")]
fn catch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let ignored =
        fs::read_to_string("/proc/self/status").ok().and_then(|status| ignored(&status)).unwrap_or(0);
    let caught = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Whoever cannot have a thread for it ends at once.
    let Ok(mut signals) = Signals::new(caught) else { return };
    let handle = signals.handle();
    let waiting = std::thread::Builder::new().spawn(move || {
        if signals.forever().next().is_some() {
            end();
        }
    });
    if waiting.is_err() {
        handle.close();
    }
}

/// All or none, where no signal may be ignored.
#[cfg(not(target_os = "linux"))]
fn catch() {
    let _ = ctrlc::try_set_handler(end);
}

/// The ignored signals, signal n as bit n − 1, by the text of `/proc/self/status`.
#[cfg(target_os = "linux")]
fn ignored(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_their_line() {
        let status = "Name:\tbloomline\nSigBlk:\t00000000000000ff\nSigIgn:\t0000000000001003\nSigCgt:\t0000000000000000\n";
        assert_eq!(ignored(status), Some(1 << 12 | 1 << 1 | 1));
        assert_eq!((ignored(""), ignored("SigIgn:\tx\n")), (None, None));
    }
}
