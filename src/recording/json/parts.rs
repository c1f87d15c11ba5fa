//! The parts of a list or object whose text was checked before.

use std::ops::Range;

use super::marks::Marks;
use super::scan::plain_run;

/// The members of an object, one by one: where each key with its quotes stands in the line, and each value.
pub(super) struct Members<'a>(Cursor<'a>);

/// The items of a list, one by one: where each stands in the line.
pub(super) struct Items<'a>(Cursor<'a>);

impl<'a> Members<'a> {
    /// Those of the object that stands here in the line.
    pub(super) fn of(line: &'a str, object: Range<usize>, marks: Option<&'a Marks>) -> Self {
        Self(Cursor::inside(line, object, marks))
    }
}

impl<'a> Items<'a> {
    /// Those of the list that stands here in the line.
    pub(super) fn of(line: &'a str, list: Range<usize>, marks: Option<&'a Marks>) -> Self {
        Self(Cursor::inside(line, list, marks))
    }
}

impl Iterator for Members<'_> {
    type Item = (Range<usize>, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let Self(cursor) = self;
        if !cursor.seek_part() {
            return None;
        }
        let key = cursor.value();
        cursor.seek_part();
        Some((key, cursor.value()))
    }
}

impl Iterator for Items<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self(cursor) = self;
        cursor.seek_part().then(|| cursor.value())
    }
}

/// The text without the white space between its parts.
pub(super) fn compact(json: &str) -> String {
    let mut cursor = Cursor { bytes: json.as_bytes(), at: 0, marks: None };
    let mut compact = String::with_capacity(json.len());
    while let Some(byte) = cursor.peek() {
        let from = cursor.at;
        match byte {
            b'"' => cursor.string(),
            b' ' | b'\t' | b'\n' | b'\r' => {
                cursor.at += 1;
                continue;
            }
            // Outside of texts JSON is ASCII.
            _ => cursor.at += 1,
        }
        compact.push_str(&json[from..cursor.at]);
    }
    compact
}

/// A place in text that is known to be JSON, so that only the ends of its parts are looked for.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    marks: Option<&'a Marks>,
}

impl<'a> Cursor<'a> {
    /// Just inside of a list or object.
    fn inside(line: &'a str, container: Range<usize>, marks: Option<&'a Marks>) -> Self {
        Self { bytes: &line.as_bytes()[..container.end], at: container.start + 1, marks }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Passes what stands between parts. False at the end of the list or object.
    fn seek_part(&mut self) -> bool {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b':')) {
            self.at += 1;
        }
        !matches!(self.peek(), None | Some(b']' | b'}'))
    }

    /// Passes one value.
    fn value(&mut self) -> Range<usize> {
        let from = self.at;
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{' | b'[') => self.container(),
            _ => {
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(ends).unwrap_or(rest.len());
            }
        }
        from..self.at
    }

    fn string(&mut self) {
        self.at += 1;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'\\') => self.at = (self.at + 2).min(self.bytes.len()),
                Some(_) => {
                    self.at += 1;
                    return;
                }
                None => return,
            }
        }
    }

    fn container(&mut self) {
        if let Some(end) = self.marks.and_then(|marks| marks.end(self.at)) {
            self.at = end;
            return;
        }
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}
