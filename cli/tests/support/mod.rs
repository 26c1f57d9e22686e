//! Running the command, and files to run it on.
#![allow(dead_code, reason = "every test file uses its own part")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bloomline"));
    command.args(args).stdin(Stdio::null());
    command
}

pub(crate) fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

pub(crate) fn run_with_input(args: &[&str], input: &[u8]) -> Output {
    let mut command = command(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command that fails early does not read all of it.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The standard output of a run that must succeed.
#[track_caller]
pub(crate) fn success(output: &Output) -> &[u8] {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(stderr, "");
    &output.stdout
}

#[track_caller]
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(success(output).to_vec()).unwrap()
}

#[track_caller]
pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(success(output)).unwrap()
}

/// Asserts that a run is refused with exit code 2, and that its message has every one of `parts`.
#[track_caller]
pub(crate) fn refused(output: &Output, parts: &[&str]) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    for part in parts {
        assert!(stderr.contains(part), "{part:?} is not in {stderr:?}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
}

/// Whether commands inherit from here that they ignore this signal, as under `nohup` or in the background of a script.
#[cfg(unix)]
pub(crate) fn is_ignored(signal: &str) -> bool {
    // A shell cannot catch such a signal, so that its handler does not run.
    let script = format!("trap 'exit 7' {signal}; kill -{signal} $$; exit 0");
    Command::new("sh").args(["-c", &script]).status().unwrap().code() != Some(7)
}

#[cfg(unix)]
pub(crate) fn send(signal: &str, child: &Child) {
    let signal = format!("-{signal}");
    assert!(Command::new("kill").args([&signal, &child.id().to_string()]).status().unwrap().success());
}

/// A directory that vanishes with the test.
pub(crate) struct Directory(TempDir);

impl Directory {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.0.path().join(name), content).unwrap();
        self.path(name)
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A filter file that holds the lines of `keys`.
    pub(crate) fn filter(&self, name: &str, keys: &str, options: &[&str]) -> String {
        let keys = self.write(&format!("{name}.keys"), keys);
        let path = self.path(name);
        let mut args = vec!["build", "--keys", &keys, "-o", &path];
        args.extend(options);
        success(&run(&args));
        path
    }
}

/// A device on which every write fails.
pub(crate) fn full_disk() -> Option<Stdio> {
    File::options().write(true).open("/dev/full").ok().map(Stdio::from)
}

/// Real key files beside the workspace.
pub(crate) fn shared_keys(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/keys").join(name);
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

/// The JSON of `bloomline size`.
#[track_caller]
pub(crate) fn size(args: &str) -> Value {
    let args: Vec<_> = ["size", "--json"].into_iter().chain(args.split(' ')).collect();
    json(&run(&args))
}

#[track_caller]
pub(crate) fn assert_close(value: &Value, wanted: f64, tolerance: f64) {
    let value = value.as_f64().unwrap();
    assert!((value / wanted - 1.0).abs() <= tolerance, "{value} is not {wanted}");
}

/// The report of a run of `bloomline bench` in kernels that run everywhere, and its page.
pub(crate) fn measured_bench(more: &str) -> (Value, String) {
    let directory = Directory::new();
    let page = directory.path("page.html");
    let options =
        format!("bench --quick --sizes 64K,4K --kernels scalar,portable {more} --json --html {page}");
    let report = json(&run(&options.split_whitespace().collect::<Vec<_>>()));
    assert_eq!(directory.files(), ["page.html"]);
    (report, fs::read_to_string(page).unwrap())
}

#[track_caller]
pub(crate) fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name} of {value}"))
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}
