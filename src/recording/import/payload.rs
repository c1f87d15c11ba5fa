//! What went into a step and came out of it, as observability platforms keep it: JSON of whoever was traced, often as a
//! text, sometimes as a text within a text.

use super::super::interaction::ModelCall;
use super::super::json::{Json, Kind};
use super::dialogue::{Answer, Asked, Outcome, Returned, words};
use super::fields::{below, first_member, items, member, text};
use super::message::Message;
use super::messages::{self, Dialect, gemini, genai, langchain};
use super::python;

/// How many texts within each other are opened.
const LAYERS: usize = 3;

/// The value that a text of JSON stands for, and a text of Python's where it is an object or list. Texts of people stay
/// as they are, also those that look like numbers.
pub(super) fn opened(value: &Json) -> Json {
    let mut value = value.compact();
    for _ in 0..LAYERS {
        let Some(text) = value.as_str() else { break };
        let trimmed = text.trim();
        let inner = match trimmed.as_bytes().first() {
            Some(b'{' | b'[') => Json::parse(trimmed).ok().or_else(|| python::literal(trimmed)),
            Some(b'"') => Json::parse(trimmed).ok(),
            _ => None,
        };
        match inner {
            Some(inner) => value = inner.compact(),
            None => break,
        }
    }
    value
}

/// The messages that a model was asked with. A prompt is no words of a user but made of them, so it stands for them only
/// where a model was asked by nobody else, at the top of a trace.
pub(super) fn asked(value: Option<&Json>, parent: Option<&str>) -> Vec<Message> {
    let Some(value) = value.map(opened) else { return Vec::new() };
    let messages = messages_in(&value);
    let mut messages = messages.unwrap_or_else(|| if parent.is_none() { given_opened(&value, 0) } else { Vec::new() });
    messages.retain(|message| !is_definition(message));
    messages
}

/// Whether a message is the definition of a tool, which Langfuse keeps among those that were sent with it.
fn is_definition(message: &Message) -> bool {
    let Message::Tool(Returned { id: None, outcome: Outcome::Result(content), .. }) = message else { return false };
    text(content, "type").is_some_and(|kind| kind == "function") && member(content, "function").is_some()
}

/// What an agent or a chain was given. What nobody's messages look like is what a user sent.
pub(super) fn given(value: Option<&Json>) -> Vec<Message> {
    let Some(value) = value.map(opened) else { return Vec::new() };
    given_opened(&value, 0)
}

fn given_opened(value: &Json, depth: usize) -> Vec<Message> {
    if let Some(messages) = messages_in(value) {
        return messages;
    }
    if let Some(inner) = only_argument(value).filter(|_| depth < LAYERS) {
        return given_opened(&opened(&inner), depth + 1);
    }
    let content = named_words(value, ASKED).unwrap_or_else(|| value.clone());
    words(Some(content)).filter(says_something).map(|content| Message::User { content, at: None }).into_iter().collect()
}

/// What an agent or a chain said in the end, in a message without calls: those were made by models.
pub(super) fn said(value: Option<&Json>) -> Vec<Message> {
    let Some(value) = value.map(opened) else { return Vec::new() };
    let last_words = |messages: Vec<Message>| {
        messages.into_iter().rev().find_map(|message| match message {
            Message::Assistant { words, .. } => words,
            _ => None,
        })
    };
    let said = match (messages_in(&value), answer_in(&value)) {
        (Some(messages), _) => last_words(messages),
        (None, Some(answer)) => answer.words,
        (None, None) => words(Some(named_words(&value, SAID).unwrap_or(value))).filter(says_something),
    };
    said.map(|words| Message::Assistant { words: Some(words), calls: Vec::new() }).into_iter().collect()
}

/// What a model answered.
pub(super) fn answered(value: Option<&Json>) -> Answer {
    let Some(value) = value.map(opened) else { return Answer::default() };
    if let Some(answer) = answer_in(&value) {
        return answer;
    }
    let said = messages_in(&value).map(|messages| {
        let mut joined = Answer::default();
        for message in messages {
            if let Message::Assistant { words, calls } = message {
                joined.words = words.or(joined.words);
                joined.calls.extend(calls);
            }
        }
        joined
    });
    said.unwrap_or_else(|| Answer {
        words: words(Some(named_words(&value, SAID).unwrap_or(value))).filter(says_something),
        ..Answer::default()
    })
}

/// The answer as the messages of a piece of a trace.
pub(super) fn answer_messages(words: Option<Json>, calls: Vec<Asked>) -> Vec<Message> {
    if words.is_none() && calls.is_empty() {
        return Vec::new();
    }
    vec![Message::Assistant { words, calls }]
}

/// What a tool gave back, and the id of the call where a message of LangChain keeps both.
pub(super) fn tool_outcome(value: Option<&Json>) -> (Option<Outcome>, Option<String>) {
    let Some(value) = value.map(opened) else { return (None, None) };
    // What nothing came out of is written as JSON too.
    let value = if value.as_str().is_some_and(|text| text == "null") { Json::null() } else { value };
    let message = member(&value, "kwargs").filter(|_| member(&value, "lc").is_some()).unwrap_or_else(|| value.clone());
    let Some(id) = text(&message, "tool_call_id") else { return (Some(Outcome::result(value)), None) };
    let content = member(&message, "content");
    let outcome = match text(&message, "status").as_deref() {
        Some("error") => Outcome::error(content),
        _ => Outcome::result(content.unwrap_or_else(Json::null)),
    };
    (Some(outcome), Some(id))
}

/// What is known of a model call, with what the platform tells before what the answer tells.
pub(super) fn model_call(own: ModelCall, answer: Option<ModelCall>) -> ModelCall {
    let Some(answer) = answer else { return own };
    ModelCall {
        model: answer.model.or(own.model),
        tokens: if own.tokens.is_unknown() { answer.tokens } else { own.tokens },
        latency_ms: own.latency_ms.or(answer.latency_ms),
        finish_reason: own.finish_reason.or(answer.finish_reason),
        extra: own.extra.into_iter().chain(answer.extra).collect(),
    }
}

/// The messages in a value: a list of them, in a list of its own, in an object, or one alone.
fn messages_in(value: &Json) -> Option<Vec<Message>> {
    match value.kind() {
        Kind::Array => {
            let items = value.items()?;
            match items.as_slice() {
                // LangChain asks with several lists at once, of which there is one.
                [only] if only.kind() == Kind::Array => messages_of(&only.items()?),
                items => messages_of(items),
            }
        }
        Kind::Object => {
            let of = |key: &str| member(value, key).map(|inner| opened(&inner));
            if let Some(content) = of("new_message") {
                return Some(gemini::read(&content));
            }
            if let Some(list) = of("messages").filter(|list| list.kind() == Kind::Array) {
                return messages_in(&list);
            }
            if let Some(question) = of("contents").filter(|contents| contents.kind() == Kind::String) {
                return Some(gemini::read(&question));
            }
            // A choice of an answer holds a message and its number.
            if let Some(message) = of("message").filter(|message| member(message, "role").is_some()) {
                return messages_of(&[message]);
            }
            let has_content = || first_member(value, &["content", "parts", "tool_calls", "function_call"]).is_some();
            match member(value, "role") {
                Some(_) if has_content() => messages_of(std::slice::from_ref(value)),
                // Others' messages keep their words under other names.
                Some(_) => None,
                None if is_langchain(value) => messages_of(std::slice::from_ref(value)),
                None => messages::any(value),
            }
        }
        _ => None,
    }
}

/// The messages of a list, if it is one of messages.
fn messages_of(list: &[Json]) -> Option<Vec<Message>> {
    if list.iter().any(is_langchain) {
        return Some(langchain::read(&Json::of(&list)));
    }
    let is_call = |item: &Json| text(item, "toolName").is_some() && text(item, "toolCallId").is_some();
    if !list.is_empty() && list.iter().all(is_call) {
        return Some(vec![Message::Assistant { words: None, calls: list.iter().map(call_of_vercel).collect() }]);
    }
    let has_typed_parts = |message: &Json| items(message, "parts").iter().any(|part| member(part, "type").is_some());
    let whole = Json::of(&list);
    let read = if list.iter().any(has_typed_parts) { Some(genai::read(&whole)) } else { messages::any(&whole) };
    read.filter(|messages| !messages.is_empty())
}

/// Whether a message is one that only LangChain writes.
fn is_langchain(message: &Json) -> bool {
    let is_kind =
        || text(message, "type").is_some_and(|kind| ["human", "ai", "system", "tool"].contains(&kind.as_str()));
    let is_dict = || member(message, "role").is_none() && member(message, "content").is_some() && is_kind();
    let is_serialised = || member(message, "lc").is_some() && member(message, "kwargs").is_some();
    member(message, "additional_kwargs").is_some() || is_serialised() || is_dict()
}

/// A call as Vercel's AI SDK lists it.
fn call_of_vercel(call: &Json) -> Asked {
    Asked {
        name: text(call, "toolName").unwrap_or_default(),
        arguments: first_member(call, &["input", "args"]),
        id: text(call, "toolCallId"),
        agent: None,
    }
}

/// The answer in what a provider gave back.
fn answer_in(value: &Json) -> Option<Answer> {
    if value.kind() != Kind::Object {
        return None;
    }
    // LangChain gives the answers to each list that it asked with, and several answers to each.
    let generations = member(value, "generations").and_then(|lists| lists.items()?.into_iter().next());
    if let Some(generation) =
        generations.and_then(|list| list.items().map_or(Some(list), |list| list.into_iter().next()))
    {
        let message = member(&generation, "message").and_then(|message| langchain::answer(&message));
        let words = || words(member(&generation, "text"));
        return Some(message.unwrap_or_else(|| Answer { words: words(), ..Answer::default() }));
    }
    if is_langchain(value) {
        return langchain::answer(value);
    }
    // An answer as Google's agents keep it is one candidate without the list around it.
    if below(value, &["content", "parts"]).is_some() {
        let usage = member(value, "usage_metadata").or_else(|| member(value, "usageMetadata"));
        let usage = usage.map(|usage| format!(",\"usage_metadata\":{}", usage.text())).unwrap_or_default();
        let response = Json::parse(format!("{{\"candidates\":[{}]{usage}}}", value.text())).ok()?;
        return gemini::answer(&response);
    }
    if member(value, "role").is_some() {
        return None;
    }
    use Dialect::{Anthropic, Bedrock, Gemini, OpenAiChat, OpenAiResponses};
    [OpenAiChat, OpenAiResponses, Gemini, Anthropic, Bedrock].into_iter().find_map(|dialect| dialect.answer(value))
}

/// The one argument that a traced function was called with, as `{"args": ["hello"], "kwargs": {}}` has it.
fn only_argument(value: &Json) -> Option<Json> {
    let args = member(value, "args")?.items()?;
    let kwargs = member(value, "kwargs").and_then(|kwargs| kwargs.members().map(|members| members.len()));
    match args.as_slice() {
        [only] if kwargs.unwrap_or(0) == 0 => Some(only.clone()),
        _ => None,
    }
}

/// Names under which an object holds nothing but the words of a user.
const ASKED: &[&str] = &["input", "prompt", "query", "question", "message", "content", "text", "user_input", "task"];
/// Names under which an object holds the words of an agent.
const SAID: &[&str] =
    &["content", "text", "output", "response", "answer", "result", "final_output", "message", "reply"];

/// The words in an object that has nothing else, or that says by its role whose they are.
fn named_words(value: &Json, names: &[&str]) -> Option<Json> {
    let members = value.members()?;
    let is_message = text(value, "role").is_some();
    let (_, words) = members.iter().find(|(key, words)| {
        let is_named = names.contains(&key.as_ref()) && words.kind() == Kind::String;
        is_named && (members.len() == 1 || is_message)
    })?;
    Some(words.clone())
}

fn says_something(content: &Json) -> bool {
    content.members().is_none_or(|members| !members.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn users(value: &str) -> Vec<String> {
        let told = given(Some(&json(value))).into_iter().map(|message| match message {
            Message::User { content, .. } => content.text().to_owned(),
            other => format!("{other:?}"),
        });
        told.collect()
    }

    fn reply(value: &str) -> Option<String> {
        said(Some(&json(value))).into_iter().find_map(|message| match message {
            Message::Assistant { words, calls } if calls.is_empty() => words.map(|words| words.text().to_owned()),
            _ => None,
        })
    }

    #[test]
    fn texts_within_texts_are_opened_and_words_of_people_are_not() {
        assert_eq!(opened(&json(r#""\"{\\\"prompt\\\": \\\"hi\\\"}\"""#)).text(), r#"{"prompt":"hi"}"#);
        assert_eq!(opened(&json(r#""{'a': None}""#)).text(), r#"{"a":null}"#);
        for words in [r#""12""#, r#""true""#, r#""{not json}""#, r#""hello""#] {
            assert_eq!(opened(&json(words)).text(), words);
        }
    }

    #[test]
    fn the_words_of_a_user_are_found_in_what_was_given() {
        assert_eq!(users(r#""hi""#), [r#""hi""#]);
        assert_eq!(users(r#"{"query":"hi"}"#), [r#""hi""#]);
        assert_eq!(users(r#"{"args":[{"question":"hi"}],"kwargs":{}}"#), [r#""hi""#]);
        assert_eq!(users(r#"{"messages":[[{"role":"user","content":"hi"}]]}"#), [r#""hi""#]);
        assert_eq!(users(r#"{"user_id":"u","new_message":{"role":"user","parts":[{"text":"hi"}]}}"#), [r#""hi""#]);
        assert_eq!(users(r#"{"model":"m","contents":"hi"}"#), [r#""hi""#]);
        let two = r#"{"city":"Paris","days":2}"#;
        assert_eq!(users(two), [two], "what has several parts is handed over whole");
        assert!(users("null").is_empty() && users("{}").is_empty() && users("[]").is_empty());
    }

    #[test]
    fn the_last_words_are_found_in_what_came_out() {
        assert_eq!(reply(r#""done""#).as_deref(), Some(r#""done""#));
        assert_eq!(reply(r#""{'role': 'assistant', 'text': 'done'}""#).as_deref(), Some(r#""done""#));
        let list = r#"[{"role":"assistant","content":"a"},{"role":"tool","tool_call_id":"1","content":"x"},{"role":"assistant","content":"done"}]"#;
        assert_eq!(reply(list).as_deref(), Some(r#""done""#));
        assert_eq!(reply(r#"{"content":{"parts":[{"text":"done"}],"role":"model"}}"#).as_deref(), Some(r#""done""#));
        assert_eq!(reply(r#"{"joke":"x","score":1}"#).as_deref(), Some(r#"{"joke":"x","score":1}"#));
    }

    #[test]
    fn an_answer_is_read_whoever_gave_it() {
        let call = r#"{"id":"c","type":"function","function":{"name":"t","arguments":"{}"}}"#;
        let shapes = [
            format!(
                r#"{{"model":"m","choices":[{{"message":{{"role":"assistant","tool_calls":[{call}]}}}}],"usage":{{"prompt_tokens":1,"completion_tokens":2}}}}"#
            ),
            format!(r#"[{{"role":"assistant","content":null,"tool_calls":[{call}]}}]"#),
            format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#),
            r#"{"content":{"parts":[{"function_call":{"name":"t","args":{}}}],"role":"model"},"finish_reason":"STOP"}"#
                .to_owned(),
            r#"{"content":[{"type":"tool_use","id":"c","name":"t","input":{}}],"role":"assistant"}"#.to_owned(),
        ];
        for shape in shapes {
            let answer = answered(Some(&json(&shape)));
            assert_eq!(answer.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["t"], "{shape}");
        }
        assert_eq!(answered(Some(&json(r#""hi""#))).words.unwrap().text(), r#""hi""#);
    }
}
