//! What a tracer saw of a turn, piece by piece: spans of OpenTelemetry, observations of Langfuse, runs of LangSmith.
//!
//! Pieces of one trace come in any order, late, twice and from several files, so they are told apart by ids and put
//! together at the end.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::interaction::{Doubt, Extra, ModelCall};
use super::super::json::Json;
use super::super::place::{At, Reject};
use super::dialects;
use super::dialogue::Outcome;
use super::message::Message;
use super::stored;

/// One piece of a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Observation {
    /// Where it stands.
    #[serde(skip, default = "stored::no_file")]
    pub(super) file: Arc<Path>,
    #[serde(with = "stored::AtForm")]
    pub(super) at: At,
    /// The trace that it is a piece of.
    pub(super) trace: String,
    /// Unique within the trace; one that comes again with it is the same piece, sent twice.
    pub(super) id: String,
    /// The piece that it happened in.
    pub(super) parent: Option<String>,
    /// What it saw.
    pub(super) kind: ObservationKind,
    /// The tool, the agent, or what else it is called by.
    pub(super) name: String,
    #[serde(with = "stored::instant")]
    pub(super) started: Option<Timestamp>,
    #[serde(with = "stored::instant")]
    pub(super) ended: Option<Timestamp>,
    /// The conversation, where this piece names it.
    pub(super) session: Option<String>,
    /// What went in: the messages that a model was asked with, what an agent or a chain was given.
    pub(super) input: Vec<Message>,
    /// What came out: a model's answer, an agent's last words.
    pub(super) output: Vec<Message>,
    /// Why it failed, where it did.
    pub(super) error: Option<Json>,
    /// What is doubtful in it.
    #[serde(with = "stored::doubts")]
    pub(super) doubts: Vec<Doubt>,
    /// What has no place elsewhere and should be kept.
    #[serde(with = "stored::extra")]
    pub(super) extra: Extra,
}

impl Observation {
    /// A piece of which nothing else is known.
    pub(super) fn new(file: &Arc<Path>, at: At, trace: String, id: String) -> Self {
        Self {
            file: Arc::clone(file),
            at,
            trace,
            id,
            parent: None,
            kind: ObservationKind::Other,
            name: String::new(),
            started: None,
            ended: None,
            session: None,
            input: Vec::new(),
            output: Vec::new(),
            error: None,
            doubts: Vec::new(),
            extra: Vec::new(),
        }
    }

    /// With what another record of the same piece tells and this one does not.
    pub(super) fn filled_from(mut self, other: Observation) -> Self {
        self.kind = dialects::both(self.kind, other.kind);
        if self.name.is_empty() {
            self.name = other.name;
        }
        if self.input.is_empty() {
            self.input = other.input;
        }
        if self.output.is_empty() {
            self.output = other.output;
        }
        self.started = self.started.or(other.started);
        self.ended = self.ended.or(other.ended);
        self.session = self.session.or(other.session);
        self.error = self.error.or(other.error);
        self.extra.extend(other.extra);
        self
    }
}

/// What a piece of a trace saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum ObservationKind {
    /// A turn, or the part of it that one agent did.
    Agent,
    /// A turn that one or several agents work on, and no agent itself.
    Workflow,
    /// One call of a model. Of several within each other the innermost is the call, the others are wrappers.
    Model(#[serde(with = "stored::ModelCallForm")] ModelCall),
    /// One call of a tool. Of several within each other that tell of the same call the innermost counts.
    Tool { id: Option<String>, arguments: Option<Json>, outcome: Option<Outcome> },
    /// The results of several calls told once more, all in one. The calls have pieces of their own.
    Merged,
    /// A step in between.
    Other,
    /// Messages of the piece that has the same id, recorded beside it (as a log record is). All such parts count.
    Part,
}

/// The pieces in a file, in order; rejects among them.
pub(super) type Observations = Box<dyn Iterator<Item = Result<Observation, Reject>> + Send>;
