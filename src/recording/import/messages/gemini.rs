//! Contents and answers of Gemini's generateContent, in the spelling of the wire or of Python.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::{Answer, Asked, Outcome, Returned};
use super::super::fields::{below, first_member, items, member, text};
use super::super::message::Message;
use super::super::usage;
use super::content::{of_parts, text_of_any, with_words};
use super::utterance::Utterance;

/// The `contents` of a request: a list, one content, or a text.
pub(in crate::recording::import) fn read(contents: &Json) -> Vec<Message> {
    match contents.kind() {
        Kind::String => vec![Message::User { content: contents.compact(), at: None }],
        Kind::Object => content(contents),
        _ => contents.items().unwrap_or_default().iter().flat_map(content).collect(),
    }
}

fn content(content: &Json) -> Vec<Message> {
    let parts = items(content, "parts");
    match text(content, "role").as_deref() {
        Some("model" | "assistant") => vec![utterance(&parts).message()],
        Some("system") => of_parts(&parts, text_of_any).map(Message::Instructions).into_iter().collect(),
        // A content without a role is the user's; results come back as the user's or as those of a function.
        _ => user(&parts),
    }
}

fn user(parts: &[Json]) -> Vec<Message> {
    let result = |part: &Json| first_member(part, &["functionResponse", "function_response"]);
    let results: Vec<Message> = parts.iter().filter_map(result).map(|it| returned(&it)).collect();
    let beside: Vec<Json> = parts.iter().filter(|part| result(part).is_none()).cloned().collect();
    with_words(results, &beside, text_of_any)
}

/// The response of a function is an object of any keys; with `error` alone it says that the function failed.
fn returned(response: &Json) -> Message {
    let content = member(response, "response");
    let members = content.as_ref().and_then(Json::members).unwrap_or_default();
    let outcome = match members.as_slice() {
        [(key, error)] if key == "error" && !error.is_null() => Outcome::error(Some(error.clone())),
        _ => Outcome::result(content.unwrap_or_else(Json::null)),
    };
    Message::Tool(Returned { id: text(response, "id"), name: text(response, "name"), outcome, latency_ms: None })
}

/// What a model answered: the first of its candidates. A prompt that was blocked has none.
pub(in crate::recording::import) fn answer(response: &Json) -> Option<Answer> {
    let feedback = first_member(response, &["promptFeedback", "prompt_feedback"]);
    let usage = first_member(response, &["usageMetadata", "usage_metadata"]);
    let candidate = match member(response, "candidates") {
        Some(candidates) => candidates.items()?.into_iter().next(),
        None => {
            feedback.as_ref().or(usage.as_ref())?;
            None
        }
    };
    let parts = candidate.as_ref().and_then(|candidate| below(candidate, &["content", "parts"]));
    let utterance = utterance(&parts.and_then(|parts| parts.items()).unwrap_or_default());
    let reason = |json: &Json, keys: &[&str]| first_member(json, keys).map(|reason| reason.shown().into_owned());
    let finish_reason = candidate
        .as_ref()
        .and_then(|candidate| reason(candidate, &["finishReason", "finish_reason"]))
        .or_else(|| reason(feedback.as_ref()?, &["blockReason", "block_reason"]));
    let model = reason(response, &["modelVersion", "model_version"]);
    let usage = usage.map(|usage| usage::gemini(&usage)).unwrap_or_default();
    Some(utterance.answer(ModelCall { model, finish_reason, ..ModelCall::default() }, usage))
}

fn utterance(parts: &[Json]) -> Utterance {
    let mut utterance = Utterance::default();
    parts.iter().for_each(|part| say(part, &mut utterance));
    utterance
}

/// Adds a part to what a model says.
pub(super) fn say(part: &Json, utterance: &mut Utterance) {
    if let Some(call) = first_member(part, &["functionCall", "function_call"]) {
        utterance.ask(Asked {
            name: text(&call, "name").unwrap_or_default(),
            arguments: member(&call, "args"),
            id: text(&call, "id"),
            agent: None,
        });
    } else if first_member(part, &["executableCode", "executable_code"]).is_some() {
        utterance.hosted("code_execution");
    } else if let Some(call) = first_member(part, &["toolCall", "tool_call"]) {
        let tool = first_member(&call, &["toolType", "tool_type"]);
        utterance.hosted(tool.map_or_else(|| "tool".into(), |tool| tool.shown().to_lowercase()));
    } else if member(part, "thought").is_none_or(|thought| thought.text() != "true") {
        utterance.say(&text(part, "text").unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_called_and_give_back() {
        let contents = r#"[{"role":"user","parts":[{"text":"a"}]},
            {"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"name":"f","args":{"n":1}}},{"function_call":{"name":"g","args":{}}}]},
            {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":3}}},{"functionResponse":{"name":"g","response":{"error":"no"}}}]}]"#;
        let messages = read(&Json::parse(contents).unwrap());
        let [
            Message::User { .. },
            Message::Assistant { words: None, calls },
            Message::Tool(first),
            Message::Tool(second),
        ] = messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        assert_eq!((calls[0].name.as_str(), calls[1].name.as_str()), ("f", "g"));
        assert!(matches!(&first.outcome, Outcome::Result(json) if json.text() == r#"{"result":3}"#));
        assert!(matches!(&second.outcome, Outcome::Error(json) if json.text() == "\"no\""));
    }

    #[test]
    fn thoughts_are_paid_for_and_no_words() {
        let response = Json::parse(
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"b"}]},"finishReason":"STOP"}],
            "usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"thoughtsTokenCount":5,"totalTokenCount":9},"modelVersion":"g"}"#,
        )
        .unwrap();
        let answered = answer(&response).unwrap();
        assert_eq!((answered.words.unwrap().text(), answered.model_call.unwrap().tokens.output), ("\"b\"", Some(6)));
        let blocked =
            r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3,"totalTokenCount":3}}"#;
        let blocked = answer(&Json::parse(blocked).unwrap()).unwrap().model_call.unwrap();
        assert_eq!((blocked.finish_reason.as_deref(), blocked.tokens.sum()), (Some("SAFETY"), Some(3)));
    }
}
