//! Sessions: the events of an agent, in their order.

use super::super::super::interaction::{Doubt, ModelCall};
use super::super::super::json::Json;
use super::super::super::wire::RowFault;
use super::super::conversation::Conversation;
use super::super::dialogue::{Answer, Dialogue};
use super::super::fields::{first_member, items, member, text};
use super::super::message::Message;
use super::super::messages::gemini;
use super::super::usage;
use super::super::values::no_interaction;
use super::seconds;

pub(super) fn conversation(session: &Json, file: &str) -> Result<Conversation, RowFault> {
    let events = items(session, "events");
    let mut dialogue = Dialogue::default();
    tell(&events, root(&events), &mut dialogue);
    if dialogue.is_empty() {
        return Err(no_interaction("nothing was said in this session: it has a state to start with and no more"));
    }
    let mut turns = dialogue.finish(None)?;
    let agent = ["app_name", "appName"].into_iter().find_map(|key| text(session, key)).or_else(|| root(&events));
    turns.iter_mut().for_each(|turn| turn.it.agent.clone_from(&agent));
    let id = text(session, "id").unwrap_or_else(|| file.to_owned());
    Ok(Conversation { id: Some(id.clone()), session: Some(id), turns, paid: None })
}

/// The agent that the user talks to: the first one that says something.
fn root(events: &[Json]) -> Option<String> {
    let speaks = |event: &&Json| member(event, "content").is_some() && !is_users(event);
    events.iter().find(speaks).and_then(|event| text(event, "author"))
}

fn is_users(event: &Json) -> bool {
    text(event, "author").is_some_and(|author| author == "user")
}

/// Tells events to a dialogue. Calls of others than the root are those of sub-agents.
pub(super) fn tell(events: &[Json], root: Option<String>, dialogue: &mut Dialogue) {
    for event in events {
        // A stream's parts come again as a whole.
        let is_part = member(event, "partial").is_some_and(|partial| partial.text() == "true");
        if let Some(content) = member(event, "content").filter(|_| !is_part) {
            tell_content(event, &content, root.as_deref(), dialogue);
        }
        if let Some(error) = error(event).filter(|_| !is_part && !dialogue.is_empty()) {
            dialogue.failed(error);
        }
    }
}

fn tell_content(event: &Json, content: &Json, root: Option<&str>, dialogue: &mut Dialogue) {
    let author = text(event, "author").filter(|author| root.is_some_and(|root| root != author));
    // Whose words these are says the author: contents of agents have the role user in some sessions.
    let has_results = gemini::read(content).iter().any(|message| matches!(message, Message::Tool(_)));
    let role = if is_users(event) || has_results { "user" } else { "model" };
    let parts = member(content, "parts").map_or_else(|| "[]".to_owned(), |parts| parts.text().to_owned());
    let content = Json::trusted(format!("{{\"role\":\"{role}\",\"parts\":{parts}}}"));
    for message in gemini::read(&content) {
        match message {
            Message::User { content, .. } => dialogue.user(content, seconds(event, &["timestamp"])),
            Message::Assistant { words, mut calls } => {
                calls.iter_mut().for_each(|call| call.agent.clone_from(&author));
                let (model_call, doubt) = model_call(event);
                dialogue.answer(Answer { words, calls, model_call: Some(model_call), doubt });
            }
            other => other.tell(dialogue),
        }
    }
}

fn model_call(event: &Json) -> (ModelCall, Option<Doubt>) {
    let usage = first_member(event, &["usage_metadata", "usageMetadata"]);
    let usage = usage.map(|usage| usage::gemini(&usage)).unwrap_or_default();
    let first = |keys: &[&str]| first_member(event, keys).map(|value| value.shown().into_owned());
    let call = ModelCall {
        model: first(&["model_version", "modelVersion"]),
        tokens: usage.tokens,
        finish_reason: first(&["finish_reason", "finishReason"]),
        ..ModelCall::default()
    };
    (call, usage.doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }))
}

fn error(event: &Json) -> Option<String> {
    let first = |keys: &[&str]| first_member(event, keys).map(|value| value.shown().into_owned());
    match (first(&["error_code", "errorCode"]), first(&["error_message", "errorMessage"])) {
        (Some(code), Some(message)) => Some(format!("{code}: {message}")),
        (code, message) => code.or(message),
    }
}
