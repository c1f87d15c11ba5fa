//! Messages and answers of Bedrock's Converse.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::{Answer, Asked, Outcome, Returned, words};
use super::super::fields::{below, items, member, milliseconds, text};
use super::super::message::Message;
use super::super::usage;
use super::content::{of_parts, with_words};
use super::utterance::Utterance;

/// The messages of a request.
pub(in crate::recording::import) fn read(messages: &Json) -> Vec<Message> {
    messages.items().unwrap_or_default().iter().flat_map(message).collect()
}

fn message(message: &Json) -> Vec<Message> {
    let Some(content) = member(message, "content") else { return Vec::new() };
    match text(message, "role").as_deref() {
        Some("assistant") => vec![utterance(&content).message()],
        Some("user") if content.kind() == Kind::Array => user(&content.items().unwrap_or_default()),
        Some("user") => words(Some(content)).map(|content| Message::User { content, at: None }).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn user(parts: &[Json]) -> Vec<Message> {
    let results: Vec<Message> =
        parts.iter().filter_map(|part| member(part, "toolResult")).map(|it| returned(&it)).collect();
    let is_words = |part: &&Json| member(part, "toolResult").is_none() && member(part, "cachePoint").is_none();
    let beside: Vec<Json> = parts.iter().filter(is_words).cloned().collect();
    with_words(results, &beside, text_of)
}

fn returned(result: &Json) -> Message {
    let parts = items(result, "content");
    let content = match parts.as_slice() {
        [] => None,
        [part] if member(part, "json").is_some() => member(part, "json"),
        parts => of_parts(parts, text_of),
    };
    let outcome = match text(result, "status").as_deref() {
        Some("error") => Outcome::error(content),
        _ => Outcome::result(content.unwrap_or_else(|| Json::string(""))),
    };
    Message::Tool(Returned { id: text(result, "toolUseId"), name: None, outcome, latency_ms: None })
}

/// What a model answered. The response does not name it.
pub(in crate::recording::import) fn answer(response: &Json) -> Option<Answer> {
    let content = below(response, &["output", "message", "content"])?;
    let usage = member(response, "usage").map(|usage| usage::bedrock(&usage)).unwrap_or_default();
    let latency_ms = member(response, "metrics").and_then(|metrics| milliseconds(&metrics, "latencyMs", 1.0));
    let known = ModelCall { latency_ms, finish_reason: text(response, "stopReason"), ..ModelCall::default() };
    Some(utterance(&content).answer(known, usage))
}

fn utterance(content: &Json) -> Utterance {
    let mut utterance = Utterance::default();
    if content.kind() != Kind::Array {
        utterance.say(&content.shown());
    }
    for part in content.items().unwrap_or_default() {
        match member(&part, "toolUse") {
            Some(call) if text(&call, "type").is_some_and(|kind| kind == "server_tool_use") => {
                utterance.hosted(text(&call, "name").unwrap_or_default());
            }
            Some(call) => utterance.ask(Asked {
                name: text(&call, "name").unwrap_or_default(),
                arguments: member(&call, "input"),
                id: text(&call, "toolUseId"),
                agent: None,
            }),
            None => utterance.say(&text(&part, "text").unwrap_or_default()),
        }
    }
    utterance
}

fn text_of(part: &Json) -> Option<String> {
    text(part, "text").or_else(|| below(part, &["guardContent", "text", "text"]).map(|text| text.shown().into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_used_and_give_back() {
        let list = r#"[{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]},
            {"role":"assistant","content":[{"text":"b"},{"toolUse":{"toolUseId":"1","name":"f","input":{"n":1}}},{"toolUse":{"toolUseId":"2","name":"g","input":{}}}]},
            {"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[{"json":{"v":1}}]}},{"toolResult":{"toolUseId":"2","status":"error","content":[{"text":"no"}]}}]}]"#;
        let messages = read(&Json::parse(list).unwrap());
        let [
            Message::User { content, .. },
            Message::Assistant { words: Some(_), calls },
            Message::Tool(first),
            Message::Tool(second),
        ] = messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        assert_eq!((content.text(), calls.len()), ("\"a\"", 2));
        assert!(matches!(&first.outcome, Outcome::Result(json) if json.text() == r#"{"v":1}"#));
        assert!(matches!(&second.outcome, Outcome::Error(json) if json.text() == "\"no\""));
    }

    #[test]
    fn an_answer_tells_its_latency_and_no_model() {
        let response = r#"{"metrics":{"latencyMs":551},"output":{"message":{"role":"assistant","content":[{"text":"b"}]}},
            "stopReason":"end_turn","usage":{"inputTokens":3,"outputTokens":1,"totalTokens":4}}"#;
        let call = answer(&Json::parse(response).unwrap()).unwrap().model_call.unwrap();
        assert_eq!((call.latency_ms, call.model, call.tokens.sum()), (Some(551.0), None, Some(4)));
    }
}
