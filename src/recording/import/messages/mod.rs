//! The messages of each provider, read into one form: one file a provider.
//!
//! Each file has `read`, for the list of messages that a request holds, and `answer`, for what a model gave back.

pub(in crate::recording::import) mod anthropic;
pub(in crate::recording::import) mod bedrock;
pub(in crate::recording::import) mod content;
pub(in crate::recording::import) mod gemini;
pub(in crate::recording::import) mod genai;
pub(in crate::recording::import) mod langchain;
pub(in crate::recording::import) mod openai_chat;
pub(in crate::recording::import) mod openai_responses;
pub(in crate::recording::import) mod streams;
mod utterance;
mod xai;

use super::super::json::{Json, Kind};
use super::dialogue::Answer;
use super::fields::{first_member, items, member, text};
use super::message::Message;

/// How a provider writes messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::recording::import) enum Dialect {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Bedrock,
    Xai,
}

impl Dialect {
    /// Whose messages these are, by their shape: what only one provider writes decides, wherever it stands. Messages
    /// that are texts alone look the same with all of them and are read as those of OpenAI's Chat Completions.
    pub(in crate::recording::import) fn of(messages: &Json) -> Option<Self> {
        let messages = messages.items()?;
        let shapes: Vec<Shape> = messages.iter().map(Shape::of).collect();
        if shapes.is_empty() || shapes.contains(&Shape::Foreign) {
            return None;
        }
        shapes
            .iter()
            .find_map(|shape| match shape {
                Shape::Certain(dialect) => Some(*dialect),
                Shape::Common | Shape::Foreign => None,
            })
            .or(Some(Dialect::OpenAiChat))
    }

    /// The messages of a request.
    pub(in crate::recording::import) fn read(self, messages: &Json) -> Vec<Message> {
        match self {
            Dialect::OpenAiChat => openai_chat::read(messages),
            Dialect::OpenAiResponses => openai_responses::read(messages),
            Dialect::Anthropic => anthropic::read(messages),
            Dialect::Gemini => gemini::read(messages),
            Dialect::Bedrock => bedrock::read(messages),
            Dialect::Xai => xai::read(messages),
        }
    }

    /// What a model answered, where this is an answer.
    pub(in crate::recording::import) fn answer(self, response: &Json) -> Option<Answer> {
        match self {
            Dialect::OpenAiChat => openai_chat::answer(response),
            Dialect::OpenAiResponses => openai_responses::answer(response),
            Dialect::Anthropic => anthropic::answer(response),
            Dialect::Gemini => gemini::answer(response),
            Dialect::Bedrock => bedrock::answer(response),
            Dialect::Xai => xai::answer(response),
        }
    }
}

/// The messages of a list, or of an object that holds one (`messages`, `contents`, `input`), whoever's they are. `None`
/// where they are nobody's.
pub(in crate::recording::import) fn any(messages: &Json) -> Option<Vec<Message>> {
    let list = match messages.kind() {
        Kind::Object => first_member(messages, &["messages", "contents", "input"])?,
        _ => messages.clone(),
    };
    Some(Dialect::of(&list)?.read(&list))
}

/// What one message shows of whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Only this provider writes so.
    Certain(Dialect),
    /// Several do.
    Common,
    /// No provider does.
    Foreign,
}

impl Shape {
    fn of(message: &Json) -> Self {
        if message.kind() != Kind::Object {
            return Shape::Foreign;
        }
        if let Some(parts) = member(message, "parts") {
            // The parts of OpenTelemetry have a type; those of Gemini are told by their keys.
            let is_typed = parts.items().is_some_and(|parts| parts.iter().any(|part| member(part, "type").is_some()));
            return if is_typed { Shape::Foreign } else { Shape::Certain(Dialect::Gemini) };
        }
        let role = text(message, "role");
        if role.as_ref().is_some_and(|role| role.starts_with("ROLE_")) {
            return Shape::Certain(Dialect::Xai);
        }
        if openai_responses::is_item(message) {
            return Shape::Certain(Dialect::OpenAiResponses);
        }
        if first_member(message, &["tool_calls", "function_call", "tool_call_id"]).is_some() {
            return if role.is_some() { Shape::Certain(Dialect::OpenAiChat) } else { Shape::Foreign };
        }
        match role.as_deref() {
            None => Shape::Foreign,
            Some("tool" | "function" | "developer") => Shape::Certain(Dialect::OpenAiChat),
            Some(_) => Self::of_parts(&items(message, "content")),
        }
    }

    fn of_parts(parts: &[Json]) -> Self {
        let kind = |part: &Json| match text(part, "type") {
            None => ["text", "toolUse", "toolResult", "image", "document", "reasoningContent", "cachePoint"]
                .iter()
                .any(|key| member(part, key).is_some())
                .then_some(Dialect::Bedrock),
            Some(kind) => match kind.as_str() {
                "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "image" | "document"
                | "server_tool_use" | "mcp_tool_use" => Some(Dialect::Anthropic),
                "input_text" | "output_text" | "input_image" | "input_file" => Some(Dialect::OpenAiResponses),
                "image_url" | "input_audio" | "file" | "refusal" => Some(Dialect::OpenAiChat),
                _ => None,
            },
        };
        parts.iter().find_map(kind).map_or(Shape::Common, Shape::Certain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(messages: &str) -> Option<Dialect> {
        Dialect::of(&Json::parse(messages).unwrap())
    }

    #[test]
    fn what_only_one_provider_writes_tells_whose_messages_these_are() {
        let user = r#"{"role":"user","content":"a"}"#;
        let after = |message: &str| dialect(&format!("[{user},{message}]"));
        assert_eq!(after(r#"{"role":"assistant","content":null,"tool_calls":[]}"#), Some(Dialect::OpenAiChat));
        assert_eq!(after(r#"{"type":"function_call","call_id":"c","name":"t"}"#), Some(Dialect::OpenAiResponses));
        assert_eq!(after(r#"{"role":"user","content":[{"type":"tool_result"}]}"#), Some(Dialect::Anthropic));
        assert_eq!(after(r#"{"role":"user","content":[{"toolResult":{}}]}"#), Some(Dialect::Bedrock));
        assert_eq!(dialect(r#"[{"role":"user","parts":[{"text":"a"}]}]"#), Some(Dialect::Gemini));
        assert_eq!(dialect(&format!("[{user}]")), Some(Dialect::OpenAiChat), "with all of them it looks so");
        for nobodys in
            ["[]", "[1]", r#"[{"type":"human","content":"a"}]"#, r#"[{"role":"user","parts":[{"type":"text"}]}]"#]
        {
            assert_eq!(dialect(nobodys), None, "{nobodys}");
        }
    }

    #[test]
    fn messages_are_found_in_a_request() {
        let request = Json::parse(r#"{"model":"m","messages":[{"role":"user","content":"a"}]}"#).unwrap();
        assert_eq!(any(&request).unwrap().len(), 1);
        assert!(any(&Json::parse(r#"{"query":"a"}"#).unwrap()).is_none());
    }
}
