//! The report for a person at a terminal: the verdict first, then figures, then the cases that failed.

mod checks;
mod diff;
mod figures;
mod open_cases;
mod run_diff;
mod sequences;

pub(super) use diff::DiffReport;
pub use diff::diff_text;
pub(super) use run_diff::RunDiffText;

use std::io::{self, Write};

use self::figures::Rest;
use self::open_cases::OpenCases;
use super::case::{self, Detail};
use super::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, STRONG, plain, styled};
use super::tally::Tally;
use super::telling::{Styles, Telling, text_of};
use super::visible::visible;
use super::words::{counted, duration, grouped, percent, weighed};
use super::{Report, Verdict};
use crate::store::Content;
use crate::verdict::{EvalCaseResults, RunState};

/// How the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// How many columns there are.
    pub width: usize,
    /// How many of the cases that did not pass are shown; cases that failed alike count once. All figures count all
    /// of them. `usize::MAX` shows each case.
    pub limit: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { width: 80, limit: 10 }
    }
}

impl TextOptions {
    /// As wide as the terminal at standard output, from 60 to 160 columns; 80 where there is none.
    #[must_use]
    pub fn for_terminal() -> Self {
        let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0).clamp(60, 160));
        Self { width, ..Self::default() }
    }

    /// How much of long lists is shown; `command` shows all.
    fn rest(self, command: &str) -> Rest<'_> {
        if self.limit == usize::MAX { Rest::IsShown } else { Rest::IsShownBy(command) }
    }
}

/// How many lines a screen has: a longer report says its verdict at the end again.
const SCREEN: usize = 24;

/// The text report, with ANSI styles. `anstream` takes them out where nobody sees them.
#[must_use]
pub fn text(report: &Report<'_>, cases: &mut dyn Iterator<Item = EvalCaseResults>, options: &TextOptions) -> String {
    text_of(report, cases, TextReport::new(*options, Styles::Kept))
}

/// The text report in the making.
pub(super) struct TextReport {
    options: TextOptions,
    styles: Styles,
    tally: Tally,
    open: OpenCases,
}

impl TextReport {
    pub(super) fn new(options: TextOptions, styles: Styles) -> Self {
        Self { options, styles, tally: Tally::default(), open: OpenCases::new(options, Detail::Finding) }
    }

    fn paper(&self, report: &Report<'_>) -> Paper {
        let mut paper = Paper::new(self.options.width);
        headline(&mut paper, report);
        counts(&mut paper, report);
        let more = format!("taketwo report {} --all", report.manifest.id);
        let rest = self.options.rest(&more);
        figures::changes(&mut paper, report, &self.tally, rest);
        match rest {
            Rest::IsShown => sequences::table(&mut paper, &report.summary.sequences, report.summary.traffic, rest),
            Rest::IsShownBy(command) => sequences::brief(&mut paper, &report.summary.sequences, command),
        }
        figures::excused(&mut paper, report, rest);
        figures::spend(&mut paper, report, &self.tally);
        checks::write(&mut paper, report, &self.tally);
        figures::stubs(&mut paper, &self.tally);
        figures::gates(&mut paper, report);
        figures::trust(&mut paper, report);
        figures::remarks(&mut paper, report, rest);
        self.open.write(&mut paper, report, &more);
        if !self.open.is_empty() {
            paper.gap();
        }
        run(&mut paper, report);
        if paper.lines() > SCREEN {
            paper.gap();
            headline(&mut paper, report);
        }
        paper
    }
}

impl Telling for TextReport {
    fn take(&mut self, report: &Report<'_>, case: &EvalCaseResults, _out: &mut dyn Write) -> io::Result<()> {
        self.tally.add(case);
        self.open.add(report, case);
        Ok(())
    }

    fn end(&mut self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.styles.write(&self.paper(report).into_text(), out)
    }
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
    let is_plain = summary.passed == summary.cases && summary.attempts == summary.cases;
    if summary.cases == 0 || (is_plain && summary.passed_by_variant == 0) {
        return;
    }
    paper.gap();
    let mut pieces = vec![styled(STRONG, "Cases    ")];
    for (at, (count, word, style)) in parts.into_iter().filter(|part| part.0 > 0).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        pieces.extend([plain(comma), styled(style, format!("{} {word}", grouped(count)))]);
    }
    if summary.passed_by_variant > 0 {
        pieces.push(styled(DIM, format!("; {} by a variant", grouped(summary.passed_by_variant))));
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
    if let Some(traffic) = weighed(summary).filter(|_| summary.traffic_changed > 0.0) {
        paper.write(Indent(9, 11), &[styled(DIM, traffic)]);
    }
    if summary.target_failures > 0 {
        let failures = counted(summary.target_failures, "attempt");
        paper.write(Indent(9, 9), &[styled(OPEN, format!("the target or its setup failed in {failures}"))]);
    }
    if summary.evaluator_failures > 0 {
        let failures = counted(summary.evaluator_failures, "time");
        paper.write(Indent(9, 9), &[styled(OPEN, format!("an evaluator itself failed {failures}"))]);
    }
}

pub(super) fn omitted(paper: &mut Paper) {
    let said = "Calls, values, replies and reasons are left out: the run was made with --content omit.";
    paper.write(Indent(2, 2), &[styled(DIM, said)]);
}

/// How many recordings are named.
const RECORDINGS: usize = 3;

/// What was run: the last lines.
fn run(paper: &mut Paper, report: &Report<'_>) {
    let manifest = report.manifest;
    let seed = manifest.seed;
    let mut lines = Vec::new();
    let times = if manifest.repeats > 1 { format!(", {} attempts each", manifest.repeats) } else { String::new() };
    let took = report.wall_ms.map(|ms| format!(", {}", duration(ms))).unwrap_or_default();
    lines.push(format!("{}{took}{times}, seed {seed}, taketwo {}", manifest.id, manifest.taketwo));
    let version = manifest.target.version.as_deref().map(|version| format!(" {}", visible(version)));
    let second = manifest.target_hash.as_deref().map(|hash| format!(" ({})", short(hash)));
    lines.push(format!(
        "{} ({}) -> {}{}{}",
        recordings(report),
        short(&manifest.recordings_hash),
        visible(&manifest.target.name),
        version.unwrap_or_default(),
        second.unwrap_or_default()
    ));
    if let Some(hash) = &manifest.variants_hash {
        let named: Vec<_> = manifest.variants.iter().map(|path| visible(path)).collect();
        lines.push(format!("variants {} ({})", named.join(", "), short(hash)));
    }
    let tolerances: Vec<String> = manifest.tolerances.iter().map(|(name, factor)| format!("{name} {factor}")).collect();
    let tolerances = if tolerances.is_empty() { "none".to_owned() } else { tolerances.join(", ") };
    lines.push(format!("tolerances: {tolerances}"));
    let rules = match manifest.rules.len() {
        0 => "no rules".to_owned(),
        _ => manifest.rules.iter().map(|rule| visible(rule).into_owned()).collect::<Vec<_>>().join(", "),
    };
    lines.push(format!("matching {}, policy {}: {rules}", manifest.matching, short(&manifest.policy_hash)));
    lines.extend(manifest.tools_hash.iter().map(|hash| format!("tool definitions {}", short(hash))));
    let mut head = "Run     ";
    for line in lines {
        paper.write(Indent(0, 11), &[styled(STRONG, head), styled(DIM, format!(" {line}"))]);
        head = "        ";
    }
    if manifest.facts.state == RunState::Unfinished {
        let said = "not finished: it was stopped in the middle, or is still going on";
        paper.write(Indent(9, 11), &[styled(OPEN, said)]);
    }
}

/// The recordings by name, the first of them where there are many.
fn recordings(report: &Report<'_>) -> String {
    let all = &report.manifest.recordings;
    let named: Vec<_> = all.iter().take(RECORDINGS).map(|path| visible(path).into_owned()).collect();
    let more = all.len().saturating_sub(RECORDINGS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// The first digits of a hash.
pub(super) fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}
