//! One attempt at a case: what the target did and how it ended.

use std::fmt;

use super::ledger::Ledger;
use crate::recording::Interaction;

/// What one attempt at a case came to.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Which attempt at its case, counted from 1.
    pub number: u32,
    /// What the target did, in the form of a recording.
    pub seen: Interaction,
    /// How it ended.
    pub ended: Ended,
    /// How long it took.
    pub latency: Latency,
    /// How its tool calls were answered.
    pub ledger: Ledger,
    /// What came after the end, or beside the protocol.
    pub aftermath: Aftermath,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With a reply.
    Replied,
    /// Without one.
    Failed(Failure),
}

/// Why an attempt has no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What is known of it.
    pub message: String,
}

/// The kinds of failure. A setup that could not be made is the harness's matter, the rest is the target's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The start state could not be made, or there is nothing to stand in for the run.
    Setup,
    /// The target said that it failed.
    Reported,
    /// The target did not answer before the deadline.
    Deadline,
    /// The target ended.
    Exited,
    /// The target broke the protocol.
    Protocol,
    /// The target could not be reached.
    Unreachable,
    /// A call had no recording, and the miss policy is to stop.
    Aborted,
}

impl FailureKind {
    /// Its words in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FailureKind::Setup => "setup failed",
            FailureKind::Reported => "the target failed",
            FailureKind::Deadline => "no reply before the deadline",
            FailureKind::Exited => "the target ended",
            FailureKind::Protocol => "the target broke the protocol",
            FailureKind::Unreachable => "the target could not be reached",
            FailureKind::Aborted => "stopped at a call that has no recording",
        }
    }
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind.as_str())?;
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}

/// How long an attempt took, and where the figure comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latency {
    /// Milliseconds from the input to the reply, where known.
    pub ms: Option<f64>,
    /// Where it comes from.
    pub source: LatencySource,
}

/// Where a time comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LatencySource {
    /// By the clock, the tools answering for real.
    #[default]
    Measured,
    /// By the clock, but the tools were stubbed and took no time.
    Stubbed,
    /// Out of a recording.
    Recorded,
}

/// What a target did beside and after its reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aftermath {
    /// The end of what it wrote to standard error.
    pub stderr: String,
    /// What it did against the protocol, a sentence each.
    pub violations: Vec<String>,
}
