//! Which sequences of tools appeared and which vanished.

use super::figures::Rest;
use crate::report::paper::{BAD, DIM, GOOD, Indent, Paper, STRONG, columns, left, plain, right, styled};
use crate::report::sequences::{mark, sequence};
use crate::report::visible::{cut, visible};
use crate::report::words::{counted, grouped, percent};
use crate::verdict::{Came, SequenceChange, Sequences};

/// How many changes are shown.
const CHANGES: usize = 6;

/// A table of what appeared and what vanished, with the first case of each.
pub(in crate::report) fn table(paper: &mut Paper, sequences: &Sequences, traffic: f64, rest: Rest<'_>) {
    if sequences.changes.is_empty() {
        return;
    }
    paper.gap();
    // On wide paper the figures stay near what they belong to.
    let name = paper.width().saturating_sub(19).min(71);
    let title = format!("{}{}{}", left("Tool sequences", name), right("cases", 8), right("traffic", 10));
    paper.write(Indent(0, 2), &[styled(STRONG, title)]);
    for change in sequences.changes.iter().take(rest.most(CHANGES)) {
        row(paper, change, traffic, name);
    }
    if let (more @ 1.., Rest::IsShownBy(command)) = (sequences.changes.len().saturating_sub(CHANGES), rest) {
        paper.write(Indent(2, 4), &[styled(DIM, format!("and {more} more: {command}"))]);
    }
    for said in bounds(sequences) {
        paper.write(Indent(2, 4), &[styled(DIM, said)]);
    }
}

fn row(paper: &mut Paper, change: &SequenceChange, traffic: f64, name: usize) {
    let what = format!("{} {}", mark(change.change), sequence(change));
    let figures = format!("{}{}", right(&grouped(change.cases), 8), right(&percent(change.traffic, traffic), 10));
    let style = match change.change {
        Came::Appeared => GOOD,
        Came::Vanished => BAD,
    };
    let example = cut(&visible(&change.example), 40).into_owned();
    let (taken, example_room) = (columns(&what), columns(&example) + 3);
    if taken + example_room + 2 < name {
        let example = left(&format!("   {example}"), name - 2 - taken);
        paper.write(Indent(2, 4), &[styled(style, what), styled(DIM, example), plain(figures)]);
    } else {
        paper.write(Indent(2, 4), &[styled(style, what)]);
        paper.write(Indent(6, 8), &[styled(DIM, left(&example, name.saturating_sub(6))), plain(figures)]);
    }
}

/// What was not looked at.
fn bounds(sequences: &Sequences) -> Vec<String> {
    let mut said = Vec::new();
    if sequences.left_out > 0 {
        let times = counted(sequences.left_out, "time");
        said.push(format!("there are too many different ones to count all; {times} one was left out"));
    }
    if sequences.cut > 0 {
        said.push(format!("of {} only the first calls are known", counted(sequences.cut, "attempt")));
    }
    said
}

/// The same in two or three lines.
pub(super) fn brief(paper: &mut Paper, sequences: &Sequences, command: &str) {
    let mut head = "Tools   ";
    let mut left_out = 0;
    for (came, word) in [(Came::Appeared, "new"), (Came::Vanished, "gone")] {
        let all: Vec<&SequenceChange> = sequences.changes.iter().filter(|change| change.change == came).collect();
        let Some((said, told)) = in_a_line(&all, paper.width().saturating_sub(9 + word.len() + 2)) else { continue };
        left_out += all.len() - told;
        if head.starts_with('T') {
            paper.gap();
        }
        paper.write(Indent(0, 11), &[styled(STRONG, head), plain(format!(" {word}: {said}"))]);
        head = "        ";
    }
    if left_out > 0 {
        paper.write(Indent(9, 11), &[styled(DIM, format!("and {left_out} more: {command}"))]);
    }
}

/// As many as fit, the first cut where it does not, and how many these are; `None` where there is none.
fn in_a_line(changes: &[&SequenceChange], room: usize) -> Option<(String, usize)> {
    let told = |change: &SequenceChange| (sequence(change), format!(" in {}", counted(change.cases, "case")));
    let (first, others) = changes.split_first()?;
    let (what, cases) = told(first);
    let mut line = cut(&what, room.saturating_sub(columns(&cases) + 1)).into_owned() + &cases;
    let mut count = 1;
    for change in others {
        let (what, cases) = told(change);
        let next = format!("{line}, {what}{cases}");
        if columns(&next) > room {
            break;
        }
        (line, count) = (next, count + 1);
    }
    Some((line, count))
}
