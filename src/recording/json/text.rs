//! The content of a JSON string.

use std::borrow::Cow;

/// A decoded JSON string: mostly plain text, rarely one with a lone surrogate (`"\ud800"`), which JSON allows and
/// Unicode text does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded<'a> {
    /// Unicode text.
    Text(Cow<'a, str>),
    /// Text with lone surrogates, as generalised UTF-8 (WTF-8) bytes.
    Surrogates(Vec<u8>),
}

impl<'a> Decoded<'a> {
    /// The bytes to order and compare by: UTF-8, or WTF-8 where there are lone surrogates.
    #[must_use]
    pub fn order_bytes(&self) -> &[u8] {
        match self {
            Decoded::Text(text) => text.as_bytes(),
            Decoded::Surrogates(bytes) => bytes,
        }
    }

    /// The text, with U+FFFD in the place of each lone surrogate.
    #[must_use]
    pub fn into_lossy(self) -> Cow<'a, str> {
        match self {
            Decoded::Text(text) => text,
            Decoded::Surrogates(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

/// Decodes a checked JSON string, quotes included.
#[must_use]
pub fn decode_string(quoted: &str) -> Decoded<'_> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return Decoded::Text(Cow::Borrowed(inner));
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        rest = match escape.as_bytes().first() {
            Some(b'u') => push_unicode(escape, &mut bytes),
            Some(&short) => {
                bytes.push(match short {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'b' => 8,
                    b'f' => 12,
                    other => other,
                });
                escape.get(1..).unwrap_or_default()
            }
            None => "",
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    match String::from_utf8(bytes) {
        Ok(text) => Decoded::Text(Cow::Owned(text)),
        Err(error) => Decoded::Surrogates(error.into_bytes()),
    }
}

/// Appends the character of `uXXXX` (or of a surrogate pair) and returns what follows it.
fn push_unicode<'a>(escape: &'a str, bytes: &mut Vec<u8>) -> &'a str {
    let unit = |text: &str| text.get(1..5).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let first = unit(escape).unwrap_or(0xFFFD);
    let after = escape.get(5..).unwrap_or_default();
    if (0xD800..0xDC00).contains(&first)
        && let Some(second) = after.strip_prefix('\\').filter(|s| s.starts_with('u')).and_then(unit)
        && (0xDC00..0xE000).contains(&second)
    {
        push_code_point(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), bytes);
        return after.get(6..).unwrap_or_default();
    }
    push_code_point(first, bytes);
    after
}

/// Appends a code point as UTF-8, a surrogate as the three bytes UTF-8 would have given it.
fn push_code_point(code: u32, bytes: &mut Vec<u8>) {
    match char::from_u32(code) {
        Some(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => bytes.extend_from_slice(&[
            0xE0 | (code >> 12) as u8,
            0x80 | ((code >> 6) & 0x3F) as u8,
            0x80 | (code & 0x3F) as u8,
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_what_they_stand_for() {
        let text = decode_string(r#""a\n\t\"\\\/\u00e9\ud83d\ude00b""#);
        assert_eq!(text, Decoded::Text("a\n\t\"\\/é😀b".into()));
    }

    #[test]
    fn a_lone_surrogate_is_kept_apart_from_every_text() {
        let lone = decode_string(r#""x\ud800y""#);
        assert_eq!(lone, Decoded::Surrogates(b"x\xED\xA0\x80y".to_vec()));
        assert!(lone.into_lossy().starts_with('x'));
        assert_ne!(decode_string(r#""\ud800""#), decode_string(r#""\udc00""#));
    }
}
