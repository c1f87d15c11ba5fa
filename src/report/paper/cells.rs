//! Text as a terminal sees it: character by character, each in its style and so many columns wide.

use anstyle::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::{NO_BREAK, Piece};

/// What a reader takes for one character: a letter with its marks, an emoji with all that it is put together from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<'a> {
    text: &'a str,
    style: Style,
    columns: usize,
}

impl<'a> Cell<'a> {
    fn is(&self, text: &str) -> bool {
        self.text == text
    }

    fn is_digit(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The characters of some pieces.
    pub(super) fn of(pieces: &'a [Piece]) -> Vec<Self> {
        let of_one = |piece: &'a Piece| {
            let characters = piece.text.graphemes(true);
            characters.map(|text| Cell { text, style: piece.style, columns: text.width() })
        };
        pieces.iter().flat_map(of_one).collect()
    }
}

/// How wide a line is.
pub(super) fn width(cells: &[Cell<'_>]) -> usize {
    cells.iter().map(|cell| cell.columns).sum()
}

/// The characters without the spaces at their end.
fn trimmed<'c, 'a>(cells: &'c [Cell<'a>]) -> &'c [Cell<'a>] {
    let end = cells.iter().rposition(|cell| !cell.is(" ")).map_or(0, |last| last + 1);
    &cells[..end]
}

/// Puts characters down with their styles.
pub(super) fn put(text: &mut String, cells: &[Cell<'_>]) {
    for run in cells.chunk_by(|a, b| a.style == b.style) {
        let style = run[0].style;
        text.push_str(&style.render().to_string());
        text.extend(run.iter().map(|cell| if cell.is(NO_BREAK) { " " } else { cell.text }));
        text.push_str(&style.render_reset().to_string());
    }
}

/// The lines of a paragraph: broken at spaces and after commas where there are any near the edge, else in the middle of
/// a word. There is always one.
pub(super) fn lines<'c, 'a>(cells: &'c [Cell<'a>], first: usize, others: usize) -> Vec<&'c [Cell<'a>]> {
    let (line, mut rest) = break_at(cells, first);
    let mut lines = vec![trimmed(line)];
    while !rest.is_empty() {
        let (line, later) = break_at(rest, others);
        lines.push(trimmed(line));
        rest = later;
    }
    lines
}

/// Splits off what goes on one line.
fn break_at<'c, 'a>(cells: &'c [Cell<'a>], width: usize) -> (&'c [Cell<'a>], &'c [Cell<'a>]) {
    let mut used = 0;
    let fits = cells.iter().position(|cell| {
        used += cell.columns;
        used > width
    });
    let Some(fits) = fits else { return (cells, &[]) };
    let breaks_after = |at: &usize| {
        let next = cells.get(at + 1);
        let before_percent = next.is_some_and(|cell| cell.is("%"));
        let before_digit = next.is_some_and(Cell::is_digit);
        (cells[*at].is(" ") && !before_percent) || (cells[*at].is(",") && *at < fits && !before_digit)
    };
    let is_comma = |at: &usize| cells[*at].is(",") && *at < fits;
    // A word that would leave two thirds of the line empty is broken itself, a list of numbers at least between them.
    let last = (fits / 3..=fits).rev().find(breaks_after).or_else(|| (fits / 3..=fits).rev().find(is_comma));
    let end = last.map_or(fits, |at| if cells[at].is(" ") { at } else { at + 1 }).max(1);
    let next = cells[end..].iter().position(|cell| !cell.is(" ")).map_or(cells.len(), |skip| end + skip);
    (&cells[..end], &cells[next..])
}
