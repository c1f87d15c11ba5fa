//! Calls that no recording answers, and what came nearest.

use std::borrow::Cow;

use super::{BODY, Detail, more};
use crate::replay::LatencySource;
use crate::report::paper::{DIM, Indent, Paper, plain, styled};
use crate::report::tally::ignore_rule;
use crate::report::visible::{cut, shell_word, visible};
use crate::report::words;
use crate::verdict::{AttemptRow, MissRow};

const NEAR: Indent = Indent(6, 8);
/// How many characters are told of a recording that is not the nearest, among other cases.
const FARTHER: usize = 120;

/// Writes them, the first so many.
pub(super) fn write(paper: &mut Paper, row: &AttemptRow, detail: Detail, most: usize) {
    let misses = misses(row);
    for (miss, count) in misses.iter().take(most) {
        one(paper, row, miss, *count, detail);
    }
    more(paper, misses.len(), most, "sorts of calls without a recording");
}

/// What an attempt's stubs could not answer, each sort once. A recording that stands in for a run asks no stub.
pub(in crate::report) fn misses(row: &AttemptRow) -> Vec<(&MissRow, u64)> {
    let mut found: Vec<(&MissRow, u64)> = Vec::new();
    if row.seen.latency_source == LatencySource::Recorded {
        return found;
    }
    for miss in &row.ledger.misses {
        match found.iter_mut().find(|(known, _)| *known == miss) {
            Some((_, count)) => *count += 1,
            None => found.push((miss, 1)),
        }
    }
    found
}

/// That no recording answers a call.
pub(in crate::report) fn unanswered(miss: &MissRow, count: u64) -> String {
    let calls = if count == 1 { "a call".to_owned() } else { words::counted(count, "call") };
    format!("no recording answers {calls} of {}", visible(&miss.tool))
}

/// The nearest recordings, best first, as `nearest: recorded call 1: ...`; numbered where there are several.
pub(in crate::report) fn ranked(miss: &MissRow) -> Vec<String> {
    let nearest = miss.nearest.iter().map(|near| visible(near));
    match (miss.nearest.len(), miss.paths.is_empty()) {
        (0, true) => Vec::new(),
        // The values were not kept.
        (0, false) => vec![format!("the nearest differs in {}", visible(&miss.paths.join(", ")))],
        (1, _) => nearest.map(|near| format!("nearest: {near}")).collect(),
        _ => nearest.zip(1..).map(|(near, rank)| format!("nearest {rank}: {near}")).collect(),
    }
}

fn one(paper: &mut Paper, row: &AttemptRow, miss: &MissRow, count: u64, detail: Detail) {
    paper.write(BODY, &[plain(unanswered(miss, count))]);
    for (rank, near) in ranked(miss).into_iter().enumerate() {
        let most = if rank == 0 || detail == Detail::Full { usize::MAX } else { FARTHER };
        let style = if rank == 0 { crate::report::paper::PLAIN } else { DIM };
        paper.write(NEAR, &[styled(style, cut(&near, most))]);
        if let Some(rules) = answering(row, miss).filter(|_| rank == 0) {
            paper.write(Indent(8, 10), &[styled(DIM, "would be answered with: "), plain(rules)]);
        }
    }
}

/// The rules with which the nearest recording would have answered, as they are written on the command line.
pub(in crate::report) fn answering(row: &AttemptRow, miss: &MissRow) -> Option<String> {
    let rules: Option<Vec<String>> = miss.rules.iter().map(|rule| rule_option(rule)).collect();
    rules.filter(|rules| !rules.is_empty()).map(|rules| rules.join(" ")).or_else(|| leaving_out(row, miss))
}

/// A rule as an option; `None` where it holds what cannot be seen, and so cannot be copied.
pub(super) fn rule_option(rule: &str) -> Option<String> {
    matches!(visible(rule), Cow::Borrowed(_)).then(|| format!("--rule {}", shell_word(rule)))
}

/// The rules that leave out what differs. Only where each value that differs looks made anew in each run: to leave
/// out any other is to look away from a change.
fn leaving_out(row: &AttemptRow, miss: &MissRow) -> Option<String> {
    let is_generated = |path: &String| {
        let mut there = row
            .differences
            .iter()
            .filter(|difference| difference.tool == miss.tool && difference.general_path.as_ref() == Some(path))
            .peekable();
        there.peek().is_some() && there.all(words::looks_generated)
    };
    if miss.paths.is_empty() || !miss.paths.iter().all(is_generated) {
        return None;
    }
    let rules: Option<Vec<String>> = miss.paths.iter().map(|path| ignore_rule(&miss.tool, path)).collect();
    Some(rules?.join(" "))
}
