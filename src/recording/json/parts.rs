//! The parts of a list or object whose text was checked before.

use std::ops::Range;

use super::check::plain_run;

/// Where the members of an object stand in its text: each key with its quotes, and each value.
pub(super) fn members(object: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut cursor = Cursor { bytes: object.as_bytes(), at: 1 };
    let mut members = Vec::new();
    while cursor.seek_part() {
        let key = cursor.value();
        cursor.seek_part();
        members.push((key, cursor.value()));
    }
    members
}

/// Where the items of a list stand in its text.
pub(super) fn items(list: &str) -> Vec<Range<usize>> {
    let mut cursor = Cursor { bytes: list.as_bytes(), at: 1 };
    let mut items = Vec::new();
    while cursor.seek_part() {
        items.push(cursor.value());
    }
    items
}

/// A place in text that is known to be JSON, so that only the ends of its parts are looked for.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
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
