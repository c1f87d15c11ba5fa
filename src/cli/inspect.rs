//! `taketwo inspect`: what is in these recordings.

use super::Exit;
use super::input::{Budget, InputArgs};
use super::screen::{note, print};
use crate::compare::{InspectedCalls, ToolDefinitions};
use crate::recording::Json;

/// Show what recordings hold: counts, tools, scenarios, spend, what can be checked and what is missing.
///
/// The recordings are read once. Memory grows with the number of interactions by some 50 bytes each, for their ids.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo inspect traffic.jsonl.gz
  taketwo inspect traffic/ --json
  taketwo inspect traffic/ --tools tools.json")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Say which calls these tool definitions allow: JSON, in the form of any provider
    #[arg(long, value_name = "FILE")]
    tools: Vec<String>,

    /// Print JSON, as docs/inspect.md describes it
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let tools = (!args.tools.is_empty()).then(|| ToolDefinitions::read(&args.tools)).transpose()?;
    if let Some(path) =
        args.input.rejects.quarantine.as_ref().filter(|path| tools.iter().any(|t| t.were_read_from(path)))
    {
        return Err(miette::miette!(
            code = "taketwo::output_is_input",
            help = "write the quarantine to another file",
            "{path:?} is one of the files of tool definitions to be read"
        ));
    }
    let (recordings, mut quarantine) = args.input.open()?;
    let seen = InspectedCalls::read(&recordings, &mut quarantine, tools.as_ref())?;
    let interactions = seen.inspected.interactions;
    let budget = args.input.rejects.report(&mut quarantine, interactions)?;
    let text = if args.json { format!("{}\n", Json::of(&seen).text()) } else { seen.to_string() };
    let done = print(&text)?;
    if interactions == 0 {
        note("error: there is no interaction in the recordings");
    }
    Ok(if budget == Budget::Exceeded || interactions == 0 { Exit::Refused } else { done })
}
