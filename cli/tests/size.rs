//! `bloomline size` and `bloomline info` on real output.

mod support;

use bloomline::Kernel;
use support::{assert_close, json, refused, run, size, text};

/// The owner's worked example: 1.14 MiB, 9.6 bits per key, k = 7, about 1.004 %.
#[test]
fn the_worked_example_has_the_known_values() {
    let report = size("-n 1000000 -p 0.01");
    let classic = &report["classic"];
    assert_eq!(classic["bits"], 9_585_059);
    assert_eq!(classic["bytes"], 9_585_059_u64.div_ceil(64) * 8);
    assert_eq!(classic["k"], 7);
    assert_close(&classic["bits_per_key"], 9.6, 0.002);
    assert_close(&classic["fpr"], 0.010_04, 0.000_5);
    // The true rate lies between the textbook's and the bound of Goel and Gupta.
    let [textbook, exact, bound] =
        ["fpr", "fpr_exact", "fpr_bound"].map(|name| classic[name].as_f64().unwrap());
    assert!(textbook < exact && exact < bound && bound < 1.0001 * textbook, "{classic:#}");

    let blocked = &report["blocked"];
    assert_eq!(blocked["k"], 6);
    // A blocked filter of 512-bit blocks needs 9.92 bits for 1 % at best, by the theory's table.
    assert_close(&blocked["bits_per_key"], 9.92, 0.005);
    assert!(blocked["fpr"].as_f64().unwrap() <= 0.01);
}

/// Exact rates for many keys, from the table of the theory: 8 × 64 bits, k = 8.
#[test]
fn blocked_rates_at_k_8_match_the_table() {
    for (bits, rate) in
        [(6, 9.29e-2), (8, 2.93e-2), (10, 1.05e-2), (12, 4.22e-3), (16, 9.09e-4), (20, 2.60e-4)]
    {
        let report = size(&format!("-n 1000000 --bits-per-key {bits} --mode fast"));
        assert_eq!(report["blocked"]["k"], 8);
        assert_close(&report["blocked"]["fpr"], rate, 0.005);
        assert_close(&report["blocked"]["bits_per_key"], f64::from(bits), 0.0001);
    }
}

#[test]
fn classic_rates_match_the_table() {
    for (bits, rate, k) in
        [(6, 5.61e-2, 4), (8, 2.16e-2, 6), (10, 8.19e-3, 7), (16, 4.59e-4, 11), (24, 9.84e-6, 17)]
    {
        let report = size(&format!("-n 1000000 --bits-per-key {bits}"));
        assert_eq!(report["classic"]["k"], k);
        assert_eq!(report["classic"]["bits"], 1_000_000 * bits);
        // The table has three digits.
        assert_close(&report["classic"]["fpr"], rate, 0.005);
    }
}

#[test]
fn memory_is_taken_with_suffixes_and_in_whole_blocks() {
    for (text, bytes) in
        [("1MiB", 1_u64 << 20), ("1M", 1_000_000), ("1.5KiB", 1536), ("1048576", 1 << 20), ("130", 130)]
    {
        let report = size(&format!("-n 1000 --bytes {text}"));
        assert_eq!(report["classic"]["bits"], 8 * bytes, "{text}");
        assert_eq!(report["blocked"]["bytes"], bytes / 64 * 64, "{text}");
    }
}

/// As many items as fit: one more would exceed the rate.
#[test]
fn items_are_found_for_a_rate_and_a_memory() {
    for mode in ["--mode fast", "--mode compact", "--k 6"] {
        let fitting = size(&format!("-p 0.01 --bytes 64KiB {mode}"));
        let items = fitting["blocked"]["items"].as_u64().unwrap();
        let rate =
            |items| size(&format!("-n {items} --bytes 64KiB {mode}"))["blocked"]["fpr"].as_f64().unwrap();
        assert!(rate(items) <= 0.01 && rate(items + 1) > 0.01, "{mode}: {items}");
    }
    let classic = &size("-p 0.01 --bytes 64KiB")["classic"];
    // n = −m ln² 2 / ln p, less the share that the whole k costs.
    let ideal = 524_288.0 * std::f64::consts::LN_2.powi(2) / -(0.01_f64.ln());
    let items = classic["items"].as_f64().unwrap();
    assert!(items <= ideal && items > 0.995 * ideal, "{items} of {ideal}");
}

/// Every tenth of the rate costs a classic filter 4.8 bits.
#[test]
fn the_ladder_has_equal_steps() {
    let report = size("-n 1000000 -p 0.01");
    let ladder = report["ladder"].as_array().unwrap();
    assert_eq!(ladder.len(), 6);
    for (i, rung) in ladder.iter().enumerate() {
        assert_close(&rung["fpr"], 0.1_f64.powi(i as i32 + 1), 1e-9);
        assert_close(&rung["classic_bits_per_key"], 4.7925 * (i + 1) as f64, 0.001);
        let bits =
            ["classic", "compact", "fast"].map(|name| rung[format!("{name}_bits_per_key")].as_f64().unwrap());
        assert!(bits[0] < bits[1] && bits[1] <= bits[2], "{rung}");
    }
}

#[test]
fn the_table_shows_both_filters() {
    let table = text(&run(&["size", "-n", "1000000", "-p", "0.01"]));
    for part in ["1.14 MiB", "9,585,059", "9.59", "1.004 %", "bound of Goel and Gupta", "14.38 (10)"] {
        assert!(table.contains(part), "{part:?} is not in\n{table}");
    }
}

#[test]
fn values_that_no_filter_can_have_are_refused() {
    for (args, parts) in [
        ("-n 1000 -p 0", ["false-positive rate 0.0 ", "[1e-15, 1)"]),
        ("-n 1000 -p 1", ["false-positive rate 1.0 ", "[1e-15, 1)"]),
        ("-n 1000 -p NaN", ["false-positive rate NaN ", "[1e-15, 1)"]),
        ("-n 1000 -p inf", ["false-positive rate inf ", "[1e-15, 1)"]),
        ("-n 1000 -p -0.5", ["false-positive rate -0.5 ", "[1e-15, 1)"]),
        ("-n 1000 -p 1e-16", ["false-positive rate 1e-16 ", "[1e-15, 1)"]),
        ("-p 2 --bytes 1M", ["false-positive rate 2.0 ", "[1e-15, 1)"]),
        ("-n 0 -p 0.01", ["'0'", "--items"]),
        ("-n -1 -p 0.01", ["-1", ""]),
        ("-n 9223372036854775808 -p 0.01", ["9223372036854775808", "limit"]),
        ("-n 18446744073709551616 -p 0.01", ["18446744073709551616", "--items"]),
        ("-n 1000 --bits-per-key 0", ["bits per key 0.0 ", "above 0"]),
        ("-n 1000 --bits-per-key NaN", ["bits per key NaN ", "above 0"]),
        ("-n 1000 --bits-per-key 1e300", ["bytes", "limit"]),
        ("-n 1000 --bytes 63", ["63 bytes", "minimum of 64 bytes"]),
        ("-n 1000 --bytes 0", ["0 bytes", "minimum of 64 bytes"]),
        ("-n 1000 --bytes 1EiB", ["1152921504606846976", "limit"]),
        ("-n 1000 --bytes 16EiB", ["16EiB", "number of bytes up to 18446744073709551615"]),
        ("-n 1000 --bytes 18446744073709551616", ["'18446744073709551616'", "number of bytes up to"]),
        ("-n 1000 --bytes -1", ["'-1'", "number of bytes up to"]),
        ("-n 1000 --bytes fish", ["'fish'", "number of bytes up to"]),
        ("-n -1 -p 0.01", ["'-1'", "--items"]),
        ("-p 0.001 --bytes 64 --k 1", ["64 bytes", "single item"]),
        ("-n 1000 -p 0.01 --k 0", ["k = 0", "1..=16"]),
        ("-n 1000 -p 0.01 --k 17", ["k = 17", "1..=16"]),
        ("-n 1000 -p 0.01 --k 6 --mode fast", ["--k", "--mode"]),
        ("-n 1000 -p 0.01 --mode slow", ["slow", "compact"]),
        ("-n 1000", ["give --items", "--bytes"]),
        ("-n 1000 -p 0.01 --bytes 1M", ["give --items", "--bytes"]),
        ("-p 0.01", ["give --items", "--bytes"]),
        ("-p 0.01 --bits-per-key 10", ["--bits-per-key", "cannot be used with"]),
    ] {
        let args: Vec<_> = ["size"].into_iter().chain(args.split(' ')).collect();
        refused(&run(&args), &parts);
    }
}

/// The library does not know the spread of rates below 1e-12.
#[test]
fn an_unknown_spread_is_null_and_a_dash() {
    let report = size("-n 1000 -p 1e-13");
    assert!(report["blocked"]["spread"].is_null());
    let text = text(&run(&["size", "-n", "1000", "-p", "1e-13"]));
    let row = text.lines().find(|line| line.contains("varies between filters")).unwrap();
    assert_eq!(row.split_whitespace().skip(4).collect::<Vec<_>>(), ["-", "-"]);
}

#[test]
fn info_knows_the_kernels() {
    let info = json(&run(&["info", "--json"]));
    let kernels = info["kernels"].as_array().unwrap();
    let available: Vec<_> = kernels
        .iter()
        .filter(|kernel| kernel["available"] == true)
        .map(|kernel| kernel["name"].as_str().unwrap())
        .collect();
    assert_eq!(available, Kernel::available().map(|kernel| kernel.name()).collect::<Vec<_>>());
    assert_eq!(info["selected_kernel"], available[0]);
    assert!(info["page_bytes"].as_u64().unwrap().is_power_of_two());
    assert_eq!(info["architecture"], std::env::consts::ARCH);

    let table = text(&run(&["info"]));
    for name in available {
        assert!(table.contains(&format!("kernel {name} ")), "{table}");
    }
    for part in ["cpu ", "cores ", "features ", "page ", "transparent huge pages "] {
        assert!(table.contains(part), "{part:?} is not in\n{table}");
    }
}
