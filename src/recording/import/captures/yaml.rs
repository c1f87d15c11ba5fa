//! The items of a list in a YAML file, one after the other, each as JSON.
//!
//! The file is parsed as it streams by, so memory holds one item. What stands under an anchor is kept for its aliases,
//! within a bound: a file of a few lines can name more than any memory holds.

use std::collections::HashMap;
use std::io::BufRead;

use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::super::super::json::{Json, MAX_DEPTH};

/// The most that one item may say, aliases written out.
const MAX_ITEM: usize = 256 << 20;
/// The most that is kept for aliases.
const MAX_ANCHORS: usize = 64 << 20;

/// The key under which bytes stand as base64 in the JSON.
pub(in crate::recording::import) const BASE64: &str = "!!binary";

/// The items of the list at a key of the outermost mapping.
pub(in crate::recording::import) struct YamlItems {
    parser: Parser<Characters>,
    writer: Writer,
    key: &'static str,
    place: Place,
}

/// Where the reading is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Within,
    Ended,
}

/// Why the rest of a file cannot be read, and where.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::recording::import) struct YamlFault {
    pub(in crate::recording::import) line: u64,
    pub(in crate::recording::import) problem: String,
}

impl YamlItems {
    /// The items of the list at this key.
    pub(in crate::recording::import) fn new(text: Box<dyn BufRead + Send>, key: &'static str) -> Self {
        let characters = Characters { text, line: Vec::new(), at: 0 };
        Self { parser: Parser::new(characters), writer: Writer::default(), key, place: Place::Before }
    }

    fn event(&mut self) -> Result<(Event, u64), YamlFault> {
        match self.parser.next_token() {
            Ok((event, marker)) => Ok((event, marker.line() as u64)),
            Err(error) => {
                self.place = Place::Ended;
                Err(YamlFault { line: error.marker().line() as u64, problem: error.info().to_owned() })
            }
        }
    }

    /// Passes all up to the list. `false` where there is none.
    fn seek(&mut self) -> Result<bool, YamlFault> {
        loop {
            let (event, line) = self.event()?;
            match event {
                Event::StreamEnd => return Ok(false),
                Event::MappingStart(..) => break,
                Event::SequenceStart(..) | Event::Scalar(..) | Event::Alias(_) => return Ok(false),
                _ if line > 10_000 => return Ok(false),
                _ => {}
            }
        }
        loop {
            let (event, line) = self.event()?;
            match event {
                Event::Scalar(key, ..) if key == self.key => {
                    return Ok(matches!(self.event()?.0, Event::SequenceStart(..)));
                }
                Event::Scalar(..) => {
                    let (value, line) = self.event()?;
                    self.node(value, line)?;
                }
                Event::MappingEnd | Event::StreamEnd => return Ok(false),
                other => {
                    self.node(other, line)?;
                }
            }
        }
    }

    /// The value that begins with this event.
    fn node(&mut self, first: Event, line: u64) -> Result<String, YamlFault> {
        let mut event = first;
        loop {
            if let Err(problem) = self.writer.take(event) {
                self.place = Place::Ended;
                return Err(YamlFault { line, problem });
            }
            if self.writer.open.is_empty() {
                return Ok(std::mem::take(&mut self.writer.text));
            }
            event = self.event()?.0;
        }
    }

    fn item(&mut self) -> Result<Option<(u64, Json)>, YamlFault> {
        if self.place == Place::Before {
            self.place = if self.seek()? { Place::Within } else { Place::Ended };
        }
        if self.place == Place::Ended {
            return Ok(None);
        }
        let (event, line) = self.event()?;
        if matches!(event, Event::SequenceEnd | Event::StreamEnd) {
            self.place = Place::Ended;
            return Ok(None);
        }
        let text = self.node(event, line)?;
        match Json::parse(text) {
            Ok(json) => Ok(Some((line, json))),
            Err(fault) => Err(YamlFault { line, problem: fault.to_string() }),
        }
    }
}

impl Iterator for YamlItems {
    type Item = Result<(u64, Json), YamlFault>;

    fn next(&mut self) -> Option<Self::Item> {
        self.item().transpose()
    }
}

/// Writes a value as JSON.
#[derive(Default)]
struct Writer {
    text: String,
    open: Vec<Open>,
    anchors: HashMap<usize, String>,
    /// How much the anchors hold.
    anchored: usize,
}

/// A list or an object that is open.
struct Open {
    is_object: bool,
    parts: usize,
    /// The anchor that it stands under, and where its text starts.
    anchor: Option<(usize, usize)>,
}

impl Writer {
    fn take(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_key = self.is_key();
                let json =
                    if is_key { Json::string(&text).text().to_owned() } else { scalar(&text, style, tag.as_ref()) };
                self.whole(&json, anchor)?;
            }
            Event::Alias(anchor) => {
                if self.is_key() {
                    return Err("an alias as a key".into());
                }
                let text = self.anchors.get(&anchor).cloned().ok_or("an alias of something that it is a part of")?;
                self.whole(&text, 0)?;
            }
            Event::SequenceStart(anchor, _) => self.start('[', anchor)?,
            Event::MappingStart(anchor, _) => self.start('{', anchor)?,
            Event::SequenceEnd => self.end(']')?,
            Event::MappingEnd => self.end('}')?,
            _ => return Err("the end of the document within a value".into()),
        }
        if self.text.len() > MAX_ITEM { Err(format!("it says more than {MAX_ITEM} bytes")) } else { Ok(()) }
    }

    /// Whether the next value is a key.
    fn is_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_object && open.parts.is_multiple_of(2))
    }

    fn separate(&mut self) {
        if let Some(open) = self.open.last_mut() {
            if open.is_object && !open.parts.is_multiple_of(2) {
                self.text.push(':');
            } else if open.parts > 0 {
                self.text.push(',');
            }
            open.parts += 1;
        }
    }

    fn whole(&mut self, json: &str, anchor: usize) -> Result<(), String> {
        self.separate();
        self.text.push_str(json);
        if anchor == 0 { Ok(()) } else { self.keep(anchor, json.to_owned()) }
    }

    fn start(&mut self, bracket: char, anchor: usize) -> Result<(), String> {
        if self.is_key() {
            return Err("a key that is no text".into());
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("it is more than {MAX_DEPTH} levels deep"));
        }
        self.separate();
        let anchor = (anchor != 0).then_some((anchor, self.text.len()));
        self.open.push(Open { is_object: bracket == '{', parts: 0, anchor });
        self.text.push(bracket);
        Ok(())
    }

    fn end(&mut self, bracket: char) -> Result<(), String> {
        self.text.push(bracket);
        match self.open.pop().and_then(|open| open.anchor) {
            Some((anchor, start)) => self.keep(anchor, self.text[start..].to_owned()),
            None => Ok(()),
        }
    }

    fn keep(&mut self, anchor: usize, text: String) -> Result<(), String> {
        self.anchored += text.len();
        if self.anchored > MAX_ANCHORS {
            return Err(format!("its anchors hold more than {MAX_ANCHORS} bytes"));
        }
        self.anchors.insert(anchor, text);
        Ok(())
    }
}

/// A scalar as YAML means it.
fn scalar(text: &str, style: TScalarStyle, tag: Option<&Tag>) -> String {
    if tag.is_some_and(|tag| tag.suffix == "binary") {
        let base64: String = text.split_whitespace().collect();
        return format!("{{\"{BASE64}\":{}}}", Json::string(&base64).text());
    }
    let is_plain = style == TScalarStyle::Plain && tag.is_none_or(|tag| tag.suffix != "str");
    let word = match text {
        "" | "~" | "null" | "Null" | "NULL" => Some("null"),
        "true" | "True" | "TRUE" => Some("true"),
        "false" | "False" | "FALSE" => Some("false"),
        _ => None,
    };
    let starts_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    match word {
        Some(word) if is_plain => word.to_owned(),
        _ if is_plain && starts_number && Json::parse(text).is_ok() => text.to_owned(),
        _ => Json::string(text).text().to_owned(),
    }
}

/// The characters of a text, line by line; what is no UTF-8 is replaced.
struct Characters {
    text: Box<dyn BufRead + Send>,
    line: Vec<char>,
    at: usize,
}

impl Iterator for Characters {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        if self.at == self.line.len() {
            let mut line = Vec::new();
            // An error ends the text, and then the value that is open cannot be read.
            self.text.read_until(b'\n', &mut line).ok().filter(|read| *read > 0)?;
            self.line = String::from_utf8_lossy(&line).chars().collect();
            self.at = 0;
        }
        let next = self.line.get(self.at).copied();
        self.at += 1;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<Result<String, YamlFault>> {
        let text = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        YamlItems::new(text, "items").map(|item| item.map(|(_, json)| json.text().to_owned())).collect()
    }

    #[test]
    fn items_are_read_as_yaml_means_them() {
        let text = "version: 1\nother: {a: [1]}\nitems:\n- a: 1\n  b: '1'\n  c: [true, null, ~, 1.5, 1e, '']\n  d: |\n    x\n    y\n- !!binary |\n  aGVs\n  bG8=\n- \"\\U0001F600 \\x41 a\\\n  \\ b\"\nend: 1\n";
        let found: Vec<_> = items(text).into_iter().map(Result::unwrap).collect();
        assert_eq!(found[0], r#"{"a":1,"b":"1","c":[true,null,null,1.5,"1e",""],"d":"x\ny\n"}"#);
        assert_eq!((found[1].as_str(), found[2].as_str()), (r#"{"!!binary":"aGVsbG8="}"#, "\"😀 A a b\""));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn aliases_say_what_their_anchors_hold_within_a_bound() {
        assert_eq!(items("items:\n- &a {x: [1]}\n- {y: *a}\n")[1], Ok(r#"{"y":{"x":[1]}}"#.into()));
        let mut bomb = String::from("items:\n- &a0 [xxxxxxxxxx]\n");
        for level in 1..40 {
            bomb += &format!("- &a{level} [*a{}, *a{}, *a{}]\n", level - 1, level - 1, level - 1);
        }
        assert!(items(&bomb).last().unwrap().is_err());
    }

    #[test]
    fn a_file_that_is_broken_gives_what_came_before() {
        let found = items("items:\n- a: 1\n- b: [\n");
        assert!(found[0].is_ok() && found[1].is_err() && found.len() == 2, "{found:?}");
        for empty in ["", "a: 1", "- 1", "items: 3", "items: []", "\t", "{", "%"] {
            assert!(items(empty).iter().all(Result::is_err), "{empty}");
        }
        let deep = format!("items:\n- {}", "[".repeat(100_000));
        assert!(items(&deep)[0].is_err());
        assert!(items("items:\n- {a: 1, a: 2}\n")[0].is_err(), "a key twice");
    }
}
