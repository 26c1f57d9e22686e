//! Bad input: exit code 2, a message that says what and why, and nothing else.

mod support;

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

use support::{Directory, command, full_disk, is_ignored, refused, run, run_with_input, send};

#[test]
fn verify_refuses_values_that_no_filter_can_have() {
    for (args, parts) in [
        ("--fpr 0", ["false-positive rate 0.0 ", "[1e-15, 1)"]),
        ("--fpr 1", ["false-positive rate 1.0 ", "[1e-15, 1)"]),
        ("--fpr NaN", ["false-positive rate NaN ", "[1e-15, 1)"]),
        ("--fpr 1e-300", ["false-positive rate 1e-300 ", "[1e-15, 1)"]),
        ("--fpr -1", ["false-positive rate -1.0 ", "[1e-15, 1)"]),
        ("--bits-per-key 0", ["bits per key 0.0 ", "above 0"]),
        ("--bits-per-key inf", ["bits per key inf ", "above 0"]),
        ("--k 0", ["k = 0", "1..=16"]),
        ("--k 17", ["k = 17", "1..=16"]),
        ("--items 0", ["'0'", "--items"]),
        ("--items 9223372036854775808", ["9223372036854775808", "limit"]),
        ("--items 9223372036854775808 --bits-per-key 1", ["limit", "bytes"]),
        ("--items 100000000000 --bits-per-key 0.001", ["memory", "available"]),
        ("--probes 0", ["'0'", "--probes"]),
        ("--items 10 --probes 18446744073709551615", ["memory", "available"]),
        ("--seed -1", ["-1", ""]),
        ("--fpr 0.01 --bits-per-key 10", ["--fpr", "--bits-per-key"]),
        ("--u64", ["--keys", ""]),
        ("--wrong", ["--wrong", ""]),
    ] {
        let args: Vec<_> = ["verify"].into_iter().chain(args.split(' ')).collect();
        refused(&run(&args), &parts);
    }
}

#[test]
fn a_kernel_that_does_not_exist_is_answered_with_those_that_do() {
    let directory = Directory::new();
    let keys = directory.write("keys", "a\n");
    let filter = directory.path("filter");
    for args in [
        &["verify", "--kernel", "abacus"][..],
        &["build", "--keys", &keys, "-o", &filter, "--kernel", "abacus"],
    ] {
        refused(&run(args), &["bloomline: --kernel: ", "\"abacus\"", "available: ", "portable", "scalar"]);
    }
    assert_eq!(directory.files(), ["keys"]);
}

#[test]
fn key_files_that_cannot_be_read_are_named() {
    let directory = Directory::new();
    let good = directory.filter("good", "a\n", &[]);
    let missing = directory.path("missing");
    let folder = directory.path("");
    let out = directory.path("out");
    for (path, why) in [(&missing, "No such file"), (&folder, "directory")] {
        for args in [
            &["verify", "--keys", path][..],
            &["build", "--keys", path, "-o", &out],
            &["query", &good, "--keys", path],
        ] {
            refused(&run(args), &[&format!("bloomline: {path}: "), why]);
        }
    }
    assert_eq!(directory.files(), ["good", "good.keys"]);
}

#[test]
fn no_keys_are_refused() {
    let directory = Directory::new();
    let empty = directory.write("empty", "");
    let out = directory.path("out");
    for args in [
        &["verify", "--keys", &empty][..],
        &["verify", "--keys", &empty, "--u64"],
        &["build", "--keys", &empty, "-o", &out],
        &["build", "--keys", &empty, "-o", &out, "--items", "10"],
    ] {
        refused(&run(args), &["bloomline: ", "empty", "no keys"]);
    }
    refused(&run_with_input(&["verify", "--keys", "-"], b""), &["standard input: no keys"]);
    refused(&run_with_input(&["build", "--keys", "-", "-o", &out], b""), &["standard input: no keys"]);
    assert_eq!(directory.files(), ["empty"]);
}

#[test]
fn files_that_are_no_filter_are_refused() {
    let directory = Directory::new();
    let good = fs::read(directory.filter("good", "a\nb\n", &[])).unwrap();
    let keys = directory.write("keys", "a\n");
    let flipped = |position: usize| {
        let mut bytes = good.clone();
        bytes[position] ^= 1;
        bytes
    };
    let needed = good.len().to_string();
    let cases: [(&str, Vec<u8>, &[&str]); 9] = [
        ("empty", vec![], &["cut off", "128 bytes", "has 0"]),
        ("short", good[..100].to_vec(), &["cut off", "128 bytes", "has 100"]),
        ("cut", good[..good.len() - 1].to_vec(), &["cut off", &needed]),
        ("long", [&good[..], b"x"].concat(), &["follow the end", &needed]),
        ("text", vec![b'a'; 500], &["not a bloomline filter"]),
        ("magic", flipped(0), &["not a bloomline filter"]),
        ("version", flipped(8), &["version", "not known"]),
        ("header", flipped(33), &["header checksum"]),
        ("payload", flipped(good.len() - 1), &["payload checksum"]),
    ];
    for (name, bytes, parts) in cases {
        let path = directory.write(name, bytes);
        for args in [&["stats", &path][..], &["query", &path, "--keys", &keys]] {
            let output = run(args);
            refused(&output, parts);
            refused(&output, &[&format!("bloomline: {path}: ")]);
        }
    }
    for (path, why) in [(directory.path("missing"), "No such file"), (directory.path(""), "directory")] {
        refused(&run(&["stats", &path]), &[&path, why]);
        refused(&run(&["query", &path, "--keys", &keys]), &[&path, why]);
    }
}

#[test]
fn a_build_that_fails_leaves_the_old_file_and_no_other() {
    let directory = Directory::new();
    let keys = directory.write("keys", "1\n2\nthree\n");
    let out = directory.write("out", "old");
    let output = run(&["build", "--u64", "--keys", &keys, "-o", &out]);
    refused(&output, &[&keys, "line 3", "\"three\""]);
    assert_eq!(fs::read(&out).unwrap(), b"old");
    assert_eq!(directory.files(), ["keys", "out"]);

    let bad_query =
        run_with_input(&["query", &directory.filter("f", "1\n", &["--u64"]), "--keys", "-", "--u64"], b"x\n");
    refused(&bad_query, &["standard input", "line 1", "\"x\""]);
}

#[test]
fn a_filter_does_not_replace_its_own_keys() {
    let directory = Directory::new();
    let keys = directory.write("keys", "a\n");
    let detour = directory.path("./keys");
    for out in [&keys, &detour] {
        refused(&run(&["build", "--keys", &keys, "-o", out]), &[out, "key file"]);
    }
    assert_eq!(fs::read(&keys).unwrap(), b"a\n");
    assert_eq!(directory.files(), ["keys"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_leaves_the_old_file_and_no_other() {
    // More than a pipe holds: when all is written, the command has begun to read.
    let lines = "key\n".repeat(100_000);
    // Nothing ignored, and what `nohup` and what a shell in the background has ignored.
    for (trap, signal) in [
        ("", "INT"),
        ("", "TERM"),
        ("", "HUP"),
        ("HUP", "INT"),
        ("HUP", "TERM"),
        ("INT", "TERM"),
        ("INT", "HUP"),
    ] {
        if is_ignored(signal) {
            println!("skipped: SIG{signal} is ignored here");
            continue;
        }
        let directory = Directory::new();
        let out = directory.write("out", "old");
        let (mut child, mut input) = build_of_input(&out, trap);
        input.write_all(lines.as_bytes()).unwrap();
        assert_eq!(directory.files().len(), 2);
        send(signal, &child);
        // The input stays open until the command has ended.
        assert_eq!(child.wait().unwrap().code(), Some(130), "SIG{signal} with SIG{trap} ignored");
        drop(input);
        assert_eq!(fs::read(&out).unwrap(), b"old");
        assert_eq!(directory.files(), ["out"]);
    }
}

#[cfg(unix)]
#[test]
fn an_ignored_signal_does_not_end_a_build() {
    let lines = "key\n".repeat(100_000);
    for signal in ["INT", "TERM", "HUP"] {
        let directory = Directory::new();
        let out = directory.write("out", "old");
        let (mut child, mut input) = build_of_input(&out, signal);
        input.write_all(lines.as_bytes()).unwrap();
        send(signal, &child);
        input.write_all(lines.as_bytes()).unwrap();
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0), "SIG{signal}");
        assert_ne!(fs::read(&out).unwrap(), b"old");
        assert_eq!(directory.files(), ["out"]);
    }
}

/// A build of what will be written to its standard input, which ignores the signal `trap`, if any.
#[cfg(unix)]
fn build_of_input(out: &str, trap: &str) -> (Child, ChildStdin) {
    // Only a shell can hand down an ignored signal without unsafe code.
    let script = if trap.is_empty() { String::new() } else { format!("trap '' {trap}; ") };
    let mut child = Command::new("sh")
        .args(["-c", &(script + r#"exec "$0" build --keys - -o "$1""#), env!("CARGO_BIN_EXE_bloomline"), out])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    (child, input)
}

#[test]
fn a_filter_above_the_memory_is_refused() {
    let directory = Directory::new();
    let keys = directory.write("keys", "a\n");
    let out = directory.path("out");
    // 227 GiB.
    let options = ["--items", "200000000000", "--bits-per-key", "9.75"];
    let mut args = vec!["build", "--keys", &keys, "-o", &out];
    args.extend(options);
    refused(&run(&args), &["memory: ", "227.01 GiB needed", "available"]);
    assert_eq!(directory.files(), ["keys"]);
}

/// The header of a filter, for another number of blocks.
#[cfg(unix)]
fn header_with_blocks(filter: &str, blocks: u64) -> Vec<u8> {
    let mut header = fs::read(filter).unwrap()[..128].to_vec();
    header[40..48].copy_from_slice(&blocks.to_le_bytes());
    // CRC-32, bit by bit.
    let step = |crc: u32, _| crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    let crc = !header[..124].iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step));
    header[124..].copy_from_slice(&crc.to_le_bytes());
    header
}

/// Scheme 1 at its largest: 256 GiB, and twice as much while it is read.
#[cfg(unix)]
#[test]
fn a_filter_file_above_the_memory_is_refused_before_it_is_read() {
    let directory = Directory::new();
    let small = directory.filter("small", "a\n", &[]);
    let keys = directory.path("small.keys");
    let header = header_with_blocks(&small, u32::MAX.into());

    // As a pipe, of which only the header comes.
    for args in [&["stats", "/dev/stdin"][..], &["query", "/dev/stdin", "--keys", &keys]] {
        refused(&run_with_input(args, &header), &["memory: 512.00 GiB needed", "available"]);
    }
    // A file that is shorter than its header says needs no more memory than it is long.
    let short = directory.write("short", &header);
    refused(&run(&["stats", &short]), &["cut off", "needs 274877907008 bytes and has 128"]);
    // A file of that length, all holes.
    let long = directory.write("long", &header);
    let file = fs::File::options().write(true).open(&long).unwrap();
    if file.set_len(128 + 64 * u64::from(u32::MAX)).is_err() {
        println!("skipped: the file system has no such files");
        return;
    }
    for args in [&["stats", &long][..], &["query", &long, "--keys", &keys]] {
        refused(&run(args), &["memory: 512.00 GiB needed", "available"]);
    }
}

#[test]
fn outputs_that_cannot_be_written_are_refused() {
    let directory = Directory::new();
    let keys = directory.write("keys", "a\n");
    let nowhere = directory.path("no/such/place");
    refused(&run(&["build", "--keys", &keys, "-o", &nowhere]), &[&nowhere, "No such file"]);
    let folder = directory.path("");
    refused(&run(&["build", "--keys", &keys, "-o", &folder]), &[&folder, "directory"]);
    assert_eq!(directory.files(), ["keys"]);
}

#[test]
fn a_line_without_end_is_refused() {
    if !fs::exists("/dev/zero").unwrap() {
        println!("skipped: /dev/zero is not there");
        return;
    }
    refused(&run(&["verify", "--keys", "/dev/zero"]), &["/dev/zero", "line 1", "67108864"]);
}

#[test]
fn a_full_disk_is_told() {
    if full_disk().is_none() {
        println!("skipped: /dev/full is not there");
        return;
    }
    let directory = Directory::new();
    let filter = directory.filter("filter", "a\n", &[]);
    let keys = directory.write("keys", "a\n");
    refused(
        &run(&["build", "--keys", &keys, "-o", "/dev/full"]),
        &["bloomline: /dev/full: ", "No space left"],
    );
    for args in [
        &["size", "-n", "1000", "-p", "0.01"][..],
        &["size", "-n", "1000", "-p", "0.01", "--json"],
        &["info"],
        &["stats", &filter],
        &["query", &filter, "--keys", &keys],
        &["query", &filter, "--keys", &keys, "--count"],
        &["verify", "--items", "100", "--probes", "100"],
        &["--help"],
        &["--version"],
    ] {
        let output = command(args).stdout(full_disk().unwrap()).stderr(Stdio::piped()).output().unwrap();
        refused(&output, &["bloomline: standard output: ", "No space left"]);
    }
    // The device is still one.
    assert!(!fs::metadata("/dev/full").unwrap().is_file());
}

/// A reader that stops reading ends the command quietly.
#[test]
fn a_closed_pipe_is_no_error() {
    let directory = Directory::new();
    let lines: String = (0..300_000).map(|i| format!("key {i}\n")).collect();
    let filter = directory.filter("filter", &lines, &[]);
    let keys = directory.path("filter.keys");
    let mut child = command(&["query", &filter, "--keys", &keys])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 6];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"key 0\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));

    for args in [&["size", "-n", "1000", "-p", "0.01"][..], &["stats", &filter], &["info"], &["--help"]] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]), "{args:?}");
    }
}

#[test]
fn no_command_and_wrong_commands_are_bad_usage() {
    refused(&run(&[]), &["Usage"]);
    refused(&run(&["size"]), &["Usage"]);
    refused(&run(&["frobnicate"]), &["frobnicate"]);
    refused(&run(&["build", "--keys", "-"]), &["--output"]);
    refused(&run(&["query"]), &["FILTER"]);
}
