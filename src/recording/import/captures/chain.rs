//! Exchanges with a model, chained to conversations.
//!
//! Requests repeat what was said before, so an exchange goes on with a conversation when it starts with the messages of
//! that conversation's last request and then its answer. Three other signs count: the id of the answer that it follows, an
//! answer in it with the calls that a conversation waits for, and an equal request, which was sent again.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use super::super::super::place::At;
use super::super::conversation::Conversation;
use super::super::message::Message;
use super::open::{Likeness, Open};
use super::reply::Reply;
use super::request::Request;
use super::{Exchange, Known};

/// As many conversations are looked at that could go on with a request.
const CANDIDATES: usize = 64;
/// Ids of calls from this length on are taken to be unique.
const UNIQUE_ID: usize = 8;

/// Conversations that may go on.
#[derive(Debug, Default)]
pub(super) struct Chain {
    conversations: Vec<Open>,
    /// The conversations whose last request this was.
    states: HashMap<u64, BTreeSet<usize>>,
    /// The conversation that gave this answer, or is kept under this name by the provider.
    answers: HashMap<String, usize>,
    /// The conversation that waits for the result of this call.
    waiting: HashMap<String, usize>,
    /// The answers that were promised and have not come.
    promised: HashSet<String>,
}

/// Where a request goes on with a conversation.
struct Joint {
    conversation: usize,
    /// Its first message that is new.
    new_from: usize,
    kind: JointKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JointKind {
    /// The answer was used.
    GoesOn,
    /// The same was asked again.
    Again,
}

impl Chain {
    /// Takes the next exchange.
    pub(super) fn take(&mut self, exchange: Exchange) {
        let Exchange { at, request, reply, mut known } = exchange;
        known.at = known.at.or_else(|| reply.as_ref().and_then(Reply::created));
        let prints: Vec<u64> = request.messages.iter().map(print).collect();
        let states = states(request.follows.as_deref(), &prints);
        let joint = self.joint(&request, &states);
        let (index, new_from) = match joint {
            Some(Joint { conversation, new_from, kind }) => {
                let open = &mut self.conversations[conversation];
                match kind {
                    JointKind::GoesOn => open.settle(),
                    JointKind::Again => open.supersede(),
                }
                self.forget(conversation);
                (conversation, new_from)
            }
            None => {
                self.conversations.push(Open::new(at, &request, &known));
                (self.conversations.len() - 1, 0)
            }
        };
        let open = &mut self.conversations[index];
        let is_first = joint.is_none();
        open.hear(request, new_from, &known, is_first);
        let state = states.last().copied().unwrap_or_default();
        open.state = state;
        self.states.entry(state).or_default().insert(index);
        if let Some(reply) = reply {
            self.reply(index, reply, &known);
        }
    }

    /// Takes an answer that was promised and has come; `false` where nobody waits for it.
    pub(super) fn arrived(&mut self, reply: Reply, known: &Known) -> bool {
        let Reply::Answered(answered) = &reply else { return matches!(reply, Reply::Pending(_)) };
        let Some(id) = &answered.id else { return false };
        let waits = |index: &usize| self.conversations[*index].is_promised(id);
        let Some(index) = self.answers.get(id).copied().filter(waits) else { return false };
        self.promised.remove(id);
        self.reply(index, reply, known);
        true
    }

    /// Whether an answer was promised that has not come.
    pub(super) fn has_promised(&self) -> bool {
        !self.promised.is_empty()
    }

    fn reply(&mut self, index: usize, reply: Reply, known: &Known) {
        if let Reply::Pending(id) = &reply {
            self.promised.insert(id.clone());
        }
        let open = &mut self.conversations[index];
        open.replied(reply, known);
        if let Some(id) = open.answer_id() {
            self.answers.insert(id.to_owned(), index);
        }
        for id in open.asked_ids() {
            if id.len() >= UNIQUE_ID {
                self.waiting.insert(id.to_owned(), index);
            }
        }
        if let Some(thread) = open.thread.clone() {
            self.answers.insert(thread, index);
        }
    }

    /// The conversation's last request is its last no more.
    fn forget(&mut self, conversation: usize) {
        let state = self.conversations[conversation].state;
        if let Some(known) = self.states.get_mut(&state) {
            known.remove(&conversation);
        }
    }

    fn joint(&self, request: &Request, states: &[u64]) -> Option<Joint> {
        if let Some(follows) = &request.follows {
            let conversation = *self.answers.get(follows)?;
            let is_same = states.last() == Some(&self.conversations[conversation].state);
            let kind = if is_same { JointKind::Again } else { JointKind::GoesOn };
            let new_from = if is_same { request.messages.len() } else { 0 };
            return Some(Joint { conversation, new_from, kind });
        }
        let same_beginning = |likeness| self.same_beginning(request, states, likeness);
        same_beginning(Likeness::Ids).or_else(|| self.awaited(request)).or_else(|| same_beginning(Likeness::Contents))
    }

    /// The conversation with the longest beginning of the request.
    fn same_beginning(&self, request: &Request, states: &[u64], likeness: Likeness) -> Option<Joint> {
        for (heard, state) in states.iter().enumerate().rev() {
            let Some(candidates) = self.states.get(state) else { continue };
            for &conversation in candidates.iter().rev().take(CANDIDATES) {
                let open = &self.conversations[conversation];
                let rest = &request.messages[heard..];
                if rest.is_empty() {
                    if open.is_asked_again(request) {
                        return Some(Joint { conversation, new_from: heard, kind: JointKind::Again });
                    }
                } else if let Some(used) = open.goes_on_with(rest, likeness) {
                    return Some(Joint { conversation, new_from: heard + used, kind: JointKind::GoesOn });
                }
            }
        }
        None
    }

    /// The conversation that waits for the results in a request whose beginning was changed.
    fn awaited(&self, request: &Request) -> Option<Joint> {
        let (index, calls) = request.last_asked()?;
        let ids = calls.iter().filter_map(|call| call.id.as_deref());
        let conversation = ids.filter_map(|id| self.waiting.get(id).copied()).next()?;
        let used = self.conversations[conversation].goes_on_with(&request.messages[index..], Likeness::Ids)?;
        (used > 0).then_some(Joint { conversation, new_from: index + used, kind: JointKind::GoesOn })
    }

    /// The conversations in the order they began.
    pub(super) fn finish(self) -> impl Iterator<Item = (At, Option<Conversation>)> {
        self.conversations.into_iter().map(|open| (open.at, open.finish()))
    }
}

/// What is known after each number of messages: hashes of all the messages so far, none first.
fn states(follows: Option<&str>, prints: &[u64]) -> Vec<u64> {
    let mut hasher = DefaultHasher::new();
    follows.hash(&mut hasher);
    let mut states = vec![hasher.finish()];
    for print in prints {
        print.hash(&mut hasher);
        states.push(hasher.finish());
    }
    states
}

/// What tells a message from others.
fn print(message: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::mem::discriminant(message).hash(&mut hasher);
    match message {
        Message::Instructions(content) | Message::User { content, .. } | Message::Aside(content) => {
            content.text().hash(&mut hasher);
        }
        Message::Assistant { words, calls } => {
            words.as_ref().map(|words| words.text()).hash(&mut hasher);
            for call in calls {
                let arguments = call.arguments.as_ref().map(|arguments| arguments.text());
                (&call.name, &call.id, arguments).hash(&mut hasher);
            }
        }
        Message::Tool(returned) => {
            use super::super::dialogue::Outcome;
            let (Outcome::Result(content) | Outcome::Error(content)) = &returned.outcome;
            (&returned.id, content.text()).hash(&mut hasher);
        }
    }
    hasher.finish()
}
