//! Whose traffic a file holds, by its first record.

use super::super::super::json::Json;
use super::super::super::place::At;
use super::super::fields::{first_member, member};
use super::super::format::Sign;
use super::super::messages::Dialect;
use super::super::opening::Opening;
use super::event_stream;
use super::record::Record;
use super::reply::whose;

/// What shows that a file holds traffic of one of these.
pub(in crate::recording::import) fn sign(opening: &Opening, dialects: &[Dialect]) -> Option<Sign> {
    let (dialect, sign) = found(opening)?;
    dialects.contains(&dialect).then_some(sign)
}

fn found(opening: &Opening) -> Option<(Dialect, Sign)> {
    let text = opening.text();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).trim_start();
    if text.starts_with("data:") || text.starts_with("event:") || text.starts_with(':') {
        let events = event_stream::read(text);
        let dialect = events.events.iter().find_map(Dialect::of_event)?;
        return Some((dialect, Sign::Sure("it is a stream of a model's answer".into())));
    }
    let first = first_value(text)?;
    let record = if first.kind() == super::super::super::json::Kind::Array && !Record::is_conversation(&first) {
        first.items()?.into_iter().next()?
    } else {
        first
    };
    of_record(&record)
}

/// The JSON of the first line, or of the whole text.
fn first_value(text: &str) -> Option<Json> {
    let line = text.lines().next()?;
    Json::parse(line.trim()).or_else(|_| Json::parse(text.trim())).ok()
}

fn of_record(record: &Json) -> Option<(Dialect, Sign)> {
    match Record::read(At::Value { number: 1, offset: 0 }, record) {
        Record::Event => {
            Some((Dialect::of_event(record)?, Sign::Sure("it holds the events of a model's answer".into())))
        }
        Record::Reply(..) => Some((whose(record)?, Sign::Likely("it holds the answer of a model".into()))),
        Record::Exchange(_) => {
            let responses = ["response", "response_body", "responseBody", "res", "raw_response"];
            let response = first_member(record, &responses).unwrap_or_else(|| record.clone());
            let dialect = whose(&response).or_else(|| messages_of(record)).unwrap_or(Dialect::OpenAiChat);
            Some((dialect, Sign::Likely("it holds a request to a model and its response".into())))
        }
        Record::Log(_) | Record::Request(..) => {
            Some((messages_of(record)?, Sign::Likely("it holds the messages of a conversation".into())))
        }
        Record::Foreign(_) => None,
    }
}

fn messages_of(record: &Json) -> Option<Dialect> {
    if Record::is_conversation(record) {
        return Dialect::of(record);
    }
    let request = first_member(record, &["request", "request_body", "requestBody", "kwargs"]);
    let body = request.as_ref().map(|request| member(request, "body").unwrap_or_else(|| request.clone()));
    let body = body.as_ref().unwrap_or(record);
    if let Some(list) = member(body, "messages") {
        return Dialect::of(&list);
    }
    let gemini = member(body, "contents").map(|_| Dialect::Gemini);
    gemini.or_else(|| member(body, "input").map(|_| Dialect::OpenAiResponses))
}
