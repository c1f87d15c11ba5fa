//! What a model was asked.

use super::super::super::json::{Json, Kind};
use super::super::dialogue::Asked;
use super::super::fields::{below, first_member, member, text};
use super::super::message::Message;
use super::super::messages::{self, Dialect, openai_chat};

/// A request, whoever's it is.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// What was said so far: answers whole, without the instructions.
    pub(super) messages: Vec<Message>,
    /// What the model was told to be, for requests in which nobody else says anything.
    pub(super) instructions: Option<Json>,
    /// The answer that it follows, or the conversation that it is a part of, where the provider keeps the rest.
    pub(super) follows: Option<String>,
    /// The model that was asked for.
    pub(super) model: Option<String>,
    /// The conversation, where the request tells it.
    pub(super) session: Option<String>,
}

impl Request {
    /// Reads the body of a request, or a list of messages alone. `None` where it asks no model to go on talking.
    pub(super) fn read(body: &Json) -> Option<Self> {
        let messages = match body.kind() {
            Kind::Array => messages::any(body)?,
            Kind::Object => said(body)?,
            _ => return None,
        };
        let mut request = Request {
            model: first_member(body, &["model", "modelId", "model_id"]).map(|model| model.shown().into_owned()),
            session: session(body),
            follows: follows(body),
            ..Request::default()
        };
        request.take(messages);
        let beside = ["system", "instructions", "systemInstruction", "system_instruction"];
        request.instructions = request.instructions.or_else(|| first_member(body, &beside).map(|it| it.compact()));
        Some(request)
    }

    /// Takes the messages as what they mean: an answer that was written as several messages is one, and words of the
    /// user right after the results of tools belong to them.
    fn take(&mut self, messages: Vec<Message>) {
        // Of what the provider keeps the beginning, the user has said something before.
        let mut has_asked = self.follows.is_some();
        let mut messages = messages.into_iter().peekable();
        while let Some(message) = messages.next() {
            let is_before_results = matches!(messages.peek(), Some(Message::Tool(_)));
            let last = self.messages.last_mut();
            match (last, message) {
                (_, Message::Instructions(content)) => {
                    self.instructions.get_or_insert(content);
                }
                (Some(Message::Assistant { words, calls }), Message::Assistant { words: more, calls: others }) => {
                    *words = both(words.take(), more);
                    calls.extend(others);
                }
                (Some(Message::Tool(_) | Message::Aside(_)), Message::User { content, .. }) if has_asked => {
                    self.messages.push(Message::Aside(content));
                }
                // Some put the file that a tool gave before its result, as words of the user.
                (Some(Message::Assistant { calls, .. }), Message::User { content, .. })
                    if is_before_results && !calls.is_empty() =>
                {
                    self.messages.push(Message::Aside(content));
                }
                (_, message) => {
                    has_asked |= matches!(message, Message::User { .. });
                    self.messages.push(message);
                }
            }
        }
    }

    /// The calls of the last answer that are in it, and where it stands.
    pub(super) fn last_asked(&self) -> Option<(usize, &[Asked])> {
        self.messages.iter().enumerate().rev().find_map(|(index, message)| match message {
            Message::Assistant { calls, .. } => Some((index, calls.as_slice())),
            _ => None,
        })
    }
}

fn both(first: Option<Json>, second: Option<Json>) -> Option<Json> {
    match (first, second) {
        (Some(first), Some(second)) => Some(Json::string(&format!("{}\n{}", first.shown(), second.shown()))),
        (first, second) => first.or(second),
    }
}

/// The messages of a request, by the member that holds them.
fn said(body: &Json) -> Option<Vec<Message>> {
    if let Some(contents) = member(body, "contents") {
        return Some(Dialect::Gemini.read(&contents));
    }
    if let Some(list) = member(body, "messages") {
        return Some(Dialect::of(&list)?.read(&list));
    }
    let names_model = first_member(body, &["model", "previous_response_id", "conversation", "prompt"]).is_some();
    if let Some(input) = member(body, "input").filter(|_| names_model) {
        // A list of anything else holds texts to embed.
        let is_item = |item: &Json| item.kind() == Kind::Object && first_member(item, &["role", "type"]).is_some();
        let is_items = input.kind() == Kind::String || input.items().is_some_and(|items| items.iter().all(is_item));
        return is_items.then(|| Dialect::OpenAiResponses.read(&input));
    }
    let prompt = member(body, "prompt").filter(|prompt| prompt.kind() == Kind::String)?;
    Some(vec![Message::User { content: prompt.compact(), at: None }])
}

fn follows(body: &Json) -> Option<String> {
    let conversation = || match member(body, "conversation")? {
        conversation if conversation.kind() == Kind::Object => text(&conversation, "id"),
        conversation => conversation.as_str().map(|id| id.into_owned()),
    };
    text(body, "previous_response_id").or_else(conversation)
}

fn session(body: &Json) -> Option<String> {
    let metadata = member(body, "metadata")?;
    let named = first_member(&metadata, &["session_id", "sessionId", "conversation_id", "thread_id"]);
    named.map(|session| session.shown().into_owned()).or_else(|| {
        // Claude Code writes `user_<hash>_account_<id>_session_<id>`.
        let user = text(&metadata, "user_id")?;
        user.split_once("_session_").map(|(_, session)| session.to_owned())
    })
}

/// A message of an answer that a log keeps beside the messages it answers, as a whole answer.
pub(super) fn answer_of_message(message: &Json, record: &Json) -> Option<super::super::dialogue::Answer> {
    let usage = first_member(record, &["usage"]).unwrap_or_else(Json::null);
    let model = first_member(record, &["model"]).unwrap_or_else(Json::null);
    let whole = format!(
        r#"{{"choices":[{{"message":{}}}],"model":{},"usage":{}}}"#,
        message.text(),
        model.text(),
        usage.text()
    );
    let is_assistant = below(message, &["role"]).is_some_and(|role| role.shown() == "assistant");
    is_assistant.then(|| openai_chat::answer(&Json::parse(whole).ok()?)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: &str) -> Option<Request> {
        Request::read(&Json::parse(body).unwrap())
    }

    #[test]
    fn an_answer_in_several_messages_is_one_and_words_after_results_belong_to_them() {
        let request = request(
            r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":"b"},
            {"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"1","content":"x"},{"role":"user","content":"this is the file"}],
            "metadata":{"user_id":"user_1_account__session_s-9"}}"#,
        )
        .unwrap();
        let [Message::User { .. }, Message::Assistant { words: Some(_), calls }, Message::Tool(_), Message::Aside(_)] =
            request.messages.as_slice()
        else {
            panic!("{request:?}")
        };
        assert_eq!((calls.len(), request.session.as_deref(), request.instructions.is_some()), (1, Some("s-9"), true));
    }

    #[test]
    fn what_asks_no_model_to_talk_is_no_request() {
        for other in [
            r#"{"model":"e","input":["a","b"]}"#,
            r#"{"query":"a"}"#,
            r#"{"input":"a","voice":"x"}"#,
            "[1]",
            "\"a\"",
            r#"{"messages":[]}"#,
        ] {
            assert!(request(other).is_none(), "{other}");
        }
        let next = request(r#"{"model":"m","input":"a","previous_response_id":"r"}"#).unwrap();
        assert_eq!(next.follows.as_deref(), Some("r"));
    }
}
