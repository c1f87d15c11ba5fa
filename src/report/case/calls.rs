//! The calls of a recording and of a run as a diff.

use similar::{Algorithm, ChangeTag};

use super::Detail;
use crate::report::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, Piece, styled};
use crate::report::visible::visible;
use crate::verdict::{AttemptRow, CallLine};

/// How a line of the diff came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum CallMark {
    /// On both sides.
    Same,
    /// On both sides, in another place.
    Moved,
    /// Recorded alone.
    Removed,
    /// Seen alone.
    Added,
    /// So many equal calls that are not shown.
    Skipped(usize),
}

/// A line of the diff, and the text on the other side where it is the other half of a change.
#[derive(Debug)]
pub(in crate::report) struct ShownCall<'a> {
    pub(in crate::report) mark: CallMark,
    pub(in crate::report) text: &'a str,
    pub(in crate::report) other: Option<&'a str>,
}

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

/// The lines of the diff.
pub(in crate::report) fn shown_calls(calls: &[CallLine], extent: Extent) -> Vec<ShownCall<'_>> {
    let is_same = |line: &CallLine| line.recorded == line.seen && !line.moved;
    let changes: Vec<usize> = (0..calls.len()).filter(|at| !is_same(&calls[*at])).collect();
    let is_near = |at: usize| extent == Extent::Whole || changes.iter().any(|change| change.abs_diff(at) <= CONTEXT);
    let mut shown = Vec::new();
    let mut skipped = 0;
    for (at, line) in calls.iter().enumerate() {
        if is_same(line) && !is_near(at) {
            skipped += 1;
            continue;
        }
        push_skipped(&mut shown, &mut skipped);
        push(&mut shown, line);
    }
    push_skipped(&mut shown, &mut skipped);
    shown
}

fn push_skipped(shown: &mut Vec<ShownCall<'_>>, skipped: &mut usize) {
    if *skipped > 0 {
        shown.push(ShownCall { mark: CallMark::Skipped(*skipped), text: "", other: None });
        *skipped = 0;
    }
}

fn push<'a>(shown: &mut Vec<ShownCall<'a>>, line: &'a CallLine) {
    let mut one = |mark, text, other| shown.push(ShownCall { mark, text, other });
    match (line.recorded.as_deref(), line.seen.as_deref()) {
        (Some(recorded), Some(seen)) if recorded == seen => {
            one(if line.moved { CallMark::Moved } else { CallMark::Same }, seen, None);
        }
        (recorded, seen) => {
            if let Some(text) = recorded {
                one(CallMark::Removed, text, seen);
            }
            if let Some(text) = seen {
                one(CallMark::Added, text, recorded);
            }
        }
    }
}

/// Writes the diff.
pub(super) fn write(paper: &mut Paper, row: &AttemptRow, detail: Detail) {
    if row.calls.is_empty() {
        return;
    }
    let (before, after) = match detail {
        Detail::Pair => ("- first", "+ second"),
        Detail::Finding | Detail::Full => ("- recorded", "+ seen"),
    };
    paper.write(Indent(4, 6), &[styled(DIM, "calls, "), styled(BAD, before), styled(DIM, ", "), styled(GOOD, after)]);
    let extent = if detail == Detail::Full { Extent::Whole } else { Extent::NearChanges };
    for call in shown_calls(&row.calls, extent) {
        let pieces = match call.mark {
            CallMark::Same => vec![styled(DIM, format!("  {}", visible(call.text)))],
            CallMark::Moved => vec![styled(OPEN, format!("~ {}", visible(call.text))), styled(DIM, " (moved)")],
            CallMark::Skipped(count) => vec![styled(DIM, format!("  ... {count} equal"))],
            CallMark::Removed => changed("- ", BAD, call.text, call.other),
            CallMark::Added => changed("+ ", GOOD, call.text, call.other),
        };
        paper.write(Indent(4, 8), &pieces);
    }
}

/// A line of one side. What differs from the other half of a change is set off.
fn changed(mark: &str, style: anstyle::Style, text: &str, other: Option<&str>) -> Vec<Piece> {
    let mut pieces = vec![styled(style, mark)];
    let Some(other) = other else {
        pieces.push(styled(style, visible(text)));
        return pieces;
    };
    let (here, there) = (tokens(text), tokens(other));
    let set_off = style.bold().underline();
    for (tag, part) in similar::utils::diff_slices(Algorithm::Myers, &there, &here) {
        let part = part.concat();
        match tag {
            ChangeTag::Equal => pieces.push(styled(style, visible(&part))),
            ChangeTag::Insert => pieces.push(styled(set_off, visible(&part))),
            ChangeTag::Delete => {}
        }
    }
    pieces
}

/// Words and numbers whole, every other character alone.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let goes_on = is_word(c) && chars.peek().is_some_and(|(_, next)| is_word(*next));
        if !goes_on {
            tokens.push(&text[start..end]);
            start = end;
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_put_together_are_the_text() {
        let text = r#"refund {"amount":82.13,"id":"größe-1"}"#;
        assert_eq!(tokens(text).concat(), text);
        assert!(tokens(text).contains(&"82.13"));
        assert!(tokens(text).contains(&"größe-1"));
    }

    #[test]
    fn equal_calls_far_from_a_change_are_counted_unless_all_are_wanted() {
        let same = |name: &str| CallLine { recorded: Some(name.into()), seen: Some(name.into()), moved: false };
        let mut calls: Vec<CallLine> = (0..10).map(|at| same(&format!("c{at}"))).collect();
        calls[5].seen = None;
        let marks = |extent| -> Vec<CallMark> { shown_calls(&calls, extent).iter().map(|call| call.mark).collect() };
        use CallMark::{Removed, Same, Skipped};
        assert_eq!(marks(Extent::NearChanges), [Skipped(3), Same, Same, Removed, Same, Same, Skipped(2)]);
        assert_eq!(marks(Extent::Whole), [Same, Same, Same, Same, Same, Removed, Same, Same, Same, Same]);
    }
}
