//! One case alone, for a comment.

use super::super::case::{self, Detail, Extent, follows_from_missing_tool, is_plain, plain_labels, told_once};
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
    let items: Vec<String> = told(report, row).iter().map(|sentence| format!("* {}\n", code(sentence))).collect();
    let shown = items.iter().take_while(|item| page.push(item)).count();
    if shown > 0 {
        page.text.push('\n');
    }
    (items.len() - shown) as u64
}

fn told(report: &Report<'_>, row: &AttemptRow) -> Vec<String> {
    let failure = row.failure.as_ref();
    let failure = failure.map(|it| Failure { kind: it.kind, message: it.message.clone() }.to_string());
    let mut told: Vec<String> = failure.into_iter().collect();
    told.extend(row.differences.iter().map(words::difference));
    let results = row.results.iter().filter(|it| !is_plain(it) && !follows_from_missing_tool(it, row));
    told.extend(told_once(results).iter().map(ToString::to_string));
    let passed = plain_labels(row);
    if !passed.is_empty() {
        told.push(format!("passed: {}", passed.join(", ")));
    }
    if report.manifest.content == Content::Keep {
        told.extend(row.violations.iter().map(|it| format!("broke the protocol: it {it}")));
    }
    for (miss, count) in case::misses(row) {
        let nearest = miss.nearest.first().map(|nearest| format!("; nearest: {nearest}")).unwrap_or_default();
        told.push(format!("{}{nearest}", case::unanswered(miss, count)));
    }
    let usage = words::usage(&row.recorded, &row.seen);
    told.extend(Some(usage).filter(|usage| !usage.is_empty()).map(|usage| format!("spend: {usage}")));
    told.extend(row.doubts.iter().map(|doubt| format!("doubt: {doubt}")));
    told.extend(row.reply.as_ref().map(|reply| format!("reply: {reply}")));
    let lines = row.stderr.lines().filter(|line| !line.trim().is_empty());
    told.extend(lines.map(|line| format!("standard error: {}", visible(line))));
    told.extend(case::is_cut(row).then(|| case::CUT.to_owned()));
    told
}
