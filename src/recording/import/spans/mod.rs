//! Spans, whichever way they were sent: what all encodings of them say.

pub(super) mod attributes;
pub(super) mod cutter;
pub(super) mod flat;
pub(super) mod otlp_json;
pub(super) mod protobuf;

use jiff::Timestamp;

use super::super::json::Json;
use attributes::Attributes;

/// One span.
#[derive(Clone, Debug, Default)]
pub(super) struct Span {
    pub(super) trace: String,
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) name: String,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    pub(super) attributes: Attributes,
    pub(super) events: Vec<Event>,
    pub(super) status: Status,
    /// Whether its sender says that it left attributes out.
    pub(super) dropped: u64,
}

/// Something that happened in a span; a log record is one beside it.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) at: Option<Timestamp>,
    pub(super) attributes: Attributes,
    /// The content of a log record.
    pub(super) body: Option<Json>,
}

/// How a span ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Status {
    /// Nothing is said of it.
    #[default]
    Unset,
    Ok,
    /// It failed; with its message, where it has one.
    Error(Option<String>),
}

/// A log record that belongs to a trace.
#[derive(Clone, Debug, Default)]
pub(super) struct LogRecord {
    pub(super) trace: String,
    /// The span that it was written in; empty where it does not say.
    pub(super) span: String,
    pub(super) event: Event,
}

/// An identifier in the one way that all encodings of it are compared in: lower-case hex, where it is hex or base64 of as
/// many bytes as identifiers have. Zeros are none.
pub(super) fn identifier(written: &str, bytes: usize) -> String {
    let is_hex = written.len() == 2 * bytes && written.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = match () {
        () if is_hex => written.to_ascii_lowercase(),
        () => base64(written).filter(|raw| raw.len() == bytes).map_or_else(|| written.to_owned(), |raw| hex(&raw)),
    };
    if id.bytes().all(|byte| byte == b'0') { String::new() } else { id }
}

/// Lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        held = (held << 6 | u32::from(digit(byte)?)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Some(bytes)
}

/// A point in time out of nanoseconds since 1970; none where it says 0.
pub(super) fn nanoseconds(count: i128) -> Option<Timestamp> {
    (count > 0).then(|| Timestamp::from_nanosecond(count).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_one_however_it_is_written() {
        let id = "00f067aa0ba902b7";
        assert_eq!(identifier("00F067AA0BA902B7", 8), id);
        assert_eq!(identifier("APBnqgupArc=", 8), id);
        assert_eq!(hex(&base64("APBnqgupArc=").unwrap()), id);
        assert_eq!(identifier("0000000000000000", 8), "");
        assert_eq!(identifier("own-id-1", 8), "own-id-1");
    }
}
