//! The `bloomline` command: verify, measure, size, build, query and describe cache-blocked Bloom filters.

mod args;
mod bench;
mod build;
mod design;
mod failure;
mod info;
mod interrupt;
mod interval;
mod keys;
mod machine;
mod memory;
mod output;
mod progress;
mod query;
mod size;
mod stats;
mod target;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::{Context, Failure};

/// The exit code of bad usage and bad input. A verdict that does not pass exits with 1.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(failure) => {
            // Where standard error is closed too, only the exit code is left to tell.
            let _ = writeln!(io::stderr(), "bloomline: {failure}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn run() -> Result<ExitCode, Failure> {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(answer) if answer.use_stderr() => {
            let _ = answer.print();
            return Ok(ExitCode::from(BAD_INPUT));
        }
        // The help or the version, as it was asked for.
        Err(answer) => {
            output::ignore_closed_pipe(answer.print()).about("standard output")?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    match command {
        Command::Verify(args) => return verify::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Size(args) => size::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Info(args) => info::run(&args),
    }?;
    Ok(ExitCode::SUCCESS)
}
