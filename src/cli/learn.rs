//! `taketwo learn`: rules proposed from what varies.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Exit;
use super::input::{Budget, RejectArgs};
use super::screen::{note, print};
use crate::learn::{self, Bounds, Evidence, GroupBy, LastResort, Learned};
use crate::recording::{Existing, Json, Recordings, WriteError};
use crate::store::{RUNS, RunFolder, replace_file};

/// Propose rules from what varies though nothing was meant to: over repeats of one interaction, over a run of the
/// same build, and by the shape of values.
///
/// Repeats are interactions with the same id in several files, else with the same input. They are compared without
/// any rule. Each place in the arguments that varies often enough gets the narrowest rule that accepts all that was
/// seen; values that may mean something get none. The rules are printed as a suite, each with its reason. Nothing is
/// ignored until a person has put them into taketwo.toml or named them with --suite.
///
/// The recordings are read as a stream. Memory grows with the number of interactions by some 100 bytes each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo learn monday.jsonl tuesday.jsonl -o learned.toml
  taketwo diff monday.jsonl tuesday.jsonl --suite learned.toml
  taketwo learn --run last

Exit codes: 0, also where no rule is proposed; 2 when there is nothing to read.")]
pub struct Args {
    /// Recordings: files, folders, globs, or - for standard input [with --run: those of the run]
    #[arg(value_name = "RECORDINGS", required_unless_present = "run")]
    recordings: Vec<String>,

    /// A stored run whose target is known to do the same as what was recorded: its folder, its id, the start of its
    /// id, or "last"
    #[arg(long, value_name = "RUN")]
    run: Option<String>,

    /// Where runs are kept
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,

    /// What the repeats of one interaction have in common: id, input or a field [default: id where ids come again in
    /// several files, else input]
    #[arg(long, value_name = "FIELD")]
    group_by: Option<GroupBy>,

    /// In how many pairs of calls a place must differ before a rule is proposed
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    min_support: u64,

    /// In what share of the pairs of calls it must differ, as 50% or 0.5
    #[arg(long, value_name = "SHARE", default_value = "50%", value_parser = share)]
    min_share: f64,

    /// Propose rules to ignore a place as well, where nothing narrower holds; else they are commented out
    #[arg(long)]
    include_ignore: bool,

    /// What the rules may show: keep, or omit to leave the examples out
    #[arg(long, value_name = "RULE", default_value = "keep", value_parser = ["keep", "omit"], hide_possible_values = true)]
    content: String,

    /// Write the rules to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the file if it is there
    #[arg(long)]
    force: bool,

    /// Print JSON, as docs/learning.md describes it
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    rejects: RejectArgs,
}

/// A share as `50%` or `0.5`.
fn share(text: &str) -> Result<f64, String> {
    let number = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
        None => text.parse::<f64>(),
    };
    number.ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| format!("{text:?} is no share such as 50%"))
}

/// The name that the printed command has for the rules where they are written to no file.
const SAVED_AS: &str = "learned.toml";

/// Runs the verb.
pub fn run(args: &Args) -> miette::Result<Exit> {
    let run = args.run.as_deref().map(|run| RunFolder::open(run, &args.runs)).transpose()?;
    let recordings = args.recordings(run.as_ref())?;
    let out = args.out.as_deref().filter(|out| out.as_os_str() != "-");
    refuse_to_replace(out, args.existing(), recordings.as_ref())?;
    let quarantine = recordings.as_ref().map(|found| args.rejects.quarantine_beside(found)).transpose()?;
    let mut quarantine = quarantine.unwrap_or_default();
    let evidence = Evidence { recordings: recordings.as_ref(), run: run.as_ref() };
    let learned = learn::learn(evidence, args.group_by.as_ref(), &args.bounds(), &mut quarantine)?;
    if args.rejects.report(&mut quarantine, learned.read.interactions)? == Budget::Exceeded {
        return Ok(Exit::Refused);
    }
    if learned.read.interactions == 0 && learned.read.run.as_ref().is_none_or(|run| run.attempts == 0) {
        note("error: there is nothing to learn from: no interaction, and no attempt that came to a reply");
        return Ok(Exit::Refused);
    }
    let learned = if args.content == "omit" { learned.without_content() } else { learned };
    args.tell(&learned, out)
}

impl Args {
    /// The recordings. Those that are repeats of each other are read in the order of their names, so that the order in
    /// which they are given does not matter.
    fn recordings(&self, run: Option<&RunFolder>) -> miette::Result<Option<Recordings>> {
        if let Some(run) = run {
            return Ok(learn::recordings_of_run(run, &self.recordings)?);
        }
        let mut names = self.recordings.clone();
        names.sort();
        Ok(Some(Recordings::open(&names)?))
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Refuse }
    }

    fn bounds(&self) -> Bounds {
        let last_resort = if self.include_ignore { LastResort::Proposed } else { LastResort::CommentedOut };
        Bounds { min_support: self.min_support, min_share: self.min_share, last_resort }
    }

    fn tell(&self, learned: &Learned, out: Option<&Path>) -> miette::Result<Exit> {
        let saved_as = out.map_or(SAVED_AS.to_owned(), |out| out.display().to_string());
        let block = learn::suite_block(learned, &saved_as);
        if let Some(out) = out {
            replace_file(out, |file| file.write_all(block.as_bytes()))?;
        }
        let done = match (self.json, out) {
            (true, _) => print(&format!("{}\n", Json::of(&Document::new(learned, &block)).text()))?,
            (false, None) => print(&block)?,
            (false, Some(_)) => Exit::Passed,
        };
        note(learn::summary(learned).trim_end());
        if let Some(out) = out {
            note(&format!("The rules are in {}.", out.display()));
        }
        Ok(done)
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    learned: &'a Learned,
    toml: &'a str,
}

impl<'a> Document<'a> {
    fn new(learned: &'a Learned, toml: &'a str) -> Self {
        Self { format: "taketwo.learn", version: 1, learned, toml }
    }
}

/// Refuses before the work is done, not after it.
fn refuse_to_replace(out: Option<&Path>, existing: Existing, recordings: Option<&Recordings>) -> miette::Result<()> {
    let Some(out) = out else { return Ok(()) };
    if recordings.is_some_and(|recordings| recordings.contains(out)) {
        return Err(miette::miette!(
            code = "taketwo::output_is_input",
            help = "write the rules to another file",
            "{out:?} is one of the recordings to be read"
        ));
    }
    if existing == Existing::Refuse && out.metadata().is_ok_and(|found| found.is_file() || found.is_dir()) {
        return Err(WriteError::Exists { path: out.to_owned() }.into());
    }
    Ok(())
}
