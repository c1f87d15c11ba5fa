//! `taketwo record`: a live session, with tools that do real work.

use std::cell::RefCell;
use std::path::PathBuf;

use super::Exit;
use super::progress::ShownProgress;
use super::screen::note;
use super::settings_args::{CompareArgs, RunArgs, SubjectArgs};
use crate::experiment::{self, Progress, Session, SessionPlan};
use crate::recording::Existing;
use crate::replay::Stopper;
use crate::replay::record::{EffectRule, Take, Times};

/// Record a live session: ask a target, let real tools answer, keep what happened.
///
/// The tools do real work. Give them a sandbox.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo record questions.txt --target 'command:python3 agent.py' \\
    --tools 'command:python3 tools.py' -o traffic.jsonl
  taketwo record old.jsonl --target sample:v1 \\
    --tools 'command:python3 examples/tools/desk.py' -o new.jsonl

Exit codes: 0 every input was recorded; 2 refused, nothing was asked; 3 some
inputs could not be recorded; 130 cancelled, what was recorded is written.

The recording has the order of the inputs. An interaction waits in memory for
those before it.")]
pub struct Args {
    /// What to ask: .txt files with one input a line, JSONL rows with an input, or recordings, whose inputs are taken
    #[arg(required = true, value_name = "INPUTS")]
    inputs: Vec<String>,

    /// The agent: command:PROGRAM ARGS..., http://HOST/PATH, sample:VERSION [default: that of the suite]
    #[arg(long, value_name = "KIND:ARG")]
    target: Option<String>,

    /// The tool program: command:PROGRAM ARGS...
    #[arg(long, value_name = "KIND:ARG")]
    tools: String,

    /// The recording to write, by its ending JSONL (also .gz, .zst) or Parquet; - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// Replace the recording if it is there
    #[arg(long)]
    force: bool,

    /// What a tool does to the world: TOOL=read, TOOL=write or TOOL=irreversible; TOOL may hold * and ?
    #[arg(long, value_name = "TOOL=EFFECT")]
    effect: Vec<EffectRule>,

    /// Leave all times out, so that recording again can give the same file to the byte
    #[arg(long)]
    no_time: bool,

    /// How many inputs are asked at the same time, 1 to 512 [default: the number of cores, at most 8]
    #[arg(long, value_name = "N")]
    lanes: Option<usize>,

    /// How long one input may take, as 60s, 500ms or 2m [default: 60s]
    #[arg(long, value_name = "TIME")]
    deadline: Option<String>,

    /// The suite file, for its target and how an HTTP target is asked [default: taketwo.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: &Args) -> miette::Result<Exit> {
    let run = RunArgs { lanes: args.lanes, deadline: args.deadline.clone(), ..RunArgs::default() };
    let subject =
        SubjectArgs { recordings: args.inputs.clone(), target: args.target.clone(), suite: args.suite.clone() };
    let settings = CompareArgs::default().settings(&subject, &run)?;
    let plan = SessionPlan {
        tools: args.tools.clone(),
        out: args.out.clone(),
        existing: if args.force { Existing::Replace } else { Existing::Refuse },
        effects: args.effect.clone(),
        times: if args.no_time { Times::LeftOut } else { Times::Told },
    };
    let progress = RefCell::new(ShownProgress::of("inputs"));
    let session = super::with_runtime(async {
        let (stopper, stop) = Stopper::new();
        super::stop_on_signals(stopper);
        let begin = |inputs| progress.borrow_mut().begin(inputs, 0);
        let each = |take: &Take| progress.borrow_mut().advance(u64::from(matches!(take, Take::LeftOut { .. })));
        experiment::record(&settings, &plan, begin, each, stop).await
    });
    progress.borrow_mut().end();
    let session = session?;
    tell(&session);
    Ok(session.exit)
}

/// How many lines of one kind are shown.
const SHOWN: usize = 20;

fn tell(session: &Session) {
    for note_line in session.notes.iter().take(SHOWN) {
        note(&format!("note: {note_line}"));
    }
    for (id, failure) in session.left_out.iter().take(SHOWN) {
        note(&format!("not recorded: {id}: {failure}"));
    }
    for (all, what) in [(session.notes.len(), "notes"), (session.left_out.len(), "inputs were not recorded")] {
        if all > SHOWN {
            note(&format!("and {} more {what}", all - SHOWN));
        }
    }
    match &session.written {
        Some(written) => {
            let (count, target) = (written.interactions, written.target.display());
            note(&format!("{count} of {} inputs recorded, {} bytes -> {target}", session.inputs, written.bytes));
        }
        None => note("error: nothing could be recorded, nothing was written"),
    }
}
