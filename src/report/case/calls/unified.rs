//! Both lists in one, as a diff.

use anstyle::Style;

use super::super::set_off::{Stretch, stretches};
use super::{Extent, Shown, shown, skipped};
use crate::report::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, Piece, styled};
use crate::report::visible::visible;
use crate::verdict::CallLine;

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

/// The lines of the diff.
pub(in crate::report) fn shown_calls(calls: &[CallLine], extent: Extent) -> Vec<ShownCall<'_>> {
    let mut lines = Vec::new();
    for shown in shown(calls, extent) {
        match shown {
            Shown::Skipped(count) => lines.push(ShownCall { mark: CallMark::Skipped(count), text: "", other: None }),
            Shown::Line(line) => push(&mut lines, line),
        }
    }
    lines
}

fn push<'a>(lines: &mut Vec<ShownCall<'a>>, line: &'a CallLine) {
    let mut one = |mark, text, other| lines.push(ShownCall { mark, text, other });
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
pub(super) fn write(paper: &mut Paper, calls: &[CallLine], extent: Extent, [before, after]: [&str; 2]) {
    let (before, after) = (format!("- {before}"), format!("+ {after}"));
    paper.write(Indent(4, 6), &[styled(DIM, "calls, "), styled(BAD, before), styled(DIM, ", "), styled(GOOD, after)]);
    for call in shown_calls(calls, extent) {
        let pieces = match call.mark {
            CallMark::Same => vec![styled(DIM, format!("  {}", visible(call.text)))],
            CallMark::Moved => vec![styled(OPEN, format!("~ {}", visible(call.text))), styled(DIM, " (moved)")],
            CallMark::Skipped(count) => vec![styled(DIM, format!("  {}", skipped(count)))],
            CallMark::Removed => changed("- ", BAD, call.text, call.other),
            CallMark::Added => changed("+ ", GOOD, call.text, call.other),
        };
        paper.write(Indent(4, 8), &pieces);
    }
}

/// A line of one side. What differs from the other half of a change is set off.
fn changed(mark: &str, style: Style, text: &str, other: Option<&str>) -> Vec<Piece> {
    let mut pieces = vec![styled(style, mark)];
    let Some(other) = other else {
        pieces.push(styled(style, visible(text)));
        return pieces;
    };
    let set_off = style.bold().underline();
    pieces.extend(stretches(other, text).into_iter().map(|stretch| match stretch {
        Stretch::Same(part) => styled(style, visible(part)),
        Stretch::Differs { is, .. } => styled(set_off, visible(is)),
    }));
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::tests::same;
    use super::*;

    #[test]
    fn each_line_says_on_which_side_it_stands() {
        let mut calls: Vec<CallLine> = ["a", "b", "c", "d"].map(same).into();
        calls[1].moved = true;
        calls[2].seen = Some("x".into());
        calls[3].recorded = None;
        let marks: Vec<CallMark> = shown_calls(&calls, Extent::Whole).iter().map(|call| call.mark).collect();
        use CallMark::{Added, Moved, Removed, Same};
        assert_eq!(marks, [Same, Moved, Removed, Added, Added]);
    }
}
