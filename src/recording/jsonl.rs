//! Reading JSONL: one interaction a line, whatever the file's writer did to the lines.

use std::io::{BufRead, Read};
use std::path::Path;
use std::sync::Arc;

use super::document::{DocumentRows, DocumentValues};
use super::json::{FaultKind, Json, check};
use super::place::{At, Reject, RejectReason};
use super::source::Read as RowRead;
use super::unread::{Content, Found, LineEnd};
use super::wire::{self, RowFault};

/// The longest line that is read: 256 MiB. A longer one is turned away and passed over.
pub const MAX_LINE: u64 = 256 << 20;

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// How much of a file is looked at to tell what it is.
const HEAD: u64 = 4096;

/// Opens the text of a recording as rows. One that is no JSONL but a JSON list or a pretty-printed object is read as that.
pub(super) fn rows(file: Arc<Path>, text: Box<dyn BufRead + Send>) -> Box<dyn Iterator<Item = Found> + Send> {
    match opened(file, text) {
        Opened::Lines(lines) => Box::new(lines),
        Opened::Document(rows) => Box::new(rows),
        Opened::Refused(reject) => Box::new(std::iter::once(Err(*reject))),
    }
}

/// Opens a text as the JSON values in it, whatever they are, one a line or in a list.
pub(super) fn values(
    file: Arc<Path>,
    text: Box<dyn BufRead + Send>,
) -> Box<dyn Iterator<Item = Result<(At, Json), Reject>> + Send> {
    match opened(Arc::clone(&file), text) {
        Opened::Lines(lines) => Box::new(lines.filter_map(move |row| match row {
            Ok((at, Content::Text { bytes, end })) => {
                let json = json(&file, at, &bytes);
                let json = if end == LineEnd::Open { json.map_err(torn_if_cut) } else { json };
                Some(json.map(|json| (at, json)))
            }
            // Lines come as text.
            Ok((_, Content::Read(_))) => None,
            Err(reject) => Some(Err(reject)),
        })),
        Opened::Document(rows) => Box::new(DocumentValues(rows)),
        Opened::Refused(reject) => Box::new(std::iter::once(Err(*reject))),
    }
}

/// What a text is.
enum Opened {
    Lines(LineRows),
    Document(DocumentRows),
    Refused(Box<Reject>),
}

fn opened(file: Arc<Path>, mut text: Box<dyn BufRead + Send>) -> Opened {
    let mut head = Vec::new();
    let broken = text.by_ref().take(HEAD).read_to_end(&mut head).err();
    if let Some(problem) = other_encoding(&head) {
        let fault = RejectReason::Row { fault: RowFault::Encoding(problem.into()), column: None };
        let at = At::Line { number: 1, offset: 0 };
        return Opened::Refused(Box::new(Reject::new(&file, at, fault, &[])));
    }
    let skipped = if head.starts_with(UTF8_BOM) { UTF8_BOM.len() as u64 } else { 0 };
    head.drain(..skipped as usize);
    let is_document = is_document(&head);
    let rest = std::io::BufReader::with_capacity(1, Broken(broken)).chain(text);
    let whole: Box<dyn BufRead + Send> = Box::new(std::io::Cursor::new(head).chain(rest));
    if is_document {
        Opened::Document(DocumentRows::new(file, whole, skipped))
    } else {
        Opened::Lines(LineRows { file, text: whole, number: 0, offset: skipped, ended: false })
    }
}

/// Whether the text starts a list, or an object that goes on in the next line. After a line that was only cut off the next
/// line starts an object of its own.
fn is_document(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    if head.first() != Some(&b'{') {
        return head.first() == Some(&b'[');
    }
    let Some(end) = head.iter().position(|byte| *byte == b'\n') else { return false };
    let (line, rest) = head.split_at(end);
    let goes_on = || {
        std::str::from_utf8(line)
            .is_ok_and(|line| check(line).is_err_and(|fault| fault.kind == FaultKind::UnexpectedEnd))
    };
    let next_is_inside = rest.trim_ascii_start().first().is_some_and(|next| *next != b'{');
    let line_is_open = matches!(line.trim_ascii_end().last(), Some(b'[' | b'{' | b',' | b':'));
    (next_is_inside || line_is_open) && goes_on()
}

/// Gives back, in its place, the error that ended the look at a file's head: the lines before it are good.
struct Broken(Option<std::io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Tells other encodings apart by their marks, or by the zero bytes that UTF-16 puts between letters.
fn other_encoding(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, b'{', ..] | [b'{', 0, ..] => Some(
            "the file is UTF-16, not UTF-8 (PowerShell's `>` writes that); convert it with `iconv -f UTF-16 -t UTF-8`",
        ),
        _ => None,
    }
}

/// What reading a line met.
enum Line {
    Whole,
    NoEnd,
    TooLong,
    End,
}

/// Reads one line into `line`, its end included, and says how many bytes it has. Of a line over the bound only the
/// first part is kept.
fn read_line(text: &mut (impl BufRead + ?Sized), line: &mut Vec<u8>) -> std::io::Result<(Line, u64)> {
    line.clear();
    let mut read = text.take(MAX_LINE).read_until(b'\n', line)? as u64;
    if line.last() == Some(&b'\n') {
        return Ok((Line::Whole, read));
    }
    if read < MAX_LINE {
        return Ok((if read == 0 { Line::End } else { Line::NoEnd }, read));
    }
    line.truncate(1024);
    loop {
        let chunk = text.fill_buf()?;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(chunk.len(), |at| at + 1);
        let done = end.is_some() || used == 0;
        text.consume(used);
        read += used as u64;
        if done {
            return Ok((Line::TooLong, read));
        }
    }
}

/// The rows of a JSONL text.
struct LineRows {
    file: Arc<Path>,
    text: Box<dyn BufRead + Send>,
    number: u64,
    offset: u64,
    ended: bool,
}

impl Iterator for LineRows {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let mut bytes = Vec::with_capacity(COMMON);
        while !self.ended {
            let at = At::Line { number: self.number + 1, offset: self.offset };
            let (met, length) = match read_line(&mut self.text, &mut bytes) {
                Ok(met) => met,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(Reject::new(&self.file, at, RejectReason::Unreadable(error.to_string()), &[])));
                }
            };
            self.number += 1;
            self.offset += length;
            match met {
                Line::End => self.ended = true,
                Line::TooLong => {
                    let reason = RejectReason::TooLong { limit: MAX_LINE };
                    return Some(Err(Reject::new(&self.file, at, reason, &bytes)));
                }
                Line::Whole | Line::NoEnd if bytes.trim_ascii().is_empty() => {}
                Line::Whole => return Some(Ok((at, Content::Text { bytes, end: LineEnd::Whole }))),
                Line::NoEnd => {
                    self.ended = true;
                    return Some(Ok((at, Content::Text { bytes, end: LineEnd::Open })));
                }
            }
        }
        None
    }
}

/// What most lines find room in, in bytes.
const COMMON: usize = 4096;

/// A fault in a last line without an end is its writer's stop when the text just ends, also in the middle of a
/// character, or in the zero bytes that some file systems leave after a crash.
pub(super) fn torn_if_cut(mut reject: Reject) -> Reject {
    let zeros = reject.raw.iter().rev().take_while(|byte| **byte == 0).count();
    let written = &reject.raw[..reject.raw.len() - zeros];
    let is_cut = match std::str::from_utf8(written) {
        Ok(text) => check(text).is_err_and(|fault| fault.kind == FaultKind::UnexpectedEnd),
        Err(error) => error.error_len().is_none(),
    };
    if is_cut {
        reject.reason = RejectReason::Torn;
    }
    reject
}

/// Reads the bytes of one row.
pub(super) fn interaction(file: &Arc<Path>, at: At, bytes: &[u8]) -> RowRead {
    let json = json(file, at, bytes)?;
    wire::read(&json).map(|interaction| (at, interaction)).map_err(|fault| {
        let before = fault.offset(Some(&json)).and_then(|offset| bytes.get(..offset));
        let column = before.map(|before| column_after(&String::from_utf8_lossy(before)));
        Reject::new(file, at, RejectReason::Row { fault, column }, bytes.trim_ascii())
    })
}

/// Reads the bytes of one row as JSON.
pub(super) fn json(file: &Arc<Path>, at: At, bytes: &[u8]) -> Result<Json, Reject> {
    let bytes = bytes.trim_ascii_end();
    let refuse =
        |fault: RowFault, column| Reject::new(file, at, RejectReason::Row { fault, column }, bytes.trim_ascii_start());
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let byte = error.valid_up_to();
        let problem = format!("not UTF-8 text: byte 0x{:02X} at byte {} of the row", bytes[byte], byte + 1);
        let before = String::from_utf8_lossy(&bytes[..byte]);
        refuse(RowFault::Encoding(problem), Some(column_after(&before)))
    })?;
    Json::parse(text).map_err(|fault| {
        let column = text.get(..fault.offset).map(column_after);
        refuse(RowFault::Json(fault), column)
    })
}

/// The column that follows this part of the line.
fn column_after(before: &str) -> u64 {
    before.chars().count() as u64 + 1
}
