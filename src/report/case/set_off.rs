//! What of two texts is the same and what is not, word by word.

use std::ops::Range;

use similar::{Algorithm, DiffOp};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A stretch of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stretch<'a> {
    /// On both sides.
    Same(&'a str),
    /// What stands on each side in the place of the other; one of them may be empty.
    Differs {
        /// On the first side.
        was: &'a str,
        /// On the second.
        is: &'a str,
    },
}

/// The stretches of two texts, from their start to their end: whole lines first, then words within the lines.
pub(super) fn stretches<'a>(was: &'a str, is: &'a str) -> Vec<Stretch<'a>> {
    let lines = |text: &'a str| text.split_inclusive('\n').collect::<Vec<_>>();
    let mut found: Vec<Span> = Vec::new();
    for span in spans(&lines(was), &lines(is)) {
        let (before, after) = (&was[span.was.clone()], &is[span.is.clone()]);
        if span.same || before.is_empty() || after.is_empty() {
            push(&mut found, span);
        } else {
            let (was_from, is_from) = (span.was.start, span.is.start);
            let within = without_crumbs(spans(&words(before), &words(after)), before);
            let within = within.into_iter().flat_map(|inner| inner.narrowed(before, after));
            within.for_each(|inner| push(&mut found, inner.moved_by(was_from, is_from)));
        }
    }
    found.into_iter().map(|span| span.told(was, is)).collect()
}

/// A stretch by its places in the two texts.
#[derive(Clone, Debug)]
struct Span {
    same: bool,
    was: Range<usize>,
    is: Range<usize>,
}

impl Span {
    fn told<'a>(&self, was: &'a str, is: &'a str) -> Stretch<'a> {
        match self.same {
            true => Stretch::Same(&was[self.was.clone()]),
            false => Stretch::Differs { was: &was[self.was.clone()], is: &is[self.is.clone()] },
        }
    }

    fn length(&self) -> usize {
        self.was.len().max(self.is.len())
    }

    /// Where one very long word stands for another, as in encoded data: what both begin and end with is the same.
    fn narrowed(self, was: &str, is: &str) -> Vec<Self> {
        let (before, after) = (&was[self.was.clone()], &is[self.is.clone()]);
        let is_long_word = |text: &str| text.len() >= LONG_WORD && !text.contains(char::is_whitespace);
        if self.same || !is_long_word(before) || !is_long_word(after) {
            return vec![self];
        }
        let alike = |pair: &(&str, &str)| pair.0 == pair.1;
        let (mut a, mut b) = (before.graphemes(true), after.graphemes(true));
        let start: usize = a.by_ref().zip(b.by_ref()).take_while(alike).map(|(part, _)| part.len()).sum();
        let (a, b) = (before[start..].graphemes(true).rev(), after[start..].graphemes(true).rev());
        let end: usize = a.zip(b).take_while(alike).map(|(part, _)| part.len()).sum();
        let Span { was, is, .. } = self;
        let (was_ends, is_ends) = (was.end - end, is.end - end);
        let parts = [
            Span { same: true, was: was.start..was.start + start, is: is.start..is.start + start },
            Span { same: false, was: was.start + start..was_ends, is: is.start + start..is_ends },
            Span { same: true, was: was_ends..was.end, is: is_ends..is.end },
        ];
        parts.into_iter().filter(|part| part.length() > 0).collect()
    }

    fn moved_by(self, was: usize, is: usize) -> Self {
        let by = |range: Range<usize>, places: usize| range.start + places..range.end + places;
        Self { same: self.same, was: by(self.was, was), is: by(self.is, is) }
    }
}

/// Adds a span; two of a kind never follow each other.
fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut().filter(|last| last.same == span.same) {
        Some(last) => (last.was.end, last.is.end) = (span.was.end, span.is.end),
        None => spans.push(span),
    }
}

/// The spans of two texts that are given in parts.
fn spans(was: &[&str], is: &[&str]) -> Vec<Span> {
    let ends = |parts: &[&str]| -> Vec<usize> {
        let mut end = 0;
        let ends = parts.iter().map(|part| {
            end += part.len();
            end
        });
        std::iter::once(0).chain(ends).collect()
    };
    let (was_ends, is_ends) = (ends(was), ends(is));
    let mut found: Vec<Span> = Vec::new();
    for op in similar::capture_diff_slices(Algorithm::Myers, was, is) {
        let (old, new) = (op.old_range(), op.new_range());
        let same = matches!(op, DiffOp::Equal { .. });
        let (was, is) = (was_ends[old.start]..was_ends[old.end], is_ends[new.start]..is_ends[new.end]);
        push(&mut found, Span { same, was, is });
    }
    found
}

/// How many bytes a word has that is no word of a language.
const LONG_WORD: usize = 40;

/// A longer stretch that is the same is never taken for chance.
const CRUMB: usize = 32;

/// Takes what is the same by mere chance for changed: a comma or a short word between two long changes only makes
/// them hard to read.
fn without_crumbs(spans: Vec<Span>, was: &str) -> Vec<Span> {
    let mut kept: Vec<Span> = Vec::new();
    for span in spans {
        kept.push(span);
        while let [.., before, between, after] = &kept[..] {
            let (text, length) = (&was[between.was.clone()], between.length());
            let by_chance = length <= CRUMB && length <= before.length() && length <= after.length();
            let bare = !text.contains('\n') && !text.chars().any(char::is_alphanumeric);
            if before.same || after.same || !(bare || by_chance) {
                break;
            }
            let (was, is) = (before.was.start..after.was.end, before.is.start..after.is.end);
            kept.truncate(kept.len() - 3);
            kept.push(Span { same: false, was, is });
        }
    }
    kept
}

/// Words, numbers and ids whole, every other character alone. Scripts without spaces between words are taken character
/// by character; a mark stays with what it is put on.
pub(super) fn words(text: &str) -> Vec<&str> {
    let characters: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
    let is_letter = |character: &str| {
        let first = character.chars().next();
        first.is_some_and(|first| first.is_alphanumeric() || first == '_') && character.width() <= 1
    };
    let at = |place: usize| characters.get(place).is_some_and(|(_, character)| is_letter(character));
    let mut words = Vec::new();
    let mut start = 0;
    for (place, (from, character)) in characters.iter().enumerate() {
        let joins = matches!(*character, "." | "-") && place > 0 && at(place - 1);
        let goes_on = (at(place) && (at(place + 1) || joins_next(&characters, place, &at))) || (joins && at(place + 1));
        if !goes_on {
            let end = from + character.len();
            words.push(&text[start..end]);
            start = end;
        }
    }
    words
}

/// Whether a dot or hyphen between two letters follows.
fn joins_next(characters: &[(usize, &str)], place: usize, is_letter_at: &impl Fn(usize) -> bool) -> bool {
    characters.get(place + 1).is_some_and(|(_, next)| matches!(*next, "." | "-")) && is_letter_at(place + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(was: &str, is: &str) -> String {
        let told = |stretch: &Stretch<'_>| match stretch {
            Stretch::Same(text) => (*text).to_owned(),
            Stretch::Differs { was, is } => format!("<{was}|{is}>"),
        };
        stretches(was, is).iter().map(told).collect()
    }

    #[test]
    fn words_numbers_and_ids_are_whole() {
        assert_eq!(words("refund 82.13, PX-249-606."), ["refund", " ", "82.13", ",", " ", "PX-249-606", "."]);
        assert_eq!(words("größe-1_a - -5"), ["größe-1_a", " ", "-", " ", "-", "5"]);
        assert_eq!(words("火曜日に"), ["火", "曜", "日", "に"]);
        assert_eq!(words("cafe\u{301} 👩‍👩‍👧!"), ["cafe\u{301}", " ", "👩‍👩‍👧", "!"]);
    }

    #[test]
    fn what_differs_stands_between_what_is_the_same() {
        assert_eq!(shown("on Tuesday with two", "on Thursday with two"), "on <Tuesday|Thursday> with two");
        assert_eq!(shown("a b", "a b c"), "a b<| c>");
        assert_eq!(shown(r#"{"a":1,"b":[2,3]}"#, r#"{"a":5,"b":[4,6]}"#), r#"{"a":<1|5>,"b":[<2,3|4,6>]}"#);
        let (id, word) = ("PX-249-606", "x".repeat(50));
        assert_eq!(shown(id, "PX-249-607"), "<PX-249-606|PX-249-607>");
        assert_eq!(shown(&format!("{word}a{word}"), &format!("{word}b{word}")), format!("{word}<a|b>{word}"));
        assert_eq!(shown("", "new"), "<|new>");
        assert_eq!(shown("", ""), "");
    }

    #[test]
    fn chance_does_not_cut_a_rewritten_text_to_pieces() {
        let (was, is) = ("every word of it, has changed to", "nothing here, stayed as others");
        assert_eq!(shown(was, is), format!("<{was}|{is}>"));
    }

    #[test]
    fn whole_lines_come_before_words() {
        let (was, is) = ("Hi\nit takes three days.\n\nBye", "Hi\nit takes five days.\nKeep it.\n\nBye");
        assert_eq!(shown(was, is), "Hi\nit takes <three|five> days.\n<|Keep it.\n>\nBye");
        assert_eq!(shown("a\nb\n", "a\nx\nb\n"), "a\n<|x\n>b\n");
    }

    proptest::proptest! {
        #[test]
        fn each_side_is_all_there(was in "[ab ,\n.é日-]{0,40}", is in "[ab ,\n.é日-]{0,40}") {
            proptest::prop_assert_eq!(words(&was).concat(), was.clone());
            let (mut left, mut right) = (String::new(), String::new());
            for stretch in stretches(&was, &is) {
                let (before, after) = match stretch {
                    Stretch::Same(text) => (text, text),
                    Stretch::Differs { was, is } => (was, is),
                };
                left.push_str(before);
                right.push_str(after);
            }
            proptest::prop_assert_eq!((left, right), (was, is));
        }
    }
}
