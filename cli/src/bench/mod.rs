//! `bloomline bench`: what every kernel takes on this machine, beside the reference and the roofline.

mod filter;
mod keys;
mod measure;
mod page;
mod plan;
mod rates;
mod report;
mod table;
mod team;

use std::path::Path;

use crate::args::BenchArgs;
use crate::failure::{Context, Failure};
use crate::output;
use crate::progress::Progress;
use crate::target::Target;
use plan::Plan;
pub(crate) use plan::filter_bytes;
use report::Report;

pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    // A page that cannot be written is refused before the minutes of work.
    let target = args.html.as_deref().map(|path| target(path, args.json)).transpose()?;
    let progress = Progress::steps(plan.steps());
    let measured = measure::run(&plan, &progress)?;
    let report = Report::new(&plan, measured, rates::run(&plan, &progress)?);
    drop(progress);
    let mut tell: fn(&str) -> Result<(), Failure> = output::print;
    if let (Some(target), Some(path)) = (target, &args.html) {
        if !target.is_path() {
            tell = output::print_aside;
        }
        let page = page::html(&report)?;
        target.write(|out| out.write_all(page.as_bytes())).about(path.display())?;
    }
    tell(&if args.json { output::json(&report)? } else { table::text(&report) })
}

fn target(path: &Path, json: bool) -> Result<Target, Failure> {
    let target = Target::open(path).about(path.display())?;
    if json && !target.is_path() {
        return Err(Failure::new("--html", "a file must take the page: standard output holds the JSON"));
    }
    Ok(target)
}
