//! Checks that had nothing to look at, and what would give it to them.

use super::Report;
use super::tally::Tally;
use crate::case::RECORDED_CHECKS;
use crate::compare::Matching;

/// A check without evidence in any case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WithoutEvidence {
    pub(super) label: String,
    pub(super) side: Side,
    /// Why, and what would give it some.
    pub(super) advice: String,
}

/// Which side could give evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The recordings: the check was never made.
    Recording,
    /// The run: the check was made and could not judge.
    Run,
}

/// The checks that had no evidence in any case.
pub(super) fn without_evidence(report: &Report<'_>, tally: &Tally) -> Vec<WithoutEvidence> {
    let labels = &report.summary.labels;
    let mut found: Vec<WithoutEvidence> = labels
        .iter()
        .filter(|(_, count)| count.passed + count.failed + count.undecided == 0 && count.inconclusive > 0)
        .filter(|(label, _)| !["fidelity", "evidence", "target", "setup"].contains(&label.as_str()))
        .map(|(label, _)| WithoutEvidence { label: label.clone(), side: Side::Run, advice: of_the_run(label) })
        .collect();
    // A run that never came to a reply had no check at all, which says nothing of the recording.
    if tally.replied > 0 {
        let absent = RECORDED_CHECKS.iter().filter(|label| !labels.contains_key(**label) && applies(report, label));
        found.extend(absent.map(|label| WithoutEvidence {
            label: (*label).to_owned(),
            side: Side::Recording,
            advice: of_the_recording(label),
        }));
    }
    found
}

fn applies(report: &Report<'_>, label: &str) -> bool {
    if report.manifest.skip.iter().any(|skipped| skipped == label) {
        return false;
    }
    let matching = Matching::ALL.into_iter().find(|matching| matching.as_str() == report.manifest.matching);
    let matching = matching.unwrap_or_default();
    match label {
        "tools" => !matching.allows_missing(),
        "tool-order" => matching.is_ordered(),
        "extra-tools" => !matching.allows_extra(),
        "reply-present" | "cost-budget" => matching != Matching::Labels,
        _ => true,
    }
}

fn of_the_recording(label: &str) -> String {
    let field = match label {
        "reply-present" => "a reply that is not blank (`output`)",
        "model-call-budget" => "its model calls (`modelCalls`)",
        "token-budget" => "its tokens (`tokens`)",
        "latency-budget" => "its time (`latencyMs`)",
        "cost-budget" => "its cost (`cost`)",
        "extra-tools" => "its tool calls (`toolCalls`, `[]` where none was made)",
        _ => "a tool call (`toolCalls`)",
    };
    format!("no recording tells {field}")
}

fn of_the_run(label: &str) -> String {
    let field = match label {
        "model-call-budget" => "`modelCalls`",
        "token-budget" => "`tokens`",
        "cost-budget" => "`cost` and `currency`",
        "latency-budget" => "`latencyMs`",
        "tools" | "tool-order" | "tool-arguments" | "extra-tools" => "`toolCalls`",
        _ => return "it could not be judged in any case".to_owned(),
    };
    format!("the run does not tell it; have the target give {field}")
}
