//! `taketwo convert`: recordings from one format to another.

use std::path::PathBuf;

use super::Exit;
use super::input::InputArgs;
use crate::recording::{Existing, convert};

/// Convert recordings between JSONL and Parquet without loss.
///
/// The ending of OUT names the format: .jsonl, .ndjson, .jsonl.gz, .jsonl.zst or .parquet.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo convert traffic.jsonl traffic.parquet
  cat *.jsonl | taketwo convert - all.jsonl.zst")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// The file to write, or - for JSONL on standard output
    #[arg(required = true, value_name = "OUT")]
    out: PathBuf,

    /// Replace OUT if it is there
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let (recordings, mut quarantine) = args.input.open()?;
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let converted = convert(&recordings, &args.out, existing, &mut quarantine, args.input.rejects.max_rejects)?;
    args.input.rejects.report_written(&converted, &mut quarantine)
}
