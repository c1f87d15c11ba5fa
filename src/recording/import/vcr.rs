//! Cassettes of vcrpy: HTTP exchanges with models, as YAML.
//!
//! A cassette holds all that a test sent, so what is no call of a model is passed over; where nothing else is in it, the
//! file is turned away with what was found.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::super::json::Json;
use super::super::place::{At, Reject, RejectReason};
use super::captures::body::{body, server_time, shown};
use super::captures::http::header;
use super::captures::yaml::{YamlFault, YamlItems};
use super::captures::{HttpExchange, Traffic};
use super::conversation::Conversation;
use super::fields::{as_count, below, first_member, member};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::opening::Opening;
use super::values::{keys, no_interaction};

pub(super) const FORMAT: Format = Format {
    name: "vcr",
    about: "cassettes of vcrpy (YAML) with calls of models",
    grain: Grain::Turn,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let text = opening.text();
    let is_at_line = |word: &str| text.starts_with(word) || text.contains(&format!("\n{word}"));
    let is_cassette = is_at_line("interactions:") && (text.contains("request") || text.contains("kind:"));
    is_cassette.then(|| Sign::Sure("it has the `interactions` of a cassette".into()))
}

fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let mut items = YamlItems::new(source.text, "interactions").peekable();
    if items.peek().is_none() {
        return Err(NotThisFormat {
            problem: "it has no list `interactions` with anything in it".into(),
            help: Some("a cassette of vcrpy is YAML with `interactions`, each a `request` and a `response`".into()),
        });
    }
    // What comes later may go on with any conversation, so all is read before anything is told.
    let cassette = Cassette::read(&file, items);
    Ok(Box::new(cassette.told(&file)))
}

/// What is in a cassette.
#[derive(Default)]
struct Cassette {
    traffic: Traffic,
    rejects: Vec<Reject>,
    /// What is no call of a model, and how often.
    others: BTreeMap<String, u64>,
}

impl Cassette {
    fn read(file: &Arc<Path>, items: impl Iterator<Item = Result<(u64, Json), YamlFault>>) -> Self {
        let mut cassette = Self::default();
        for item in items {
            match item {
                Ok((line, item)) => {
                    // The place of an item is the line it starts at; a stream knows no offsets.
                    let at = At::Line { number: line, offset: 0 };
                    if let Err(problem) = cassette.take(at, &item) {
                        cassette.rejects.push(reject(file, at, problem, &item));
                    }
                }
                Err(YamlFault { line, problem }) => {
                    let reason = RejectReason::Unreadable(format!("line {line}: {problem}"));
                    cassette.rejects.push(Reject::new(file, At::Line { number: line, offset: 0 }, reason, &[]));
                }
            }
        }
        cassette
    }

    fn take(&mut self, at: At, item: &Json) -> Result<(), String> {
        let Some(request) = member(item, "request") else {
            if !self.take_call(at, item) {
                *self.others.entry(foreign(item)).or_default() += 1;
            }
            return Ok(());
        };
        let response = member(item, "response").unwrap_or_else(Json::null);
        let headers = member(&response, "headers").unwrap_or_else(Json::null);
        let sent = body(&request)?;
        let exchange = HttpExchange {
            at,
            address: first_member(&request, &["uri", "url"]).map(|it| it.shown().into_owned()).unwrap_or_default(),
            sent,
            status: below(&response, &["status", "code"]).and_then(|code| as_count(&code)),
            date: header(&headers, "date"),
            latency_ms: server_time(&headers),
        };
        if exchange.asks_a_model() || self.traffic.has_promised() {
            let received = body(&response)?;
            if self.traffic.take(exchange, received.as_ref()) {
                return Ok(());
            }
        }
        *self.others.entry(shown(&request)).or_default() += 1;
        Ok(())
    }

    /// A call over gRPC, as pydantic-ai's recorder keeps those of xAI. `false` where it is something else.
    fn take_call(&mut self, at: At, item: &Json) -> bool {
        let sent = below(item, &["request_sample", "json"]);
        let received = below(item, &["response_sample", "json"]);
        let exchange = HttpExchange { at, address: String::new(), sent, status: None, date: None, latency_ms: None };
        exchange.asks_a_model() && self.traffic.take(exchange, received.as_ref())
    }

    /// The conversations, each where it began, and what was turned away.
    fn told(self, file: &Arc<Path>) -> impl Iterator<Item = Result<(At, Conversation), Reject>> + use<> {
        let Cassette { traffic, mut rejects, others } = self;
        let mut told: Vec<_> = traffic.conversations(file).collect();
        if told.is_empty() && rejects.is_empty() {
            let found: Vec<String> = others.iter().take(5).map(|(what, count)| format!("{what} ({count})")).collect();
            let problem = format!("no call of a model that can be read; it holds {}", found.join(", "));
            let at = At::Line { number: 1, offset: 0 };
            rejects.push(reject(file, at, problem, &Json::null()));
        } else if let Some(Ok((_, conversation))) = told.first_mut()
            && let Some(turn) = conversation.turns.first_mut()
            && !others.is_empty()
        {
            turn.it
                .extra
                .push(("vcr".into(), Json::trusted(format!("{{\"otherExchanges\":{}}}", Json::of(&others).text()))));
        }
        rejects.into_iter().map(Err).chain(told)
    }
}

/// What an item is that is no HTTP exchange.
fn foreign(item: &Json) -> String {
    if first_member(item, &["request_sample", "request_stream"]).is_some() {
        "a stream over gRPC".to_owned()
    } else if member(item, "direction").is_some() {
        "a message over a WebSocket".to_owned()
    } else {
        format!("an item with {}", keys(item))
    }
}

fn reject(file: &Arc<Path>, at: At, problem: String, item: &Json) -> Reject {
    let reason = RejectReason::Row { fault: no_interaction(problem), column: None };
    Reject::new(file, at, reason, item.text().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &str = "interactions:
- request:
    method: POST
    uri: https://api.openai.com/v1/chat/completions
    body: '{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}'
    headers: {}
  response:
    status: {code: 429, message: Too Many Requests}
    headers:
      retry-after: ['1']
    body: {string: '{\"error\":{\"message\":\"slow down\"}}'}
- request:
    method: GET
    uri: https://example.com/picture.png
    body: null
    headers: {}
  response:
    status: {code: 200, message: OK}
    headers: {}
    body: {string: !!binary iVBORw==}
- request:
    method: POST
    uri: https://api.openai.com/v1/chat/completions
    body: '{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}'
    headers: {}
  response:
    status: {code: 200, message: OK}
    headers:
      openai-processing-ms: ['120']
      date: ['Thu, 01 Jan 2026 00:00:05 GMT']
    body: {string: '{\"id\":\"c-1\",\"model\":\"m-1\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"b\"}}]}'}
";

    fn import(text: &str) -> Vec<Result<(At, Conversation), Reject>> {
        read(SourceText::of("x.yaml", text)).map_err(|error| error.problem).unwrap().collect()
    }

    #[test]
    fn a_retry_is_one_call_more_of_the_same_conversation() {
        let (_, conversation) = import(ASKED).pop().unwrap().unwrap();
        let it = conversation.interactions(Grain::Turn).pop().unwrap();
        assert_eq!((it.input.text(), it.output.unwrap().text()), ("\"a\"", "\"b\""));
        let super::super::super::interaction::ModelCalls::List(calls) = it.model_calls.unwrap() else { panic!() };
        assert_eq!((calls.len(), calls[0].extra[0].1.text()), (2, "\"HTTP 429: slow down\""));
        assert_eq!((calls[1].latency_ms, it.failure), (Some(120.0), None));
        assert_eq!(it.id.unwrap().as_str(), "c-1");
        assert_eq!(it.extra[0].1.text(), r#"{"otherExchanges":{"GET example.com/picture.png":1}}"#);
    }

    #[test]
    fn a_cassette_that_is_cut_anywhere_does_no_harm() {
        for end in (0..ASKED.len()).filter(|end| ASKED.is_char_boundary(*end)) {
            if let Ok(found) = read(SourceText::of("x.yaml", &ASKED[..end])) {
                assert!(found.count() <= 2, "{end}");
            }
        }
    }

    #[test]
    fn a_cassette_without_models_says_what_it_holds() {
        let text =
            "interactions:\n- request: {method: GET, uri: 'https://example.com/x?y', body: null}\n  response: {}\n";
        let reject = import(text).pop().unwrap().unwrap_err();
        assert!(reject.to_string().contains("GET example.com/x (1)"), "{reject}");
        assert!(read(SourceText::of("x.yaml", "a: 1")).is_err());
    }
}
