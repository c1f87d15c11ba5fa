//! Requests and responses as people keep them: the body alone, its text, or the body within what was sent over HTTP.

use super::super::super::json::{Json, Kind};
use super::super::fields::{as_count, below, first_member, member, text};
use super::reply::{Answered, Reply, whose};
use super::request::{Request, answer_of_message};

/// How deep a body is looked for.
const DEPTH: usize = 3;

const BODIES: [&str; 9] = ["parsed_body", "body", "json", "content", "postData", "data", "kwargs", "text", "params"];

/// The request in what was kept of it.
pub(super) fn request_in(kept: &Json) -> Option<Request> {
    let mut request = request_within(kept, DEPTH)?;
    let address = first_member(kept, &["uri", "url", "path"]).map(|address| address.shown().into_owned());
    request.model = request.model.or_else(|| model_of(&address?));
    Some(request)
}

fn request_within(kept: &Json, depth: usize) -> Option<Request> {
    let kept = parsed(kept);
    if let Some(request) = Request::read(&kept) {
        return Some(request);
    }
    let inner = BODIES.iter().filter_map(|key| member(&kept, key));
    if depth == 0 { None } else { inner.take(DEPTH).find_map(|inner| request_within(&inner, depth - 1)) }
}

/// A text of JSON is what it holds.
fn parsed(kept: &Json) -> Json {
    let json = kept.as_str().and_then(|text| Json::parse(text.trim()).ok());
    json.filter(|json| matches!(json.kind(), Kind::Object | Kind::Array)).unwrap_or_else(|| kept.clone())
}

/// The model that stands in the address of a request, as Gemini and Bedrock have it.
pub(in crate::recording::import) fn model_of(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next()?;
    if let Some((_, rest)) = path.split_once("/models/") {
        return rest.split_once(':').map(|(model, _)| model.to_owned());
    }
    let model = path.split_once("/model/")?.1.split('/').next()?;
    Some(model.replace("%3A", ":").replace("%2F", "/"))
}

/// The answer in what was kept of a response. What stands beside it in the record may tell its tokens.
pub(super) fn response_in(kept: &Json, record: &Json) -> Option<Reply> {
    let kept = parsed(kept);
    if let Some(reply) = response_within(&kept, None, DEPTH) {
        return Some(reply);
    }
    let message = match kept.kind() {
        Kind::String => Json::trusted(format!(r#"{{"role":"assistant","content":{}}}"#, kept.text())),
        Kind::Array => kept.items()?.pop()?,
        _ => kept,
    };
    let answer = answer_of_message(&message, record)?;
    Some(Reply::Answered(Box::new(Answered::whole(answer))))
}

fn response_within(kept: &Json, status: Option<u64>, depth: usize) -> Option<Reply> {
    let status = status.or_else(|| http_status(kept));
    let is_wrapper = kept.kind() == Kind::Object && whose(kept).is_none();
    let bodies = ["parsed_body", "body", "json", "content", "data", "text", "string"];
    let inner = if is_wrapper && depth > 0 { first_member(kept, &bodies) } else { None };
    match inner {
        Some(inner) => {
            let inner = parsed(&inner);
            response_within(&inner, status, depth - 1).or_else(|| Reply::read(kept, status))
        }
        None => Reply::read(kept, status),
    }
}

/// The HTTP status of a response, as a number or within `{code, message}`.
fn http_status(kept: &Json) -> Option<u64> {
    let status = first_member(kept, &["status_code", "statusCode"])
        .or_else(|| below(kept, &["status", "code"]))
        .or_else(|| member(kept, "status"))?;
    as_count(&status).filter(|status| (100..600).contains(status))
}

/// A header by its name in lower case: the first of its values.
pub(in crate::recording::import) fn header(headers: &Json, name: &str) -> Option<String> {
    let members = headers.members()?;
    let (_, value) = members.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    match value.kind() {
        Kind::Array => value.items()?.first().and_then(|first| first.as_str().map(|text| text.into_owned())),
        Kind::Object => text(&value, "value"),
        _ => Some(value.shown().into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn a_body_is_found_in_what_was_sent() {
        let body = r#"{"messages":[{"role":"user","content":"a"}]}"#;
        let text = Json::string(body);
        for kept in [
            body.to_owned(),
            text.text().to_owned(),
            format!(r#"{{"method":"POST","body":{body}}}"#),
            format!(r#"{{"postData":{{"text":{}}}}}"#, text.text()),
            format!(r#"{{"args":[],"kwargs":{body}}}"#),
        ] {
            assert!(request_in(&json(&kept)).is_some(), "{kept}");
        }
        assert!(request_in(&json(r#"{"body":{"query":1}}"#)).is_none());
    }

    #[test]
    fn an_address_tells_the_model() {
        let of = |address: &str| model_of(address);
        assert_eq!(
            of("https://x/v1beta/models/gemini-2.5-flash:generateContent?alt=sse").as_deref(),
            Some("gemini-2.5-flash")
        );
        assert_eq!(of("https://bedrock/model/us.nova-v1%3A0/converse").as_deref(), Some("us.nova-v1:0"));
        assert_eq!(of("https://api.openai.com/v1/chat/completions"), None);
    }

    #[test]
    fn a_response_may_be_a_body_a_message_or_words() {
        let record = json(r#"{"usage":{"prompt_tokens":1,"completion_tokens":2}}"#);
        for (kept, words) in [
            (r#"{"choices":[{"message":{"content":"b"}}]}"#, "\"b\""),
            (r#"{"status":200,"headers":{},"body":{"choices":[{"message":{"content":"b"}}]}}"#, "\"b\""),
            (r#""b""#, "\"b\""),
            (r#"{"role":"assistant","content":"b"}"#, "\"b\""),
            (r#"[{"role":"assistant","content":"b"}]"#, "\"b\""),
        ] {
            let Some(Reply::Answered(answered)) = response_in(&json(kept), &record) else { panic!("{kept}") };
            assert_eq!(answered.answer.words.unwrap().text(), words);
        }
        let failed = response_in(&json(r#"{"status_code":500,"text":"oops"}"#), &record);
        assert!(matches!(failed, Some(Reply::Failed(why)) if why == "HTTP 500"));
    }
}
