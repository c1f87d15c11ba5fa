//! What a model said in one answer, gathered part by part.

use std::collections::BTreeMap;

use super::super::super::interaction::{Doubt, ModelCall};
use super::super::super::json::Json;
use super::super::dialogue::{Answer, Asked, words};
use super::super::message::Message;
use super::super::usage::Usage;

/// The parts of one answer.
#[derive(Debug, Default)]
pub(super) struct Utterance {
    text: String,
    calls: Vec<Asked>,
    /// How often each tool ran that the provider has itself. No replay can answer them, so they are no tool calls.
    hosted: BTreeMap<String, u64>,
}

impl Utterance {
    /// More of its words.
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// It asks for a call.
    pub(super) fn ask(&mut self, call: Asked) {
        self.calls.push(call);
    }

    /// A tool of the provider ran.
    pub(super) fn hosted(&mut self, tool: impl Into<String>) {
        *self.hosted.entry(tool.into()).or_default() += 1;
    }

    /// Whether it says nothing and asks for nothing.
    pub(super) fn is_silent(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty() && self.hosted.is_empty()
    }

    /// A message of an earlier answer.
    pub(super) fn message(self) -> Message {
        Message::Assistant { words: words(Some(Json::string(&self.text))), calls: self.calls }
    }

    /// The answer of a model of which this is known.
    pub(super) fn answer(self, known: ModelCall, usage: Usage) -> Answer {
        let Usage { tokens, doubt } = usage;
        let mut model_call = ModelCall { tokens, ..known };
        if !self.hosted.is_empty() {
            model_call.extra.push(("hostedTools".into(), Json::of(&self.hosted)));
        }
        let doubt = doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem });
        let words = words(Some(Json::string(&self.text)));
        Answer { words, calls: self.calls, model_call: Some(model_call), doubt }
    }
}
