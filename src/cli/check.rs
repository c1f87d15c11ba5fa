//! `taketwo check`: pre-flight only.

use super::progress::ShownProgress;
use super::settings_args::{CompareArgs, RunArgs, SubjectArgs};
use super::{Exit, screen};
use crate::experiment::{self, Places};

/// Look at recordings, suite and target as a run would, without running anything.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  taketwo check traffic.jsonl --target 'command:python3 agent.py'

Exit codes: 0 a run could start; 2 it would be refused, for the reasons given.")]
pub struct Args {
    #[command(flatten)]
    subject: SubjectArgs,

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
    let settings = args.compare.settings(&args.subject, &args.run)?;
    let places = Places { quarantine: args.compare.quarantine.clone(), ..Places::default() };
    let found = super::with_runtime(async {
        let (sources, found) = experiment::look(&settings, &places, &mut ShownProgress::new()).await?;
        sources.target.system.shut_down().await;
        miette::Result::<_>::Ok(found)
    })?;
    screen::print(&if args.json { found.to_json() } else { found.to_string() })?;
    found.check()?;
    Ok(Exit::Passed)
}
