//! Making recordings out of what other tools recorded: one file a format.
//!
//! A format's file says what it is called, how it is known and how it is read, in one [`Format`]. What it reads are
//! conversations: most formats tell messages one after another to a dialogue, which puts calls and results together. The
//! rest (ids, histories, sums, what becomes one interaction) is done here, in one way for all of them.

mod adk;
mod akka;
mod anthropic;
mod arguments;
mod assembly;
mod atif;
mod bedrock;
mod bfcl;
mod captures;
mod claude_code;
mod conversation;
mod dialects;
mod dialogue;
mod fields;
mod format;
mod gemini;
mod inspect;
mod jaeger;
mod langchain;
mod langfuse;
mod langsmith;
mod lone;
mod message;
mod messages;
mod mlflow;
mod moatless;
mod observation;
mod open_calls;
mod openai;
mod openclaw;
mod opening;
mod otlp;
mod payload;
mod phoenix;
mod python;
mod recognise;
mod spans;
mod spool;
mod stored;
mod swe_agent;
mod table;
mod tally;
mod tau;
mod tau2;
mod thread;
mod usage;
mod values;
mod vcr;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::convert::{ConvertError, Converted, Take, refuse_own_input, write_all};
use super::ids::Ids;
use super::interaction::{CaseId, Interaction};
use super::json::Json;
use super::place::{At, Place, Reject};
use super::quarantine::{Quarantine, RejectBudget};
use super::source::{Recordings, SourceFile};
use super::write::Existing;

use assembly::{Assembled, Assembly};
use conversation::Conversation;
use format::Reader;
pub(super) use format::SourceText;
pub use format::{Format, Grain, NotThisFormat, Sign};
use recognise::recognise;
use spool::TraceSpool;
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
        &jaeger::FORMAT,
        &langchain::FORMAT,
        &langfuse::FORMAT,
        &langsmith::FORMAT,
        &mlflow::FORMAT,
        &moatless::FORMAT,
        &openai::FORMAT,
        &openclaw::FORMAT,
        &otlp::FORMAT,
        &phoenix::FORMAT,
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
    /// The temporary file that pieces of traces are kept in cannot be written or read.
    #[error("cannot keep the pieces of traces in a temporary file: {0}")]
    #[diagnostic(code(taketwo::unwritable), help("TMPDIR names the folder of temporary files"))]
    Spool(std::io::Error),
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
    let mut work = Work { options, known: Known::default(), ids: Ids::default(), files: Vec::new() };
    let converted = write_all(target, existing, quarantine, budget, |take| {
        let mut traces = TraceSpool::new();
        for (source, text) in sources.texts() {
            let file = Arc::clone(&source.shown);
            let text = text.map_err(|error| unreadable(&error).of(&file, options.format))?;
            let (format, sign, text) = recognise(text, options.format)?;
            work.files.push(Importing { name: source.name.clone(), file: Arc::clone(&file), format, sign, count: 0 });
            let number = work.files.len() - 1;
            let other_format = |error: NotThisFormat| error.of(&file, Some(format));
            match &format.reader {
                Reader::Conversations(read) => {
                    for found in read(text).map_err(other_format)? {
                        work.give(number, found, take)?;
                    }
                }
                Reader::Observations(read) => {
                    for found in read(text).map_err(other_format)? {
                        match found {
                            Ok(piece) => traces.keep(&piece).map_err(ImportError::Spool)?,
                            Err(reject) => take(Err(reject))?,
                        }
                    }
                }
            }
        }
        let numbers = work.numbers();
        for found in assembled(traces)? {
            let Assembly { conversation, rejects, foreign } = found?;
            work.known.foreign_traces += foreign;
            for reject in rejects {
                take(Err(reject))?;
            }
            if let Some(Assembled { file, at, conversation }) = conversation {
                let number = numbers.get(&file).copied().unwrap_or(0);
                work.give(number, Ok((at, conversation)), take)?;
            }
        }
        Ok::<(), ImportError>(())
    })?;
    let files = work.files.into_iter().map(Importing::done).collect();
    Ok(Imported { converted, known: work.known, files })
}

/// What is known while files are imported.
struct Work {
    options: ImportOptions,
    known: Known,
    ids: Ids,
    files: Vec<Importing>,
}

/// A file that is being imported.
struct Importing {
    name: String,
    file: Arc<Path>,
    format: &'static Format,
    sign: Option<String>,
    count: u64,
}

impl Importing {
    fn done(self) -> ImportedFile {
        ImportedFile { file: self.file, format: self.format.name, sign: self.sign, interactions: self.count }
    }
}

impl Work {
    /// The number of each file; of one that was given twice the first.
    fn numbers(&self) -> HashMap<Arc<Path>, usize> {
        let mut numbers = HashMap::new();
        for (number, known) in self.files.iter().enumerate() {
            numbers.entry(Arc::clone(&known.file)).or_insert(number);
        }
        numbers
    }

    /// Hands over the interactions of a conversation that begins in the file of this number.
    fn give(
        &mut self,
        number: usize,
        found: Result<(At, Conversation), Reject>,
        take: &mut Take<'_>,
    ) -> Result<(), ConvertError> {
        let (at, conversation) = match found {
            Ok(found) => found,
            Err(reject) => return take(Err(reject)),
        };
        let source = &mut self.files[number];
        for it in conversation.interactions(self.options.grain.unwrap_or(source.format.grain)) {
            let it = match self.options.naming {
                Naming::AsTheyAre => it,
                Naming::ByFile => named_by(&source.name, at, it),
            };
            let row = unique(&mut self.ids, Place { file: Arc::clone(&source.file), at }, it);
            if let Ok(it) = &row {
                self.known.add(it);
                source.count += 1;
            }
            take(row.map(with_doubts_written))?;
        }
        Ok(())
    }
}

/// What the pieces of traces make.
fn assembled(traces: TraceSpool) -> Result<impl Iterator<Item = Result<Assembly, ImportError>>, ImportError> {
    let sessions = traces.sessions().map_err(ImportError::Spool)?;
    Ok(sessions.map(|traces| traces.map(assembly::conversation).map_err(ImportError::Spool)))
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
        let (mut files, mut traces) = (Vec::new(), TraceSpool::new());
        let other_format = |error: NotThisFormat, source: &SourceFile| error.of(&source.shown, Some(self));
        let mut rejects = Vec::new();
        for (source, text) in sources.texts() {
            let text = text.map_err(|error| other_format(unreadable(&error), source))?;
            match &self.reader {
                Reader::Conversations(read) => files.push(read(text).map_err(|error| other_format(error, source))?),
                Reader::Observations(read) => {
                    for piece in read(text).map_err(|error| other_format(error, source))? {
                        match piece {
                            Ok(piece) => traces.keep(&piece).map_err(ImportError::Spool)?,
                            Err(reject) => rejects.push(reject),
                        }
                    }
                }
            }
        }
        let traces = assembled(traces)?.collect::<Result<Vec<_>, _>>()?;
        let traces = traces.into_iter().flat_map(|found| {
            let rejects = found.rejects.into_iter().map(Err);
            rejects.chain(found.conversation.map(|found| Ok((found.at, found.conversation)))).collect::<Vec<_>>()
        });
        let rejects = rejects.into_iter().map(Err);
        Ok(files.into_iter().flatten().chain(rejects).chain(traces).flat_map(|found| match found {
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
    let refused = it.id.as_ref().and_then(|id| ids.refuse(id, &place, &it));
    refused.map_or(Ok(it), Err)
}
