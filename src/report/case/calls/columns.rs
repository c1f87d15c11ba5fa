//! Both lists side by side, a mark between them.

use anstyle::Style;

use super::super::set_off::{Stretch, stretches};
use super::{Extent, Shown, shown, skipped};
use crate::report::paper::{
    BAD, Columns, DIM, GOOD, GUTTER, Indent, OPEN, PLAIN, Paper, Piece, columns, plain, styled,
};
use crate::report::visible::visible;
use crate::verdict::CallLine;

/// How far the left column is indented.
const INDENT: usize = 4;
/// A column is never narrower.
const LEAST: usize = 24;
/// What stands over the left column.
const TITLE: &str = "calls, ";

/// What a line of both lists tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Same,
    Missing,
    Extra,
    Changed,
    Renamed,
}

impl Mark {
    fn of(line: &CallLine) -> Self {
        match (&line.recorded, &line.seen) {
            (Some(_), None) => Mark::Missing,
            (None, _) => Mark::Extra,
            (Some(recorded), Some(seen)) if recorded == seen => Mark::Same,
            (Some(recorded), Some(seen)) if name(recorded) == name(seen) => Mark::Changed,
            (Some(_), Some(_)) => Mark::Renamed,
        }
    }

    /// How it is drawn; without colours it tells all.
    fn drawn(self, moved: bool) -> Piece {
        match (self, moved) {
            (Mark::Same, false) => styled(DIM, "="),
            (Mark::Same, true) => styled(OPEN, "~"),
            (Mark::Missing, _) => styled(BAD, "-"),
            (Mark::Extra, _) => styled(GOOD, "+"),
            (Mark::Changed, false) => styled(OPEN, "|"),
            (Mark::Changed, true) => styled(OPEN, "~|"),
            (Mark::Renamed, false) => styled(OPEN, ">"),
            (Mark::Renamed, true) => styled(OPEN, "~>"),
        }
    }
}

/// The tool in a line such as `get_order {"id":"1001"}`.
fn name(call: &str) -> &str {
    call.split_once(' ').map_or(call, |(name, _)| name)
}

/// Writes the columns.
pub(super) fn write(paper: &mut Paper, room: usize, calls: &[CallLine], extent: Extent, [before, after]: [&str; 2]) {
    let lines = shown(calls, extent);
    let title = format!("{TITLE}{before}");
    let layout = layout(room, &lines, columns(&title));
    let title = [styled(DIM, TITLE), styled(BAD, before)];
    paper.side_by_side(layout, &title, &plain(""), &[styled(GOOD, after)]);
    for shown in lines {
        match shown {
            Shown::Skipped(count) => paper.write(Indent(INDENT, INDENT), &[styled(DIM, skipped(count))]),
            Shown::Line(line) => {
                let (left, right) = sides(line);
                paper.side_by_side(layout, &left, &Mark::of(line).drawn(line.moved), &right);
            }
        }
    }
}

/// How wide the columns are: half of the paper each, unless one side needs less.
fn layout(room: usize, lines: &[Shown<'_>], title: usize) -> Columns {
    let room = room.saturating_sub(INDENT + GUTTER);
    let widest = |side: fn(&CallLine) -> Option<&String>| {
        let width = |shown: &Shown<'_>| match shown {
            Shown::Line(line) => side(line).map_or(0, |text| columns(&visible(text))),
            Shown::Skipped(_) => 0,
        };
        lines.iter().map(width).max().unwrap_or(0).max(LEAST)
    };
    let (left, right) = (widest(|line| line.recorded.as_ref()).max(title), widest(|line| line.seen.as_ref()));
    let left = left.min((room / 2).max(room.saturating_sub(right)));
    Columns { indent: INDENT, left, right: room - left }
}

/// Both halves of a line. What differs is set off where the two have something in common.
fn sides(line: &CallLine) -> (Vec<Piece>, Vec<Piece>) {
    let whole = |style: Style, text: Option<&String>| {
        text.map(|text| styled(style, visible(text))).into_iter().collect::<Vec<_>>()
    };
    let (Some(recorded), Some(seen)) = (&line.recorded, &line.seen) else {
        return (whole(BAD, line.recorded.as_ref()), whole(GOOD, line.seen.as_ref()));
    };
    if recorded == seen {
        let style = if line.moved { PLAIN } else { DIM };
        return (whole(style, Some(recorded)), whole(style, Some(seen)));
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for stretch in stretches(recorded, seen) {
        match stretch {
            Stretch::Same(part) => {
                left.push(plain(visible(part)));
                right.push(plain(visible(part)));
            }
            Stretch::Differs { was, is } => {
                left.push(styled(BAD.bold().underline(), visible(was)));
                right.push(styled(GOOD.bold().underline(), visible(is)));
            }
        }
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(recorded: &str, seen: &str) -> CallLine {
        let side = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        CallLine { recorded: side(recorded), seen: side(seen), moved: false }
    }

    fn moved(recorded: &str, seen: &str) -> CallLine {
        CallLine { moved: true, ..line(recorded, seen) }
    }

    fn written(width: usize, calls: &[CallLine]) -> String {
        let mut paper = Paper::new(width);
        write(&mut paper, width, calls, Extent::Whole, ["recorded", "seen"]);
        anstream::adapter::strip_str(&paper.into_text()).to_string()
    }

    #[test]
    fn the_marks_alone_tell_what_happened() {
        let calls = [
            line("login {}", "login {}"),
            line(r#"search {"limit":10,"q":"shoes"}"#, r#"search {"limit":10,"q":"shoe"}"#),
            line("get_order {}", ""),
            line("", "look_up {}"),
            line(r#"refund {"amount":5}"#, r#"pay_back {"amount":5}"#),
            moved("note {}", "note {}"),
            moved(r#"note {"a":1}"#, r#"note {"a":2}"#),
            moved("note {}", "write {}"),
        ];
        insta::assert_snapshot!(written(100, &calls), @r#"
        calls, recorded                    seen
        login {}                         = login {}
        search {"limit":10,"q":"shoes"}  | search {"limit":10,"q":"shoe"}
        get_order {}                     -
                                         + look_up {}
        refund {"amount":5}              > pay_back {"amount":5}
        note {}                          ~ note {}
        note {"a":1}                    ~| note {"a":2}
        note {}                         ~> write {}
        "#);
    }

    #[test]
    fn long_calls_are_broken_within_their_column_whatever_the_script() {
        let text = |word: &str, count: usize| format!(r#"note {{"text":"{}"}}"#, [word; 30][..count].join(" "));
        let calls = [
            line(&text("parcel", 16), &text("letter", 12)),
            line(&text("荷物が届きました", 6), &text("荷物", 3)),
            line(&text("👩‍👩‍👧 e\u{301}", 12), ""),
            line("", &text("a\tb\u{202e}", 8)),
        ];
        insta::assert_snapshot!(written(100, &calls));
    }

    /// What calls look like, in letters of every width.
    const CALL: &str = "[a-c日é👍\u{301}, {}\"]{0,200}";

    proptest::proptest! {
        #[test]
        fn no_line_is_too_wide_and_nothing_is_lost(
            width in 100_usize..160,
            sides in proptest::collection::vec((CALL, CALL), 1..5),
        ) {
            let calls: Vec<CallLine> = sides.iter().map(|(recorded, seen)| line(recorded, seen)).collect();
            let text = written(width, &calls);
            let (mut left, mut right) = (String::new(), String::new());
            let lines: Vec<Shown<'_>> = calls.iter().map(Shown::Line).collect();
            let layout = layout(width, &lines, columns("calls, recorded"));
            for line in text.lines().skip(1) {
                proptest::prop_assert!(columns(line) <= width, "{line}");
                let (mut used, mut split) = (0, line.len());
                for (at, cluster) in unicode_segmentation::UnicodeSegmentation::grapheme_indices(line, true) {
                    if used >= INDENT + layout.left {
                        split = at;
                        break;
                    }
                    used += columns(cluster);
                }
                left.push_str(&line[..split]);
                right.extend(line[split..].chars().skip(GUTTER));
            }
            let bare = |text: &str| text.split(' ').collect::<String>();
            let recorded: String = calls.iter().flat_map(|line| &line.recorded).map(|text| bare(text)).collect();
            let seen: String = calls.iter().flat_map(|line| &line.seen).map(|text| bare(text)).collect();
            proptest::prop_assert_eq!((bare(&left), bare(&right)), (recorded, seen));
        }
    }
}
