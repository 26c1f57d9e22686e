//! `bloomline bench`: what every kernel takes on this machine, beside the reference and the roofline.

mod filter;
mod keys;
mod measure;
mod plan;
mod rates;
mod report;
mod table;
mod team;

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use plan::Plan;
pub(crate) use plan::filter_bytes;
use report::Report;

pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    let progress = Progress::steps(plan.steps());
    let measured = measure::run(&plan, &progress)?;
    let report = Report::new(&plan, measured, rates::run(&plan, &progress)?);
    drop(progress);
    if args.json { output::print_json(&report) } else { output::print(&table::text(&report)) }
}
