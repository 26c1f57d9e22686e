//! `bloomline build`, `query` and `stats` on real output.

mod support;

use std::collections::HashSet;
use std::fs;

use bloomline::BloomFilter;
use support::{Directory, json, run, run_with_input, shared_keys, success, text};

fn numbered(name: &str, count: u64) -> String {
    (0..count).map(|i| format!("{name}{i}@mail.com\n")).collect()
}

/// The number of lines may exceed the expected number of false positives by six standard deviations: for a fixed seed
/// that decides once and for all, and a rate twice as high would fail.
#[track_caller]
fn assert_few(false_positives: usize, absent: usize, rate: f64) {
    let expected = absent as f64 * rate;
    let limit = expected + 6.0 * expected.sqrt() + 1.0;
    assert!((false_positives as f64) < limit, "{false_positives} of {absent} at a rate of {rate}");
}

#[test]
fn query_prints_all_inserted_lines_and_few_others() {
    let directory = Directory::new();
    let filter = directory.filter("filter", &numbered("user", 10_000), &[]);
    let asked = numbered("user", 10_000) + &numbered("ghost", 10_000);
    let keys = directory.write("asked", &asked);

    let found = text(&run(&["query", &filter, "--keys", &keys]));
    let absent = text(&run(&["query", &filter, "--keys", &keys, "--invert"]));
    assert!(found.starts_with(&numbered("user", 10_000)));
    assert_few(found.lines().count() - 10_000, 10_000, 0.01);
    // Together the two answers are the input, in its order.
    let absent_lines: HashSet<&str> = absent.lines().collect();
    let (mut rest_found, mut rest_absent) = (found.lines(), absent.lines());
    for line in asked.lines() {
        let from = if absent_lines.contains(line) { &mut rest_absent } else { &mut rest_found };
        assert_eq!(from.next(), Some(line));
    }
    assert_eq!((rest_found.next(), rest_absent.next()), (None, None));

    for (options, lines) in [(&["--count"][..], &found), (&["--count", "--invert"], &absent)] {
        let count = text(&run(&[&["query", &filter, "--keys", &keys], options].concat()));
        assert_eq!(count, format!("{}\n", lines.lines().count()));
    }
}

#[test]
fn query_answers_as_the_library_does_from_a_file_and_from_standard_input() {
    let directory = Directory::new();
    let path = directory.filter("filter", &numbered("user", 1000), &["-p", "0.1", "--seed", "5"]);
    let filter = BloomFilter::read_from(fs::File::open(&path).unwrap()).unwrap();
    assert_eq!((filter.seed(), filter.expected_items()), (5, Some(1000)));
    // Long enough to come in several pieces.
    let asked = numbered("any", 100_000);
    assert!(asked.len() > 1 << 20);
    let wanted: String =
        asked.lines().filter(|line| filter.contains(*line)).map(|line| format!("{line}\n")).collect();
    assert!(wanted.lines().count() > 1000);
    let keys = directory.write("asked", &asked);
    assert_eq!(text(&run(&["query", &path, "--keys", &keys])), wanted);
    let args = ["query", &path, "--keys", "-"];
    assert_eq!(text(&run_with_input(&args, asked.as_bytes())), wanted);
}

#[test]
fn lines_are_printed_byte_for_byte() {
    let directory = Directory::new();
    let filter = directory.filter("filter", "a\nb\r\n\n\u{e9}", &["-p", "1e-9"]);
    let asked = b"a\r\nnot\nb\n\r\n\nnot\xff\n\xc3\xa9";
    let output = run_with_input(&["query", &filter, "--keys", "-"], asked);
    assert_eq!(success(&output), b"a\r\nb\n\r\n\n\xc3\xa9\n");
    let output = run_with_input(&["query", &filter, "--keys", "-", "--invert"], asked);
    assert_eq!(success(&output), b"not\nnot\xff\n");
    let output = run_with_input(&["query", &filter, "--keys", "-"], b"");
    assert_eq!(success(&output), b"");
}

#[test]
fn numbers_are_keys_by_value() {
    let directory = Directory::new();
    let filter = directory.filter("filter", "1\n18446744073709551615\n", &["--u64", "-p", "1e-9"]);
    let asked = b"01\n2\n18446744073709551615\r\n";
    let output = run_with_input(&["query", &filter, "--keys", "-", "--u64"], asked);
    assert_eq!(success(&output), b"01\n18446744073709551615\r\n");
    let read = BloomFilter::read_from(fs::File::open(&filter).unwrap()).unwrap();
    assert!(read.contains(&1_u64) && read.contains(&u64::MAX) && !read.contains(&2_u64));
}

/// A file that is read twice, standard input held in memory, and standard input with a known number.
#[test]
fn every_way_of_reading_builds_the_same_file() {
    let directory = Directory::new();
    let keys = numbered("user", 60_000);
    let from_file = fs::read(directory.filter("filter", &keys, &[])).unwrap();
    let piped = directory.path("piped");
    success(&run_with_input(&["build", "--keys", "-", "-o", &piped], keys.as_bytes()));
    assert_eq!(fs::read(&piped).unwrap(), from_file);
    let told = ["build", "--keys", "-", "-o", &piped, "--items", "60000"];
    success(&run_with_input(&told, keys.as_bytes()));
    assert_eq!(fs::read(&piped).unwrap(), from_file);
    // The filter of the library, from the same keys.
    let mut filter = BloomFilter::with_rate(60_000, 0.01).build().unwrap();
    filter.insert_batch(&keys.lines().collect::<Vec<_>>());
    assert_eq!(from_file, filter.to_bytes());
    // Nothing but the files that were asked for is left.
    assert_eq!(directory.files(), ["filter", "filter.keys", "piped"]);
}

#[cfg(unix)]
#[test]
fn build_replaces_files_and_keeps_links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let directory = Directory::new();
    let keys = directory.write("keys", "a\n");
    let (file, link) = (directory.write("file", "old"), directory.path("link"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    success(&run(&["build", "--keys", &keys, "-o", &link]));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read(&file).unwrap().len() >= 192);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn build_writes_nothing_but_the_filter_to_standard_output() {
    let directory = Directory::new();
    let keys = directory.write("keys", "a\nb\n");
    let filter = directory.filter("filter", "a\nb\n", &[]);
    let output = run(&["build", "--keys", &keys, "-o", "-"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, fs::read(filter).unwrap());
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("-: 2 keys, "));
}

#[test]
fn build_tells_what_it_made() {
    let directory = Directory::new();
    let keys = directory.write("keys", numbered("user", 1000));
    let path = directory.path("filter");
    let said = text(&run(&["build", "--keys", &keys, "-o", &path, "--k", "8"]));
    assert!(said.contains("1,000 keys") && said.contains("k = 8") && said.contains(&path), "{said}");
}

#[test]
fn stats_describe_the_filter() {
    let directory = Directory::new();
    let path = directory.filter("filter", &numbered("user", 20_000), &["-p", "0.001", "--seed", "9"]);
    let stats = json(&run(&["stats", &path, "--json"]));
    let number = |field: &str| stats[field].as_f64().unwrap();
    assert_eq!(stats["seed"], 9);
    assert_eq!(stats["expected_items"], 20_000);
    assert_eq!(stats["fpr_target"], 0.001);
    assert_eq!(stats["verdict"], "within");
    assert_eq!(number("bytes"), fs::metadata(&path).unwrap().len() as f64 - 128.0);
    assert_eq!(number("bytes"), 64.0 * number("blocks"));
    assert!((number("fill") - number("set_bits") / (8.0 * number("bytes"))).abs() < 1e-12);
    // Five standard deviations; the theory's figure for the deviation is about 0.2 % here.
    let deviation = number("estimated_items_sd");
    assert!((10.0..100.0).contains(&deviation), "{deviation}");
    assert!((number("estimated_items") - 20_000.0).abs() < 5.0 * deviation);
    assert!((0.9..1.1).contains(&(number("fpr_from_bits") / 0.001)));
    let loads = stats["block_loads"].as_array().unwrap();
    assert!((1..=16).contains(&loads.len()));
    assert_eq!(loads.iter().map(|bin| bin["blocks"].as_f64().unwrap()).sum::<f64>(), number("blocks"));

    let table = text(&run(&["stats", &path]));
    for part in ["20,000", "0.1000 %", "items estimated", "within", "set bits of a block", "####"] {
        assert!(table.contains(part), "{part:?} is not in\n{table}");
    }
}

#[test]
fn stats_of_overfull_and_full_filters() {
    let directory = Directory::new();
    let over = directory.filter("over", &numbered("user", 1500), &["--items", "1000"]);
    assert_eq!(json(&run(&["stats", &over, "--json"]))["verdict"], "over");
    let full = directory.filter("full", &numbered("user", 20_000), &["--items", "10", "-p", "0.5"]);
    let stats = json(&run(&["stats", &full, "--json"]));
    assert_eq!(stats["verdict"], "saturated");
    assert_eq!(stats["fill"], 1.0);
    assert_eq!(stats["fpr_from_bits"], 1.0);
    assert!(stats["estimated_items"].is_null());
    text(&run(&["stats", &full]));
}

/// Half of the real keys inserted, all of them asked.
#[test]
fn real_keys_against_an_exact_set() {
    for name in ["english-words.txt", "ipv4-threats.txt"] {
        let Some(path) = shared_keys(name) else { continue };
        let all = fs::read_to_string(&path).unwrap();
        let inserted: Vec<_> = all.lines().step_by(2).collect();
        let directory = Directory::new();
        let filter = directory.filter("filter", &inserted.join("\n"), &[]);
        let found = text(&run(&["query", &filter, "--keys", path.to_str().unwrap()]));
        let set: HashSet<_> = inserted.into_iter().collect();
        let known = |line: &&str| set.contains(line);
        let wanted: Vec<_> = all.lines().filter(known).collect();
        assert_eq!(found.lines().filter(known).collect::<Vec<_>>(), wanted, "{name}");
        assert_few(found.lines().count() - wanted.len(), all.lines().count() - wanted.len(), 0.01);
    }
}
