//! What a run came to, told to a person, a CI job and a program: one file a format.
//!
//! All formats are made from the same three things: the run's [`RunManifest`], its [`Summary`], and its cases one by
//! one in their order. None of them holds the cases, so a report's memory is bounded by what failed.

mod case;
mod document;
mod evidence;
mod files;
mod headline;
mod json;
mod junit;
mod markdown;
mod paper;
mod run_comparison;
mod run_diff_json;
mod sequences;
mod sorts;
mod spend;
mod tally;
mod telling;
mod text;
mod unjudged;
mod visible;
mod words;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use document::{CaseDocument, ReportDocument, RunDocument};
pub use files::{Form, ReadBack, add_up};
pub use json::json;
pub use junit::junit;
pub use markdown::{MARKDOWN_LIMIT, markdown, markdown_case};
pub use run_comparison::{ComparedRun, RunComparison, RunDiffForm, Sameness};
pub use run_diff_json::RunDiffDocument;
pub use text::{TextOptions, case_text, diff_text, text};
pub(crate) use visible::{shell_word, visible};

use crate::store::{Content, RunManifest};
use crate::verdict::{EvalCaseResults, GateResult, GateState, RunState, Summary, Trust};

/// Everything of a run that its cases do not tell.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What it was made with.
    pub manifest: &'a RunManifest,
    /// Its figures.
    pub summary: &'a Summary,
    /// How far they can be trusted.
    pub trust: &'a Trust,
    /// How each gate fell out.
    pub gates: &'a [GateResult],
    /// How they fell out together.
    pub state: GateState,
    /// The exit code.
    pub exit: u8,
    /// What else there is to say, a sentence each.
    pub notes: &'a [String],
    /// How long the run took, in milliseconds.
    pub wall_ms: Option<f64>,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// Every gate holds.
    Passed,
    /// A gate failed by a finding.
    Failed,
    /// There is no finding, but it is not proven either.
    NotProven,
    /// It was stopped before there was a finding.
    Cancelled,
}

impl Verdict {
    /// Its words in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Passed => "PASSED",
            Verdict::Failed => "FAILED",
            Verdict::NotProven => "NOT PROVEN",
            Verdict::Cancelled => "CANCELLED",
        }
    }
}

/// What a run came to whose gates fell out like this.
fn verdict_of(gates: GateState, run: RunState) -> Verdict {
    match (gates, run) {
        (GateState::Failed, _) => Verdict::Failed,
        (_, RunState::Cancelled) => Verdict::Cancelled,
        (GateState::NotProven, _) => Verdict::NotProven,
        (GateState::Passed, _) => Verdict::Passed,
    }
}

impl Report<'_> {
    /// What the run came to.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        verdict_of(self.state, self.manifest.facts.state)
    }

    /// The verdict in a sentence, as `FAILED: 3 of 40 cases differ from what production did`.
    #[must_use]
    pub fn headline(&self) -> String {
        headline::headline(self)
    }

    /// A case as it may be shown: without content where the run keeps none.
    fn admitted(&self, case: EvalCaseResults) -> EvalCaseResults {
        if self.manifest.content == Content::Keep {
            return case;
        }
        let attempts = case.attempts.into_iter().map(crate::verdict::AttemptRow::without_content).collect();
        EvalCaseResults { attempts, ..case }
    }

    /// The summary as it may be shown.
    fn admitted_summary(&self) -> Cow<'_, Summary> {
        if self.manifest.content == Content::Keep {
            return Cow::Borrowed(self.summary);
        }
        let mut summary = self.summary.clone();
        summary.doubt = None;
        summary.groups.iter_mut().for_each(|group| group.detail = None);
        summary.labels.values_mut().for_each(|label| label.example = None);
        Cow::Owned(summary)
    }
}
