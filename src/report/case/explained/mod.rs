//! A difference of two long values, so that a reader sees what of them differs.

mod inside;
mod prose;
mod side;

use std::borrow::Cow;

use crate::recording::Json;
use crate::report::paper::columns;
use crate::report::visible::visible;
use crate::report::words;
use crate::verdict::{CallDifference, DifferenceKind};

/// A difference that takes more than a sentence.
#[derive(Debug)]
pub(in crate::report) struct Explained {
    /// Where, and what kind of difference.
    pub(in crate::report) head: String,
    /// What was expected and what was seen, as a diff.
    pub(in crate::report) lines: Vec<Line>,
}

/// A line of a diff.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::report) struct Line {
    pub(in crate::report) mark: LineMark,
    pub(in crate::report) parts: Vec<Part>,
}

/// Where a line of a diff stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum LineMark {
    /// What was recorded.
    Expected,
    /// What was seen.
    Seen,
    /// Both.
    Changed,
    /// What both have in common.
    Same,
    /// How much of what both have in common is not shown.
    Folded,
}

impl LineMark {
    /// How it is drawn before the line.
    pub(in crate::report) fn drawn(self) -> &'static str {
        match self {
            LineMark::Expected => "- ",
            LineMark::Seen => "+ ",
            LineMark::Changed => "| ",
            LineMark::Same => "  ",
            LineMark::Folded => "… ",
        }
    }
}

/// A part of a line, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::report) struct Part {
    pub(in crate::report) text: String,
    pub(in crate::report) kind: PartKind,
}

/// What a part of a line is to the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum PartKind {
    /// The other side has it, or there is none to compare it with.
    Plain,
    /// The other side does not have it.
    SetOff,
}

impl Line {
    fn plain(mark: LineMark, text: &str) -> Self {
        Self { mark, parts: vec![Part { text: visible(text).into_owned(), kind: PartKind::Plain }] }
    }

    fn folded(count: usize) -> Self {
        Self::plain(LineMark::Folded, &words::counted(count as u64, "character"))
    }

    /// The line without its mark.
    pub(in crate::report) fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }
}

/// Values that are longer, in columns, do not stand in a sentence.
const LONG: usize = 60;
/// The same for a value that stands alone.
const LONG_ALONE: usize = 120;

/// A difference that is better shown than told; `None` where a sentence does.
pub(in crate::report) fn explained(difference: &CallDifference) -> Option<Explained> {
    if !is_of_values(difference.kind) {
        return None;
    }
    let (expected, seen) = (difference.expected.as_deref(), difference.seen.as_deref());
    let (what, lines) = match (expected, seen) {
        (Some(expected), Some(seen)) if columns(expected).max(columns(seen)) > LONG => {
            both(difference, expected, seen)?
        }
        (Some(value), None) if columns(value) > LONG_ALONE => {
            ("expected, not there".into(), inside::alone(value, LineMark::Expected)?)
        }
        (None, Some(value)) if columns(value) > LONG_ALONE => {
            ("was added".into(), inside::alone(value, LineMark::Seen)?)
        }
        _ => return None,
    };
    let head = format!("{}: {what}{}", words::place(difference), words::asides(difference));
    Some(Explained { head, lines })
}

fn is_of_values(kind: DifferenceKind) -> bool {
    use DifferenceKind::{
        ArgumentAdded, ArgumentMissing, BrokenArguments, Changed, CutOffArguments, DoubleEncodedArguments, TypeChanged,
    };
    [Changed, TypeChanged, ArgumentMissing, ArgumentAdded].contains(&kind)
        || [BrokenArguments, CutOffArguments, DoubleEncodedArguments].contains(&kind)
}

/// Two values, of which one at least is long.
fn both(difference: &CallDifference, expected: &str, seen: &str) -> Option<(Cow<'static, str>, Vec<Line>)> {
    let what = match difference.kind {
        DifferenceKind::BrokenArguments => "broken JSON",
        DifferenceKind::CutOffArguments => "cut off",
        DifferenceKind::DoubleEncodedArguments => "encoded twice",
        _ => "",
    };
    if !what.is_empty() {
        return Some((what.into(), prose::lines(expected, seen)));
    }
    if let (Some(expected), Some(seen)) = (content(expected), content(seen)) {
        return Some(("changed".into(), prose::lines(&expected, &seen)));
    }
    inside::both(expected, seen)
}

/// What is in a text. One whose unseen characters were written as escapes is no JSON any more and is shown as it is.
fn content(value: &str) -> Option<Cow<'_, str>> {
    match Json::parse(value) {
        Ok(json) => json.as_str().map(|text| text.into_owned().into()),
        Err(_) => value.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed),
    }
}
