//! Items and answers of OpenAI's Responses.
//!
//! An answer is a run of items: reasoning, words, calls. Some calls are for the client (functions, custom tools, shells,
//! computers) and have an item with their output in the next request; others run within the provider and are counted only.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::{Answer, Asked, Outcome, Returned};
use super::super::fields::{below, first_member, member, text};
use super::super::message::Message;
use super::super::usage;
use super::content::joined;
use super::openai_chat::only_input;
use super::utterance::Utterance;

/// The items of a request's `input`, or its text.
pub(in crate::recording::import) fn read(input: &Json) -> Vec<Message> {
    if input.kind() == Kind::String {
        return vec![Message::User { content: input.compact(), at: None }];
    }
    let mut messages = Vec::new();
    // Items of one answer follow one another.
    let mut spoken: Option<Utterance> = None;
    for item in input.items().unwrap_or_default() {
        if say(&item, spoken.get_or_insert_default()) == Speaker::Model {
            continue;
        }
        messages.extend(spoken.take().filter(|it| !it.is_silent()).map(Utterance::message));
        messages.extend(told(&item));
    }
    messages.extend(spoken.filter(|it| !it.is_silent()).map(Utterance::message));
    messages
}

/// Whether only Responses has such an item.
pub(super) fn is_item(item: &Json) -> bool {
    let kind = text(item, "type");
    match kind.as_deref() {
        Some("message") => member(item, "role").is_some(),
        Some("reasoning") => first_member(item, &["summary", "encrypted_content"]).is_some(),
        Some("item_reference" | "compaction") => true,
        Some(kind) => kind.ends_with("_call") || kind.ends_with("_output"),
        None => false,
    }
}

/// What a model answered: the items of its `output`.
pub(in crate::recording::import) fn answer(response: &Json) -> Option<Answer> {
    let output = member(response, "output")?.items()?;
    Some(answer_of_items(response, &output))
}

/// The answer that these items are, with what its response tells beside them.
pub(super) fn answer_of_items(response: &Json, items: &[Json]) -> Answer {
    let mut utterance = Utterance::default();
    for item in items {
        say(item, &mut utterance);
    }
    let usage = member(response, "usage").map(|usage| usage::openai(&usage)).unwrap_or_default();
    let cut = below(response, &["incomplete_details", "reason"]).map(|reason| reason.shown().into_owned());
    let finish_reason = cut.or_else(|| text(response, "status"));
    utterance.answer(ModelCall { model: text(response, "model"), finish_reason, ..ModelCall::default() }, usage)
}

/// Who an item comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Model,
    Other,
}

/// Adds an item to what a model says, if it comes from one.
fn say(item: &Json, utterance: &mut Utterance) -> Speaker {
    let kind = text(item, "type").unwrap_or_else(|| "message".into());
    let id = || text(item, "call_id").or_else(|| text(item, "id"));
    let name = || text(item, "name");
    let ask = |name: String, arguments: Option<Json>| Asked { name, arguments, id: id(), agent: None };
    match kind.as_str() {
        "message" if text(item, "role").is_some_and(|role| role == "assistant") => match member(item, "content") {
            Some(content) if content.kind() == Kind::Array => {
                let parts = content.items().unwrap_or_default();
                parts.iter().filter_map(text_of).for_each(|text| utterance.say(&text));
            }
            content => utterance.say(&content.as_ref().map(Json::shown).unwrap_or_default()),
        },
        "function_call" => utterance.ask(ask(name().unwrap_or_default(), member(item, "arguments"))),
        "custom_tool_call" => {
            let input = member(item, "input").unwrap_or_else(Json::null);
            utterance.ask(ask(name().unwrap_or_default(), Some(only_input(&input))));
        }
        "local_shell_call" | "computer_call" | "shell_call" | "apply_patch_call" if !runs_at_provider(item) => {
            let tool = kind.trim_end_matches("_call").to_owned();
            utterance.ask(ask(tool, first_member(item, &["action", "operation", "actions"])));
        }
        "tool_search_call" if text(item, "execution").is_some_and(|execution| execution == "client") => {
            utterance.ask(ask("tool_search".into(), member(item, "arguments")));
        }
        "mcp_call" => utterance.hosted(format!("mcp:{}", name().unwrap_or_default())),
        "reasoning" | "mcp_list_tools" | "mcp_approval_request" | "compaction" => {}
        kind => match kind.strip_suffix("_call") {
            Some(tool) => utterance.hosted(tool),
            None => return Speaker::Other,
        },
    }
    Speaker::Model
}

/// A shell can be a container of the provider.
fn runs_at_provider(item: &Json) -> bool {
    below(item, &["environment", "type"]).is_some_and(|kind| kind.shown().starts_with("container"))
}

/// What an item says that comes from no model.
fn told(item: &Json) -> Option<Message> {
    let kind = text(item, "type").unwrap_or_else(|| "message".into());
    if kind == "message" {
        let content = joined(&member(item, "content")?, text_of)?;
        return match text(item, "role")?.as_str() {
            "system" | "developer" => Some(Message::Instructions(content)),
            "user" => Some(Message::User { content, at: None }),
            _ => None,
        };
    }
    if kind.ends_with("_output") {
        let content = first_member(item, &["output", "tools"]);
        let content = content.and_then(|content| joined(&content, text_of)).unwrap_or_else(|| Json::string(""));
        let outcome = Outcome::result(content);
        return Some(Message::Tool(Returned { id: text(item, "call_id"), name: None, outcome, latency_ms: None }));
    }
    None
}

fn text_of(part: &Json) -> Option<String> {
    match text(part, "type").as_deref() {
        Some("input_text" | "output_text" | "text") => text(part, "text"),
        Some("refusal") => text(part, "refusal"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn the_items_of_one_answer_are_one_answer() {
        let input = json(
            r#"[{"role":"developer","content":"be kind"},{"role":"user","content":[{"type":"input_text","text":"a"}]},
            {"type":"reasoning","summary":[],"id":"rs"},
            {"type":"function_call","call_id":"c1","id":"fc1","name":"f","arguments":"{}"},
            {"type":"function_call","call_id":"c2","id":"fc2","name":"g","arguments":"{}"},
            {"type":"function_call_output","call_id":"c2","output":"[1]"},
            {"type":"function_call_output","call_id":"c1","output":"x"},
            {"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}]"#,
        );
        let messages = read(&input);
        let [
            Message::Instructions(_),
            Message::User { .. },
            Message::Assistant { words: None, calls },
            Message::Tool(second),
            Message::Tool(_),
            Message::Assistant { words: Some(words), .. },
        ] = messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        let ids: Vec<_> = calls.iter().map(|call| call.id.as_deref().unwrap()).collect();
        assert_eq!((ids, second.id.as_deref(), words.text()), (vec!["c1", "c2"], Some("c2"), "\"b\""));
        assert!(matches!(read(&json("\"hi\"")).as_slice(), [Message::User { .. }]));
    }

    #[test]
    fn tools_of_the_provider_are_counted_and_no_calls() {
        let response = json(
            r#"{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"model":"m",
            "output":[{"type":"web_search_call","id":"ws"},{"type":"web_search_call","id":"ws2"},{"type":"mcp_call","name":"ask","output":"y"},
            {"type":"custom_tool_call","call_id":"c","name":"sql","input":"select"},
            {"type":"local_shell_call","call_id":"s","action":{"command":["ls"]}}],
            "usage":{"input_tokens":4,"output_tokens":2,"total_tokens":6}}"#,
        );
        let answer = answer(&response).unwrap();
        let calls: Vec<_> =
            answer.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_ref().unwrap().text())).collect();
        assert_eq!(calls, [("sql", r#"{"input":"select"}"#), ("local_shell", r#"{"command":["ls"]}"#)]);
        let call = answer.model_call.unwrap();
        assert_eq!(call.extra[0].1.text(), r#"{"mcp:ask":1,"web_search":2}"#);
        assert_eq!((call.finish_reason.as_deref(), call.tokens.sum()), (Some("max_output_tokens"), Some(6)));
    }
}
