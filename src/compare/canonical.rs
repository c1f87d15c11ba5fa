//! The canonical form of a JSON value.

use std::fmt;

use super::number::Number;
use super::path::{Path, PathStep};
use super::policy::ToolRules;
use super::text::Text;
use crate::recording::{Json, check, decode_string};

/// A JSON value in canonical form: equal values mean the same to a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`, which is not the same as absent.
    Null,
    /// `true` or `false`, which are no numbers.
    Bool(bool),
    /// A number by value.
    Number(Number),
    /// A text.
    Text(Text),
    /// A list, in order.
    Array(Vec<Value>),
    /// Members by key, in the order of keys.
    Object(Vec<(Text, Value)>),
    /// A text that holds the JSON of a list or object: equal to another text that holds an equal one, and to no
    /// list or object.
    Embedded(Box<Value>),
    /// An item that the policy ignores.
    Ignored,
}

/// A text shorter than this many bytes cannot hold a list or object.
const SHORTEST_CONTAINER: usize = 2;

impl Value {
    /// Reads a value under the rules of a tool.
    #[must_use]
    pub fn read(json: &Json, rules: &ToolRules<'_>) -> Self {
        Self::read_text(json.text(), rules)
    }

    /// Reads a checked JSON text.
    pub(super) fn read_text(text: &str, rules: &ToolRules<'_>) -> Self {
        Reader { text, at: 0, rules, path: Path::root() }.value()
    }

    /// 128 bits that are equal exactly when the values are.
    #[must_use]
    pub fn hash128(&self) -> u128 {
        let mut hasher = blake3::Hasher::new();
        self.feed(&mut |bytes| {
            hasher.update(bytes);
        });
        let mut low = [0; 16];
        low.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        u128::from_le_bytes(low)
    }

    /// Feeds a form of the value that no other value has: every part says its kind and length first.
    pub(super) fn feed(&self, feed: &mut impl FnMut(&[u8])) {
        match self {
            Value::Null => feed(b"n"),
            Value::Bool(false) => feed(b"f"),
            Value::Bool(true) => feed(b"t"),
            Value::Number(number) => {
                feed(b"#");
                number.feed(feed);
                feed(b";");
            }
            Value::Text(text) => feed_text(b"s", text, feed),
            Value::Array(items) => {
                feed(b"[");
                feed(&(items.len() as u64).to_le_bytes());
                items.iter().for_each(|item| item.feed(feed));
            }
            Value::Object(members) => {
                feed(b"{");
                feed(&(members.len() as u64).to_le_bytes());
                for (key, value) in members {
                    feed_text(b"k", key, feed);
                    value.feed(feed);
                }
            }
            Value::Embedded(value) => {
                feed(b"e");
                value.feed(feed);
            }
            Value::Ignored => feed(b"_"),
        }
    }

    /// Its kind in a word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
            Value::Embedded(_) => "a text that holds JSON",
            Value::Ignored => "ignored",
        }
    }
}

fn feed_text(mark: &[u8], text: &Text, feed: &mut impl FnMut(&[u8])) {
    feed(mark);
    feed(&(text.bytes().len() as u64).to_le_bytes());
    feed(text.bytes());
}

impl fmt::Display for Value {
    /// As compact JSON, keys in order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &Text| Json::string(&text.lossy()).text().to_owned();
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(flag) => write!(f, "{flag}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(&quoted(text)),
            Value::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Value::Object(members) => {
                f.write_str("{")?;
                for (index, (key, value)) in members.iter().enumerate() {
                    write!(f, "{}{}:{value}", if index > 0 { "," } else { "" }, quoted(key))?;
                }
                f.write_str("}")
            }
            Value::Embedded(value) => f.write_str(Json::string(&value.to_string()).text()),
            Value::Ignored => f.write_str("(ignored)"),
        }
    }
}

/// Reads a text that was checked before, so it needs no errors; its depth is bounded by that check.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    rules: &'a ToolRules<'a>,
    path: Path,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn white(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Value {
        self.white();
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => self.string(),
            b't' => self.word(4, Value::Bool(true)),
            b'f' => self.word(5, Value::Bool(false)),
            b'n' | 0 => self.word(4, Value::Null),
            _ => Value::Number(Number::read(self.scalar())),
        }
    }

    fn word(&mut self, length: usize, value: Value) -> Value {
        self.at += length;
        value
    }

    /// A number's text.
    fn scalar(&mut self) -> &'a str {
        let from = self.at;
        while matches!(self.peek(), b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') {
            self.at += 1;
        }
        // A checked text has nothing else here; a step keeps even an unchecked one from standing still.
        self.at = self.at.max(from + 1);
        self.text.get(from..self.at).unwrap_or("0")
    }

    /// A string's text, quotes included.
    fn quoted(&mut self) -> &'a str {
        let from = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                b'\\' => self.at += 2,
                b'"' | 0 => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.text.get(from..self.at).unwrap_or("\"\"")
    }

    fn string(&mut self) -> Value {
        let decoded = decode_string(self.quoted());
        if let crate::recording::Decoded::Text(text) = &decoded
            && let Some(value) = embedded(text, self.rules, &self.path)
        {
            return Value::Embedded(Box::new(value));
        }
        Value::Text(Text::new(decoded))
    }

    fn array(&mut self) -> Value {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.white();
            match self.peek() {
                b']' | 0 => break,
                b',' => self.at += 1,
                _ => {
                    self.path.push(PathStep::Index(items.len()));
                    let item = self.value();
                    let ignored = self.rules.ignore(&self.path);
                    self.path.pop();
                    items.push(if ignored { Value::Ignored } else { item });
                }
            }
        }
        self.at += 1;
        Value::Array(items)
    }

    fn object(&mut self) -> Value {
        self.at += 1;
        let mut members: Vec<(Text, Value)> = Vec::new();
        loop {
            self.white();
            match self.peek() {
                b'}' | 0 => break,
                b',' => self.at += 1,
                _ => self.member(&mut members),
            }
        }
        self.at += 1;
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
        Value::Object(members)
    }

    fn member(&mut self, members: &mut Vec<(Text, Value)>) {
        let key = Text::exact(decode_string(self.quoted()));
        self.white();
        self.at += 1;
        self.path.push(PathStep::Key(key.lossy().into_owned()));
        let value = self.value();
        if !self.rules.ignore(&self.path) {
            members.push((key, value));
        }
        self.path.pop();
    }
}

/// The list or object that a text holds, if it holds one and nothing else.
fn embedded(text: &str, rules: &ToolRules<'_>, path: &Path) -> Option<Value> {
    let inner = text.trim_matches([' ', '\t', '\n', '\r']);
    let container = inner.len() >= SHORTEST_CONTAINER
        && ((inner.starts_with('{') && inner.ends_with('}')) || (inner.starts_with('[') && inner.ends_with(']')));
    if !container {
        return None;
    }
    check(inner).ok()?;
    Some(Reader { text: inner, at: 0, rules, path: path.clone() }.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Value {
        Value::read(&Json::parse(text).unwrap(), &ToolRules::none())
    }

    #[test]
    fn objects_are_equal_by_key_and_lists_by_place() {
        assert_eq!(read(r#"{"a":1,"b":{"x":1,"y":2}}"#), read(r#"{"b":{"y":2.0,"x":1e0},"a":1}"#));
        assert_ne!(read("[1,2]"), read("[2,1]"));
        assert_ne!(read(r#"{"a":null}"#), read("{}"));
        assert_ne!(read(r#"{"orderId":1}"#), read(r#"{"order_id":1}"#));
    }

    #[test]
    fn kinds_are_never_mixed_up() {
        for (a, b) in [("1", "\"1\""), ("1", "true"), ("0", "false"), ("null", "\"null\""), ("\"10.0\"", "\"10\"")] {
            assert_ne!(read(a), read(b));
            assert_ne!(read(a).hash128(), read(b).hash128());
        }
    }

    #[test]
    fn a_text_that_holds_json_equals_another_that_holds_the_same_and_nothing_else() {
        assert_eq!(read(r#""{\"a\":1,\"b\":2}""#), read(r#""{\"b\": 2.0, \"a\": 1}""#));
        assert_ne!(read(r#""{\"a\":1}""#), read(r#"{"a":1}"#));
        assert_ne!(read(r#""{\"a\":1""#), read(r#""{\"a\":1 ""#));
        assert_ne!(read("\"42\""), read("\"42.0\""), "a text that holds a number is a text");
    }

    #[test]
    fn the_hash_agrees_with_equality() {
        assert_eq!(read(r#"{"a":[1,"x"]}"#).hash128(), read(r#"{"a" : [1.0, "\u0078"]}"#).hash128());
        assert_ne!(read(r#"["ab"]"#).hash128(), read(r#"["a","b"]"#).hash128());
    }

    #[test]
    fn it_shows_compact_json() {
        assert_eq!(read(r#"{ "b": [1.50, null], "a": "x" }"#).to_string(), r#"{"a":"x","b":[1.5,null]}"#);
    }
}
