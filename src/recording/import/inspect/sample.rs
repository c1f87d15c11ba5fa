//! One sample of a log as a conversation.

use super::super::super::interaction::{Doubt, ModelCall};
use super::super::super::json::{Json, Kind};
use super::super::super::wire::RowFault;
use super::super::conversation::{Conversation, Role, Said, Turn};
use super::super::dialogue::{Answer, Asked, Dialogue, Outcome, Returned};
use super::super::fields::{below, items, member, members, text};
use super::super::messages::content::{joined, text_of_typed};
use super::super::values::{keys, no_interaction};
use super::attachments::Attachments;
use super::events::Events;
use super::{Epochs, Run};

pub(super) fn conversation(run: &Run, sample: &Json) -> Result<Conversation, RowFault> {
    if sample.kind() != Kind::Object {
        return Err(RowFault::NotAnObject(sample.kind()));
    }
    let id = text(sample, "id").ok_or_else(|| {
        no_interaction(format!("a sample of Inspect has an \"id\"; the fields here are {}", keys(sample)))
    })?;
    let error = below(sample, &["error", "message"]).map(|error| error.shown().into_owned());
    let mut talk = Talk {
        attachments: Attachments::of(sample),
        events: Events::read(sample),
        dialogue: Dialogue::default(),
        until_question: 0,
    };
    let messages = items(sample, "messages");
    talk.read(sample, &messages);
    if messages.is_empty() {
        let why = error.map(|error| format!(": {error}")).unwrap_or_default();
        return Err(no_interaction(format!("the sample ended before anything was said{why}")));
    }
    let Talk { attachments, events, dialogue, .. } = talk;
    let asked = member(sample, "input").filter(|input| input.as_str().is_some()).map(|input| attachments.within(input));
    let mut turns = dialogue.finish(asked)?;
    let epoch = text(sample, "epoch").filter(|_| run.epochs == Epochs::Several);
    let id = epoch.map_or_else(|| id.clone(), |epoch| format!("{id}#{epoch}"));
    if let [Turn { it, .. }] = turns.as_mut_slice() {
        it.latency_ms = events.worked_ms;
    }
    for Turn { it, .. } in &mut turns {
        it.scenario.clone_from(&run.task);
        it.agent.clone_from(&run.solver);
    }
    if let Some(Turn { it, .. }) = turns.first_mut() {
        it.recorded_at = text(sample, "started_at").or_else(|| events.started.clone()).or_else(|| run.created.clone());
        it.extra.push(("inspect".into(), origin(sample, &events)));
    }
    if let Some(Turn { it, .. }) = turns.last_mut() {
        let limit = || below(sample, &["limit", "type"]).map(|limit| format!("limit: {}", limit.shown()));
        it.failure = error.or_else(limit);
    }
    let session = text(sample, "uuid").or_else(|| run.run.as_ref().map(|run| format!("{run}/{id}")));
    Ok(Conversation { id: Some(id), session, turns, paid: None })
}

/// The messages of a sample, as they are told to a dialogue.
struct Talk {
    attachments: Attachments,
    events: Events,
    dialogue: Dialogue,
    /// How many words of users are still to come up to the question; what is said before it are examples.
    until_question: usize,
}

impl Talk {
    fn read(&mut self, sample: &Json, messages: &[Json]) {
        let users = |messages: &[Json]| messages.iter().filter(|message| is_of(message, "user")).count();
        let asked = if items(sample, "input").is_empty() { 1 } else { users(&items(sample, "input")) };
        self.until_question = asked.min(users(messages));
        for message in messages {
            match text(message, "role").as_deref() {
                Some("user") => self.user(message),
                Some("assistant") => self.assistant(message),
                Some("tool") if self.until_question == 0 => self.result(message),
                _ => {}
            }
        }
    }

    fn words(&self, message: &Json) -> Option<Json> {
        joined(&self.attachments.within(member(message, "content")?), text_of_typed)
    }

    fn user(&mut self, message: &Json) {
        let Some(content) = self.words(message) else { return };
        let is_example = self.until_question > 1;
        self.until_question = self.until_question.saturating_sub(1);
        if is_example {
            self.dialogue.earlier(Said { role: Role::User, content });
        } else {
            self.dialogue.user(content, None);
        }
    }

    fn assistant(&mut self, message: &Json) {
        let words = self.answer_words(message);
        if self.until_question > 0 {
            words.into_iter().for_each(|content| self.dialogue.earlier(Said { role: Role::Assistant, content }));
            return;
        }
        let asked = |call: &Json| Asked {
            name: text(call, "function").unwrap_or_default(),
            arguments: member(call, "arguments").map(|arguments| self.attachments.within(arguments)),
            id: text(call, "id"),
            agent: None,
        };
        let calls = items(message, "tool_calls");
        let asked = calls.iter().map(asked).collect();
        let (model_call, doubt) = self.model_call(message);
        let doubt = doubt.or_else(|| calls.iter().find_map(parse_error));
        self.dialogue.answer(Answer { words, calls: asked, model_call, doubt });
    }

    /// What the model said; what it thought is left out.
    fn answer_words(&self, message: &Json) -> Option<Json> {
        let content = member(message, "content")?;
        if content.kind() != Kind::Array {
            return self.words(message);
        }
        let texts: Vec<String> =
            content.items()?.iter().filter_map(|part| text_of_typed(&self.attachments.within(part.clone()))).collect();
        super::super::dialogue::words(Some(Json::string(&texts.join("\n"))))
    }

    /// An answer without a call of a model was given with the sample, or put there by a solver.
    fn model_call(&mut self, message: &Json) -> (Option<ModelCall>, Option<Doubt>) {
        if let Some((call, doubt)) = self.events.call_of(message) {
            return (Some(call), doubt);
        }
        let source = text(message, "source");
        let is_made = match source.as_deref() {
            Some(source) => source == "generate",
            None => !self.events.tell_calls,
        };
        let known = || ModelCall { model: text(message, "model"), ..ModelCall::default() };
        (is_made.then(known), None)
    }

    fn result(&mut self, message: &Json) {
        let content = self.words(message);
        let outcome = match member(message, "error") {
            Some(error) => Outcome::error(Some(self.attachments.within(error))),
            None => Outcome::result(content.unwrap_or_else(|| Json::string(""))),
        };
        let id = text(message, "tool_call_id");
        let latency_ms = id.as_deref().and_then(|id| self.events.tool_time(id));
        self.dialogue.returned(Returned { id, name: text(message, "function"), outcome, latency_ms });
    }
}

fn is_of(message: &Json, role: &str) -> bool {
    text(message, "role").is_some_and(|of| of == role)
}

/// Arguments that could not be read are kept under a name that Inspect made up.
fn parse_error(call: &Json) -> Option<Doubt> {
    let error = text(call, "parse_error")?;
    let name = text(call, "function").unwrap_or_default();
    Some(Doubt { path: "toolCalls.arguments".into(), problem: format!("those of {name} could not be read: {error}") })
}

/// What has no field of its own.
fn origin(sample: &Json, events: &Events) -> Json {
    let mut parts: Vec<String> = ["epoch", "total_time", "working_time", "model_usage"]
        .into_iter()
        .filter_map(|key| Some(format!("\"{key}\":{}", member(sample, key)?.compact().text())))
        .collect();
    let scores: Vec<String> = members(sample, "scores")
        .iter()
        .filter_map(|(name, score)| Some(format!("{}:{}", Json::string(name).text(), member(score, "value")?.text())))
        .collect();
    if !scores.is_empty() {
        parts.push(format!("\"scores\":{{{}}}", scores.join(",")));
    }
    for (name, calls) in [("otherModelCalls", events.other_calls()), ("scorerModelCalls", events.scorer_calls)] {
        if calls > 0 {
            parts.push(format!("\"{name}\":{calls}"));
        }
    }
    Json::trusted(format!("{{{}}}", parts.join(",")))
}
