//! Where a value came from: out of which earlier result, from which place in it.

use std::collections::HashMap;
use std::sync::Arc;

use super::arguments::Arguments;
use super::canonical::Value;
use super::path::Path;
use super::policy::ToolRules;
use super::text::Text;
use crate::recording::Json;

/// The call that a result belongs to. Calls of two sequences that correspond to each other have one label.
pub(crate) type Label = u64;

/// A place in a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Source {
    /// The call, as both sequences know it.
    label: Label,
    /// Where in its result.
    path: Arc<str>,
    /// The call's place in its own sequence, counted from 0.
    call: usize,
}

impl Source {
    fn is_same(&self, other: &Self) -> bool {
        self.label == other.label && self.path == other.path
    }
}

/// A part of a text: as it is written, or out of a result.
#[derive(Clone, Debug)]
enum Part {
    Written(Box<str>),
    /// The places where it stands, the first one foremost; never empty.
    Out(Vec<Source>),
}

/// A value that came out of earlier results, wholly or in part. It is known by where it came from, not by what it is;
/// but a number is no text, wherever both came from.
#[derive(Clone, Debug)]
pub struct Referred {
    pub(super) value: Value,
    parts: Vec<Part>,
}

/// What a value is known by: each written part, and the first source of each other.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Trace<'a> {
    Written(&'a str),
    Out(Label, &'a str),
}

impl Referred {
    fn trace(&self) -> Vec<Trace<'_>> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Written(text) => Trace::Written(text),
                Part::Out(sources) => Trace::Out(sources[0].label, &sources[0].path),
            })
            .collect()
    }

    pub(super) fn feed(&self, feed: &mut impl FnMut(&[u8])) {
        feed(self.value.kind().as_bytes());
        for trace in self.trace() {
            match trace {
                Trace::Written(text) => {
                    feed(b"w");
                    feed(&(text.len() as u64).to_le_bytes());
                    feed(text.as_bytes());
                }
                Trace::Out(label, path) => {
                    feed(b"o");
                    feed(&label.to_le_bytes());
                    feed(path.as_bytes());
                    feed(b";");
                }
            }
        }
    }

    fn known_by(&self) -> (&'static str, Vec<Trace<'_>>) {
        (self.value.kind(), self.trace())
    }

    /// Whether both can have come from the same places.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.value.kind() == other.value.kind()
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|parts| match parts {
                (Part::Written(a), Part::Written(b)) => a == b,
                (Part::Out(a), Part::Out(b)) => a.iter().any(|source| b.iter().any(|other| source.is_same(other))),
                _ => false,
            })
    }

    /// The value with where it came from, for a person.
    pub(super) fn told(&self) -> String {
        let sources = self.parts.iter().filter_map(|part| match part {
            Part::Out(sources) => Some(&sources[0]),
            Part::Written(_) => None,
        });
        let told: Vec<String> = sources.map(|source| format!("call {} {}", source.call + 1, source.path)).collect();
        format!("{} (out of {})", self.value, told.join(", "))
    }

    fn relabel(&mut self, label: &impl Fn(usize) -> Label) {
        for part in &mut self.parts {
            if let Part::Out(sources) = part {
                sources.iter_mut().for_each(|source| source.label = label(source.call));
            }
        }
    }
}

impl PartialEq for Referred {
    fn eq(&self, other: &Self) -> bool {
        self.known_by() == other.known_by()
    }
}

impl Eq for Referred {}

impl std::hash::Hash for Referred {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.known_by().hash(state);
    }
}

impl PartialOrd for Referred {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Referred {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.known_by().cmp(&other.known_by())
    }
}

impl Value {
    /// Names the calls that its parts came out of anew.
    pub(super) fn relabel(&mut self, label: &impl Fn(usize) -> Label) {
        match self {
            Value::Referred(referred) => referred.relabel(label),
            Value::Loose(loose) => loose.value.relabel(label),
            Value::Array(items) => items.iter_mut().for_each(|item| item.relabel(label)),
            Value::Unordered(items) => {
                items.iter_mut().for_each(|item| item.relabel(label));
                // Their order was that of the names.
                items.sort();
            }
            Value::Object(members) => members.iter_mut().for_each(|(_, value)| value.relabel(label)),
            Value::Embedded(value) => value.relabel(label),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Alike(_) => {}
        }
    }
}

/// The values in the results of a sequence of calls, and where they stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    places: HashMap<Arc<str>, Vec<Source>>,
    /// The texts by how they begin, the longest first: what may stand inside a longer text.
    by_start: HashMap<[u8; SHORTEST_PART], Vec<Arc<str>>>,
}

/// A part of a longer text is looked for from so many characters on: shorter ones are everywhere.
const SHORTEST_PART: usize = 4;

/// The longest text in which parts are looked for, in bytes.
const LOOKED_THROUGH: usize = 16_384;

impl Origins {
    /// Takes in the result of a call; `call` is its place.
    pub(crate) fn add(&mut self, call: usize, label: Label, result: &Json) {
        Value::read(result, &ToolRules::none()).for_each_place(&mut |path, value| match value {
            Value::Number(number) => self.put(number.to_string(), Source { label, path: shown(path), call }),
            Value::Text(text) => self.take_text(call, label, text, path),
            _ => {}
        });
    }

    /// A text as a whole, and in prose each word that looks like an id.
    fn take_text(&mut self, call: usize, label: Label, text: &Text, path: &Path) {
        let Some(text) = text.as_str().filter(|text| !text.is_empty()) else { return };
        self.put(text.to_owned(), Source { label, path: shown(path), call });
        let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
        let ids = words.filter(|word| *word != text && looks_like_id(word));
        for (at, word) in ids.enumerate() {
            let path = format!("{path} (id {})", at + 1).into();
            self.put(word.to_owned(), Source { label, path, call });
        }
    }

    fn put(&mut self, text: String, source: Source) {
        let text: Arc<str> = text.into();
        if !self.places.contains_key(&text)
            && let Some(start) = text.as_bytes().first_chunk()
        {
            let alike = self.by_start.entry(*start).or_default();
            alike.insert(alike.partition_point(|other| other.len() > text.len()), Arc::clone(&text));
        }
        self.places.entry(text).or_default().push(source);
    }

    /// The calls whose results the arguments of a call use, each once. Only texts that look like ids count, and long
    /// numbers: any call may say `5`.
    pub(super) fn used_by(&self, arguments: Option<&Json>, call: usize) -> Vec<usize> {
        let mut used = Vec::new();
        if let Some(value) = Arguments::read(arguments, &ToolRules::none()).value() {
            let before = self.before(call);
            value.for_each_place(&mut |_, value| match value {
                Value::Number(number) => before.use_of(&number.to_string(), &mut used),
                Value::Text(text) => text.as_str().into_iter().for_each(|text| before.use_of(text, &mut used)),
                _ => {}
            });
        }
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The same, as far as it was known before a call was made.
    pub(super) fn before(&self, call: usize) -> OriginsBefore<'_> {
        OriginsBefore { origins: self, before: call }
    }
}

/// A word that a program made: long enough, with a digit in it.
fn looks_like_id(word: &str) -> bool {
    word.len() >= SHORTEST_PART && word.bytes().any(|byte| byte.is_ascii_digit())
}

fn shown(path: &Path) -> Arc<str> {
    path.to_string().into()
}

/// What was known of results before a call was made.
pub(super) struct OriginsBefore<'a> {
    origins: &'a Origins,
    before: usize,
}

impl OriginsBefore<'_> {
    /// The value by where it came from; as it is where it came from nowhere.
    pub(super) fn trace(&self, value: Value) -> Value {
        let text = match &value {
            Value::Text(text) => text.as_str().map(str::to_owned),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let Some(text) = text else { return value };
        let parts = match self.sources(&text) {
            Some(sources) => vec![Part::Out(sources)],
            None if matches!(value, Value::Text(_)) => self.parts(&text),
            None => return value,
        };
        match parts.iter().any(|part| matches!(part, Part::Out(_))) {
            true => Value::Referred(Box::new(Referred { value, parts })),
            false => value,
        }
    }

    fn use_of(&self, text: &str, used: &mut Vec<usize>) {
        if looks_like_id(text) {
            used.extend(self.sources(text).iter().flatten().take(1).map(|source| source.call));
        }
    }

    fn sources(&self, text: &str) -> Option<Vec<Source>> {
        let found: Vec<Source> =
            self.origins.places.get(text)?.iter().filter(|source| source.call < self.before).cloned().collect();
        (!found.is_empty()).then_some(found)
    }

    /// A longer text in its parts: from the left, at each edge of a word, the longest part that stands in a result.
    fn parts(&self, text: &str) -> Vec<Part> {
        if text.len() > LOOKED_THROUGH {
            return vec![Part::Written(text.into())];
        }
        let edges = edges(text);
        let (mut parts, mut written, mut at) = (Vec::new(), 0, 0);
        while at < edges.len() {
            let from = edges[at];
            let start = text.as_bytes()[from..].first_chunk();
            let alike = start.and_then(|start: &[u8; SHORTEST_PART]| self.origins.by_start.get(start));
            let found = alike.into_iter().flatten().find_map(|part| {
                let to = from + part.len();
                let fits = part.len() < text.len() && text[from..].starts_with(&**part);
                let fits = fits && edges.binary_search(&to).is_ok();
                fits.then(|| self.sources(part)).flatten().map(|sources| (to, sources))
            });
            match found {
                Some((to, sources)) => {
                    if written < from {
                        parts.push(Part::Written(text[written..from].into()));
                    }
                    parts.push(Part::Out(sources));
                    written = to;
                    at = edges.partition_point(|edge| *edge < to);
                }
                None => at += 1,
            }
        }
        if written < text.len() {
            parts.push(Part::Written(text[written..].into()));
        }
        parts
    }
}

/// The places in a text where a word begins or ends.
fn edges(text: &str) -> Vec<usize> {
    let mut edges = Vec::new();
    let mut before = false;
    for (at, c) in text.char_indices() {
        let is_word = c.is_alphanumeric();
        if at == 0 || is_word != before || !is_word {
            edges.push(at);
        }
        before = is_word;
    }
    edges.push(text.len());
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(results: &[&str], argument: &str) -> Value {
        let mut origins = Origins::default();
        for (call, result) in results.iter().enumerate() {
            origins.add(call, call as Label, &Json::parse(*result).unwrap());
        }
        let value = Value::read(&Json::parse(argument).unwrap(), &ToolRules::none());
        origins.before(results.len()).trace(value)
    }

    #[test]
    fn an_id_is_known_by_where_it_came_from() {
        let old = [r#"{"order":{"id":"ord_1"},"items":[{"sku":71}]}"#];
        let new = [r#"{"order":{"id":"ord_9"},"items":[{"sku":33}]}"#];
        assert_eq!(traced(&old, "\"ord_1\""), traced(&new, "\"ord_9\""));
        assert_eq!(traced(&old, "71"), traced(&new, "33"));
        assert_eq!(traced(&old, "\"/v1/ord_1/items?of=71\""), traced(&new, "\"/v1/ord_9/items?of=71\""));
        assert_ne!(traced(&old, "\"/v1/ord_1/items\""), traced(&new, "\"/v2/ord_9/items\""));
        assert_ne!(traced(&old, "\"ord_1\""), traced(&new, "33"), "another place");
        assert_ne!(traced(&old, "\"ord_1\""), traced(&new, "\"ord_5\""), "from nowhere");
        assert_eq!(traced(&old, "\"ord_5\"").to_string(), "\"ord_5\"");
    }

    #[test]
    fn prose_and_json_in_texts_hand_out_ids_too() {
        let (old, new) = (["\"Order ord-17 was made, ticket T100.\""], ["\"Order ord-88 was made, ticket T200.\""]);
        assert_eq!(traced(&old, "\"ord-17\""), traced(&new, "\"ord-88\""));
        assert_ne!(traced(&old, "\"ord-17\""), traced(&new, "\"T200\""));
        let (old, new) = ([r#""{\"id\":\"a81f\"}""#], [r#""{\"id\":\"b92c\"}""#]);
        assert_eq!(traced(&old, "\"a81f\""), traced(&new, "\"b92c\""));
    }

    #[test]
    fn a_value_of_several_places_agrees_where_one_of_them_is_common() {
        let old = ["\"x100\"", r#"{"id":"x100"}"#];
        let new = ["\"y200\"", r#"{"id":"z300"}"#];
        let (Value::Referred(a), Value::Referred(b)) = (traced(&old, "\"x100\""), traced(&new, "\"z300\"")) else {
            panic!("both came out of results");
        };
        assert!(a.agrees(&b) && b.agrees(&a) && a != b);
        assert_eq!(b.told(), "\"z300\" (out of call 2 $.id)");
    }
}
