//! Messages and answers of OpenAI's Chat Completions, and of the many that speak like it.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::{Answer, Asked, Outcome, Returned};
use super::super::fields::{count, first_member, instant, items, member, text};
use super::super::message::Message;
use super::super::usage::{self, Convention, Usage, Written};
use super::content::joined;
use super::utterance::Utterance;

/// The messages of a request.
pub(in crate::recording::import) fn read(messages: &Json) -> Vec<Message> {
    messages.items().unwrap_or_default().iter().filter_map(message).collect()
}

fn message(message: &Json) -> Option<Message> {
    let content = member(message, "content");
    let said = || content.as_ref().and_then(|content| joined(content, text_of));
    match text(message, "role")?.as_str() {
        "system" | "developer" => Some(Message::Instructions(said()?)),
        "user" => {
            let at = first_member(message, &["timestamp", "created_at"]).and_then(|at| instant(&at.shown()));
            Some(Message::User { content: said()?, at })
        }
        "assistant" => Some(utterance(message).message()),
        "tool" | "function" => {
            let outcome = Outcome::result(said().unwrap_or_else(|| content.clone().unwrap_or_else(Json::null)));
            let (id, name) = (text(message, "tool_call_id"), text(message, "name"));
            Some(Message::Tool(Returned { id, name, outcome, latency_ms: None }))
        }
        _ => None,
    }
}

/// What a model answered: the first of its choices, or the one message that Cohere and Ollama answer with.
pub(in crate::recording::import) fn answer(response: &Json) -> Option<Answer> {
    let choices = member(response, "choices").and_then(|choices| choices.items());
    let choice = match choices {
        Some(choices) => choices.into_iter().next(),
        None => Some(member(response, "message").map(|_| response.clone())?),
    };
    let utterance = match choice.as_ref().and_then(|choice| member(choice, "message")) {
        Some(message) => utterance(&message),
        None => {
            // The older Completions have a text and no message.
            let mut utterance = Utterance::default();
            utterance.say(&choice.as_ref().and_then(|choice| text(choice, "text")).unwrap_or_default());
            utterance
        }
    };
    let reason = choice.as_ref().and_then(|choice| first_member(choice, &["finish_reason", "done_reason"]));
    let finish_reason = reason.map(|reason| reason.shown().into_owned()).filter(|reason| !reason.is_empty());
    let known = ModelCall { model: text(response, "model"), finish_reason, ..ModelCall::default() };
    Some(utterance.answer(known, used(response)))
}

/// The tokens of a response or of the last chunk of one, where they stand with each of those who speak like OpenAI.
pub(super) fn used(response: &Json) -> Usage {
    // Ollama counts in the response itself.
    let (input, output) = (count(response, "prompt_eval_count"), count(response, "eval_count"));
    if input.is_some() || output.is_some() {
        return Written { input, output, ..Written::default() }.read(Convention::Within);
    }
    let usage = member(response, "usage").map(|usage| member(&usage, "tokens").unwrap_or(usage));
    usage.map(|usage| usage::openai(&usage)).unwrap_or_default()
}

fn utterance(message: &Json) -> Utterance {
    let mut utterance = Utterance::default();
    match member(message, "content") {
        Some(content) if content.kind() == Kind::Array => {
            for part in content.items().unwrap_or_default() {
                utterance.say(&text_of(&part).unwrap_or_default());
            }
        }
        Some(content) => utterance.say(&content.shown()),
        None => utterance.say(&text(message, "refusal").unwrap_or_default()),
    }
    for call in items(message, "tool_calls") {
        utterance.ask(asked(&call));
    }
    // Before there were tool calls an answer could ask for one function.
    if let Some(function) = member(message, "function_call").filter(is_named) {
        utterance.ask(asked(&function));
    }
    utterance
}

/// Some write all members of all kinds of calls, blank where they are not meant.
fn is_named(function: &Json) -> bool {
    text(function, "name").is_some_and(|name| !name.is_empty())
}

/// The call of a `tool_calls` entry, or of what is within its `function`.
fn asked(call: &Json) -> Asked {
    let id = text(call, "id");
    if let Some(custom) = member(call, "custom").filter(is_named) {
        let input = member(&custom, "input").unwrap_or_else(Json::null);
        return Asked {
            name: text(&custom, "name").unwrap_or_default(),
            arguments: Some(only_input(&input)),
            id,
            agent: None,
        };
    }
    let function = member(call, "function").filter(|it| it.kind() == Kind::Object).unwrap_or_else(|| call.clone());
    let arguments = first_member(&function, &["arguments", "args"]);
    Asked { name: text(&function, "name").unwrap_or_default(), arguments, id, agent: None }
}

/// The arguments of a custom tool, which takes a text that means nothing to anybody else.
pub(super) fn only_input(input: &Json) -> Json {
    Json::trusted(format!("{{\"input\":{}}}", input.text()))
}

fn text_of(part: &Json) -> Option<String> {
    match part.kind() {
        Kind::String => Some(part.shown().into_owned()),
        _ => match text(part, "type").as_deref() {
            Some("text" | "refusal") | None => {
                first_member(part, &["text", "refusal"]).map(|it| it.shown().into_owned())
            }
            Some(_) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_words_calls_and_tokens() {
        let response = r#"{"model":"m-1","choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":"Let me see.",
            "tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"q\":1}"}},
            {"id":"c2","type":"custom","custom":{"name":"sql","input":"select 1"}}]}}],
            "usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}"#;
        let Answer { words, calls, model_call, doubt } = answer(&Json::parse(response).unwrap()).unwrap();
        assert_eq!((words.unwrap().text(), doubt), ("\"Let me see.\"", None));
        let shown: Vec<_> =
            calls.iter().map(|call| (call.name.as_str(), call.arguments.as_ref().unwrap().text())).collect();
        assert_eq!(shown, [("find", r#""{\"q\":1}""#), ("sql", r#"{"input":"select 1"}"#)]);
        let call = model_call.unwrap();
        assert_eq!(
            (call.model.as_deref(), call.finish_reason.as_deref(), call.tokens.sum()),
            (Some("m-1"), Some("tool_calls"), Some(7))
        );
    }

    #[test]
    fn messages_are_read_in_all_their_spellings() {
        let list = r#"[{"role":"developer","content":"be kind"},
            {"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
            {"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"u"}}]},
            {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
            {"role":"function","name":"f","content":"{\"n\":1}"}]"#;
        let messages = read(&Json::parse(list).unwrap());
        let [
            Message::Instructions(_),
            Message::User { content: two, .. },
            Message::User { content: picture, .. },
            Message::Assistant { words: None, calls },
            Message::Tool(returned),
        ] = messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        assert_eq!((two.text(), picture.items().unwrap().len(), calls[0].name.as_str()), (r#""a\nb""#, 2, "f"));
        assert!(matches!(&returned.outcome, Outcome::Result(json) if json.text() == r#"{"n":1}"#));
    }

    #[test]
    fn blank_members_ask_for_nothing() {
        let message = r#"{"choices":[{"finish_reason":"","message":{"content":"","function_call":{"name":"","arguments":""},
            "tool_calls":[{"id":"1","custom":{"name":"","input":""},"function":{"name":"f","arguments":"{}"}}]}}]}"#;
        let Answer { words, calls, model_call, .. } = answer(&Json::parse(message).unwrap()).unwrap();
        assert_eq!((words, calls.len(), calls[0].name.as_str()), (None, 1, "f"));
        assert_eq!(model_call.unwrap().finish_reason, None);
    }

    #[test]
    fn cohere_and_ollama_answer_with_one_message() {
        let answer = |response: &str| answer(&Json::parse(response).unwrap()).unwrap();
        let cohere = answer(
            r#"{"id":"1","message":{"role":"assistant","tool_plan":"hm","tool_calls":[{"id":"f0","type":"function","function":{"name":"f","arguments":"{}"}}]},
            "finish_reason":"TOOL_CALL","usage":{"billed_units":{"input_tokens":1},"tokens":{"input_tokens":9,"output_tokens":4}}}"#,
        );
        let call = cohere.model_call.unwrap();
        assert_eq!(
            (cohere.calls.len(), call.tokens.sum(), call.finish_reason.as_deref()),
            (1, Some(13), Some("TOOL_CALL"))
        );
        let ollama = answer(
            r#"{"model":"l","message":{"role":"assistant","content":"b","tool_calls":[{"function":{"name":"f","arguments":{"n":1}}}]},
            "done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}"#,
        );
        assert_eq!(
            (ollama.calls[0].arguments.as_ref().unwrap().text(), ollama.words.unwrap().text()),
            (r#"{"n":1}"#, "\"b\"")
        );
        assert_eq!(ollama.model_call.unwrap().tokens.sum(), Some(5));
    }

    #[test]
    fn what_has_no_choices_is_no_answer() {
        assert!(answer(&Json::parse(r#"{"error":{"message":"no"}}"#).unwrap()).is_none());
    }
}
