//! The checks, label by label.

use crate::case::RECORDED_CHECKS;
use crate::report::Report;
use crate::report::evidence::{Side, WithoutEvidence, remedy, without_evidence};
use crate::report::paper::{DIM, Indent, NO_BREAK, OPEN, Paper, STRONG, columns, left, plain, right, styled};
use crate::report::tally::Tally;
use crate::report::visible::visible;
use crate::report::words::grouped;
use crate::verdict::LabelCount;

/// A column of the table: its title and which count it shows.
type Column = (&'static str, fn(&LabelCount) -> u64);

const COLUMNS: [Column; 6] = [
    ("passed", |count| count.passed),
    ("failed", |count| count.failed),
    ("undecided", |count| count.undecided),
    ("no evidence", |count| count.inconclusive),
    ("broke", |count| count.broke),
    ("not reached", |count| count.not_reached),
];

/// Writes the checks: those that only passed in a line, the others in a table, then those that saw nothing.
pub(super) fn write(paper: &mut Paper, report: &Report<'_>, tally: &Tally) {
    let (clean, other): (Vec<_>, Vec<_>) = in_order(report).into_iter().partition(|(_, count)| is_clean(count));
    paper.gap();
    if !other.is_empty() {
        table(paper, tally, &other);
    }
    if !clean.is_empty() {
        let head = if other.is_empty() { styled(STRONG, "Checks   ") } else { plain("  ") };
        let named: Vec<String> = clean
            .iter()
            .map(|(label, count)| format!("{} {}", name(tally, label, count), grouped(count.passed)))
            .map(|named| named.replace(' ', NO_BREAK))
            .collect();
        let hang = if other.is_empty() { 9 } else { 4 };
        paper.write(Indent(0, hang), &[head, plain(format!("all passed: {}", named.join(", ")))]);
    }
    if tally.replied == 0 && tally.silent > 0 {
        let said = "no attempt came so far as to be held to its recording";
        paper.write(Indent(2, 4), &[styled(OPEN, said)]);
    }
    let missing = without_evidence(report, tally);
    for checks in &missing {
        blind(paper, checks);
    }
    let told: Vec<&str> = missing.iter().flat_map(|checks| &checks.labels).map(String::as_str).collect();
    let open: Vec<_> = other.into_iter().filter(|(label, _)| !told.contains(label)).collect();
    examples(paper, report, tally, &open);
    if !report.manifest.skip.is_empty() {
        let said = format!("left out by --skip: {}", report.manifest.skip.join(", "));
        paper.write(Indent(2, 4), &[styled(DIM, visible(&said))]);
    }
}

/// Checks that saw nothing in any case.
fn blind(paper: &mut Paper, checks: &WithoutEvidence) {
    let mut said = format!("{} had no evidence: {}", checks.labels.join(", "), checks.why);
    let style = if checks.side == Side::Recording { DIM } else { OPEN };
    if let Some(remedy) = &checks.remedy {
        said.push_str(&format!("; {remedy}"));
    }
    paper.write(Indent(2, 4), &[styled(style, visible(&said))]);
}

/// The name of a check. One that gives more results than attempts came to a reply says why.
fn name(tally: &Tally, label: &str, count: &LabelCount) -> String {
    let results: u64 = COLUMNS.iter().map(|(_, of)| of(count)).sum();
    let by_class = label == "token-budget" && results > tally.replied;
    format!("{}{}", visible(label), if by_class { " (by class)" } else { "" })
}

/// The checks of the recording in their order, then the others by name.
fn in_order<'a>(report: &Report<'a>) -> Vec<(&'a str, &'a LabelCount)> {
    let place = |label: &str| RECORDED_CHECKS.iter().position(|known| *known == label).unwrap_or(usize::MAX);
    let mut labels: Vec<_> = report.summary.labels.iter().map(|(label, count)| (label.as_str(), count)).collect();
    labels.sort_by_key(|(label, _)| place(label));
    labels
}

fn is_clean(count: &LabelCount) -> bool {
    count.passed > 0 && COLUMNS[1..].iter().all(|(_, of)| of(count) == 0)
}

fn table(paper: &mut Paper, tally: &Tally, rows: &[(&str, &LabelCount)]) {
    let rows: Vec<(String, &LabelCount)> =
        rows.iter().map(|(label, count)| (name(tally, label, count), *count)).collect();
    let used = |(at, column): &(usize, &Column)| *at < 2 || rows.iter().any(|(_, count)| column.1(count) > 0);
    let shown: Vec<&Column> = COLUMNS.iter().enumerate().filter(used).map(|(_, column)| column).collect();
    let wide = |column: &Column| columns(column.0).max(6) + 2;
    let width = rows.iter().map(|(label, _)| columns(label) + 1).max().unwrap_or(0).clamp(18, 24);
    let figures = |text: &dyn Fn(&Column) -> String| -> String {
        shown.iter().map(|column| right(&text(column), wide(column))).collect()
    };
    let title = left("Checks", width + 2) + &figures(&|column| column.0.to_owned());
    paper.write(Indent(0, 2), &[styled(STRONG, title)]);
    for (label, count) in &rows {
        let cells = figures(&|column| match column.1(count) {
            0 => ".".to_owned(),
            some => grouped(some),
        });
        if columns(label) < width {
            paper.write(Indent(2, 4), &[plain(left(label, width)), plain(cells)]);
        } else {
            paper.write(Indent(2, 4), &[plain(label)]);
            paper.write(Indent(2, 4), &[plain(" ".repeat(width)), plain(cells)]);
        }
    }
}

/// Why checks could not judge, the first time that each could not; those with the same reason together.
fn examples(paper: &mut Paper, report: &Report<'_>, tally: &Tally, rows: &[(&str, &LabelCount)]) {
    let mut told: Vec<(&str, bool, Vec<&str>)> = Vec::new();
    for (label, count) in rows {
        let Some(unjudged) = tally.unjudged.get(*label) else { continue };
        let Some(example) = unjudged.example.as_deref() else { continue };
        let results: u64 = COLUMNS.iter().map(|(_, of)| of(count)).sum();
        // Now and then a run is silent; what is silent often wants a remedy.
        let is_often = unjudged.by_run > 0 && unjudged.by_run * 10 >= results;
        match told.iter_mut().find(|(known, often, _)| (*known, *often) == (example, is_often)) {
            Some((_, _, labels)) => labels.push(label),
            None => told.push((example, is_often, vec![label])),
        }
    }
    for (example, is_often, labels) in told {
        let mut said = format!("{} could not be judged in {example}", labels.join(", "));
        if let Some(remedy) = remedy(report, &labels).filter(|_| is_often) {
            said.push_str(&format!("; {remedy}"));
        }
        paper.write(Indent(2, 4), &[styled(DIM, visible(&said))]);
    }
}
