//! Spans and log records in OTLP's protobuf. Only the fields that are looked for here are read, by their numbers; so it
//! takes no generated code for all of the protocol.

use super::super::super::json::Json;
use super::attributes::{Attributes, list};
use super::otlp_json::map;
use super::{Event, LogRecord, Span, Status, hex, nanoseconds};

/// How deep values may be within each other.
const DEPTH: usize = 64;

/// A span or a log record, as it stands in a message.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Record<'a> {
    Span(&'a [u8]),
    Log(&'a [u8]),
}

/// A message that is broken: where it breaks off nobody knows.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Broken;

/// The spans and log records of a message: requests, and what files hold, are built alike.
pub(in super::super) fn records(message: &[u8]) -> Result<Vec<Record<'_>>, Broken> {
    let mut records = Vec::new();
    for resource in parts(message, 1)? {
        for scope in parts(resource, 2)? {
            for record in parts(scope, 2)? {
                // The first field of a span is its trace, that of a log record is a time.
                let first = Fields(record).next().transpose()?;
                let is_span = first.is_some_and(|(number, value)| number == 1 && matches!(value, Value::Bytes(_)));
                records.push(if is_span { Record::Span(record) } else { Record::Log(record) });
            }
        }
    }
    Ok(records)
}

pub(in super::super) fn span(bytes: &[u8]) -> Result<Span, Broken> {
    let mut span = Span::default();
    for field in Fields(bytes) {
        match field? {
            (1, Value::Bytes(id)) => span.trace = identifier(id),
            (2, Value::Bytes(id)) => span.id = identifier(id),
            (4, Value::Bytes(id)) => span.parent = Some(identifier(id)).filter(|id| !id.is_empty()),
            (5, Value::Bytes(name)) => span.name = text(name),
            (7, Value::Fixed(at)) => span.started = nanoseconds(at.into()),
            (8, Value::Fixed(at)) => span.ended = nanoseconds(at.into()),
            (9, Value::Bytes(pair)) => attribute(pair, &mut span.attributes)?,
            (10, Value::Varint(count)) => span.dropped = count,
            (11, Value::Bytes(event)) => span.events.push(self::event(event)?),
            (15, Value::Bytes(status)) => span.status = self::status(status)?,
            _ => {}
        }
    }
    Ok(span)
}

pub(in super::super) fn log_record(bytes: &[u8]) -> Result<LogRecord, Broken> {
    let (mut record, mut observed) = (LogRecord::default(), None);
    for field in Fields(bytes) {
        match field? {
            (1, Value::Fixed(at)) => record.event.at = nanoseconds(at.into()),
            (5, Value::Bytes(body)) => record.event.body = Some(value(body, 0)?).filter(|body| !body.is_null()),
            (6, Value::Bytes(pair)) => attribute(pair, &mut record.event.attributes)?,
            (9, Value::Bytes(id)) => record.trace = identifier(id),
            (10, Value::Bytes(id)) => record.span = identifier(id),
            (11, Value::Fixed(at)) => observed = nanoseconds(at.into()),
            (12, Value::Bytes(name)) => record.event.name = text(name),
            _ => {}
        }
    }
    record.event.at = record.event.at.or(observed);
    if record.event.name.is_empty() {
        let name = record.event.attributes.first_text(&["event.name", "otel.event.name"]);
        record.event.name = name.unwrap_or_default();
    }
    Ok(record)
}

fn event(bytes: &[u8]) -> Result<Event, Broken> {
    let mut event = Event::default();
    for field in Fields(bytes) {
        match field? {
            (1, Value::Fixed(at)) => event.at = nanoseconds(at.into()),
            (2, Value::Bytes(name)) => event.name = text(name),
            (3, Value::Bytes(pair)) => attribute(pair, &mut event.attributes)?,
            _ => {}
        }
    }
    Ok(event)
}

fn status(bytes: &[u8]) -> Result<Status, Broken> {
    let (mut message, mut code) = (None, 0);
    for field in Fields(bytes) {
        match field? {
            (2, Value::Bytes(words)) => message = Some(text(words)).filter(|words| !words.is_empty()),
            (3, Value::Varint(number)) => code = number,
            _ => {}
        }
    }
    Ok(match code {
        1 => Status::Ok,
        2 => Status::Error(message),
        _ => Status::Unset,
    })
}

fn attribute(bytes: &[u8], attributes: &mut Attributes) -> Result<(), Broken> {
    let (key, value) = pair(bytes, 0)?;
    attributes.push(key, value);
    Ok(())
}

fn pair(bytes: &[u8], depth: usize) -> Result<(String, Json), Broken> {
    let (mut key, mut value) = (String::new(), Json::null());
    for field in Fields(bytes) {
        match field? {
            (1, Value::Bytes(bytes)) => key = text(bytes),
            (2, Value::Bytes(bytes)) => value = self::value(bytes, depth + 1)?,
            _ => {}
        }
    }
    Ok((key, value))
}

fn value(bytes: &[u8], depth: usize) -> Result<Json, Broken> {
    if depth > DEPTH {
        return Err(Broken);
    }
    let mut json = Json::null();
    for field in Fields(bytes) {
        json = match field? {
            (1, Value::Bytes(bytes)) => Json::string(&text(bytes)),
            (2, Value::Varint(flag)) => Json::of(&(flag != 0)),
            (3, Value::Varint(number)) => Json::of(&number.cast_signed()),
            (4, Value::Fixed(bits)) => double(f64::from_bits(bits)),
            (5, Value::Bytes(values)) => {
                let items = parts(values, 1)?.into_iter().map(|item| value(item, depth + 1));
                list(&items.collect::<Result<Vec<_>, _>>()?)
            }
            (6, Value::Bytes(values)) => {
                let pairs = parts(values, 1)?.into_iter().map(|item| pair(item, depth + 1));
                map(pairs.collect::<Result<Vec<_>, _>>()?)
            }
            (7, Value::Bytes(bytes)) => Json::string(&hex(bytes)),
            _ => continue,
        };
    }
    Ok(json)
}

/// A whole number is written with its point, as JSON writers do that know its type.
fn double(number: f64) -> Json {
    if number.is_finite() { Json::of(&number) } else { Json::string(&number.to_string()) }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn identifier(bytes: &[u8]) -> String {
    if bytes.iter().all(|byte| *byte == 0) { String::new() } else { hex(bytes) }
}

/// The messages in all fields of this number.
fn parts(message: &[u8], wanted: u64) -> Result<Vec<&[u8]>, Broken> {
    let mut parts = Vec::new();
    for field in Fields(message) {
        if let (number, Value::Bytes(bytes)) = field?
            && number == wanted
        {
            parts.push(bytes);
        }
    }
    Ok(parts)
}

/// The fields of a message, one after another.
struct Fields<'a>(&'a [u8]);

enum Value<'a> {
    Varint(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
    /// Four bytes, which nothing that is looked for here has.
    Short,
}

impl<'a> Fields<'a> {
    fn varint(&mut self) -> Result<u64, Broken> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or(Broken)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Broken)
    }

    fn bytes(&mut self, count: u64) -> Result<&'a [u8], Broken> {
        let count = usize::try_from(count).map_err(|_| Broken)?;
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Broken)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), Broken> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed(self.bytes(8)?.try_into().map(u64::from_le_bytes).map_err(|_| Broken)?),
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.bytes(length)?)
            }
            5 => {
                self.bytes(4)?;
                Value::Short
            }
            _ => return Err(Broken),
        };
        Ok((key >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
        bytes.extend_from_slice(content);
        bytes
    }

    #[test]
    fn a_span_is_read_by_the_numbers_of_its_fields() {
        let value = message(2, &[3 << 3, 12]);
        let attribute = message(9, &[message(1, b"a"), value].concat());
        let status = message(15, &[message(2, b"no"), vec![3 << 3, 2]].concat());
        let span_bytes = [message(1, &[0xAB; 16]), message(2, &[1; 8]), message(5, b"n"), attribute, status].concat();
        let request = message(1, &message(2, &message(2, &span_bytes)));
        let records = records(&request).unwrap();
        let [Record::Span(found)] = records.as_slice() else { panic!("{records:?}") };
        let found = span(found).unwrap();
        assert_eq!((found.trace.as_str(), found.name.as_str()), ("abababababababababababababababab", "n"));
        assert_eq!((found.attributes.count(&["a"]), found.status), (Some(12), Status::Error(Some("no".into()))));
        for cut in 1..request.len() {
            assert!(super::records(&request[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn values_within_each_other_have_an_end() {
        let mut nested = message(1, b"x");
        for _ in 0..20 {
            nested = message(5, &message(1, &nested));
        }
        assert!(value(&nested, 0).is_ok());
        assert_eq!(value(&nested, 50), Err(Broken));
    }
}
