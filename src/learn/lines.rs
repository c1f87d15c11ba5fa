//! Lines that fit a screen, and values as they stand in them.

use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use crate::compare::{around_difference, beginning};
use crate::report::visible;

/// How wide a line may be.
const WIDTH: usize = 80;

/// Words on lines that begin with `first`, then with `rest`. A word that is longer than a line stays whole.
pub(super) fn wrapped(first: &str, rest: &str, text: &str) -> String {
    let (mut lines, mut line, mut is_empty) = (String::new(), first.to_owned(), true);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !is_empty && line.width() + 1 + word.width() > WIDTH {
            lines.push_str(line.trim_end());
            lines.push('\n');
            (line, is_empty) = (rest.to_owned(), true);
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push_str(line.trim_end());
    lines.push('\n');
    lines
}

/// How many characters of a value are shown.
const SHOWN: usize = 60;

/// Both sides of a difference: on one line, or where they are long on two.
pub(super) fn sides(indent: &str, expected: Option<&str>, seen: Option<&str>) -> String {
    let (expected, seen) = match (expected, seen) {
        (Some(expected), Some(seen)) => around_difference(expected, seen, SHOWN),
        (expected, seen) => {
            let one = |side: Option<&str>| side.map_or("(nothing)".to_owned(), |text| beginning(text, SHOWN));
            (one(expected), one(seen))
        }
    };
    let (expected, seen) = (visible(&expected), visible(&seen));
    let whole = format!("{indent}{expected} -> {seen}");
    if whole.width() <= WIDTH { format!("{whole}\n") } else { format!("{indent}{expected}\n{indent}  -> {seen}\n") }
}

/// A value on a line of its own.
pub(super) fn alone(indent: &str, value: &str) -> String {
    format!("{indent}{}\n", visible(&beginning(value, SHOWN)))
}

/// A stretch of time in words: `3m 12s`.
pub(super) fn time(time: Duration) -> String {
    jiff::SignedDuration::try_from(time).map_or_else(|_| format!("{}s", time.as_secs()), |time| format!("{time:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "word ".repeat(30);
        let lines = wrapped("# ", "#   ", &text);
        assert!(lines.lines().all(|line| line.width() <= WIDTH), "{lines}");
        assert_eq!(lines.split_whitespace().filter(|word| *word == "word").count(), 30);
        assert!(lines.starts_with("# word") && lines.lines().nth(1).unwrap().starts_with("#   word"));
        assert_eq!(wrapped("", "", &"x".repeat(100)), format!("{}\n", "x".repeat(100)));
    }

    #[test]
    fn long_sides_stand_on_two_lines_and_controls_are_seen() {
        assert_eq!(sides("  ", Some("1"), Some("2")), "  1 -> 2\n");
        assert_eq!(sides("  ", None, Some("2")), "  (nothing) -> 2\n");
        let uuid = "\"6f1c1d2e-3b4a-4c5d-8e9f-000000000001\"";
        assert_eq!(sides("#   ", Some(uuid), Some(uuid)), format!("#   {uuid}\n#     -> {uuid}\n"));
        assert_eq!(sides("", Some("\"a\u{1b}\n\""), Some("2")), "\"a\\u{1b}\\n\" -> 2\n");
        let long = format!("\"{}\"", "x".repeat(5_000));
        assert!(sides("", Some(&long), Some("2")).len() < 120);
    }

    #[test]
    fn times_are_told_in_words() {
        assert_eq!(time(Duration::from_millis(192_500)), "3m 12s 500ms");
    }
}
