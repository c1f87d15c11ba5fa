//! Messages and answers of Anthropic's Messages.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::{Answer, Asked, Outcome, Returned};
use super::super::fields::{instant, member, text};
use super::super::message::Message;
use super::super::usage;
use super::content::{joined, of_parts, text_of_untyped};
use super::utterance::Utterance;

/// The messages of a request.
pub(in crate::recording::import) fn read(messages: &Json) -> Vec<Message> {
    messages.items().unwrap_or_default().iter().flat_map(message).collect()
}

fn message(message: &Json) -> Vec<Message> {
    let Some(content) = member(message, "content") else { return Vec::new() };
    match text(message, "role").as_deref() {
        Some("system") => joined(&content, text_of_untyped).map(Message::Instructions).into_iter().collect(),
        Some("assistant") => vec![utterance(&content).message()],
        Some("user") => user(message, &content),
        _ => Vec::new(),
    }
}

/// A message of the user holds its words, or the results of tools with or without words beside them.
fn user(message: &Json, content: &Json) -> Vec<Message> {
    let parts = if content.kind() == Kind::Array { content.items().unwrap_or_default() } else { Vec::new() };
    let is_result = |part: &&Json| text(part, "type").is_some_and(|kind| kind == "tool_result");
    let mut messages: Vec<Message> = parts.iter().filter(is_result).map(returned).collect();
    if messages.is_empty() {
        let at = text(message, "timestamp").as_deref().and_then(instant);
        return joined(content, text_of_untyped).map(|content| Message::User { content, at }).into_iter().collect();
    }
    let beside: Vec<Json> = parts.iter().filter(|part| !is_result(part)).cloned().collect();
    if !beside.is_empty() {
        messages.extend(of_parts(&beside, text_of_untyped).map(Message::Aside));
    }
    messages
}

fn returned(block: &Json) -> Message {
    let content = member(block, "content").and_then(|content| joined(&content, text_of_untyped));
    let is_error = member(block, "is_error").is_some_and(|flag| flag.text() == "true");
    let outcome = match is_error {
        true => Outcome::error(content),
        false => Outcome::result(content.unwrap_or_else(|| Json::string(""))),
    };
    Message::Tool(Returned { id: text(block, "tool_use_id"), name: None, outcome, latency_ms: None })
}

/// What a model answered.
pub(in crate::recording::import) fn answer(response: &Json) -> Option<Answer> {
    let content = member(response, "content").filter(|content| content.kind() == Kind::Array)?;
    let usage = member(response, "usage").map(|usage| usage::anthropic(&usage)).unwrap_or_default();
    let finish_reason = text(response, "stop_reason");
    let known = ModelCall { model: text(response, "model"), finish_reason, ..ModelCall::default() };
    Some(utterance(&content).answer(known, usage))
}

fn utterance(content: &Json) -> Utterance {
    let mut utterance = Utterance::default();
    if content.kind() != Kind::Array {
        utterance.say(&content.shown());
    }
    for block in content.items().unwrap_or_default() {
        match text(&block, "type").as_deref() {
            Some("text") => utterance.say(&text(&block, "text").unwrap_or_default()),
            Some("tool_use") => utterance.ask(Asked {
                name: text(&block, "name").unwrap_or_default(),
                arguments: member(&block, "input"),
                id: text(&block, "id"),
                agent: None,
            }),
            Some("server_tool_use") => utterance.hosted(text(&block, "name").unwrap_or_default()),
            Some("mcp_tool_use") => utterance.hosted(format!("mcp:{}", text(&block, "name").unwrap_or_default())),
            _ => {}
        }
    }
    utterance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_one_step_come_in_one_message_with_words_beside() {
        let list = r#"[{"role":"user","content":"a"},
            {"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},
              {"type":"tool_use","id":"t1","name":"f","input":{"n":1}},{"type":"tool_use","id":"t2","name":"g","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"{\"v\":2}"}]},
              {"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"no such thing"},{"type":"text","text":"go on"}]}]"#;
        let messages = read(&Json::parse(list).unwrap());
        let [
            Message::User { .. },
            Message::Assistant { words: Some(words), calls },
            Message::Tool(first),
            Message::Tool(second),
            Message::Aside(aside),
        ] = messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        assert_eq!((words.text(), calls.len(), aside.text()), ("\"I look.\"", 2, "\"go on\""));
        assert!(matches!(&first.outcome, Outcome::Result(json) if json.text() == r#"{"v":2}"#));
        assert!(matches!(&second.outcome, Outcome::Error(json) if json.text() == "\"no such thing\""));
    }

    #[test]
    fn an_answer_counts_the_cache_into_its_input() {
        let response = Json::parse(
            r#"{"type":"message","role":"assistant","model":"c","stop_reason":"end_turn","content":[{"type":"server_tool_use","name":"web_search","input":{}},
            {"type":"text","text":"a"},{"type":"text","text":"b"}],"usage":{"input_tokens":2,"cache_read_input_tokens":5,"output_tokens":3}}"#,
        )
        .unwrap();
        let answer = answer(&response).unwrap();
        let call = answer.model_call.unwrap();
        assert_eq!((answer.words.unwrap().text(), call.tokens.input), ("\"ab\"", Some(7)));
        assert_eq!(call.extra[0].1.text(), r#"{"web_search":1}"#);
    }
}
