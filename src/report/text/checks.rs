//! The checks, label by label.

use crate::case::RECORDED_CHECKS;
use crate::report::Report;
use crate::report::evidence::{Side, without_evidence};
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
        table(paper, &other);
    }
    if !clean.is_empty() {
        let head = if other.is_empty() { styled(STRONG, "Checks   ") } else { plain("  ") };
        let named: Vec<String> = clean
            .iter()
            .map(|(label, count)| format!("{}{NO_BREAK}{}", visible(label), grouped(count.passed)))
            .collect();
        let hang = if other.is_empty() { 9 } else { 4 };
        paper.write(Indent(0, hang), &[head, plain(format!("all passed: {}", named.join(", ")))]);
    }
    let missing = without_evidence(report, tally);
    for check in &missing {
        let said = format!("{} had no evidence: {}", visible(&check.label), check.advice);
        let style = if check.side == Side::Run { OPEN } else { DIM };
        paper.write(Indent(2, 4), &[styled(style, said)]);
    }
    examples(paper, &other, &missing.iter().map(|check| check.label.as_str()).collect::<Vec<_>>());
    if !report.manifest.skip.is_empty() {
        let said = format!("left out by --skip: {}", report.manifest.skip.join(", "));
        paper.write(Indent(2, 4), &[styled(DIM, visible(&said))]);
    }
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

fn table(paper: &mut Paper, rows: &[(&str, &LabelCount)]) {
    let used = |(at, column): &(usize, &Column)| *at < 2 || rows.iter().any(|(_, count)| column.1(count) > 0);
    let shown: Vec<&Column> = COLUMNS.iter().enumerate().filter(used).map(|(_, column)| column).collect();
    let wide = |column: &Column| columns(column.0).max(6) + 2;
    let name = rows.iter().map(|(label, _)| columns(&visible(label)) + 1).max().unwrap_or(0).clamp(18, 24);
    let figures = |text: &dyn Fn(&Column) -> String| -> String {
        shown.iter().map(|column| right(&text(column), wide(column))).collect()
    };
    let title = left("Checks", name + 2) + &figures(&|column| column.0.to_owned());
    paper.write(Indent(0, 2), &[styled(STRONG, title)]);
    for (label, count) in rows {
        let label = visible(label);
        let cells = figures(&|column| match column.1(count) {
            0 => ".".to_owned(),
            some => grouped(some),
        });
        if columns(&label) < name {
            paper.write(Indent(2, 4), &[plain(left(&label, name)), plain(cells)]);
        } else {
            paper.write(Indent(2, 4), &[plain(label)]);
            paper.write(Indent(2, 4), &[plain(" ".repeat(name)), plain(cells)]);
        }
    }
}

/// Why a check could not judge, the first time that it could not.
fn examples(paper: &mut Paper, rows: &[(&str, &LabelCount)], known: &[&str]) {
    for (label, count) in rows.iter().filter(|(label, _)| !known.contains(label)) {
        if let Some(example) = &count.example {
            let said = format!("{} could not be judged in {}", visible(label), visible(example));
            paper.write(Indent(2, 4), &[styled(DIM, said)]);
        }
    }
}
