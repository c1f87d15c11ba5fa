//! An interaction as one JSON object, read and written without loss.
//!
//! What a type cannot hold exactly goes to `extra` and comes back from there, so the rule for every field is the
//! same: read it, write it again in mind, and keep the text where the two differ.

mod read;
mod usage;
mod value;
mod write;

use super::json::{Fault, Json, Kind};

pub(super) use read::{CallReader, InteractionReader};
pub(super) use value::{Value, float_text};
pub(super) use write::{call_value, extra_text, model_calls_detail, tokens_text, value};

pub use read::{read, read_part};
pub use usage::{Usage, read_usage};
pub use write::{write, write_call};

/// Why a line or row is no interaction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowFault {
    /// It is no JSON, or JSON that cannot be relied on.
    #[error("{0}")]
    Json(#[from] Fault),
    /// A column that should hold JSON text does not.
    #[error("{path:?} is no JSON: {fault} (byte {})", fault.offset + 1)]
    Column {
        /// Which column, as `tool_calls[2].arguments`.
        path: String,
        /// What is wrong with its text.
        fault: Fault,
    },
    /// It is JSON, but no object.
    #[error("an interaction is an object, this is {0}")]
    NotAnObject(Kind),
    /// A field that must be there is not.
    #[error("no {0:?}: every interaction needs one")]
    Missing(&'static str),
    /// A field of a part that must be there is not.
    #[error("no {0:?}")]
    MissingPart(String),
    /// A field that must say something is blank.
    #[error("{0:?} is blank")]
    Blank(String),
    /// A field has the wrong type.
    #[error("{path:?} should be {wanted}, this is {found}")]
    Wrong {
        /// Which field, as `toolCalls[2].name`.
        path: String,
        /// What it should be.
        wanted: &'static str,
        /// What it is.
        found: Kind,
    },
    /// The bytes are no UTF-8 text.
    #[error("{0}")]
    Encoding(String),
    /// It is something else, which a foreign format keeps beside interactions.
    #[error("{0}")]
    NoInteraction(String),
}

impl RowFault {
    /// Where in the row's text the fault is, in bytes, if it has a place.
    pub(super) fn offset(&self, row: Option<&Json>) -> Option<usize> {
        match self {
            RowFault::Json(fault) => Some(fault.offset),
            RowFault::Blank(path) | RowFault::MissingPart(path) | RowFault::Wrong { path, .. } => {
                find(row?, path).map(|value| value.offset())
            }
            RowFault::Column { .. }
            | RowFault::NotAnObject(_)
            | RowFault::Missing(_)
            | RowFault::Encoding(_)
            | RowFault::NoInteraction(_) => None,
        }
    }
}

/// The value at a path such as `toolCalls[2].name`; where it is not there, what should hold it.
fn find(row: &Json, path: &str) -> Option<Json> {
    let mut value = row.clone();
    for step in path.split(['.', '[']) {
        let next = match step.strip_suffix(']') {
            Some(index) => value.items()?.into_iter().nth(index.parse().ok()?),
            None => value.member(step),
        };
        match next {
            Some(next) => value = next,
            None => break,
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests;
