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
use crate::recording::{Decoded, Json, MAX_DEPTH, check, decode_string};

/// Reads a text that was checked before, so it needs no errors. No value it reads is deeper than [`MAX_DEPTH`].
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    rules: &'a ToolRules<'a>,
    origins: Option<&'a OriginsBefore<'a>>,
    path: Path,
    /// In how many lists and objects, texts that hold some included, the value stands.
    depth: usize,
}

/// A text shorter than this many bytes cannot hold a list or object.
const SHORTEST_CONTAINER: usize = 2;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, rules: &'a ToolRules<'a>, origins: Option<&'a OriginsBefore<'a>>) -> Self {
        Self { text, at: 0, rules, origins, path: Path::root(), depth: 0 }
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
        // Texts inside texts may each be as deep as a value may be, and so be too deep together.
        if self.depth + depth_of(inner) > MAX_DEPTH {
            return None;
        }
        let path = self.path.clone();
        let (rules, origins, depth) = (self.rules, self.origins, self.depth);
        Some(Reader { text: inner, at: 0, rules, origins, path, depth }.value_as(treatment))
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
        Some(
            Reader { text: json.text(), at: 0, rules: self.rules, origins: None, path, depth: self.depth }
                .value_as(treatment),
        )
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
        self.depth += 1;
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
        self.depth -= 1;
        items
    }

    fn object(&mut self) -> Value {
        self.at += 1;
        self.depth += 1;
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
        self.depth -= 1;
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

/// How many lists and objects of a checked text stand in one another at most.
fn depth_of(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Value {
        Value::read(&Json::parse(text).unwrap(), &ToolRules::none())
    }

    /// Texts inside texts, each of which holds so many lists around the next.
    fn nest(texts: usize, lists: usize, leaf: &str) -> String {
        (0..texts).fold(leaf.to_owned(), |inner, _| {
            let text = format!("{}{inner}{}", "[".repeat(lists), "]".repeat(lists));
            Json::string(&text).text().to_owned()
        })
    }

    #[test]
    fn texts_inside_texts_are_read_as_deep_as_any_value() {
        for (texts, lists) in [(1, 512), (2, 256), (4, 128), (8, 64)] {
            let [one, same, other] = ["1", "1.0", "2"].map(|leaf| read(&nest(texts, lists, leaf)));
            assert_eq!(one, same, "{texts} x {lists}");
            assert_eq!(one.hash128(), same.hash128());
            assert!(!one.accepts(&other) && !other.accepts(&one));
            assert_eq!(read(&one.to_string()), one);
        }
    }

    #[test]
    fn what_lies_deeper_than_any_value_may_be_is_a_plain_text() {
        for (texts, lists) in [(4, 500), (8, 400), (2, 257), (10, 100)] {
            let [one, same, spelled] = ["1", "1", "1.0"].map(|leaf| read(&nest(texts, lists, leaf)));
            assert!(one == same && one.hash128() == same.hash128());
            assert!(!one.accepts(&spelled) && !spelled.accepts(&one), "{texts} x {lists}");
            assert_eq!(super::super::differences(&one, &spelled).len(), 1);
        }
        // The place in the value counts, not the text alone.
        let below = |lists: usize, leaf: &str| read(&format!("{}{leaf}{}", "[".repeat(lists), "]".repeat(lists)));
        assert_eq!(below(502, &nest(1, 10, "1")), below(502, &nest(1, 10, "1.0")));
        assert_ne!(below(503, &nest(1, 10, "1")), below(503, &nest(1, 10, "1.0")));
    }

    #[test]
    fn brackets_in_strings_are_not_deep() {
        assert_eq!(depth_of(r#"{"a[[":["\"[{","\\",[]]}"#), 3);
        assert_eq!(depth_of("1"), 0);
    }
}
