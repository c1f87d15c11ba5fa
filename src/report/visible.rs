//! Texts from outside, made safe to show: what cannot be seen is written as an escape.

use std::borrow::Cow;

/// The text on one line, with control characters and other unseen ones as escapes. A terminal, a page or an XML
/// file that gets it can be harmed by none of them.
#[must_use]
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => shown.extend(c.escape_default()),
            c if is_unseen(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Control characters, what changes the direction of writing, what has no width, and what is no character.
fn is_unseen(c: char) -> bool {
    let is_no_character = (c as u32) & 0xfffe == 0xfffe;
    c.is_control()
        || is_no_character
        || matches!(c, '\u{AD}' | '\u{61C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}')
        || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FFF9}'..='\u{FFFB}')
}

/// The first characters of a text, and a mark where there are more.
#[must_use]
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

/// A text as one word of a shell.
#[must_use]
pub(crate) fn shell_word(text: &str) -> String {
    format!("'{}'", visible(text).replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_the_rest_is_left() {
        assert_eq!(visible("a\u{1b}[31mb\nc\0"), r"a\u{1b}[31mb\nc\u{0}");
        assert_eq!(visible("x\u{202e}y\u{fffe}\u{200b}"), r"x\u{202e}y\u{fffe}\u{200b}");
        assert!(matches!(visible("Größe ]]> 👩‍👩‍👧 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_shell_reads_a_quoted_word_as_it_was() {
        assert_eq!(shell_word("t:$['it''s']"), r"'t:$['\''it'\'''\''s'\'']'");
    }
}
