//! A call's arguments as the wire means them.

use std::fmt;

use super::canonical::Value;
use super::difference::{Change, Difference, differences};
use super::how::How;
use super::path::Path;
use super::policy::ToolRules;
use super::reader::Reader;
use super::reference::{Label, Origins, OriginsBefore};
use super::rule::Rule;
use super::text::{Form, Text};
use super::walk::count_differences;
use crate::recording::{Decoded, FaultKind, Json, Kind, ToolName, check, decode_string};

/// The arguments of a call. An object, the JSON text of one, and `""`, `null` or nothing for no arguments all
/// mean an object; what a model broke off or garbled is equal to itself only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arguments {
    /// What the tool is called with, mostly an object.
    Value(Value),
    /// A text that ends before the JSON in it does: a model, or who recorded it, broke off.
    CutOff(Text),
    /// A text that should hold JSON and does not.
    Broken(Text),
    /// A text that holds the JSON of a text that holds the JSON of an object: encoded twice, or more often.
    DoubleEncoded(Value, Times),
}

/// How often arguments were encoded beyond the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Times(u32);

/// What the arguments of a call are read under.
#[derive(Clone, Copy)]
struct Reading<'a> {
    rules: &'a ToolRules<'a>,
    origins: Option<&'a OriginsBefore<'a>>,
}

impl<'a> Reading<'a> {
    fn value(&self, text: &str) -> Value {
        Reader::new(text, self.rules, self.origins).value()
    }
}

impl Arguments {
    /// Reads arguments in any of their forms.
    #[must_use]
    pub fn read(arguments: Option<&Json>, rules: &ToolRules<'_>) -> Self {
        Self::read_in(arguments, &Reading { rules, origins: None })
    }

    /// The same for a call that was made after so many others, whose results are known: where rules ask for it, a
    /// value that came out of one of them is known by where it came from.
    #[must_use]
    pub(crate) fn read_after(
        arguments: Option<&Json>,
        rules: &ToolRules<'_>,
        results: Option<&Origins>,
        calls: usize,
    ) -> Self {
        let before = results.map(|results| results.before(calls));
        Self::read_in(arguments, &Reading { rules, origins: before.as_ref() })
    }

    fn read_in(arguments: Option<&Json>, reading: &Reading<'_>) -> Self {
        let Some(json) = arguments else { return Self::none() };
        match json.kind() {
            Kind::Null => Self::none(),
            Kind::String => Self::read_text(decode_string(json.text()), reading),
            _ => Arguments::Value(reading.value(json.text())),
        }
    }

    /// Whether a rule applies to something in the arguments of a call, or to something that may be absent from them.
    #[must_use]
    pub fn are_touched_by(rule: &Rule, tool: &ToolName, arguments: Option<&Json>) -> bool {
        if !rule.is_for(tool) {
            return false;
        }
        let of_absent = matches!(rule.how(), How::Optional | How::Default(_) | How::Schema);
        let mut is_touched = of_absent;
        Self::read(arguments, &ToolRules::none())
            .for_each_place(&mut |path, _| is_touched = is_touched || rule.covers(path));
        is_touched
    }

    fn none() -> Self {
        Arguments::Value(Value::Object(Vec::new()))
    }

    fn read_text(decoded: Decoded<'_>, reading: &Reading<'_>) -> Self {
        let content = decoded.clone().into_lossy();
        // What other characters count as white space, JSON does not know.
        let content = content.trim_matches([' ', '\t', '\n', '\r']);
        match check(content) {
            _ if content.is_empty() || content == "null" => Self::none(),
            Ok(_) if content.starts_with('{') => Arguments::Value(reading.value(content)),
            Ok(_) if content.starts_with('"') => match Self::read_text(decode_string(content), reading) {
                Arguments::Value(value) => Arguments::DoubleEncoded(value, Times(1)),
                Arguments::DoubleEncoded(value, Times(times)) => Arguments::DoubleEncoded(value, Times(times + 1)),
                _ => Arguments::Broken(Text::read(decoded, Form::Exact)),
            },
            Err(fault) if fault.kind == FaultKind::UnexpectedEnd => Arguments::CutOff(Text::read(decoded, Form::Exact)),
            _ => Arguments::Broken(Text::read(decoded, Form::Exact)),
        }
    }

    /// The paths where two calls' arguments differ.
    #[must_use]
    pub fn differences(&self, seen: &Arguments) -> Vec<Difference> {
        match self.values_with(seen) {
            Some((expected, seen)) => differences(expected, seen),
            None if self == seen => Vec::new(),
            None => {
                let change = seen.fault().or_else(|| self.fault()).unwrap_or(Change::Broken);
                vec![Difference::whole(Path::root(), change, &self.to_string(), &seen.to_string())]
            }
        }
    }

    /// What is wrong with them as a text, where something is.
    #[must_use]
    pub fn fault(&self) -> Option<Change> {
        match self {
            Arguments::Value(_) => None,
            Arguments::CutOff(_) => Some(Change::CutOff),
            Arguments::Broken(_) => Some(Change::Broken),
            Arguments::DoubleEncoded(..) => Some(Change::DoubleEncoded),
        }
    }

    /// Whether there is no [difference](Self::differences).
    #[must_use]
    pub fn accepts(&self, seen: &Arguments) -> bool {
        match self.values_with(seen) {
            Some((expected, seen)) => expected.accepts(seen),
            None => self == seen,
        }
    }

    /// How many [`differences`](Self::differences) there are; much cheaper than telling them.
    #[must_use]
    pub fn count_differences(&self, seen: &Arguments) -> usize {
        match self.values_with(seen) {
            Some((expected, seen)) => count_differences(expected, seen),
            None => usize::from(self != seen),
        }
    }

    /// The values on both sides, where they are written in the same way.
    fn values_with<'a>(&'a self, seen: &'a Arguments) -> Option<(&'a Value, &'a Value)> {
        match (self, seen) {
            (Arguments::Value(expected), Arguments::Value(seen)) => Some((expected, seen)),
            (Arguments::DoubleEncoded(expected, often), Arguments::DoubleEncoded(seen, as_often))
                if often == as_often =>
            {
                Some((expected, seen))
            }
            _ => None,
        }
    }

    /// The value, where they can be read.
    pub(super) fn value(&self) -> Option<&Value> {
        match self {
            Arguments::Value(value) | Arguments::DoubleEncoded(value, _) => Some(value),
            Arguments::CutOff(_) | Arguments::Broken(_) => None,
        }
    }

    /// Whether a part of them may differ without any hash finding it.
    pub(super) fn is_loose(&self) -> bool {
        self.value().is_some_and(Value::is_loose)
    }

    /// Names the calls that parts of them came out of anew.
    pub(super) fn relabel(&mut self, label: &impl Fn(usize) -> Label) {
        if let Arguments::Value(value) | Arguments::DoubleEncoded(value, _) = self {
            value.relabel(label);
        }
    }

    pub(super) fn feed(&self, feed: &mut impl FnMut(&[u8])) {
        match self {
            Arguments::Value(value) => value.feed(feed),
            Arguments::DoubleEncoded(value, Times(times)) => {
                feed(b"2");
                feed(&times.to_le_bytes());
                value.feed(feed);
            }
            Arguments::Broken(text) | Arguments::CutOff(text) => {
                feed(b"!");
                feed(text.bytes());
            }
        }
    }
}

impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arguments::Value(value) => value.fmt(f),
            Arguments::CutOff(text) => write!(f, "(cut off) {text}"),
            Arguments::Broken(text) => write!(f, "(broken JSON) {text}"),
            Arguments::DoubleEncoded(value, Times(1)) => write!(f, "(encoded twice) {value}"),
            Arguments::DoubleEncoded(value, Times(times)) => write!(f, "(encoded {} times) {value}", times + 1),
        }
    }
}

/// 128 bits that are equal exactly when two calls name the same tool with equal arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey(u128);

impl CallKey {
    /// The key of a call.
    #[must_use]
    pub fn of(tool: &ToolName, arguments: &Arguments) -> Self {
        Self::by(None, tool, arguments)
    }

    /// The key of a call by an agent, where that counts.
    pub(super) fn by(agent: Option<&str>, tool: &ToolName, arguments: &Arguments) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(tool.as_str().len() as u64).to_le_bytes());
        hasher.update(tool.as_str().as_bytes());
        arguments.feed(&mut |bytes| {
            hasher.update(bytes);
        });
        if let Some(agent) = agent {
            hasher.update(b"@");
            hasher.update(agent.as_bytes());
        }
        let mut low = [0; 16];
        low.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(u128::from_le_bytes(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Arguments {
        Arguments::read(Some(&Json::parse(text).unwrap()), &ToolRules::none())
    }

    #[test]
    fn every_wire_form_of_the_same_arguments_is_equal() {
        assert_eq!(read(r#""{\"order_id\":\"1001\",\"limit\":5}""#), read(r#"{"limit":5.0,"order_id":"1001"}"#));
        for nothing in ["\"\"", "null", "{}", "\"{}\"", "\" \"", "\"null\""] {
            assert_eq!(read(nothing), Arguments::read(None, &ToolRules::none()), "{nothing}");
        }
    }

    #[test]
    fn broken_arguments_equal_themselves_only() {
        let broken = r#""{\"order_id\":\"1001\"""#;
        assert_eq!(read(broken), read(broken));
        assert_ne!(read(broken), read(r#"{"order_id":"1001"}"#));
        assert_ne!(read(broken), read("{}"));
        assert_eq!(read(broken).differences(&read("{}"))[0].change, Change::CutOff);
        assert_eq!(read("{}").differences(&read(r#""{order}""#))[0].change, Change::Broken);
    }

    #[test]
    fn arguments_that_were_encoded_twice_equal_such_alone() {
        let twice = r#""\"{\\\"id\\\":1}\"""#;
        assert_eq!(read(twice), read(r#""\"{\\\"id\\\": 1.0}\"""#));
        assert_eq!(read(twice).to_string(), r#"(encoded twice) {"id":1}"#);
        assert_eq!(read(r#"{"id":1}"#).differences(&read(twice))[0].change, Change::DoubleEncoded);
        assert_ne!(read(r#"{"id":1}"#), read(twice));
    }

    #[test]
    fn arguments_that_are_no_object_are_compared_as_they_are() {
        assert_eq!(read("[1]"), read("[1.0]"));
        assert_ne!(read("[]"), read("{}"));
    }

    #[test]
    fn the_key_holds_the_tool_and_the_arguments() {
        let key = |tool: &str, text| CallKey::of(&ToolName::new(tool), &read(text));
        assert_eq!(key("t", r#"{"a":1}"#), key("t", r#"{"a":1.0}"#));
        assert_ne!(key("t", "{}"), key("T", "{}"));
        assert_ne!(key("t", r#"{"a":1}"#), key("t", r#"{"a":2}"#));
    }
}
