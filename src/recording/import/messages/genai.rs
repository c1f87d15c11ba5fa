//! Messages of OpenTelemetry's conventions for generative AI, from 1.37 on: a role and parts, each with a type.

use super::super::super::json::{Json, Kind};
use super::super::dialogue::{Asked, Outcome, Returned};
use super::super::fields::{first_member, items, member, text};
use super::super::message::Message;
use super::content::{of_parts, with_words};
use super::utterance::Utterance;

/// The messages of a request or an answer. Writers that keep to the older form have `content` instead of parts: those are
/// read as a provider's.
pub(in crate::recording::import) fn read(messages: &Json) -> Vec<Message> {
    let list = match messages.kind() {
        Kind::Object => vec![messages.clone()],
        _ => messages.items().unwrap_or_default(),
    };
    if list.iter().any(|message| member(message, "parts").is_some()) {
        return list.iter().flat_map(message).collect();
    }
    let list = Json::of(&list);
    super::any(&list).unwrap_or_default()
}

fn message(message: &Json) -> Vec<Message> {
    let parts = items(message, "parts");
    match text(message, "role").as_deref() {
        Some("system" | "developer") => of_parts(&parts, text_of).map(Message::Instructions).into_iter().collect(),
        Some("assistant" | "model") => vec![utterance(&parts).message()],
        _ => user(&parts),
    }
}

/// Words of the user and results of tools, which some writers put into one message.
fn user(parts: &[Json]) -> Vec<Message> {
    let is_result = |part: &&Json| matches!(kind(part).as_deref(), Some("tool_call_response" | "tool_result"));
    let results: Vec<Message> = parts.iter().filter(is_result).map(returned).collect();
    let is_words =
        |part: &&Json| !is_result(part) && !matches!(kind(part).as_deref(), Some("server_tool_call_response"));
    let beside: Vec<Json> = parts.iter().filter(is_words).cloned().collect();
    with_words(results, &beside, text_of)
}

fn returned(part: &Json) -> Message {
    let content = first_member(part, &["response", "result", "content"]).unwrap_or_else(Json::null);
    let is_error = member(part, "is_error").is_some_and(|flag| flag.text() == "true");
    let outcome = if is_error { Outcome::error(Some(content)) } else { Outcome::result(content) };
    Message::Tool(Returned { id: text(part, "id"), name: text(part, "name"), outcome, latency_ms: None })
}

fn utterance(parts: &[Json]) -> Utterance {
    let mut utterance = Utterance::default();
    for part in parts {
        match kind(part).as_deref() {
            Some("tool_call") => utterance.ask(Asked {
                name: text(part, "name").unwrap_or_default(),
                arguments: first_member(part, &["arguments", "input"]),
                id: text(part, "id"),
                agent: None,
            }),
            Some("server_tool_call") => utterance.hosted(text(part, "name").unwrap_or_else(|| "tool".into())),
            Some("text") | None => utterance.say(&text_of(part).unwrap_or_default()),
            Some(_) => {}
        }
    }
    utterance
}

fn kind(part: &Json) -> Option<String> {
    text(part, "type")
}

fn text_of(part: &Json) -> Option<String> {
    match kind(part).as_deref() {
        Some("text") | None => first_member(part, &["content", "text"]).map(|text| text.shown().into_owned()),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_by_their_types() {
        let list = r#"[{"role":"system","parts":[{"type":"text","content":"be kind"}]},
            {"role":"user","parts":[{"type":"text","content":"a"}]},
            {"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"text","content":"b"},
                {"type":"tool_call","id":"1","name":"t","arguments":{"x":1}},{"type":"server_tool_call","name":"search"}]},
            {"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":"[1]"},{"type":"tool_call_response","result":2}]}]"#;
        let messages = read(&Json::parse(list).unwrap());
        let [
            Message::Instructions(_),
            Message::User { content, .. },
            Message::Assistant { words: Some(words), calls },
            Message::Tool(first),
            Message::Tool(second),
        ] = messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        assert_eq!((content.text(), words.text(), calls[0].name.as_str()), ("\"a\"", "\"b\"", "t"));
        assert!(matches!(&first.outcome, Outcome::Result(json) if json.text() == "[1]"));
        assert!(matches!(&second.outcome, Outcome::Result(json) if json.text() == "2"));
    }

    #[test]
    fn messages_without_parts_are_a_providers() {
        assert_eq!(read(&Json::parse(r#"[{"role":"user","content":"a"}]"#).unwrap()).len(), 1);
        assert!(read(&Json::parse("[1]").unwrap()).is_empty());
    }
}
