//! Two texts, word by word: what changed with a little of what stands around it, the rest folded.

use unicode_segmentation::UnicodeSegmentation;

use super::super::set_off::{Stretch, stretches, words};
use super::side::{Side, beginning, fitting};
use super::{Line, LineMark};
use crate::report::paper::columns;
use crate::report::visible::visible;

/// How many columns of what is the same are shown on each side of a change.
const AROUND: usize = 24;
/// Less than this, in columns, is never folded.
const WORTH_FOLDING: usize = 16;

/// What differs in two texts.
pub(super) fn lines(was: &str, is: &str) -> Vec<Line> {
    let mut diff = Diff::default();
    let stretches = stretches(was, is);
    if let [] | [Stretch::Same(_)] = stretches[..] {
        return Vec::new();
    }
    for (at, stretch) in stretches.iter().enumerate() {
        match *stretch {
            Stretch::Differs { was, is } => diff.change(was, is),
            Stretch::Same(text) if at == 0 => diff.before(text),
            Stretch::Same(text) if at + 1 == stretches.len() => diff.after(text),
            Stretch::Same(text) => diff.between(text),
        }
    }
    diff.close();
    diff.lines
}

/// A diff in the making: the lines so far, and both sides of the change that is at hand.
#[derive(Default)]
struct Diff {
    lines: Vec<Line>,
    was: Side,
    is: Side,
}

impl Diff {
    fn change(&mut self, was: &str, is: &str) {
        self.was.differs(was);
        self.is.differs(is);
    }

    fn same(&mut self, text: &str) {
        self.was.same(text);
        self.is.same(text);
    }

    /// What stands before the first change.
    fn before(&mut self, text: &str) {
        let (rest, near) = text.split_at(start_of_last(text));
        self.fold(rest);
        self.same(if rest.is_empty() { near } else { near.trim_start_matches(' ') });
    }

    /// What stands after the last change.
    fn after(&mut self, text: &str) {
        let (near, rest) = text.split_at(end_of_first(text));
        self.same(near);
        self.close();
        self.fold(rest);
    }

    /// What stands between two changes. They stay together where there is little.
    fn between(&mut self, text: &str) {
        let (end, start) = (end_of_first(text), start_of_last(text));
        if end >= start {
            return self.same(text);
        }
        self.same(&text[..end]);
        self.close();
        self.fold(&text[end..start]);
        self.same(text[start..].trim_start_matches(' '));
    }

    /// Leaves out what is the same: says how much, or shows it where that is as short.
    fn fold(&mut self, text: &str) {
        let text = text.strip_prefix('\n').unwrap_or(text);
        let text = text.strip_suffix('\n').unwrap_or(text);
        if text.trim().is_empty() {
            return;
        }
        if !text.contains('\n') && columns(&visible(text)) <= WORTH_FOLDING {
            self.lines.push(Line::plain(LineMark::Same, text));
        } else {
            self.lines.push(Line::folded(text.chars().count()));
        }
    }

    /// Ends the change at hand.
    fn close(&mut self) {
        let (mut was, mut is) = (std::mem::take(&mut self.was), std::mem::take(&mut self.is));
        match (was.ends_a_line(), is.ends_a_line()) {
            (true, false) if !is.is_empty() => was.write_out_last_break(),
            (false, true) if !was.is_empty() => is.write_out_last_break(),
            _ => {}
        }
        self.lines.extend(was.lines(LineMark::Expected));
        self.lines.extend(is.lines(LineMark::Seen));
    }
}

/// Where the part of a text starts that is shown before a change.
fn start_of_last(text: &str) -> usize {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let near = fitting(words(&text[line..]).into_iter().rev(), AROUND);
    let near = if near > 0 { near } else { fitting(text[line..].graphemes(true).rev(), AROUND) };
    let start = text.len() - near;
    if columns(&visible(&text[line..start])) <= WORTH_FOLDING { line } else { start }
}

/// Where the part of a text ends that is shown after a change.
fn end_of_first(text: &str) -> usize {
    let line = text.find('\n').unwrap_or(text.len());
    let end = beginning(&text[..line], AROUND);
    if columns(&visible(&text[end..line])) <= WORTH_FOLDING { line } else { end }
}

#[cfg(test)]
mod tests {
    use super::super::{Part, PartKind};
    use super::*;

    fn shown(was: &str, is: &str) -> String {
        let part = |part: &Part| match part.kind {
            PartKind::Plain => part.text.clone(),
            PartKind::SetOff => format!("<{}>", part.text),
        };
        let line = |line: &Line| line.mark.drawn().to_owned() + &line.parts.iter().map(part).collect::<String>();
        lines(was, is).iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn each_change_stands_with_a_little_of_what_is_around_it() {
        let was = "The customer says that the parcel arrived on Tuesday with a broken lid, and that the glass inside \
            was cracked. She has sent two photographs. She would like a refund to the card that she paid with.";
        let is = was.replace("Tuesday", "Thursday").replace("two photographs", "three photographs of the box");
        insta::assert_snapshot!(shown(was, &is), @"
        … 22 characters
        - the parcel arrived on <Tuesday> with a broken lid, and
        + the parcel arrived on <Thursday> with a broken lid, and
        … 25 characters
        - cracked. She has sent <two> photographs. She would like a
        + cracked. She has sent <three> photographs< of the box>. She would like a
        … 38 characters
        ");
    }

    #[test]
    fn lines_of_a_text_stay_lines() {
        let was =
            "Dear Anna,\n\nyour refund of 82.13 EUR is on its way.\nIt takes three days.\n\nBest regards\nThe desk";
        let is = was.replace("three days.", "five\tdays.\nPlease keep the parcel.");
        insta::assert_snapshot!(shown(was, &is), @r"
        … 51 characters
        - It takes <three days.>
        + It takes <five\tdays.>
        + <Please keep the parcel.>
        … 21 characters
        ");
        insta::assert_snapshot!(shown("a line\n\nand another", "a line\nand another"), @r"
          a line
        - <\n>
        - and another
        + and another
        ");
    }

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        let texts = [
            ("two spaces  here", "two spaces here"),
            ("at the end ", "at the end"),
            ("no\u{a0}break", "no break"),
            ("a\u{200b}b c", "ab c"),
            ("line ends\r\nof two sorts", "line ends\nof two sorts"),
            ("bell", "be\u{7}ll"),
        ];
        let all: Vec<String> = texts.iter().map(|(was, is)| shown(was, is)).collect();
        insta::assert_snapshot!(all.join("\n"), @r"
        - two spaces <␣>here
        + two spaces here
        - at the end<␣>
        + at the end
        - no<\u{a0}>break
        + no<␣>break
        - <a\u{200b}b> c
        + <ab> c
        - line ends<\r>
        - of two sorts
        + line ends
        + of two sorts
        - <bell>
        + <be\u{7}ll>
        ");
    }

    #[test]
    fn of_a_rewritten_text_both_sides_are_begun() {
        let (was, is) = ("old words in a row ".repeat(30), "other things here ".repeat(30));
        insta::assert_snapshot!(shown(&was, &is), @"
        - <old words in a row old words in a row old words in a row old words in a row old words in a row old words in a row old words in a row old words in a row old words in a row old words in a row old words in a row old words >… 350 more characters
        + <other things here other things here other things here other things here other things here other things here other things here other things here other things here other things here other things here other things here >… 323 more characters
        ");
        let (was, is) = ("x".repeat(500), format!("{}y{}", "x".repeat(300), "x".repeat(200)));
        insta::assert_snapshot!(shown(&was, &is), @"
        … 276 characters
        - xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        + xxxxxxxxxxxxxxxxxxxxxxxx<y>xxxxxxxxxxxxxxxxxxxxxxxx
        … 176 characters
        ");
    }

    #[test]
    fn scripts_without_spaces_are_compared_character_by_character() {
        let was = "お客様の荷物は火曜日に届きましたが、蓋が壊れていました。返金をお願いします。写真を二枚送りました。";
        let is = was.replace("火曜日", "木曜日").replace("二枚", "三枚");
        insta::assert_snapshot!(shown(was, &is), @"
        - お客様の荷物は<火>曜日に届きましたが、蓋が
        + お客様の荷物は<木>曜日に届きましたが、蓋が
        … 9 characters
        - 金をお願いします。写真を<二>枚送りました。
        + 金をお願いします。写真を<三>枚送りました。
        ");
    }

    proptest::proptest! {
        #[test]
        fn whatever_differs_is_set_off(was in "[ab\n ]{0,60}", is in "[ab\n ]{0,60}") {
            let lines = lines(&was, &is);
            let set_off = lines.iter().flat_map(|line| &line.parts).any(|part| part.kind == PartKind::SetOff);
            proptest::prop_assert_eq!(set_off, was != is);
        }
    }
}
