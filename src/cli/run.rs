//! `taketwo run`: the main job.

use std::path::{Path, PathBuf};

use clap::Parser;

use super::progress::ShownProgress;
use super::settings_args::{CompareArgs, RunArgs, SubjectArgs};
use super::{Exit, screen};
use crate::experiment::{self, Places};
use crate::recording::Existing;
use crate::replay::Stopper;
use crate::report::{Form, TextOptions};
use crate::store::RunFolder;
use crate::verdict::RunState;

/// Replay recordings against a target and judge the difference.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo run traffic.jsonl --target 'command:python3 agent.py'
  taketwo run baseline.jsonl --target recorded:candidate.jsonl --tolerance 1.25
  taketwo run --suite taketwo.toml --gate pass-rate=99% --json
  taketwo run --resume

Exit codes: 0 the gate passed; 1 it failed by a finding; 2 refused, nothing was
run; 3 no finding, but not proven either; 130 cancelled.

Memory is bounded by lanes and rows, but for some 100 bytes an interaction that
ids and the journal's index need.")]
pub struct Args {
    #[command(flatten)]
    subject: SubjectArgs,

    #[command(flatten)]
    compare: CompareArgs,

    #[command(flatten)]
    run: RunArgs,

    /// Write what the target did to this file, as a recording
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Replace the file of --record where there is one
    #[arg(long)]
    force: bool,

    /// Go on with a run that was stopped: its id, its folder, or the last one; nothing else need be said again
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
    let args = args.clone().sorted_out();
    match &args.resume {
        Some(wanted) if args.says_nothing_else() => perform(&args.as_started(wanted)?),
        _ => perform(&args),
    }
}

impl Args {
    /// `--resume traffic.jsonl` names a recording, not a run.
    fn sorted_out(mut self) -> Self {
        if let Some(file) = self.resume.take_if(|named| Path::new(named).is_file()) {
            self.subject.recordings.insert(0, file);
            self.resume = Some("last".into());
        }
        self
    }

    fn says_nothing_else(&self) -> bool {
        let subject = &self.subject;
        subject.recordings.is_empty() && subject.target.is_none() && subject.suite.is_none()
    }

    /// The flags that a run was started with.
    fn as_started(&self, wanted: &str) -> miette::Result<Self> {
        let folder = RunFolder::open(wanted, &self.runs)?;
        let manifest = folder.manifest();
        let words = ["taketwo", "run"].into_iter().chain(manifest.arguments.iter().map(String::as_str));
        let started = super::Cli::try_parse_from(words).map_err(|error| miette::miette!("{error}"))?;
        let super::Verb::Run(started) = started.verb else {
            return Err(miette::miette!("the run {} was not started by `taketwo run`", manifest.id));
        };
        let resume = Some(folder.path().display().to_string());
        // What was made before cannot be recorded any more.
        Ok(Self { resume, runs: self.runs.clone(), json: self.json, record: None, ..started })
    }
}

fn perform(args: &Args) -> miette::Result<Exit> {
    let settings = args.compare.settings(&args.subject, &args.run)?;
    let places = Places {
        runs: args.runs.clone(),
        record: args.record.clone(),
        existing: if args.force { Existing::Replace } else { Existing::Refuse },
        resume: args.resume.clone(),
        quarantine: args.compare.quarantine.clone(),
        arguments: std::env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned()).collect(),
    };
    let outcome = super::with_runtime(async {
        let (stopper, stop) = Stopper::new();
        super::stop_on_signals(stopper);
        experiment::run(&settings, &places, &mut ShownProgress::new(), stop).await
    })?;
    let form = if args.json { Form::Json } else { Form::Text(TextOptions::for_terminal()) };
    screen::stream(|out| outcome.run.write_all_and_show(&outcome.folder, form, out))?;
    let manifest = outcome.folder.manifest();
    screen::note(&match manifest.facts.state {
        RunState::Finished => format!("kept in {}", outcome.folder.path().display()),
        _ => format!("stopped; go on with: taketwo run --resume {}", manifest.id),
    });
    Ok(outcome.run.exit())
}
