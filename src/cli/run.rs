//! `taketwo run`: the main job.

use std::path::PathBuf;

use super::progress::ShownProgress;
use super::settings_args::{CompareArgs, RunArgs};
use super::{Exit, screen};
use crate::experiment::{self, Places};
use crate::replay::Stopper;
use crate::report::{Form, TextOptions};

/// Replay recordings against a target and judge the difference.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo run traffic.jsonl --target 'command:python3 agent.py'
  taketwo run baseline.jsonl --target recorded:candidate.jsonl --tolerance 1.25
  taketwo run --suite taketwo.toml --gate pass-rate=99% --json

Exit codes: 0 the gate passed; 1 it failed by a finding; 2 refused, nothing was
run; 3 no finding, but not proven either; 130 cancelled.

Memory is bounded by lanes and rows, but for some 100 bytes an interaction that
ids and the journal's index need.")]
pub struct Args {
    /// Recordings: files, folders, globs, or - for standard input [default: those of the suite]
    #[arg(value_name = "RECORDINGS")]
    recordings: Vec<String>,

    /// What to run them against: command:PROGRAM ARGS..., http://HOST/PATH, recorded:RECORDING, sample:VERSION
    #[arg(long, value_name = "KIND:ARG")]
    target: Option<String>,

    /// The suite file, which says the same as the flags [default: taketwo.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,

    #[command(flatten)]
    compare: CompareArgs,

    #[command(flatten)]
    run: RunArgs,

    /// Write what the target did to this file, as a recording
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Go on with a run that was stopped: its id, its folder, or last
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last")]
    resume: Option<String>,

    /// The folder that runs are kept in
    #[arg(long, value_name = "FOLDER", default_value = ".taketwo/runs")]
    runs: PathBuf,

    /// Print report.json instead of a text
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> miette::Result<Exit> {
    let settings = args.compare.settings(&args.recordings, args.target.clone(), &args.run, args.suite.as_deref())?;
    let places = Places {
        runs: args.runs.clone(),
        record: args.record.clone(),
        resume: args.resume.clone(),
        quarantine: args.compare.quarantine.clone(),
    };
    let outcome = super::with_runtime(async {
        let (stopper, stop) = Stopper::new();
        super::stop_on_signals(stopper);
        experiment::run(&settings, &places, &mut ShownProgress::new(), stop).await
    })?;
    let form = if args.json { Form::Json } else { Form::Text(TextOptions::for_terminal()) };
    screen::stream(|out| outcome.run.write_all_and_show(&outcome.folder, form, out))?;
    Ok(outcome.run.exit())
}
