//! The commands with split blocks. Expected rates and numbers of blocks: the sum over binomial block loads i of
//! (1 − (31/32)ⁱ)⁸ with twins of probability 2⁻³², in 40 digits by another program.

mod support;

use std::fs;

use bloomline::{BloomFilter, Kernel, Scheme};
use serde_json::Value;
use support::{Directory, assert_close, json, refused, run, run_with_input, size, success, text};

const SPLIT: &str = "split-block";

#[test]
fn split_blocks_stand_beside_the_other_filters() {
    for (args, blocks, rate) in [
        ("-n 1000000 -p 0.01", 41_130, 0.009_999_727_404_55),
        ("-n 1000000 -p 0.001", 65_976, 0.000_999_979_988_421),
        ("-n 1000000 --bits-per-key 6", 23_438, 0.099_331_090_1),
        ("-n 1000000 --bits-per-key 10", 39_063, 0.012_647_635_66),
        ("-n 1000000 --bytes 2000000", 62_500, 0.001_315_564_154),
        ("-n 1000 -p 1e-8", 698, 9.978_741_919_11e-9),
    ] {
        let report = size(args);
        let split = &report["split_block"];
        assert_eq!(split["scheme"], SPLIT);
        assert_eq!(split["blocks"], blocks, "{args}");
        assert_eq!(split["bytes"], 32 * blocks);
        assert_eq!(split["bits"], 256 * blocks);
        assert_eq!((&split["k"], &split["block_bytes"]), (&8.into(), &32.into()));
        assert_close(&split["fpr"], rate, 1e-9);
        assert_eq!(report["notes"], Value::Array(vec![]));
        // With the scheme named, it is the only one beside the classic filter.
        let alone = size(&format!("{args} --scheme {SPLIT}"));
        assert_eq!((&alone["split_block"], &alone["classic"]), (split, &report["classic"]));
        assert_eq!(alone["blocked"], Value::Null);
        let other = size(&format!("{args} --scheme block512"));
        assert_eq!((&other["blocked"], &other["split_block"]), (&report["blocked"], &Value::Null));
    }
    // 0.49 is the variance of a block's rate at 12 bits a key, relative to the square of its mean, by the theory's table.
    let spread = &size("-n 1000000 --bits-per-key 12")["split_block"]["spread"];
    assert_close(spread, (0.49_f64 / 46_875.0).sqrt(), 0.015);
}

#[test]
fn the_ladder_prices_split_blocks() {
    let ladder = size("-n 1000000 -p 0.01")["ladder"].clone();
    for (rung, bits) in ladder.as_array().unwrap().iter().zip([5.988_608, 10.529_28, 16.889_856, 26.341_888])
    {
        assert_close(&rung["split_block_bits_per_key"], bits, 1e-12);
    }
    // 10^10 items at 1 % are 13 GB, and split blocks end at 2 GiB.
    let report = size("-n 10000000000 -p 0.01");
    assert_eq!(report["split_block"], Value::Null);
    assert_eq!(report["ladder"][1]["split_block_bits_per_key"], Value::Null);
    assert!(report["notes"][0].as_str().unwrap().contains("10000000000 items"), "{report:#}");
}

/// 49,795 items have a rate of at most 1 % in 2048 blocks, one more has a higher one.
#[test]
fn items_are_found_for_a_rate_and_a_memory() {
    assert_eq!(size("-p 0.01 --bytes 64KiB")["split_block"]["items"], 49_795);
    assert_eq!(size("-p 0.01 --bytes 64KiB --scheme split-block")["split_block"]["items"], 49_795);
}

#[test]
fn k_is_for_the_blocked_filter_unless_split_blocks_are_asked_for() {
    let report = size("-n 1000000 -p 0.01 --k 7");
    assert_eq!((&report["blocked"]["k"], &report["split_block"]["k"]), (&7.into(), &8.into()));
    assert_eq!(size("-n 1000000 -p 0.01 --k 8 --scheme split-block")["split_block"]["blocks"], 41_130);
    assert_eq!(size("-n 1000000 -p 0.01 --mode fast --scheme split-block")["split_block"]["blocks"], 41_130);
}

#[test]
fn tables_have_a_column_for_each_filter() {
    let header = |args: &[&str]| {
        let table = text(&run(&[&["size", "-n", "1000000", "-p", "0.01"], args].concat()));
        let first = table.lines().next().unwrap();
        (
            first.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("|"),
            table,
        )
    };
    let (all, table) = header(&[]);
    assert_eq!(all, "blocked|split block|classic");
    for part in ["41,130", "1,316,160", "10.53 (8)", "16.89 (8)"] {
        assert!(table.contains(part), "{part:?} is not in\n{table}");
    }
    assert_eq!(header(&["--scheme", SPLIT]).0, "split block|classic");
    assert_eq!(header(&["--scheme", "block512"]).0, "blocked|classic");
    // Where there is none, the reason takes the place of the column.
    let table = text(&run(&["size", "-n", "1000", "-p", "1e-9"]));
    assert!(!table.lines().next().unwrap().contains("split block"), "{table}");
    assert!(
        table.contains("\nsplit-block filter: false-positive rate 1e-9 is not in [1e-8, 1)\n"),
        "{table}"
    );
}

#[test]
fn what_split_blocks_do_not_have_is_refused() {
    let directory = Directory::new();
    let keys = directory.write("keys", "a\n");
    let out = directory.path("out");
    for command in [&["build", "--keys", &keys, "-o", &out][..], &["verify"], &["size", "-n", "1000"]] {
        let refused = |options: &[&str], parts: &[&str]| {
            refused(&run(&[command, &["--scheme", SPLIT], options].concat()), parts);
        };
        refused(&["-p", "0.01", "--k", "6"], &["k = 6 is not possible: scheme split-block has k = 8"]);
        refused(&["-p", "1e-9"], &["false-positive rate 1e-9 is not in [1e-8, 1)"]);
        refused(&["-p", "NaN"], &["false-positive rate NaN is not in [1e-8, 1)"]);
        refused(&["--bits-per-key", "1e12"], &["bytes", "limit of 2147483616 bytes"]);
        let wrong = run(&[command, &["-p", "0.01", "--scheme", "bitmap"]].concat());
        support::refused(&wrong, &["'bitmap'", "--scheme", "block512", SPLIT]);
    }
    refused(
        &run(&["size", "-p", "1e-9", "--bytes", "1M", "--scheme", SPLIT]),
        &["--fpr", "1e-9", "[1e-8, 1)"],
    );
    refused(
        &run(&["size", "-n", "1", "--bytes", "31", "--scheme", SPLIT]),
        &["31 bytes", "minimum of 32 bytes"],
    );
    assert_eq!(directory.files(), ["keys"]);
}

#[test]
fn verify_checks_split_blocks_under_every_kernel() {
    for kernel in Kernel::available() {
        let args =
            ["verify", "--json", "--scheme", SPLIT, "--items", "3000", "--probes", "30000", "--kernel"];
        let report = json(&run(&[&args[..], &[kernel.name()]].concat()));
        assert_eq!((&report["verdict"], &report["scheme"]), (&"pass".into(), &SPLIT.into()), "{report:#}");
        assert_eq!(report["kernel"], kernel.name());
        let blocked = &report["blocked"];
        // 124 blocks of 32 bytes.
        assert_eq!((&blocked["bytes"], &blocked["k"]), (&3968.into(), &8.into()));
        assert_close(&blocked["fpr_predicted"], 0.009_750_975_922_45, 1e-9);
        assert_eq!(blocked["false_negatives"], 0);
        // No check is left out.
        let checks = report["checks"].as_array().unwrap();
        assert_eq!(checks.len(), 9);
        assert!(checks.iter().all(|check| check["result"] == "pass"), "{report:#}");
    }
}

#[test]
fn verify_predicts_what_split_blocks_hold() {
    let args = ["verify", "--json", "--scheme", SPLIT, "--items", "3000", "--probes", "30000"];
    let report = json(&run(&[&args[..], &["--bits-per-key", "12"]].concat()));
    assert_eq!(report["blocked"]["bytes"], 141 * 32);
    assert_close(&report["blocked"]["fpr_predicted"], 0.005_336_235_121, 1e-9);
    let [low, high] = [0, 1].map(|end| report["blocked"]["fpr_bounds"][end].as_f64().unwrap());
    // 3.29 deviations of √(0.49 / 141) = 5.9 %: by 21 % up and by 18 % down, since the rate is skewed.
    assert!((0.005_336 * 0.80..0.005_336 * 0.84).contains(&low), "{low}");
    assert!((0.005_336 * 1.19..0.005_336 * 1.23).contains(&high), "{high}");

    let table = text(&run(&["verify", "--scheme", SPLIT, "--items", "3000", "--probes", "30000"]));
    assert!(table.contains(", scheme split-block, ordinary pages, 1 thread\n"), "{table}");
    assert!(table.contains(" for keys with the same places\n"), "{table}");
    let table = text(&run(&["verify", "--items", "3000", "--probes", "30000"]));
    assert!(table.contains(", scheme block512, "), "{table}");
}

/// The rate of so few keys is mostly that of keys with the same places, which bits do not show.
#[test]
fn a_handful_of_keys_passes() {
    for items in ["1", "2", "6", "20"] {
        let report =
            json(&run(&["verify", "--json", "--scheme", SPLIT, "--items", items, "--probes", "100"]));
        assert_eq!(report["verdict"], "pass", "{items} keys: {report:#}");
    }
}

#[test]
fn built_files_hold_their_keys_and_tell_their_scheme() {
    let directory = Directory::new();
    let keys: String = (0..3000).map(|i| format!("user{i}@mail.com\n")).collect();
    let path = directory.filter("filter", &keys, &["--scheme", SPLIT]);
    assert_eq!(text(&run(&["query", &path, "--keys", &directory.path("filter.keys")])), keys);
    let read = BloomFilter::read_from(fs::File::open(&path).unwrap()).unwrap();
    assert_eq!((read.scheme(), read.blocks()), (Scheme::SplitBlock, 124));
    // The filter of the library, from the same keys.
    let mut filter = BloomFilter::with_rate(3000, 0.01).scheme(Scheme::SplitBlock).build().unwrap();
    filter.insert_batch(&keys.lines().collect::<Vec<_>>());
    assert_eq!(fs::read(&path).unwrap(), filter.to_bytes());

    let stats = json(&run(&["stats", &path, "--json"]));
    assert_eq!((&stats["scheme"], &stats["k"]), (&SPLIT.into(), &8.into()));
    assert_eq!(
        (&stats["blocks"], &stats["block_bytes"], &stats["bytes"]),
        (&124.into(), &32.into(), &3968.into())
    );
    assert_close(&stats["fpr_predicted"], 0.009_750_975_922_45, 1e-9);
    let table = text(&run(&["stats", &path]));
    let row = |name: &str| {
        let row = table.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        row.split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!([row("scheme"), row("blocks "), row("bytes per block")], [SPLIT, "124", "32"]);

    // The default is the first one, and names itself too.
    for options in [&[][..], &["--scheme", "block512"]] {
        let path = directory.filter("default", &keys, options);
        assert_eq!(json(&run(&["stats", &path, "--json"]))["scheme"], "block512");
    }
}

#[test]
fn build_tells_the_scheme() {
    let directory = Directory::new();
    let out = directory.path("out");
    let args = ["build", "--keys", "-", "-o", &out, "--scheme", SPLIT];
    let said = run_with_input(&args, b"a\nb\n");
    let said = String::from_utf8_lossy(success(&said)).into_owned();
    assert!(said.contains("2 keys, split-block, 32 B, k = 8, "), "{said}");
}

#[test]
fn info_lists_the_schemes() {
    let schemes = json(&run(&["info", "--json"]))["schemes"].clone();
    assert_eq!(
        schemes,
        serde_json::json!([
            { "name": "block512", "block_bytes": 64, "default": true },
            { "name": "split-block", "block_bytes": 32, "default": false },
        ])
    );
    let table = text(&run(&["info"]));
    assert!(table.contains("\nscheme block512 ") && table.contains("\nscheme split-block "), "{table}");
}
