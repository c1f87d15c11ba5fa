//! One side of a change in a text.

use unicode_segmentation::UnicodeSegmentation;

use super::super::set_off::words;
use super::{Line, LineMark, Part, PartKind};
use crate::report::paper::columns;
use crate::report::visible::visible;
use crate::report::words::counted;

/// How many columns and lines of one side of a change are shown, so that there is room for the other.
const MOST: usize = 220;
const MOST_LINES: usize = 4;
/// The end of a line, written out.
const BREAK: &str = "\\n";

/// One side of a change, line by line.
#[derive(Default)]
pub(super) struct Side {
    lines: Vec<Vec<Part>>,
}

impl Side {
    /// What both sides have.
    pub(super) fn same(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.lines.push(Vec::new());
            }
            self.push(visible(line).into_owned(), PartKind::Plain);
        }
    }

    /// What the other side does not have.
    pub(super) fn differs(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            self.push(written_out(line), PartKind::SetOff);
            if line.ends_with('\n') {
                if self.lines.last().is_none_or(Vec::is_empty) {
                    self.push(BREAK.to_owned(), PartKind::SetOff);
                }
                self.lines.push(Vec::new());
            }
        }
    }

    /// Whether it ends with the end of a line.
    pub(super) fn ends_a_line(&self) -> bool {
        self.lines.last().is_some_and(Vec::is_empty)
    }

    /// Whether nothing was put on it.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Shows that the last line ends, where the same line of the other side does not.
    pub(super) fn write_out_last_break(&mut self) {
        self.lines.pop();
        self.push(BREAK.to_owned(), PartKind::SetOff);
    }

    fn push(&mut self, text: String, kind: PartKind) {
        if text.is_empty() {
            return;
        }
        match self.lines.last_mut() {
            Some(line) => line.push(Part { text, kind }),
            None => self.lines.push(vec![Part { text, kind }]),
        }
    }

    /// The lines, cut where they are very long.
    pub(super) fn lines(mut self, mark: LineMark) -> Vec<Line> {
        while self.lines.last().is_some_and(Vec::is_empty) {
            self.lines.pop();
        }
        if let Some(end) = self.lines.last_mut().and_then(|line| line.last_mut()) {
            end.text = with_visible_end(&end.text, end.kind);
        }
        let mut room = MOST;
        let mut shown = Vec::new();
        let mut more = 0;
        for (at, line) in self.lines.into_iter().enumerate() {
            let mut parts = Vec::new();
            for part in line {
                let fits = if at < MOST_LINES { beginning(&part.text, room) } else { 0 };
                let (text, rest) = part.text.split_at(fits);
                room = if rest.is_empty() { room.saturating_sub(columns(text)) } else { 0 };
                more += rest.chars().count();
                if !text.is_empty() {
                    parts.push(Part { text: text.to_owned(), kind: part.kind });
                }
            }
            shown.push(Line { mark, parts });
        }
        while shown.len() > 1 && shown.last().is_some_and(|line| line.parts.is_empty()) && more > 0 {
            shown.pop();
        }
        if let (Some(last), 1..) = (shown.last_mut(), more) {
            let more = format!("… {}", counted(more as u64, "more character"));
            last.parts.push(Part { text: more, kind: PartKind::Plain });
        }
        shown
    }
}

/// A line. Of white space alone, or at the end of a line, nothing can be seen: it is written out.
fn written_out(line: &str) -> String {
    let text = line.strip_suffix('\n').unwrap_or(line);
    let solid = if text.len() < line.len() || text.trim().is_empty() { text.trim_end() } else { text };
    format!("{}{}", visible(solid), spaces(&text[solid.len()..]))
}

fn spaces(text: &str) -> String {
    let shown = |c: char| match c {
        ' ' => "␣".to_owned(),
        '\r' | '\t' => c.escape_default().to_string(),
        c => c.escape_unicode().to_string(),
    };
    text.chars().map(shown).collect()
}

/// The last part of a side: spaces at its end that the other side does not have are written out, others left out.
fn with_visible_end(text: &str, kind: PartKind) -> String {
    let solid = text.trim_end_matches(' ');
    match kind {
        PartKind::SetOff => format!("{solid}{}", spaces(&text[solid.len()..])),
        PartKind::Plain => solid.to_owned(),
    }
}

/// How many bytes at the beginning of a text fit into so many columns: whole words, or a part of a very long one.
pub(super) fn beginning(text: &str, room: usize) -> usize {
    match fitting(words(text).into_iter(), room) {
        0 => fitting(text.graphemes(true), room),
        end => end,
    }
}

/// How many bytes the first parts have that fit into so many columns.
pub(super) fn fitting<'a>(parts: impl Iterator<Item = &'a str>, room: usize) -> usize {
    let mut used = 0;
    let fits = parts.take_while(|part| {
        used += columns(&visible(part));
        used <= room
    });
    fits.map(str::len).sum()
}
