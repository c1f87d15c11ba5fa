//! Answers that came as a stream of events, put back together: one file a provider.

mod anthropic;
mod bedrock;
mod gemini;
mod openai_chat;
mod openai_responses;
mod partial_arguments;
mod pieces;

use super::super::super::json::{Json, Kind};
use super::super::dialogue::Answer;
use super::super::fields::{first_member, member, text};
use super::Dialect;

/// An answer that was put together.
#[derive(Debug)]
pub(in crate::recording::import) struct Streamed {
    pub(in crate::recording::import) answer: Answer,
    /// The provider's id of it.
    pub(in crate::recording::import) id: Option<String>,
    pub(in crate::recording::import) ending: Ending,
    /// Why it failed, where the stream says that it did.
    pub(in crate::recording::import) failure: Option<String>,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::recording::import) enum Ending {
    /// With the answer.
    Whole,
    /// In the middle of the answer.
    Cut,
    /// In the middle of the answer's last call.
    CutInCall,
}

/// The events of a stream, and whether a mark said that no more come.
#[derive(Clone, Debug, Default)]
pub(in crate::recording::import) struct Events {
    pub(in crate::recording::import) events: Vec<Json>,
    pub(in crate::recording::import) is_marked_done: bool,
}

impl Dialect {
    /// Whose stream this is an event of.
    pub(in crate::recording::import) fn of_event(event: &Json) -> Option<Self> {
        if event.kind() != Kind::Object {
            return None;
        }
        let kind = text(event, "type").unwrap_or_default();
        let is_chunk = text(event, "object").is_some_and(|object| object.ends_with(".chunk"));
        let choice = member(event, "choices").and_then(|choices| choices.items());
        let has_delta = choice.is_some_and(|choices| choices.iter().any(|choice| member(choice, "delta").is_some()));
        let bedrock = ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"];
        let is_ollamas = member(event, "done").is_some() && member(event, "message").is_some();
        if is_chunk || has_delta || is_ollamas {
            Some(Dialect::OpenAiChat)
        } else if kind.starts_with("response.") {
            Some(Dialect::OpenAiResponses)
        } else if kind.starts_with("content_block_") || matches!(kind.as_str(), "message_start" | "message_delta") {
            Some(Dialect::Anthropic)
        } else if first_member(event, &bedrock).is_some() {
            Some(Dialect::Bedrock)
        } else if first_member(event, &["candidates", "usageMetadata"]).is_some() {
            Some(Dialect::Gemini)
        } else {
            None
        }
    }
}

/// The answer that events are the parts of; `None` where they are those of no provider.
pub(in crate::recording::import) fn put_together(stream: &Events) -> Option<Streamed> {
    let dialect = stream.events.iter().find_map(Dialect::of_event).or_else(|| {
        // The older Completions stream whole choices.
        let is_completion = |event: &Json| text(event, "object").is_some_and(|object| object == "text_completion");
        stream.events.first().is_some_and(is_completion).then_some(Dialect::OpenAiChat)
    })?;
    let mut streamed = match dialect {
        Dialect::OpenAiChat => openai_chat::put_together(&stream.events),
        Dialect::OpenAiResponses => openai_responses::put_together(&stream.events),
        Dialect::Anthropic => anthropic::put_together(&stream.events),
        Dialect::Gemini => gemini::put_together(&stream.events),
        Dialect::Bedrock => bedrock::put_together(&stream.events),
        Dialect::Xai => return None,
    };
    if stream.is_marked_done {
        streamed.ending = Ending::Whole;
    }
    streamed.id = streamed.id.filter(|id| !id.is_empty());
    streamed.failure = stream.events.iter().rev().find_map(failure);
    Some(streamed)
}

/// What an event says that ends a stream with an error.
fn failure(event: &Json) -> Option<String> {
    let error = member(event, "error").or_else(|| {
        let is_error = text(event, "type").is_some_and(|kind| kind == "error");
        is_error.then(|| event.clone())
    })?;
    text(&error, "message").or_else(|| error.as_str().map(|text| text.into_owned()))
}
