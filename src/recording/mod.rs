//! What production did: [`Interaction`] and its files.
//!
//! A recording is one or many files of JSONL (plain, gzip or zstd) or Parquet, read as a stream of rows. A row that
//! cannot be read is never dropped: it becomes a [`Reject`] with its place and the reason.

#[cfg(test)]
mod arbitrary;
mod convert;
mod document;
mod field;
mod find;
pub mod import;
pub mod inspect;
mod interaction;
mod json;
mod jsonl;
pub mod parquet;
mod place;
mod quarantine;
mod source;
pub mod wire;
mod write;

pub use convert::{ConvertError, Converted, convert};
pub use inspect::{InspectError, Inspected, inspect};
pub use interaction::{
    CaseId, Doubt, Effect, Extra, Interaction, ModelCall, ModelCalls, TokenClass, Tokens, ToolCall, ToolError, ToolName,
};
pub use json::{Decoded, Fault, FaultKind, Json, Key, Kind, MAX_DEPTH, check, decode_string};
pub use jsonl::MAX_LINE;
pub use place::{At, Place, Reject, RejectReason};
pub use quarantine::{Quarantine, RejectBudget};
pub use source::{Item, Recordings, Row, Rows, SourceError};
pub use wire::RowFault;
pub use write::{Existing, RecordingWriter, WriteError, Written};
