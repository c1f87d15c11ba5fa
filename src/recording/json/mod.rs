//! JSON kept as the text it was written in.
//!
//! A recording must come back with every digit and every unknown field, so values are never turned into a tree
//! of numbers and strings on the way through. [`Json`] is a checked slice of the line it came from; who needs
//! its meaning (the comparison, a report) reads it then.

mod check;
mod key;
mod marks;
mod parts;
mod scan;
mod text;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use check::check_and_mark;
pub use check::{Fault, FaultKind, MAX_DEPTH, check};
pub use key::Key;
use marks::Marks;
use parts::{Items, Members};
pub use text::{Decoded, decode_string};

/// One JSON value as text: well formed, no key twice in an object, at most [`MAX_DEPTH`] levels deep.
///
/// Cloning is cheap: values of one line share its text.
///
/// ```
/// use taketwo::recording::Json;
/// let value = Json::parse(r#"{"id": 12345678901234567890123}"#).unwrap();
/// assert_eq!(value.member("id").unwrap().text(), "12345678901234567890123");
/// ```
#[derive(Clone)]
pub struct Json {
    line: Arc<Line>,
    span: Range<usize>,
}

/// The text that a value stands in.
struct Line {
    text: Arc<str>,
    /// Where its larger parts stand, if it was checked.
    marks: Option<Marks>,
}

/// What a JSON value is, seen from its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number of any size.
    Number,
    /// A text in quotes.
    String,
    /// `[...]`
    Array,
    /// `{...}`
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a text",
            Kind::Array => "a list",
            Kind::Object => "an object",
        })
    }
}

impl Json {
    /// Checks a whole text and keeps it.
    ///
    /// # Errors
    /// [`Fault`] with the byte offset of the first thing that is wrong.
    pub fn parse(text: impl Into<Arc<str>>) -> Result<Self, Fault> {
        let text: Arc<str> = text.into();
        let (span, marks) = check_and_mark(&text)?;
        Ok(Self { line: Arc::new(Line { text, marks: Some(marks) }), span })
    }

    /// `null`.
    #[must_use]
    pub fn null() -> Self {
        Self::trusted("null")
    }

    /// A JSON string with this content.
    #[must_use]
    pub fn string(content: &str) -> Self {
        Self::of(&content)
    }

    /// The JSON text of any value that serialises (null where it cannot, as for a map with keys that are no text).
    #[must_use]
    pub fn of<T: Serialize>(value: &T) -> Self {
        match serde_json::to_string(value) {
            Ok(text) => Self::trusted(text),
            Err(_) => Self::null(),
        }
    }

    /// Text that a serialiser just wrote, or a literal: not checked again.
    pub(super) fn trusted(text: impl Into<Arc<str>>) -> Self {
        let text: Arc<str> = text.into();
        let span = 0..text.len();
        Self { line: Arc::new(Line { text, marks: None }), span }
    }

    /// The text as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.line.text[self.span.clone()]
    }

    /// The same value without the white space between its parts.
    #[must_use]
    pub fn compact(&self) -> Json {
        Self::trusted(parts::compact(self.text()))
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.text().as_bytes().first() {
            Some(b'n') | None => Kind::Null,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'"') => Kind::String,
            Some(b'[') => Kind::Array,
            Some(b'{') => Kind::Object,
            Some(_) => Kind::Number,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// The content of a JSON string; `None` for any other kind. A lone surrogate becomes U+FFFD.
    #[must_use]
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        (self.kind() == Kind::String).then(|| decode_string(self.text()).into_lossy())
    }

    /// A text to show: the content of a string, else the JSON itself.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        self.as_str().unwrap_or_else(|| Cow::Borrowed(self.text()))
    }

    /// The members of an object in the order they were written; `None` for any other kind.
    #[must_use]
    pub fn members(&self) -> Option<Vec<(Cow<'_, str>, Json)>> {
        let members = self.written_members()?;
        Some(members.map(|(key, value)| (decode_string(key).into_lossy(), value)).collect())
    }

    /// The members of an object, each key as it was written, quotes included.
    pub(super) fn written_members(&self) -> Option<impl Iterator<Item = (&str, Json)>> {
        let Line { text, marks } = &*self.line;
        let members = (self.kind() == Kind::Object).then(|| Members::of(text, self.span.clone(), marks.as_ref()))?;
        Some(members.map(|(key, value)| (&text[key], self.part(value))))
    }

    /// The items of an array; `None` for any other kind.
    #[must_use]
    pub fn items(&self) -> Option<Vec<Json>> {
        let Line { text, marks } = &*self.line;
        let items = (self.kind() == Kind::Array).then(|| Items::of(text, self.span.clone(), marks.as_ref()))?;
        let mut parts = Vec::with_capacity(8);
        parts.extend(items.map(|item| self.part(item)));
        Some(parts)
    }

    /// One member of an object.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<Json> {
        self.written_members()?.find(|(name, _)| decode_string(name).into_lossy() == key).map(|(_, value)| value)
    }

    /// Where the value starts in the text it was read from, in bytes.
    pub(super) fn offset(&self) -> usize {
        self.span.start
    }

    /// A part of the line, sharing it.
    fn part(&self, span: Range<usize>) -> Json {
        Json { line: Arc::clone(&self.line), span }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Equal text. Equality of meaning is the comparison's matter, not this type's.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Json {}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.text()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Json::parse(raw.get()).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_the_text_it_was_written_in() {
        let value = Json::parse(" {\"a\" : 1.50, \"b\":[1e3, \"x\\u00e9\"]} ").unwrap();
        assert_eq!(value.text(), "{\"a\" : 1.50, \"b\":[1e3, \"x\\u00e9\"]}");
        assert_eq!(value.member("a").unwrap().text(), "1.50");
        let items = value.member("b").unwrap().items().unwrap();
        assert_eq!(items[0].text(), "1e3");
        assert_eq!(items[1].as_str().unwrap(), "xé");
    }

    #[test]
    fn a_member_whose_key_is_written_with_escapes_is_found() {
        let value = Json::parse(r#"{"\u0061": 1, "\ud800": 2}"#).unwrap();
        assert_eq!(value.member("a").unwrap().text(), "1");
        assert_eq!(value.members().unwrap().len(), 2);
    }

    #[test]
    fn parts_are_found_whatever_stands_between_them() {
        let value = Json::parse(
            " { \"a\" :\t[ 1 ,\n[2, {\"]\":\"}\\\"\"} ],\"\\\\\" , -0.5e1 ,true]\r, \"b\":{ } , \"c\": [ ]} ",
        )
        .unwrap();
        let members = value.members().unwrap();
        assert_eq!(members.iter().map(|(key, _)| key.as_ref()).collect::<Vec<_>>(), ["a", "b", "c"]);
        let items = members[0].1.items().unwrap();
        let texts: Vec<_> = items.iter().map(Json::text).collect();
        assert_eq!(texts, ["1", "[2, {\"]\":\"}\\\"\"} ]", "\"\\\\\"", "-0.5e1", "true"]);
        assert_eq!(items[1].items().unwrap()[1].member("]").unwrap().text(), "\"}\\\"\"");
        assert_eq!((members[1].1.members().unwrap().len(), members[2].1.items().unwrap().len()), (0, 0));
    }

    #[test]
    fn compact_text_keeps_what_stands_in_texts() {
        let value = Json::parse("{ \"a b\" :\n[ 1.0 , \" \\\" x é \" ,null ] }").unwrap();
        assert_eq!(value.compact().text(), "{\"a b\":[1.0,\" \\\" x é \",null]}");
    }

    #[test]
    fn it_serialises_as_the_same_text() {
        let value = Json::parse(r#"[1.0, "\ud800"]"#).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), value.text());
    }
}
