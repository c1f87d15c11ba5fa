//! What a foreign format is: its name, how it is known, how it is read.

use std::fs::File;
use std::io::{BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::place::{At, Reject};
use super::conversation::Conversation;
use super::observation::Observations;
use super::opening::Opening;

/// A foreign format. Each is one file in this folder, which holds one constant of this type.
pub struct Format {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) grain: Grain,
    /// What of a file's beginning shows that it is of this format, if anything does.
    pub(super) sign: fn(&Opening) -> Option<Sign>,
    pub(super) reader: Reader,
}

impl Format {
    /// Its name on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it reads, in a few words.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// What becomes one interaction where nobody says.
    #[must_use]
    pub fn grain(&self) -> Grain {
        self.grain
    }
}

/// What becomes one interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Grain {
    /// What a user said, and all that the agent did until it answered.
    Turn,
    /// A whole conversation: its first words are the input, its last answer is the output.
    Session,
}

/// What shows that a file is of a format, in words that follow `because `: `it has "resourceSpans"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Nothing else looks like this.
    Sure(String),
    /// It counts where no format is sure.
    Likely(String),
}

/// How files of a format are read.
pub(super) enum Reader {
    /// Each file holds whole conversations.
    Conversations(fn(SourceText) -> Result<Conversations, NotThisFormat>),
    /// Each file holds pieces of traces, which are put together when all files were read.
    Observations(fn(SourceText) -> Result<Observations, NotThisFormat>),
}

/// The conversations of a file with their places, in order; rejects among them.
pub(super) type Conversations = Box<dyn Iterator<Item = Result<(At, Conversation), Reject>> + Send>;

/// One file to import.
pub(in crate::recording) struct SourceText {
    /// Its name, as it was given.
    pub(in crate::recording) file: Arc<Path>,
    /// What it holds, unpacked where it is gzip or zstd.
    pub(in crate::recording) text: Box<dyn BufRead + Send>,
    /// Where it lies.
    pub(in crate::recording) path: PathBuf,
}

impl SourceText {
    /// A text that stands in no file.
    #[cfg(test)]
    pub(super) fn of(name: &str, text: impl Into<Vec<u8>>) -> Self {
        let text = Box::new(std::io::Cursor::new(text.into()));
        Self { file: Path::new(name).into(), text, path: PathBuf::from(name) }
    }

    /// The file itself, for formats that are read by seeking (Parquet, ZIP).
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn reopen(&self) -> std::io::Result<File> {
        File::open(&self.path)
    }

    /// All of its text, without a byte order mark.
    ///
    /// # Errors
    /// When it cannot be read or is no UTF-8.
    pub(super) fn whole(mut self) -> Result<String, NotThisFormat> {
        let mut whole = String::new();
        let read = self.text.read_to_string(&mut whole);
        read.map_err(|error| NotThisFormat::new(format!("it cannot be read: {error}")))?;
        match whole.strip_prefix('\u{feff}') {
            Some(marked) => Ok(marked.to_owned()),
            None => Ok(whole),
        }
    }
}

/// Why a file is not of the format that was named.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub struct NotThisFormat {
    /// What was found instead.
    pub problem: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl NotThisFormat {
    /// With nothing to advise.
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), help: None }
    }
}
