//! Traces of Jaeger in its own JSON, as its web page and its API give them.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::json::{Json, Kind};
use super::super::place::{At, Reject, RejectReason};
use super::super::wire::RowFault;
use super::dialects;
use super::fields::{first_member, items, member, text};
use super::format::{Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::observation::{Observation, Observations};
use super::opening::Opening;
use super::otlp::{missing, rejected};
use super::spans::attributes::Attributes;
use super::spans::cutter::{Cut, Cutter, Ways};
use super::spans::{Event, Span, Status, identifier};

pub(super) const FORMAT: Format = Format {
    name: "jaeger",
    about: "traces of Jaeger: JSON with `data` and `spans`",
    grain: Grain::Turn,
    sign,
    reader: Reader::Observations(read),
};

const WAYS: Ways = &[&["data", "spans"]];

fn sign(opening: &Opening) -> Option<Sign> {
    let has_traces = opening.has("data[].spans[].operationName") || opening.has("data[].traceID");
    has_traces.then(|| Sign::Sure("it has the traces of Jaeger".into()))
}

fn read(source: SourceText) -> Result<Observations, NotThisFormat> {
    let file = source.file;
    let mut cutter = Cutter::new(source.text, WAYS);
    let mut number = 0;
    Ok(Box::new(std::iter::from_fn(move || {
        number += 1;
        cutter.next().map(|found| match found {
            Ok(cut) => piece(cut, number, &file),
            Err(broken) => Err(rejected(&file, number, broken)),
        })
    })))
}

fn piece(cut: Cut, number: u64, file: &Arc<Path>) -> Result<Observation, Reject> {
    let at = At::Value { number, offset: cut.offset };
    let reject = |fault, raw: &[u8]| Reject::new(file, at, RejectReason::Row { fault, column: None }, raw);
    let text = String::from_utf8(cut.bytes)
        .map_err(|error| reject(RowFault::Encoding(error.to_string()), error.as_bytes()))?;
    let json = Json::parse(text.as_str()).map_err(|fault| reject(fault.into(), text.as_bytes()))?;
    let span = span(&json);
    match missing(&span) {
        Some(part) => Err(reject(RowFault::MissingPart(part.into()), text.as_bytes())),
        None => Ok(dialects::observation(span, file, at)),
    }
}

fn span(json: &Json) -> Span {
    let started = microseconds(json, "startTime");
    let duration = text(json, "duration").and_then(|duration| duration.parse::<i64>().ok()).filter(|it| *it >= 0);
    let ended = started.and_then(|at| Timestamp::from_microsecond(at.as_microsecond().checked_add(duration?)?).ok());
    let attributes = attributes(&items(json, "tags"));
    let told = |key: &str| attributes.text(key);
    let failed = told("otel.status_code").is_some_and(|code| code == "ERROR")
        || attributes.get("error").is_some_and(|error| matches!(error.shown().as_ref(), "true" | "True"));
    let status = match failed {
        true => Status::Error(told("otel.status_description").or_else(|| told("error.message"))),
        false => Status::Unset,
    };
    Span {
        trace: text(json, "traceID").map(|id| identifier(&id, 16)).unwrap_or_default(),
        id: text(json, "spanID").map(|id| identifier(&id, 8)).unwrap_or_default(),
        parent: parent(json),
        name: text(json, "operationName").unwrap_or_default(),
        started,
        ended,
        events: items(json, "logs").iter().map(event).collect(),
        attributes,
        status,
        dropped: 0,
    }
}

/// What a span is a child of; else what it follows.
fn parent(json: &Json) -> Option<String> {
    let references = items(json, "references");
    let kind = |reference: &Json, wanted: &str| text(reference, "refType").is_some_and(|kind| kind == wanted);
    let child = references.iter().find(|reference| kind(reference, "CHILD_OF")).or_else(|| references.first());
    let id = child.and_then(|reference| text(reference, "spanID")).or_else(|| text(json, "parentSpanID"));
    id.map(|id| identifier(&id, 8)).filter(|id| !id.is_empty())
}

fn event(log: &Json) -> Event {
    let attributes = attributes(&items(log, "fields"));
    let name = attributes.first_text(&["event", "message"]).unwrap_or_default();
    Event { name, at: microseconds(log, "timestamp"), attributes, body: None }
}

/// Tags have a type; lists are texts of JSON.
fn attributes(tags: &[Json]) -> Attributes {
    let tag = |tag: &Json| Some((text(tag, "key")?, first_member(tag, &["value"])?));
    tags.iter().filter_map(tag).collect()
}

fn microseconds(json: &Json, key: &str) -> Option<Timestamp> {
    let at = member(json, key).filter(|at| matches!(at.kind(), Kind::Number | Kind::String))?;
    Timestamp::from_microsecond(at.shown().parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::observation::ObservationKind;
    use super::*;

    #[test]
    fn a_span_of_jaeger_says_what_any_span_says() {
        let document = r#"{"data":[{"traceID":"4bf92f3577b34da6a3ce929d0e0e4736","spans":[{"traceID":"4bf92f3577b34da6a3ce929d0e0e4736",
            "spanID":"00f067aa0ba902b7","operationName":"execute_tool t","references":[{"refType":"FOLLOWS_FROM","spanID":"1"},{"refType":"CHILD_OF","spanID":"2"}],
            "startTime":1771835737607064,"duration":1500,"tags":[{"key":"gen_ai.operation.name","type":"string","value":"execute_tool"},
            {"key":"gen_ai.tool.name","value":"t"},{"key":"error","type":"bool","value":true},{"key":"otel.status_description","value":"no"}],"logs":[]}],"processes":{}}]}"#;
        let pieces: Vec<_> = read(SourceText::of("x.json", document)).unwrap().map(Result::unwrap).collect();
        let [piece] = pieces.as_slice() else { panic!("{pieces:?}") };
        assert!(matches!(piece.kind, ObservationKind::Tool { .. }));
        assert_eq!((piece.name.as_str(), piece.parent.as_deref()), ("t", Some("2")));
        let took = super::super::fields::between(piece.started.unwrap(), piece.ended.unwrap());
        assert_eq!((took, piece.error.as_ref().unwrap().text()), (Some(1.5), "\"no\""));
        assert!(sign(&Opening::new(Path::new("x.json"), document.as_bytes().to_vec())).is_some());
    }
}
