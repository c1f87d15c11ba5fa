//! The flags that say how a run is compared and judged, shared by `run`, `check` and `diff`.

use std::path::{Path, PathBuf};

use crate::experiment::{Flags, ScrubFlag, Settings, Suite};

/// What is run against what.
#[derive(Clone, Debug, clap::Args)]
pub struct SubjectArgs {
    /// Recordings: files, folders, globs, or - for standard input [default: those of the suite]
    #[arg(value_name = "RECORDINGS")]
    pub recordings: Vec<String>,

    /// What to run them against: command:PROGRAM ARGS..., http://HOST/PATH, recorded:RECORDING, sample:VERSION
    #[arg(long, value_name = "KIND:ARG")]
    pub target: Option<String>,

    /// The suite file, which says the same as the flags [default: taketwo.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
}

/// How a run is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Comparing")]
pub struct CompareArgs {
    /// Do not look at this path of the arguments, as in 'search:$.filters[*].ts'; TOOL may hold * and ?
    #[arg(long, value_name = "[TOOL:]PATH")]
    pub ignore: Vec<String>,

    /// Compare a place in the arguments in another way, as in 'tolerance(0.01) refund:$.amount', 'reference *:$..id'
    /// or 'bag search:$.tags'; docs/rules.md has them all
    #[arg(long, value_name = "HOW [TOOL:]PATH")]
    pub rule: Vec<String>,

    /// How much more than the recording tokens, latency and cost may be, as a factor [default: 1.5]
    #[arg(long, value_name = "FACTOR")]
    pub tolerance: Option<String>,

    /// The same for tokens alone
    #[arg(long, value_name = "FACTOR")]
    pub token_tolerance: Option<String>,

    /// The same for latency alone
    #[arg(long, value_name = "FACTOR")]
    pub latency_tolerance: Option<String>,

    /// The same for cost alone
    #[arg(long, value_name = "FACTOR")]
    pub cost_tolerance: Option<String>,

    /// How many more model calls than recorded may be made, as a factor [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub model_call_tolerance: Option<String>,

    /// The tools that calls are held to: their definitions as JSON, in the form of any provider
    #[arg(long, value_name = "FILE")]
    pub tools: Vec<String>,

    /// How calls are held to the recorded ones: partial-order, strict, ordered, unordered, subset, superset or
    /// labels [default: partial-order]
    #[arg(long = "match", value_name = "MODE", value_parser = ["partial-order", "strict", "ordered", "unordered", "subset", "superset", "labels"], hide_possible_values = true)]
    pub matching: Option<String>,

    /// Leave a check out, as in --skip latency-budget
    #[arg(long, value_name = "LABEL")]
    pub skip: Vec<String>,

    /// Compare replies with the recorded ones: exact or normalized [default: not at all]
    #[arg(long, value_name = "HOW", value_parser = ["exact", "normalized"], hide_possible_values = true)]
    pub compare_output: Option<String>,

    /// What cases and a second recording are paired by: id, input, position or a field [default: id]
    #[arg(long, value_name = "FIELD")]
    pub pair_by: Option<String>,

    /// Accept the interactions of this recording as further ways of the cases that they are paired with
    #[arg(long, value_name = "RECORDINGS")]
    pub variants: Vec<String>,

    /// How many rows may be turned away: a count, or a share such as 1% [default: 0]
    #[arg(long, value_name = "N|P%")]
    pub max_rejects: Option<String>,

    /// Write the rows that were turned away to this file, as JSONL
    #[arg(long, value_name = "FILE")]
    pub quarantine: Option<PathBuf>,

    /// What reports may hold: keep, or omit to leave out every input, output, argument and result [default: keep]
    #[arg(long, value_name = "RULE", value_parser = ["keep", "omit"], hide_possible_values = true)]
    pub content: Option<String>,
}

/// How a run is made and judged.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// Conditions on the run, joined by and: all-cases-pass, pass-rate=R, LABEL-pass-rate=R, target-does-not-fail,
    /// no-new-failures=RUN, traffic-changed=R, token-growth=F, cost-growth=F [default: all-cases-pass]
    #[arg(long, value_name = "GATE")]
    pub gate: Vec<String>,

    /// How many attempts run at the same time, 1 to 512 [default: the number of cores, at most 8]
    #[arg(long, value_name = "N")]
    pub lanes: Option<usize>,

    /// How many attempts each case gets [default: 1]
    #[arg(long, value_name = "N")]
    pub repeat: Option<u32>,

    /// The seed of random choices, printed in the report [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// How long one attempt may take, as 60s, 500ms or 2m [default: 60s]
    #[arg(long, value_name = "TIME")]
    pub deadline: Option<String>,

    /// What a call gets that no recording answers: error, nearest, static or abort [default: error]
    #[arg(long, value_name = "POLICY", value_parser = ["error", "nearest", "static", "abort"], hide_possible_values = true)]
    pub on_miss: Option<String>,

    /// What a call gets after its last recording: repeat or exhausted [default: repeat]
    #[arg(long, value_name = "POLICY", value_parser = ["repeat", "exhausted"], hide_possible_values = true)]
    pub after_last: Option<String>,

    /// The least share of calls that must be answered from the recording, 0 to 1; below it an attempt is not
    /// comparable [default: 0]
    #[arg(long, value_name = "SHARE")]
    pub fidelity_floor: Option<f64>,

    /// Scrub recordings, calls and replies before anything is looked up or written, by the rules of the suite or a
    /// file; the key is TAKETWO_SCRUB_KEY in the environment or --key-file
    #[arg(long, value_name = "RULES", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub scrub: Option<String>,

    /// The file that holds the key of the pseudonyms
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

/// The suite file that is read when none is named.
const SUITE: &str = "taketwo.toml";

impl CompareArgs {
    /// The settings that these flags and a suite file give.
    pub fn settings(&self, subject: &SubjectArgs, run: &RunArgs) -> miette::Result<Settings> {
        let suite = match subject.suite.as_deref() {
            Some(path) => Suite::read(path)?,
            None if Path::new(SUITE).exists() => Suite::read(Path::new(SUITE))?,
            None => Suite::default(),
        };
        let flags = Flags {
            recordings: subject.recordings.clone(),
            target: subject.target.clone(),
            tolerance: self.tolerance.clone(),
            token_tolerance: self.token_tolerance.clone(),
            latency_tolerance: self.latency_tolerance.clone(),
            cost_tolerance: self.cost_tolerance.clone(),
            model_call_tolerance: self.model_call_tolerance.clone(),
            ignore: self.ignore.clone(),
            rule: self.rule.clone(),
            tools: self.tools.clone(),
            matching: self.matching.clone(),
            skip: self.skip.clone(),
            gate: run.gate.clone(),
            compare_output: self.compare_output.clone(),
            lanes: run.lanes,
            repeat: run.repeat,
            seed: run.seed,
            deadline: run.deadline.clone(),
            on_miss: run.on_miss.clone(),
            after_last: run.after_last.clone(),
            fidelity_floor: run.fidelity_floor,
            pair_by: self.pair_by.clone(),
            variants: self.variants.clone(),
            max_rejects: self.max_rejects.clone(),
            content: self.content.clone(),
            scrub: run.scrub.clone().map(ScrubFlag::from),
            key_file: run.key_file.clone(),
        };
        Ok(Settings::resolve(&flags, suite)?)
    }
}
