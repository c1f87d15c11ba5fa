//! Changes to a text, and where they fall in the text that it was decoded from.

use std::borrow::Cow;
use std::ops::Range;

use crate::recording::decode_string;

/// Another text in the place of a part. What comes in needs no escape in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// The edits that make `new` of what stands at `range`. Where only letters and digits differ, the rest is not touched,
/// as it may be escaped where the text is written.
pub(super) fn edits(range: Range<usize>, old: &str, new: String, out: &mut Vec<Edit>) {
    let alike = |old: char, new: char| old == new || (old.is_ascii_alphanumeric() && new.is_ascii_alphanumeric());
    let same_shape =
        old.chars().count() == new.chars().count() && old.chars().zip(new.chars()).all(|(a, b)| alike(a, b));
    if !same_shape {
        out.push(Edit { range, text: new });
        return;
    }
    let mut run: Option<Edit> = None;
    for ((at, old), new) in old.char_indices().zip(new.chars()) {
        let at = range.start + at;
        if old.is_ascii_alphanumeric() {
            let run = run.get_or_insert_with(|| Edit { range: at..at, text: String::new() });
            run.range.end = at + 1;
            run.text.push(new);
        } else {
            out.extend(run.take());
        }
    }
    out.extend(run);
}

/// The text with all edits made. They are in order and do not overlap.
pub(super) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len() + 16 * edits.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.range.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// The content of a JSON string, and where its characters are written.
pub(super) struct Content<'a> {
    pub(super) text: Cow<'a, str>,
    /// Where the written and the decoded places part: (decoded, written), in order.
    turns: Vec<(usize, usize)>,
}

impl<'a> Content<'a> {
    /// Decodes a JSON string that starts at `at`, quotes included.
    pub(super) fn of(quoted: &'a str, at: usize) -> Self {
        let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        if !inner.contains('\\') {
            return Self { text: Cow::Borrowed(inner), turns: vec![(0, at + 1)] };
        }
        let (mut text, mut turns, mut from) = (String::with_capacity(inner.len()), Vec::new(), 0);
        while let Some(plain) = inner[from..].find('\\') {
            turns.push((text.len(), at + 1 + from));
            text.push_str(&inner[from..from + plain]);
            let escape = from + plain;
            let length = escape_length(&inner[escape..]);
            turns.push((text.len(), at + 1 + escape));
            match simple_escape(&inner[escape..]) {
                Some(character) => text.push(character),
                None => text.push_str(&decode_string(&format!("\"{}\"", &inner[escape..escape + length])).into_lossy()),
            }
            from = escape + length;
        }
        turns.push((text.len(), at + 1 + from));
        text.push_str(&inner[from..]);
        Self { text: Cow::Owned(text), turns }
    }

    /// Where a place of the text is written.
    fn written(&self, at: usize) -> usize {
        let turn = self.turns.partition_point(|(decoded, _)| *decoded <= at).saturating_sub(1);
        self.turns.get(turn).map_or(at, |(decoded, written)| written + (at - decoded))
    }

    /// The same edits in the text that this was decoded from.
    pub(super) fn outwards(&self, edits: Vec<Edit>) -> impl Iterator<Item = Edit> {
        edits
            .into_iter()
            .map(|Edit { range, text }| Edit { range: self.written(range.start)..self.written(range.end), text })
    }
}

/// What an escape of two characters stands for.
fn simple_escape(text: &str) -> Option<char> {
    Some(match text.as_bytes().get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        _ => return None,
    })
}

/// How long the escape is that a text begins with; a surrogate pair counts as one.
fn escape_length(text: &str) -> usize {
    let is_unicode = |text: &str| text.starts_with("\\u");
    let unit = |text: &str| text.get(2..6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    if !is_unicode(text) {
        return 2.min(text.len());
    }
    let rest = text.get(6..).unwrap_or_default();
    let high = unit(text).is_some_and(|unit| (0xD800..0xDC00).contains(&unit));
    let low = is_unicode(rest) && unit(rest).is_some_and(|unit| (0xDC00..0xE000).contains(&unit));
    if high && low { 12 } else { 6.min(text.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_fall_where_the_text_is_written() {
        let quoted = r#""caf\u00e9 \ud83d\ude00\n\"a@b.de\" \ud800 x""#;
        let content = Content::of(quoted, 0);
        let at = content.text.find("a@b.de").unwrap();
        let edits: Vec<_> = content.outwards(vec![Edit { range: at..at + 6, text: "new".into() }]).collect();
        assert_eq!(apply(quoted, &edits), r#""caf\u00e9 \ud83d\ude00\n\"new\" \ud800 x""#);
    }

    #[test]
    fn separators_are_not_touched() {
        let mut out = Vec::new();
        edits(3..8, "12-34", "98-76".into(), &mut out);
        let expected = [Edit { range: 3..5, text: "98".into() }, Edit { range: 6..8, text: "76".into() }];
        assert_eq!(out, expected);
    }
}
