//! Phoenix: spans as its client and its pages give them, one a row: JSON with dotted keys, and the table of
//! `get_spans_dataframe()` as Parquet or CSV.

use std::path::Path;
use std::sync::Arc;

use super::super::json::{Json, Kind};
use super::super::place::{At, Reject};
use super::super::wire::RowFault;
use super::fields::{first_member, instant, member, text};
use super::format::{Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::observation::{Observation, Observations};
use super::opening::Opening;
use super::payload::opened;
use super::spans::attributes::Attributes;
use super::spans::{Event, Span, Status};
use super::values::{keys, refused};
use super::{dialects, table};

pub(super) const FORMAT: Format = Format {
    name: "phoenix",
    about: "spans of Phoenix: JSON of get_spans(), Parquet and CSV of get_spans_dataframe()",
    grain: Grain::Turn,
    sign,
    reader: Reader::Observations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let has = |keys: &[&str]| {
        ["", "[].", "data[]."].iter().any(|above| keys.iter().all(|key| opening.has(&format!("{above}{key}"))))
    };
    (has(&["context.trace_id", "span_kind"]) || has(&["context.trace_id", "attributes.openinference.span.kind"]))
        .then(|| Sign::Sure("it has spans of Phoenix".into()))
}

fn read(source: SourceText) -> Result<Observations, NotThisFormat> {
    let file = Arc::clone(&source.file);
    let mut rows = table::rows(source)?.peekable();
    if let Some(Ok((_, first))) = rows.peek()
        && of_page(first).first().is_none_or(|row| ids(row).is_err())
    {
        return Err(NotThisFormat {
            problem: format!("it has no spans with a context; its fields are {}", keys(first)),
            help: Some("write what get_spans() gives as JSON, or get_spans_dataframe() as Parquet".into()),
        });
    }
    Ok(Box::new(rows.flat_map(move |row| match row {
        Ok((at, row)) => of_page(&row).iter().map(|row| observation(&file, at, row)).collect(),
        Err(reject) => vec![Err(reject)],
    })))
}

/// The spans of a page of an answer of the API, or the one that this is.
fn of_page(value: &Json) -> Vec<Json> {
    member(value, "data").and_then(|data| data.items()).unwrap_or_else(|| vec![value.clone()])
}

/// The ids of the trace and of the span.
fn ids(row: &Json) -> Result<(String, String), RowFault> {
    let context = member(row, "context").map(|context| opened(&context));
    let id = |key: &str| {
        let dotted = format!("context.{key}");
        let id = context.as_ref().and_then(|context| text(context, key)).or_else(|| text(row, &dotted));
        id.filter(|id| !id.is_empty()).ok_or(RowFault::MissingPart(dotted))
    };
    Ok((id("trace_id")?, id("span_id")?))
}

fn observation(file: &Arc<Path>, at: At, row: &Json) -> Result<Observation, Reject> {
    let (trace, id) = ids(row).map_err(|fault| refused(file, at, fault, row))?;
    let events = member(row, "events").map(|events| opened(&events)).and_then(|events| events.items());
    let time = |key: &str| text(row, key).as_deref().and_then(instant);
    let span = Span {
        trace,
        id,
        parent: text(row, "parent_id").filter(|id| !id.is_empty()),
        name: text(row, "name").unwrap_or_default(),
        started: time("start_time"),
        ended: time("end_time"),
        attributes: attributes(row),
        events: events.unwrap_or_default().iter().map(event).collect(),
        status: status(row),
        ..Span::default()
    };
    Ok(dialects::observation(span, file, at))
}

/// The attributes of a span: in an object, or in columns of their names.
fn attributes(row: &Json) -> Attributes {
    let mut found = Vec::new();
    for (key, value) in row.members().unwrap_or_default() {
        match key.strip_prefix("attributes") {
            Some("") => {
                let value = opened(&value);
                for (key, value) in value.members().unwrap_or_default() {
                    flatten(&mut found, key.into_owned(), value, 0);
                }
            }
            Some(dotted) if dotted.starts_with('.') => flatten(&mut found, dotted[1..].to_owned(), value, 0),
            _ => {}
        }
    }
    const KIND: &str = "openinference.span.kind";
    let kind = text(row, "span_kind").filter(|kind| kind != "UNKNOWN");
    if let Some(kind) = kind.filter(|_| !found.iter().any(|(key, _)| key == KIND)) {
        found.push((KIND.to_owned(), Json::string(&kind)));
    }
    found.into_iter().collect()
}

/// How deep attributes are taken apart.
const DEPTH: usize = 12;

/// Attributes as they were before Phoenix put them together: lists of objects and objects become keys with places and
/// names in them. Cells of CSV are texts, in which Python wrote lists of messages.
fn flatten(found: &mut Vec<(String, Json)>, key: String, value: Json, depth: usize) {
    let is_list_of_ours =
        |key: &str| key.ends_with("_messages") || key.ends_with("tool_calls") || key.ends_with("contents");
    let value = if value.kind() == Kind::String && is_list_of_ours(&key) { opened(&value) } else { value };
    match value.kind() {
        Kind::Null => {}
        Kind::Object if depth < DEPTH => {
            for (name, part) in value.members().unwrap_or_default() {
                flatten(found, format!("{key}.{name}"), part, depth + 1);
            }
        }
        Kind::Array if depth < DEPTH => {
            let items = value.items().unwrap_or_default();
            if items.iter().any(|item| item.kind() == Kind::Object) {
                for (place, item) in items.into_iter().enumerate() {
                    flatten(found, format!("{key}.{place}"), item, depth + 1);
                }
            } else {
                found.push((key, value));
            }
        }
        _ => found.push((key, value)),
    }
}

fn event(written: &Json) -> Event {
    let mut attributes = Vec::new();
    for (key, value) in
        member(written, "attributes").and_then(|it| opened(&it).members().map(owned)).unwrap_or_default()
    {
        attributes.push((key, value));
    }
    let at = first_member(written, &["timestamp", "time"]).and_then(|at| instant(&at.shown()));
    Event {
        name: text(written, "name").unwrap_or_default(),
        at,
        attributes: attributes.into_iter().collect(),
        body: None,
    }
}

fn owned(members: Vec<(std::borrow::Cow<'_, str>, Json)>) -> Vec<(String, Json)> {
    members.into_iter().map(|(key, value)| (key.into_owned(), value)).collect()
}

fn status(row: &Json) -> Status {
    match text(row, "status_code").as_deref() {
        Some("ERROR") => Status::Error(text(row, "status_message").filter(|message| !message.is_empty())),
        Some("OK") => Status::Ok,
        _ => Status::Unset,
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::Message;
    use super::super::observation::ObservationKind;
    use super::*;

    fn pieces(name: &str, text: &str) -> Vec<Observation> {
        let read = read(SourceText::of(name, text)).map_err(|error| error.problem).unwrap();
        read.map(Result::unwrap).collect()
    }

    fn check(piece: &Observation) {
        assert_eq!((piece.trace.as_str(), piece.id.as_str(), piece.parent.as_deref()), ("t", "s", Some("p")));
        let ObservationKind::Model(call) = &piece.kind else { panic!("{piece:?}") };
        assert_eq!((call.tokens.input, call.model.as_deref(), call.latency_ms), (Some(12), Some("m"), Some(1500.0)));
        assert!(matches!(&piece.input[0], Message::User { content, .. } if content.text() == "\"hi\""));
        let Message::Assistant { calls, .. } = &piece.output[0] else { panic!("{piece:?}") };
        assert_eq!(calls[0].name, "look");
    }

    #[test]
    fn spans_of_the_client_have_dotted_keys() {
        check(&pieces(
            "x.jsonl",
            r#"{"id":"U3Bhbjox","name":"chat","context":{"trace_id":"t","span_id":"s"},"span_kind":"LLM","parent_id":"p","start_time":"2026-01-01T00:00:00+00:00","end_time":"2026-01-01T00:00:01.500000+00:00","status_code":"OK","status_message":"","attributes":{"llm.model_name":"m","llm.token_count.prompt":12,"llm.input_messages.0.message.role":"user","llm.input_messages.0.message.content":"hi","llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.tool_calls.0.tool_call.function.name":"look"},"events":[]}"#,
        )
        .pop()
        .unwrap());
    }

    #[test]
    fn rows_of_the_table_have_lists_of_structs_and_those_of_csv_what_python_wrote() {
        let messages = r#"[{"message.role":"user","message.content":"hi","message.tool_calls":null}]"#;
        let answer = r#"[{"message.role":"assistant","message.tool_calls":[{"tool_call.function.name":"look"}]}]"#;
        let row = |messages: &str, answer: &str| {
            format!(
                r#"{{"name":"chat","span_kind":"LLM","parent_id":"p","start_time":"2026-01-01T00:00:00Z","end_time":"2026-01-01T00:00:01.5Z","context.span_id":"s","context.trace_id":"t","attributes.llm.model_name":"m","attributes.llm.token_count.prompt":12.0,"attributes.llm.input_messages":{messages},"attributes.llm.output_messages":{answer}}}"#
            )
        };
        check(&pieces("x.jsonl", &row(messages, answer)).pop().unwrap());
        let csv = "context.span_id,context.trace_id,name,span_kind,parent_id,start_time,end_time,attributes.llm.model_name,attributes.llm.token_count.prompt,attributes.llm.input_messages,attributes.llm.output_messages\n\
            s,t,chat,LLM,p,2026-01-01 00:00:00+00:00,2026-01-01 00:00:01.500000+00:00,m,12.0,\"[{'message.role': 'user', 'message.content': 'hi'}]\",\"[{'message.role': 'assistant', 'message.tool_calls': [{'tool_call.function.name': 'look'}]}]\"\n";
        check(&pieces("x.csv", csv).pop().unwrap());
    }

    #[test]
    fn a_span_that_failed_says_why() {
        let row = r#"{"name":"look","span_kind":"TOOL","context":{"trace_id":"t","span_id":"s"},"status_code":"ERROR","status_message":"boom","attributes":{"tool.name":"look","input.value":"{\"x\":1}"},"events":[{"name":"exception","timestamp":"2026-01-01T00:00:00Z","attributes":{"exception.message":"boom","exception.type":"E"}}]}"#;
        let piece = pieces("x.jsonl", row).pop().unwrap();
        let ObservationKind::Tool { arguments, outcome, .. } = &piece.kind else { panic!("{piece:?}") };
        assert_eq!(arguments.as_ref().unwrap().text(), r#"{"x":1}"#);
        assert!(format!("{outcome:?}").contains("boom"), "{outcome:?}");
        assert!(read(SourceText::of("x.json", "{\"a\":1}")).is_err());
    }
}
