//! The report for a pull request: `report.md`, small enough for a comment.

mod one_case;

use std::io::{self, Write};

pub use one_case::markdown_case;

use super::case::{CallMark, Extent, ShownCall, adds_to_differences, shown_calls, told_once};
use super::sequences::{mark, sequence};
use super::sorts::{Folding, Sort, Sorts};
use super::spend;
use super::tally::Tally;
use super::telling::{Telling, text_of};
use super::visible::{cut, visible};
use super::words::{self, counted, duration, grouped, percent};
use super::{Report, Verdict};
use crate::verdict::{AttemptRow, CaseVerdict, EvalCaseResults, GateState};

/// How many bytes a page takes at most, unless something else is asked for. Comments of forges end at 65,536.
pub const MARKDOWN_LIMIT: usize = 60_000;

/// The first line: a later run finds the comment by it and writes it anew.
const MARKER: &str = "<!-- taketwo -->\n";
/// How many kinds of difference are shown.
const GROUPS: usize = 10;
/// How many sequences of tools are shown.
const SEQUENCES: usize = 5;
/// How many sorts of failed cases are told.
const SORTS: usize = 100;
/// What is kept free for the last lines.
const RESERVE: usize = 700;

/// The page: verdict, tables, and the first failed cases folded up. It is never longer than `limit_bytes`, so long as
/// that leaves room for the verdict.
#[must_use]
pub fn markdown(report: &Report<'_>, cases: &mut dyn Iterator<Item = EvalCaseResults>, limit_bytes: usize) -> String {
    text_of(report, cases, MarkdownReport::new(limit_bytes))
}

/// The page in the making.
pub(super) struct MarkdownReport {
    limit_bytes: usize,
    tally: Tally,
    failed: Sorts,
}

impl MarkdownReport {
    pub(super) fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes, tally: Tally::default(), failed: Sorts::default() }
    }
}

impl Telling for MarkdownReport {
    fn take(&mut self, _report: &Report<'_>, case: &EvalCaseResults, _out: &mut dyn Write) -> io::Result<()> {
        self.tally.add(case);
        if matches!(case.verdict, CaseVerdict::Failed | CaseVerdict::Varied) {
            self.failed.add(case, Folding::Alike(SORTS), || failed_case(case));
        }
        Ok(())
    }

    fn end(&mut self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page { text: String::from(MARKER), limit: self.limit_bytes.saturating_sub(RESERVE) };
        head(&mut page, report);
        page.table(&changes(report));
        page.table(&sequences(report));
        page.table(&spent(report, &self.tally));
        page.table(&gates(report));
        let blocks: Vec<String> = self.failed.shown().iter().map(folded).collect();
        let shown = page.blocks("### Failed cases\n\n", &blocks);
        let told = self.failed.shown()[..shown].iter().map(|sort| 1 + sort.others).sum();
        out.write_all(foot(page, report, told).as_bytes())
    }
}

/// A page with an end.
struct Page {
    text: String,
    limit: usize,
}

impl Page {
    fn push(&mut self, block: &str) -> bool {
        let fits = self.text.len() + block.len() <= self.limit;
        if fits {
            self.text.push_str(block);
        }
        fits
    }

    /// A heading and what follows it, as far as it fits; how many blocks did.
    fn blocks(&mut self, heading: &str, blocks: &[String]) -> usize {
        let fits = blocks.first().is_some_and(|first| self.text.len() + heading.len() + first.len() <= self.limit);
        if !fits || !self.push(heading) {
            return 0;
        }
        blocks.iter().take_while(|block| self.push(block)).count()
    }

    fn table(&mut self, table: &Table) {
        if self.blocks(&table.head, &table.rows) > 0 {
            self.push("\n");
        }
    }
}

/// A table: its heading and title lines, then its rows.
struct Table {
    head: String,
    rows: Vec<String>,
}

fn head(page: &mut Page, report: &Report<'_>) {
    let line = report.headline();
    let (word, rest) = line.split_once(": ").unwrap_or((&line, ""));
    let rest = match report.verdict() {
        // Its words come from gates, which name cases.
        Verdict::Failed | Verdict::NotProven => code_in_words(&cut(&visible(rest), 300)),
        Verdict::Passed | Verdict::Cancelled => rest.to_owned(),
    };
    let rest = capitalised(&rest);
    page.text.push_str(&format!("## taketwo: {word}\n\n{rest}.\n\n"));
    let summary = report.summary;
    if summary.cases == 0 {
        return;
    }
    let titles = ["passed", "failed", "varied", "undecided", "no result"];
    let counts = [summary.passed, summary.failed, summary.varied, summary.undecided, summary.no_result];
    let counts = counts.map(grouped).join(" | ");
    let share = percent(summary.traffic_changed, summary.traffic);
    page.push(&format!("| {} | traffic that differs |\n", titles.join(" | ")));
    page.push(&format!("{}\n| {counts} | {share} |\n\n", "|--:".repeat(6) + "|"));
    if let Some(traffic) = words::weighed(summary) {
        page.push(&format!("{}.\n\n", capitalised(&traffic)));
    }
}

fn capitalised(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Words in which foreign text may stand: such text is set as code, words stay words.
fn code_in_words(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || " ,.:;()%/=>-".contains(c);
    if text.chars().all(is_word) { text.replace('>', "&gt;") } else { code(text) }
}

fn changes(report: &Report<'_>) -> Table {
    let summary = report.admitted_summary();
    let head =
        "### What changed\n\n| what | kind | times | cases | traffic | first case |\n|---|---|--:|--:|--:|---|\n";
    let row = |group: &crate::verdict::DifferenceGroup| {
        let path = group.path.as_deref().map(|path| format!(" {}", code(&cut(path, 120)))).unwrap_or_default();
        let gated = if group.gated { "" } else { " (not gated)" };
        let detail = group.detail.as_deref().map(|detail| format!("<br>{}", code(&cut(detail, 160))));
        format!(
            "| {}{path} | {}{gated} | {} | {} | {} | {}{} |\n",
            code(&cut(&group.subject, 80)),
            code_in_words(&cut(&visible(&group.kind), 80)),
            grouped(group.count),
            grouped(group.cases),
            percent(group.traffic, summary.traffic),
            code(&cut(&group.example, 80)),
            detail.unwrap_or_default()
        )
    };
    let mut rows: Vec<String> = summary.groups.iter().take(GROUPS).map(row).collect();
    if let Some(more) = summary.groups.len().checked_sub(GROUPS).filter(|more| *more > 0) {
        rows.push(format!("| and {} | | | | | |\n", counted(more as u64, "more kind")));
    }
    Table { head: head.to_owned(), rows }
}

/// What appeared and what vanished.
fn sequences(report: &Report<'_>) -> Table {
    let (changes, traffic) = (&report.summary.sequences.changes, report.summary.traffic);
    let head = "### Tool sequences\n\n| | calls in a row | cases | traffic | first case |\n|---|---|--:|--:|---|\n";
    let row = |change: &crate::verdict::SequenceChange| {
        format!(
            "| {} | {} | {} | {} | {} |\n",
            mark(change.change),
            code(&cut(&sequence(change), 200)),
            grouped(change.cases),
            percent(change.traffic, traffic),
            code(&cut(&change.example, 80))
        )
    };
    let mut rows: Vec<String> = changes.iter().take(SEQUENCES).map(row).collect();
    if let Some(more) = changes.len().checked_sub(SEQUENCES).filter(|more| *more > 0) {
        rows.push(format!("| | and {more} more | | | |\n"));
    }
    Table { head: head.into(), rows }
}

fn spent(report: &Report<'_>, tally: &Tally) -> Table {
    let (rows, unknown) = spend::rows(report.summary, tally);
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let name = row.name.replace("  ", "&nbsp;&nbsp;");
            format!("| {name} | {} | {} | {} | {} |\n", row.recorded, row.seen, row.factor, row.note)
        })
        .collect();
    if !unknown.is_empty() && !lines.is_empty() {
        lines.push(format!("| not known: {} | | | | |\n", unknown.join(", ")));
    }
    Table { head: "### Spend\n\n| | recorded | seen | factor | |\n|---|--:|--:|--:|---|\n".into(), rows: lines }
}

fn gates(report: &Report<'_>) -> Table {
    let row = |gate: &crate::verdict::GateResult| {
        let word = match gate.state {
            GateState::Passed => "passed",
            GateState::NotProven => "**not proven**",
            GateState::Failed => "**failed**",
        };
        let source = report.manifest.gates.iter().find(|asked| asked.gate == gate.gate);
        let source = source.map_or("always".to_owned(), |asked| asked.source.to_string());
        let detail = code_in_words(&cut(&visible(&gate.detail), 300));
        format!("| {} | {source} | {word} | {detail} |\n", code(&cut(&gate.gate, 120)))
    };
    let head = "### Gates\n\n| gate | from | result | why |\n|---|---|---|---|\n";
    Table { head: head.into(), rows: report.gates.iter().map(row).collect() }
}

/// One case, folded up.
fn failed_case(case: &EvalCaseResults) -> String {
    let Some(row) = case.telling_attempt() else { return String::new() };
    let told = told(row);
    let first = told.first().map(|first| format!(": {}", code(&cut(first, 120)))).unwrap_or_default();
    let mut text =
        format!("<summary>{} {}{first}</summary>\n\n", code(&cut(case.id.as_str(), 120)), words::case_verdict(case));
    let calls = diff(row, Extent::NearChanges).concat();
    if !calls.is_empty() {
        let fence = fence(&calls);
        text.push_str(&format!("{fence}diff\n{calls}{fence}\n\n"));
    }
    for sentence in told.iter().take(20) {
        text.push_str(&format!("* {}\n", code(&cut(sentence, 400))));
    }
    if let Some(more) = told.len().checked_sub(20).filter(|more| *more > 0) {
        text.push_str(&format!("* and {more} more\n"));
    }
    text
}

/// A case with the names of those that failed alike.
fn folded(sort: &Sort) -> String {
    let alike = sort.alike().map(|alike| format!("\nAlike: {}\n", code(&alike))).unwrap_or_default();
    format!("<details>{}{alike}\n</details>\n\n", sort.text)
}

/// What is wrong with an attempt, a sentence each.
fn told(row: &AttemptRow) -> Vec<String> {
    let mut told: Vec<String> = row.differences.iter().map(words::difference).collect();
    let results = row.results.iter().filter(|result| adds_to_differences(result, row));
    told.extend(told_once(results).iter().map(|result| result.brief().to_string()));
    told
}

/// The calls as a diff, a line each.
fn diff(row: &AttemptRow, extent: Extent) -> Vec<String> {
    let line = |call: ShownCall<'_>| {
        let shown = visible(call.text);
        match call.mark {
            CallMark::Same => format!("  {shown}\n"),
            CallMark::Moved => format!("! {shown}  (moved)\n"),
            CallMark::Removed => format!("- {shown}\n"),
            CallMark::Added => format!("+ {shown}\n"),
            CallMark::Skipped(count) => format!("  ... {count} equal\n"),
        }
    };
    shown_calls(&row.calls, extent).into_iter().map(line).collect()
}

/// A fence that nothing in the text can close.
fn fence(text: &str) -> String {
    let mut longest = 0;
    for run in text.split(|c| c != '`') {
        longest = longest.max(run.len());
    }
    "`".repeat(longest.max(2) + 1)
}

/// Foreign text as code: nothing in it is read as markup, names nobody and links to nothing.
fn code(text: &str) -> String {
    let mut shown = String::from("<code>");
    for c in visible(text).chars() {
        match c {
            c if c.is_alphanumeric() || " .,-/()%\"'=;?+^".contains(c) || !c.is_ascii() => shown.push(c),
            c => shown.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    shown.push_str("</code>");
    shown
}

fn foot(mut page: Page, report: &Report<'_>, told: u64) -> String {
    let failed = report.summary.failed + report.summary.varied;
    if told < failed {
        page.text.push_str(&format!("{} omitted.\n\n", counted(failed - told, "failed case")));
    }
    page.text + &made_with(report)
}

/// What was run, in small print.
fn made_with(report: &Report<'_>) -> String {
    let manifest = report.manifest;
    let took = report.wall_ms.map(|ms| format!(", {}", duration(ms))).unwrap_or_default();
    let target = code(&cut(&manifest.target.name, 120));
    format!(
        "<sub>run {}{took}; target {target}; recordings {}; policy {}; taketwo {}</sub>\n",
        manifest.id,
        code(&cut(&manifest.recordings_hash, 16)),
        code(&cut(&manifest.policy_hash, 16)),
        code(&cut(&manifest.taketwo, 20)),
    )
}
