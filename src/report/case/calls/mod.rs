//! The calls of a recording and of a run: in two columns where there is room, else in one list.

mod columns;
mod unified;

pub(in crate::report) use unified::{CallMark, ShownCall, shown_calls};

use super::Detail;
use crate::report::paper::Paper;
use crate::verdict::{AttemptRow, CallLine};

/// Which calls are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Extent {
    /// What changed and what is near it; equal calls far from any change are counted.
    NearChanges,
    /// Every call.
    Whole,
}

/// How many equal calls are shown around a change.
const CONTEXT: usize = 2;

/// A line of both lists, or how many equal ones are not shown.
#[derive(Clone, Copy, Debug)]
enum Shown<'a> {
    Line(&'a CallLine),
    Skipped(usize),
}

/// What is shown of the lists.
fn shown(calls: &[CallLine], extent: Extent) -> Vec<Shown<'_>> {
    let is_same = |line: &CallLine| line.recorded == line.seen && !line.moved;
    let changes: Vec<usize> = (0..calls.len()).filter(|at| !is_same(&calls[*at])).collect();
    let is_near = |at: usize| extent == Extent::Whole || changes.iter().any(|change| change.abs_diff(at) <= CONTEXT);
    let mut shown = Vec::new();
    for (at, line) in calls.iter().enumerate() {
        match shown.last_mut() {
            _ if !is_same(line) || is_near(at) => shown.push(Shown::Line(line)),
            Some(Shown::Skipped(count)) => *count += 1,
            _ => shown.push(Shown::Skipped(1)),
        }
    }
    shown
}

/// What is said of equal calls that are not shown.
fn skipped(count: usize) -> String {
    format!("... {count} equal")
}

/// Writes the lists.
pub(super) fn write(paper: &mut Paper, row: &AttemptRow, detail: Detail) {
    if row.calls.is_empty() {
        return;
    }
    let extent = if detail == Detail::Full { Extent::Whole } else { Extent::NearChanges };
    let sides = match detail {
        Detail::Pair => ["first", "second"],
        Detail::Finding | Detail::Full => ["recorded", "seen"],
    };
    match paper.room_for_two() {
        Some(room) => columns::write(paper, room, &row.calls, extent, sides),
        None => unified::write(paper, &row.calls, extent, sides),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call on both sides.
    pub(super) fn same(name: &str) -> CallLine {
        CallLine { recorded: Some(name.into()), seen: Some(name.into()), moved: false }
    }

    #[test]
    fn equal_calls_far_from_a_change_are_counted_unless_all_are_wanted() {
        let mut calls: Vec<CallLine> = (0..10).map(|at| same(&format!("c{at}"))).collect();
        calls[5].seen = None;
        let counted = |extent| -> Vec<usize> {
            let count = |shown: &Shown<'_>| if let Shown::Skipped(count) = shown { *count } else { 0 };
            shown(&calls, extent).iter().map(count).collect()
        };
        assert_eq!(counted(Extent::NearChanges), [3, 0, 0, 0, 0, 0, 2]);
        assert_eq!(counted(Extent::Whole), [0; 10]);
    }
}
