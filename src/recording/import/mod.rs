//! Making recordings out of what other tools recorded: one file a format.
//!
//! A format's file says what it is called, how it is known and how it is read, in one [`Format`]. What it reads are
//! conversations: most formats tell messages one after another to a dialogue, which puts calls and results together. The
//! rest (ids, histories, sums, what becomes one interaction) is done here, in one way for all of them.

#![allow(dead_code, reason = "until every importer is there")]

mod adk;
mod akka;
mod anthropic;
mod arguments;
mod atif;
mod bedrock;
mod bfcl;
mod captures;
mod claude_code;
mod conversation;
mod dialogue;
mod fields;
mod format;
mod gemini;
mod inspect;
mod langchain;
mod message;
mod messages;
mod moatless;
mod observation;
mod open_calls;
mod openai;
mod openclaw;
mod opening;
mod python;
mod recognise;
mod swe_agent;
mod tally;
mod tau;
mod tau2;
mod thread;
mod usage;
mod values;
mod vcr;

use std::path::Path;
use std::sync::Arc;

use super::convert::{ConvertError, Converted, refuse_own_input, write_all};
use super::ids::Ids;
use super::interaction::{CaseId, Interaction};
use super::json::Json;
use super::place::{At, Place, Reject, RejectReason};
use super::quarantine::{Quarantine, RejectBudget};
use super::source::Recordings;
use super::write::Existing;

use format::Reader;
pub(super) use format::SourceText;
pub use format::{Format, Grain, NotThisFormat, Sign};
use recognise::recognise;
pub use tally::{ImportedFile, Known};

/// The formats that can be imported.
#[must_use]
pub fn formats() -> &'static [&'static Format] {
    &[
        &adk::FORMAT,
        &akka::FORMAT,
        &anthropic::FORMAT,
        &atif::FORMAT,
        &bedrock::FORMAT,
        &bfcl::FORMAT,
        &claude_code::FORMAT,
        &gemini::FORMAT,
        &inspect::FORMAT,
        &langchain::FORMAT,
        &moatless::FORMAT,
        &openai::FORMAT,
        &openclaw::FORMAT,
        &swe_agent::FORMAT,
        &tau::FORMAT,
        &tau2::FORMAT,
        &vcr::FORMAT,
    ]
}

/// How sources are to be read.
#[derive(Clone, Copy, Default)]
pub struct ImportOptions {
    /// The format of all of them; found out for each where it is not given.
    pub format: Option<&'static Format>,
    /// What becomes one interaction; as the format has it where it is not given.
    pub grain: Option<Grain>,
    /// Which names interactions get.
    pub naming: Naming,
}

/// Which names interactions get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// Those that their source has.
    #[default]
    AsTheyAre,
    /// The name of their file before that, for files in which the same names stand for different things.
    ByFile,
}

/// Why files cannot be imported.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum ImportError {
    /// A file is of another format.
    #[error("{path:?} is no {format} file: {problem}")]
    #[diagnostic(code(taketwo::other_format))]
    Format {
        /// The file.
        path: std::path::PathBuf,
        /// The format that was named.
        format: &'static str,
        /// What was found instead.
        problem: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
    },
    /// Nothing shows of which format a file is.
    #[error("nothing shows of which format {path:?} is: {problem}")]
    #[diagnostic(code(taketwo::unknown_format))]
    Unknown {
        /// The file.
        path: std::path::PathBuf,
        /// What was found.
        problem: String,
        /// What to do about it.
        #[help]
        help: String,
    },
    /// It cannot be read or written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Convert(#[from] ConvertError),
}

/// What was imported.
#[derive(Debug)]
pub struct Imported {
    /// What was written.
    pub converted: Converted,
    /// What could be told of the interactions.
    pub known: Known,
    /// The files, each with its format and how it was known.
    pub files: Vec<ImportedFile>,
}

/// Reads foreign files and writes them as one recording. Rejects are treated as [`convert`](super::convert) does.
///
/// # Errors
/// [`ImportError`] when a file is of another format, or the target cannot be written.
pub fn import(
    options: ImportOptions,
    sources: &Recordings,
    target: &Path,
    existing: Existing,
    quarantine: &mut Quarantine,
    budget: RejectBudget,
) -> Result<Imported, ImportError> {
    refuse_own_input(sources, target)?;
    let (mut known, mut files, mut ids) = (Known::default(), Vec::new(), Ids::default());
    let converted = write_all(target, existing, quarantine, budget, |take| {
        for (source, text) in sources.texts() {
            let file = Arc::clone(&source.shown);
            let text = text.map_err(|error| unreadable(&error).of(&file, options.format))?;
            let (format, sign, text) = recognise(text, options.format)?;
            let Reader::Conversations(read) = &format.reader;
            let grain = options.grain.unwrap_or(format.grain);
            let mut imported = ImportedFile { file: Arc::clone(&file), format: format.name, sign, interactions: 0 };
            for found in read(text).map_err(|error| error.of(&file, Some(format)))? {
                let (at, conversation) = match found {
                    Ok(found) => found,
                    Err(reject) => {
                        take(Err(reject))?;
                        continue;
                    }
                };
                for it in conversation.interactions(grain) {
                    let it = match options.naming {
                        Naming::AsTheyAre => it,
                        Naming::ByFile => named_by(&source.name, at, it),
                    };
                    let row = unique(&mut ids, Place { file: Arc::clone(&file), at }, it);
                    if let Ok(it) = &row {
                        known.add(it);
                        imported.interactions += 1;
                    }
                    take(row.map(with_doubts_written))?;
                }
            }
            files.push(imported);
        }
        Ok::<(), ImportError>(())
    })?;
    Ok(Imported { converted, known, files })
}

/// What is doubtful is kept with the interaction, as the source is not at hand when somebody asks.
fn with_doubts_written(mut it: Interaction) -> Interaction {
    if !it.doubts.is_empty() {
        let doubts: Vec<String> = it.doubts.iter().map(ToString::to_string).collect();
        it.extra.push(("importDoubts".into(), Json::of(&doubts)));
    }
    it
}

fn named_by(file: &str, at: At, mut it: Interaction) -> Interaction {
    let own = it.id.map_or_else(|| at.number().to_string(), |id| id.to_string());
    it.id = Some(CaseId::new(format!("{file}/{own}")));
    it
}

impl Format {
    /// The interactions of files of this format, each as the format has it, rejects among them. Their ids are not looked at.
    ///
    /// # Errors
    /// [`ImportError`] when a file is of another format or cannot be read.
    pub fn interactions(
        &'static self,
        sources: &Recordings,
    ) -> Result<impl Iterator<Item = Result<Interaction, Reject>> + use<>, ImportError> {
        let mut files = Vec::new();
        for (source, text) in sources.texts() {
            let text = text.map_err(|error| unreadable(&error).of(&source.shown, Some(self)))?;
            let Reader::Conversations(read) = &self.reader;
            files.push(read(text).map_err(|error| error.of(&source.shown, Some(self)))?);
        }
        Ok(files.into_iter().flatten().flat_map(|found| match found {
            Ok((_, conversation)) => conversation.interactions(self.grain).into_iter().map(Ok).collect(),
            Err(reject) => vec![Err(reject)],
        }))
    }
}

fn unreadable(error: &std::io::Error) -> NotThisFormat {
    NotThisFormat::new(format!("it cannot be read: {error}"))
}

impl NotThisFormat {
    fn of(self, file: &Path, format: Option<&Format>) -> ImportError {
        let NotThisFormat { problem, help } = self;
        let path = file.to_owned();
        match format {
            Some(format) => ImportError::Format { path, format: format.name, problem, help },
            None => ImportError::Unknown { path, problem, help: help.unwrap_or_else(recognise::advice) },
        }
    }
}

/// The interaction, if no other has its id.
fn unique(ids: &mut Ids, place: Place, it: Interaction) -> Result<Interaction, Reject> {
    match it.id.as_ref().and_then(|id| Some((id.clone(), ids.first_use(id, &place)?))) {
        None => Ok(it),
        Some((id, first)) => {
            let raw = super::wire::write(&it).into_bytes();
            Err(Reject { place, reason: RejectReason::DuplicateId { id, first }, raw })
        }
    }
}
