//! Which sequences of tools appeared and which vanished, over many cases.

mod tally;
mod told_once;

use serde::{Deserialize, Serialize};

pub(in crate::verdict) use tally::SequenceTally;

use super::row::AttemptRow;
use crate::recording::ToolName;

/// A sequence of tools that is on one side only, in all cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SequenceChange {
    /// Whether it is new or gone.
    pub change: Came,
    /// The tools, one after the other.
    pub tools: Vec<ToolName>,
    /// Whether it is all that an attempt called, or a part of it.
    pub extent: Extent,
    /// In how many cases it is, on the side that has it.
    pub cases: u64,
    /// The traffic that these cases stand for.
    pub traffic: f64,
    /// The first of them.
    pub example: String,
}

/// Which side has what the other has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Came {
    /// The second: it is new.
    Appeared,
    /// The first: it is gone.
    Vanished,
}

/// How much of an attempt's calls a sequence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// One to three calls, one right after the other.
    Part,
    /// All calls.
    Whole,
}

/// Which sequences of tools appeared and which vanished.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sequences {
    /// Attempts of which both sides are known.
    pub compared: u64,
    /// Attempts of which a side is not known, or that did not come to their end.
    pub unknown: u64,
    /// Attempts of which only the first calls are known.
    pub cut: u64,
    /// Sequences that changed as one within them did, in the same cases. They are not listed.
    pub explained: u64,
    /// How often there was a sequence that is not counted, as there were too many different ones.
    pub left_out: u64,
    /// What appeared and what vanished, what is in most cases first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub changes: Vec<SequenceChange>,
}

/// What of a case a sequence is counted with.
#[derive(Clone, Copy, Debug)]
pub(in crate::verdict) struct Counted<'a> {
    /// Its number: each case has another.
    pub(in crate::verdict) number: u64,
    /// Its id.
    pub(in crate::verdict) id: &'a str,
    /// The traffic that it stands for.
    pub(in crate::verdict) weight: f64,
}

/// The sequences of an attempt, on both sides.
#[derive(Clone, Copy, Debug)]
pub(in crate::verdict) struct BothSides<'a> {
    /// On the first; `None` where it is not known.
    pub(in crate::verdict) before: Option<&'a [ToolName]>,
    /// On the second.
    pub(in crate::verdict) after: Option<&'a [ToolName]>,
    /// How much of what was called they are.
    pub(in crate::verdict) known: Known,
}

/// How much of what an attempt called is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Known {
    /// All of it.
    Whole,
    /// The first calls.
    Beginning,
    /// What came before it broke off: it might have called more.
    BrokenOff,
}

impl BothSides<'_> {
    /// The recorded calls of an attempt and those of the run.
    pub(in crate::verdict) fn of(row: &AttemptRow) -> BothSides<'_> {
        BothSides { before: row.tools.recorded(), after: row.tools.seen(), known: Known::of(row) }
    }
}

impl Known {
    /// How much an attempt tells of its calls.
    pub(in crate::verdict) fn of(row: &AttemptRow) -> Self {
        match (&row.failure, row.tools.is_cut()) {
            (Some(_), _) => Known::BrokenOff,
            (None, true) => Known::Beginning,
            (None, false) => Known::Whole,
        }
    }
}
