//! Messages in the events of spans and in log records: each its own event (up to 1.36, and Strands), or all in one
//! (from 1.37 on).

use super::super::super::json::{Json, Kind};
use super::super::fields::{first_member, member, text};
use super::super::message::Message;
use super::super::messages::{gemini, genai, openai_chat};
use super::super::spans::Event;
use super::super::spans::attributes::object;
use super::{Seen, parsed};

/// What stands in the place of what nobody was to see.
const WITHHELD: &str = "<elided>";

pub(super) fn read(events: &[Event]) -> Seen {
    let mut seen = Seen::default();
    for event in events {
        match event.name.as_str() {
            "gen_ai.client.inference.operation.details" | "gen_ai.content.prompt" | "gen_ai.content.completion" => {
                details(event, &mut seen);
            }
            "gen_ai.system.message" => seen.input.extend(one(event, "system")),
            "gen_ai.user.message" => seen.input.extend(one(event, "user")),
            "gen_ai.assistant.message" => seen.input.extend(one(event, "assistant")),
            "gen_ai.tool.message" => seen.input.extend(one(event, "tool")),
            "gen_ai.choice" if is_first(event) => seen.output.extend(one(event, "assistant")),
            _ => {}
        }
    }
    seen
}

/// Of several choices the first is the answer.
fn is_first(event: &Event) -> bool {
    let index = event.body.as_ref().and_then(|body| text(body, "index")).or_else(|| event.attributes.text("index"));
    index.is_none_or(|index| index == "0")
}

/// All messages in one event: in its attributes, or in its body.
fn details(event: &Event, seen: &mut Seen) {
    let mut list = |keys: &[&str]| {
        let written = keys.iter().find_map(|key| parsed(&event.attributes, key, &mut seen.doubts));
        let written = written.or_else(|| first_member(event.body.as_ref()?, keys));
        written.map(|messages| genai::read(&messages)).unwrap_or_default()
    };
    let input = list(&["gen_ai.input.messages", "gen_ai.prompt"]);
    let output = list(&["gen_ai.output.messages", "gen_ai.completion"]);
    seen.input.extend(input);
    seen.output.extend(output);
    seen.session = seen.session.take().or_else(|| event.attributes.text("gen_ai.conversation.id"));
}

/// The message of an event that holds one.
fn one(event: &Event, role: &str) -> Vec<Message> {
    let body = event.body.clone().or_else(|| of_attributes(event)).filter(|body| body.kind() == Kind::Object);
    let Some(body) = body else { return Vec::new() };
    let message = member(&body, "message").unwrap_or(body);
    // Strands writes the message of a choice as the JSON text of its parts.
    let message = match message.as_str().map(|text| Json::parse(text.as_ref())) {
        Some(Ok(parts)) => object([("content", Some(parts))]),
        Some(Err(_)) => object([("content", Some(message))]),
        None => message,
    };
    let content = member(&message, "content");
    if content.as_ref().is_some_and(|content| content.as_str().is_some_and(|text| text == WITHHELD)) {
        return Vec::new();
    }
    if let Some(content) = content.filter(|content| member(content, "parts").is_some()) {
        return gemini::read(&content);
    }
    let role = text(&message, "role").unwrap_or_else(|| role.to_owned());
    let own = message.members().unwrap_or_default();
    let members = own.iter().filter(|(key, _)| !matches!(key.as_ref(), "role" | "id"));
    let members = members.map(|(key, value)| (key.as_ref(), Some(readable(value))));
    let id =
        if role == "tool" { ("tool_call_id", first_member(&message, &["id", "tool_call_id"])) } else { ("id", None) };
    let written = object([("role", Some(Json::string(&role))), id].into_iter().chain(members));
    let list = super::super::spans::attributes::list([&written]);
    super::super::messages::any(&list).unwrap_or_else(|| openai_chat::read(&list))
}

/// A list of parts that was written as a text is that list.
fn readable(value: &Json) -> Json {
    let parsed = value.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
    parsed
        .filter(|json| json.items().is_some_and(|items| items.iter().all(|item| item.kind() == Kind::Object)))
        .unwrap_or_else(|| value.clone())
}

/// The events of spans have no body: what would stand in it are attributes.
fn of_attributes(event: &Event) -> Option<Json> {
    let keys = ["content", "role", "tool_calls", "id", "index", "finish_reason", "message", "name"];
    let found = keys.iter().filter_map(|key| event.attributes.get(key).map(|value| (*key, Some(value.clone()))));
    let members: Vec<_> = found.collect();
    (!members.is_empty()).then(|| object(members))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, body: &str) -> Event {
        Event { name: name.into(), body: Json::parse(body).ok(), ..Event::default() }
    }

    #[test]
    fn messages_come_one_an_event() {
        let seen = read(&[
            event("gen_ai.user.message", r#"{"content":"a"}"#),
            event(
                "gen_ai.assistant.message",
                r#"{"tool_calls":[{"id":"1","function":{"name":"t","arguments":"{}"}}]}"#,
            ),
            event("gen_ai.tool.message", r#"{"content":"[1]","id":"1"}"#),
            event("gen_ai.choice", r#"{"index":0,"message":{"content":"b"}}"#),
            event("gen_ai.choice", r#"{"index":1,"message":{"content":"c"}}"#),
            event("gen_ai.user.message", r#"{"content":"<elided>"}"#),
        ]);
        let [Message::User { .. }, Message::Assistant { calls, .. }, Message::Tool(returned)] = seen.input.as_slice()
        else {
            panic!("{:?}", seen.input)
        };
        assert_eq!((calls[0].id.as_deref(), returned.id.as_deref(), seen.output.len()), (Some("1"), Some("1"), 1));
    }

    #[test]
    fn the_events_of_strands_have_their_parts_as_text() {
        let attributes = [(
            "message".to_owned(),
            Json::string(r#"[{"text":"b"},{"toolUse":{"toolUseId":"1","name":"t","input":{}}}]"#),
        )];
        let choice =
            Event { name: "gen_ai.choice".into(), attributes: attributes.into_iter().collect(), ..Event::default() };
        let output = read(&[choice]).output;
        assert!(
            matches!(output.as_slice(), [Message::Assistant { words: Some(_), calls }] if calls.len() == 1),
            "{output:?}"
        );
    }
}
