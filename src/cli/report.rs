//! `taketwo report`: a run, told again.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{Exit, screen};
use crate::report::{Form, ReadBack, TextOptions};
use crate::store::{RUNS, RunFolder};

/// Show a run again: its verdict, what changed, and the cases that failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo report last --all
  taketwo report last --case refund-02
  taketwo report 20261130 --format junit --output junit.xml")]
pub struct Args {
    /// The run: its folder, its id, the start of its id, or "last"
    #[arg(default_value = "last")]
    run: String,
    /// What to write
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Show every case that did not pass, not only the first ten of a kind
    #[arg(long)]
    all: bool,
    /// Show this one case in full, whatever its verdict
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    case: Option<String>,
    /// Write to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// End with the exit code of the run instead of 0
    #[arg(long)]
    exit_code: bool,
    /// Where runs are kept
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person
    #[default]
    Text,
    /// For a program
    Json,
    /// For a CI job
    Junit,
    /// For a pull request
    Markdown,
}

impl Args {
    fn form(&self) -> Form {
        let limit = if self.all { usize::MAX } else { TextOptions::default().limit };
        let width = if self.output.is_some() { TextOptions::default() } else { TextOptions::for_terminal() };
        match self.format {
            _ if self.json => Form::Json,
            Format::Text => Form::Text(TextOptions { limit, ..width }),
            Format::Json => Form::Json,
            Format::Junit => Form::Junit,
            Format::Markdown => Form::Markdown,
        }
    }
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let folder = RunFolder::open(&args.run, &args.runs)?;
    let run = ReadBack::new(&folder)?.only(args.case.as_deref())?;
    match &args.output {
        Some(path) => run.write_file(args.form(), path)?,
        None => screen::stream(|out| run.write(args.form(), out))?,
    }
    Ok(if args.exit_code { run.exit() } else { Exit::Passed })
}
