//! `taketwo diff`: two recordings, what changed.

use std::path::PathBuf;

use super::progress::ShownProgress;
use super::settings_args::{CompareArgs, RunArgs, SubjectArgs};
use super::{Exit, screen};
use crate::experiment::{self, Places};
use crate::replay::Stopper;
use crate::report::{Form, TextOptions};

/// Compare two recordings: what changed, by case and in sum.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo diff monday.jsonl tuesday.jsonl
  taketwo diff a.parquet b.parquet --ignore 'search:$.ts' --exit-code

Exit codes: 0; with --exit-code 1 when something differs and 3 when something
could not be compared; 2 when a recording cannot be used.")]
pub struct Args {
    /// The recording that is held to
    #[arg(value_name = "A")]
    before: String,

    /// The recording that is compared with it
    #[arg(value_name = "B")]
    after: String,

    #[command(flatten)]
    compare: CompareArgs,

    /// How many pairs are compared at the same time [default: the number of cores, at most 8]
    #[arg(long, value_name = "N")]
    lanes: Option<usize>,

    /// A suite file whose rules and tolerances are used
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,

    /// Show every pair that differs, not only the first 10
    #[arg(long)]
    all: bool,

    /// Exit with 1 when something differs
    #[arg(long)]
    exit_code: bool,

    /// Print JSON instead of a text
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> miette::Result<Exit> {
    let subject = SubjectArgs {
        recordings: vec![args.before.clone()],
        target: Some(format!("recorded:{}", args.after)),
        suite: args.suite.clone(),
    };
    let run = RunArgs { lanes: args.lanes, gate: vec!["all-cases-pass".into()], ..RunArgs::default() };
    let settings = args.compare.settings(&subject, &run)?;
    // What a diff works out is kept nowhere.
    let folder = tempfile::tempdir().map_err(|error| miette::miette!("cannot make a temporary folder: {error}"))?;
    let places =
        Places { runs: folder.path().to_owned(), quarantine: args.compare.quarantine.clone(), ..Places::default() };
    let outcome = super::with_runtime(async {
        let (stopper, stop) = Stopper::new();
        super::stop_on_signals(stopper);
        experiment::run(&settings, &places, &mut ShownProgress::new(), stop).await
    })?;
    let limit = if args.all { usize::MAX } else { TextOptions::default().limit };
    let options = TextOptions { limit, ..TextOptions::for_terminal() };
    let form = if args.json { Form::Json } else { Form::Diff(options) };
    screen::stream(|out| outcome.run.write(form, out))?;
    Ok(match outcome.run.exit() {
        Exit::Cancelled => Exit::Cancelled,
        exit if args.exit_code => exit,
        _ => Exit::Passed,
    })
}
