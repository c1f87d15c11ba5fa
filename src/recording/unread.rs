//! Rows that were found and are not read yet: finding them is work for one, reading them can be shared.

use std::path::Path;
use std::sync::Arc;

use super::interaction::{CaseId, Interaction};
use super::jsonl;
use super::place::{At, Place, Reject, RejectReason};
use super::placed::Span;
use super::source::{Item, Row, SourceFile, open};

/// What a format's reader finds at a place.
#[derive(Debug)]
pub(crate) enum Content {
    /// The text of a row.
    Text {
        /// Its bytes, as they are.
        bytes: Vec<u8>,
        /// How it ends.
        end: LineEnd,
    },
    /// A row that could not be found without reading it.
    Read(Box<Interaction>),
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// With a line break.
    Whole,
    /// With the file: its writer may have been stopped.
    Open,
}

impl Content {
    /// Reads it.
    pub(super) fn read(self, file: &Arc<Path>, at: At) -> Result<(At, Interaction), Reject> {
        match self {
            Content::Read(interaction) => Ok((at, *interaction)),
            Content::Text { bytes, end } => {
                let row = jsonl::interaction(file, at, &bytes);
                if end == LineEnd::Open { row.map_err(jsonl::torn_if_cut) } else { row }
            }
        }
    }
}

/// A row as a reader of a format finds it.
pub(super) type Found = Result<(At, Content), Reject>;

/// A row that was found and is not read yet.
#[derive(Debug)]
pub struct UnreadRow {
    files: Arc<[SourceFile]>,
    file: usize,
    at: At,
    content: Content,
}

impl UnreadRow {
    /// Reads it.
    ///
    /// # Errors
    /// [`Reject`] when it is no interaction.
    pub fn read(self) -> Item {
        let file = &self.files[self.file];
        let (at, interaction) = self.content.read(&file.shown, self.at)?;
        let id = interaction.id.clone().unwrap_or_else(|| {
            let number = at.number();
            CaseId::new(match self.files.len() {
                1 => format!("replay-{number}"),
                _ => format!("{}/replay-{number}", file.name),
            })
        });
        Ok(Row { place: Place { file: Arc::clone(&file.shown), at }, id, interaction })
    }

    /// Where its bytes stand, where they can be read again there.
    pub(super) fn span(&self) -> Option<Span> {
        match (&self.content, self.at) {
            (Content::Text { bytes, .. }, At::Line { offset, .. }) if self.files[self.file].is_plain() => {
                Span::new(self.file, offset, bytes.len())
            }
            _ => None,
        }
    }

    /// Its text, where it came as one.
    pub(super) fn text(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Text { bytes, .. } => Some(bytes),
            Content::Read(_) => None,
        }
    }
}

/// The rows of recordings, one file after another.
pub(crate) struct FoundRows {
    files: Arc<[SourceFile]>,
    next: usize,
    current: Option<Box<dyn Iterator<Item = Found> + Send>>,
}

impl FoundRows {
    pub(super) fn new(files: Arc<[SourceFile]>) -> Self {
        Self { files, next: 0, current: None }
    }
}

impl Iterator for FoundRows {
    type Item = Result<UnreadRow, Reject>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(rows) = &mut self.current {
                match rows.next() {
                    Some(Ok((at, content))) => {
                        let (files, file) = (Arc::clone(&self.files), self.next - 1);
                        return Some(Ok(UnreadRow { files, file, at, content }));
                    }
                    Some(Err(reject)) => return Some(Err(reject)),
                    None => self.current = None,
                }
            }
            let file = self.files.get(self.next)?;
            self.next += 1;
            match open(file) {
                Ok(rows) => self.current = Some(rows),
                Err(error) => {
                    let reason = RejectReason::Unreadable(error.to_string());
                    return Some(Err(Reject::new(&file.shown, At::Line { number: 1, offset: 0 }, reason, &[])));
                }
            }
        }
    }
}
