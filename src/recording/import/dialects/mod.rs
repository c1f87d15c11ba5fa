//! What spans say in the words of those who wrote them: one file a dialect.
//!
//! A span may speak several at once (a collector that translates adds to what was there), so each dialect says what it
//! understands. The first to know a thing is believed; the order below goes from the particular to the general.

mod adk;
mod claude_code;
mod genai;
mod genai_events;
mod openinference;
mod traceloop;
mod vercel;

use std::path::Path;
use std::sync::Arc;

use super::super::interaction::{Doubt, Extra, ModelCall, Tokens};
use super::super::json::{FaultKind, Json};
use super::super::place::At;
use super::dialogue::Outcome;
use super::fields::between;
use super::message::Message;
use super::observation::{Observation, ObservationKind};
use super::spans::attributes::Attributes;
use super::spans::{LogRecord, Span, Status};

/// What one dialect understood of a span.
#[derive(Debug, Default)]
struct Seen {
    kind: Option<ObservationKind>,
    /// The tool or the agent.
    name: Option<String>,
    session: Option<String>,
    input: Vec<Message>,
    output: Vec<Message>,
    doubts: Vec<Doubt>,
    extra: Extra,
}

const DIALECTS: &[fn(&Span) -> Seen] =
    &[adk::read, claude_code::read, vercel::read, genai::read, traceloop::read, openinference::read];

/// A span as a piece of a trace.
pub(super) fn observation(span: Span, file: &Arc<Path>, at: At) -> Observation {
    let mut all = Seen::default();
    for dialect in DIALECTS {
        all.add(dialect(&span));
    }
    let mut kind = all.kind.unwrap_or(ObservationKind::Other);
    let error = match &span.status {
        Status::Error(message) => Some(error(&span, message.clone())),
        Status::Unset | Status::Ok => None,
    };
    match &mut kind {
        ObservationKind::Model(call) => {
            call.latency_ms = call.latency_ms.or_else(|| between(span.started?, span.ended?));
        }
        ObservationKind::Tool { outcome, .. } => fail(outcome, error.as_ref()),
        _ => {}
    }
    if span.dropped > 0 && !matches!(kind, ObservationKind::Other) {
        let problem = format!("{} attributes of a span were left out by its sender", span.dropped);
        all.doubts.push(Doubt { path: "trace".into(), problem });
    }
    Observation {
        file: Arc::clone(file),
        at,
        trace: span.trace,
        id: span.id,
        parent: span.parent,
        kind,
        name: all.name.unwrap_or(span.name),
        started: span.started,
        ended: span.ended,
        session: all.session,
        input: all.input,
        output: all.output,
        error,
        doubts: all.doubts,
        extra: all.extra,
    }
}

/// What a log record says of the span that it was written in, if it says anything that is looked for here.
pub(super) fn part(record: LogRecord, file: &Arc<Path>, at: At) -> Option<Observation> {
    let Seen { input, output, doubts, session, .. } = genai_events::read(std::slice::from_ref(&record.event));
    if input.is_empty() && output.is_empty() {
        return None;
    }
    Some(Observation {
        file: Arc::clone(file),
        at,
        trace: record.trace,
        id: record.span,
        parent: None,
        kind: ObservationKind::Part,
        name: record.event.name,
        started: record.event.at,
        ended: None,
        session,
        input,
        output,
        error: None,
        doubts,
        extra: Extra::new(),
    })
}

/// A tool that failed gives its error, and what it gave back where that says more.
fn fail(outcome: &mut Option<Outcome>, error: Option<&Json>) {
    let Some(error) = error else { return };
    *outcome = Some(match outcome.take() {
        Some(Outcome::Result(content)) if !content.is_null() => Outcome::error(Some(content)),
        Some(Outcome::Error(content)) => Outcome::Error(content),
        _ => Outcome::Error(error.clone()),
    });
}

/// What a span says of its failure: `{type, message}` where it has both.
fn error(span: &Span, message: Option<String>) -> Json {
    let exception = span.events.iter().find(|event| event.name == "exception");
    let of_event = |key: &str| exception.and_then(|event| event.attributes.text(key));
    let message = of_event("exception.message").or(message);
    let kind =
        span.attributes.text("error.type").filter(|kind| kind != "_OTHER").or_else(|| of_event("exception.type"));
    match (kind, message) {
        (Some(kind), Some(message)) => super::spans::attributes::object([
            ("type", Some(Json::string(&kind))),
            ("message", Some(Json::string(&message))),
        ]),
        (Some(only), None) | (None, Some(only)) => Json::string(&only),
        (None, None) => Json::string("error"),
    }
}

impl Seen {
    /// Adds what another dialect understood, where this one knows nothing.
    fn add(&mut self, other: Seen) {
        self.kind = match (self.kind.take(), other.kind) {
            (Some(mine), Some(other)) => Some(both(mine, other)),
            (mine, other) => mine.or(other),
        };
        self.name = self.name.take().or(other.name);
        self.session = self.session.take().or(other.session);
        if self.input.is_empty() {
            self.input = other.input;
        }
        if self.output.is_empty() {
            self.output = other.output;
        }
        self.doubts.extend(other.doubts);
        self.extra.extend(other.extra);
    }
}

/// One kind out of two that tell of the same piece.
pub(super) fn both(mine: ObservationKind, other: ObservationKind) -> ObservationKind {
    match (mine, other) {
        (ObservationKind::Other, other) => other,
        (ObservationKind::Model(mine), ObservationKind::Model(other)) => ObservationKind::Model(fill(mine, other)),
        (
            ObservationKind::Tool { id, arguments, outcome },
            ObservationKind::Tool { id: other_id, arguments: other_arguments, outcome: other_outcome },
        ) => ObservationKind::Tool {
            id: id.or(other_id),
            arguments: arguments.or(other_arguments),
            outcome: outcome.or(other_outcome),
        },
        (mine, _) => mine,
    }
}

/// A model call with what the other knows more.
pub(super) fn fill(mine: ModelCall, other: ModelCall) -> ModelCall {
    let (first, second) = (mine.tokens, other.tokens);
    let tokens = if first.is_unknown() {
        second
    } else {
        Tokens {
            total: first.total.or(second.total).filter(|_| first.input.is_none() || first.output.is_none()),
            input: first.input.or(second.input),
            output: first.output.or(second.output),
            cache_read: first.cache_read.or(second.cache_read),
            cache_write: first.cache_write.or(second.cache_write),
            reasoning: first.reasoning.or(second.reasoning),
        }
    };
    ModelCall {
        model: mine.model.or(other.model),
        tokens,
        latency_ms: mine.latency_ms.or(other.latency_ms),
        finish_reason: mine.finish_reason.or(other.finish_reason),
        extra: if mine.extra.is_empty() { other.extra } else { mine.extra },
    }
}

/// A value that should be JSON, in a text or as it is; `None` with a doubt where the text is cut off or no JSON.
fn parsed(attributes: &Attributes, key: &str, doubts: &mut Vec<Doubt>) -> Option<Json> {
    let value = attributes.get(key)?;
    let Some(text) = value.as_str() else { return Some(value.clone()) };
    match Json::parse(text.as_ref()) {
        Ok(json) => Some(json),
        Err(fault) => {
            let problem = match fault.kind {
                FaultKind::UnexpectedEnd => "it is cut off".to_owned(),
                _ => format!("it is no JSON: {fault}"),
            };
            doubts.push(Doubt { path: key.to_owned(), problem });
            None
        }
    }
}

/// A text or anything else that a user said or an agent answered.
fn said(content: Json) -> Option<Json> {
    super::dialogue::words(Some(content))
}

/// Words of a user.
fn user(content: Json) -> Vec<Message> {
    said(content).map(|content| Message::User { content, at: None }).into_iter().collect()
}

/// Words of an agent.
fn answer(content: Json) -> Vec<Message> {
    let words = said(content);
    words.map(|words| Message::Assistant { words: Some(words), calls: Vec::new() }).into_iter().collect()
}
