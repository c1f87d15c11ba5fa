//! Lines of styled text that are broken to a width.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

/// The few styles of the text report.
pub(super) const PLAIN: Style = Style::new();
pub(super) const STRONG: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const OPEN: Style = AnsiColor::Yellow.on_default();

/// A space at which no line is broken. It is written as any other.
pub(super) const NO_BREAK: char = '\u{a0}';

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
    text: String,
}

/// How far the first line of a paragraph is indented, and how far the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indent(pub(super) usize, pub(super) usize);

impl Paper {
    /// Paper of this many columns.
    pub(super) fn new(width: usize) -> Self {
        Self { width: width.max(40), text: String::new() }
    }

    /// How many columns it has.
    pub(super) fn width(&self) -> usize {
        self.width
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
        let cells: Vec<Cell> = pieces.iter().flat_map(Cell::of).collect();
        let mut rest = cells.as_slice();
        let mut left = indent.0;
        loop {
            let (line, later) = break_at(rest, self.width.saturating_sub(left).max(20));
            self.line(left, line);
            rest = later;
            left = indent.1;
            if rest.is_empty() {
                return;
            }
        }
    }

    fn line(&mut self, left: usize, cells: &[Cell]) {
        let end = cells.iter().rposition(|cell| cell.c != ' ').map_or(0, |last| last + 1);
        let cells = &cells[..end];
        if !cells.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', left));
        }
        for run in cells.chunk_by(|a, b| a.style == b.style) {
            let style = run[0].style;
            self.text.push_str(&style.render().to_string());
            self.text.extend(run.iter().map(|cell| if cell.c == NO_BREAK { ' ' } else { cell.c }));
            self.text.push_str(&style.render_reset().to_string());
        }
        self.text.push('\n');
    }
}

/// One character.
#[derive(Clone, Copy, Debug)]
struct Cell {
    c: char,
    style: Style,
}

impl Cell {
    fn of(piece: &Piece) -> impl Iterator<Item = Cell> + '_ {
        piece.text.chars().map(|c| Cell { c, style: piece.style })
    }
}

/// Splits off what goes on one line.
fn break_at(cells: &[Cell], width: usize) -> (&[Cell], &[Cell]) {
    let mut used = 0;
    let fits = cells.iter().position(|cell| {
        used += cell.c.width().unwrap_or(0);
        used > width
    });
    let Some(fits) = fits else { return (cells, &[]) };
    let breaks_after = |at: &usize| {
        let next = cells.get(at + 1).map_or(' ', |cell| cell.c);
        (cells[*at].c == ' ' && next != '%') || (cells[*at].c == ',' && *at < fits && !next.is_ascii_digit())
    };
    // A word that would leave two thirds of the line empty is broken itself.
    let last = (fits / 3..=fits).rev().find(breaks_after);
    let end = last.map_or(fits, |at| if cells[at].c == ' ' { at } else { at + 1 }).max(1);
    let next = cells[end..].iter().position(|cell| cell.c != ' ').map_or(cells.len(), |skip| end + skip);
    (&cells[..end], &cells[next..])
}

/// How many columns a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
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

    #[test]
    fn styles_end_with_their_run() {
        let mut paper = Paper::new(40);
        paper.write(Indent(0, 0), &[styled(BAD, "no"), plain(" and "), styled(GOOD, "yes")]);
        assert_eq!(paper.into_text(), "\u{1b}[31mno\u{1b}[0m and \u{1b}[32myes\u{1b}[0m\n");
    }
}
