//! Reading a JSON text into its canonical form, under the rules of a tool.

use super::canonical::{Alike, Value};
use super::how::Aspect;
use super::number::Number;
use super::path::{Path, PathStep};
use super::policy::{ToolRules, Treatment};
use super::reference::OriginsBefore;
use super::ruled::{Veil, ordered};
use super::text::{Form, Text};
use crate::recording::{Decoded, MAX_DEPTH, check, decode_string};

/// Reads a text that was checked before, so it needs no errors. No value it reads is deeper than [`MAX_DEPTH`].
pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) at: usize,
    pub(super) rules: &'a ToolRules<'a>,
    pub(super) origins: Option<&'a OriginsBefore<'a>>,
    pub(super) path: Path,
    /// In how many lists and objects, texts that hold some included, the value stands.
    depth: usize,
    /// What covers the place, where it is inside one that is not looked into.
    pub(super) veil: Option<Veil<'a>>,
}

/// A text shorter than this many bytes cannot hold a list or object.
const SHORTEST_CONTAINER: usize = 2;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, rules: &'a ToolRules<'a>, origins: Option<&'a OriginsBefore<'a>>) -> Self {
        Self { text, at: 0, rules, origins, path: Path::root(), depth: 0, veil: None }
    }

    /// A reader of another text that stands in the same place.
    pub(super) fn of<'b>(&self, text: &'b str) -> Reader<'b>
    where
        'a: 'b,
    {
        Reader { text, at: 0, path: self.path.clone(), veil: self.veil.clone(), ..*self }
    }

    /// A reader of what comes next, whatever rules say of places in it.
    pub(super) fn without_rules<'b>(&self, none: &'b ToolRules<'b>) -> Reader<'b>
    where
        'a: 'b,
    {
        Reader { at: self.at, rules: none, origins: None, ..self.of(self.text) }
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

    pub(super) fn value_as(&mut self, treatment: &Treatment<'_>) -> Value {
        self.white();
        match self.peek() {
            b'{' => self.object(),
            b'[' => ordered(self.array(), treatment.of(Aspect::Order), self.rules),
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
        (self.depth + depth_of(inner) <= MAX_DEPTH).then(|| self.of(inner).value_as(treatment))
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
    use crate::recording::Json;

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
