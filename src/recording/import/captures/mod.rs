//! Traffic with models as it was captured: logs of messages, requests with their responses, streams.
//!
//! Whose messages they are is told by their shape, record by record, so a log of several providers is read as well as one
//! of a single one. A record is a whole conversation, or one exchange with a model; exchanges are chained to conversations.

mod aws_events;
pub(super) mod body;
mod chain;
mod event_stream;
pub(super) mod http;
mod open;
mod record;
mod reply;
mod request;
mod sign;
mod traffic;
pub(super) mod yaml;

use std::collections::VecDeque;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::json::Json;
use super::super::place::{At, Reject, RejectReason};
use super::conversation::Conversation;
use super::format::{Conversations, NotThisFormat, SourceText};
use super::values::{keys, no_interaction, place_in_list, refused, values};
use chain::Chain;
use record::Record;
use reply::Reply;
use request::Request;

pub(super) use sign::sign;
pub(super) use traffic::{HttpExchange, Traffic};

/// One exchange with a model.
#[derive(Debug)]
pub(super) struct Exchange {
    at: At,
    request: Request,
    /// What came back, if that was recorded.
    reply: Option<Reply>,
    known: Known,
}

/// What a capture tells of an exchange beside its bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    id: Option<String>,
    session: Option<String>,
    at: Option<Timestamp>,
    latency_ms: Option<f64>,
}

/// Reads a log or a capture.
///
/// # Errors
/// When it is neither.
pub(super) fn read(mut source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let head = source.text.fill_buf().map_err(|error| NotThisFormat::new(format!("it cannot be read: {error}")))?;
    let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
    match head.first() {
        Some(b'{') => walk(file, values(source)),
        Some(b'[') => list(file, source.whole()?),
        _ => alone(file, &source.whole()?),
    }
}

/// A JSON list is a conversation, or holds records; several, one a line, are conversations.
fn list(file: Arc<Path>, text: String) -> Result<Conversations, NotThisFormat> {
    match Json::parse(text.as_str()) {
        Ok(list) if Record::is_conversation(&list) => {
            let at = At::Value { number: 1, offset: list.offset() as u64 };
            walk(file, std::iter::once(Ok((at, list))))
        }
        Ok(list) => {
            let items = list.items().unwrap_or_default().into_iter().enumerate();
            walk(file, items.map(|(index, item)| Ok((place_in_list(index, &item), item))))
        }
        Err(fault) => {
            let mut offset = 0;
            let lines: Vec<(At, String)> = text
                .split_inclusive('\n')
                .enumerate()
                .map(|(index, line)| {
                    let at = At::Line { number: index as u64 + 1, offset };
                    offset += line.len() as u64;
                    (at, line.trim().to_owned())
                })
                .filter(|(_, line)| !line.is_empty())
                .collect();
            if lines.first().is_none_or(|(_, line)| Json::parse(line.as_str()).is_err()) {
                return Err(NotThisFormat::new(format!("{fault} (byte {})", fault.offset + 1)));
            }
            let shown = file.clone();
            walk(
                file,
                lines.into_iter().map(move |(at, line)| match Json::parse(line.as_str()) {
                    Ok(json) => Ok((at, json)),
                    Err(fault) => {
                        let reason = RejectReason::Row { fault: fault.into(), column: None };
                        Err(Reject::new(&shown, at, reason, line.as_bytes()))
                    }
                }),
            )
        }
    }
}

/// A stream alone.
fn alone(file: Arc<Path>, text: &str) -> Result<Conversations, NotThisFormat> {
    let events = event_stream::read(text);
    let line = text.lines().next().unwrap_or_default().chars().take(60).collect::<String>();
    if Reply::of_stream(&events).is_none() {
        return Err(NotThisFormat::new(format!("it starts with {line:?}, which is no JSON and no stream of a model")));
    }
    let at = At::Line { number: 1, offset: 0 };
    let reason = RejectReason::Row { fault: no_interaction(WITHOUT_REQUEST), column: None };
    Ok(Box::new(std::iter::once(Err(Reject::new(&file, at, reason, text.as_bytes())))))
}

const WITHOUT_REQUEST: &str = "an answer without its request: nobody can tell what the user said. Keep both, as \
                               {\"request\": ..., \"response\": ...} on one line";

type Found = Result<(At, Json), Reject>;

/// Reads one record after the other. The first one must be of this kind.
fn walk(
    file: Arc<Path>,
    records: impl IntoIterator<Item = Found, IntoIter: Send + 'static>,
) -> Result<Conversations, NotThisFormat> {
    let mut records = records.into_iter().peekable();
    match records.peek() {
        None => return Err(NotThisFormat::new("it is empty")),
        Some(Ok((at, json))) if matches!(Record::read(*at, json), Record::Foreign(_)) => {
            return Err(NotThisFormat {
                problem: format!("its first record is no message log and no request; its fields are {}", keys(json)),
                help: Some("a record holds `messages` (`contents`, `input`), or a `request` and its `response`".into()),
            });
        }
        Some(_) => {}
    }
    Ok(Box::new(Walk { file, records, told: VecDeque::new(), tale: Tale::default(), is_over: false }))
}

/// A walk over the records of a file.
struct Walk<R: Iterator<Item = Found>> {
    file: Arc<Path>,
    records: std::iter::Peekable<R>,
    told: VecDeque<Result<(At, Conversation), Reject>>,
    tale: Tale,
    is_over: bool,
}

/// What was met so far and is not told yet.
#[derive(Default)]
struct Tale {
    chain: Chain,
    /// A request whose answer may be the next record.
    asked: Option<(At, Request, Known)>,
    /// Whether the last record was an event of a stream.
    is_in_stream: bool,
}

impl<R: Iterator<Item = Found>> Iterator for Walk<R> {
    type Item = Result<(At, Conversation), Reject>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(told) = self.told.pop_front() {
                return Some(told);
            }
            if self.is_over {
                return None;
            }
            match self.records.next() {
                Some(Ok((at, json))) => self.record(at, &json),
                Some(Err(reject)) => self.told.push_back(Err(reject)),
                None => {
                    self.is_over = true;
                    self.tale.unanswered();
                    let chain = std::mem::take(&mut self.tale.chain);
                    self.told.extend(conversations(&self.file, chain));
                }
            }
        }
    }
}

impl<R: Iterator<Item = Found>> Walk<R> {
    fn record(&mut self, at: At, json: &Json) {
        let was_in_stream = std::mem::take(&mut self.tale.is_in_stream);
        let reject = |problem: String| Err(refused(&self.file, at, no_interaction(problem), json));
        match Record::read(at, json) {
            Record::Log(log) => {
                self.tale.unanswered();
                self.told.push_back(match log.conversation(&self.file, at) {
                    Some(conversation) => Ok((at, conversation)),
                    None => reject(WITHOUT_USER.into()),
                });
            }
            Record::Exchange(exchange) => {
                self.tale.unanswered();
                self.tale.chain.take(exchange);
            }
            Record::Request(request, known) => {
                self.tale.unanswered();
                self.tale.asked = Some((at, request, known));
            }
            Record::Reply(reply, known) => match self.tale.asked.take() {
                Some((at, request, asked)) => {
                    let known = Known { latency_ms: known.latency_ms, ..asked };
                    self.tale.chain.take(Exchange { at, request, reply: Some(reply), known });
                }
                None => self.told.push_back(reject(WITHOUT_REQUEST.into())),
            },
            Record::Event => {
                self.tale.is_in_stream = true;
                if !was_in_stream {
                    self.told.push_back(reject(WITHOUT_REQUEST.into()));
                }
            }
            Record::Foreign(problem) => self.told.push_back(reject(problem)),
        }
    }
}

impl Tale {
    /// The answer of the last request was not recorded.
    fn unanswered(&mut self) {
        if let Some((at, request, known)) = self.asked.take() {
            self.chain.take(Exchange { at, request, reply: None, known });
        }
    }
}

const WITHOUT_USER: &str = "no message of a user: nobody can tell what the agent was asked";

/// The conversations that exchanges were chained to.
fn conversations(file: &Arc<Path>, chain: Chain) -> impl Iterator<Item = Result<(At, Conversation), Reject>> + use<> {
    let file = Arc::clone(file);
    chain.finish().map(move |(at, conversation)| match conversation {
        Some(conversation) => Ok((at, named_by_place(conversation, &file, at))),
        None => {
            let reason = RejectReason::Row { fault: no_interaction(WITHOUT_USER), column: None };
            Err(Reject::new(&file, at, reason, &[]))
        }
    })
}

/// Turns of a conversation that nobody named are told apart by its place.
fn named_by_place(mut conversation: Conversation, file: &Path, at: At) -> Conversation {
    if conversation.turns.len() > 1 && conversation.id.is_none() {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let id = conversation.session.clone().unwrap_or_else(|| format!("{name}:{}", at.number()));
        conversation.session.get_or_insert_with(|| id.clone());
        conversation.id = Some(id);
    }
    conversation
}

#[cfg(test)]
mod tests;
