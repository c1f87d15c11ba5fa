//! The settings of a run, from flags and suite, each with where it came from.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::policy;
use super::scrubbing::{self, ScrubFlag};
use super::suite::Suite;
use super::target_spec::TargetSpec;
use crate::case::{Tolerance, Tolerances};
use crate::compare::Matching;
use crate::evaluate::{EvaluationRules, Label, OutputComparison};
use crate::recording::{Json, RejectBudget, did_you_mean};
use crate::replay::target::PairBy;
use crate::replay::{AfterLast, BindingRules, MissPolicy, StaticAnswer};
use crate::store::{Content, SettingSource};
use crate::verdict::Gate;

/// A gate and where it came from.
#[derive(Clone, Debug)]
pub struct GateSetting {
    /// The gate.
    pub gate: Gate,
    /// Where it came from.
    pub source: SettingSource,
}

/// What flags say; what they leave out comes from the suite, else from the defaults.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// Recordings.
    pub recordings: Vec<String>,
    /// The target.
    pub target: Option<String>,
    /// The tolerance on tokens, latency and cost.
    pub tolerance: Option<String>,
    /// The tolerance on tokens.
    pub token_tolerance: Option<String>,
    /// The tolerance on latency.
    pub latency_tolerance: Option<String>,
    /// The tolerance on cost.
    pub cost_tolerance: Option<String>,
    /// The tolerance on model calls.
    pub model_call_tolerance: Option<String>,
    /// Paths that are not looked at; they add to the suite's.
    pub ignore: Vec<String>,
    /// How places in the arguments are compared; they add to the suite's.
    pub rule: Vec<String>,
    /// Files of tool definitions; they take the place of the suite's.
    pub tools: Vec<String>,
    /// How calls are matched.
    pub matching: Option<String>,
    /// Checks that are left out; they add to the suite's.
    pub skip: Vec<String>,
    /// Gates; they take the place of the suite's.
    pub gate: Vec<String>,
    /// Whether replies are compared.
    pub compare_output: Option<String>,
    /// Attempts at the same time.
    pub lanes: Option<usize>,
    /// Attempts at each case.
    pub repeat: Option<u32>,
    /// The seed.
    pub seed: Option<u64>,
    /// How long an attempt may take.
    pub deadline: Option<String>,
    /// What happens on a miss.
    pub on_miss: Option<String>,
    /// What happens after the last recording.
    pub after_last: Option<String>,
    /// The least fidelity.
    pub fidelity_floor: Option<f64>,
    /// What is paired by.
    pub pair_by: Option<String>,
    /// Recordings of other ways that are accepted; they add to the suite's.
    pub variants: Vec<String>,
    /// How many rows may be turned away.
    pub max_rejects: Option<String>,
    /// What is written into reports.
    pub content: Option<String>,
    /// Whether calls, replies and recordings are scrubbed, and by which rules.
    pub scrub: Option<ScrubFlag>,
    /// The file that holds the key of pseudonyms.
    pub key_file: Option<PathBuf>,
}

/// The settings of a run, checked.
#[derive(Clone)]
pub struct Settings {
    /// Recordings.
    pub recordings: Vec<String>,
    /// The target.
    pub target: Option<TargetSpec>,
    /// How an HTTP target is asked.
    pub http: super::suite::SuiteHttp,
    /// How much more a run may spend.
    pub tolerances: Tolerances,
    /// How attempts are evaluated.
    pub evaluation: EvaluationRules,
    /// The scenarios that stated checks are for.
    pub check_scenarios: Vec<String>,
    /// The stated checks, in a form that changes when they do.
    pub checks_text: String,
    /// How calls are answered.
    pub bindings: BindingRules,
    /// Conditions on the run.
    pub gates: Vec<GateSetting>,
    /// Attempts at the same time.
    pub lanes: usize,
    /// Attempts at each case.
    pub repeats: u32,
    /// The seed.
    pub seed: u64,
    /// How long an attempt may take.
    pub deadline: Duration,
    /// What cases and a second recording are paired by.
    pub pair_by: PairBy,
    /// Recordings of other ways that are accepted.
    pub variants: Vec<String>,
    /// How many rows may be turned away.
    pub max_rejects: RejectBudget,
    /// Whether inputs, outputs, arguments and results stay out of what is written.
    pub content: Content,
}

/// A setting that makes no sense.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{setting}: {problem}")]
#[diagnostic(code(taketwo::bad_setting))]
pub struct SettingsError {
    setting: String,
    problem: String,
    #[help]
    help: Option<String>,
}

impl SettingsError {
    pub(super) fn new(setting: &str, problem: impl fmt::Display) -> Self {
        Self::with_help(setting, problem, None)
    }

    pub(super) fn with_help(setting: &str, problem: impl fmt::Display, help: Option<String>) -> Self {
        Self { setting: setting.to_owned(), problem: problem.to_string(), help }
    }

    /// No target is named.
    pub(super) fn missing_target() -> Self {
        let help = "name one with --target, as in --target 'command:python3 agent.py' or --target sample:v2";
        Self { help: Some(help.into()), ..Self::new("target", "there is nothing to run the recordings against") }
    }

    /// No recording is named.
    pub(super) fn missing_recordings() -> Self {
        let help = "name files, folders or globs, or - for standard input, as in: taketwo run traffic.jsonl";
        Self { help: Some(help.into()), ..Self::new("recordings", "there is nothing to run") }
    }
}

/// The labels that `--skip` knows.
pub const LABELS: &[&str] = &[
    "tools",
    "tool-order",
    "tool-arguments",
    "extra-tools",
    "tool-schema",
    "tool-results",
    "forbidden-tools",
    "call-sequence",
    "reply-present",
    "reply-as-recorded",
    "reply-contains",
    "reply-matches",
    "reply-lacks",
    "reply-does-not-match",
    "reply-lacks-luhn-number",
    "reply-lacks-payment-card",
    "tool-call-budget",
    "model-call-budget",
    "token-budget",
    "latency-budget",
    "cost-budget",
    "fidelity",
    "evidence",
    "target",
    "setup",
];

/// How long an attempt may take unless it is set.
const DEADLINE: Duration = Duration::from_secs(60);
/// As many lanes as cores, but no more than this unless it is set: each may be a process.
const DEFAULT_LANES: usize = 8;

impl Settings {
    /// Puts flags and suite together.
    ///
    /// # Errors
    /// [`SettingsError`] for the first setting that makes no sense.
    pub fn resolve(flags: &Flags, suite: Suite) -> Result<Self, SettingsError> {
        let definitions = policy::definitions(flags, &suite)?;
        let policy = Arc::new(policy::policy(flags, &suite, definitions.as_deref())?);
        let matching = choice("match", &flags.matching, &suite.r#match, matching)?.unwrap_or_default();
        let target = flags.target.clone().or(suite.target.clone());
        let target = target.map(|text| text.parse::<TargetSpec>()).transpose();
        let lanes = flags.lanes.or(suite.lanes).unwrap_or_else(default_lanes);
        if !(1..=512).contains(&lanes) {
            return Err(SettingsError::new("lanes", "from 1 to 512 attempts can run at the same time"));
        }
        let repeats = flags.repeat.or(suite.repeat).unwrap_or(1);
        if repeats == 0 {
            return Err(SettingsError::new("repeat", "each case gets at least one attempt"));
        }
        let on_miss = choice("on-miss", &flags.on_miss, &suite.on_miss, miss_policy)?.unwrap_or_default();
        if on_miss == MissPolicy::Static && suite.r#static.is_empty() {
            let help = "state them in the suite file as [[static]] tables";
            let problem = "there is no stated answer, so it would be the same as error";
            return Err(SettingsError::with_help("on-miss", problem, Some(help.into())));
        }
        let fidelity_floor = flags.fidelity_floor.or(suite.fidelity_floor).unwrap_or(0.0);
        if !(0.0..=1.0).contains(&fidelity_floor) {
            return Err(SettingsError::new("fidelity-floor", "it is a share between 0 and 1"));
        }
        let scrubber = scrubbing::scrubber(flags, &suite)?;
        let evaluators = suite.check.iter().map(crate::evaluate::StatedCheck::evaluator).collect::<Result<_, _>>();
        Ok(Self {
            recordings: if flags.recordings.is_empty() { suite.recordings.clone() } else { flags.recordings.clone() },
            target: target.map_err(|error| SettingsError {
                help: Some(
                    "targets are command:PROGRAM ARGS..., http://HOST/PATH, recorded:RECORDING and sample:VERSION"
                        .into(),
                ),
                ..SettingsError::new("target", error)
            })?,
            tolerances: tolerances(flags, &suite)?,
            evaluation: EvaluationRules {
                policy: Arc::clone(&policy),
                matching,
                fidelity_floor,
                output: choice(
                    "compare-output",
                    &flags.compare_output,
                    &suite.compare_output,
                    str::parse::<OutputComparison>,
                )?,
                tools: definitions,
                skip: skips(flags, &suite)?,
                evaluators: evaluators.map_err(|problem| SettingsError::new("check", problem))?,
                router: None,
            },
            check_scenarios: suite.check.iter().filter_map(|check| check.scenario.clone()).collect(),
            checks_text: format!("{:?}", suite.check),
            bindings: BindingRules {
                policy,
                on_miss,
                after_last: choice("after-last", &flags.after_last, &suite.after_last, after_last)?.unwrap_or_default(),
                statics: suite
                    .r#static
                    .iter()
                    .map(|answer| scrubbing::stated(stated(answer), scrubber.as_deref()))
                    .collect(),
                scrubber,
            },
            gates: gates(flags, &suite)?,
            lanes,
            repeats,
            seed: flags.seed.or(suite.seed).unwrap_or(0),
            deadline: choice("deadline", &flags.deadline, &suite.deadline, duration)?.unwrap_or(DEADLINE),
            pair_by: choice("pair-by", &flags.pair_by, &suite.pair_by, str::parse::<PairBy>)?.unwrap_or_default(),
            variants: suite.variants.iter().chain(&flags.variants).cloned().collect(),
            max_rejects: choice("max-rejects", &flags.max_rejects, &suite.max_rejects, str::parse::<RejectBudget>)?
                .unwrap_or_default(),
            content: choice("content", &flags.content, &suite.content, content)?.unwrap_or_default(),
            http: suite.http,
        })
    }
}

impl Settings {
    /// Refuses to write over the tool definitions.
    pub(super) fn spare_tools(&self, path: &Path) -> Result<(), SettingsError> {
        match &self.evaluation.tools {
            Some(tools) if tools.were_read_from(path) => {
                Err(SettingsError::new("tools", format!("{} is read, so nothing is written to it", path.display())))
            }
            _ => Ok(()),
        }
    }
}

/// A setting that a flag or the suite gives as a text.
fn choice<T, E: fmt::Display>(
    name: &str,
    flag: &Option<String>,
    suite: &Option<String>,
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<Option<T>, SettingsError> {
    let text = flag.as_ref().or(suite.as_ref());
    text.map(|text| read(text).map_err(|problem| SettingsError::new(name, problem))).transpose()
}

/// One of a few words, or the nearest of them.
fn word<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, String> {
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
        return Ok(*value);
    }
    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    Err(format!("{text:?} is none of {}{}", names.join(", "), did_you_mean(text, &names)))
}

fn matching(text: &str) -> Result<Matching, String> {
    word(text, &Matching::ALL.map(|matching| (matching.as_str(), matching)))
}

fn miss_policy(text: &str) -> Result<MissPolicy, String> {
    let words = [
        ("error", MissPolicy::Error),
        ("nearest", MissPolicy::Nearest),
        ("static", MissPolicy::Static),
        ("abort", MissPolicy::Abort),
    ];
    word(text, &words)
}

fn after_last(text: &str) -> Result<AfterLast, String> {
    word(text, &[("repeat", AfterLast::Repeat), ("exhausted", AfterLast::Exhausted)])
}

fn content(text: &str) -> Result<Content, String> {
    word(text, &[("keep", Content::Keep), ("omit", Content::Omit)])
}

/// A time as `90s`, `500ms` or `2m`; a bare number is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time; write 60s, 500ms or 2m");
    let number = text.trim_end_matches(char::is_alphabetic);
    let seconds = match &text[number.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    let time = number.trim().parse::<f64>().map_err(|_| wrong())? * seconds;
    let time = Duration::try_from_secs_f64(time).map_err(|_| wrong())?;
    if time.is_zero() { Err("it must be longer than nothing".into()) } else { Ok(time) }
}

fn default_lanes() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(DEFAULT_LANES)
}

fn tolerances(flags: &Flags, suite: &Suite) -> Result<Tolerances, SettingsError> {
    let read = |name: &str, texts: &[Option<String>], default: Tolerance| match texts.iter().flatten().next() {
        Some(text) => text.parse::<Tolerance>().map_err(|problem| SettingsError::new(name, problem)),
        None => Ok(default),
    };
    let text = |number: &Option<super::suite::Number>| number.as_ref().map(ToString::to_string);
    let all = [flags.tolerance.clone(), text(&suite.tolerance)];
    // A flag for all wins over the suite's own for one.
    let own = |flag: &Option<String>, suite: Option<String>| [flag.clone(), all[0].clone(), suite, all[1].clone()];
    let (given, default) = (&suite.tolerances, Tolerances::default());
    Ok(Tolerances {
        tokens: read("tolerance", &own(&flags.token_tolerance, text(&given.tokens)), default.tokens)?,
        latency: read("tolerance", &own(&flags.latency_tolerance, text(&given.latency)), default.latency)?,
        cost: read("tolerance", &own(&flags.cost_tolerance, text(&given.cost)), default.cost)?,
        model_calls: read(
            "tolerance",
            &[flags.model_call_tolerance.clone(), text(&given.model_calls)],
            default.model_calls,
        )?,
    })
}

fn skips(flags: &Flags, suite: &Suite) -> Result<Vec<Label>, SettingsError> {
    let labels = suite.skip.iter().chain(&flags.skip);
    labels
        .map(|label| match LABELS.contains(&label.as_str()) {
            true => Ok(Label::new(label.clone())),
            false => Err(SettingsError {
                help: Some(format!("the checks are {}", LABELS.join(", "))),
                ..SettingsError::new("skip", format!("there is no check {label:?}{}", did_you_mean(label, LABELS)))
            }),
        })
        .collect()
}

fn gates(flags: &Flags, suite: &Suite) -> Result<Vec<GateSetting>, SettingsError> {
    let (texts, source) = match (flags.gate.is_empty(), suite.gate.is_empty()) {
        (false, _) => (&flags.gate, SettingSource::Flag),
        (true, false) => (&suite.gate, SettingSource::Suite),
        (true, true) => return Ok(vec![GateSetting { gate: Gate::AllCasesPass, source: SettingSource::Default }]),
    };
    let read = |text: &String| match text.parse::<Gate>() {
        Ok(Gate::LabelPassRate(label, _)) if !LABELS.contains(&label.as_str()) => Err(SettingsError::new(
            "gate",
            format!("{text:?}: there is no check {label:?}{}", did_you_mean(&label, LABELS)),
        )),
        Ok(gate) => Ok(GateSetting { gate, source }),
        Err(problem) => Err(SettingsError::new("gate", problem)),
    };
    texts.iter().map(read).collect()
}

fn stated(answer: &super::suite::SuiteAnswer) -> StaticAnswer {
    StaticAnswer {
        tool: answer.tool.clone(),
        arguments: answer.arguments.as_ref().map(Json::of),
        result: Json::of(&answer.result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(change: impl FnOnce(&mut Flags)) -> Flags {
        let mut flags = Flags::default();
        change(&mut flags);
        flags
    }

    fn resolved(flags: &Flags, suite: &str) -> Result<Settings, String> {
        Settings::resolve(flags, toml::from_str(suite).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_win_over_the_suite_and_the_suite_over_defaults() {
        let suite = "tolerance = 2\nlanes = 3\ngate = [\"pass-rate=0.5\"]\n[tolerances]\ntokens = 3\n";
        let settings = resolved(&Flags::default(), suite).unwrap();
        assert_eq!(settings.tolerances.tokens.to_string(), "3");
        assert_eq!(settings.tolerances.latency.to_string(), "2");
        assert_eq!(settings.tolerances.model_calls.to_string(), "1");
        assert_eq!((settings.lanes, settings.gates[0].source), (3, SettingSource::Suite));

        let settings = resolved(&flags(|f| f.tolerance = Some("1.25".into())), suite).unwrap();
        assert_eq!(settings.tolerances.tokens.to_string(), "1.25");
    }

    #[test]
    fn a_setting_that_makes_no_sense_is_named_and_answered() {
        for (flags, says) in [
            (flags(|f| f.tolerance = Some("0.9".into())), "at least 1"),
            (flags(|f| f.matching = Some("stric".into())), "did you mean strict?"),
            (flags(|f| f.skip = vec!["token-budgets".into()]), "did you mean token-budget?"),
            (flags(|f| f.lanes = Some(0)), "512"),
            (flags(|f| f.ignore = vec!["$".into()]), "ignore all arguments"),
            (flags(|f| f.gate = vec!["tool-pass-rate=1".into()]), "did you mean tools?"),
            (flags(|f| f.target = Some("comand:x".into())), "did you mean"),
            (flags(|f| f.deadline = Some("soon".into())), "60s"),
        ] {
            let error = resolved(&flags, "").map(|_| ()).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn times_are_read_with_their_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert!(duration("0s").is_err() && duration("5h").is_err() && duration("-1s").is_err());
    }
}
