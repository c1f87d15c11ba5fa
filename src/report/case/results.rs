//! The results of an attempt, each label told once.

use std::fmt;

use crate::evaluate::{EvaluationOutcome, EvaluationResult};
use crate::report::visible::visible;
use crate::verdict::{AttemptRow, is_about_calls};

/// Results of one label that fell out the same way. A check of several parts, as one on tokens by class, gives one
/// result a part.
#[derive(Clone, Debug)]
pub(in crate::report) struct ToldResult {
    pub(in crate::report) label: String,
    pub(in crate::report) outcome: EvaluationOutcome,
    score: Option<f64>,
    count: usize,
    details: Vec<String>,
}

impl ToldResult {
    /// The same with one reason where a check could not judge: the others are of its kind. Findings keep all.
    pub(in crate::report) fn brief(&self) -> Self {
        let mut brief = self.clone();
        if let (more @ 1.., true) = (self.details.len().saturating_sub(1), self.outcome != EvaluationOutcome::Failed) {
            brief.details.truncate(1);
            brief.details.push(format!("and {more} more"));
        }
        brief
    }

    /// What follows the outcome: score, how many results it stands for, and why.
    pub(in crate::report) fn rest(&self) -> String {
        let mut rest = self.score.map(|score| format!(", score {score:.2}")).unwrap_or_default();
        if self.count > 1 {
            rest.push_str(&format!(" ({})", self.count));
        }
        if !self.details.is_empty() {
            rest.push_str(&format!(": {}", self.details.join("; ")));
        }
        rest
    }
}

impl fmt::Display for ToldResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.label, self.outcome.as_str(), self.rest())
    }
}

/// Puts results together that have label and outcome in common. Scores stand alone.
pub(in crate::report) fn told_once<'a>(results: impl Iterator<Item = &'a EvaluationResult>) -> Vec<ToldResult> {
    let mut told: Vec<ToldResult> = Vec::new();
    for result in results {
        let label = visible(result.label.as_str());
        let is_alike = |known: &&mut ToldResult| {
            known.label == label && known.outcome == result.outcome && (known.score, result.score) == (None, None)
        };
        let detail = Some(visible(&result.detail).into_owned()).filter(|detail| !detail.is_empty());
        match told.iter_mut().find(is_alike) {
            Some(known) => {
                known.count += 1;
                known.details.extend(detail.filter(|detail| !known.details.contains(detail)));
            }
            None => told.push(ToldResult {
                label: label.into_owned(),
                outcome: result.outcome,
                score: result.score,
                count: 1,
                details: detail.into_iter().collect(),
            }),
        }
    }
    told
}

/// Whether a result passed and has no more to say.
pub(in crate::report) fn is_plain(result: &EvaluationResult) -> bool {
    result.outcome == EvaluationOutcome::Passed && result.detail.is_empty() && result.score.is_none()
}

/// The labels of plain results, each once, with a count where it gave several.
pub(in crate::report) fn plain_labels(row: &AttemptRow) -> Vec<String> {
    let told = told_once(row.results.iter().filter(|result| is_plain(result)));
    told.into_iter()
        .map(|told| if told.count > 1 { format!("{} ({})", told.label, told.count) } else { told.label })
        .collect()
}

/// Whether a result tells a reader something that the differences and the failure do not.
pub(in crate::report) fn adds_to_differences(result: &EvaluationResult, row: &AttemptRow) -> bool {
    result.outcome != EvaluationOutcome::Passed && !is_explained(result, row) && !is_consequence(result, row)
}

/// Whether the differences of the calls, or the failure, say the same and better.
fn is_explained(result: &EvaluationResult, row: &AttemptRow) -> bool {
    let about_calls = is_about_calls(result.label.as_str());
    let by_calls = about_calls && result.outcome == EvaluationOutcome::Failed && !row.differences.is_empty();
    by_calls || (result.outcome == EvaluationOutcome::NotReached && row.failure.is_some())
}

/// Whether a check had nothing to look at because another one failed, which is what a reader wants to see.
fn is_consequence(result: &EvaluationResult, row: &AttemptRow) -> bool {
    row.verdict == crate::verdict::AttemptVerdict::Failed && result.outcome == EvaluationOutcome::Inconclusive
}

/// Whether a check on calls could not judge because a recorded tool is missing, which `tools` tells already.
pub(in crate::report) fn follows_from_missing_tool(result: &EvaluationResult, row: &AttemptRow) -> bool {
    let tools_failed =
        |other: &EvaluationResult| other.label.as_str() == "tools" && other.outcome == EvaluationOutcome::Failed;
    ["tool-order", "tool-arguments"].contains(&result.label.as_str())
        && result.outcome == EvaluationOutcome::Inconclusive
        && row.results.iter().any(tools_failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Label;

    fn result(label: &str, outcome: EvaluationOutcome, detail: &str) -> EvaluationResult {
        EvaluationResult { label: Label::new(label), outcome, score: None, detail: detail.into() }
    }

    #[test]
    fn a_label_is_told_once_with_all_its_reasons() {
        use EvaluationOutcome::{Failed, Passed};
        let results = [
            result("token-budget", Failed, "9 total tokens, at most 6 pass"),
            result("is-polite", Failed, ""),
            result("token-budget", Failed, "5 output tokens, at most 3 pass"),
            result("token-budget", Passed, ""),
        ];
        let told: Vec<String> = told_once(results.iter()).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "token-budget failed (2): 9 total tokens, at most 6 pass; 5 output tokens, at most 3 pass",
                "is-polite failed",
                "token-budget passed",
            ]
        );
    }

    #[test]
    fn among_other_cases_a_check_that_could_not_judge_gives_one_reason() {
        let results = ["total", "input", "output"].map(|class| {
            result(
                "token-budget",
                EvaluationOutcome::Inconclusive,
                &format!("the run does not tell its {class} tokens"),
            )
        });
        let told = &told_once(results.iter())[0];
        assert_eq!(told.to_string().matches("tokens").count(), 3);
        let brief = "token-budget inconclusive (3): the run does not tell its total tokens; and 2 more";
        assert_eq!(told.brief().to_string(), brief);
    }

    #[test]
    fn scores_are_never_put_together() {
        let scored = |score| EvaluationResult { score: Some(score), ..result("a", EvaluationOutcome::Passed, "") };
        assert_eq!(told_once([scored(0.5), scored(0.7)].iter()).len(), 2);
    }
}
