//! Texts by code point after Unicode normalisation.

use std::borrow::Cow;
use std::fmt;

use unicase::UniCase;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::recording::Decoded;

/// A text in canonical form: NFC, so that `é` written as one code point equals `é` written as two. A text with
/// lone surrogates is compared by its bytes as they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(Units);

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Units {
    Unicode(Box<str>),
    Surrogates(Box<[u8]>),
}

/// What a text is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Its NFC.
    Normal,
    /// Itself, code point by code point: for keys, which must be the tool's own.
    Exact,
}

impl Text {
    /// A decoded JSON string.
    #[must_use]
    pub(super) fn read(decoded: Decoded<'_>, form: Form) -> Self {
        match decoded {
            Decoded::Text(text) if form == Form::Exact || is_nfc_quick(text.chars()) == IsNormalized::Yes => {
                Self(Units::Unicode(text.into_owned().into()))
            }
            Decoded::Text(text) => Self(Units::Unicode(text.nfc().collect::<String>().into())),
            Decoded::Surrogates(bytes) => Self(Units::Surrogates(bytes.into())),
        }
    }

    /// Without white space at both ends.
    pub(super) fn trimmed(self) -> Self {
        match self.as_str().map(str::trim) {
            Some(text) => Self(Units::Unicode(text.into())),
            None => self,
        }
    }

    /// With upper and lower case folded into one, as Unicode's full case folding says: `Σ`, `σ` and `ς` are one letter, `ß` is
    /// `ss`.
    pub(super) fn caseless(self, form: Form) -> Self {
        let folded = |text: &str| match form {
            Form::Exact => UniCase::unicode(text).to_folded_case(),
            // Some letters fold in parts, so that they have to be taken apart before and put together again.
            Form::Normal => UniCase::unicode(text.nfd().collect::<String>()).to_folded_case().nfc().collect::<String>(),
        };
        match self.as_str().map(folded) {
            Some(text) => Self(Units::Unicode(text.into())),
            None => self,
        }
    }

    /// The text, where it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Units::Unicode(text) => Some(text),
            Units::Surrogates(_) => None,
        }
    }

    /// The text, with U+FFFD in the place of lone surrogates.
    #[must_use]
    pub fn lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Units::Unicode(text) => Cow::Borrowed(text),
            Units::Surrogates(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Units::Unicode(text) => text.as_bytes(),
            Units::Surrogates(bytes) => bytes,
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
        let text = |quoted| Text::read(decode_string(quoted), Form::Normal);
        assert_eq!(text("\"Caf\u{e9}\""), text("\"Cafe\u{301}\""));
        assert_ne!(text("\"admin\""), text("\"\u{430}dmin\""));
        assert_ne!(text(r#""\ud800""#), text(r#""\udbff""#));
        assert_eq!(text(r#""\ud800""#), text(r#""\uD800""#));
    }

    #[test]
    fn case_is_folded_in_full() {
        let folded = |text: &str, form| Text::read(Decoded::Text(text.into()), form).caseless(form);
        let same = [
            ["ΣΣ", "σσ", "ςς"],
            ["STRASSE", "straße", "STRAẞE"],
            ["É", "é", "é"],
            ["ﬁ", "FI", "fi"],
            ["ᾀ", "ᾈ", "ᾀ"],
            ["K", "k", "K"],
        ];
        for [a, b, c] in same {
            assert_eq!(folded(a, Form::Normal), folded(b, Form::Normal));
            assert_eq!(folded(a, Form::Normal), folded(c, Form::Normal));
        }
        for (a, b) in [("Größe", "Grosse"), ("I", "ı"), ("I", "İ"), ("a", "а")] {
            assert_ne!(folded(a, Form::Normal), folded(b, Form::Normal), "{a} {b}");
        }
        assert_ne!(folded("é", Form::Exact), folded("É", Form::Exact));
        assert_eq!(folded("É", Form::Exact), folded("é", Form::Exact));
    }
}
