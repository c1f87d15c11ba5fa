//! What the model answered in a session of Claude Code, put together from its lines.

use std::collections::{HashMap, HashSet};

use super::super::super::json::Json;
use super::super::dialogue::Answer;
use super::super::fields::{items, member, text};
use super::super::messages::anthropic;
use super::entry::{Entry, What, flag};

/// The answers of a file, each at its first line.
#[derive(Default)]
pub(super) struct Answers {
    by_entry: HashMap<usize, Parts>,
}

/// One answer, part by part.
#[derive(Default)]
struct Parts {
    blocks: Vec<Json>,
    /// Blocks that are there already: some writers repeat them.
    known: HashSet<String>,
    model: Option<Json>,
    stop_reason: Option<Json>,
    usage: Option<Json>,
    is_error: bool,
}

/// An answer, or what the program wrote in its place.
pub(super) struct Given {
    pub(super) answer: Answer,
    /// What went wrong, where that is all it says.
    pub(super) error: Option<String>,
}

impl Answers {
    pub(super) fn gather(entries: &[Entry]) -> Self {
        let mut answers = Self::default();
        let mut first_of: HashMap<String, usize> = HashMap::new();
        for (number, entry) in entries.iter().enumerate() {
            let Some(message) = member(&entry.json, "message").filter(|_| matches!(entry.what, What::Answer)) else {
                continue;
            };
            let first = text(&message, "id").map_or(number, |id| *first_of.entry(id).or_insert(number));
            answers.by_entry.entry(first).or_default().add(&message, flag(&entry.json, "isApiErrorMessage"));
        }
        answers
    }

    /// The answer that starts with this entry.
    pub(super) fn at(&self, number: usize) -> Option<Given> {
        self.by_entry.get(&number).and_then(Parts::given)
    }
}

impl Parts {
    fn add(&mut self, message: &Json, is_error: bool) {
        let content = match member(message, "content") {
            // Old sessions have texts.
            Some(content) if content.as_str().is_some() => {
                vec![Json::trusted(format!("{{\"type\":\"text\",\"text\":{}}}", content.text()))]
            }
            _ => items(message, "content"),
        };
        let new = content.into_iter().filter(|block| self.known.insert(block.text().to_owned()));
        self.blocks.extend(new);
        let last = |key: &str, before: Option<Json>| member(message, key).or(before);
        self.model = last("model", self.model.take());
        self.stop_reason = last("stop_reason", self.stop_reason.take());
        self.usage = last("usage", self.usage.take());
        self.is_error |= is_error;
    }

    fn given(&self) -> Option<Given> {
        let list: Vec<&str> = self.blocks.iter().map(Json::text).collect();
        let mut response = format!("{{\"content\":[{}]", list.join(","));
        for (key, value) in [("model", &self.model), ("stop_reason", &self.stop_reason), ("usage", &self.usage)] {
            if let Some(value) = value {
                response.push_str(&format!(",\"{key}\":{}", value.text()));
            }
        }
        let mut answer = anthropic::answer(&Json::trusted(response + "}"))?;
        // The program answers itself where no model did.
        let is_written = self.model.as_ref().is_some_and(|model| model.text() == "\"<synthetic>\"");
        if is_written || self.is_error {
            answer.model_call = None;
        }
        let says =
            || answer.words.as_ref().map_or_else(|| "the API failed".to_owned(), |words| words.shown().into_owned());
        let error = self.is_error.then(says);
        Some(Given { answer, error })
    }
}
