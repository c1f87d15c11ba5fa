//! `taketwo import`: recordings out of what other tools recorded.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::Exit;
use super::input::RejectArgs;
use super::screen::note;
use crate::recording::import::{Format, Grain, ImportOptions, Imported, Known, Naming, formats, import};
use crate::recording::{Converted, Existing, Recordings};

/// Make a recording out of what another tool recorded.
///
/// The format of each file is found out from its beginning; name it first where it cannot be told.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// Files, folders, globs, or - for standard input; a format can stand before them
    // The first of them is the format where it names one.
    #[arg(required = true, value_name = "[FORMAT] SOURCES")]
    sources: Vec<String>,

    #[command(flatten)]
    rejects: RejectArgs,

    /// The file to write (.jsonl, .ndjson, .jsonl.gz, .jsonl.zst, .parquet), or - for JSONL on standard output
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,

    /// What becomes one interaction [default: as the format has it]
    #[arg(long, value_name = "GRAIN")]
    per: Option<Grain>,

    /// Name interactions by their file too, for files in which the same names stand for different things
    #[arg(long)]
    name_by_file: bool,

    /// Replace OUT if it is there
    #[arg(long)]
    force: bool,
}

/// The formats with what they read.
fn after_help() -> String {
    let mut help = String::from(
        "Examples:\n  taketwo import results.json -o airline.jsonl\n  taketwo import tau2 runs/ --name-by-file -o all.parquet\n\nFormats:",
    );
    for format in formats() {
        // Writing into a text cannot fail.
        let _ = write!(help, "\n  {:<12} {}", format.name(), format.about());
    }
    help
}

impl Args {
    /// The format, if one was named, and the sources.
    fn format_and_sources(&self) -> (Option<&'static Format>, &[String]) {
        match self.sources.split_first() {
            Some((first, rest)) if !rest.is_empty() => match formats().iter().find(|format| format.name() == first) {
                Some(format) => (Some(format), rest),
                None => (None, &self.sources),
            },
            _ => (None, &self.sources),
        }
    }
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let (format, sources) = args.format_and_sources();
    let sources = Recordings::open_foreign(sources)?;
    let mut quarantine = args.rejects.quarantine_beside(&sources)?;
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let naming = if args.name_by_file { Naming::ByFile } else { Naming::AsTheyAre };
    let options = ImportOptions { format, grain: args.per, naming };
    let imported = import(options, &sources, &args.out, existing, &mut quarantine, args.rejects.max_rejects)?;
    say_formats(&imported);
    let done = args.rejects.report_written(&imported.converted, &mut quarantine)?;
    if matches!(imported.converted, Converted::Written(_)) {
        say_known(&imported.known);
    }
    Ok(done)
}

/// How many files are named one by one.
const FILES: usize = 5;

/// Says which formats were found, and why.
fn say_formats(imported: &Imported) {
    let found: Vec<_> = imported.files.iter().filter_map(|file| Some((file, file.sign.as_ref()?))).collect();
    for (file, sign) in found.iter().take(FILES) {
        note(&format!("{} is {}: {sign}", file.file.display(), file.format));
    }
    if found.len() > FILES {
        note(&format!("and {} more files", found.len() - FILES));
    }
}

/// Says what is known of the interactions, and what is doubtful.
fn say_known(known: &Known) {
    let parts = [
        ("calls", known.with_calls),
        ("tokens", known.with_tokens),
        ("cost", known.with_cost),
        ("latency", known.with_latency),
    ];
    let parts = parts.map(|(what, with)| format!("{what} for {with} of {}", known.interactions));
    note(&format!("known: {} (taketwo inspect shows more)", parts.join(", ")));
    if known.foreign_traces > 0 {
        note(&format!("left out: {} traces without an agent, a model or a tool", known.foreign_traces));
    }
    for (kind, doubtful) in &known.doubts {
        note(&format!("doubtful: {kind} {} times; the first: {}", doubtful.count, doubtful.example));
    }
}
