//! `bloomline bench`: how fast this machine is with every kernel, and how near to the roofline.

mod measure;
mod page;
mod plan;
mod plots;
mod rates;
mod report;

use std::fs;
use std::io::Write;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::args::BenchArgs;
use crate::failure::{Context, Failure};
use crate::{memory, output};
use plan::Plan;
use report::Report;

pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    memory::check(plan.memory())?;
    // Before the minutes that the measurement takes.
    let page = args.html.as_deref().map(|path| temporary_beside(path).about(path.display())).transpose()?;
    let rows = measure::run(&plan)?;
    let report = Report::new(&plan, rows, rates::run(&plan)?);
    if let (Some(file), Some(path)) = (page, args.html.as_deref()) {
        write_page(file, path, &page::html(&report)?).about(path.display())?;
    }
    if args.json { output::print_json(&report) } else { output::print(&report.to_text()) }
}

fn temporary_beside(path: &Path) -> std::io::Result<NamedTempFile> {
    if path.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    NamedTempFile::new_in(directory)
}

/// The old page stays until the new one is complete.
fn write_page(mut file: NamedTempFile, path: &Path, html: &str) -> std::io::Result<()> {
    file.write_all(html.as_bytes())?;
    #[cfg(unix)]
    fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
