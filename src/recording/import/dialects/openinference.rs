//! OpenInference (Arize): its own kinds of spans, and messages as flattened attributes.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::Outcome;
use super::super::fields::{first_member, member};
use super::super::messages;
use super::super::observation::ObservationKind;
use super::super::spans::Span;
use super::super::spans::attributes::{Attributes, list, object};
use super::super::spans::flat::below;
use super::super::usage::{Convention, Usage, Written};
use super::Seen;
use crate::recording::interaction::Doubt;

pub(super) fn read(span: &Span) -> Seen {
    let it = &span.attributes;
    let Some(kind) = it.first_text(&["openinference.span.kind", "span.kind"]) else { return Seen::default() };
    let mut seen = Seen { session: it.text("session.id"), ..Seen::default() };
    match kind.as_str() {
        "LLM" => {
            let Usage { tokens, doubt } = usage(it);
            seen.doubts.extend(doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }));
            seen.kind = Some(ObservationKind::Model(ModelCall {
                model: it.first_text(&["llm.response.model_name", "llm.model_name", "llm.request.model_name"]),
                tokens,
                latency_ms: None,
                finish_reason: it.text("llm.finish_reason"),
                extra: Vec::new(),
            }));
            seen.input = messages(it, "llm.input_messages.");
            seen.output = messages(it, "llm.output_messages.");
            if seen.input.is_empty() {
                seen.input = value(it, "input").and_then(|input| messages::any(&input)).unwrap_or_default();
            }
            // The older Completions have a prompt and a text, and no messages.
            if seen.input.is_empty() {
                let prompts = it.json("llm.prompts").and_then(|prompts| prompts.items()).unwrap_or_default();
                seen.input = prompts.into_iter().flat_map(super::user).collect();
            }
            if seen.output.is_empty() {
                let completion = || member(&value(it, "output")?, "completion");
                let text = it.get("llm.output_messages").filter(|text| text.kind() == Kind::String).cloned();
                seen.output = text.or_else(completion).map(super::answer).unwrap_or_default();
            }
        }
        "TOOL" => {
            seen.name = it.first_text(&["tool.name", "tool_call.function.name"]);
            seen.kind = Some(tool(it));
        }
        "AGENT" | "CHAIN" => {
            let is_agent = kind == "AGENT";
            let is_turn = value(it, "input").is_some() && span.parent.is_none();
            seen.kind = Some(match () {
                () if is_agent => ObservationKind::Agent,
                () if is_turn => ObservationKind::Workflow,
                () => ObservationKind::Other,
            });
            seen.name = it.first_text(&["agent.name", "graph.node.name"]).filter(|_| is_agent);
            seen.input = value(it, "input").map(said).unwrap_or_default();
            seen.output = value(it, "output").map(super::answer).unwrap_or_default();
        }
        _ => seen.kind = Some(ObservationKind::Other),
    }
    seen
}

/// What an agent was given: the words of a user, or the messages so far.
fn said(input: Json) -> Vec<super::Message> {
    messages::any(&input).unwrap_or_else(|| super::user(input))
}

/// The value of a span, taken as JSON where it says that it is.
fn value(it: &Attributes, side: &str) -> Option<Json> {
    let key = format!("{side}.value");
    let is_json = it.text(&format!("{side}.mime_type")).is_some_and(|mime| mime.contains("json"));
    if is_json { it.json(&key) } else { it.get(&key).cloned() }
}

/// Arguments stand in `input.value`, or where the schema of the tool should be.
fn tool(it: &Attributes) -> ObservationKind {
    let is_schema = |json: &Json| first_member(json, &["properties", "$schema", "json_schema"]).is_some();
    let parameters = || it.json("tool.parameters").filter(|json| json.kind() == Kind::Object && !is_schema(json));
    let input = it.json("input.value").filter(|json| json.as_str().is_none_or(|text| !text.trim().is_empty()));
    ObservationKind::Tool {
        id: it.first_text(&["tool_call.id", "tool.id"]),
        arguments: input.or_else(parameters).or_else(|| it.json("tool_call.function.arguments")),
        outcome: it.get("output.value").cloned().map(Outcome::result),
    }
}

fn messages(it: &Attributes, prefix: &str) -> Vec<super::Message> {
    let found = below(it, prefix).and_then(|found| found.items()).unwrap_or_default();
    let messages: Vec<Json> =
        found.iter().filter_map(|item| member(item, "message")).map(|it| chat_message(&it)).collect();
    messages::openai_chat::read(&list(&messages))
}

/// The message as Chat Completions has it. A call that stands among the contents is told once more beside them.
fn chat_message(message: &Json) -> Json {
    let calls = member(message, "tool_calls").and_then(|calls| calls.items()).unwrap_or_default();
    let call = |call: &Json| {
        let call = member(call, "tool_call").unwrap_or_else(Json::null);
        object([("id", member(&call, "id")), ("function", member(&call, "function"))])
    };
    let mut calls: Vec<Json> = calls.iter().map(call).collect();
    let legacy = member(message, "function_call_name").map(|name| {
        let arguments = member(message, "function_call_arguments_json");
        object([("function", Some(object([("name", Some(name)), ("arguments", arguments)])))])
    });
    calls.extend(legacy);
    let parts = member(message, "contents").and_then(|parts| parts.items()).unwrap_or_default();
    let parts = parts.iter().filter_map(|part| member(part, "message_content"));
    let parts: Vec<Json> = parts.filter(|part| first_member(part, &["text", "image"]).is_some()).collect();
    let role = member(message, "role").map(|role| match role.as_str().as_deref() {
        Some("model") => Json::string("assistant"),
        _ => role,
    });
    object([
        ("role", role.or_else(|| Some(Json::string("user")))),
        ("content", member(message, "content").or_else(|| (!parts.is_empty()).then(|| list(&parts)))),
        ("tool_call_id", member(message, "tool_call_id")),
        ("name", member(message, "name")),
        ("tool_calls", (!calls.is_empty()).then(|| list(&calls))),
    ])
}

fn usage(it: &Attributes) -> Usage {
    let count = |name: &str| it.count(&[&format!("llm.token_count.{name}")]);
    Written {
        input: count("prompt"),
        output: count("completion"),
        cache_read: count("prompt_details.cache_read"),
        cache_write: count("prompt_details.cache_write"),
        reasoning: count("completion_details.reasoning"),
        more_input: None,
        total: count("total"),
    }
    .read(Convention::Within)
}
