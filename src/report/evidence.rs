//! Checks that had nothing to look at, and what would give it to them.

use super::Report;
use super::tally::Tally;
use crate::case::RECORDED_CHECKS;
use crate::compare::Matching;
use crate::verdict::LabelCount;

/// Checks without evidence in any case, for one reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WithoutEvidence {
    pub(super) labels: Vec<String>,
    pub(super) side: Side,
    /// Why.
    pub(super) why: String,
    /// What would give them some, or make do without.
    pub(super) remedy: Option<String>,
}

/// Which side could give evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The recordings: the check was never made.
    Recording,
    /// The recordings, and the run made calls that nothing holds it to.
    RecordingAlone,
    /// The run: the check was made and could not judge.
    Run,
}

/// The checks that had no evidence in any case, those with the same reason together.
pub(super) fn without_evidence(report: &Report<'_>, tally: &Tally) -> Vec<WithoutEvidence> {
    let mut found: Vec<WithoutEvidence> = Vec::new();
    let mut add = |label: &str, side: Side, why: String| match found.iter_mut().find(|known| known.why == why) {
        Some(known) => known.labels.push(label.to_owned()),
        None => found.push(WithoutEvidence { labels: vec![label.to_owned()], side, why, remedy: None }),
    };
    for label in RECORDED_CHECKS.iter().copied() {
        match report.summary.labels.get(label) {
            Some(count) if is_blind(count) => {
                let Some(unjudged) = tally.unjudged.get(label) else { continue };
                if unjudged.by_run > 0 {
                    add(label, Side::Run, format!("{} does not tell it", run(report)));
                } else if unjudged.by_recording > 0 {
                    let why = "no recording tells its tool calls (`toolCalls`), but the run called tools";
                    add(label, Side::RecordingAlone, why.to_owned());
                }
            }
            // A run that never came to a reply had no check at all, which says nothing of the recording.
            None if tally.replied > 0 && applies(report, label) => {
                add(label, Side::Recording, of_the_recording(label, tally));
            }
            _ => {}
        }
    }
    for checks in &mut found {
        let labels: Vec<&str> = checks.labels.iter().map(String::as_str).collect();
        checks.remedy = match checks.side {
            Side::Run => remedy(report, &labels),
            Side::RecordingAlone => Some(format!("record them, or leave the check out: --skip {}", labels.join(" "))),
            Side::Recording => None,
        };
    }
    found
}

fn is_blind(count: &LabelCount) -> bool {
    count.passed + count.failed + count.undecided == 0 && count.inconclusive > 0
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

fn of_the_recording(label: &str, tally: &Tally) -> String {
    let field = match label {
        "reply-present" => "a reply that is not blank (`output`)",
        "model-call-budget" => "its model calls (`modelCalls`)",
        "token-budget" => "its tokens (`tokens`)",
        "latency-budget" => "its time (`latencyMs`)",
        "cost-budget" => "its cost (`cost`)",
        "extra-tools" => "its tool calls (`toolCalls`, `[]` where none was made)",
        _ => "a tool call (`toolCalls`)",
    };
    if tally.unreached.contains(label) {
        return format!("no attempt came so far whose recording tells {field}");
    }
    format!("no recording tells {field}")
}

/// What the recording is compared with.
fn run(report: &Report<'_>) -> &'static str {
    if report.manifest.target_hash.is_some() { "the second recording" } else { "the run" }
}

/// What helps where the run does not tell what these checks look at.
pub(super) fn remedy(report: &Report<'_>, labels: &[&str]) -> Option<String> {
    let mut fields: Vec<&str> = Vec::new();
    let mut skips = Vec::new();
    for label in labels.iter().copied() {
        let field = match label {
            "model-call-budget" => "`modelCalls`",
            "token-budget" => "`tokens`",
            "cost-budget" => "`cost` and `currency`",
            "latency-budget" => "`latencyMs`",
            "tools" | "tool-order" | "tool-arguments" | "extra-tools" => "`toolCalls`",
            _ => return None,
        };
        if !fields.contains(&field) {
            fields.push(field);
        }
        // To leave out what the calls are held to would leave little of a run, so only limits are named.
        if field != "`toolCalls`" {
            skips.push(format!("--skip {label}"));
        }
    }
    let giver = if report.manifest.target_hash.is_some() { "the second recording" } else { "the target" };
    let mut said = format!("have {giver} give {}", fields.join(", "));
    if !skips.is_empty() {
        let checks = if skips.len() == 1 { "the check" } else { "the checks" };
        said.push_str(&format!(", or leave {checks} out: {}", skips.join(" ")));
    }
    Some(said)
}
