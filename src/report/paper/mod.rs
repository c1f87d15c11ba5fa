//! Lines of styled text that are broken to a width.

mod cells;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use self::cells::Cell;

/// The few styles of the text report.
pub(super) const PLAIN: Style = Style::new();
pub(super) const STRONG: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const OPEN: Style = AnsiColor::Yellow.on_default();

/// A space at which no line is broken. It is written as any other.
pub(super) const NO_BREAK: &str = "\u{a0}";

/// A run of text in one style.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    text: String,
    style: Style,
}

/// Text in a style.
pub(super) fn styled(style: Style, text: impl Into<String>) -> Piece {
    Piece { text: text.into(), style }
}

/// Text as it is.
pub(super) fn plain(text: impl Into<String>) -> Piece {
    styled(PLAIN, text)
}

/// What a report is written on.
#[derive(Debug)]
pub(super) struct Paper {
    width: usize,
    sides: Sides,
    text: String,
}

/// Whether two texts may stand side by side on a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    /// They may, where it is wide enough.
    Two,
    /// They may not: who shows it may use any letters, and break its lines anew.
    One,
}

/// How far the first line of a paragraph is indented, and how far the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indent(pub(super) usize, pub(super) usize);

/// Two columns: how far the left one is indented, how wide it is, and how wide the right one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) indent: usize,
    pub(super) left: usize,
    pub(super) right: usize,
}

/// How many columns stand between the two, a mark of at most two characters in the middle.
pub(super) const GUTTER: usize = 4;

/// How far the second line of a text in a column is indented.
const HANG: usize = 2;

/// Longer lines of prose are hard to read.
const PROSE: usize = 120;

/// From how many columns on two texts stand side by side.
const WIDE: usize = 100;

impl Paper {
    /// Paper of this many columns, for a screen.
    pub(super) fn new(width: usize) -> Self {
        Self { width: width.max(40), sides: Sides::Two, text: String::new() }
    }

    /// Paper of this many columns on which no texts stand side by side.
    pub(super) fn in_one_column(width: usize) -> Self {
        Self { sides: Sides::One, ..Self::new(width) }
    }

    /// How many columns prose takes on it.
    pub(super) fn width(&self) -> usize {
        self.width.min(PROSE)
    }

    /// How many columns there are for two texts side by side, where there are enough of them.
    pub(super) fn room_for_two(&self) -> Option<usize> {
        (self.sides == Sides::Two && self.width >= WIDE).then_some(self.width)
    }

    /// How many lines were written.
    pub(super) fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// What was written.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Adds what was written on other paper.
    pub(super) fn add(&mut self, other: &str) {
        self.text.push_str(other);
    }

    /// An empty line, unless there is one or nothing above it.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A paragraph: broken at spaces and after commas where there are any near the edge, else in the middle of a word.
    pub(super) fn write(&mut self, indent: Indent, pieces: &[Piece]) {
        let cells = Cell::of(pieces);
        let room = |indent: usize| self.width().saturating_sub(indent).max(20);
        let lines = cells::lines(&cells, room(indent.0), room(indent.1));
        for (at, line) in lines.into_iter().enumerate() {
            if !line.is_empty() {
                self.spaces(if at == 0 { indent.0 } else { indent.1 });
                cells::put(&mut self.text, line);
            }
            self.text.push('\n');
        }
    }

    /// Two texts side by side, each broken within its column, and a mark between their first lines.
    pub(super) fn side_by_side(&mut self, columns: Columns, left: &[Piece], mark: &Piece, right: &[Piece]) {
        let Columns { indent, left: left_width, right: right_width } = columns;
        let (left, right) = (Cell::of(left), Cell::of(right));
        let in_column = |cells, width: usize| cells::lines(cells, width, width.saturating_sub(HANG));
        let (left, right) = (in_column(&left, left_width), in_column(&right, right_width));
        let mark = std::slice::from_ref(mark);
        let mark = Cell::of(mark);
        for at in 0..left.len().max(right.len()) {
            let hang = if at == 0 { 0 } else { HANG };
            let [left, right] = [&left, &right].map(|lines| lines.get(at).copied().unwrap_or_default());
            let mark = if at == 0 { &mark[..] } else { &[] };
            let start = self.text.len();
            self.spaces(indent + hang);
            cells::put(&mut self.text, left);
            // A mark of one character stands where the second of two would.
            self.spaces(left_width.saturating_sub(hang + cells::width(left)) + GUTTER - 1 - cells::width(mark));
            cells::put(&mut self.text, mark);
            self.spaces(1 + hang);
            cells::put(&mut self.text, right);
            // Where the right side is empty no space is left at the end.
            let end = self.text.trim_end_matches(' ').len().max(start);
            self.text.truncate(end);
            self.text.push('\n');
        }
    }

    fn spaces(&mut self, count: usize) {
        self.text.extend(std::iter::repeat_n(' ', count));
    }
}

/// How many columns a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// The text with spaces before it, up to a width.
pub(super) fn right(text: &str, width: usize) -> String {
    // One space at least, so that a long figure does not run into the one before it.
    format!("{}{text}", " ".repeat(width.saturating_sub(columns(text)).max(1)))
}

/// The text with spaces after it, up to a width.
pub(super) fn left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(width: usize, indent: Indent, text: &str) -> String {
        let mut paper = Paper::new(width);
        paper.write(indent, &[plain(text)]);
        paper.into_text()
    }

    #[test]
    fn paragraphs_break_at_spaces_and_long_words_anywhere() {
        let text = "a paragraph that does not fit on a single line of the paper";
        assert_eq!(
            written(40, Indent(2, 4), text),
            "  a paragraph that does not fit on a\n    single line of the paper\n"
        );
        let json = r#"refund {"amount":999.0,"currency":"EUR","ids":[1001,1002]}"#;
        assert_eq!(
            written(40, Indent(0, 2), json),
            "refund {\"amount\":999.0,\"currency\":\"EUR\",\n  \"ids\":[1001,1002]}\n"
        );
        let numbers = format!("[{}]", ["1000"; 12].join(","));
        assert_eq!(
            written(40, Indent(0, 2), &numbers),
            "[1000,1000,1000,1000,1000,1000,1000,\n  1000,1000,1000,1000,1000]\n"
        );
        let long = written(40, Indent(0, 2), &"x".repeat(100));
        assert_eq!(long.lines().map(str::len).collect::<Vec<_>>(), [40, 40, 24]);
    }

    #[test]
    fn no_line_is_wider_than_the_paper_whatever_the_script() {
        let text = "日本語のとても長いテキスト ".repeat(12) + "👩‍👩‍👧 and the rest of it";
        for line in written(41, Indent(3, 5), &text).lines() {
            assert!(columns(line) <= 41, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_paragraph_fits_and_is_all_there(
            width in 40_usize..130,
            text in "[a-c日é👍\u{301}\u{200d}, %1]{0,300}",
        ) {
            let written = written(width, Indent(4, 6), &text);
            for line in written.lines() {
                proptest::prop_assert!(columns(line) <= width, "{line}");
            }
            let bare = |text: &str| text.split([' ', '\n']).collect::<String>();
            proptest::prop_assert_eq!(bare(&written), bare(&text));
        }
    }

    #[test]
    fn styles_end_with_their_run() {
        let mut paper = Paper::new(40);
        paper.write(Indent(0, 0), &[styled(BAD, "no"), plain(" and "), styled(GOOD, "yes")]);
        assert_eq!(paper.into_text(), "\u{1b}[31mno\u{1b}[0m and \u{1b}[32myes\u{1b}[0m\n");
    }
}
