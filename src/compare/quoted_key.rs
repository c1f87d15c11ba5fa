//! Keys in quotes, as they stand in a path.
//!
//! `\\`, `\"` and `\'` stand for what follows the backslash, `\n`, `\r` and `\t` for the end of a line and a tab,
//! `\u200b` and `\u{200b}` for a code point. Any other backslash stands for itself.

/// A key in double quotes, with escapes for what ends it early and for what cannot be seen.
pub(super) fn quoted(key: &str) -> String {
    let parts = key.split('\0').map(|part| {
        let quoted = format!("{part:?}");
        quoted[1..quoted.len() - 1].to_owned()
    });
    format!("\"{}\"", parts.collect::<Vec<_>>().join("\\u{0}"))
}

/// The key that a text begins with, in quotes of either kind, and what follows; `None` where they are not closed.
pub(super) fn unquoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next()?;
    let mut rest = &text[quote.len_utf8()..];
    let mut key = String::new();
    loop {
        let next = rest.chars().next()?;
        if next == quote {
            return Some((key, &rest[quote.len_utf8()..]));
        }
        let (c, length) = escaped(rest).unwrap_or((next, next.len_utf8()));
        key.push(c);
        rest = &rest[length..];
    }
}

/// The character that an escape at the start of a text stands for, and how long the escape is.
fn escaped(text: &str) -> Option<(char, usize)> {
    let behind = text.strip_prefix('\\')?;
    match behind.chars().next()? {
        same @ ('\\' | '"' | '\'') => Some((same, 2)),
        'n' => Some(('\n', 2)),
        'r' => Some(('\r', 2)),
        't' => Some(('\t', 2)),
        'u' => code_point(&behind[1..]).map(|(c, length)| (c, 2 + length)),
        _ => None,
    }
}

/// The character that `{200b}` or `200b` stands for, and how long that is.
fn code_point(text: &str) -> Option<(char, usize)> {
    let (hex, length) = match text.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
        Some((hex, _)) => (hex, hex.len() + 2),
        None => (text.get(..4)?, 4),
    };
    let is_hex = !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = is_hex.then(|| u32::from_str_radix(hex, 16).ok())??;
    Some((char::from_u32(number)?, length))
}

#[cfg(test)]
pub(super) mod arbitrary {
    use proptest::prelude::*;

    /// Keys of what is easily misread in a path or rule, and of anything.
    pub(in super::super) fn key() -> impl Strategy<Value = String> {
        prop_oneof![r#"[ab'"\\\[\](){}.$*: u0nt]{0,9}"#, "\\PC{0,4}", any::<String>(), Just("toolCalls".to_owned())]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_key_is_read_as_it_is_quoted(key in arbitrary::key(), rest in "[\\]\"'a]{0,3}") {
            let text = format!("{}{rest}", quoted(&key));
            prop_assert_eq!(unquoted(&text), Some((key, &*rest)));
        }
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        for (key, shown) in [
            ("a b", r#""a b""#),
            ("it's", r#""it's""#),
            ("a\"b", r#""a\"b""#),
            ("c\\d", r#""c\\d""#),
            ("a\u{200b}\n\0", r#""a\u{200b}\n\u{0}""#),
            ("\\0", r#""\\0""#),
        ] {
            assert_eq!(quoted(key), shown);
            assert_eq!(unquoted(shown), Some((key.to_owned(), "")));
        }
        for raw in [r#""C:\bin\ü\u{zz}\u12""#, r#""\x""#] {
            let key = raw.trim_matches('"');
            assert_eq!(unquoted(raw), Some((key.to_owned(), "")), "any other backslash stands for itself");
        }
        assert_eq!(unquoted("\"a\\\""), None);
    }
}
