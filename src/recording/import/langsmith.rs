//! LangSmith: runs as its SDK and its bulk exports give them, one a row, and recordings of what was sent to it, in which a
//! run is posted when it starts and patched when it ends.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::interaction::{Doubt, ModelCall};
use super::super::json::{Json, Key, Kind};
use super::super::place::{At, Reject};
use super::super::wire::RowFault;
use super::dialogue::{Answer, Outcome};
use super::fields::{as_text, below, between, count, first_member, instant, member, text};
use super::format::{Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::messages::langchain;
use super::observation::{Observation, ObservationKind, Observations};
use super::opening::Opening;
use super::payload::{answer_messages, answered, asked, given, model_call, opened, said, tool_outcome};
use super::values::{keys, no_interaction, refused};
use super::{python, table, usage};

pub(super) const FORMAT: Format = Format {
    name: "langsmith",
    about: "runs of LangSmith: JSONL, CSV and Parquet of exports, and recordings of what was sent to it",
    grain: Grain::Turn,
    sign,
    reader: Reader::Observations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let has = |key: &str| {
        ["", "[].", "runs[].", "post[].", "patch[]."].iter().any(|above| opening.has(&format!("{above}{key}")))
    };
    let is_run = has("dotted_order") && (has("run_type") || has("trace_id"));
    let is_row = has("run_type") && has("parent_run_id");
    (is_run || is_row).then(|| Sign::Sure("it has runs of LangSmith".into()))
}

fn read(source: SourceText) -> Result<Observations, NotThisFormat> {
    let file = Arc::clone(&source.file);
    let mut rows = table::rows(source)?.peekable();
    if let Some(Ok((_, first))) = rows.peek()
        && matches!(Shape::of(first), Shape::Unknown)
    {
        return Err(NotThisFormat {
            problem: format!("it has no runs; its fields are {}", keys(first)),
            help: Some("a run has `id`, `trace_id` and `run_type`".into()),
        });
    }
    let mut open = OpenRuns::default();
    let (first, last) = (Arc::clone(&file), file);
    let mut rows = rows.map(Some).chain([None]);
    Ok(Box::new(
        std::iter::from_fn(move || {
            let row = rows.next()?;
            Some(match row {
                Some(Ok((at, row))) => open.runs(&first, at, &row),
                Some(Err(reject)) => vec![Err(reject)],
                None => open.rest(&last),
            })
        })
        .flatten(),
    ))
}

/// What one value of a file is.
enum Shape {
    Run,
    /// What was sent at once: runs that started, and what became known of them.
    Batch {
        posts: Vec<Json>,
        patches: Vec<Json>,
    },
    /// A page of an answer of the API.
    Page(Vec<Json>),
    Unknown,
}

impl Shape {
    fn of(value: &Json) -> Self {
        let list = |key: &str| member(value, key).and_then(|list| list.items());
        let is_run = member(value, "id").is_some() && first_member(value, &["run_type", "dotted_order"]).is_some();
        match (list("post"), list("patch"), list("runs")) {
            (None, None, Some(runs)) => Shape::Page(runs),
            (None, None, None) if is_run => Shape::Run,
            (None, None, None) => Shape::Unknown,
            (posts, patches, _) => {
                Shape::Batch { posts: posts.unwrap_or_default(), patches: patches.unwrap_or_default() }
            }
        }
    }
}

type Found = Result<Observation, Reject>;

/// Runs that were posted and not patched yet.
#[derive(Default)]
struct OpenRuns {
    runs: Vec<Option<(At, Json)>>,
    by_id: HashMap<String, usize>,
}

impl OpenRuns {
    fn runs(&mut self, file: &Arc<Path>, at: At, value: &Json) -> Vec<Found> {
        match Shape::of(value) {
            Shape::Run => vec![observation(file, at, value)],
            Shape::Page(runs) => runs.iter().map(|run| observation(file, at, run)).collect(),
            Shape::Batch { posts, patches } => {
                let mut found = Vec::new();
                for post in &posts {
                    found.extend(self.post(file, at, post));
                }
                found.extend(patches.iter().map(|patch| self.patch(file, at, patch)));
                found
            }
            Shape::Unknown => {
                let fault = no_interaction(format!("it is no run; its fields are {}", keys(value)));
                vec![Err(refused(file, at, fault, value))]
            }
        }
    }

    /// A run that started; one that has ended already needs no patch.
    fn post(&mut self, file: &Arc<Path>, at: At, post: &Json) -> Option<Found> {
        let id = id(post).filter(|_| member(post, "end_time").is_none());
        let Some(id) = id else { return Some(observation(file, at, post)) };
        self.by_id.insert(id, self.runs.len());
        self.runs.push(Some((at, post.clone())));
        None
    }

    fn patch(&mut self, file: &Arc<Path>, at: At, patch: &Json) -> Found {
        let post = id(patch).and_then(|id| self.by_id.remove(&id)).and_then(|number| self.runs.get_mut(number)?.take());
        match post {
            Some((posted, post)) => observation(file, posted, &merged(&post, patch)),
            None => observation(file, at, patch),
        }
    }

    /// The runs of which no end was seen.
    fn rest(&mut self, file: &Arc<Path>) -> Vec<Found> {
        self.by_id.clear();
        std::mem::take(&mut self.runs).into_iter().flatten().map(|(at, post)| observation(file, at, &post)).collect()
    }
}

/// A run with what a later message tells of it.
fn merged(post: &Json, patch: &Json) -> Json {
    let Some((first, later)) = post.members().zip(patch.members()) else { return patch.clone() };
    let is_told = |value: &Json| !value.is_null() && value.members().is_none_or(|members| !members.is_empty());
    let mut parts: Vec<String> = Vec::new();
    let mut add = |key: &str, value: &Json| parts.push(format!("{}:{}", Json::string(key).text(), value.text()));
    for (key, value) in &first {
        let newer = later.iter().find(|(name, newer)| name == key && is_told(newer));
        add(key, newer.map_or(value, |(_, newer)| newer));
    }
    for (key, value) in later.iter().filter(|(key, _)| !first.iter().any(|(name, _)| name == key)) {
        add(key, value);
    }
    Json::trusted(format!("{{{}}}", parts.join(",")))
}

/// The id of a run, which a patch may have at the end of its `dotted_order` only.
fn id(run: &Json) -> Option<String> {
    text(run, "id").or_else(|| ids(run).pop())
}

/// The ids in a `dotted_order`: of the trace, ..., of the parent, of the run. Each stands behind its time.
fn ids(run: &Json) -> Vec<String> {
    let order = text(run, "dotted_order").unwrap_or_default();
    order.split('.').filter_map(|part| part.split_once('Z').map(|(_, id)| id.to_owned())).collect()
}

fn observation(file: &Arc<Path>, at: At, run: &Json) -> Found {
    let ids = ids(run);
    let Some(id) = id(run) else { return Err(refused(file, at, RowFault::MissingPart("id".into()), run)) };
    let trace = text(run, "trace_id").or_else(|| ids.first().cloned()).unwrap_or_else(|| id.clone());
    let above = || ids.len().checked_sub(2).and_then(|number| ids.get(number).cloned());
    let mut piece = Observation::new(file, at, trace, id);
    piece.parent = text(run, "parent_run_id").or_else(above);
    piece.name = text(run, "name").unwrap_or_default();
    (piece.started, piece.ended) = (moment(run, "start_time"), moment(run, "end_time"));
    let extra = part(run, "extra");
    let metadata = extra.as_ref().and_then(|extra| part(extra, "metadata")).or_else(|| part(run, "metadata"));
    let told = |key: &str| metadata.as_ref().and_then(|metadata| text(metadata, key));
    piece.session = ["session_id", "thread_id", "conversation_id"].iter().find_map(|key| told(key));
    let failed = text(run, "status").is_some_and(|status| status == "error");
    piece.error = first_member(run, &["error"]).filter(says).or_else(|| failed.then(|| Json::string("error")));
    let (inputs, outputs) = (part(run, "inputs"), part(run, "outputs").filter(says));
    match text(run, "run_type").as_deref() {
        Some("llm") => {
            let asked = extra.as_ref().and_then(|extra| part(extra, "invocation_params"));
            let model =
                asked.and_then(|asked| first_member(&asked, &["model", "model_name"])).and_then(|it| as_text(&it));
            of_model(&mut piece, run, inputs.as_ref(), outputs.as_ref(), told("ls_model_name").or(model));
        }
        Some("tool") => of_tool(&mut piece, inputs, outputs.as_ref()),
        _ => {
            if piece.parent.is_none() {
                piece.kind = ObservationKind::Workflow;
            }
            piece.input = given(inputs.as_ref());
            piece.output = said(outputs.as_ref());
        }
    }
    if piece.parent.is_none() {
        piece.extra.extend(origin(run));
    }
    Ok(piece)
}

/// A part of a run, which exports keep as a text of JSON.
fn part(json: &Json, key: &str) -> Option<Json> {
    member(json, key).map(|value| opened(&value))
}

fn says(value: &Json) -> bool {
    let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
    !is_blank && value.members().is_none_or(|members| !members.is_empty())
}

/// A point in time: as text, without a zone in UTC, or as milliseconds.
fn moment(run: &Json, key: &str) -> Option<Timestamp> {
    let value = member(run, key)?;
    match value.kind() {
        Kind::Number => Timestamp::from_millisecond(value.shown().split('.').next()?.parse().ok()?).ok(),
        _ => instant(&value.shown()),
    }
}

fn of_model(piece: &mut Observation, run: &Json, inputs: Option<&Json>, outputs: Option<&Json>, model: Option<String>) {
    piece.input = asked(inputs, piece.parent.as_deref());
    let Answer { words, calls, model_call: told, doubt } = answered(outputs);
    piece.output = answer_messages(words, calls);
    let usage = outputs.and_then(usage_in).or_else(|| columns(run)).unwrap_or_default();
    let latency_ms = piece.started.zip(piece.ended).and_then(|(start, end)| between(start, end));
    let own = ModelCall { model, tokens: usage.tokens, latency_ms, ..ModelCall::default() };
    piece.doubts.extend(usage.doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }));
    if own.tokens.is_unknown() {
        piece.doubts.extend(doubt);
    }
    piece.kind = ObservationKind::Model(model_call(own, told));
}

/// The usage in what a model gave back: by the wrappers of the SDK, and by LangChain.
fn usage_in(outputs: &Json) -> Option<usage::Usage> {
    let generation = || below(outputs, &["generations"])?.items()?.into_iter().next()?.items()?.into_iter().next();
    let message = || below(&generation()?, &["message"]).map(|message| member(&message, "kwargs").unwrap_or(message));
    let metadata = member(outputs, "usage_metadata").or_else(|| member(&message()?, "usage_metadata"));
    let counted = || below(outputs, &["llm_output", "token_usage"]).map(|usage| usage::openai(&usage));
    metadata.map(|metadata| langchain::usage(&metadata)).or_else(counted)
}

/// The usage in the columns of a row. A run without usage has counts of 0 there.
fn columns(run: &Json) -> Option<usage::Usage> {
    let named =
        [("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"), ("total_tokens", "total_tokens")];
    let details =
        [("input_token_details", "prompt_token_details"), ("output_token_details", "completion_token_details")];
    let counts = named.iter().filter_map(|(key, column)| Some((*key, count(run, column)?))).collect::<Vec<_>>();
    counts.iter().any(|(_, count)| *count > 0).then_some(())?;
    let counts = counts.iter().map(|(key, count)| format!("\"{key}\":{count}"));
    let details = details.iter().filter_map(|(key, column)| Some(format!("\"{key}\":{}", part(run, column)?.text())));
    let usage = format!("{{{}}}", counts.chain(details).collect::<Vec<_>>().join(","));
    Json::parse(usage).ok().map(|usage| langchain::usage(&usage))
}

fn of_tool(piece: &mut Observation, inputs: Option<Json>, outputs: Option<&Json>) {
    let output = outputs.map(|outputs| only_member(outputs, "output").unwrap_or_else(|| outputs.clone()));
    let (result, id) = tool_outcome(output.as_ref());
    let outcome = match piece.error.clone() {
        Some(error) => Some(Outcome::error(Some(error))),
        None => result,
    };
    piece.kind = ObservationKind::Tool { id, arguments: inputs.map(arguments), outcome };
}

/// The arguments of a tool, which LangChain also writes as one text: `{"input": "{'city': 'Paris'}"}`.
fn arguments(inputs: Json) -> Json {
    let Some(inner) = only_member(&inputs, "input") else { return inputs };
    let is_object = |text: &str| {
        let json = Json::parse(text).ok().or_else(|| python::literal(text));
        json.is_some_and(|json| json.kind() == Kind::Object)
    };
    let is_meant = inner.kind() == Kind::Object || inner.as_str().is_some_and(|text| is_object(&text));
    if is_meant { inner } else { inputs }
}

/// The member of an object that has no other.
fn only_member(json: &Json, key: &str) -> Option<Json> {
    let members = json.members()?;
    let [(name, value)] = members.as_slice() else { return None };
    (name == key).then(|| value.clone())
}

/// Where a trace comes from, for its reader.
fn origin(run: &Json) -> Option<(Key, Json)> {
    let kept = [("name", "name"), ("project", "session_name"), ("tags", "tags"), ("status", "status")];
    let parts: Vec<String> = kept
        .iter()
        .filter_map(|(key, column)| Some((key, part(run, column)?)))
        .filter(|(_, value)| says(value) && value.text() != "[]")
        .map(|(key, value)| format!("\"{key}\":{}", value.text()))
        .collect();
    (!parts.is_empty()).then(|| ("langsmith".into(), Json::trusted(format!("{{{}}}", parts.join(",")))))
}

#[cfg(test)]
mod tests {
    use super::super::message::Message;
    use super::*;

    fn pieces(text: &str) -> Vec<Observation> {
        let read = read(SourceText::of("x.json", text)).map_err(|error| error.problem).unwrap();
        read.map(Result::unwrap).collect()
    }

    fn tool(inputs: &str, outputs: &str) -> String {
        let row = format!(
            r#"{{"id":"1","trace_id":"t","run_type":"tool","name":"look","inputs":{inputs},"outputs":{outputs}}}"#
        );
        let ObservationKind::Tool { id, arguments, outcome } = pieces(&row).pop().unwrap().kind else {
            panic!("{row}")
        };
        format!("{id:?} {:?} {outcome:?}", arguments.as_ref().map(Json::text))
    }

    #[test]
    fn a_run_is_put_together_of_its_post_and_its_patch() {
        let post = r#"{"id":"r","name":"ChatOpenAI","run_type":"llm","start_time":1728803137170,"trace_id":"r","dotted_order":"20241013T070537170001Zr","inputs":{"messages":[{"role":"user","content":"howdy"}]},"outputs":{}}"#;
        let patch = r#"{"end_time":1728803138285,"dotted_order":"20241013T070537170001Zr","inputs":{},"outputs":{"model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"Hi"}}],"usage_metadata":{"input_tokens":9,"output_tokens":8,"total_tokens":17}}}"#;
        let together = format!(r#"{{"post":[{post}],"patch":[{patch}]}}"#);
        let apart = format!("{{\"post\":[{post}]}}\n{{\"patch\":[{patch}]}}\n");
        for text in [together, apart] {
            let found = pieces(&text);
            let [run] = found.as_slice() else { panic!("{found:?}") };
            let ObservationKind::Model(call) = &run.kind else { panic!("{run:?}") };
            assert_eq!(
                (call.model.as_deref(), call.tokens.sum(), call.latency_ms),
                (Some("m"), Some(17), Some(1115.0))
            );
            assert_eq!((call.finish_reason.as_deref(), run.id.as_str()), (Some("stop"), "r"));
            assert!(matches!(&run.input[0], Message::User { content, .. } if content.text() == "\"howdy\""));
        }
        assert_eq!(pieces(&format!(r#"{{"post":[{post}]}}"#)).len(), 1, "one that never ended is a run too");
    }

    #[test]
    fn the_conversation_is_in_the_metadata_and_the_session_is_the_project() {
        let run = r#"{"id":"b","run_type":"chain","session_id":"project","dotted_order":"1Za.2Zb","extra":"{\"metadata\":{\"thread_id\":\"th\"}}","inputs":"{\"question\":\"hi\"}","status":"success","session_name":"p"}"#;
        let run = pieces(run).pop().unwrap();
        assert_eq!((run.session.as_deref(), run.parent.as_deref(), run.trace.as_str()), (Some("th"), Some("a"), "a"));
    }

    #[test]
    fn arguments_are_told_as_an_object_or_as_a_text_of_one() {
        assert_eq!(
            tool(r#"{"city":"Paris"}"#, r#"{"output":"21C"}"#),
            r#"None Some("{\"city\":\"Paris\"}") Some(Result("21C"))"#
        );
        let python = tool(r#"{"input":"{'city': 'Paris'}"}"#, "null");
        assert_eq!(python, r#"None Some("\"{'city': 'Paris'}\"") None"#, "the call keeps what was written");
        assert_eq!(tool(r#"{"input":"Paris"}"#, "null"), r#"None Some("{\"input\":\"Paris\"}") None"#);
        let message = r#"{"output":{"lc":1,"type":"constructor","id":["langchain","ToolMessage"],"kwargs":{"content":"no","tool_call_id":"c","status":"error"}}}"#;
        assert_eq!(tool(r#"{"city":"X"}"#, message), r#"Some("c") Some("{\"city\":\"X\"}") Some(Error("no"))"#);
    }

    #[test]
    fn tokens_of_the_columns_count_where_the_answer_tells_none() {
        let run = |rest: &str| {
            let row = format!(r#"{{"id":"1","trace_id":"t","run_type":"llm",{rest}}}"#);
            let ObservationKind::Model(call) = pieces(&row).pop().unwrap().kind else { panic!("{row}") };
            (call.tokens.input, call.tokens.output, call.tokens.cache_read)
        };
        let columns =
            r#""prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_token_details":{"cache_read":4}"#;
        assert_eq!(run(columns), (Some(9), Some(2), Some(4)));
        assert_eq!(run(r#""prompt_tokens":0,"completion_tokens":0,"total_tokens":0"#), (None, None, None));
        let generation = r#""outputs":{"generations":[[{"message":{"lc":1,"kwargs":{"usage_metadata":{"input_tokens":1,"output_tokens":2}}}}]]}"#;
        assert_eq!(run(generation), (Some(1), Some(2), None));
    }
}
