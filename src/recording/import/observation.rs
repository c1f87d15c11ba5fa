//! What a tracer saw of a turn, piece by piece: spans of OpenTelemetry, observations of Langfuse, runs of LangSmith.
//!
//! Pieces of one trace come in any order, late, twice and from several files, so they are told apart by ids and put
//! together at the end.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::interaction::{Doubt, Extra, ModelCall};
use super::super::json::Json;
use super::super::place::{At, Reject};
use super::dialogue::Outcome;
use super::message::Message;

/// One piece of a trace.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    /// Where it stands.
    pub(super) file: Arc<Path>,
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
    pub(super) started: Option<Timestamp>,
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
    pub(super) doubts: Vec<Doubt>,
    /// What has no place elsewhere and should be kept.
    pub(super) extra: Extra,
}

/// What a piece of a trace saw.
#[derive(Clone, Debug)]
pub(super) enum ObservationKind {
    /// A turn, or the part of it that one agent did.
    Agent,
    /// One call of a model. Of several within each other the innermost is the call, the others are wrappers.
    Model(ModelCall),
    /// One call of a tool. Of several within each other that tell of the same call the innermost counts.
    Tool { id: Option<String>, arguments: Option<Json>, outcome: Option<Outcome> },
    /// A step in between.
    Other,
}

/// The pieces in a file, in order; rejects among them.
pub(super) type Observations = Box<dyn Iterator<Item = Result<Observation, Reject>> + Send>;
