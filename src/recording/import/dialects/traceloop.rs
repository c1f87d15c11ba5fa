//! OpenLLMetry (Traceloop), old and new: prompts and completions as flattened attributes, and its own kinds of spans.

use super::super::super::json::{Json, Kind};
use super::super::dialogue::Outcome;
use super::super::fields::{first_member, member};
use super::super::messages;
use super::super::observation::ObservationKind;
use super::super::spans::Span;
use super::super::spans::attributes::{Attributes, list, object};
use super::super::spans::flat::below;
use super::{Seen, genai};

pub(super) fn read(span: &Span) -> Seen {
    let it = &span.attributes;
    let session = ["session_id", "conversation_id", "thread_id", "chat_id"];
    let session = session.map(|key| format!("traceloop.association.properties.{key}"));
    let mut seen = Seen { session: session.iter().find_map(|key| it.text(key)), ..Seen::default() };
    let prompt = messages(it, &["gen_ai.prompt.", "llm.prompts."], "user");
    let mut completion = messages(it, &["gen_ai.completion.", "llm.completions."], "assistant");
    // Of several choices the first is the answer.
    completion.truncate(1);
    let entity = it.first_text(&["traceloop.entity.name", "traceloop.workflow.name"]);
    match it.text("traceloop.span.kind").as_deref() {
        Some("tool") => {
            seen.name = entity;
            seen.kind = Some(ObservationKind::Tool {
                id: None,
                arguments: it.json("traceloop.entity.input").map(arguments),
                outcome: it.json("traceloop.entity.output").map(Outcome::result),
            });
            return seen;
        }
        Some(kind @ ("workflow" | "agent")) => {
            seen.name = entity;
            seen.kind = Some(if kind == "agent" { ObservationKind::Agent } else { ObservationKind::Workflow });
            seen.input = it.json("traceloop.entity.input").map(arguments).map(super::user).unwrap_or_default();
            seen.output = it.json("traceloop.entity.output").map(super::answer).unwrap_or_default();
            return seen;
        }
        Some(_) => seen.kind = Some(ObservationKind::Other),
        None => {}
    }
    let kind = it.text("llm.request.type");
    let is_model = kind.as_deref().is_some_and(|kind| matches!(kind, "chat" | "completion"))
        || (kind.is_none() && !(prompt.is_empty() && completion.is_empty()));
    if is_model {
        seen.kind = Some(ObservationKind::Model(genai::model_call(it, &mut seen.doubts)));
    }
    (seen.input, seen.output) = (prompt, completion);
    seen
}

/// What a function was given: by name where that is all, else as it was written.
fn arguments(input: Json) -> Json {
    let is_empty = |json: &Json| json.items().is_none_or(|items| items.is_empty());
    match (member(&input, "args"), member(&input, "kwargs")) {
        (args, Some(named)) if args.as_ref().is_none_or(is_empty) => named,
        (Some(args), named) if named.as_ref().is_none_or(|named| named.text() == "{}") => {
            let items = args.items().unwrap_or_default();
            if let [only] = items.as_slice() { only.clone() } else { args }
        }
        _ => first_member(&input, &["inputs", "input_str"]).unwrap_or(input),
    }
}

/// The messages below one of these prefixes.
fn messages(it: &Attributes, prefixes: &[&str], role: &str) -> Vec<super::Message> {
    let found = prefixes.iter().find_map(|prefix| below(it, prefix)).and_then(|found| found.items());
    let messages: Vec<Json> = found.unwrap_or_default().iter().map(|message| chat_message(message, role)).collect();
    if messages.is_empty() {
        return Vec::new();
    }
    let list = list(&messages);
    messages::any(&list).unwrap_or_else(|| messages::openai_chat::read(&list))
}

/// The message as Chat Completions has it. A content of several parts is the JSON text of them.
fn chat_message(message: &Json, role: &str) -> Json {
    let calls = member(message, "tool_calls").and_then(|calls| calls.items()).unwrap_or_default();
    let call = |call: &Json| {
        let function = object([("name", member(call, "name")), ("arguments", member(call, "arguments"))]);
        object([("id", member(call, "id")), ("function", Some(function))])
    };
    let calls = list(&calls.iter().map(call).collect::<Vec<_>>());
    // The older Completions have their prompt at `user`.
    let content = first_member(message, &["content", "user"]).map(|content| {
        let parts = content.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
        let is_parts = |parts: &Json| {
            parts.items().is_some_and(|parts| {
                !parts.is_empty()
                    && parts.iter().all(|part| part.kind() == Kind::Object && member(part, "type").is_some())
            })
        };
        parts.filter(is_parts).unwrap_or(content)
    });
    object([
        ("role", member(message, "role").or_else(|| Some(Json::string(role)))),
        ("content", content),
        ("tool_call_id", member(message, "tool_call_id")),
        ("tool_calls", Some(calls).filter(|calls| calls.text() != "[]")),
    ])
}
