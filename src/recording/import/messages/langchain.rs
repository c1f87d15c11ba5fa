//! Messages of LangChain: as plain dicts, as `{type, data}`, or serialised with `lc`.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::{Answer, Asked, Outcome, Returned};
use super::super::fields::{below, count, first_member, items, member, text};
use super::super::message::Message;
use super::super::usage::{Convention, Usage, Written};
use super::content::{joined, text_of_untyped};
use super::utterance::Utterance;

/// The messages of a list.
pub(in crate::recording::import) fn read(messages: &Json) -> Vec<Message> {
    messages.items().unwrap_or_default().iter().filter_map(message).collect()
}

/// One message.
pub(in crate::recording::import) fn message(message: &Json) -> Option<Message> {
    let (kind, fields) = kind_and_fields(message)?;
    let said = || member(&fields, "content").and_then(|content| joined(&content, text_of_untyped));
    match kind.as_str() {
        "system" | "developer" => Some(Message::Instructions(said()?)),
        "human" | "user" => Some(Message::User { content: said()?, at: None }),
        "ai" | "assistant" => Some(utterance(&fields).message()),
        "tool" | "function" => {
            let content = said();
            let outcome = match text(&fields, "status").is_some_and(|status| status == "error") {
                true => Outcome::error(content),
                false => Outcome::result(content.unwrap_or_else(|| Json::string(""))),
            };
            let (id, name) = (text(&fields, "tool_call_id"), text(&fields, "name"));
            Some(Message::Tool(Returned { id, name, outcome, latency_ms: None }))
        }
        _ => None,
    }
}

/// What a model answered, where the message is an answer, with what is known of the model's call.
pub(in crate::recording::import) fn answer(message: &Json) -> Option<Answer> {
    let (kind, fields) = kind_and_fields(message)?;
    if kind != "ai" && kind != "assistant" {
        return None;
    }
    let about = member(&fields, "response_metadata").unwrap_or_else(Json::null);
    let first = |keys: &[&str]| first_member(&about, keys).map(|value| value.shown().into_owned());
    let known = ModelCall {
        model: first(&["model_name", "model", "model_id"]),
        finish_reason: first(&["finish_reason", "stop_reason", "stopReason"]),
        ..ModelCall::default()
    };
    let usage = member(&fields, "usage_metadata").map(|usage| self::usage(&usage)).unwrap_or_default();
    Some(utterance(&fields).answer(known, usage))
}

/// Whether a message is written in LangChain's way.
pub(in crate::recording::import) fn is_message(message: &Json) -> bool {
    kind_and_fields(message).is_some_and(|(kind, _)| {
        matches!(kind.as_str(), "human" | "ai" | "tool" | "system" | "function" | "developer" | "user" | "assistant")
    })
}

/// A `usage_metadata` object. Cached tokens and reasoning are within.
pub(in crate::recording::import) fn usage(usage: &Json) -> Usage {
    let detail = |details: &str, key: &str| below(usage, &[details]).and_then(|details| count(&details, key));
    Written {
        input: count(usage, "input_tokens"),
        output: count(usage, "output_tokens"),
        cache_read: detail("input_token_details", "cache_read"),
        cache_write: detail("input_token_details", "cache_creation"),
        reasoning: detail("output_token_details", "reasoning"),
        more_input: None,
        total: count(usage, "total_tokens"),
    }
    .read(Convention::Within)
}

/// Who says a message, and where its fields are.
fn kind_and_fields(message: &Json) -> Option<(String, Json)> {
    if member(message, "lc").is_some() {
        let class = member(message, "id")?.items()?.last()?.shown().into_owned();
        let kind = class.strip_suffix("Chunk").unwrap_or(&class).strip_suffix("Message")?.to_lowercase();
        return Some((kind, member(message, "kwargs")?));
    }
    let kind = text(message, "type").or_else(|| text(message, "role"))?;
    let kind = kind.strip_suffix("MessageChunk").map_or(kind.clone(), str::to_lowercase);
    let fields = member(message, "data").filter(|data| data.kind() == Kind::Object);
    Some((kind, fields.unwrap_or_else(|| message.clone())))
}

fn utterance(fields: &Json) -> Utterance {
    let mut utterance = Utterance::default();
    match member(fields, "content") {
        Some(content) if content.kind() == Kind::Array => {
            // Calls among the blocks are the same that stand in `tool_calls`.
            content
                .items()
                .unwrap_or_default()
                .iter()
                .filter_map(text_of_untyped)
                .for_each(|text| utterance.say(&text));
        }
        Some(content) => utterance.say(&content.shown()),
        None => {}
    }
    let mut calls = items(fields, "tool_calls");
    calls.extend(items(fields, "invalid_tool_calls"));
    if calls.is_empty() {
        calls = member(fields, "additional_kwargs").map(|more| items(&more, "tool_calls")).unwrap_or_default();
    }
    calls.iter().map(asked).for_each(|call| utterance.ask(call));
    utterance
}

/// A call in LangChain's way, or in that of OpenAI.
fn asked(call: &Json) -> Asked {
    let function = member(call, "function").filter(|function| function.kind() == Kind::Object);
    let function = function.unwrap_or_else(|| call.clone());
    Asked {
        name: text(&function, "name").unwrap_or_default(),
        arguments: first_member(&function, &["args", "arguments"]),
        id: text(call, "id"),
        agent: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_the_same_in_all_its_wrappings() {
        let plain = r#"{"type":"ai","content":"I look.","tool_calls":[{"name":"f","args":{"x":1},"id":"1"}],
            "usage_metadata":{"input_tokens":10,"output_tokens":4,"total_tokens":14,"input_token_details":{"cache_read":6}},
            "response_metadata":{"model_name":"m","finish_reason":"tool_calls"}}"#;
        let fields = plain.replacen(r#""type":"ai","#, "", 1);
        let data = format!(r#"{{"type":"ai","data":{fields}}}"#);
        let lc = format!(
            r#"{{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{fields}}}"#
        );
        for text in [plain, &data, &lc] {
            let Answer { words, calls, model_call, .. } = answer(&Json::parse(text).unwrap()).unwrap();
            let call = model_call.unwrap();
            assert_eq!((words.unwrap().text(), calls[0].name.as_str()), ("\"I look.\"", "f"));
            assert_eq!(
                (call.model.as_deref(), call.tokens.input, call.tokens.cache_read),
                (Some("m"), Some(10), Some(6))
            );
        }
    }

    #[test]
    fn calls_of_older_versions_and_broken_ones_are_told() {
        let older = r#"{"type":"ai","content":"","additional_kwargs":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}}"#;
        let broken = r#"{"type":"ai","content":"","tool_calls":[],"invalid_tool_calls":[{"name":"f","args":"{\"x\":","id":"1"}]}"#;
        for text in [older, broken] {
            assert_eq!(answer(&Json::parse(text).unwrap()).unwrap().calls.len(), 1, "{text}");
        }
        let failed = r#"{"type":"tool","status":"error","content":"no","tool_call_id":"1"}"#;
        let Some(Message::Tool(returned)) = message(&Json::parse(failed).unwrap()) else { panic!() };
        assert!(matches!(returned.outcome, Outcome::Error(_)));
    }
}
