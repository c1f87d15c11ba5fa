//! The canonical form of a JSON value.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::number::Number;
use super::policy::ToolRules;
use super::reader::Reader;
use super::reference::Referred;
use super::rule::Rule;
use super::text::Text;
use super::walk::is_accepted;
use crate::recording::Json;

/// A JSON value in canonical form: equal values mean the same to a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// A list whose order a rule takes for nothing: its items, sorted.
    Unordered(Vec<Value>),
    /// Members by key, in the order of keys.
    Object(Vec<(Text, Value)>),
    /// A text that holds the JSON of a list or object: equal to another text that holds an equal one, and to no
    /// list or object.
    Embedded(Box<Value>),
    /// What a rule takes for the same as others.
    Alike(Alike),
    /// A value that may differ somewhat, by a rule that is no equivalence.
    Loose(Box<Loose>),
    /// A value that came out of an earlier result.
    Referred(Box<Referred>),
}

/// What a rule takes for the same as others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Alike {
    /// An item of a list that is not looked at.
    Ignored,
    /// Anything.
    Present(Written),
    /// Anything of a JSON type.
    Type(&'static str, Written),
    /// What a rule names or describes.
    Fits(Arc<Rule>, Written),
}

/// How a value was written that a rule takes for the same as others. It is for the reader of a report and counts for
/// nothing: all are equal.
#[derive(Clone, Debug)]
pub struct Written(Box<str>);

/// How many characters are kept of it.
const WRITTEN: usize = 60;

impl Written {
    pub(super) fn of(value: &Value) -> Self {
        let mut written = Beginning { text: String::new(), left: WRITTEN };
        // Of a large value the rest is not written at all.
        if write!(written, "{value}").is_err() {
            written.text.push('…');
        }
        Self(written.text.into())
    }
}

/// Takes so many characters and refuses more.
struct Beginning {
    text: String,
    left: usize,
}

impl fmt::Write for Beginning {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let (taken, is_all) = match more.char_indices().nth(self.left) {
            Some((end, _)) => (&more[..end], false),
            None => (more, true),
        };
        self.text.push_str(taken);
        self.left -= taken.chars().count();
        if is_all { Ok(()) } else { Err(fmt::Error) }
    }
}

impl PartialEq for Written {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Written {}

impl PartialOrd for Written {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Written {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Written {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A value that may differ somewhat.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loose {
    /// The value.
    pub value: Value,
    /// How it may differ.
    pub rule: Arc<Rule>,
}

impl Value {
    /// Reads a value under the rules of a tool.
    #[must_use]
    pub fn read(json: &Json, rules: &ToolRules<'_>) -> Self {
        Self::read_text(json.text(), rules)
    }

    /// Reads a checked JSON text.
    pub(super) fn read_text(text: &str, rules: &ToolRules<'_>) -> Self {
        Reader::new(text, rules, None).value()
    }

    /// Whether this value is accepted where the other was recorded, or the other way round: they are equal, or differ
    /// by no more than rules allow.
    #[must_use]
    pub fn accepts(&self, other: &Self) -> bool {
        is_accepted(self, other)
    }

    /// The value itself, whatever leeway it has.
    pub(super) fn bare(&self) -> &Value {
        match self {
            Value::Loose(loose) => loose.value.bare(),
            Value::Referred(referred) => referred.value.bare(),
            value => value,
        }
    }

    /// Whether a part of it may differ without any hash finding it.
    pub(super) fn is_loose(&self) -> bool {
        match self {
            Value::Loose(_) | Value::Referred(_) => true,
            Value::Array(items) | Value::Unordered(items) => items.iter().any(Value::is_loose),
            Value::Object(members) => members.iter().any(|(_, value)| value.is_loose()),
            Value::Embedded(value) => value.is_loose(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Alike(_) => false,
        }
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
            Value::Unordered(items) => {
                feed(b"(");
                feed(&(items.len() as u64).to_le_bytes());
                items.iter().for_each(|item| item.feed(feed));
            }
            Value::Alike(Alike::Ignored) => feed(b"_i"),
            Value::Alike(Alike::Present(_)) => feed(b"_p"),
            Value::Alike(Alike::Type(kind, _)) => {
                feed(b"_t");
                feed(kind.as_bytes());
                feed(b";");
            }
            Value::Alike(Alike::Fits(rule, _)) => {
                feed(b"_f");
                feed(rule.to_string().as_bytes());
                feed(b";");
            }
            // Where both sides have the same value, the leeway is not needed.
            Value::Loose(loose) => loose.value.feed(feed),
            Value::Referred(referred) => referred.feed(feed),
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
            Value::Array(_) | Value::Unordered(_) => "a list",
            Value::Object(_) => "an object",
            Value::Embedded(_) => "a text that holds JSON",
            Value::Alike(Alike::Type(kind, _)) => kind,
            Value::Alike(_) => "anything",
            Value::Loose(_) | Value::Referred(_) => self.bare().kind(),
        }
    }
}

fn feed_text(mark: &[u8], text: &Text, feed: &mut impl FnMut(&[u8])) {
    feed(mark);
    feed(&(text.bytes().len() as u64).to_le_bytes());
    feed(text.bytes());
}

impl fmt::Display for Value {
    /// As compact JSON, keys in order. What a rule takes for the same as others has a `~` before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &Text| Json::string(&text.lossy()).text().to_owned();
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(flag) => write!(f, "{flag}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(&quoted(text)),
            Value::Array(items) | Value::Unordered(items) => {
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
            Value::Alike(Alike::Ignored) => f.write_str("(ignored)"),
            // A rule lets it pass, so that it may be another one elsewhere.
            Value::Alike(Alike::Present(written) | Alike::Type(_, written) | Alike::Fits(_, written)) => {
                write!(f, "~{}", written.0)
            }
            Value::Loose(_) | Value::Referred(_) => self.bare().fmt(f),
        }
    }
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
    fn of_what_a_rule_lets_pass_the_beginning_is_kept() {
        let shown = |text: &str| Written::of(&read(text)).0.into_string();
        assert_eq!(shown("[1,2]"), "[1,2]");
        let exact = format!("\"{}\"", "é".repeat(WRITTEN - 2));
        assert_eq!(shown(&exact), exact);
        let longer = format!("\"{}\"", "é".repeat(WRITTEN));
        assert_eq!(shown(&longer), format!("\"{}…", "é".repeat(WRITTEN - 1)));
        let list = format!("[{}1]", "1,".repeat(WRITTEN));
        assert_eq!(shown(&list), format!("{}…", &list[..WRITTEN]));
    }

    #[test]
    fn it_shows_compact_json() {
        assert_eq!(read(r#"{ "b": [1.50, null], "a": "x" }"#).to_string(), r#"{"a":"x","b":[1.5,null]}"#);
    }
}
