//! The command line: one file a verb, no logic of their own.

mod check;
mod completions;
mod convert;
mod diff;
mod import;
mod input;
mod inspect;
mod learn;
mod progress;
mod record;
mod report;
mod run;
mod sample;
mod screen;
mod scrub;
mod settings_args;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::replay::Stopper;
use crate::verdict::Exit;

/// Replays recorded agent interactions against a new build and says what changed.
#[derive(Debug, Parser)]
#[command(name = "taketwo", version, max_term_width = 80, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Args),
    Diff(diff::Args),
    Check(check::Args),
    Record(record::Args),
    Inspect(inspect::Args),
    Learn(learn::Args),
    Report(report::Args),
    Convert(convert::Args),
    Import(import::Args),
    Sample(sample::Args),
    Scrub(scrub::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

/// Parses the command line, runs the verb, says what is wrong.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            return ExitCode::from(match error.print() {
                Err(problem) if problem.kind() != std::io::ErrorKind::BrokenPipe => Exit::Refused.code(),
                _ if error.use_stderr() => Exit::Refused.code(),
                _ => 0,
            });
        }
    };
    let done = match cli.verb {
        Verb::Run(args) => run::run(&args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Record(args) => record::run(&args),
        Verb::Inspect(args) => inspect::run(&args),
        Verb::Learn(args) => learn::run(&args),
        Verb::Report(args) => report::run(&args),
        Verb::Convert(args) => convert::run(&args),
        Verb::Import(args) => import::run(&args),
        Verb::Sample(args) => sample::run(&args),
        Verb::Scrub(args) => scrub::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => completions::man(&args),
    };
    ExitCode::from(done.unwrap_or_else(|report| screen::refuse(&report)).code())
}

/// Runs async work to its end.
fn with_runtime<T>(work: impl Future<Output = miette::Result<T>>) -> miette::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| miette::miette!("cannot start: {error}"))?;
    let result = runtime.block_on(work);
    // A target may have left a thread busy; it must not keep the program from ending.
    runtime.shutdown_background();
    // Nor may a program outlive the run that it was started for, whatever ended the run.
    crate::replay::target::kill_all_programs();
    result
}

/// Stops a run on Ctrl-C or SIGTERM, keeping what was measured; on the second one the program ends at once.
fn stop_on_signals(stopper: Stopper) {
    tokio::spawn(async move {
        interrupted().await;
        screen::note("stopping: what was measured is kept; once more to stop at once");
        stopper.stop();
        interrupted().await;
        crate::replay::target::kill_all_programs();
        std::process::exit(Exit::Cancelled as i32);
    });
}

/// Waits for a signal to stop.
async fn interrupted() {
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// The whole command line as clap knows it, for the man page and the completions.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}
