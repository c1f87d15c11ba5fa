//! Vercel's AI SDK: `ai.*`.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::Outcome;
use super::super::fields::first_member;
use super::super::messages;
use super::super::observation::ObservationKind;
use super::super::spans::Span;
use super::super::spans::attributes::{Attributes, list, object};
use super::super::usage::{Convention, Usage, Written};
use super::{Seen, parsed};
use crate::recording::interaction::Doubt;

pub(super) fn read(span: &Span) -> Seen {
    let it = &span.attributes;
    let operation = it.text("ai.operationId").unwrap_or_else(|| span.name.clone());
    let Some(operation) = operation.strip_prefix("ai.") else { return Seen::default() };
    let mut seen = Seen {
        session: it.first_text(&["ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.session_id"]),
        ..Seen::default()
    };
    match operation {
        "toolCall" => {
            seen.name = it.text("ai.toolCall.name");
            seen.kind = Some(ObservationKind::Tool {
                id: it.text("ai.toolCall.id"),
                arguments: it.first(&["ai.toolCall.args", "ai.toolCall.input"]).cloned(),
                outcome: it.first(&["ai.toolCall.result", "ai.toolCall.output"]).cloned().map(Outcome::result),
            });
        }
        // The outer span is one turn: as many requests as it has steps stand below it.
        "generateText" | "streamText" | "generateObject" | "streamObject" => {
            seen.kind = Some(ObservationKind::Agent);
            seen.name = it.first_text(&["ai.telemetry.functionId", "resource.name"]);
            seen.input = prompt(it, &mut seen.doubts);
            seen.output = response(it);
        }
        _ if operation.ends_with(".doGenerate") || operation.ends_with(".doStream") => {
            let Usage { tokens, doubt } = usage(it);
            seen.doubts.extend(doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }));
            seen.kind = Some(ObservationKind::Model(ModelCall {
                model: it.first_text(&["ai.response.model", "gen_ai.response.model", "ai.model.id"]),
                tokens,
                latency_ms: None,
                finish_reason: it.text("ai.response.finishReason"),
                extra: Vec::new(),
            }));
            seen.input = prompt(it, &mut seen.doubts);
            seen.output = response(it);
        }
        _ => seen.kind = Some(ObservationKind::Other),
    }
    seen
}

/// The messages of a request. Its parts are called `tool-call` and `tool-result`.
fn prompt(it: &Attributes, doubts: &mut Vec<Doubt>) -> Vec<super::Message> {
    if let Some(list) = parsed(it, "ai.prompt.messages", doubts) {
        let messages: Vec<Json> = list.items().unwrap_or_default().iter().map(chat_message).collect();
        return super::super::messages::openai_chat::read(&flattened(&messages));
    }
    let Some(prompt) = it.json("ai.prompt") else { return Vec::new() };
    match prompt.kind() {
        Kind::Object => match first_member(&prompt, &["messages"]) {
            Some(list) => {
                let messages: Vec<Json> = list.items().unwrap_or_default().iter().map(chat_message).collect();
                messages::openai_chat::read(&flattened(&messages))
            }
            None => first_member(&prompt, &["prompt"]).map(super::user).unwrap_or_default(),
        },
        _ => super::user(prompt),
    }
}

/// A message with the results of several tools is several messages elsewhere.
fn flattened(messages: &[Json]) -> Json {
    let all: Vec<Json> =
        messages.iter().flat_map(|message| message.items().unwrap_or_else(|| vec![message.clone()])).collect();
    list(&all)
}

/// The message as Chat Completions has it.
fn chat_message(message: &Json) -> Json {
    let parts = first_member(message, &["content"]).and_then(|content| content.items()).unwrap_or_default();
    let kind = |part: &Json| first_member(part, &["type"]).map(|kind| kind.shown().into_owned());
    let of = |wanted: &str| parts.iter().filter(|part| kind(part).as_deref() == Some(wanted)).collect::<Vec<_>>();
    let results = of("tool-result");
    if !results.is_empty() {
        let result = |part: &&Json| {
            let output =
                first_member(part, &["result", "output"]).map(|output| match first_member(&output, &["value"]) {
                    Some(value) if first_member(&output, &["type"]).is_some() => value,
                    _ => output,
                });
            object([
                ("role", Some(Json::string("tool"))),
                ("tool_call_id", first_member(part, &["toolCallId"])),
                ("name", first_member(part, &["toolName"])),
                ("content", output),
            ])
        };
        return list(&results.iter().map(result).collect::<Vec<_>>());
    }
    let calls: Vec<Json> = of("tool-call").into_iter().map(asked).collect();
    if calls.is_empty() {
        return message.clone();
    }
    object([
        ("role", Some(Json::string("assistant"))),
        ("content", Some(list(of("text")))),
        ("tool_calls", Some(list(&calls))),
    ])
}

/// A call as Chat Completions has it.
fn asked(call: &Json) -> Json {
    let function =
        object([("name", first_member(call, &["toolName"])), ("arguments", first_member(call, &["input", "args"]))]);
    object([("id", first_member(call, &["toolCallId"])), ("function", Some(function))])
}

fn response(it: &Attributes) -> Vec<super::Message> {
    let words = it.first(&["ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object"]).cloned();
    let calls = it.json("ai.response.toolCalls").or_else(|| it.json("ai.result.toolCalls"));
    let calls: Vec<Json> = calls.and_then(|calls| calls.items()).unwrap_or_default().iter().map(asked).collect();
    if words.is_none() && calls.is_empty() {
        return Vec::new();
    }
    let message =
        object([("role", Some(Json::string("assistant"))), ("content", words), ("tool_calls", Some(list(&calls)))]);
    messages::openai_chat::read(&list([&message]))
}

fn usage(it: &Attributes) -> Usage {
    let count = |names: &[&str]| names.iter().find_map(|name| it.count(&[&format!("ai.usage.{name}")]));
    Written {
        input: count(&["inputTokens", "promptTokens"]),
        output: count(&["outputTokens", "completionTokens"]),
        cache_read: count(&["cachedInputTokens", "inputTokenDetails.cacheReadTokens"]),
        cache_write: count(&["inputTokenDetails.cacheWriteTokens"]),
        reasoning: count(&["reasoningTokens", "outputTokenDetails.reasoningTokens"]),
        more_input: None,
        total: count(&["totalTokens", "tokens"]),
    }
    .read(Convention::Within)
}
