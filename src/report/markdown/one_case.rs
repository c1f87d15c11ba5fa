//! One case alone, for a comment.

use super::super::case::{
    self, Detail, Explained, Extent, Finding, Line, LineMark, SHOWN_LINES, Told, explained, follows_from_missing_tool,
    is_plain, plain_labels, told_once,
};
use super::super::words::{self, counted};
use super::{Page, RESERVE, code, cut, diff, fence, made_with, visible};
use crate::replay::Failure;
use crate::report::Report;
use crate::store::Content;
use crate::verdict::{AttemptRow, EvalCaseResults};

/// One case in full, whatever its verdict, in at most `limit_bytes`; what does not fit is counted. It has no line by
/// which a job would take it for the comment of the whole run.
#[must_use]
pub fn markdown_case(report: &Report<'_>, case: EvalCaseResults, limit_bytes: usize) -> String {
    let case = report.admitted(case);
    let mut page = Page { text: String::new(), limit: limit_bytes.saturating_sub(RESERVE) };
    let id = code(&cut(case.id.as_str(), 120));
    page.text.push_str(&format!("## taketwo: {id} {}\n\n", words::case_verdict(&case)));
    let about = case::about(report, &case, Detail::Full).join(", ");
    if !about.is_empty() {
        page.push(&format!("{}\n\n", code(&cut(&about, 200))));
    }
    let mut left_out = 0;
    for row in &case.attempts {
        if case.attempts.len() > 1 {
            page.push(&format!("### Attempt {}: {}\n\n", row.attempt, case::verdict_word(row.verdict)));
        }
        left_out += calls(&mut page, row) + sentences(&mut page, report, row);
    }
    if left_out > 0 {
        page.text.push_str(&format!("{} omitted.\n\n", counted(left_out, "line")));
    }
    page.text + &made_with(report)
}

/// The calls side by side; how many lines did not fit.
fn calls(page: &mut Page, row: &AttemptRow) -> u64 {
    let lines = diff(row, Extent::Whole);
    if lines.is_empty() {
        return 0;
    }
    let fence = fence(&lines.concat());
    if !page.push(&format!("{fence}diff\n")) {
        return lines.len() as u64;
    }
    let shown = lines.iter().take_while(|line| page.push(line)).count();
    // A fence that was opened is closed: the reserve has room for it.
    page.text.push_str(&format!("{fence}\n\n"));
    (lines.len() - shown) as u64
}

/// What is to say of an attempt, an item each; how many did not fit.
fn sentences(page: &mut Page, report: &Report<'_>, row: &AttemptRow) -> u64 {
    let items = told(report, row);
    let shown = items.iter().take_while(|item| page.push(item)).count();
    if shown > 0 {
        page.text.push('\n');
    }
    (items.len() - shown) as u64
}

fn item(sentence: &str) -> String {
    format!("* {}\n", code(sentence))
}

fn told(report: &Report<'_>, row: &AttemptRow) -> Vec<String> {
    let failure = row.failure.as_ref();
    let failure = failure.map(|it| Failure { kind: it.kind, message: it.message.clone() }.to_string());
    let mut told: Vec<String> = failure.iter().map(|failure| item(failure)).collect();
    differences(&mut told, row);
    let results = row.results.iter().filter(|it| !is_plain(it) && !follows_from_missing_tool(it, row));
    told.extend(told_once(results).iter().map(|result| item(&result.to_string())));
    let passed = plain_labels(row);
    if !passed.is_empty() {
        told.push(item(&format!("passed: {}", passed.join(", "))));
    }
    if report.manifest.content == Content::Keep {
        told.extend(row.violations.iter().map(|it| item(&format!("broke the protocol: it {it}"))));
    }
    for (miss, count) in case::misses(row) {
        let near = case::ranked(miss).into_iter().map(|near| format!("  {}", item(&near)));
        let rules =
            case::answering(row, miss).map(|rules| format!("  {}", item(&format!("would be answered with: {rules}"))));
        told.push(item(&case::unanswered(miss, count)) + &near.chain(rules).collect::<String>());
    }
    let usage = words::usage(&row.recorded, &row.seen);
    told.extend(Some(usage).filter(|usage| !usage.is_empty()).map(|usage| item(&format!("spend: {usage}"))));
    told.extend(row.doubts.iter().map(|doubt| item(&format!("doubt: {doubt}"))));
    told.extend(row.reply.as_ref().map(|reply| item(&format!("reply: {reply}"))));
    let lines = row.stderr.lines().filter(|line| !line.trim().is_empty());
    told.extend(lines.map(|line| item(&format!("standard error: {}", visible(line)))));
    told.extend(case::is_cut(row).then(|| item(case::CUT)));
    told
}

/// The differences: the first, then what came after it.
fn differences(told: &mut Vec<String>, row: &AttemptRow) {
    let differences = Told::of(row);
    told.extend(differences.first.iter().map(|first| item(first)));
    told.extend(differences.own.iter().map(|finding| difference(finding)));
    if !differences.after.is_empty() {
        told.push(item(case::AFTER));
    }
    told.extend(differences.after.iter().map(|finding| format!("  {}", item(&finding.sentence()))));
}

/// A difference that stands for itself, with a diff of what it is about where a sentence does not do, and the rule
/// with which it would pass.
fn difference(finding: &Finding<'_>) -> String {
    let mut text = match explained(finding.difference) {
        None => item(&finding.sentence()),
        Some(explained) => item(&explained.head) + &block(&explained),
    };
    if let Some(rule) = &finding.rule {
        text.push_str(&format!("  {}", item(&format!("would pass with: {rule}"))));
    }
    text
}

/// A diff that belongs to an item.
fn block(explained: &Explained) -> String {
    let line = |line: &Line| {
        let mark = match line.mark {
            // Of what changed in its place a forge makes a line of its own colour by this mark.
            LineMark::Changed => "! ",
            mark => mark.drawn(),
        };
        format!("  {mark}{}\n", line.text())
    };
    let mut lines: Vec<String> = explained.lines.iter().map(line).collect();
    if lines.len() > SHOWN_LINES + 1 {
        let more = lines.len() - SHOWN_LINES;
        lines.truncate(SHOWN_LINES);
        lines.push(format!("  {}\n", case::left_out(more)));
    }
    let lines = lines.concat();
    let fence = fence(&lines);
    format!("\n  {fence}diff\n{lines}  {fence}\n\n")
}
