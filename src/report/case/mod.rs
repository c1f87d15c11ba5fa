//! One case, shown so that a reader sees what is wrong with it.

mod calls;
mod differences;
mod explained;
mod misses;
mod results;
mod set_off;
mod told;

pub(super) use calls::{CallMark, Extent, ShownCall, shown_calls};
pub(super) use differences::{SHOWN_LINES, left_out};
pub(super) use explained::{Explained, Line, LineMark, explained};
pub(super) use misses::{answering, misses, ranked, unanswered};
pub(super) use results::{adds_to_differences, follows_from_missing_tool, is_plain, plain_labels, told_once};
pub(super) use told::{AFTER, Finding, Told};

use super::Report;
use super::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, STRONG, plain, styled};
use super::visible::{cut, visible};
use super::words;
use crate::evaluate::{EvaluationOutcome, EvaluationResult};
use crate::store::Content;
use crate::verdict::{AttemptRow, AttemptVerdict, CaseVerdict, EvalCaseResults};

/// How much of a case is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// What is wrong, by the attempt that shows it best.
    Finding,
    /// The same, where no run is told but the difference of two recordings.
    Pair,
    /// Everything, attempt by attempt.
    Full,
}

const BODY: Indent = Indent(4, 6);
/// How many characters of a reply or a line of standard error are shown among other cases.
const SHOWN: usize = 300;
/// How many differences, or calls without a recording, of a case are shown among other cases.
const LISTED: usize = 50;
/// How many lines of standard error.
const STDERR_LINES: usize = 8;

/// Writes a case down.
pub(super) fn write(paper: &mut Paper, report: &Report<'_>, case: &EvalCaseResults, detail: Detail) {
    head(paper, report, case, detail);
    match detail {
        Detail::Finding | Detail::Pair => {
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
                if case.attempts.len() > 1 {
                    let said = format!("attempt {}: {}", row.attempt, verdict_word(row.verdict));
                    paper.write(Indent(2, 4), &[styled(STRONG, said)]);
                }
                attempt(paper, report, row, detail);
            }
        }
    }
}

/// Where a case belongs and how much traffic it stands for.
pub(super) fn about(report: &Report<'_>, case: &EvalCaseResults, detail: Detail) -> Vec<String> {
    let mut about = Vec::new();
    let first = case.attempts.first();
    if let Some(scenario) = first.and_then(|row| row.scenario.as_deref()) {
        about.push(format!("scenario {}", visible(scenario)));
    }
    let telling = case.telling_attempt().or(first);
    about.extend(telling.and_then(|row| way(case, row)));
    if let Some(weight) = first.map(|row| row.weight).filter(|weight| *weight != 1.0) {
        let all = words::traffic(report.summary.traffic);
        // Among other cases the figures have told what the traffic is counted in.
        let unit = if detail == Detail::Full { " interactions" } else { "" };
        about.push(format!("stands for {} of {all}{unit}", words::traffic(weight)));
    }
    about
}

/// Which of several ways a case was held to.
fn way(case: &EvalCaseResults, row: &AttemptRow) -> Option<String> {
    let ways = row.ways?;
    if case.verdict == CaseVerdict::Passed {
        return case.passed_by().map(|variant| format!("kept to the variant {}", visible(variant)));
    }
    let named = row.variant.as_ref().map(|variant| format!("the variant {}", visible(variant)));
    if row.differences.is_empty() {
        return named.map(|variant| format!("held to {variant}"));
    }
    Some(format!("compared with {}, the nearest of {ways}", named.unwrap_or_else(|| "the recorded way".into())))
}

fn head(paper: &mut Paper, report: &Report<'_>, case: &EvalCaseResults, detail: Detail) {
    let about = about(report, case, detail);
    let style = match case.verdict {
        CaseVerdict::Passed => GOOD,
        CaseVerdict::Failed | CaseVerdict::Varied => BAD,
        CaseVerdict::Undecided | CaseVerdict::NoResult => OPEN,
    };
    let came_to = match (detail, case.verdict) {
        (Detail::Finding | Detail::Full, _) => words::case_verdict(case),
        (Detail::Pair, CaseVerdict::Passed) => "is the same".to_owned(),
        (Detail::Pair, CaseVerdict::Failed | CaseVerdict::Varied) => "differs".to_owned(),
        (Detail::Pair, CaseVerdict::Undecided | CaseVerdict::NoResult) => "could not be compared".to_owned(),
    };
    let mut pieces = vec![styled(STRONG, visible(case.id.as_str())), plain("  "), styled(style, came_to)];
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
    calls::write(paper, row, detail);
    let most = if detail == Detail::Full { usize::MAX } else { LISTED };
    differences::write(paper, row, detail, most);
    write_results(paper, row, detail);
    for violation in row.violations.iter().filter(|_| report.manifest.content == Content::Keep) {
        paper.write(BODY, &[plain(format!("broke the protocol: it {}", visible(violation)))]);
    }
    misses::write(paper, row, detail, most);
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

/// Says how many were left out, and how to see them.
fn more(paper: &mut Paper, all: usize, shown: usize, what: &str) {
    if let Some(more) = all.checked_sub(shown).filter(|more| *more > 0) {
        let more = words::grouped(more as u64);
        paper.write(BODY, &[styled(DIM, format!("and {more} more {what}: --json shows all"))]);
    }
}

/// The results that say more than the differences do.
fn write_results(paper: &mut Paper, row: &AttemptRow, detail: Detail) {
    let is_shown = |result: &&EvaluationResult| match detail {
        Detail::Full => !is_plain(result) && !follows_from_missing_tool(result, row),
        Detail::Finding | Detail::Pair => adds_to_differences(result, row),
    };
    for told in told_once(row.results.iter().filter(is_shown)) {
        let style = match told.outcome {
            EvaluationOutcome::Passed => GOOD,
            EvaluationOutcome::Failed => BAD,
            _ => OPEN,
        };
        let outcome = styled(style, told.outcome.as_str());
        let rest = if detail == Detail::Full { told.rest() } else { told.brief().rest() };
        paper.write(BODY, &[plain(format!("{} ", told.label)), outcome, plain(rest)]);
    }
    let passed = plain_labels(row);
    if detail == Detail::Full && !passed.is_empty() {
        paper.write(BODY, &[styled(GOOD, "passed"), plain(format!(": {}", passed.join(", ")))]);
    }
}

/// What the target said.
fn said(paper: &mut Paper, row: &AttemptRow, detail: Detail) {
    let most = if detail == Detail::Full { usize::MAX } else { SHOWN };
    if let Some(reply) = &row.reply {
        // A reply is prose: how it was broken into lines tells little.
        let prose = reply.split_whitespace().collect::<Vec<_>>().join(" ");
        paper.write(BODY, &[styled(DIM, "reply: "), plain(cut(&visible(&prose), most))]);
    }
    let lines: Vec<&str> = row.stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let lines = if detail == Detail::Full { &lines[..] } else { &lines[lines.len().saturating_sub(STDERR_LINES)..] };
    if !lines.is_empty() {
        paper.write(BODY, &[styled(DIM, "the end of its standard error:")]);
    }
    for line in lines {
        paper.write(Indent(6, 8), &[styled(DIM, "| "), plain(cut(&visible(line), most))]);
    }
    if detail == Detail::Full && is_cut(row) {
        paper.write(BODY, &[styled(DIM, CUT)]);
    }
}

/// What is said where the run itself has cut a text off.
pub(super) const CUT: &str = "what ends with … was longer; the run kept no more of it";

/// Whether the run kept only the beginning of a call or the reply.
pub(super) fn is_cut(row: &AttemptRow) -> bool {
    let calls = row.calls.iter().flat_map(|line| [&line.recorded, &line.seen]);
    calls.chain([&row.reply]).flatten().any(|text| text.ends_with('…'))
}
