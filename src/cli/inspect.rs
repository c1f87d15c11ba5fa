//! `taketwo inspect`: what is in these recordings.

use super::Exit;
use super::input::{Budget, InputArgs};
use super::screen::{note, print};
use crate::recording::{Json, inspect};

/// Show what recordings hold: counts, tools, scenarios, spend, what can be checked and what is missing.
///
/// The recordings are read once. Memory grows with the number of interactions by some 50 bytes each, for their ids.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo inspect traffic.jsonl.gz
  taketwo inspect traffic/ --json")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Print JSON, as docs/inspect.md describes it
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let (recordings, mut quarantine) = args.input.open()?;
    let seen = inspect(&recordings, &mut quarantine)?;
    let budget = args.input.report(&mut quarantine, seen.interactions)?;
    let text = if args.json { format!("{}\n", Json::of(&seen).text()) } else { seen.to_string() };
    let done = print(&text)?;
    if seen.interactions == 0 {
        note("error: there is no interaction in the recordings");
    }
    Ok(if budget == Budget::Exceeded || seen.interactions == 0 { Exit::Refused } else { done })
}
