//! `taketwo check`: pre-flight only.

use std::path::PathBuf;

use super::progress::ShownProgress;
use super::settings_args::{CompareArgs, RunArgs};
use super::{Exit, screen};
use crate::experiment::{self, Places};

/// Look at recordings, suite and target as a run would, without running anything.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  taketwo check traffic.jsonl --target 'command:python3 agent.py'

Exit codes: 0 a run could start; 2 it would be refused, for the reasons given.")]
pub struct Args {
    /// Recordings: files, folders, globs, or - for standard input [default: those of the suite]
    #[arg(value_name = "RECORDINGS")]
    recordings: Vec<String>,

    /// What they would be run against
    #[arg(long, value_name = "KIND:ARG")]
    target: Option<String>,

    /// The suite file [default: taketwo.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,

    #[command(flatten)]
    compare: CompareArgs,

    #[command(flatten)]
    run: RunArgs,

    /// Print JSON instead of a text
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> miette::Result<Exit> {
    let settings = args.compare.settings(&args.recordings, args.target.clone(), &args.run, args.suite.as_deref())?;
    let places = Places { quarantine: args.compare.quarantine.clone(), ..Places::default() };
    let found = super::with_runtime(async {
        let (_, target, found) = experiment::look(&settings, &places, &mut ShownProgress::new()).await?;
        target.system.shut_down().await;
        miette::Result::<_>::Ok(found)
    })?;
    screen::print(&if args.json { found.to_json() } else { found.to_string() })?;
    found.check()?;
    Ok(Exit::Passed)
}
