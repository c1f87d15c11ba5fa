//! Spans and log records in OTLP's JSON, and in what is near to it: exports of Tempo, dumps of protobuf messages with
//! their own spelling of keys, numbers, names of enums and identifiers.

use super::super::super::json::Json;
use super::super::fields::{first_member, member, text};
use super::attributes::{Attributes, list};
use super::{Event, LogRecord, Span, Status, identifier, nanoseconds};

/// One span.
pub(in super::super) fn span(json: &Json) -> Span {
    let id =
        |keys: &[&str], bytes| first_member(json, keys).map(|id| identifier(&id.shown(), bytes)).unwrap_or_default();
    let parent = id(&["parentSpanId", "parent_span_id"], 8);
    let events = member(json, "events").and_then(|events| events.items()).unwrap_or_default();
    Span {
        trace: id(&["traceId", "trace_id"], 16),
        id: id(&["spanId", "span_id"], 8),
        parent: Some(parent).filter(|parent| !parent.is_empty()),
        name: text(json, "name").unwrap_or_default(),
        started: time(json, &["startTimeUnixNano", "start_time_unix_nano"]),
        ended: time(json, &["endTimeUnixNano", "end_time_unix_nano"]),
        attributes: attributes(json),
        events: events.iter().map(event).collect(),
        status: member(json, "status").map(|status| self::status(&status)).unwrap_or_default(),
        dropped: first_member(json, &["droppedAttributesCount", "dropped_attributes_count"])
            .and_then(|count| count.shown().parse().ok())
            .unwrap_or(0),
    }
}

/// One log record.
pub(in super::super) fn log_record(json: &Json) -> LogRecord {
    let id =
        |keys: &[&str], bytes| first_member(json, keys).map(|id| identifier(&id.shown(), bytes)).unwrap_or_default();
    let attributes = attributes(json);
    let name = first_member(json, &["eventName", "event_name"]).map(|name| name.shown().into_owned());
    let name = name.filter(|name| !name.is_empty());
    let event = Event {
        name: name.or_else(|| attributes.first_text(&["event.name", "otel.event.name"])).unwrap_or_default(),
        at: time(json, &["timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "observed_time_unix_nano"]),
        attributes,
        body: member(json, "body").map(|body| value(&body)).filter(|body| !body.is_null()),
    };
    LogRecord { trace: id(&["traceId", "trace_id"], 16), span: id(&["spanId", "span_id"], 8), event }
}

fn event(json: &Json) -> Event {
    let (name, at) = (text(json, "name").unwrap_or_default(), time(json, &["timeUnixNano", "time_unix_nano"]));
    Event { name, at, attributes: attributes(json), body: None }
}

fn status(json: &Json) -> Status {
    let message = text(json, "message").filter(|message| !message.is_empty());
    match text(json, "code").as_deref() {
        Some("1" | "STATUS_CODE_OK" | "OK") => Status::Ok,
        Some("2" | "STATUS_CODE_ERROR" | "ERROR") => Status::Error(message),
        _ => Status::Unset,
    }
}

/// The first of these times that is not 0.
fn time(json: &Json, keys: &[&str]) -> Option<jiff::Timestamp> {
    let at = |key: &&str| nanoseconds(member(json, key)?.shown().parse().ok()?);
    keys.iter().find_map(at)
}

fn attributes(json: &Json) -> Attributes {
    let written = member(json, "attributes").and_then(|attributes| attributes.items()).unwrap_or_default();
    let pair = |pair: &Json| Some((text(pair, "key")?, member(pair, "value").map_or_else(Json::null, |it| value(&it))));
    written.iter().filter_map(pair).collect()
}

/// What an attribute's value says. Each is an object with one member that names its type.
fn value(json: &Json) -> Json {
    let Some((kind, value)) = json.members().and_then(|members| {
        let first = members.into_iter().find(|(_, value)| !value.is_null());
        first.map(|(kind, value)| (kind.into_owned(), value))
    }) else {
        return Json::null();
    };
    let items = || member(&value, "values").and_then(|values| values.items()).unwrap_or_default();
    match kind.as_str() {
        "intValue" | "int_value" => number(&value),
        "arrayValue" | "array_value" => list(&items().iter().map(self::value).collect::<Vec<_>>()),
        "kvlistValue" | "kvlist_value" => {
            let pair = |pair: &Json| {
                Some((text(pair, "key")?, member(pair, "value").map_or_else(Json::null, |it| self::value(&it))))
            };
            map(items().iter().filter_map(pair))
        }
        _ => value,
    }
}

/// A number, also where it is written as a text.
fn number(value: &Json) -> Json {
    let is_number = |text: &str| !text.is_empty() && text.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
    match value.as_str() {
        Some(text) if is_number(&text) => Json::parse(text.as_ref()).unwrap_or_else(|_| value.clone()),
        _ => value.clone(),
    }
}

/// An object; of a key that comes twice the last value counts.
pub(super) fn map(pairs: impl IntoIterator<Item = (String, Json)>) -> Json {
    let mut members: Vec<(String, Json)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (key, value) in pairs {
        let place = *places.entry(key.clone()).or_insert(members.len());
        match members.get_mut(place) {
            Some((_, known)) => *known = value,
            None => members.push((key, value)),
        }
    }
    let written: Vec<String> =
        members.iter().map(|(key, value)| format!("{}:{}", Json::string(key).text(), value.text())).collect();
    Json::trusted(format!("{{{}}}", written.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_read_in_all_its_spellings() {
        let standard = r#"{"traceId":"4BF92F3577B34DA6A3CE929D0E0E4736","spanId":"00f067aa0ba902b7","parentSpanId":"","name":"n",
            "startTimeUnixNano":"1796054491824852667","status":{"code":2,"message":"no"},"attributes":[
            {"key":"a","value":{"intValue":"12"}},{"key":"b","value":{"arrayValue":{"values":[{"stringValue":"x"},{}]}}},
            {"key":"c","value":{"kvlistValue":{"values":[{"key":"d","value":{"boolValue":true}},{"key":"e"}]}}},{"key":"f"}]}"#;
        let dumped = r#"{"trace_id":"S/kvNXezTaajzpKdDg5HNg==","span_id":"APBnqgupArc=","name":"n","start_time_unix_nano":1796054491824852667,
            "status":{"code":"STATUS_CODE_ERROR","message":"no"},"attributes":[{"key":"a","value":{"int_value":12}}]}"#;
        let (standard, dumped) = (span(&Json::parse(standard).unwrap()), span(&Json::parse(dumped).unwrap()));
        assert_eq!((&standard.trace, &standard.id), (&dumped.trace, &dumped.id));
        assert_eq!((standard.started, &standard.status), (dumped.started, &dumped.status));
        assert_eq!((standard.parent, standard.status), (None, Status::Error(Some("no".into()))));
        let shown: Vec<_> = standard.attributes.iter().map(|(key, value)| format!("{key}={}", value.text())).collect();
        assert_eq!(shown, ["a=12", r#"b=["x",null]"#, r#"c={"d":true,"e":null}"#, "f=null"]);
        assert_eq!(dumped.attributes.count(&["a"]), Some(12));
    }
}
