//! Where a row stands in a recording, and why it was turned away.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::interaction::CaseId;
use super::wire::RowFault;

/// Where a row stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as it was named.
    pub file: Arc<Path>,
    /// Where in the file.
    pub at: At,
}

/// Where in a file a row stands. Numbers count from 1, offsets from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// A line of JSONL, blank lines counted.
    Line {
        /// The line.
        number: u64,
        /// The byte it starts at, in the uncompressed text.
        offset: u64,
    },
    /// A value in a JSON document that is no JSONL (a list, or pretty-printed objects).
    Value {
        /// Which value.
        number: u64,
        /// The byte it starts at.
        offset: u64,
    },
    /// A row of Parquet.
    Row {
        /// The row group.
        group: u64,
        /// The row in the file.
        number: u64,
    },
}

impl At {
    /// The number that an interaction without an id is named by.
    #[must_use]
    pub fn number(self) -> u64 {
        match self {
            At::Line { number, .. } | At::Value { number, .. } | At::Row { number, .. } => number,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match self.at {
            At::Line { number, .. } => write!(f, "{file}:{number}"),
            At::Value { number, .. } => write!(f, "{file}, value {number}"),
            At::Row { group, number } => write!(f, "{file}, row group {group}, row {number}"),
        }
    }
}

/// A row that is no interaction: where it stands, why, and what it says.
#[derive(Clone, Debug)]
pub struct Reject {
    /// Where it stands.
    pub place: Place,
    /// Why it was turned away.
    pub reason: RejectReason,
    /// The row as it was, where it could be had.
    pub raw: Vec<u8>,
}

/// Why a row was turned away.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RejectReason {
    /// It is no interaction.
    #[error("{fault}")]
    Row {
        /// What is wrong.
        fault: RowFault,
        /// The column of the line, counted in characters from 1, where the fault has a place.
        column: Option<u64>,
    },
    /// The last line has no end and is cut off: whoever wrote it was stopped.
    #[error("the last line is cut off: its writer was stopped before the line's end")]
    Torn,
    /// An earlier row has the same id.
    #[error("the id {:?} was used before, at {first}", id.as_str())]
    DuplicateId {
        /// The id.
        id: CaseId,
        /// The row that had it first.
        first: Place,
    },
    /// The line is longer than what is read at once.
    #[error("the line is longer than {limit} bytes")]
    TooLong {
        /// The bound.
        limit: u64,
    },
    /// These rows and those after them in the row group cannot be read.
    #[error("{rows} rows from here on cannot be read: {problem}")]
    LostRows {
        /// How many.
        rows: u64,
        /// Why.
        problem: String,
    },
    /// The rest of the file cannot be read.
    #[error("the rest of the file cannot be read: {0}")]
    Unreadable(String),
}

impl RejectReason {
    /// Whether it is a line that was being written when its writer was stopped, which is no corruption.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        matches!(self, RejectReason::Torn)
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            RejectReason::Row { column: Some(column), .. } => write!(f, "{}:{column}: {}", self.place, self.reason),
            _ => write!(f, "{}: {}", self.place, self.reason),
        }
    }
}

impl Reject {
    /// How many rows were lost. The rest of a file that cannot be read counts as one: nobody knows what it held.
    #[must_use]
    pub fn rows(&self) -> u64 {
        match self.reason {
            RejectReason::LostRows { rows, .. } => rows,
            _ => 1,
        }
    }

    /// A row of the file that could not be read.
    pub(super) fn new(file: &Arc<Path>, at: At, reason: RejectReason, raw: &[u8]) -> Self {
        Self { place: Place { file: Arc::clone(file), at }, reason, raw: raw.to_vec() }
    }
}

/// The name of a file without folders and without what its endings say of its format.
pub(super) fn stem(file: &Path) -> String {
    let mut name = PathBuf::from(file.file_name().unwrap_or_default());
    while name
        .extension()
        .is_some_and(|ending| ["gz", "zst", "jsonl", "ndjson", "json", "parquet"].iter().any(|known| ending == *known))
    {
        name.set_extension("");
    }
    name.display().to_string()
}
