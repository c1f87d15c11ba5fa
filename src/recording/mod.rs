//! What production did: [`Interaction`] and its files.
//!
//! A recording is one or many files of JSONL (plain, gzip or zstd) or Parquet, read as a stream of rows. A row that
//! cannot be read is never dropped: it becomes a [`Reject`] with its place and the reason.

mod again;
#[cfg(test)]
mod arbitrary;
mod convert;
mod counted;
mod document;
mod field;
mod find;
mod ids;
pub mod import;
pub mod inspect;
mod interaction;
mod json;
mod jsonl;
mod keys;
mod looks;
pub mod parquet;
mod place;
mod placed;
mod quarantine;
mod source;
mod spelling;
mod unread;
pub mod wire;
mod write;

pub(crate) use again::Standing;
pub use convert::{ConvertError, Converted, EachRow, convert, convert_each};
pub use counted::{counted, grouped, grouped_digits};
pub(crate) use ids::Ids;
pub use inspect::{InspectError, Inspected, inspect, inspect_each};
pub use interaction::{
    CaseId, Doubt, Effect, Extra, Interaction, ModelCall, ModelCalls, TokenClass, Tokens, ToolCall, ToolError, ToolName,
};
pub use json::{Decoded, Fault, FaultKind, Json, Key, Kind, MAX_DEPTH, check, decode_string};
pub use jsonl::MAX_LINE;
pub(crate) use keys::{Keys, bytes_key, text_key};
pub use looks::{FirstLook, SecondLook};
pub use place::{At, Place, Reject, RejectReason};
pub(crate) use placed::{PlacedFiles, Span, Spool};
pub use quarantine::{Quarantine, RejectBudget};
pub use source::{Item, Recordings, Row, Rows, SourceError};
pub(crate) use spelling::{did_you_mean, nearest_word};
pub use unread::UnreadRow;
pub use wire::RowFault;
pub use write::{Existing, RecordingWriter, WriteError, Written};
