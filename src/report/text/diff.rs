//! The difference of two recordings, for a person at a terminal: no gates, no run, only what changed.

use std::io::{self, Write};

use super::super::case::Detail;
use super::super::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, STRONG, plain, styled};
use super::super::tally::Tally;
use super::super::telling::{Styles, Telling, text_of};
use super::super::visible::visible;
use super::super::words::{counted, grouped, weighed};
use super::{OpenCases, TextOptions, checks, figures, sequences};
use crate::report::Report;
use crate::verdict::{AttemptVerdict, EvalCaseResults};

/// What changed from one recording to the other, by kind, in sum and by case.
#[must_use]
pub fn diff_text(
    report: &Report<'_>,
    cases: &mut dyn Iterator<Item = EvalCaseResults>,
    options: &TextOptions,
) -> String {
    text_of(report, cases, DiffReport::new(*options, Styles::Kept))
}

/// The difference in the making.
pub(in crate::report) struct DiffReport {
    options: TextOptions,
    styles: Styles,
    tally: Tally,
    open: OpenCases,
    only_before: Alone,
}

impl DiffReport {
    pub(in crate::report) fn new(options: TextOptions, styles: Styles) -> Self {
        let (tally, open, only_before) = (Tally::default(), OpenCases::new(options, Detail::Pair), Alone::default());
        Self { options, styles, tally, open, only_before }
    }

    fn paper(&self, report: &Report<'_>) -> Paper {
        let mut paper = Paper::new(self.options.width);
        headline(&mut paper, report, self.only_before.count);
        alone(&mut paper, report, &self.only_before);
        let more = "the same command with --all";
        let rest = self.options.rest(more);
        figures::changes(&mut paper, report, &self.tally, rest);
        sequences::table(&mut paper, &report.summary.sequences, report.summary.traffic, rest);
        figures::excused(&mut paper, report, rest);
        figures::spend(&mut paper, report, &self.tally);
        checks::write(&mut paper, report, &self.tally);
        paper.gap();
        figures::remarks(&mut paper, report, rest);
        self.open.write(&mut paper, report, more);
        paper
    }
}

impl Telling for DiffReport {
    fn take(&mut self, report: &Report<'_>, case: &EvalCaseResults, _out: &mut dyn Write) -> io::Result<()> {
        if has_no_counterpart(case) {
            self.only_before.add(case);
        } else {
            self.tally.add(case);
            self.open.add(report, case);
        }
        Ok(())
    }

    fn end(&mut self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.styles.write(&self.paper(report).into_text(), out)
    }
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

/// Interactions without a counterpart: how many, and the first of them.
#[derive(Debug, Default)]
struct Alone {
    count: u64,
    first: Vec<String>,
}

impl Alone {
    fn add(&mut self, case: &EvalCaseResults) {
        self.count += 1;
        if self.first.len() < LISTED {
            self.first.push(visible(case.id.as_str()).into_owned());
        }
    }
}

fn alone(paper: &mut Paper, report: &Report<'_>, only_before: &Alone) {
    let only_after = report.manifest.facts.without_case;
    if only_before.count == 0 && only_after == 0 {
        return;
    }
    paper.gap();
    paper.write(Indent(0, 2), &[styled(STRONG, "Without a counterpart")]);
    if only_before.count > 0 {
        let more = if only_before.count > LISTED as u64 { ", ..." } else { "" };
        let said = format!("{} only in the first: {}{more}", grouped(only_before.count), only_before.first.join(", "));
        paper.write(Indent(2, 4), &[plain(said)]);
    }
    if only_after > 0 {
        paper.write(Indent(2, 4), &[plain(format!("{} only in the second", grouped(only_after)))]);
    }
}
