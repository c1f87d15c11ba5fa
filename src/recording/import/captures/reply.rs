//! What a provider gave back: an answer, whole or as a stream, or an error.

use jiff::Timestamp;

use super::super::super::interaction::Doubt;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::Answer;
use super::super::fields::{below, first_member, instant, member, text};
use super::super::messages::Dialect;
use super::super::messages::streams::{Ending, Events, Streamed, put_together};
use super::event_stream;

/// What came back.
#[derive(Debug)]
pub(super) enum Reply {
    /// An answer.
    Answered(Box<Answered>),
    /// A promise of an answer that is asked for later, by this id.
    Pending(String),
    /// No answer, and why.
    Failed(String),
}

/// An answer and what came with it.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) answer: Answer,
    /// The provider's id of it.
    pub(super) id: Option<String>,
    pub(super) ending: Ending,
    pub(super) created: Option<Timestamp>,
}

impl Answered {
    /// A whole answer of which nothing else is known.
    pub(super) fn whole(answer: Answer) -> Self {
        Self { answer, id: None, ending: Ending::Whole, created: None }
    }

    /// What is doubtful in it beside its tokens.
    pub(super) fn doubt(&self) -> Option<Doubt> {
        let problem = match self.ending {
            Ending::Whole => return None,
            Ending::Cut => "the stream ended before the answer did",
            Ending::CutInCall => "the stream ended within the arguments of a call",
        };
        Some(Doubt { path: "output".into(), problem: problem.into() })
    }
}

impl Reply {
    /// When the provider says that it answered.
    pub(super) fn created(&self) -> Option<Timestamp> {
        match self {
            Reply::Answered(answered) => answered.created,
            Reply::Pending(_) | Reply::Failed(_) => None,
        }
    }

    /// Reads the body of a response with its HTTP status, where it has one. `None` where it is no answer of a model.
    pub(super) fn read(body: &Json, status: Option<u64>) -> Option<Self> {
        let failed = |why: Option<String>| {
            let status = status.filter(|status| *status >= 400).map(|status| format!("HTTP {status}"));
            let told: Vec<String> = [status, why].into_iter().flatten().collect();
            Reply::Failed(if told.is_empty() { "the provider gave an error".into() } else { told.join(": ") })
        };
        let is_refused = status.is_some_and(|status| status >= 400);
        match body.kind() {
            Kind::String => {
                let text = body.as_str().unwrap_or_default();
                match Json::parse(text.trim()) {
                    Ok(json) if matches!(json.kind(), Kind::Object | Kind::Array) => Self::read(&json, status),
                    _ if is_refused => Some(failed(None)),
                    _ => Self::of_stream(&event_stream::read(&text)),
                }
            }
            Kind::Array => {
                let items = body.items().unwrap_or_default();
                let error = items.iter().find_map(error);
                match error.filter(|_| is_refused || items.len() == 1) {
                    Some(why) => Some(failed(Some(why))),
                    None => Self::of_stream(&Events { events: items, is_marked_done: false }),
                }
            }
            Kind::Object => match error(body) {
                Some(why) => Some(failed(Some(why))),
                None if is_refused => Some(failed(text(body, "message"))),
                None => Self::of_object(body),
            },
            _ if is_refused => Some(failed(None)),
            _ => None,
        }
    }

    fn of_object(body: &Json) -> Option<Self> {
        let id = first_member(body, &["id", "responseId", "response_id"]).map(|id| id.shown().into_owned());
        let id = id.filter(|id| !id.is_empty());
        let dialect = whose(body)?;
        if dialect == Dialect::OpenAiResponses
            && let Some("queued" | "in_progress") = text(body, "status").as_deref()
        {
            return id.map(Reply::Pending);
        }
        let answer = dialect.answer(body)?;
        Some(Reply::Answered(Box::new(Answered { answer, id, ending: Ending::Whole, created: created(body) })))
    }

    /// The answer that the events of a stream are.
    pub(super) fn of_stream(events: &Events) -> Option<Self> {
        let Streamed { answer, id, ending, failure } = put_together(events)?;
        if let Some(why) = failure {
            return Some(Reply::Failed(why));
        }
        let created = events.events.iter().find_map(created);
        Some(Reply::Answered(Box::new(Answered { answer, id, ending, created })))
    }
}

/// Whose answer this is.
pub(super) fn whose(body: &Json) -> Option<Dialect> {
    let is = |key: &str, value: &str| text(body, key).is_some_and(|it| it == value);
    let is_list = |key: &str| member(body, key).is_some_and(|list| list.kind() == Kind::Array);
    if is_list("choices") {
        Some(Dialect::OpenAiChat)
    } else if is("object", "response") || (is_list("output") && first_member(body, &["status", "usage"]).is_some()) {
        Some(Dialect::OpenAiResponses)
    } else if is_list("content") && (is("type", "message") || is("role", "assistant")) {
        Some(Dialect::Anthropic)
    } else if first_member(body, &["candidates", "usageMetadata", "usage_metadata", "promptFeedback"]).is_some() {
        Some(Dialect::Gemini)
    } else if below(body, &["output", "message", "content"]).is_some() {
        Some(Dialect::Bedrock)
    } else if is_list("outputs") && first_member(body, &["usage", "settings"]).is_some() {
        Some(Dialect::Xai)
    } else if below(body, &["message", "role"]).is_some() {
        // Cohere and Ollama answer with one message.
        Some(Dialect::OpenAiChat)
    } else {
        None
    }
}

/// What an error says.
fn error(body: &Json) -> Option<String> {
    let error = member(body, "error")?;
    let kind = || text(&error, "type").or_else(|| text(&error, "code"));
    let message = text(&error, "message").or_else(|| error.as_str().map(|text| text.into_owned()));
    Some(message.or_else(kind).unwrap_or_else(|| error.text().to_owned()))
}

/// When a provider says that it made an answer.
fn created(body: &Json) -> Option<Timestamp> {
    let body = member(body, "response").unwrap_or_else(|| body.clone());
    let written = first_member(&body, &["created", "created_at", "createTime", "create_time"])?;
    match written.kind() {
        Kind::Number => Timestamp::from_second(written.text().split('.').next()?.parse().ok()?).ok(),
        _ => instant(&written.shown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(body: &str, status: Option<u64>) -> Option<Reply> {
        Reply::read(&Json::parse(body).unwrap(), status)
    }

    #[test]
    fn errors_say_why() {
        let why = |body: &str, status| match reply(body, status) {
            Some(Reply::Failed(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(r#"{"error":{"message":"slow down"}}"#, Some(429)), "HTTP 429: slow down");
        assert_eq!(why(r#"[{"error":{"code":503,"message":"overloaded"}}]"#, Some(503)), "HTTP 503: overloaded");
        assert_eq!(why(r#"{"type":"error","error":{"type":"overloaded_error"}}"#, None), "overloaded_error");
        assert_eq!(why("\"<html>\"", Some(502)), "HTTP 502");
        assert_eq!(why(r#"{"message":"no such model"}"#, Some(400)), "HTTP 400: no such model");
    }

    #[test]
    fn answers_are_known_by_their_shape() {
        let whose = |body: &str| whose(&Json::parse(body).unwrap());
        assert_eq!(whose(r#"{"choices":[]}"#), Some(Dialect::OpenAiChat));
        assert_eq!(whose(r#"{"object":"response","output":[]}"#), Some(Dialect::OpenAiResponses));
        assert_eq!(whose(r#"{"type":"message","content":[]}"#), Some(Dialect::Anthropic));
        assert_eq!(whose(r#"{"usageMetadata":{}}"#), Some(Dialect::Gemini));
        assert_eq!(whose(r#"{"output":{"message":{"content":[]}}}"#), Some(Dialect::Bedrock));
        assert_eq!(whose(r#"{"message":{"role":"assistant"}}"#), Some(Dialect::OpenAiChat));
        assert_eq!(whose(r#"{"data":[{"embedding":[]}]}"#), None);
    }

    #[test]
    fn a_body_that_is_a_text_is_read_as_what_it_holds() {
        let stream = r#""data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n""#;
        let Some(Reply::Answered(answered)) = reply(stream, Some(200)) else { panic!() };
        assert_eq!((answered.ending, answered.doubt().is_some()), (Ending::Cut, true));
        assert!(matches!(reply(r#""{\"choices\":[]}""#, None), Some(Reply::Answered(_))));
        let pending = reply(r#"{"id":"r","object":"response","status":"queued","output":[]}"#, None);
        assert!(matches!(pending, Some(Reply::Pending(id)) if id == "r"));
        assert!(reply("\"hello\"", None).is_none());
    }
}
