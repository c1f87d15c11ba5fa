//! The beginning of a file, as far as it shows what the file is.
//!
//! It may be cut off anywhere, so it is scanned and not parsed: which keys stand where, and the first value at each.

use std::collections::BTreeMap;
use std::path::Path;

/// How much of a file is looked at.
pub(super) const OPENING: usize = 1 << 20;

/// How deep keys are looked for.
const DEPTH: usize = 8;
/// How many different paths are remembered.
const PATHS: usize = 4096;
/// How much of a value is remembered.
const VALUE: usize = 200;

/// The beginning of a file.
pub(super) struct Opening {
    name: String,
    bytes: Vec<u8>,
    /// The first value at each path, empty where it is a list or an object.
    paths: BTreeMap<String, String>,
}

impl Opening {
    /// What these first bytes of a file show.
    pub(super) fn new(file: &Path, bytes: Vec<u8>) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let paths = Scan::new(text).paths();
        Self { name, bytes, paths }
    }

    /// With the columns of a table, which are paths too.
    pub(super) fn with_columns(mut self, columns: Vec<String>) -> Self {
        self.paths.extend(columns.into_iter().take(PATHS).map(|column| (column, String::new())));
        self
    }

    /// Whether the file's name ends so. Endings are in lower case.
    pub(super) fn is_named(&self, ending: &str) -> bool {
        self.name.ends_with(ending)
    }

    /// The first bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the first bytes back.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The first bytes as text; what is no text is replaced.
    pub(super) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Whether there is something at this path in one of the JSON values, as `resourceSpans[].scopeSpans`; a value
    /// that is a list itself starts with `[]`.
    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.contains_key(path)
    }

    /// Whether there is something at a path with this ending, whatever it lies in.
    pub(super) fn has_ending(&self, ending: &str) -> bool {
        self.paths.keys().any(|path| path.ends_with(ending))
    }

    /// The first value at this path, where it is a text, number or other word.
    pub(super) fn value(&self, path: &str) -> Option<&str> {
        self.paths.get(path).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The keys at the top of the JSON values (of the items, where they are in a list), for messages.
    pub(super) fn top_keys(&self) -> Vec<&str> {
        let top = self.paths.keys().map(|path| path.strip_prefix("[].").unwrap_or(path));
        top.filter(|path| !path.contains(['.', '[']) && !path.is_empty()).collect()
    }
}

/// Walks over JSON that may end anywhere.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How long the path was before each list or object that is open, and which it is.
    open: Vec<(usize, Inside)>,
    path: String,
    paths: BTreeMap<String, String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    List,
    Object,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, open: Vec::new(), path: String::new(), paths: BTreeMap::new() }
    }

    fn paths(mut self) -> BTreeMap<String, String> {
        // JSON starts with a bracket or a brace; other files have no paths.
        let starts = self.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if matches!(starts, Some(b'{' | b'[')) {
            while self.step().is_some() {}
        }
        self.paths
    }

    fn step(&mut self) -> Option<()> {
        let byte = *self.bytes.get(self.at)?;
        match byte {
            b'{' | b'[' => {
                self.found(String::new());
                let inside = if byte == b'{' { Inside::Object } else { Inside::List };
                self.open.push((self.path.len(), inside));
                if inside == Inside::List {
                    self.path.push_str("[]");
                }
                self.at += 1;
            }
            b'}' | b']' => {
                let (length, _) = self.open.pop()?;
                self.path.truncate(length);
                self.at += 1;
            }
            b'"' => {
                let text = self.string()?;
                let is_key = self.open.last().is_some_and(|(_, inside)| *inside == Inside::Object) && self.colon();
                if is_key { self.key(&text) } else { self.found(text) }
            }
            b',' | b':' => self.at += 1,
            byte if byte.is_ascii_whitespace() => self.at += 1,
            _ => {
                let rest = &self.bytes[self.at..];
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
                let length = rest.iter().position(ends)?;
                self.found(String::from_utf8_lossy(&rest[..length.min(VALUE)]).into_owned());
                self.at += length;
            }
        }
        Some(())
    }

    /// Passes a text and gives the start of it, with its escapes as they are.
    fn string(&mut self) -> Option<String> {
        let from = self.at + 1;
        let mut at = from;
        loop {
            match self.bytes.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Some(String::from_utf8_lossy(&self.bytes[from..at.min(from + VALUE)]).into_owned())
    }

    /// Passes the colon after a key, if there is one.
    fn colon(&mut self) -> bool {
        let rest = self.bytes[self.at..].iter();
        let blank = rest.take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_key = self.bytes.get(self.at + blank) == Some(&b':');
        if is_key {
            self.at += blank + 1;
        }
        is_key
    }

    /// Goes on below this key of the object that is open.
    fn key(&mut self, key: &str) {
        let length = self.open.last().map_or(0, |(length, _)| *length);
        self.path.truncate(length);
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
    }

    fn found(&mut self, value: String) {
        if self.open.len() <= DEPTH && (self.paths.len() < PATHS || self.paths.contains_key(&self.path)) {
            let known = self.paths.entry(self.path.clone()).or_default();
            if known.is_empty() {
                *known = value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(text: &str) -> Opening {
        Opening::new(Path::new("Traces.JSON"), text.as_bytes().to_vec())
    }

    #[test]
    fn keys_are_found_where_they_stand() {
        let opening = opening(r#"{"a": {"b": [{"c" : "x"}, {"d": 1.5}]}, "e": null, "f": ["k: v", "#);
        assert!(opening.has("a.b[].c") && opening.has("a.b[].d") && opening.has("e") && opening.has("f[]"));
        assert_eq!((opening.value("a.b[].c"), opening.value("a.b[].d")), (Some("x"), Some("1.5")));
        assert!(!opening.has("c") && !opening.has("a.c") && !opening.has("k"));
        assert_eq!((opening.value("a"), opening.top_keys()), (None, vec!["a", "e", "f"]));
        assert!(opening.is_named(".json"));
    }

    #[test]
    fn lines_and_lists_of_objects_are_looked_into() {
        let lines = opening("{\"a\":1}\n{\"b\":{\"c\":[[2]]}}\n");
        assert!(lines.has("a") && lines.has("b.c[][]"));
        let list = opening(r#"[{"traj": [{"role": "user"}]}]"#);
        assert_eq!((list.value("[].traj[].role"), list.top_keys()), (Some("user"), vec!["traj"]));
    }

    #[test]
    fn a_beginning_that_is_cut_or_no_json_does_no_harm() {
        for text in ["", "{", "[[[", "{\"a", "{\"a\\", "}", "]]]", "\u{0}", "interactions:\n- a: {\"b\": 1}", "PAR1"] {
            assert!(opening(text).paths.len() <= 3, "{text}");
        }
        assert!(opening("PK\u{3}\u{4}{\"a\":1}").paths.is_empty(), "it is no JSON");
    }
}
