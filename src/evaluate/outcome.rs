//! What an evaluator says.

use std::borrow::Cow;
use std::fmt;

/// The name of a check in reports, gates and `--skip`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct Label(Cow<'static, str>);

/// Labels that stand in nearly every row of a journal: reading them makes no new texts.
const COMMON: [&str; 16] = [
    "tools",
    "tool-order",
    "tool-arguments",
    "extra-tools",
    "tool-schema",
    "reply-present",
    "model-call-budget",
    "token-budget",
    "latency-budget",
    "cost-budget",
    "output",
    "target",
    "setup",
    "fidelity",
    "evidence",
    "call-sequence",
];

impl<'de> serde::Deserialize<'de> for Label {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LabelText;
        impl serde::de::Visitor<'_> for LabelText {
            type Value = Label;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a check")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Label, E> {
                let common = COMMON.iter().find(|common| **common == text);
                Ok(common.map_or_else(|| Label::new(text), |common| Label::known(common)))
            }
        }
        deserializer.deserialize_str(LabelText)
    }
}

impl Label {
    /// A label of this crate.
    #[must_use]
    pub const fn known(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// The label of an evaluator that a user wrote.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Cow::Owned(text.into()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What came of asking an evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EvaluationOutcome {
    /// It looked and found no fault.
    Passed,
    /// It looked and found a fault of the target.
    Failed,
    /// It looked and would not commit itself.
    Undecided,
    /// It had nothing to look at.
    Inconclusive,
    /// It broke: a fault of the harness, never a finding.
    Broke,
    /// The attempt never came so far that anything could be looked at.
    NotReached,
}

impl EvaluationOutcome {
    /// Its words in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            EvaluationOutcome::Passed => "passed",
            EvaluationOutcome::Failed => "failed",
            EvaluationOutcome::Undecided => "undecided",
            EvaluationOutcome::Inconclusive => "inconclusive",
            EvaluationOutcome::Broke => "evaluator failed",
            EvaluationOutcome::NotReached => "not reached",
        }
    }
}

/// What one evaluator said of one attempt, and why.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EvaluationResult {
    /// The evaluator.
    pub label: Label,
    /// What it said.
    pub outcome: EvaluationOutcome,
    /// From 0 to 1, where it gives one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// Why, in a sentence. Empty when there is nothing to say.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub detail: String,
}

/// What an evaluator says, before its label is put to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub(super) outcome: EvaluationOutcome,
    pub(super) score: Option<f64>,
    pub(super) detail: String,
}

impl Said {
    fn new(outcome: EvaluationOutcome, detail: impl Into<String>) -> Self {
        Self { outcome, score: None, detail: detail.into() }
    }

    /// No fault.
    #[must_use]
    pub fn passed() -> Self {
        Self::new(EvaluationOutcome::Passed, "")
    }

    /// A fault of the target.
    pub fn failed(detail: impl Into<String>) -> Self {
        Self::new(EvaluationOutcome::Failed, detail)
    }

    /// Looked at, but not decided.
    pub fn undecided(detail: impl Into<String>) -> Self {
        Self::new(EvaluationOutcome::Undecided, detail)
    }

    /// Nothing to look at.
    pub fn inconclusive(detail: impl Into<String>) -> Self {
        Self::new(EvaluationOutcome::Inconclusive, detail)
    }

    /// The evaluator broke.
    pub fn broke(detail: impl Into<String>) -> Self {
        Self::new(EvaluationOutcome::Broke, detail)
    }

    /// The attempt never came so far.
    pub(super) fn not_reached(detail: impl Into<String>) -> Self {
        Self::new(EvaluationOutcome::NotReached, detail)
    }

    /// Passed when the score reaches the threshold; both from 0 to 1.
    pub fn scored(score: f64, threshold: f64, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        if !(0.0..=1.0).contains(&score) {
            return Self::inconclusive(format!("the score {score} is not between 0 and 1; {detail}"));
        }
        let said = if score >= threshold { EvaluationOutcome::Passed } else { EvaluationOutcome::Failed };
        Self { score: Some(score), ..Self::new(said, detail) }
    }

    /// The same with something to say.
    #[must_use]
    pub fn because(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }

    /// Puts the evaluator's label to it.
    #[must_use]
    pub fn by(self, label: Label) -> EvaluationResult {
        EvaluationResult { label, outcome: self.outcome, score: self.score, detail: self.detail }
    }
}
