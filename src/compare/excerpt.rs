//! Long values, cut to what matters.

/// The text with everything outside of ASCII written as escapes.
#[must_use]
pub(crate) fn escaped(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() }).collect()
}

/// The longest value that is kept whole, in characters.
const KEPT: usize = 2_000;

/// How many characters of a longer value are kept, and how many of any value stand in a sentence.
pub(super) const IN_SENTENCE: usize = 120;

/// A value as it is kept: whole, or where it is long its beginning.
pub(super) fn kept(text: &str) -> String {
    if text.chars().nth(KEPT).is_none() { text.to_owned() } else { beginning(text, IN_SENTENCE) }
}

/// Two values as they are kept: whole, or where one is long what stands around their first difference.
pub(super) fn kept_pair(a: &str, b: &str) -> (String, String) {
    if a.chars().nth(KEPT).is_none() && b.chars().nth(KEPT).is_none() {
        return (a.to_owned(), b.to_owned());
    }
    around_difference(a, b, IN_SENTENCE)
}

/// A text as it is, or its beginning where it has more than `most` characters.
#[must_use]
pub fn beginning(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most || text.ends_with(CUT) {
        return text.to_owned();
    }
    let start: String = text.chars().take(most * 5 / 6).collect();
    format!("{start}… ({length}{CUT}")
}

/// How a text ends that was cut before.
const CUT: &str = " characters)";

/// Two texts as they are, or cut to what stands around their first difference where one has more than `most`
/// characters.
#[must_use]
pub fn around_difference(a: &str, b: &str, most: usize) -> (String, String) {
    let is_short = |text: &str| text.ends_with(CUT) || text.chars().nth(most).is_none();
    if is_short(a) && is_short(b) {
        return (a.to_owned(), b.to_owned());
    }
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(most / 3);
    (window(a, from, most * 2 / 3), window(b, from, most * 2 / 3))
}

fn window(text: &str, from: usize, width: usize) -> String {
    let length = text.chars().count();
    if from == 0 && length <= width {
        return text.to_owned();
    }
    let part: String = text.chars().skip(from).take(width).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if from + width < length { "…" } else { "" };
    format!("{before}{part}{after} ({length}{CUT}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_once_to_where_they_differ() {
        let long = |last: char| format!("{}{last}", "x".repeat(1_000_000));
        let (a, b) = kept_pair(&long('a'), &long('b'));
        assert!(a.len() < 200 && a.contains("xa (1000001 characters)") && b.contains("xb ("), "{a} {b}");
        assert_eq!(around_difference(&a, &b, 20), (a, b));
        assert_eq!(kept_pair("short", "other"), ("short".to_owned(), "other".to_owned()));
        let start = kept(&long('a'));
        assert!(start.ends_with("… (1000001 characters)") && beginning(&start, 10) == start);
        assert_eq!(kept(&"y".repeat(1_999)).len(), 1_999);
    }
}
