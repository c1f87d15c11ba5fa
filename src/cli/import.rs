//! `taketwo import`: recordings out of what other tools recorded.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::Exit;
use super::input::InputArgs;
use super::screen::note;
use crate::recording::import::{import, importers};
use crate::recording::{Converted, Existing};

/// Make a recording out of what another tool recorded.
///
/// tau2: one simulation becomes one interaction, named by its task. Tasks of two domains or runs can have the same
/// names, so import each run into a file of its own; two runs of one domain then pair by their ids.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  taketwo import tau2 results.json -o airline.jsonl")]
pub struct Args {
    /// The format of the sources
    #[arg(value_name = "FORMAT", value_parser = formats())]
    format: String,

    #[command(flatten)]
    input: InputArgs,

    /// The file to write (.jsonl, .ndjson, .jsonl.gz, .jsonl.zst, .parquet), or - for JSONL on standard output
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,

    /// Replace OUT if it is there
    #[arg(long)]
    force: bool,
}

fn formats() -> PossibleValuesParser {
    importers()
        .iter()
        .map(|importer| PossibleValue::new(importer.name()).help(importer.about()))
        .collect::<Vec<_>>()
        .into()
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let Some(importer) = importers().iter().find(|importer| importer.name() == args.format) else {
        return Err(miette::miette!("{:?} is no format that can be imported", args.format));
    };
    let (sources, mut quarantine) = args.input.open()?;
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let (converted, known) = import(*importer, &sources, &args.out, existing, &mut quarantine, args.input.max_rejects)?;
    let done = args.input.report_written(&converted, &mut quarantine)?;
    if matches!(converted, Converted::Written(_)) {
        let of = known.interactions;
        let parts = [("tokens", known.with_tokens), ("cost", known.with_cost), ("latency", known.with_latency)];
        let parts = parts.map(|(what, with)| format!("{what} for {with} of {of}"));
        note(&format!("known: {} (taketwo inspect shows more)", parts.join(", ")));
    }
    Ok(done)
}
