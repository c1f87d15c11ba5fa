//! `taketwo diff`: two recordings or two runs, what changed.

use std::path::PathBuf;

use super::progress::ShownProgress;
use super::settings_args::{CompareArgs, RunArgs, SubjectArgs};
use super::{Exit, screen};
use crate::experiment::{self, Places};
use crate::replay::Stopper;
use crate::report::{Form, RunComparison, RunDiffForm, TextOptions};
use crate::store::{RUNS, RunFolder};

/// Compare two recordings, or two runs: what changed, by case and in sum.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo diff monday.jsonl tuesday.jsonl
  taketwo diff a.parquet b.parquet --ignore 'search:$.ts' --exit-code
  taketwo diff last~1 last

Exit codes: 0; with --exit-code 1 when something differs and 3 when nothing
differs but something could not be compared; 2 when a recording or a run cannot
be used.

Two runs take memory for what differs and some 60 bytes a case.")]
pub struct Args {
    /// What is held to: a recording; or a run by its folder, its id, the start of its id, "last", or "last~1" for the
    /// one before
    #[arg(value_name = "A")]
    before: String,

    /// What is compared with it: a recording or a run as well
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

    /// The folder that runs are kept in
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,

    /// Show everything that differs, not only the first of each kind
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
    match (RunFolder::is_named(&args.before), RunFolder::is_named(&args.after)) {
        (false, false) => recordings(args),
        (true, true) => runs(args),
        (true, false) => Err(mixed(&args.before, &args.after)),
        (false, true) => Err(mixed(&args.after, &args.before)),
    }
}

fn mixed(run: &str, recording: &str) -> miette::Report {
    miette::miette!(
        code = "taketwo::run_and_recording",
        help = "compare two runs, or two recordings; to hold a target to the recording use `taketwo run`, whose --record \
                writes what the target did as a recording",
        "{run:?} is a run and {recording:?} is a recording: only like can be compared with like"
    )
}

fn runs(args: &Args) -> miette::Result<Exit> {
    if args.compare != CompareArgs::default() || args.lanes.is_some() || args.suite.is_some() {
        return Err(miette::miette!(
            code = "taketwo::runs_are_compared_as_they_are",
            help = "leave these flags out; with other rules the recordings must be run again",
            "two runs are compared as their journals tell them: no flag changes how they were compared and judged"
        ));
    }
    let (before, after) = (RunFolder::open(&args.before, &args.runs)?, RunFolder::open(&args.after, &args.runs)?);
    let comparison = RunComparison::new(&before, &after)?;
    let form = if args.json { RunDiffForm::Json } else { RunDiffForm::Text(args.text()) };
    screen::stream(|out| comparison.write(form, out))?;
    Ok(if args.exit_code { comparison.exit() } else { Exit::Passed })
}

impl Args {
    fn text(&self) -> TextOptions {
        let limit = if self.all { usize::MAX } else { TextOptions::default().limit };
        TextOptions { limit, ..TextOptions::for_terminal() }
    }
}

fn recordings(args: &Args) -> miette::Result<Exit> {
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
    let form = if args.json { Form::Json } else { Form::Diff(args.text()) };
    screen::stream(|out| outcome.run.write(form, out))?;
    Ok(match outcome.run.exit() {
        Exit::Cancelled => Exit::Cancelled,
        exit if args.exit_code => exit,
        _ => Exit::Passed,
    })
}
