//! A conversation that may go on: what was said so far, and the last answer, which nobody has used yet.

use super::super::super::interaction::{Doubt, ModelCall};
use super::super::super::json::{Json, Kind};
use super::super::super::place::At;
use super::super::conversation::{Conversation, Role, Said};
use super::super::dialogue::{Answer, Asked, Dialogue};
use super::super::message::Message;
use super::super::messages::streams::Ending;
use super::Known;
use super::reply::{Answered, Reply};
use super::request::Request;

/// A conversation that may go on.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) at: At,
    /// The hash of its last request.
    pub(super) state: u64,
    /// The name under which the provider keeps it.
    pub(super) thread: Option<String>,
    id: Option<String>,
    session: Option<String>,
    instructions: Option<Json>,
    dialogue: Dialogue,
    /// What the last request was answered with, not told yet.
    last: Option<Last>,
    /// The model that the last request asked for.
    model: Option<String>,
}

#[derive(Debug)]
enum Last {
    Answered(Box<Answered>),
    Promised(String),
    Failed { call: ModelCall, why: String },
}

impl Open {
    pub(super) fn new(at: At, request: &Request, known: &Known) -> Self {
        // The id of an answer names no conversation that goes on elsewhere.
        let thread = request.follows.clone().filter(|follows| !follows.starts_with("resp_"));
        Self {
            at,
            state: 0,
            thread,
            id: known.id.clone(),
            session: known.session.clone().or_else(|| request.session.clone()),
            instructions: request.instructions.clone(),
            dialogue: Dialogue::default(),
            last: None,
            model: None,
        }
    }

    /// Takes what is new in a request. What is in the first one before the user's last words was said in earlier turns.
    pub(super) fn hear(&mut self, request: Request, new_from: usize, known: &Known, is_first: bool) {
        let is_user = |message: &Message| matches!(message, Message::User { .. });
        let last_words = request.messages.iter().rposition(is_user);
        self.model = request.model;
        for (index, message) in request.messages.into_iter().enumerate().skip(new_from) {
            let is_earlier = is_first && last_words.is_some_and(|last| index < last);
            match message {
                message if is_earlier => earlier(message, &mut self.dialogue),
                Message::User { content, at } => self.dialogue.user(content, at.or(known.at)),
                message => message.tell(&mut self.dialogue),
            }
        }
    }

    /// Takes what came back.
    pub(super) fn replied(&mut self, reply: Reply, known: &Known) {
        let named = |call: &mut ModelCall| {
            call.model = call.model.take().or_else(|| self.model.clone());
            call.latency_ms = call.latency_ms.or(known.latency_ms);
        };
        self.last = Some(match reply {
            Reply::Answered(mut answered) => {
                answered.answer.model_call.iter_mut().for_each(named);
                if self.id.is_none() {
                    self.id = answered.id.clone();
                }
                Last::Answered(answered)
            }
            Reply::Pending(id) => Last::Promised(id),
            Reply::Failed(why) => {
                let mut call = ModelCall::default();
                named(&mut call);
                call.extra.push(("error".into(), Json::string(&why)));
                Last::Failed { call, why }
            }
        });
    }

    /// Whether it waits for the answer with this id.
    pub(super) fn is_promised(&self, id: &str) -> bool {
        matches!(&self.last, Some(Last::Promised(promised)) if promised == id)
    }

    /// The provider's id of the last answer.
    pub(super) fn answer_id(&self) -> Option<&str> {
        match self.last.as_ref()? {
            Last::Answered(answered) => answered.id.as_deref(),
            Last::Promised(id) => Some(id),
            Last::Failed { .. } => None,
        }
    }

    /// The ids of the calls that the last answer asked for.
    pub(super) fn asked_ids(&self) -> Vec<&str> {
        match &self.last {
            Some(Last::Answered(answered)) => {
                answered.answer.calls.iter().filter_map(|call| call.id.as_deref()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether an equal request is the last one, sent again: after a failure it is, and also where the agent was on its
    /// way. But two users may begin with the same words.
    pub(super) fn is_asked_again(&self, request: &Request) -> bool {
        let is_on_its_way = || request.messages.iter().any(|message| matches!(message, Message::Assistant { .. }));
        match &self.last {
            Some(Last::Failed { .. } | Last::Promised(_)) | None => true,
            Some(Last::Answered(answered)) => answered.ending != Ending::Whole || is_on_its_way(),
        }
    }

    /// How many of the messages after the last request are its answer; `None` where they go on from another answer.
    pub(super) fn goes_on_with(&self, rest: &[Message], likeness: Likeness) -> Option<usize> {
        match (&self.last, rest.first()?) {
            (Some(Last::Answered(answered)), Message::Assistant { words, calls }) => {
                is_echo(&answered.answer, words.as_ref(), calls, likeness).then_some(1)
            }
            (Some(Last::Answered(_)), _) => None,
            (Some(Last::Failed { .. } | Last::Promised(_)) | None, _) => Some(0),
        }
    }

    /// The last answer was used.
    pub(super) fn settle(&mut self) {
        match self.last.take() {
            Some(Last::Answered(answered)) => {
                let doubt = answered.doubt();
                self.dialogue.answer(answered.answer);
                self.dialogue.settled(doubt, answered.ending);
            }
            Some(Last::Failed { call, why }) => self.dialogue.asked_in_vain(call, why),
            Some(Last::Promised(_)) => {
                self.dialogue
                    .asked_in_vain(ModelCall::default(), "the answer was not fetched while this was recorded".into());
            }
            None => {}
        }
    }

    /// The last answer was not used, as the same was asked again.
    pub(super) fn supersede(&mut self) {
        match self.last.take() {
            Some(Last::Answered(answered)) => {
                let Answer { model_call, doubt, .. } = answered.answer;
                let mut call = model_call.unwrap_or_default();
                call.extra.push(("superseded".into(), Json::trusted("true")));
                self.dialogue.answer(Answer { model_call: Some(call), doubt, ..Answer::default() });
            }
            last => {
                self.last = last;
                self.settle();
            }
        }
    }

    /// What became of it; `None` where nobody asks anything.
    pub(super) fn finish(mut self) -> Option<Conversation> {
        self.settle();
        let turns = self.dialogue.finish(self.instructions).ok()?;
        let session = self.session.or_else(|| self.id.clone().filter(|_| turns.len() > 1));
        Some(Conversation { id: self.id, session, turns, paid: None })
    }
}

impl Dialogue {
    fn settled(&mut self, doubt: Option<Doubt>, ending: Ending) {
        if ending == Ending::CutInCall {
            self.cut_off();
        }
        if let Some(doubt) = doubt {
            self.doubt(&doubt.path, doubt.problem);
        }
    }
}

/// Tells words of an earlier turn.
fn earlier(message: Message, dialogue: &mut Dialogue) {
    let said = match message {
        Message::User { content, .. } => Some(Said { role: Role::User, content }),
        Message::Assistant { words, .. } => words.map(|content| Said { role: Role::Assistant, content }),
        Message::Instructions(_) | Message::Aside(_) | Message::Tool(_) => None,
    };
    said.into_iter().for_each(|said| dialogue.earlier(said));
}

/// Whether a message is the answer that a client was given. Clients change answers a little: they leave out thoughts,
/// words beside calls, white space.
fn is_echo(answer: &Answer, words: Option<&Json>, calls: &[Asked], likeness: Likeness) -> bool {
    if !answer.calls.is_empty() || !calls.is_empty() {
        return answer.calls.len() == calls.len()
            && answer.calls.iter().zip(calls).all(|(one, other)| likeness.has(one, other));
    }
    let plain = |words: Option<&Json>| words.map(|words| words.shown().trim().to_owned()).unwrap_or_default();
    let (given, told) = (plain(answer.words.as_ref()), plain(words));
    given == told || (!told.is_empty() && given.contains(&told)) || (!given.is_empty() && told.contains(&given))
}

/// What makes two calls the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// Their ids, where they have any.
    Ids,
    /// What they call and with what. Some clients give calls ids of their own.
    Contents,
}

impl Likeness {
    fn has(self, one: &Asked, other: &Asked) -> bool {
        match (self, &one.id, &other.id) {
            (Likeness::Ids, Some(one), Some(other)) if !one.is_empty() && !other.is_empty() => one == other,
            _ => one.name == other.name && plain(one) == plain(other),
        }
    }
}

/// The arguments without the way they were written in.
fn plain(call: &Asked) -> String {
    let Some(written) = &call.arguments else { return "{}".into() };
    let parsed = written.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
    let arguments = parsed.filter(|json| json.kind() == Kind::Object).unwrap_or_else(|| written.clone());
    arguments.compact().text().to_owned()
}
