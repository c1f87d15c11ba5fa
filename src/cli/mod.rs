//! The command line: one file a verb, no logic of their own.

mod convert;
mod import;
mod input;
mod inspect;
mod screen;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Replays recorded agent interactions against a new build and says what changed.
#[derive(Debug, Parser)]
#[command(name = "taketwo", version, max_term_width = 100, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Convert(convert::Args),
    Import(import::Args),
    Inspect(inspect::Args),
}

/// What the program ends with. The numbers are a promise to scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The gate passed, or the verb did its work.
    Passed = 0,
    /// The gate failed by a finding.
    Finding = 1,
    /// Refused: usage, unreadable or empty input, pre-flight.
    Refused = 2,
    /// No finding, but not proven either.
    NotProven = 3,
    /// Cancelled.
    Cancelled = 130,
}

/// Parses the command line, runs the verb, says what is wrong.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { Exit::Refused as u8 } else { 0 });
        }
    };
    let done = match cli.verb {
        Verb::Convert(args) => convert::run(&args),
        Verb::Import(args) => import::run(&args),
        Verb::Inspect(args) => inspect::run(&args),
    };
    ExitCode::from(done.unwrap_or_else(|report| screen::refuse(&report)) as u8)
}

/// The whole command line as clap knows it, for the man page and the completions.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}
