//! Results that could not judge, and whose silence that is.

use super::case::follows_from_missing_tool;
use crate::evaluate::{EvaluationOutcome, EvaluationResult};
use crate::verdict::{AttemptRow, Usage};

/// How often a check could not judge, by what was lacking.
#[derive(Debug, Default)]
pub(super) struct Unjudged {
    /// The run does not tell what the check looks at.
    pub(super) by_run: u64,
    /// The recording does not tell it, but the run does.
    pub(super) by_recording: u64,
    /// Anything else, what follows from a missing tool left out.
    pub(super) otherwise: u64,
    /// The first case of these and why.
    pub(super) example: Option<String>,
}

/// What was lacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    InRun,
    InRecording,
    MissingTool,
    Other,
}

impl Unjudged {
    /// Takes in a result that is inconclusive or whose evaluator broke.
    pub(super) fn add(&mut self, result: &EvaluationResult, row: &AttemptRow) {
        match lack(result, row) {
            Lack::InRun => self.by_run += 1,
            Lack::InRecording => self.by_recording += 1,
            Lack::Other => self.otherwise += 1,
            // The sentence on the missing tool says it better.
            Lack::MissingTool => return,
        }
        if self.example.is_none() && !result.detail.is_empty() {
            self.example = Some(format!("{}: {}", row.id, result.detail));
        }
    }
}

fn lack(result: &EvaluationResult, row: &AttemptRow) -> Lack {
    let (recorded, seen) = (&row.recorded, &row.seen);
    let label = result.label.as_str();
    let run_is_silent = match label {
        _ if result.outcome != EvaluationOutcome::Inconclusive => false,
        "tools" | "tool-order" | "tool-arguments" | "extra-tools" => seen.tool_calls.is_none(),
        "model-call-budget" => seen.model_calls.is_none(),
        "token-budget" => true,
        "latency-budget" => seen.latency_ms.is_none(),
        "cost-budget" => seen.cost.is_none(),
        _ => false,
    };
    if run_is_silent {
        Lack::InRun
    } else if label == "tools" && recorded.tool_calls.is_none() && seen.tool_calls.is_some() {
        Lack::InRecording
    } else if follows_from_missing_tool(result, row) {
        Lack::MissingTool
    } else {
        Lack::Other
    }
}

/// Whether a recording of this spend may give the check. Of its reply nothing is known here.
pub(super) fn may_give(label: &str, recorded: &Usage) -> bool {
    match label {
        "tools" | "tool-order" | "tool-arguments" => recorded.tool_calls.is_some_and(|calls| calls > 0),
        "extra-tools" => recorded.tool_calls.is_some(),
        "model-call-budget" => recorded.model_calls.is_some(),
        "token-budget" => recorded.tokens.or(recorded.input_tokens).or(recorded.output_tokens).is_some(),
        "latency-budget" => recorded.latency_ms.is_some(),
        "cost-budget" => recorded.cost.is_some(),
        _ => true,
    }
}
