//! Amazon's binary event stream: messages with headers and a payload of JSON, each between two checksums.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::super::json::Json;
use super::super::fields::member;

/// Lengths and their checksum.
const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;

/// The events of a stream as objects with one member that names them. What Bedrock passes on from another provider
/// (`bytes`) is the event of that one. A last message that is cut off is left out.
pub(super) fn read(mut bytes: &[u8]) -> Vec<Json> {
    let mut events = Vec::new();
    while let Some((message, rest)) = message(bytes) {
        events.extend(event(message));
        bytes = rest;
    }
    events
}

struct Message<'a> {
    headers: &'a [u8],
    payload: &'a [u8],
}

fn message(bytes: &[u8]) -> Option<(Message<'_>, &[u8])> {
    let length = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let (total, headers) = (length(0)?, length(4)?);
    let whole = bytes.get(..total)?;
    let end = total.checked_sub(CHECKSUM)?;
    let split = PRELUDE.checked_add(headers)?;
    let message = Message { headers: whole.get(PRELUDE..split)?, payload: whole.get(split..end)? };
    Some((message, bytes.get(total..)?))
}

fn event(message: Message<'_>) -> Option<Json> {
    let payload = Json::parse(std::str::from_utf8(message.payload).ok()?).ok()?;
    if let Some(bytes) = member(&payload, "bytes") {
        let inner = STANDARD.decode(bytes.shown().as_bytes()).ok()?;
        return Json::parse(String::from_utf8(inner).ok()?).ok();
    }
    let name = name(message.headers)?;
    Some(Json::trusted(format!("{{{}:{}}}", Json::string(&name).text(), payload.text())))
}

/// The value of the header `:event-type` or `:exception-type`; all headers of these streams are texts.
fn name(mut headers: &[u8]) -> Option<String> {
    loop {
        let length = usize::from(*headers.first()?);
        let key = headers.get(1..=length)?;
        let value = headers.get(length + 1..)?;
        let ([7, high, low], rest) = value.split_at_checked(3)? else { return None };
        let size = usize::from(u16::from_be_bytes([*high, *low]));
        let text = rest.get(..size)?;
        if matches!(key, b":event-type" | b":exception-type") {
            return String::from_utf8(text.to_vec()).ok();
        }
        headers = rest.get(size..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(name: &str, payload: &str) -> Vec<u8> {
        let mut headers = vec![11];
        headers.extend(b":event-type");
        headers.push(7);
        headers.extend((name.len() as u16).to_be_bytes());
        headers.extend(name.as_bytes());
        let total = PRELUDE + headers.len() + payload.len() + CHECKSUM;
        let mut message = (total as u32).to_be_bytes().to_vec();
        message.extend((headers.len() as u32).to_be_bytes());
        message.extend([0; 4]);
        message.extend(headers);
        message.extend(payload.as_bytes());
        message.extend([0; 4]);
        message
    }

    #[test]
    fn events_are_named_by_their_header() {
        let mut stream = framed("messageStart", r#"{"role":"assistant"}"#);
        stream.extend(framed("chunk", r#"{"bytes":"eyJ0eXBlIjoicGluZyJ9"}"#));
        let cut = framed("messageStop", "{}");
        stream.extend(&cut[..cut.len() - 1]);
        let found: Vec<_> = read(&stream).iter().map(|event| event.text().to_owned()).collect();
        assert_eq!(found, [r#"{"messageStart":{"role":"assistant"}}"#, r#"{"type":"ping"}"#]);
    }

    #[test]
    fn any_bytes_do_no_harm() {
        for bytes in [&[][..], &[0; 12], &[0, 0, 0, 5, 0, 0, 0, 0, 1], &[255; 64]] {
            assert!(read(bytes).is_empty());
        }
        let stream = framed("a", "{}");
        for length in 0..stream.len() {
            assert!(read(&stream[..length]).is_empty());
        }
    }
}
