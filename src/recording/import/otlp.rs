//! Spans of OpenTelemetry in OTLP, as the collector's file exporter writes them: JSON, one document a line or one in all;
//! with the log records that tell what was said in them.

use std::io::{BufRead, Read as _};
use std::path::Path;
use std::sync::Arc;

use super::super::json::Json;
use super::super::place::{At, Reject, RejectReason};
use super::super::wire::RowFault;
use super::dialects;
use super::format::{Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::observation::{Observation, Observations};
use super::opening::Opening;
use super::spans::cutter::{Broken, Cut, Cutter, Ways};
use super::spans::protobuf::{self, Record};
use super::spans::{LogRecord, Span, otlp_json};

pub(super) const FORMAT: Format = Format {
    name: "otlp",
    about: "spans of OpenTelemetry in OTLP: JSON, JSON lines or protobuf",
    grain: Grain::Turn,
    sign,
    reader: Reader::Observations(read),
};

const SPANS: usize = 0;
const WAYS: Ways = &[
    &[
        "resourceSpans|resource_spans|batches",
        "scopeSpans|scope_spans|instrumentationLibrarySpans|instrumentation_library_spans",
        "spans",
    ],
    &[
        "resourceLogs|resource_logs",
        "scopeLogs|scope_logs|instrumentationLibraryLogs|instrumentation_library_logs",
        "logRecords|log_records",
    ],
];

fn sign(opening: &Opening) -> Option<Sign> {
    let keys = ["resourceSpans", "resource_spans", "resourceLogs", "resource_logs"];
    let found = keys.into_iter().find(|key| opening.has(key) || opening.has(&format!("[].{key}")));
    let is_tempo = opening.has("batches[].scopeSpans") || opening.has("batches[].instrumentationLibrarySpans");
    let found = found.or_else(|| is_tempo.then_some("batches"));
    found.map(|key| Sign::Sure(format!("it has {key:?}"))).or_else(|| binary_sign(opening.bytes()))
}

/// Files of protobuf show nothing by themselves but that the first message in them can be read.
fn binary_sign(bytes: &[u8]) -> Option<Sign> {
    if let Some((length, rest)) = length_in(bytes) {
        let is_packed = rest.starts_with(ZSTD) || rest.starts_with(b"{\"resource");
        let is_whole = || protobuf::records(rest.get(..length)?).ok().filter(|records| !records.is_empty());
        let is_sure = is_packed || is_whole().is_some();
        return is_sure.then(|| Sign::Sure("it has the records of the collector, each with its length".into()));
    }
    let starts = bytes.first() == Some(&0x0A) && bytes.contains(&0);
    let is_message = starts && protobuf::records(bytes).is_ok_and(|records| !records.is_empty());
    is_message.then(|| Sign::Sure("it is a protobuf message with spans".into()))
}

const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
/// The longest message that is read.
const MAX_MESSAGE: u64 = 256 << 20;

/// The length that the collector writes before each record, and what comes after it. A message without one starts with the
/// mark of its first field, which would be a length of more than 160 MB.
fn length_in(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = u32::from_be_bytes(*length);
    let starts = rest.starts_with(&[0x0A]) || rest.starts_with(ZSTD) || rest.starts_with(b"{");
    (length > 0 && length < 0x0A00_0000 && starts).then_some((length as usize, rest))
}

fn read(source: SourceText) -> Result<Observations, NotThisFormat> {
    let SourceText { file, mut text, .. } = source;
    let mut head = Vec::new();
    let unreadable = |error: std::io::Error| NotThisFormat::new(format!("it cannot be read: {error}"));
    text.by_ref().take(16).read_to_end(&mut head).map_err(unreadable)?;
    let is_json = head.trim_ascii_start().starts_with(b"{") || head.trim_ascii_start().starts_with(b"[");
    let (is_record, is_message) = (length_in(&head).is_some(), head.first() == Some(&0x0A) && !is_json);
    let is_marked = head.starts_with(b"\xEF\xBB\xBF");
    let text: Box<dyn BufRead + Send> = Box::new(std::io::Cursor::new(head).chain(text));
    if is_record {
        return Ok(Box::new(Records { file, text, number: 0, offset: 0, ended: false }.flatten()));
    }
    if is_message {
        let mut message = Vec::new();
        text.take(MAX_MESSAGE).read_to_end(&mut message).map_err(unreadable)?;
        return Ok(Box::new(of_message(&message, &file, At::Value { number: 1, offset: 0 }).into_iter()));
    }
    if !is_json && !is_marked {
        return Err(NotThisFormat {
            problem: "it is neither JSON nor protobuf".into(),
            help: Some("the collector's file exporter writes OTLP; Jaeger's own JSON is the format jaeger".into()),
        });
    }
    Ok(Box::new(JsonSpans { file, cutter: Cutter::new(text, WAYS), number: 0 }))
}

/// The records that the collector writes where it writes no lines: each with its length, packed or not.
struct Records {
    file: Arc<Path>,
    text: Box<dyn BufRead + Send>,
    number: u64,
    offset: u64,
    ended: bool,
}

impl Records {
    fn record(&mut self) -> Result<Option<Vec<u8>>, RejectReason> {
        let mut length = [0; 4];
        let unreadable = |error: std::io::Error| RejectReason::Unreadable(error.to_string());
        let mut head = Vec::new();
        self.text.by_ref().take(4).read_to_end(&mut head).map_err(unreadable)?;
        if head.is_empty() {
            return Ok(None);
        }
        length.get_mut(..head.len()).ok_or(RejectReason::Torn)?.copy_from_slice(&head);
        let length = u64::from(u32::from_be_bytes(length));
        if head.len() < 4 || length > MAX_MESSAGE {
            return Err(RejectReason::Torn);
        }
        let mut record = Vec::new();
        self.text.by_ref().take(length).read_to_end(&mut record).map_err(unreadable)?;
        if record.len() as u64 != length {
            return Err(RejectReason::Torn);
        }
        self.offset += 4 + length;
        if !record.starts_with(ZSTD) {
            return Ok(Some(record));
        }
        let mut unpacked = Vec::new();
        let decoder = zstd::Decoder::new(record.as_slice()).map_err(unreadable)?;
        decoder.take(MAX_MESSAGE).read_to_end(&mut unpacked).map_err(unreadable)?;
        Ok(Some(unpacked))
    }
}

impl Iterator for Records {
    type Item = Vec<Result<Observation, Reject>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.number += 1;
        let at = At::Value { number: self.number, offset: self.offset };
        match self.record() {
            Ok(Some(record)) => Some(of_message(&record, &self.file, at)),
            Ok(None) => None,
            Err(reason) => {
                self.ended = true;
                Some(vec![Err(Reject::new(&self.file, at, reason, &[]))])
            }
        }
    }
}

/// The pieces in one message, JSON or protobuf.
fn of_message(message: &[u8], file: &Arc<Path>, at: At) -> Vec<Result<Observation, Reject>> {
    if message.starts_with(b"{") {
        let text = Box::new(std::io::Cursor::new(message.to_vec()));
        return JsonSpans { file: Arc::clone(file), cutter: Cutter::new(text, WAYS), number: 0 }.collect();
    }
    let broken = || {
        let fault = RowFault::Encoding("the message is no OTLP in protobuf, or breaks off".into());
        Err(Reject::new(file, at, RejectReason::Row { fault, column: None }, message))
    };
    let Ok(records) = protobuf::records(message) else { return vec![broken()] };
    let piece = |record: &Record<'_>| match record {
        Record::Span(bytes) => match protobuf::span(bytes) {
            Ok(span) if missing(&span).is_none() => Some(Ok(dialects::observation(span, file, at))),
            _ => Some(broken()),
        },
        Record::Log(bytes) => match protobuf::log_record(bytes) {
            Ok(record) => log_record(record, file, at).map(Ok),
            Err(_) => Some(broken()),
        },
    };
    records.iter().filter_map(piece).collect()
}

/// The spans and log records of JSON.
struct JsonSpans {
    file: Arc<Path>,
    cutter: Cutter,
    number: u64,
}

impl JsonSpans {
    fn piece(&mut self, cut: Cut) -> Option<Result<Observation, Reject>> {
        self.number += 1;
        let at = At::Value { number: self.number, offset: cut.offset };
        let reject = |fault| Reject::new(&self.file, at, RejectReason::Row { fault, column: None }, &cut.bytes);
        let text = match String::from_utf8(cut.bytes.clone()) {
            Ok(text) => text,
            Err(error) => return Some(Err(reject(RowFault::Encoding(error.to_string())))),
        };
        let json = match Json::parse(text) {
            Ok(json) => json,
            Err(fault) => return Some(Err(reject(fault.into()))),
        };
        if cut.way != SPANS {
            return log_record(otlp_json::log_record(&json), &self.file, at).map(Ok);
        }
        let span = otlp_json::span(&json);
        match missing(&span) {
            Some(part) => Some(Err(reject(RowFault::MissingPart(part.into())))),
            None => Some(Ok(dialects::observation(span, &self.file, at))),
        }
    }
}

/// What a span must have and this one has not.
pub(super) fn missing(span: &Span) -> Option<&'static str> {
    match (span.trace.as_str(), span.id.as_str()) {
        ("", _) => Some("traceId"),
        (_, "") => Some("spanId"),
        _ => None,
    }
}

/// What a log record says of the span that it was written in. Most log records say nothing of what is looked for here.
fn log_record(record: LogRecord, file: &Arc<Path>, at: At) -> Option<Observation> {
    (!record.trace.is_empty()).then(|| dialects::part(record, file, at)).flatten()
}

impl Iterator for JsonSpans {
    type Item = Result<Observation, Reject>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let found = match self.cutter.next()? {
                Ok(cut) => self.piece(cut),
                Err(broken) => Some(Err(rejected(&self.file, self.number + 1, broken))),
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

/// A place from which on nothing could be read.
pub(super) fn rejected(file: &Arc<Path>, number: u64, broken: Broken) -> Reject {
    let (offset, reason) = match broken {
        Broken::Unreadable(error) => (0, RejectReason::Unreadable(error.to_string())),
        Broken::Torn { offset } => (offset, RejectReason::Torn),
        Broken::Unclosed { offset } => {
            let fault = RowFault::NoInteraction("a document breaks off before its end".into());
            (offset, RejectReason::Row { fault, column: None })
        }
        Broken::TooLarge { offset } => {
            let fault = RowFault::NoInteraction("a span is too long or too deep to be read".into());
            (offset, RejectReason::Row { fault, column: None })
        }
    };
    Reject::new(file, At::Value { number, offset }, reason, &[])
}
