//! One case, shown so that a reader sees what is wrong with it.

mod calls;

pub(super) use calls::{CallMark, shown_calls};

use super::Report;
use super::paper::{BAD, DIM, GOOD, Indent, OPEN, PLAIN, Paper, STRONG, plain, styled};
use super::tally::ignore_rule;
use super::visible::{cut, visible};
use super::words;
use crate::evaluate::{EvaluationOutcome, EvaluationResult};
use crate::store::Content;
use crate::verdict::{AttemptRow, AttemptVerdict, CaseVerdict, EvalCaseResults, MissRow};

/// How much of a case is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// What is wrong, by the attempt that shows it best.
    Finding,
    /// Everything, attempt by attempt.
    Full,
}

const BODY: Indent = Indent(4, 6);
/// How many characters of a reply or a line of standard error are shown among other cases.
const SHOWN: usize = 300;
/// How many lines of standard error.
const STDERR_LINES: usize = 8;

/// Writes a case down.
pub(super) fn write(paper: &mut Paper, report: &Report<'_>, case: &EvalCaseResults, detail: Detail) {
    head(paper, case);
    match detail {
        Detail::Finding => {
            let telling = case.telling_attempt().or(case.attempts.first());
            if let Some(row) = telling {
                if case.attempts.len() > 1 {
                    paper.write(BODY, &[styled(DIM, format!("attempt {}:", row.attempt))]);
                }
                attempt(paper, report, row, detail);
            }
        }
        Detail::Full => {
            for row in &case.attempts {
                let said = format!("attempt {}: {}", row.attempt, verdict_word(row.verdict));
                paper.write(Indent(2, 4), &[styled(STRONG, said)]);
                attempt(paper, report, row, detail);
            }
        }
    }
}

fn head(paper: &mut Paper, case: &EvalCaseResults) {
    let mut about = Vec::new();
    let first = case.attempts.first();
    if let Some(scenario) = first.and_then(|row| row.scenario.as_deref()) {
        about.push(format!("scenario {}", visible(scenario)));
    }
    if let Some(weight) = first.map(|row| row.weight).filter(|weight| *weight != 1.0) {
        about.push(format!("stands for {weight} of the traffic"));
    }
    let style = match case.verdict {
        CaseVerdict::Passed => GOOD,
        CaseVerdict::Failed | CaseVerdict::Varied => BAD,
        CaseVerdict::Undecided | CaseVerdict::NoResult => OPEN,
    };
    let mut pieces =
        vec![styled(STRONG, visible(case.id.as_str())), plain("  "), styled(style, words::case_verdict(case))];
    if !about.is_empty() {
        pieces.push(styled(DIM, format!("  {}", about.join(", "))));
    }
    paper.write(Indent(2, 4), &pieces);
}

pub(super) fn verdict_word(verdict: AttemptVerdict) -> &'static str {
    match verdict {
        AttemptVerdict::Passed => "passed",
        AttemptVerdict::Failed => "failed",
        AttemptVerdict::Undecided => "undecided",
        AttemptVerdict::Inconclusive => "could not be judged",
        AttemptVerdict::NotReached => "not reached",
    }
}

fn attempt(paper: &mut Paper, report: &Report<'_>, row: &AttemptRow, detail: Detail) {
    if let Some(failure) = &row.failure {
        let failure = crate::replay::Failure { kind: failure.kind, message: failure.message.clone() };
        paper.write(BODY, &[styled(BAD, visible(&failure.to_string()))]);
    }
    calls::write(paper, row);
    for difference in &row.differences {
        let style = if difference.gated { PLAIN } else { DIM };
        paper.write(BODY, &[styled(style, words::difference(difference))]);
    }
    results(paper, row, detail);
    for violation in row.violations.iter().filter(|_| report.manifest.content == Content::Keep) {
        paper.write(BODY, &[plain(format!("broke the protocol: it {}", visible(violation)))]);
    }
    for miss in &row.ledger.misses {
        write_miss(paper, miss);
    }
    if detail == Detail::Full {
        let usage = words::usage(&row.recorded, &row.seen);
        if !usage.is_empty() {
            paper.write(BODY, &[styled(DIM, format!("spend: {usage}"))]);
        }
        for doubt in &row.doubts {
            paper.write(BODY, &[styled(OPEN, format!("doubt: {}", visible(doubt)))]);
        }
    }
    said(paper, row, detail);
}

/// The results that say more than the differences do.
fn results(paper: &mut Paper, row: &AttemptRow, detail: Detail) {
    for result in row.results.iter().filter(|result| detail == Detail::Full || adds_to_differences(result, row)) {
        let style = match result.outcome {
            EvaluationOutcome::Passed => GOOD,
            EvaluationOutcome::Failed => BAD,
            _ => OPEN,
        };
        let mut pieces =
            vec![plain(format!("{} ", visible(result.label.as_str()))), styled(style, result.outcome.as_str())];
        if let Some(score) = result.score {
            pieces.push(plain(format!(", score {score:.2}")));
        }
        if !result.detail.is_empty() {
            pieces.push(plain(format!(": {}", visible(&result.detail))));
        }
        paper.write(BODY, &pieces);
    }
}

/// Whether a result tells a reader something that the differences and the failure do not.
pub(super) fn adds_to_differences(result: &EvaluationResult, row: &AttemptRow) -> bool {
    result.outcome != EvaluationOutcome::Passed && !is_explained(result, row) && !is_consequence(result, row)
}

/// Whether the differences of the calls, or the failure, say the same and better.
fn is_explained(result: &EvaluationResult, row: &AttemptRow) -> bool {
    let about_calls = ["tools", "tool-order", "tool-arguments", "extra-tools"].contains(&result.label.as_str());
    let by_calls = about_calls && result.outcome == EvaluationOutcome::Failed && !row.differences.is_empty();
    by_calls || (result.outcome == EvaluationOutcome::NotReached && row.failure.is_some())
}

/// Whether a check had nothing to look at because another one failed, which is what a reader wants to see.
fn is_consequence(result: &EvaluationResult, row: &AttemptRow) -> bool {
    row.verdict == AttemptVerdict::Failed && result.outcome == EvaluationOutcome::Inconclusive
}

fn write_miss(paper: &mut Paper, miss: &MissRow) {
    let tool = visible(&miss.tool);
    paper.write(BODY, &[plain(format!("no recording answers a call of {tool}"))]);
    let Some(nearest) = miss.nearest.first() else { return };
    paper.write(Indent(6, 8), &[plain(format!("nearest: {}", visible(nearest)))]);
    let rules: Option<Vec<String>> = miss.paths.iter().map(|path| ignore_rule(&miss.tool, path)).collect();
    if let Some(rules) = rules.filter(|rules| !rules.is_empty()) {
        paper.write(Indent(6, 8), &[styled(DIM, "answered with: "), plain(rules.join(" "))]);
    }
}

/// What the target said.
fn said(paper: &mut Paper, row: &AttemptRow, detail: Detail) {
    let most = if detail == Detail::Full { usize::MAX } else { SHOWN };
    if let Some(reply) = &row.reply {
        paper.write(BODY, &[styled(DIM, "reply: "), plain(cut(&visible(reply), most))]);
    }
    let lines: Vec<&str> = row.stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let lines = if detail == Detail::Full { &lines[..] } else { &lines[lines.len().saturating_sub(STDERR_LINES)..] };
    if !lines.is_empty() {
        paper.write(BODY, &[styled(DIM, "the end of its standard error:")]);
    }
    for line in lines {
        paper.write(Indent(6, 8), &[styled(DIM, "| "), plain(cut(&visible(line), most))]);
    }
}
