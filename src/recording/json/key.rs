//! The key of an object's member, as it was written.

use std::borrow::Cow;
use std::ops::Deref;

use super::{Json, decode_string};

/// A key that is written back as it was written. It reads as its text.
///
/// JSON can write one key in several ways, and some keys (a lone surrogate) have no text at all: those keep how
/// they were written, with U+FFFD in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    text: Box<str>,
    /// With its quotes; only where the text alone would be written in another way.
    written: Option<Box<str>>,
}

impl Key {
    /// A key from its JSON string, quotes included.
    pub(in crate::recording) fn of_written(quoted: &str) -> Self {
        let text = decode_string(quoted).into_lossy();
        let plain = !quoted.contains('\\') || *Json::string(&text).text() == *quoted;
        Self { text: text.into(), written: (!plain).then(|| quoted.into()) }
    }

    /// The text of the key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The key as a JSON string, quotes included.
    pub(in crate::recording) fn quoted(&self) -> Cow<'_, str> {
        match &self.written {
            Some(written) => Cow::Borrowed(written),
            None => Cow::Owned(Json::string(&self.text).text().to_owned()),
        }
    }
}

impl Deref for Key {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self { text: text.into(), written: None }
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self { text: text.into(), written: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_as_it_was_written() {
        for quoted in [r#""a""#, r#""\u0061""#, r#""\ud800""#, r#""\"""#, r#""\/""#] {
            assert_eq!(Key::of_written(quoted).quoted(), quoted);
        }
        assert_eq!(Key::of_written(r#""\u0061""#).as_str(), "a");
        assert_ne!(Key::of_written(r#""\ud800""#), Key::of_written(r#""\udc00""#));
    }
}
