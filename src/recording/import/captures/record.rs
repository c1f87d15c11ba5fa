//! One record of a log: a conversation, an exchange with a model, or one side of an exchange.

use std::path::Path;

use jiff::Timestamp;

use super::super::super::json::{Json, Kind};
use super::super::super::place::At;
use super::super::conversation::Conversation;
use super::super::dialogue::Dialogue;
use super::super::fields::{first_member, instant, member, milliseconds, text};
use super::super::message::Message;
use super::super::messages::Dialect;
use super::super::values::keys;
use super::http::{request_in, response_in};
use super::reply::{Reply, whose};
use super::request::Request;
use super::{Exchange, Known, named_by_place};

/// What a record is.
pub(super) enum Record {
    /// A conversation that was written down whole.
    Log(Log),
    Exchange(Exchange),
    Request(Request, Known),
    Reply(Reply, Known),
    /// A part of a streamed answer.
    Event,
    /// Something else, and what it is.
    Foreign(String),
}

/// A conversation that was written down whole.
pub(super) struct Log {
    request: Request,
    known: Known,
}

/// Under which names people keep requests and responses.
const REQUESTS: [&str; 10] =
    ["request", "request_body", "requestBody", "req", "kwargs", "inputs", "input", "payload", "prompt", "body"];
const RESPONSES: [&str; 11] = [
    "response",
    "response_body",
    "responseBody",
    "res",
    "raw_response",
    "outputs",
    "output",
    "completion",
    "result",
    "reply",
    "answer",
];

/// Members that only the pieces of a trace have.
const OF_TRACES: [&str; 6] = ["span_id", "spanId", "run_type", "resourceSpans", "observations", "dotted_order"];

impl Record {
    pub(super) fn read(at: At, json: &Json) -> Self {
        if Self::is_conversation(json) {
            return match Request::read(json) {
                Some(request) => Record::Log(Log { request, known: Known::default() }),
                None => Record::Foreign("a list without messages".into()),
            };
        }
        if json.kind() != Kind::Object {
            return Record::Foreign(format!("a record is an object, this is {}", json.kind()));
        }
        if OF_TRACES.iter().any(|key| json.member(key).is_some()) {
            return Record::Foreign(format!("a piece of a trace; its fields are {}", keys(json)));
        }
        if Dialect::of_event(json).is_some_and(|dialect| dialect != Dialect::Gemini) {
            return Record::Event;
        }
        Self::sides(at, json)
    }

    /// Whether it is a list of messages.
    pub(super) fn is_conversation(json: &Json) -> bool {
        json.kind() == Kind::Array && Dialect::of(json).is_some()
    }

    fn sides(at: At, json: &Json) -> Self {
        let known = Known::of(json);
        if text(json, "object").is_some_and(|object| object == "response") {
            return Self::response(at, json, known);
        }
        let wrapped = REQUESTS.iter().find_map(|key| request_in(&member(json, key)?));
        let request = match Request::read(json) {
            Some(own) if wrapped.is_none() || member(json, "messages").is_some() => Some(own),
            _ => wrapped,
        };
        let response = RESPONSES.iter().find_map(|key| member(json, key));
        match (request, response) {
            (Some(request), Some(response)) => match response_in(&response, json) {
                Some(reply) => Record::Exchange(Exchange { at, request, reply: Some(reply), known }),
                None => Record::Foreign(format!("its response is no answer of a model; it is {}", shape(&response))),
            },
            (Some(request), None) => Self::asked(at, json, request, known),
            (None, response) => {
                let reply = whose(json).and_then(|_| Reply::read(json, None));
                match reply.or_else(|| response.as_ref().and_then(|response| response_in(response, json))) {
                    Some(reply) => Record::Reply(reply, known),
                    None => Record::Foreign(format!(
                        "neither a message log nor a request with its response; its fields are {}",
                        keys(json)
                    )),
                }
            }
        }
    }

    /// A response of OpenAI, which may have been kept with what it answers.
    fn response(at: At, json: &Json, known: Known) -> Self {
        match (Reply::read(json, None), Request::read(json)) {
            (Some(reply), Some(request)) if !request.messages.is_empty() => {
                Record::Exchange(Exchange { at, request, reply: Some(reply), known })
            }
            (Some(reply), _) => Record::Reply(reply, known),
            (None, _) => Record::Foreign("a response without an output".into()),
        }
    }

    /// A request whose response is within it, is an error, or is not there.
    fn asked(at: At, json: &Json, request: Request, known: Known) -> Self {
        let is_answered = matches!(request.messages.last(), Some(Message::Assistant { .. }));
        match whose(json).and_then(|_| Reply::read(json, None)) {
            Some(reply) => Record::Exchange(Exchange { at, request, reply: Some(reply), known }),
            None if member(json, "error").is_some() => {
                let reply = Reply::read(json, None);
                Record::Exchange(Exchange { at, request, reply, known })
            }
            None if is_answered => Record::Log(Log { request, known }),
            None => Record::Request(request, known),
        }
    }
}

fn shape(json: &Json) -> String {
    match json.kind() {
        Kind::Object => format!("an object with {}", keys(json)),
        kind => kind.to_string(),
    }
}

impl Known {
    fn of(record: &Json) -> Self {
        let shown = |keys: &[&str]| {
            let said = first_member(record, keys).map(|it| it.shown().into_owned());
            said.filter(|said| !said.is_empty())
        };
        let times = [
            "timestamp",
            "time",
            "start_time",
            "startTime",
            "startedDateTime",
            "started_at",
            "created_at",
            "createdAt",
            "ts",
            "date",
        ];
        let lengths = ["latency_ms", "latencyMs", "duration_ms", "durationMs", "response_time_ms", "elapsed_ms"];
        Self {
            id: shown(&["request_id", "requestId", "custom_id", "id"]),
            session: shown(&[
                "session_id",
                "sessionId",
                "session",
                "conversation_id",
                "conversationId",
                "thread_id",
                "chat_id",
            ]),
            at: first_member(record, &times).and_then(|written| time(&written)),
            latency_ms: lengths.iter().find_map(|key| milliseconds(record, key, 1.0)),
        }
    }
}

/// A point in time as RFC 3339, or in seconds or milliseconds since 1970.
fn time(written: &Json) -> Option<Timestamp> {
    match written.kind() {
        Kind::Number => {
            let number: f64 = written.text().parse().ok()?;
            // In seconds that would be the year 5138.
            let milliseconds = if number > 1e11 { number } else { number * 1e3 };
            (milliseconds.abs() < 1e15).then(|| Timestamp::from_millisecond(milliseconds as i64).ok()).flatten()
        }
        _ => instant(&written.shown()),
    }
}

impl Log {
    /// What it tells; `None` where nobody asks anything.
    pub(super) fn conversation(self, file: &Path, at: At) -> Option<Conversation> {
        let Log { request, known } = self;
        let mut dialogue = Dialogue::default();
        request.messages.into_iter().for_each(|message| message.tell(&mut dialogue));
        let mut turns = dialogue.finish(request.instructions).ok()?;
        if let (Some(first), Some(at)) = (turns.first_mut(), known.at) {
            first.it.recorded_at.get_or_insert_with(|| at.to_string());
        }
        let session = known.session.or(request.session).or_else(|| known.id.clone().filter(|_| turns.len() > 1));
        Some(named_by_place(Conversation { id: known.id, session, turns, paid: None }, file, at))
    }
}
