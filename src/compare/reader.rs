//! Reading a JSON text into its canonical form, under the rules of a tool.

use std::sync::Arc;

use super::canonical::{Alike, Loose, Value, Written};
use super::how::{Aspect, How};
use super::number::Number;
use super::path::{Path, PathStep};
use super::policy::{ToolRules, Treatment};
use super::reference::OriginsBefore;
use super::rule::Rule;
use super::text::{Form, Text};
use crate::recording::{Decoded, Json, check, decode_string};

/// Reads a text that was checked before, so it needs no errors; its depth is bounded by that check.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    rules: &'a ToolRules<'a>,
    origins: Option<&'a OriginsBefore<'a>>,
    path: Path,
}

/// A text shorter than this many bytes cannot hold a list or object.
const SHORTEST_CONTAINER: usize = 2;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, rules: &'a ToolRules<'a>, origins: Option<&'a OriginsBefore<'a>>) -> Self {
        Self { text, at: 0, rules, origins, path: Path::root() }
    }

    /// The value, with nothing said of the place it stands in.
    pub(super) fn value(&mut self) -> Value {
        self.value_as(&Treatment::default())
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn white(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn value_as(&mut self, treatment: &Treatment<'_>) -> Value {
        self.white();
        match self.peek() {
            b'{' => self.object(),
            b'[' => ordered(self.array(), treatment.of(Aspect::Order)),
            b'"' => self.string(treatment),
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

    fn string(&mut self, treatment: &Treatment<'_>) -> Value {
        let decoded = decode_string(self.quoted());
        if let Decoded::Text(text) = &decoded
            && treatment.of(Aspect::Embedding).is_none()
            && let Some(value) = self.embedded(text, treatment)
        {
            return Value::Embedded(Box::new(value));
        }
        let form = if treatment.of(Aspect::Unicode).is_some() { Form::Exact } else { Form::Normal };
        let mut text = Text::read(decoded, form);
        if treatment.of(Aspect::Space).is_some() {
            text = text.trimmed();
        }
        if treatment.of(Aspect::Case).is_some() {
            text = text.caseless(form);
        }
        Value::Text(text)
    }

    /// The list or object that a text holds, if it holds one and nothing else.
    fn embedded(&self, text: &str, treatment: &Treatment<'_>) -> Option<Value> {
        let inner = text.trim_matches([' ', '\t', '\n', '\r']);
        let container = inner.len() >= SHORTEST_CONTAINER
            && ((inner.starts_with('{') && inner.ends_with('}')) || (inner.starts_with('[') && inner.ends_with(']')));
        if !container {
            return None;
        }
        check(inner).ok()?;
        let path = self.path.clone();
        Some(Reader { text: inner, at: 0, rules: self.rules, origins: self.origins, path }.value_as(treatment))
    }

    /// Reads what stands at the next step; `None` where it counts as absent.
    fn place(&mut self, step: impl FnOnce() -> PathStep) -> Option<Value> {
        if self.rules.is_empty() {
            return Some(self.value());
        }
        self.path.push(step());
        let treatment = self.rules.at(&self.path);
        let value = self.value_as(&treatment);
        let ruled = self.ruled(value, &treatment);
        self.path.pop();
        ruled
    }

    /// What rules make of a value.
    fn ruled(&self, value: Value, treatment: &Treatment<'_>) -> Option<Value> {
        let equality = treatment.of(Aspect::Equality);
        let equated = |value| match equality {
            Some(rule) => self.equated(value, rule),
            None => Some(value),
        };
        let value = equated(value)?;
        // What is alike to a value that counts as absent counts as absent too.
        let is_alike = |absent: Value| equated(absent).is_none_or(|absent| absent == value);
        if treatment.of(Aspect::Null).is_some() && is_alike(Value::Null) {
            return None;
        }
        let default = treatment.of(Aspect::Default).and_then(|rule| self.default_of(rule, treatment));
        if default.is_some_and(is_alike) {
            return None;
        }
        Some(match treatment.of(Aspect::Presence) {
            Some(rule) => loose(value, rule),
            None => value,
        })
    }

    /// The value that a rule takes for absent, read as what stands in its place is.
    fn default_of(&self, rule: &Rule, treatment: &Treatment<'_>) -> Option<Value> {
        let How::Default(json) = rule.how() else { return None };
        let path = self.path.clone();
        Some(Reader { text: json.text(), at: 0, rules: self.rules, origins: None, path }.value_as(treatment))
    }

    fn equated(&self, value: Value, rule: &Arc<Rule>) -> Option<Value> {
        Some(match rule.how() {
            How::Ignore => return None,
            How::Present => Value::Alike(Alike::Present(Written::of(&value))),
            How::Type => Value::Alike(Alike::Type(value.kind(), Written::of(&value))),
            How::Regex(pattern) if scalar_text(&value).is_some_and(|text| pattern.matches(&text)) => {
                Value::Alike(Alike::Fits(Arc::clone(rule), Written::of(&value)))
            }
            How::OneOf(values) if values.iter().any(|json| is_value(&value, json)) => {
                Value::Alike(Alike::Fits(Arc::clone(rule), Written::of(&value)))
            }
            How::Tolerance(_) | How::Window(_) => loose(value, rule),
            How::Reference => match self.origins {
                Some(origins) => origins.trace(value),
                None => value,
            },
            _ => value,
        })
    }

    fn array(&mut self) -> Vec<Value> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.white();
            match self.peek() {
                b']' | 0 => break,
                b',' => self.at += 1,
                _ => {
                    let index = items.len();
                    // An item keeps its place, so that those after it keep theirs.
                    let item = self.place(|| PathStep::Index(index)).unwrap_or(Value::Alike(Alike::Ignored));
                    items.push(item);
                }
            }
        }
        self.at += 1;
        items
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
        let key = Text::read(decode_string(self.quoted()), Form::Exact);
        self.white();
        self.at += 1;
        if let Some(value) = self.place(|| PathStep::Key(key.lossy().into_owned())) {
            members.push((key, value));
        }
    }
}

fn loose(value: Value, rule: &Arc<Rule>) -> Value {
    Value::Loose(Box::new(Loose { value, rule: Arc::clone(rule) }))
}

/// A list in the order that a rule asks for.
fn ordered(mut items: Vec<Value>, rule: Option<&Arc<Rule>>) -> Value {
    match rule.map(|rule| rule.how()) {
        Some(How::Set) => {
            items.sort();
            items.dedup();
            Value::Unordered(items)
        }
        Some(How::Bag) => {
            items.sort();
            Value::Unordered(items)
        }
        Some(How::SortedBy(path)) => {
            items.sort_by(|a, b| within(a, path).cmp(&within(b, path)).then_with(|| a.cmp(b)));
            Value::Array(items)
        }
        _ => Value::Array(items),
    }
}

/// What stands at a path in a value.
fn within<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    path.steps().iter().try_fold(value, |value, step| match (value.bare(), step) {
        (Value::Object(members), PathStep::Key(key)) => {
            members.iter().find(|(known, _)| known.as_str() == Some(key)).map(|(_, value)| value)
        }
        (Value::Array(items), PathStep::Index(index)) => items.get(*index),
        _ => None,
    })
}

fn is_value(value: &Value, json: &Json) -> bool {
    *value == Value::read(json, &ToolRules::none())
}

/// A text or number as text; other values match no pattern.
fn scalar_text(value: &Value) -> Option<std::borrow::Cow<'_, str>> {
    match value {
        Value::Text(text) => Some(text.lossy()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}
