//! Langfuse: traces with their observations as its pages and its API give them, and rows of its exports.
//!
//! Fields are named as in `parentObservationId` by the API and as in `parent_observation_id` by exports to a bucket.

use std::path::Path;
use std::sync::Arc;

use jiff::{Timestamp, ToSpan};

use super::super::interaction::{Doubt, ModelCall};
use super::super::json::{Json, Kind};
use super::super::place::{At, Reject};
use super::super::wire::RowFault;
use super::dialogue::{Answer, Asked, Outcome};
use super::fields::{as_text, between, instant, member};
use super::format::{Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::observation::{Observation, ObservationKind, Observations};
use super::opening::Opening;
use super::payload::{answer_messages, answered, asked, given, model_call, opened, said, tool_outcome};
use super::spans::Span;
use super::values::{keys, no_interaction, refused};
use super::{dialects, table, usage};

pub(super) const FORMAT: Format = Format {
    name: "langfuse",
    about: "traces and observations of Langfuse: JSON of its pages and API, JSONL, CSV and Parquet of its exports",
    grain: Grain::Turn,
    sign,
    reader: Reader::Observations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let has = |keys: &[&str]| {
        let within = |above: &str| keys.iter().all(|key| opening.has(&format!("{above}{key}")));
        ["", "[].", "data[].", "trace.", "observations[]."].into_iter().any(within)
    };
    let is_either = |camel: &[&str], snake: &[&str]| has(camel) || has(snake);
    if is_either(&["traceId", "parentObservationId"], &["trace_id", "parent_observation_id"])
        || is_either(&["traceId", "isRootObservation"], &["trace_id", "is_root_observation"])
    {
        return Some(Sign::Sure("it has observations of Langfuse".into()));
    }
    if is_either(&["bookmarked", "release", "sessionId"], &["bookmarked", "release", "session_id"]) {
        return Some(Sign::Sure("it has traces of Langfuse".into()));
    }
    let is_view = [".input.success", ".output.success"].iter().any(|ending| opening.has_ending(ending));
    is_view.then(|| Sign::Likely("it has messages as Langfuse shows them".into()))
}

fn read(source: SourceText) -> Result<Observations, NotThisFormat> {
    let file = Arc::clone(&source.file);
    let mut rows = table::rows(source)?.peekable();
    if let Some(Ok((_, first))) = rows.peek() {
        check(first)?;
    }
    Ok(Box::new(rows.flat_map(move |row| match row {
        Ok((at, row)) => observations(&file, at, &row),
        Err(reject) => vec![Err(reject)],
    })))
}

/// Tells apart what Langfuse wrote that holds no traces.
fn check(first: &Json) -> Result<(), NotThisFormat> {
    if !matches!(Shape::of(first), Shape::Unknown) {
        return Ok(());
    }
    let is_shown = |side: &Json| member(side, "success").is_some();
    let is_view =
        |value: &Json| ["input", "output"].iter().any(|side| member(value, side).as_ref().is_some_and(is_shown));
    if first.members().is_some_and(|members| members.iter().any(|(_, value)| is_view(value))) {
        return Err(NotThisFormat {
            problem: "it holds messages as Langfuse shows them, without times, tokens and the order of calls".into(),
            help: Some("export the trace itself: its JSON has `observations`".into()),
        });
    }
    Err(NotThisFormat {
        problem: format!("it has no observations and no traces; its fields are {}", keys(first)),
        help: Some("export traces with their observations, or the table of observations".into()),
    })
}

/// What one value of a file is.
enum Shape {
    /// A trace, with its observations in it or beside it.
    Trace {
        trace: Json,
        observations: Vec<Json>,
    },
    /// A page of an answer of the API.
    Page(Vec<Json>),
    /// A row of observations.
    Observation,
    /// A row of scores, which are judgements and no traffic.
    Score,
    Unknown,
}

impl Shape {
    fn of(value: &Json) -> Self {
        let list = |key: &str| member(value, key).and_then(|list| list.items());
        let has = |key: &str| Row(value).field(key).is_some();
        if let Some(observations) = list("observations") {
            // A list of traces has only the ids of their observations.
            let observations = observations.into_iter().filter(|it| it.kind() == Kind::Object).collect();
            let trace = member(value, "trace").unwrap_or_else(|| value.clone());
            return Shape::Trace { trace, observations };
        }
        if let Some(data) = list("data") {
            return Shape::Page(data);
        }
        if has("dataType") && has("source") {
            Shape::Score
        } else if has("traceId") && has("id") {
            Shape::Observation
        } else if has("id") && has("timestamp") {
            Shape::Trace { trace: value.clone(), observations: Vec::new() }
        } else {
            Shape::Unknown
        }
    }
}

type Found = Result<Observation, Reject>;

fn observations(file: &Arc<Path>, at: At, value: &Json) -> Vec<Found> {
    match Shape::of(value) {
        Shape::Page(rows) => rows.iter().flat_map(|row| in_page(file, at, row)).collect(),
        _ => in_page(file, at, value),
    }
}

fn in_page(file: &Arc<Path>, at: At, value: &Json) -> Vec<Found> {
    let refuse = |fault: RowFault| vec![Err(refused(file, at, fault, value))];
    match Shape::of(value) {
        Shape::Trace { trace, observations } => match Row(&trace).text("id") {
            Some(id) => of_trace(file, at, Row(&trace), id, &observations),
            None => refuse(RowFault::MissingPart("trace.id".into())),
        },
        Shape::Observation => vec![of_row(file, at, Row(value))],
        Shape::Score => Vec::new(),
        Shape::Page(_) | Shape::Unknown => {
            refuse(no_interaction(format!("it is no observation and no trace; its fields are {}", keys(value))))
        }
    }
}

/// A row under both spellings of its fields.
#[derive(Clone, Copy)]
struct Row<'a>(&'a Json);

impl Row<'_> {
    /// A field that is there and says something. Cells of CSV are texts, of which an empty one says nothing.
    fn field(self, camel: &str) -> Option<Json> {
        let says = |value: &Json| value.as_str().is_none_or(|text| !text.is_empty());
        let value = member(self.0, camel).or_else(|| member(self.0, &snake(camel)));
        value.filter(says)
    }

    fn text(self, camel: &str) -> Option<String> {
        self.field(camel).and_then(|value| as_text(&value))
    }

    /// A field of JSON, which exports keep as a text.
    fn json(self, camel: &str) -> Option<Json> {
        self.field(camel).map(|value| opened(&value))
    }

    fn instant(self, camel: &str) -> Option<Timestamp> {
        self.text(camel).as_deref().and_then(instant)
    }

    /// The text of an attribute that came by OpenTelemetry.
    fn attribute(self, key: &str) -> Option<String> {
        let attributes = member(&self.json("metadata")?, "attributes").map(|attributes| opened(&attributes))?;
        member(&attributes, key).and_then(|value| as_text(&value))
    }
}

/// `parentObservationId` as `parent_observation_id`.
fn snake(camel: &str) -> String {
    let mut snake = String::with_capacity(camel.len() + 4);
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// A trace with its observations. What is known of the trace alone is told of its root, or where it has none or several
/// of a piece that all of them happened in.
fn of_trace(file: &Arc<Path>, at: At, trace: Row<'_>, id: String, rows: &[Json]) -> Vec<Found> {
    let mut pieces: Vec<Found> = rows.iter().map(|row| of_row(file, at, Row(row))).collect();
    let ids: std::collections::HashSet<String> = pieces.iter().flatten().map(|piece| piece.id.clone()).collect();
    let session = trace.text("sessionId");
    let is_root = |piece: &Observation| piece.parent.as_ref().is_none_or(|parent| !ids.contains(parent));
    for piece in pieces.iter_mut().flatten() {
        piece.session = session.clone().or(piece.session.take());
    }
    let mut roots: Vec<&mut Observation> = pieces.iter_mut().flatten().filter(|piece| is_root(piece)).collect();
    if let [root] = roots.as_mut_slice() {
        tell_trace(root, trace);
        if root.input.is_empty() {
            prompts_for_words(&mut pieces, rows);
        }
        return pieces;
    }
    let mut whole = Observation::new(file, at, id.clone(), id);
    whole.kind = ObservationKind::Workflow;
    tell_trace(&mut whole, trace);
    whole.session = session;
    whole.name = trace.text("name").unwrap_or_default();
    whole.started = trace.instant("timestamp").or_else(|| roots.iter().filter_map(|root| root.started).min());
    whole.ended = roots.iter().filter_map(|root| root.ended).max().or_else(|| {
        let seconds = trace.text("latency")?.parse::<f64>().ok().filter(|seconds| (0.0..1e7).contains(seconds))?;
        whole.started?.checked_add(((seconds * 1e9) as i64).nanoseconds()).ok()
    });
    for root in roots {
        root.parent = Some(whole.id.clone());
    }
    pieces.push(Ok(whole));
    pieces
}

/// Where a trace does not say what was asked, the prompts of its models stand for it.
fn prompts_for_words(pieces: &mut [Found], rows: &[Json]) {
    for (piece, row) in pieces.iter_mut().zip(rows) {
        if let Ok(piece) = piece
            && piece.input.is_empty()
            && matches!(piece.kind, ObservationKind::Model(_))
        {
            piece.input = asked(Row(row).field("input").as_ref(), None);
        }
    }
}

/// What a trace tells beside its observations.
fn tell_trace(piece: &mut Observation, trace: Row<'_>) {
    let (input, output) = (given(trace.field("input").as_ref()), said(trace.field("output").as_ref()));
    if !input.is_empty() {
        piece.input = input;
    }
    if !output.is_empty() {
        piece.output = output;
    }
    if matches!(piece.kind, ObservationKind::Other) && !piece.input.is_empty() {
        piece.kind = ObservationKind::Workflow;
    }
    piece.extra.extend(origin(trace));
}

/// Where a trace comes from, for its reader.
fn origin(trace: Row<'_>) -> Option<(super::super::json::Key, Json)> {
    let kept = ["name", "environment", "release", "version", "userId", "tags"];
    let parts: Vec<String> = kept
        .iter()
        .filter_map(|key| Some((key, trace.json(key)?)))
        .filter(|(_, value)| value.text() != "[]")
        .map(|(key, value)| format!("\"{key}\":{}", value.text()))
        .collect();
    (!parts.is_empty()).then(|| ("langfuse".into(), Json::trusted(format!("{{{}}}", parts.join(",")))))
}

/// An observation.
fn of_row(file: &Arc<Path>, at: At, row: Row<'_>) -> Found {
    let part = |key: &str| row.text(key).ok_or_else(|| refused(file, at, RowFault::MissingPart(key.into()), row.0));
    let mut piece = Observation::new(file, at, part("traceId")?, part("id")?);
    piece.parent = row.text("parentObservationId");
    piece.name = row.text("name").unwrap_or_default();
    (piece.started, piece.ended) = (row.instant("startTime"), row.instant("endTime"));
    piece.session = row.text("sessionId").or_else(|| row.attribute("session.id"));
    let is_error = row.text("level").is_some_and(|level| level == "ERROR");
    let status = row.field("statusMessage");
    piece.error = is_error.then(|| status.clone().unwrap_or_else(|| Json::string("error")));
    let told = attributes_tell(&piece, row);
    match (row.text("type").as_deref(), told.as_ref().map(|told| &told.kind)) {
        (Some("GENERATION"), _) => of_generation(&mut piece, row),
        (Some("TOOL"), _) => of_tool(&mut piece, row),
        (Some("AGENT"), _) => {
            of_step(&mut piece, row);
            piece.kind = ObservationKind::Agent;
        }
        // Before it had more kinds of observations all of these were spans.
        (_, Some(ObservationKind::Model(_))) => of_generation(&mut piece, row),
        (_, Some(ObservationKind::Tool { .. })) => of_tool(&mut piece, row),
        _ if row.json("output").is_some_and(|output| member(&output, "tool_call_id").is_some()) => {
            of_tool(&mut piece, row)
        }
        _ => of_step(&mut piece, row),
    }
    Ok(match told {
        Some(told) => piece.filled_from(told),
        None => piece,
    })
}

fn of_step(piece: &mut Observation, row: Row<'_>) {
    piece.input = given(row.field("input").as_ref());
    piece.output = said(row.field("output").as_ref());
}

/// What came by OpenTelemetry keeps the attributes of its span, which may say what kind of a step it is.
fn attributes_tell(piece: &Observation, row: Row<'_>) -> Option<Observation> {
    let attributes = row.json("metadata").and_then(|metadata| member(&metadata, "attributes"));
    let attributes = attributes.map(|attributes| opened(&attributes)).and_then(|attributes| {
        let members = attributes.members()?;
        Some(members.into_iter().map(|(key, value)| (key.into_owned(), value)).collect())
    });
    let span = Span {
        trace: piece.trace.clone(),
        id: piece.id.clone(),
        parent: piece.parent.clone(),
        name: piece.name.clone(),
        started: piece.started,
        ended: piece.ended,
        attributes: attributes?,
        ..Span::default()
    };
    Some(dialects::observation(span, &piece.file, piece.at))
}

fn of_generation(piece: &mut Observation, row: Row<'_>) {
    piece.input = asked(row.field("input").as_ref(), piece.parent.as_deref());
    let Answer { words, mut calls, model_call: told, doubt } = answered(row.field("output").as_ref());
    if calls.is_empty() {
        calls = listed_calls(row);
    }
    piece.output = answer_messages(words, calls);
    let usage = row.json("usageDetails").map(|usage| usage::langfuse(&usage)).unwrap_or_default();
    let own = ModelCall {
        model: row.text("model").or_else(|| row.text("providedModelName")),
        tokens: usage.tokens,
        latency_ms: piece.started.zip(piece.ended).and_then(|(start, end)| between(start, end)),
        ..ModelCall::default()
    };
    piece.doubts.extend(usage.doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }));
    if own.tokens.is_unknown() {
        piece.doubts.extend(doubt);
    }
    piece.kind = ObservationKind::Model(model_call(own, told));
}

/// The calls in the columns that Langfuse makes of an answer: each is a text of JSON, with its name in a list beside it.
fn listed_calls(row: Row<'_>) -> Vec<Asked> {
    let list = |key: &str| row.json(key).and_then(|list| list.items()).unwrap_or_default();
    let names = list("toolCallNames");
    let mut calls: Vec<(i64, Asked)> = Vec::new();
    for (number, call) in list("toolCalls").iter().enumerate() {
        let call = opened(call);
        let text = |key: &str| member(&call, key).and_then(|value| as_text(&value));
        let name = names.get(number).and_then(as_text).or_else(|| text("name")).unwrap_or_default();
        let place = text("index").and_then(|index| index.parse().ok()).unwrap_or(number as i64);
        let arguments = member(&call, "arguments");
        calls.push((place, Asked { name, arguments, id: text("id"), agent: None }));
    }
    calls.sort_by_key(|(place, _)| *place);
    calls.into_iter().map(|(_, call)| call).collect()
}

fn of_tool(piece: &mut Observation, row: Row<'_>) {
    if let Some(name) = row.attribute("gen_ai.tool.name").or_else(|| row.attribute("tool.name")) {
        piece.name = name;
    }
    let (input, output) = (row.field("input"), row.field("output"));
    let (result, told_id) = tool_outcome(output.as_ref());
    let outcome = match piece.error.clone() {
        Some(error) => Some(Outcome::error(Some(error))),
        // What went in was recorded, so nothing came out.
        None => result.or_else(|| (input.is_some() && piece.ended.is_some()).then(|| Outcome::result(Json::null()))),
    };
    let id = row.attribute("gen_ai.tool.call.id").or(told_id);
    piece.kind = ObservationKind::Tool { id, arguments: input.map(|input| opened(&input)), outcome };
}

#[cfg(test)]
mod tests {
    use super::super::message::Message;
    use super::*;

    fn pieces(text: &str) -> Vec<Observation> {
        let read = read(SourceText::of("x.json", text)).map_err(|error| error.problem).unwrap();
        read.map(Result::unwrap).collect()
    }

    fn user(piece: &Observation) -> Option<&str> {
        piece.input.iter().find_map(|message| match message {
            Message::User { content, .. } => Some(content.text()),
            _ => None,
        })
    }

    fn answer(piece: &Observation) -> (Option<&str>, Vec<&str>) {
        let found = piece.output.iter().find_map(|message| match message {
            Message::Assistant { words, calls } => Some((words.as_ref(), calls)),
            _ => None,
        });
        let (words, calls) = found.expect("an answer");
        (words.map(Json::text), calls.iter().map(|call| call.name.as_str()).collect())
    }

    #[test]
    fn what_is_known_of_the_trace_alone_is_told_of_its_root() {
        let found = pieces(
            r#"{"trace":{"id":"t","timestamp":"2026-01-01T00:00:00Z","sessionId":"s","input":"\"{\\\"prompt\\\":\\\"hi\\\"}\"","output":"\"bye\"","tags":["a"]},
            "observations":[{"id":"b","traceId":"t","parentObservationId":"a","type":"SPAN"},{"id":"a","traceId":"t","type":"AGENT","input":null}]}"#,
        );
        let [inner, root] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((user(root), answer(root)), (Some("\"hi\""), (Some("\"bye\""), vec![])));
        assert_eq!((root.session.as_deref(), inner.session.as_deref()), (Some("s"), Some("s")));
        assert_eq!(root.extra[0].1.text(), r#"{"tags":["a"]}"#);
        assert!(matches!(root.kind, ObservationKind::Agent) && user(inner).is_none());
    }

    #[test]
    fn several_roots_happen_in_one_trace() {
        let found = pieces(
            r#"{"id":"t","timestamp":"2026-01-01T00:00:00Z","latency":1.5,"input":"hi","observations":[
            {"id":"a","traceId":"t","type":"SPAN"},{"id":"b","traceId":"t","type":"SPAN"}]}"#,
        );
        assert_eq!(found.iter().map(|piece| piece.parent.as_deref()).collect::<Vec<_>>(), [Some("t"), Some("t"), None]);
        let whole = &found[2];
        assert_eq!(
            (user(whole), between(whole.started.unwrap(), whole.ended.unwrap())),
            (Some("\"hi\""), Some(1500.0))
        );
    }

    #[test]
    fn rows_are_read_under_both_spellings_and_as_texts_of_json() {
        let camel = r#"{"id":"g","traceId":"t","parentObservationId":null,"isRootObservation":true,"type":"GENERATION","name":"chat","startTime":"2026-01-01T00:00:00Z","endTime":"2026-01-01T00:00:02Z","sessionId":"s","providedModelName":"m","input":"[{\"role\":\"user\",\"content\":\"hi\"}]","output":"","usageDetails":{"input":3,"output":4,"total":7},"toolCalls":["{\"id\":\"c\",\"arguments\":\"{\\\"x\\\":1}\",\"index\":0}"],"toolCallNames":["look"]}"#;
        let snake = r#"{"id":"g","trace_id":"t","parent_observation_id":"","is_root_observation":"true","type":"GENERATION","name":"chat","start_time":"2026-01-01 00:00:00.000000","end_time":"2026-01-01 00:00:02.000000","session_id":"s","provided_model_name":"m","input":"[{\"role\":\"user\",\"content\":\"hi\"}]","output":"","usage_details":"{\"input\":3,\"output\":4,\"total\":7}","tool_calls":"[\"{\\\"id\\\":\\\"c\\\",\\\"arguments\\\":\\\"{}\\\"}\"]","tool_call_names":"[\"look\"]"}"#;
        for row in [camel, snake] {
            let piece = pieces(row).pop().unwrap();
            let ObservationKind::Model(call) = &piece.kind else { panic!("{piece:?}") };
            assert_eq!((call.model.as_deref(), call.latency_ms, call.tokens.sum()), (Some("m"), Some(2000.0), Some(7)));
            assert_eq!((user(&piece), answer(&piece).1, piece.parent.as_deref()), (Some("\"hi\""), vec!["look"], None));
            assert_eq!(piece.session.as_deref(), Some("s"));
        }
    }

    #[test]
    fn a_tool_has_what_it_was_given_and_gave_back_or_why_it_failed() {
        let tool = |rest: &str| {
            let row = format!(
                r#"{{"id":"o","traceId":"t","type":"TOOL","name":"look","endTime":"2026-01-01T00:00:00Z",{rest}}}"#
            );
            let ObservationKind::Tool { id, arguments, outcome } = pieces(&row).pop().unwrap().kind else { panic!() };
            format!("{:?} {:?} {outcome:?}", id, arguments.as_ref().map(Json::text))
        };
        let attributes = r#""metadata":"{\"attributes\":{\"gen_ai.tool.call.id\":\"c\"}}""#;
        let asked = format!(r#""input":"{{\"x\":1}}","output":"{{\"y\":2}}",{attributes}"#);
        assert_eq!(tool(&asked), r#"Some("c") Some("{\"x\":1}") Some(Result({"y":2}))"#);
        let failed = tool(r#""input":{},"level":"ERROR","statusMessage":"no such city""#);
        assert_eq!(failed, r#"None Some("{}") Some(Error("no such city"))"#);
        assert_eq!(tool(r#""input":{}"#), r#"None Some("{}") Some(Result(null))"#);
        assert_eq!(tool(r#""name2":1"#), "None None None", "nothing was recorded of it");
        let message = r#""input":{},"output":{"type":"tool","content":"[1]","tool_call_id":"c","status":"success"}"#;
        assert_eq!(tool(message), r#"Some("c") Some("{}") Some(Result([1]))"#);
    }

    #[test]
    fn what_is_no_traffic_is_told_apart() {
        let refused = |text: &str| read(SourceText::of("x.json", text)).map(|_| ()).unwrap_err();
        assert!(refused(r#"{"1f":{"input":{"success":true,"data":[]}}}"#).problem.contains("as Langfuse shows them"));
        assert!(refused(r#"{"a":1}"#).problem.contains("its fields are a"));
        assert!(pieces(r#"{"id":"x","traceId":"t","source":"EVAL","dataType":"NUMERIC","value":1}"#).is_empty());
        let rows = "{\"id\":\"o\",\"traceId\":\"t\",\"type\":\"SPAN\"}\n{\"a\":1}\n";
        let found: Vec<_> = read(SourceText::of("x.jsonl", rows)).map_err(|error| error.problem).unwrap().collect();
        assert!(found[0].is_ok() && found[1].as_ref().unwrap_err().to_string().contains("no observation and no trace"));
    }
}
