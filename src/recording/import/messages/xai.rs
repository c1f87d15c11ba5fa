//! Messages and answers of xAI's gRPC, as its client writes them as JSON.

use super::super::super::interaction::ModelCall;
use super::super::super::json::Json;
use super::super::dialogue::{Answer, Asked, Outcome, Returned};
use super::super::fields::{count, items, member, text};
use super::super::message::Message;
use super::super::usage::{Convention, Usage, Written};
use super::content::{joined, text_of_any};
use super::utterance::Utterance;

/// The messages of a request.
pub(in crate::recording::import) fn read(messages: &Json) -> Vec<Message> {
    messages.items().unwrap_or_default().iter().filter_map(message).collect()
}

fn message(message: &Json) -> Option<Message> {
    let content = || member(message, "content").and_then(|content| joined(&content, text_of_any));
    match text(message, "role")?.as_str() {
        "ROLE_SYSTEM" | "ROLE_DEVELOPER" => Some(Message::Instructions(content()?)),
        "ROLE_USER" => Some(Message::User { content: content()?, at: None }),
        "ROLE_ASSISTANT" => {
            let mut utterance = Utterance::default();
            say(message, &mut utterance);
            Some(utterance.message())
        }
        // Most have no id and come in the order of the calls.
        "ROLE_TOOL" | "ROLE_FUNCTION" => {
            let outcome = Outcome::result(content().unwrap_or_else(|| Json::string("")));
            Some(Message::Tool(Returned { id: text(message, "tool_call_id"), name: None, outcome, latency_ms: None }))
        }
        _ => None,
    }
}

/// What a model answered: all of its outputs, as tools that run with the provider make several.
pub(in crate::recording::import) fn answer(response: &Json) -> Option<Answer> {
    let outputs = member(response, "outputs")?.items()?;
    let mut utterance = Utterance::default();
    outputs.iter().filter_map(|output| member(output, "message")).for_each(|message| say(&message, &mut utterance));
    let finish_reason = outputs.iter().rev().find_map(|output| text(output, "finish_reason"));
    let known = ModelCall { model: text(response, "model"), finish_reason, ..ModelCall::default() };
    Some(utterance.answer(known, used(response)))
}

/// Cached tokens are a part of the prompt, and reasoning stands beside the completion.
fn used(response: &Json) -> Usage {
    let Some(usage) = member(response, "usage") else { return Usage::default() };
    Written {
        input: count(&usage, "prompt_tokens"),
        output: count(&usage, "completion_tokens"),
        cache_read: count(&usage, "cached_prompt_text_tokens"),
        reasoning: count(&usage, "reasoning_tokens"),
        total: count(&usage, "total_tokens"),
        ..Written::default()
    }
    .read(Convention::ReasoningBeside)
}

fn say(message: &Json, utterance: &mut Utterance) {
    if let Some(content) = member(message, "content") {
        match content.items() {
            Some(parts) => parts.iter().filter_map(text_of_any).for_each(|text| utterance.say(&text)),
            None => utterance.say(&content.shown()),
        }
    }
    for call in items(message, "tool_calls") {
        let kind = text(&call, "type").unwrap_or_default();
        let function = member(&call, "function").unwrap_or_else(Json::null);
        match kind.strip_prefix("TOOL_CALL_TYPE_").filter(|kind| *kind != "CLIENT_SIDE_TOOL") {
            Some(hosted) => utterance.hosted(hosted.trim_end_matches("_TOOL").to_lowercase()),
            None => utterance.ask(Asked {
                name: text(&function, "name").unwrap_or_default(),
                arguments: member(&function, "arguments"),
                id: text(&call, "id"),
                agent: None,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_client_are_calls_and_others_are_hosted() {
        let response = Json::parse(
            r#"{"id":"1","model":"grok","outputs":[{"message":{"role":"ROLE_ASSISTANT","tool_calls":[{"id":"w","type":"TOOL_CALL_TYPE_WEB_SEARCH_TOOL","function":{"name":"web_search"}}]}},
            {"finish_reason":"REASON_TOOL_CALLS","message":{"role":"ROLE_ASSISTANT","content":"hm","tool_calls":[{"id":"c","type":"TOOL_CALL_TYPE_CLIENT_SIDE_TOOL","function":{"name":"f","arguments":"{}"}}]}}],
            "usage":{"completion_tokens":53,"prompt_tokens":351,"total_tokens":627,"reasoning_tokens":223,"cached_prompt_text_tokens":148}}"#,
        )
        .unwrap();
        let answer = answer(&response).unwrap();
        let call = answer.model_call.unwrap();
        assert_eq!((answer.calls.len(), call.tokens.sum(), answer.doubt), (1, Some(627), None));
        assert_eq!((call.tokens.output, call.extra[0].1.text()), (Some(276), r#"{"web_search":1}"#));
    }

    #[test]
    fn messages_have_roles_of_their_own() {
        let list = r#"[{"role":"ROLE_USER","content":[{"text":"a"}]},
            {"role":"ROLE_ASSISTANT","content":[{"text":""}],"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},
            {"role":"ROLE_TOOL","content":[{"text":"x"}]}]"#;
        let messages = read(&Json::parse(list).unwrap());
        let [Message::User { .. }, Message::Assistant { words: None, calls }, Message::Tool(returned)] =
            messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        assert_eq!((calls[0].name.as_str(), returned.id.as_deref()), ("f", None));
    }
}
