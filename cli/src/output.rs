//! What the commands print: standard output, tables, numbers for people.

use std::io::{self, Write};

use bloomline::Pages;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Row, Table, TableStyle};
use indicatif::{BinaryBytes, HumanCount};
use serde::Serialize;

use crate::failure::{Context, Failure};

/// A reader that has seen enough is no failure.
pub(crate) fn ignore_closed_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    ignore_closed_pipe(written).about("standard output")
}

/// For standard error, where standard output holds something else.
pub(crate) fn print_aside(text: &str) -> Result<(), Failure> {
    // Nobody may be listening, and nothing depends on it.
    let _ = io::stderr().lock().write_all(text.as_bytes());
    Ok(())
}

pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(value).about("JSON")? + "\n")
}

pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&json(value)?)
}

/// One line, below the header.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));

/// A table whose first column names the row, and whose other columns are numbers.
pub(crate) fn table<R: Into<Row>>(header: impl Into<Row>, rows: impl IntoIterator<Item = R>) -> String {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let text = table.to_string();
    let trimmed: Vec<_> = text.lines().map(str::trim_end).collect();
    trimmed.join("\n") + "\n"
}

/// 1,000,000
pub(crate) fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

/// 1.14 MiB
pub(crate) fn memory(bytes: u64) -> String {
    BinaryBytes(bytes).to_string()
}

/// 16 KiB: a size that is often a whole number of its unit.
pub(crate) fn size(bytes: u64) -> String {
    memory(bytes).replace(".00 ", " ")
}

/// A false-positive rate with four significant digits: in percent, or as a power of ten where it is small.
pub(crate) fn rate(rate: f64) -> String {
    let percent = 100.0 * rate;
    if percent == 0.0 || percent >= 0.01 {
        // Rounding can add a digit before the point.
        let percent: f64 = format!("{percent:.3e}").parse().unwrap_or(percent);
        let before_point = if percent > 0.0 { percent.log10().floor() } else { 0.0 };
        format!("{percent:.*} %", (3.0 - before_point) as usize)
    } else {
        format!("{rate:.3e}")
    }
}

/// The kind of pages, in a word.
pub(crate) fn pages(pages: Pages) -> &'static str {
    if pages == Pages::Huge { "huge" } else { "ordinary" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sizes_have_no_point() {
        assert_eq!([512, 16 << 10, 3 << 19, 4 << 30].map(size), ["512 B", "16 KiB", "1.50 MiB", "4 GiB"]);
    }

    #[test]
    fn rates_have_four_significant_digits() {
        assert_eq!(rate(0.010_039), "1.004 %");
        assert_eq!(rate(0.123_46), "12.35 %");
        assert_eq!(rate(0.009_999_96), "1.000 %");
        assert_eq!(rate(1.0), "100.0 %");
        assert_eq!(rate(0.000_998_76), "0.09988 %");
        assert_eq!(rate(0.0), "0.000 %");
        assert_eq!(rate(9.9e-5), "9.900e-5");
    }
}
