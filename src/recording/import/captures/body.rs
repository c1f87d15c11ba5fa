//! The body of an HTTP message as a cassette keeps it: structured, as text, or as bytes that were packed.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::super::json::Json;
use super::super::fields::{first_member, member, text};
use super::aws_events;
use super::http::header;
use super::yaml::BASE64;

/// The most that a body may unpack to.
const MAX_BODY: u64 = 256 << 20;

/// The body of a request or response, as JSON or as a JSON text; `None` where it has none.
///
/// # Errors
/// Why it cannot be read.
pub(in crate::recording::import) fn body(message: &Json) -> Result<Option<Json>, String> {
    if let Some(parsed) = member(message, "parsed_body") {
        return Ok(Some(parsed));
    }
    let Some(kept) = member(message, "body") else { return Ok(None) };
    // Responses keep theirs one level deeper.
    let kept = first_member(&kept, &["string", "base64_string"]).unwrap_or(kept);
    let bytes = member(&kept, BASE64).or_else(|| member(message, "body").and_then(|it| member(&it, "base64_string")));
    let Some(bytes) = bytes else { return Ok(Some(kept)) };
    let bytes = STANDARD.decode(bytes.shown().as_bytes()).map_err(|_| "a body that is no base64".to_owned())?;
    let headers = member(message, "headers").unwrap_or_else(Json::null);
    let bytes = unpacked(bytes, header(&headers, "content-encoding").as_deref())?;
    if std::str::from_utf8(&bytes).is_err() {
        let events = aws_events::read(&bytes);
        return Ok((!events.is_empty()).then(|| Json::of(&events)));
    }
    Ok(String::from_utf8(bytes).ok().map(|text| Json::string(&text)))
}

fn unpacked(bytes: Vec<u8>, encoding: Option<&str>) -> Result<Vec<u8>, String> {
    let mut unpacked = Vec::new();
    let limit = MAX_BODY + 1;
    let read = match (bytes.as_slice(), encoding) {
        ([0x1f, 0x8b, ..], _) => flate2::read::MultiGzDecoder::new(&*bytes).take(limit).read_to_end(&mut unpacked),
        ([0x28, 0xb5, 0x2f, 0xfd, ..], _) => {
            zstd::stream::read::Decoder::new(&*bytes).and_then(|text| text.take(limit).read_to_end(&mut unpacked))
        }
        ([0x78, ..], Some("deflate")) => flate2::read::ZlibDecoder::new(&*bytes).take(limit).read_to_end(&mut unpacked),
        // Some recorders unpack a body and keep the header.
        (text, Some(packed)) if std::str::from_utf8(text).is_err() => {
            return Err(format!("a body packed with {packed}; record with decode_compressed_response=True"));
        }
        _ => return Ok(bytes),
    };
    read.map_err(|error| format!("a body that cannot be unpacked: {error}"))?;
    if unpacked.len() as u64 > MAX_BODY { Err(format!("a body of more than {MAX_BODY} bytes")) } else { Ok(unpacked) }
}

/// What a header of time says, in milliseconds: how long the provider took.
pub(in crate::recording::import) fn server_time(headers: &Json) -> Option<f64> {
    let names = ["openai-processing-ms", "x-envoy-upstream-service-time"];
    let written = names.iter().find_map(|name| header(headers, name))?;
    written.trim().parse().ok().filter(|length: &f64| length.is_finite() && *length >= 0.0)
}

/// The method and address of a request, for messages: `POST api.openai.com/v1/embeddings`.
pub(in crate::recording::import) fn shown(request: &Json) -> String {
    let address = first_member(request, &["uri", "url"]).map(|it| it.shown().into_owned()).unwrap_or_default();
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    format!("{} {address}", text(request, "method").unwrap_or_else(|| "a call of".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> Result<Option<String>, String> {
        body(&Json::parse(message).unwrap()).map(|body| body.map(|body| body.text().to_owned()))
    }

    #[test]
    fn bodies_come_in_all_their_forms() {
        assert_eq!(of(r#"{"parsed_body":{"a":1}}"#), Ok(Some(r#"{"a":1}"#.into())));
        assert_eq!(of(r#"{"body":"{}"}"#), Ok(Some("\"{}\"".into())));
        assert_eq!(of(r#"{"body":{"string":"x"}}"#), Ok(Some("\"x\"".into())));
        assert_eq!(of(r#"{"body":null}"#), Ok(None));
        let gzip = r#"{"body":{"string":{"!!binary":"H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA=="}},"headers":{"Content-Encoding":["gzip"]}}"#;
        assert_eq!(of(gzip), Ok(Some("\"{}\"".into())));
        let plain = r#"{"body":{"string":{"!!binary":"e30="}},"headers":{"content-encoding":["br"]}}"#;
        assert_eq!(of(plain), Ok(Some("\"{}\"".into())), "it was unpacked already");
    }

    #[test]
    fn a_body_that_cannot_be_unpacked_says_so() {
        let brotli = r#"{"body":{"string":{"!!binary":"//8="}},"headers":{"content-encoding":["br"]}}"#;
        assert!(of(brotli).unwrap_err().contains("packed with br"));
        assert!(of(r#"{"body":{"string":{"!!binary":"*"}}}"#).is_err());
        assert!(of(r#"{"body":{"string":{"!!binary":"H4sIAAA="}}}"#).is_err());
    }
}
