//! `taketwo sample`: a suite from traffic.

use std::path::PathBuf;

use super::Exit;
use super::input::{Budget, InputArgs};
use super::screen::{note, print};
use crate::draw::{By, Drawing, Drawn, KindsBy, Seed, Share, Size, Wanted, draw};
use crate::recording::{Existing, Json};

/// Draw a suite from traffic: each kind of interaction, in weights that add up to the traffic.
///
/// A kind is what interactions of one scenario have in common that called the same tools in the same order and failed
/// alike; how often a tool was called in a row makes no kind of its own. One of each kind is drawn, or with --cases
/// as many as are wanted: every kind gets one before any gets two. Each case stands for its share of its kind.
///
/// The same interactions and seed give the same suite, in whatever files and order they are. The traffic is read
/// twice; memory grows by some 70 bytes for each interaction and 300 for each kind.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo sample traffic/ -o suite.jsonl
  taketwo sample traffic/ -o suite.jsonl --cases 500 --by scenario,model
  taketwo sample traffic/ -o suite.jsonl --share 5% --seed 2026-W49")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// The file to write (.jsonl, .ndjson, .jsonl.gz, .jsonl.zst, .parquet), or - for JSONL on standard output
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,

    /// Replace OUT if it is there
    #[arg(long)]
    force: bool,

    /// How many interactions to draw [default: one of each kind]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "share")]
    cases: Option<u64>,

    /// The share of the interactions to draw, as 5% or 0.05
    #[arg(long, value_name = "SHARE")]
    share: Option<Share>,

    /// Draw at most so many of one kind; without --cases and --share, so many of each
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    per_kind: Option<u64>,

    /// Decides which ones are drawn: any text
    #[arg(long, value_name = "SEED", default_value = "0")]
    seed: Seed,

    /// What strata are made by: scenario, agent, model, tag:NAME, or several of them
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "scenario")]
    by: Vec<By>,

    /// What kinds are told apart by: the sequence of tools, or only which tools were called
    #[arg(long, value_name = "sequence|tools", default_value = "sequence")]
    kinds: KindsBy,

    /// Print JSON, as docs/sampling.md describes it
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let to_stdout = args.out.as_os_str() == "-";
    if to_stdout && args.json {
        return Err(miette::miette!(
            help = "name a file for the suite with -o, or leave --json out",
            "the suite and the JSON would both go to standard output"
        ));
    }
    let (recordings, mut quarantine) = args.input.open()?;
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let budget = args.input.rejects.max_rejects;
    let drawing = draw(&recordings, &args.out, existing, &args.wanted(), &mut quarantine, budget)?;
    let kept = args.input.rejects.report(&mut quarantine, drawing.interactions())?;
    let Drawing::Written { drawn, .. } = drawing else {
        note(match kept {
            Budget::Exceeded => "nothing was written",
            Budget::Kept => "error: there is no interaction; nothing was written",
        });
        return Ok(Exit::Refused);
    };
    args.tell(&drawn, to_stdout)
}

impl Args {
    fn wanted(&self) -> Wanted {
        let size = match (self.cases, self.share) {
            (Some(cases), _) => Size::Cases(cases),
            (None, Some(share)) => Size::Share(share),
            (None, None) => Size::EveryKind,
        };
        let (seed, by) = (self.seed.clone(), self.by.clone());
        Wanted { size, per_kind: self.per_kind, seed, by, kinds: self.kinds }
    }

    fn tell(&self, drawn: &Drawn, to_stdout: bool) -> miette::Result<Exit> {
        if to_stdout {
            note(drawn.to_string().trim_end());
            return Ok(Exit::Passed);
        }
        let text = if self.json { format!("{}\n", Json::of(drawn).text()) } else { drawn.to_string() };
        let done = print(&text)?;
        note(&format!("{} bytes -> {}", drawn.bytes, drawn.out));
        Ok(done)
    }
}
