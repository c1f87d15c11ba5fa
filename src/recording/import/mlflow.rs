//! MLflow: traces as `Trace.to_json()` gives them, one a line or in a list, and the table of `search_traces()`.
//!
//! Every attribute of a span is a text of JSON. What came in by OpenTelemetry has its own attributes beside those of MLflow,
//! which say the same in other words; they go first.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::interaction::{Doubt, ModelCall};
use super::super::json::{Json, Key, Kind};
use super::super::place::{At, Reject};
use super::super::wire::RowFault;
use super::dialogue::{Answer, Outcome};
use super::fields::{between, first_member, items, member, text};
use super::format::{Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::observation::{Observation, ObservationKind, Observations};
use super::opening::Opening;
use super::payload::{answer_messages, answered, asked, given, model_call, opened, said, tool_outcome};
use super::spans::attributes::Attributes;
use super::spans::{Event, Span, Status, identifier, nanoseconds};
use super::values::{keys, no_interaction, refused};
use super::{dialects, table, usage};

pub(super) const FORMAT: Format = Format {
    name: "mlflow",
    about: "traces of MLflow: JSON of Trace.to_json(), Parquet and CSV of search_traces()",
    grain: Grain::Turn,
    sign,
    reader: Reader::Observations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let has = |keys: &[&str]| {
        ["", "[].", "traces[]."].iter().any(|above| keys.iter().all(|key| opening.has(&format!("{above}{key}"))))
    };
    let is_trace = has(&["info.trace_metadata", "data.spans"])
        || has(&["info.request_metadata", "data.spans"])
        || has(&["info.trace_location", "data"]);
    let is_table = ["trace", "spans"]
        .iter()
        .any(|column| has(&["trace_id", "trace_metadata", column]) || has(&["request_id", "request_metadata", column]));
    (is_trace || is_table).then(|| Sign::Sure("it has traces of MLflow".into()))
}

fn read(source: SourceText) -> Result<Observations, NotThisFormat> {
    let file = Arc::clone(&source.file);
    let mut rows = table::rows(source)?.peekable();
    if let Some(Ok((_, first))) = rows.peek()
        && traces(first).is_none()
    {
        return Err(NotThisFormat {
            problem: format!("it has no traces; its fields are {}", keys(first)),
            help: Some("a trace has `info` and `data`; a table of traces has the column `trace` or `spans`".into()),
        });
    }
    Ok(Box::new(rows.flat_map(move |row| match row {
        Ok((at, row)) => match traces(&row) {
            Some(traces) => traces.iter().flat_map(|trace| observations(&file, at, trace)).collect(),
            None => {
                let fault = no_interaction(format!("it is no trace; its fields are {}", keys(&row)));
                vec![Err(refused(&file, at, fault, &row))]
            }
        },
        Err(reject) => vec![Err(reject)],
    })))
}

/// A trace: what is known of all of it, and its spans.
struct Trace {
    info: Json,
    spans: Vec<Json>,
}

/// The traces in a value: one, a list of several in an answer of the API, or a row of a table.
fn traces(value: &Json) -> Option<Vec<Trace>> {
    if let Some(list) = member(value, "traces").and_then(|list| list.items()) {
        return Some(list.iter().filter_map(trace).collect());
    }
    trace(value).map(|trace| vec![trace])
}

fn trace(value: &Json) -> Option<Trace> {
    if let Some(info) = member(value, "info") {
        let spans = member(value, "data").map(|data| items(&opened(&data), "spans")).unwrap_or_default();
        return Some(Trace { info: opened(&info), spans });
    }
    // A row of a table has the whole trace as a text, or its parts in columns.
    if let Some(whole) = member(value, "trace").map(|whole| opened(&whole)).filter(|it| it.kind() == Kind::Object) {
        return trace(&whole);
    }
    let spans = opened(&member(value, "spans")?).items()?;
    Some(Trace { info: value.clone(), spans: spans.iter().map(opened).collect() })
}

type Found = Result<Observation, Reject>;

fn observations(file: &Arc<Path>, at: At, trace: &Trace) -> Vec<Found> {
    let Some(id) = first_member(&trace.info, &["trace_id", "request_id"]).map(|id| id.shown().into_owned()) else {
        return vec![Err(refused(file, at, RowFault::MissingPart("info.trace_id".into()), &trace.info))];
    };
    if trace.spans.is_empty() {
        let fault = no_interaction(format!("the trace {id} has no spans: it was listed without them"));
        return vec![Err(refused(file, at, fault, &trace.info))];
    }
    let metadata = first_member(&trace.info, &["trace_metadata", "request_metadata"]).map(|metadata| opened(&metadata));
    let session = metadata.as_ref().and_then(|metadata| text(metadata, "mlflow.trace.session"));
    let each = trace.spans.iter().map(|written| {
        let mut span = span(written);
        if span.id.is_empty() {
            return Err(refused(file, at, RowFault::MissingPart("span_id".into()), written));
        }
        span.trace.clone_from(&id);
        let mut piece = observation(file, at, span);
        piece.session = session.clone().or(piece.session.take());
        if piece.parent.is_none() {
            piece.extra.extend(origin(&trace.info, metadata.as_ref()));
        }
        Ok(piece)
    });
    each.collect()
}

/// A span as version 3 writes it, with ids of bytes in base64, or as version 2 did, with ids as `0x1f` within `context`.
fn span(written: &Json) -> Span {
    let context = member(written, "context").unwrap_or_else(|| written.clone());
    let id = |json: &Json, keys: &[&str]| {
        let id = first_member(json, keys).map(|id| id.shown().into_owned()).unwrap_or_default();
        identifier(id.strip_prefix("0x").unwrap_or(&id), 8)
    };
    let time = |keys: &[&str]| first_member(written, keys).and_then(|time| nanoseconds(time.shown().parse().ok()?));
    let attributes = member(written, "attributes").map(|attributes| opened(&attributes));
    let events = items(written, "events");
    Span {
        id: id(&context, &["span_id"]),
        parent: Some(id(written, &["parent_span_id", "parent_id"])).filter(|id| !id.is_empty()),
        name: text(written, "name").unwrap_or_default(),
        started: time(&["start_time_unix_nano", "start_time_ns", "start_time"]),
        ended: time(&["end_time_unix_nano", "end_time_ns", "end_time"]),
        attributes: attributes.as_ref().map(decoded).unwrap_or_default(),
        events: events.iter().map(event).collect(),
        status: status(written),
        ..Span::default()
    }
}

/// Attributes, each out of its text of JSON.
fn decoded(attributes: &Json) -> Attributes {
    let value = |value: &Json| value.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
    let members = attributes.members().unwrap_or_default();
    members.iter().map(|(key, written)| (key.to_string(), value(written).unwrap_or_else(|| written.clone()))).collect()
}

fn event(written: &Json) -> Event {
    let time = first_member(written, &["time_unix_nano", "timestamp"]);
    let attributes = member(written, "attributes").and_then(|attributes| {
        let members = attributes.members()?;
        Some(members.iter().map(|(key, value)| (key.to_string(), value.clone())).collect())
    });
    Event {
        name: text(written, "name").unwrap_or_default(),
        at: time.and_then(|time| nanoseconds(time.shown().parse().ok()?)),
        attributes: attributes.unwrap_or_default(),
        body: None,
    }
}

fn status(written: &Json) -> Status {
    let status = member(written, "status");
    let code = status.as_ref().and_then(|status| text(status, "code")).or_else(|| text(written, "status_code"));
    let message =
        status.as_ref().and_then(|status| text(status, "message")).or_else(|| text(written, "status_message"));
    match code.as_deref().map(|code| code.strip_prefix("STATUS_CODE_").unwrap_or(code)) {
        Some("ERROR") => Status::Error(message.filter(|message| !message.is_empty())),
        Some("OK") => Status::Ok,
        _ => Status::Unset,
    }
}

fn observation(file: &Arc<Path>, at: At, span: Span) -> Observation {
    let own = as_mlflow_has_it(file, at, &span);
    dialects::observation(span, file, at).filled_from(own)
}

/// What the attributes of MLflow say of a span.
fn as_mlflow_has_it(file: &Arc<Path>, at: At, span: &Span) -> Observation {
    let mut piece = Observation::new(file, at, span.trace.clone(), span.id.clone());
    piece.parent.clone_from(&span.parent);
    piece.name.clone_from(&span.name);
    (piece.started, piece.ended) = (span.started, span.ended);
    piece.error = error(span);
    let (inputs, outputs) = (span.attributes.get("mlflow.spanInputs"), span.attributes.get("mlflow.spanOutputs"));
    match span.attributes.text("mlflow.spanType").as_deref() {
        Some("LLM" | "CHAT_MODEL") => of_model(&mut piece, span, inputs, outputs),
        Some("TOOL") => {
            let (result, id) = tool_outcome(outputs);
            let outcome = match piece.error.clone() {
                Some(error) => Some(Outcome::error(Some(error))),
                None => result.or_else(|| inputs.map(|_| Outcome::result(Json::null()))),
            };
            piece.kind = ObservationKind::Tool { id, arguments: inputs.map(opened), outcome };
        }
        kind => {
            (piece.input, piece.output) = (given(inputs), said(outputs));
            if kind == Some("AGENT") {
                piece.kind = ObservationKind::Agent;
            } else if span.parent.is_none() && !piece.input.is_empty() {
                piece.kind = ObservationKind::Workflow;
            }
        }
    }
    piece
}

/// Why a span failed: the message of its status, else of the exception in it.
fn error(span: &Span) -> Option<Json> {
    let Status::Error(message) = &span.status else { return None };
    let exception = || {
        let event = span.events.iter().find(|event| event.name == "exception")?;
        event.attributes.text("exception.message")
    };
    Some(message.clone().or_else(exception).map_or_else(|| Json::string("error"), |text| Json::string(&text)))
}

fn of_model(piece: &mut Observation, span: &Span, inputs: Option<&Json>, outputs: Option<&Json>) {
    piece.input = asked(inputs, piece.parent.as_deref());
    let Answer { words, calls, model_call: told, doubt } = answered(outputs);
    piece.output = answer_messages(words, calls);
    let usage = span.attributes.get("mlflow.chat.tokenUsage").map(|usage| usage::mlflow(&opened(usage)));
    let usage = usage.unwrap_or_default();
    let latency = |(start, end): (Timestamp, Timestamp)| between(start, end);
    let own = ModelCall {
        model: span.attributes.text("mlflow.llm.model"),
        tokens: usage.tokens,
        latency_ms: span.started.zip(span.ended).and_then(latency),
        ..ModelCall::default()
    };
    piece.doubts.extend(usage.doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }));
    if own.tokens.is_unknown() {
        piece.doubts.extend(doubt);
    }
    piece.kind = ObservationKind::Model(model_call(own, told));
}

/// Where a trace comes from, for its reader.
fn origin(info: &Json, metadata: Option<&Json>) -> Option<(Key, Json)> {
    let user = metadata.and_then(|metadata| member(metadata, "mlflow.trace.user"));
    let tags = member(info, "tags").map(|tags| opened(&tags));
    let name = tags.and_then(|tags| member(&tags, "mlflow.traceName"));
    let state = first_member(info, &["state", "status"]);
    let parts = [("name", name), ("user", user), ("state", state)];
    let parts: Vec<String> =
        parts.iter().filter_map(|(key, value)| Some(format!("\"{key}\":{}", value.as_ref()?.text()))).collect();
    (!parts.is_empty()).then(|| ("mlflow".into(), Json::trusted(format!("{{{}}}", parts.join(",")))))
}

#[cfg(test)]
mod tests {
    use super::super::message::Message;
    use super::*;

    fn pieces(text: &str) -> Vec<Observation> {
        let read = read(SourceText::of("x.json", text)).map_err(|error| error.problem).unwrap();
        read.map(Result::unwrap).collect()
    }

    const V3: &str = r#"{"info":{"trace_id":"tr-1","state":"OK","trace_metadata":{"mlflow.trace.session":"s"},"tags":{"mlflow.traceName":"n"}},"data":{"spans":[
        {"trace_id":"G7h0+ig6KioxedMCgoxLTw==","span_id":"ktv1bK1V1fk=","parent_span_id":null,"name":"agent","start_time_unix_nano":1796055101992011242,"end_time_unix_nano":1796055102074138772,"status":{"code":"STATUS_CODE_OK"},"attributes":{"mlflow.spanType":"\"AGENT\"","mlflow.spanInputs":"{\"question\": \"hi\"}","mlflow.spanOutputs":"\"bye\""}},
        {"span_id":"pU9gg0Qy3s0=","parent_span_id":"ktv1bK1V1fk=","name":"llm","start_time_unix_nano":1796055102000000000,"end_time_unix_nano":1796055102001000000,"attributes":{"mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanInputs":"{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}","mlflow.spanOutputs":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"bye\"}}]}","mlflow.chat.tokenUsage":"{\"input_tokens\":10,\"output_tokens\":5,\"total_tokens\":15}","mlflow.llm.model":"\"m\""}},
        {"span_id":"hXLZTh71YZc=","parent_span_id":"ktv1bK1V1fk=","name":"look","events":[{"name":"exception","attributes":{"exception.message":"no such city"}}],"status":{"code":"STATUS_CODE_ERROR","message":"ValueError: no such city"},"attributes":{"mlflow.spanType":"\"TOOL\"","mlflow.spanInputs":"{\"city\":\"X\"}"}}]}}"#;

    fn check_v3(found: &[Observation]) {
        let [agent, model, tool] = found else { panic!("{found:?}") };
        assert_eq!((agent.trace.as_str(), agent.session.as_deref()), ("tr-1", Some("s")));
        assert!(matches!(&agent.input[0], Message::User { content, .. } if content.text() == "\"hi\""));
        assert_eq!((model.parent.as_deref(), agent.id.as_str()), (Some("92dbf56cad55d5f9"), "92dbf56cad55d5f9"));
        let ObservationKind::Model(call) = &model.kind else { panic!("{model:?}") };
        assert_eq!((call.model.as_deref(), call.tokens.sum(), call.latency_ms), (Some("m"), Some(15), Some(1.0)));
        let ObservationKind::Tool { arguments, outcome: Some(Outcome::Error(error)), .. } = &tool.kind else {
            panic!("{tool:?}")
        };
        assert_eq!(arguments.as_ref().unwrap().text(), r#"{"city":"X"}"#);
        assert!(error.text().contains("no such city"));
    }

    #[test]
    fn spans_are_told_by_the_attributes_of_mlflow() {
        check_v3(&pieces(V3));
    }

    #[test]
    fn a_row_of_a_table_holds_a_trace_as_text_or_its_parts_in_columns() {
        let trace = Json::parse(V3).unwrap();
        let whole = format!(r#"{{"trace_id":"tr-1","trace_metadata":{{}},"trace":{}}}"#, Json::string(V3).text());
        check_v3(&pieces(&whole));
        let spans = member(&member(&trace, "data").unwrap(), "spans").unwrap();
        let metadata = r#"{"mlflow.trace.session":"s"}"#;
        let parts = format!(
            r#"{{"trace_id":"tr-1","trace_metadata":{metadata},"spans":{}}}"#,
            Json::string(spans.text()).text()
        );
        check_v3(&pieces(&parts));
    }

    #[test]
    fn version_2_has_its_ids_in_a_context() {
        let found = pieces(
            r#"{"info":{"request_id":"r","status":"OK","request_metadata":{}},"data":{"spans":[
            {"name":"f","context":{"trace_id":"0x1f","span_id":"0x00f067aa0ba902b7"},"parent_id":null,"start_time":1796055101992011242,"end_time":1796055101993011242,"status_code":"OK","attributes":{"mlflow.spanType":"\"UNKNOWN\"","mlflow.spanInputs":"{\"q\": 1}"}},
            {"name":"g","context":{"trace_id":"0x1f","span_id":"0x00f067aa0ba902b8"},"parent_id":"0x00f067aa0ba902b7","attributes":{}}]}}"#,
        );
        assert_eq!((found[0].id.as_str(), found[1].parent.as_deref()), ("00f067aa0ba902b7", Some("00f067aa0ba902b7")));
        assert!(found[0].started.is_some() && matches!(found[0].kind, ObservationKind::Workflow));
    }

    #[test]
    fn what_has_no_spans_is_turned_away() {
        let listed = r#"{"info":{"trace_id":"tr-1","trace_metadata":{}},"data":{"spans":[]}}"#;
        let found: Vec<_> = read(SourceText::of("x.json", listed)).map_err(|error| error.problem).unwrap().collect();
        assert!(found[0].as_ref().unwrap_err().to_string().contains("was listed without them"));
        assert!(read(SourceText::of("x.json", "{\"a\":1}")).is_err());
    }
}
