//! The difference of two recordings, for a person at a terminal: no gates, no run, only what changed.

use super::super::case::Detail;
use super::super::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, STRONG, plain, styled};
use super::super::tally::Tally;
use super::super::visible::visible;
use super::super::words::{counted, grouped, weighed};
use super::{OpenCases, TextOptions, checks, figures};
use crate::report::Report;
use crate::verdict::{AttemptVerdict, EvalCaseResults};

/// What changed from one recording to the other, by kind, in sum and by case.
#[must_use]
pub fn diff_text(
    report: &Report<'_>,
    cases: &mut dyn Iterator<Item = EvalCaseResults>,
    options: &TextOptions,
) -> String {
    let (mut tally, mut open, mut only_before) = (Tally::default(), OpenCases::new(*options, Detail::Pair), Vec::new());
    for case in cases {
        let case = report.admitted(case);
        if has_no_counterpart(&case) {
            only_before.push(case.id.to_string());
            continue;
        }
        tally.add(&case);
        open.add(report, &case);
    }
    let mut paper = Paper::new(options.width);
    headline(&mut paper, report, only_before.len() as u64);
    alone(&mut paper, report, &only_before);
    let more = "the same command with --all";
    let rest = options.rest(more);
    figures::changes(&mut paper, report, &tally, rest);
    figures::spend(&mut paper, report, &tally);
    checks::write(&mut paper, report, &tally);
    paper.gap();
    figures::remarks(&mut paper, report, rest);
    open.write(&mut paper, report, more);
    paper.into_text()
}

/// An interaction of the first recording that the second has not.
fn has_no_counterpart(case: &EvalCaseResults) -> bool {
    let setup = crate::replay::FailureKind::Setup;
    case.attempts.iter().all(|row| {
        row.verdict == AttemptVerdict::NotReached && row.failure.as_ref().is_some_and(|failure| failure.kind == setup)
    })
}

fn headline(paper: &mut Paper, report: &Report<'_>, only_before: u64) {
    let summary = report.summary;
    let pairs = summary.cases - only_before;
    let (differ, open) = (summary.failed + summary.varied, summary.undecided + summary.no_result - only_before);
    let (word, style) = match (differ, open + only_before + report.manifest.facts.without_case) {
        (0, 0) => ("SAME", GOOD),
        (0, _) => ("NOT PROVEN", OPEN),
        _ => ("DIFFERENT", BAD),
    };
    let said = match differ {
        0 => format!(": {} compared, none differs.", counted(pairs, "pair")),
        1 => format!(": 1 of {} differs.", counted(pairs, "pair")),
        _ => format!(": {} of {} differ.", grouped(differ), counted(pairs, "pair")),
    };
    paper.write(Indent(0, 2), &[styled(style.bold(), word), styled(STRONG, said)]);
    if open > 0 {
        let said = format!("{} could not be compared to the end.", counted(open, "pair"));
        paper.write(Indent(2, 2), &[styled(OPEN, said)]);
    }
    let after = report.manifest.target.name.trim_start_matches("recorded:");
    let names = format!("{} -> {}", report.manifest.recordings.join(", "), after);
    paper.write(Indent(2, 4), &[styled(DIM, visible(&names).into_owned())]);
    if let Some(traffic) = weighed(summary).filter(|_| summary.traffic_changed > 0.0) {
        paper.write(Indent(2, 4), &[styled(DIM, traffic)]);
    }
}

/// How many ids of interactions without a counterpart are listed.
const LISTED: usize = 5;

fn alone(paper: &mut Paper, report: &Report<'_>, only_before: &[String]) {
    let only_after = report.manifest.facts.without_case;
    if only_before.is_empty() && only_after == 0 {
        return;
    }
    paper.gap();
    paper.write(Indent(0, 2), &[styled(STRONG, "Without a counterpart")]);
    if !only_before.is_empty() {
        let shown: Vec<_> = only_before.iter().take(LISTED).map(|id| visible(id).into_owned()).collect();
        let more = if only_before.len() > LISTED { ", ..." } else { "" };
        let said = format!("{} only in the first: {}{more}", grouped(only_before.len() as u64), shown.join(", "));
        paper.write(Indent(2, 4), &[plain(said)]);
    }
    if only_after > 0 {
        paper.write(Indent(2, 4), &[plain(format!("{} only in the second", grouped(only_after)))]);
    }
}
