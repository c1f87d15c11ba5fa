//! HTTP exchanges of any kind, of which those with models are chained to conversations.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::super::json::Json;
use super::super::super::place::{At, Reject};
use super::super::conversation::Conversation;
use super::chain::Chain;
use super::http::{model_of, request_in};
use super::reply::Reply;
use super::{Exchange, Known, conversations};

/// One HTTP exchange, without what came back.
pub(in crate::recording::import) struct HttpExchange {
    pub(in crate::recording::import) at: At,
    pub(in crate::recording::import) address: String,
    pub(in crate::recording::import) sent: Option<Json>,
    pub(in crate::recording::import) status: Option<u64>,
    /// When it was answered, as a header has it.
    pub(in crate::recording::import) date: Option<String>,
    /// How long the provider took.
    pub(in crate::recording::import) latency_ms: Option<f64>,
}

impl HttpExchange {
    /// Whether it was sent to a model.
    pub(in crate::recording::import) fn asks_a_model(&self) -> bool {
        self.sent.as_ref().and_then(request_in).is_some()
    }

    fn known(&self) -> Known {
        let date = self.date.as_deref().and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
        Known { at: date.map(|date| date.timestamp()).filter(is_told), latency_ms: self.latency_ms, ..Known::default() }
    }
}

/// Recorders that hide times write the beginning of all time.
fn is_told(at: &Timestamp) -> bool {
    at.as_second() > 0
}

/// The exchanges with models among others.
#[derive(Default)]
pub(in crate::recording::import) struct Traffic {
    chain: Chain,
}

impl Traffic {
    /// Takes an exchange; `false` where it is none with a model.
    pub(in crate::recording::import) fn take(&mut self, exchange: HttpExchange, received: Option<&Json>) -> bool {
        let known = exchange.known();
        let reply = received.and_then(|body| Reply::read(body, exchange.status)).or_else(|| {
            let status = exchange.status.filter(|status| *status >= 400)?;
            Some(Reply::Failed(format!("HTTP {status}")))
        });
        let Some(reply) = reply else { return false };
        match exchange.sent.as_ref().and_then(request_in) {
            Some(mut request) => {
                request.model = request.model.or_else(|| model_of(&exchange.address));
                self.chain.take(Exchange { at: exchange.at, request, reply: Some(reply), known });
                true
            }
            None => self.chain.arrived(reply, &known),
        }
    }

    /// Whether an answer was promised that has not come.
    pub(in crate::recording::import) fn has_promised(&self) -> bool {
        self.chain.has_promised()
    }

    /// The conversations in the order they began.
    pub(in crate::recording::import) fn conversations(
        self,
        file: &Arc<Path>,
    ) -> impl Iterator<Item = Result<(At, Conversation), Reject>> + use<> {
        conversations(file, self.chain)
    }
}
