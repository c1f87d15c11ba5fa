//! `taketwo convert`: recordings from one format to another.

use super::Exit;
use super::input::{Budget, InputArgs};
use super::screen::note;
use crate::recording::{Converted, Existing, convert};

/// Convert recordings between JSONL and Parquet without loss.
///
/// The ending of OUT names the format: .jsonl, .ndjson, .jsonl.gz, .jsonl.zst or .parquet.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// The file to write, or - for JSONL on standard output
    #[arg(required = true, value_name = "OUT")]
    out: String,

    /// Replace OUT if it is there
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let (recordings, mut quarantine) = args.input.open()?;
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let converted = convert(&recordings, &args.out, existing, &mut quarantine, args.input.max_rejects)?;
    let interactions = match &converted {
        Converted::Written(written) => written.interactions,
        Converted::Nothing { interactions } => *interactions,
    };
    let budget = args.input.report(&mut quarantine, interactions)?;
    match converted {
        Converted::Written(written) => {
            let target = written.target.display();
            let noun = if interactions == 1 { "interaction" } else { "interactions" };
            note(&format!("{interactions} {noun}, {} bytes -> {target}", written.bytes));
            Ok(Exit::Passed)
        }
        Converted::Nothing { .. } if budget == Budget::Exceeded => {
            note("nothing was written");
            Ok(Exit::Refused)
        }
        Converted::Nothing { .. } => {
            note("error: there is no interaction to convert; nothing was written");
            Ok(Exit::Refused)
        }
    }
}
