//! Calls of models that clients recorded without anything around them: each is its own trace.
//!
//! Requests repeat what was said before, so a call goes on with the one whose request and answer its own request starts
//! with. Memory holds a number for each call, so its messages need not be kept.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::message::Message;
use super::observation::{Observation, ObservationKind};

/// The calls that can be gone on with.
#[derive(Debug, Default)]
pub(super) struct LoneCalls {
    /// The conversation of each, by what was said up to its answer.
    answered: HashMap<u64, u32>,
    /// The conversation of each, by what it was asked with: answers can be told in other words later.
    asked: HashMap<u64, u32>,
    count: u32,
}

impl LoneCalls {
    /// The conversation that this piece belongs to, if it is such a call.
    pub(super) fn conversation(&mut self, piece: &Observation) -> Option<u32> {
        let is_lone = piece.parent.is_none() && piece.session.is_none() && !piece.input.is_empty();
        if !is_lone || !matches!(piece.kind, ObservationKind::Model(_)) {
            return None;
        }
        let known = last_answer(&piece.input).and_then(|last| {
            let with_answer = self.answered.get(&print(piece.input[..=last].iter()));
            with_answer.or_else(|| self.asked.get(&print(piece.input[..last].iter()))).copied()
        });
        let conversation = known.unwrap_or(self.count);
        self.count += u32::from(known.is_none());
        self.answered.insert(print(piece.input.iter().chain(&piece.output)), conversation);
        self.asked.insert(print(piece.input.iter()), conversation);
        Some(conversation)
    }
}

/// Where the last answer stands in a request.
fn last_answer(messages: &[Message]) -> Option<usize> {
    messages.iter().rposition(|message| matches!(message, Message::Assistant { .. }))
}

/// Whether a request goes on with a turn: nobody has said anything since its last answer, but tools gave something back.
pub(super) fn goes_on(messages: &[Message]) -> bool {
    let since = last_answer(messages).map(|last| &messages[last + 1..]).unwrap_or_default();
    let has_user = since.iter().any(|message| matches!(message, Message::User { .. }));
    !has_user && since.iter().any(|message| matches!(message, Message::Tool(_)))
}

/// A number for what messages say.
fn print<'a>(messages: impl Iterator<Item = &'a Message>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for message in messages {
        match message {
            Message::Instructions(_) => {}
            Message::User { content, .. } | Message::Aside(content) => (1, content.text()).hash(&mut hasher),
            Message::Assistant { words, calls } => {
                (2, words.as_ref().map(|words| words.text())).hash(&mut hasher);
                calls.iter().for_each(|call| (&call.name, &call.id).hash(&mut hasher));
            }
            Message::Tool(returned) => (3, &returned.id, format!("{:?}", returned.outcome)).hash(&mut hasher),
        }
    }
    hasher.finish()
}
