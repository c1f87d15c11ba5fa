//! The suite file, `taketwo.toml`: it says the same as the flags, and flags win.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use serde::Deserialize;

use super::suite_rules::SuiteRule;
use crate::evaluate::StatedChecks;
use crate::recording::ToolName;
use crate::scrub::ScrubRules;

/// A suite as it is written. Every key is optional; unknown keys are refused.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Suite {
    /// Recordings, relative to the suite's folder.
    #[serde(default)]
    pub recordings: Vec<String>,
    /// The target, as `--target` has it.
    pub target: Option<String>,
    /// The tolerance on tokens, latency and cost.
    pub tolerance: Option<Number>,
    /// Tolerances of their own.
    #[serde(default)]
    pub tolerances: SuiteTolerances,
    /// Paths into the arguments that are not looked at.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// How places in the arguments are compared.
    #[serde(default)]
    pub rule: Vec<SuiteRule>,
    /// Files of tool definitions, relative to the suite's folder.
    #[serde(default)]
    pub tools: Vec<String>,
    /// How calls are matched.
    pub r#match: Option<String>,
    /// Checks that are left out.
    #[serde(default)]
    pub skip: Vec<String>,
    /// Conditions on the run, joined by and.
    #[serde(default)]
    pub gate: Vec<String>,
    /// Whether replies are compared: exact or normalized.
    pub compare_output: Option<String>,
    /// Attempts at the same time.
    pub lanes: Option<usize>,
    /// Attempts at each case.
    pub repeat: Option<u32>,
    /// The seed of random choices.
    pub seed: Option<u64>,
    /// How long an attempt may take, as `60s`.
    pub deadline: Option<String>,
    /// What happens when no recording answers a call.
    pub on_miss: Option<String>,
    /// What happens after the last recording of a call.
    pub after_last: Option<String>,
    /// The least share of faithfully answered calls.
    pub fidelity_floor: Option<f64>,
    /// What cases and a second recording are paired by.
    pub pair_by: Option<String>,
    /// Recordings of other ways that are accepted, relative to the suite's folder.
    #[serde(default)]
    pub variants: Vec<String>,
    /// How many rows may be turned away.
    pub max_rejects: Option<String>,
    /// What is written into reports: keep or omit.
    pub content: Option<String>,
    /// Checks beside those that the recordings give.
    #[serde(default)]
    pub check: StatedChecks,
    /// Answers for calls that no recording answers, with `on-miss = "static"`.
    #[serde(default)]
    pub r#static: Vec<SuiteAnswer>,
    /// How an HTTP target is asked.
    #[serde(default)]
    pub http: SuiteHttp,
    /// What is scrubbed; that the table is there says that it is.
    pub scrub: Option<ScrubRules>,
}

/// Tolerances of a suite.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SuiteTolerances {
    /// On tokens.
    pub tokens: Option<Number>,
    /// On latency.
    pub latency: Option<Number>,
    /// On cost.
    pub cost: Option<Number>,
    /// On model calls.
    pub model_calls: Option<Number>,
}

/// A stated answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteAnswer {
    /// The tool.
    pub tool: ToolName,
    /// The arguments that it answers; any when absent.
    pub arguments: Option<toml::Value>,
    /// The result.
    pub result: toml::Value,
}

/// How an HTTP target is asked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SuiteHttp {
    /// The body of a turn, with placeholders.
    pub template: Option<String>,
    /// Headers, as `Name: value`.
    #[serde(default)]
    pub headers: Vec<String>,
    /// Where the reply stands in the answer.
    pub reply: Option<String>,
    /// Where the tokens stand: a number, or an object by the classes of a recording.
    pub tokens: Option<String>,
    /// Where the tokens that were read stand.
    pub input_tokens: Option<String>,
    /// Where the tokens that were written stand.
    pub output_tokens: Option<String>,
    /// Where the number of model calls stands.
    pub model_calls: Option<String>,
    /// Where the cost stands.
    pub cost: Option<String>,
    /// Where its currency stands.
    pub currency: Option<String>,
    /// Where the model's name stands.
    pub model: Option<String>,
}

/// A number, written as one or as a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Number {
    /// `1.25`
    Float(f64),
    /// `2`
    Whole(i64),
    /// `"1.25"`
    Text(String),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Float(number) => number.fmt(f),
            Number::Whole(number) => number.fmt(f),
            Number::Text(text) => text.fmt(f),
        }
    }
}

/// Why a suite file cannot be used.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum SuiteError {
    /// It cannot be read.
    #[error("cannot read the suite {path:?}: {source}")]
    #[diagnostic(code(taketwo::suite_unreadable))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no suite.
    #[error("the suite cannot be used: {problem}")]
    #[diagnostic(code(taketwo::bad_suite))]
    Toml {
        /// What is wrong.
        problem: String,
        /// The nearest key, where one was misspelt.
        #[help]
        near: Option<String>,
        /// The file.
        #[source_code]
        text: Arc<NamedSource<String>>,
        /// Where.
        #[label("here")]
        place: Option<SourceSpan>,
    },
}

impl Suite {
    /// Reads a suite file.
    ///
    /// # Errors
    /// [`SuiteError`] with the place of what is wrong.
    pub fn read(path: &Path) -> Result<Self, SuiteError> {
        let text = std::fs::read_to_string(path).map_err(|source| SuiteError::Io { path: path.into(), source })?;
        let mut suite = Self::parse(&path.display().to_string(), &text)?;
        // Recordings and tools are found from the suite's folder, wherever the run is started.
        let folder = path.parent().unwrap_or(Path::new(""));
        for source in suite
            .recordings
            .iter_mut()
            .filter(|source| *source != "-")
            .chain(&mut suite.tools)
            .chain(&mut suite.variants)
        {
            *source = folder.join(&*source).display().to_string();
        }
        Ok(suite)
    }

    fn parse(name: &str, text: &str) -> Result<Self, SuiteError> {
        toml::from_str(text).map_err(|error| {
            let problem = error.message().to_owned();
            SuiteError::Toml {
                near: near(&problem),
                problem,
                place: error.span().map(SourceSpan::from),
                text: Arc::new(NamedSource::new(name, text.to_owned()).with_language("TOML")),
            }
        })
    }
}

/// The key that an unknown one is most like, out of the message's own list.
fn near(problem: &str) -> Option<String> {
    let mut words = problem.split('`').skip(1).step_by(2);
    let unknown = problem.starts_with("unknown field").then(|| words.next()).flatten()?;
    let best = words.max_by(|a, b| strsim::jaro_winkler(a, unknown).total_cmp(&strsim::jaro_winkler(b, unknown)))?;
    (strsim::jaro_winkler(best, unknown) > 0.8).then(|| format!("did you mean {best}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_says_what_the_flags_say() {
        let suite = Suite::parse(
            "taketwo.toml",
            r#"
            recordings = ["a.jsonl"]
            target = "sample:v2"
            tolerance = 1.25
            ignore = ["search:$.ts"]
            match = "strict"
            on-miss = "static"

            [tolerances]
            model-calls = 2

            [[check]]
            label = "forbidden-tools"
            tools = ["delete"]
            scenario = "refund"

            [[check]]
            label = "reply-lacks-payment-card"

            [[static]]
            tool = "now"
            result = { time = "2026-01-01T00:00:00Z" }
            "#,
        )
        .unwrap();
        assert_eq!(suite.tolerance.unwrap().to_string(), "1.25");
        assert!(suite.check.iter().all(|check| check.evaluator().is_ok()));
        assert_eq!(suite.r#static.len(), 1);
    }

    #[test]
    fn a_misspelt_key_is_placed_and_answered() {
        let SuiteError::Toml { near, place, .. } = Suite::parse("t", "lanes = 2\ntolerence = 1.2\n").unwrap_err()
        else {
            panic!("a TOML error");
        };
        assert_eq!(near.as_deref(), Some("did you mean tolerance?"));
        assert_eq!(place.unwrap().offset(), 10);
        let check = "[[check]]\nlabel = \"forbidden-tools\"\ntools = [\"x\"]\ntool = 1\n";
        assert!(Suite::parse("t", check).is_err(), "an unknown key of a check is refused");
        assert!(Suite::parse("t", "[[check]]\nlabel = \"no-such\"\n").is_err());
    }
}
