//! Texts by code point after Unicode normalisation.

use std::borrow::Cow;
use std::fmt;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::recording::Decoded;

/// A text in canonical form: NFC, so that `é` written as one code point equals `é` written as two. A text with
/// lone surrogates is compared by its bytes as they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(Form);

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Form {
    Unicode(Box<str>),
    Surrogates(Box<[u8]>),
}

impl Text {
    /// The canonical form of a decoded JSON string.
    #[must_use]
    pub fn new(decoded: Decoded<'_>) -> Self {
        match decoded {
            Decoded::Text(text) => Self(Form::Unicode(match is_nfc_quick(text.chars()) {
                IsNormalized::Yes => text.into_owned().into(),
                _ => text.nfc().collect::<String>().into(),
            })),
            Decoded::Surrogates(bytes) => Self(Form::Surrogates(bytes.into())),
        }
    }

    /// A text exactly as it is, without normalisation: for keys, which must be the tool's own.
    #[must_use]
    pub fn exact(decoded: Decoded<'_>) -> Self {
        Self(match decoded {
            Decoded::Text(text) => Form::Unicode(text.into_owned().into()),
            Decoded::Surrogates(bytes) => Form::Surrogates(bytes.into()),
        })
    }

    /// The text, where it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Form::Unicode(text) => Some(text),
            Form::Surrogates(_) => None,
        }
    }

    /// The text, with U+FFFD in the place of lone surrogates.
    #[must_use]
    pub fn lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Form::Unicode(text) => Cow::Borrowed(text),
            Form::Surrogates(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Unicode(text) => text.as_bytes(),
            Form::Surrogates(bytes) => bytes,
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::decode_string;

    #[test]
    fn composed_and_decomposed_texts_are_equal_and_lookalikes_are_not() {
        let text = |quoted| Text::new(decode_string(quoted));
        assert_eq!(text("\"Caf\u{e9}\""), text("\"Cafe\u{301}\""));
        assert_ne!(text("\"admin\""), text("\"\u{430}dmin\""));
        assert_ne!(text(r#""\ud800""#), text(r#""\udbff""#));
        assert_eq!(text(r#""\ud800""#), text(r#""\uD800""#));
    }
}
