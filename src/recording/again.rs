//! Reading a row again that was read before: where it stands in its file, or out of a temporary one.

use std::io;

use super::interaction::Interaction;
use super::json::Json;
use super::placed::{PlacedFiles, Span, Spool};
use super::unread::UnreadRow;
use super::wire;

/// What is known of where a row stands, before it is read.
pub(crate) enum Standing {
    /// In a file that it can be read again from.
    At(Span),
    /// In one that it cannot be read again from; this is its text.
    Text(Vec<u8>),
    /// Nowhere as a text of its own.
    Unwritten,
}

impl Standing {
    pub(crate) fn of(row: &UnreadRow) -> Self {
        match (row.span(), row.text()) {
            (Some(span), _) => Standing::At(span),
            (None, Some(text)) => Standing::Text(text.to_vec()),
            (None, None) => Standing::Unwritten,
        }
    }

    /// Where it can be read again: in its file, else in the temporary one, where it is put.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub(crate) fn keep(self, interaction: &Interaction, spool: &mut Spool) -> io::Result<Span> {
        match self {
            Standing::At(span) => Ok(span),
            Standing::Text(text) => spool.keep(&text),
            Standing::Unwritten => spool.keep(wire::write(interaction).as_bytes()),
        }
    }
}

impl PlacedFiles {
    /// Reads an interaction again.
    ///
    /// # Errors
    /// When it cannot be read any more, or its file was changed.
    pub(crate) fn interaction(&self, span: Span) -> io::Result<Interaction> {
        let broken = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
        let bytes = self.read(span)?;
        let text = std::str::from_utf8(&bytes).map_err(|error| broken(error.to_string()))?;
        let json = Json::parse(text).map_err(|fault| broken(fault.to_string()))?;
        wire::read(&json).map_err(|fault| broken(fault.to_string()))
    }
}
