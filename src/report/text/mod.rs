//! The report for a person at a terminal: the verdict first, then figures, then the cases that failed.

mod checks;
mod diff;
mod figures;

pub use diff::diff_text;

use super::case::{self, Detail};
use super::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, STRONG, plain, styled};
use super::tally::Tally;
use super::visible::visible;
use super::words::{counted, duration, grouped, percent};
use super::{Report, Verdict};
use crate::store::Content;
use crate::verdict::{CaseVerdict, EvalCaseResults, GateState, RunState};

/// How the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// How many columns there are.
    pub width: usize,
    /// How many of the cases that did not pass are shown. All figures count all of them.
    pub limit: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { width: 80, limit: 10 }
    }
}

impl TextOptions {
    /// As wide as the terminal at standard output, from 60 to 120 columns; 80 where there is none.
    #[must_use]
    pub fn for_terminal() -> Self {
        let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0).clamp(60, 120));
        Self { width, ..Self::default() }
    }
}

/// The text report, with ANSI styles. `anstream` takes them out where nobody sees them.
#[must_use]
pub fn text(report: &Report<'_>, cases: &mut dyn Iterator<Item = EvalCaseResults>, options: &TextOptions) -> String {
    let (mut tally, mut open) = (Tally::default(), OpenCases::new(options));
    for case in cases {
        let case = report.admitted(case);
        tally.add(&case);
        open.add(report, &case);
    }
    let mut paper = Paper::new(options.width);
    headline(&mut paper, report);
    counts(&mut paper, report);
    figures::changes(&mut paper, report, &tally);
    figures::spend(&mut paper, report, &tally);
    checks::write(&mut paper, report, &tally);
    figures::stubs(&mut paper, &tally);
    figures::gates(&mut paper, report);
    figures::trust(&mut paper, report);
    figures::remarks(&mut paper, report);
    open.write(&mut paper, report, &format!("taketwo report {} --all", report.manifest.id));
    run(&mut paper, report);
    paper.into_text()
}

/// One case in full, whatever its verdict.
#[must_use]
pub fn case_text(report: &Report<'_>, case: EvalCaseResults, options: &TextOptions) -> String {
    let mut paper = Paper::new(options.width);
    case::write(&mut paper, report, &report.admitted(case), Detail::Full);
    if report.manifest.content == Content::Omit {
        omitted(&mut paper);
    }
    paper.into_text()
}

fn headline(paper: &mut Paper, report: &Report<'_>) {
    let style = match report.verdict() {
        Verdict::Passed => GOOD,
        Verdict::Failed => BAD,
        Verdict::NotProven | Verdict::Cancelled => OPEN,
    };
    let line = report.headline();
    let (word, rest) = line.split_once(": ").unwrap_or((&line, ""));
    paper.write(Indent(0, 2), &[styled(style.bold(), word), styled(STRONG, format!(": {}.", visible(rest)))]);
}

/// How many cases came to what. Where all passed the first line has said it.
fn counts(paper: &mut Paper, report: &Report<'_>) {
    let summary = report.summary;
    let parts = [
        (summary.passed, "passed", GOOD),
        (summary.failed, "failed", BAD),
        (summary.varied, "varied (passed and failed)", BAD),
        (summary.undecided, "undecided", OPEN),
        (summary.no_result, "without result", OPEN),
    ];
    if summary.cases == 0 || (summary.passed == summary.cases && summary.attempts == summary.cases) {
        return;
    }
    paper.gap();
    let mut pieces = vec![styled(STRONG, "Cases   "), plain(format!(" {}: ", counted(summary.cases, "case")))];
    for (at, (count, word, style)) in parts.into_iter().filter(|part| part.0 > 0).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        pieces.extend([plain(comma), styled(style, format!("{} {word}", grouped(count)))]);
    }
    if summary.attempts != summary.cases {
        let failed = grouped(summary.attempts_failed);
        pieces.push(styled(DIM, format!("; {}, {failed} failed", counted(summary.attempts, "attempt"))));
    }
    if summary.traffic_changed > 0.0 {
        let share = percent(summary.traffic_changed, summary.traffic);
        pieces.push(styled(DIM, format!("; {share} of the traffic differs")));
    }
    paper.write(Indent(0, 9), &pieces);
    if summary.target_failures > 0 {
        let failures = counted(summary.target_failures, "attempt");
        paper.write(Indent(9, 9), &[styled(OPEN, format!("the target or its setup failed in {failures}"))]);
    }
    if summary.evaluator_failures > 0 {
        let failures = counted(summary.evaluator_failures, "time");
        paper.write(Indent(9, 9), &[styled(OPEN, format!("an evaluator itself failed {failures}"))]);
    }
}

/// The cases that did not pass: the first of them as text, the rest as a number.
struct OpenCases {
    limit: usize,
    failed: Paper,
    open: Paper,
    failed_shown: u64,
    open_shown: u64,
    failed_all: u64,
    open_all: u64,
}

impl OpenCases {
    fn new(options: &TextOptions) -> Self {
        let (failed, open) = (Paper::new(options.width), Paper::new(options.width));
        Self { limit: options.limit, failed, open, failed_shown: 0, open_shown: 0, failed_all: 0, open_all: 0 }
    }

    fn add(&mut self, report: &Report<'_>, case: &EvalCaseResults) {
        let (paper, shown, all) = match case.verdict {
            CaseVerdict::Passed => return,
            CaseVerdict::Failed | CaseVerdict::Varied => {
                (&mut self.failed, &mut self.failed_shown, &mut self.failed_all)
            }
            CaseVerdict::Undecided | CaseVerdict::NoResult => {
                (&mut self.open, &mut self.open_shown, &mut self.open_all)
            }
        };
        *all += 1;
        if *shown < self.limit as u64 {
            *shown += 1;
            paper.gap();
            case::write(paper, report, case, Detail::Finding);
        }
    }

    /// `more` is the command that shows the rest.
    fn write(self, paper: &mut Paper, report: &Report<'_>, more: &str) {
        for (title, part, shown, all) in [
            ("Failed cases", self.failed, self.failed_shown, self.failed_all),
            ("Cases without a verdict", self.open, self.open_shown, self.open_all),
        ] {
            if all == 0 {
                continue;
            }
            paper.gap();
            let which = if shown < all { format!(" (the first {shown} of {})", grouped(all)) } else { String::new() };
            paper.write(Indent(0, 2), &[styled(STRONG, title), styled(DIM, which)]);
            paper.add(&part.into_text());
            if shown < all {
                paper.gap();
                let more = format!("{} more: {more}", grouped(all - shown));
                paper.write(Indent(2, 4), &[styled(DIM, more)]);
            }
        }
        if report.manifest.content == Content::Omit && self.failed_all + self.open_all > 0 {
            paper.gap();
            omitted(paper);
        }
    }
}

fn omitted(paper: &mut Paper) {
    let said = "Calls, values, replies and reasons are left out: the run was made with --content omit.";
    paper.write(Indent(2, 2), &[styled(DIM, said)]);
}

/// What was run: the last lines.
fn run(paper: &mut Paper, report: &Report<'_>) {
    let manifest = report.manifest;
    let version = manifest.target.version.as_deref().map(|version| format!(" {}", visible(version)));
    let from = manifest.recordings.iter().map(|path| visible(path).into_owned()).collect::<Vec<_>>().join(", ");
    paper.gap();
    let took = report.wall_ms.map(|ms| format!(", {}", duration(ms))).unwrap_or_default();
    let times = if manifest.repeats > 1 { format!(", {} attempts each", manifest.repeats) } else { String::new() };
    let said = format!(
        " {}  {from} ({}) -> {}{}{times}{took}",
        manifest.id,
        short(&manifest.recordings_hash),
        visible(&manifest.target.name),
        version.unwrap_or_default()
    );
    paper.write(Indent(0, 9), &[styled(STRONG, "Run     "), styled(DIM, said)]);
    let rules = match manifest.rules.len() {
        0 => "no rules".to_owned(),
        _ => manifest.rules.iter().map(|rule| visible(rule).into_owned()).collect::<Vec<_>>().join(", "),
    };
    let said = format!("{} matching, policy {} ({rules})", manifest.matching, short(&manifest.policy_hash));
    paper.write(Indent(9, 9), &[styled(DIM, said)]);
    if manifest.facts.state == RunState::Unfinished && report.state != GateState::Passed {
        let said = "not finished: it was stopped in the middle, or is still going on";
        paper.write(Indent(9, 9), &[styled(OPEN, said)]);
    }
}

/// The first digits of a hash.
fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}
