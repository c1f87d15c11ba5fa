//! Reading a JSON document that is no JSONL: a list of interactions, or pretty-printed ones.
//!
//! It is cut into its values as it streams by, so memory holds one value at a time.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use super::json::Json;
use super::jsonl::{MAX_LINE, interaction, json};
use super::place::{At, Reject, RejectReason};
use super::unread::{Content, Found};

/// The interactions of a JSON document.
pub(super) struct DocumentRows {
    file: Arc<Path>,
    text: Box<dyn BufRead + Send>,
    offset: u64,
    number: u64,
    in_list: bool,
    ended: bool,
}

impl DocumentRows {
    pub(super) fn new(file: Arc<Path>, text: Box<dyn BufRead + Send>, offset: u64) -> Self {
        Self { file, text, offset, number: 0, in_list: false, ended: false }
    }

    fn peek(&mut self) -> std::io::Result<Option<u8>> {
        Ok(self.text.fill_buf()?.first().copied())
    }

    fn pass(&mut self) {
        self.text.consume(1);
        self.offset += 1;
    }

    /// Passes white space, the list's bracket and commas, up to the first byte of a value. `None` at the end.
    fn seek_value(&mut self) -> std::io::Result<Option<u8>> {
        while let Some(byte) = self.peek()? {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b'[' if self.number == 0 && !self.in_list => self.in_list = true,
                b',' if self.in_list && self.number > 0 => {}
                b']' if self.in_list => {
                    self.ended = true;
                    return Ok(None);
                }
                _ => return Ok(Some(byte)),
            }
            self.pass();
        }
        Ok(None)
    }

    /// Reads up to the end of the value that starts here; a value that never closes is read to the end.
    fn read_value(&mut self, value: &mut Vec<u8>) -> std::io::Result<()> {
        let (mut depth, mut in_text, mut escaped) = (0_u64, false, false);
        loop {
            let chunk = self.text.fill_buf()?;
            if chunk.is_empty() {
                return Ok(());
            }
            let mut used = 0;
            let mut complete = false;
            for &byte in chunk {
                let scalar_ended = depth == 0 && !in_text && !value.is_empty() && matches!(byte, b',' | b']' | b'\n');
                if scalar_ended {
                    complete = true;
                    break;
                }
                used += 1;
                value.push(byte);
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_text => escaped = true,
                    b'"' => in_text = !in_text,
                    b'{' | b'[' if !in_text => depth += 1,
                    b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
                    _ => continue,
                }
                if depth == 0 && !in_text && matches!(byte, b'}' | b']') {
                    complete = true;
                    break;
                }
            }
            self.text.consume(used);
            self.offset += used as u64;
            if complete || value.len() as u64 > MAX_LINE {
                return Ok(());
            }
        }
    }
}

impl DocumentRows {
    /// The next value as text.
    fn next_text(&mut self) -> Option<Result<(At, Vec<u8>), Reject>> {
        if self.ended {
            return None;
        }
        let mut value = Vec::new();
        let found = self.seek_value();
        let at = At::Value { number: self.number + 1, offset: self.offset };
        match found.and_then(|start| start.map(|_| self.read_value(&mut value)).transpose()) {
            Ok(None) => {
                self.ended = true;
                return None;
            }
            Ok(Some(())) => {}
            Err(error) => {
                self.ended = true;
                return Some(Err(Reject::new(&self.file, at, RejectReason::Unreadable(error.to_string()), &[])));
            }
        }
        self.number += 1;
        Some(Ok((at, value)))
    }

    /// After a broken value nothing says where the next one starts.
    fn end_if_broken(&mut self, reject: &Reject) {
        self.ended |= matches!(&reject.reason, RejectReason::Row { fault: super::RowFault::Json(_), .. });
    }
}

impl Iterator for DocumentRows {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let row = self.next_text()?.and_then(|(at, value)| interaction(&self.file, at, &value));
        row.as_ref().err().into_iter().for_each(|reject| self.end_if_broken(reject));
        Some(row.map(|(at, interaction)| (at, Content::Read(Box::new(interaction)))))
    }
}

/// The values of a JSON document, whatever they are.
pub(super) struct DocumentValues(pub(super) DocumentRows);

impl Iterator for DocumentValues {
    type Item = Result<(At, Json), Reject>;

    fn next(&mut self) -> Option<Self::Item> {
        let value = self.0.next_text()?.and_then(|(at, value)| Ok((at, json(&self.0.file, at, &value)?)));
        value.as_ref().err().into_iter().for_each(|reject| self.0.end_if_broken(reject));
        Some(value)
    }
}
