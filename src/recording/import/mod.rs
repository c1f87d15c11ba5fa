//! Making recordings out of what other tools recorded: one file a format.

mod tau2;

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use super::convert::{ConvertError, Converted, refuse_own_input, write_all};
use super::ids::Ids;
use super::interaction::Interaction;
use super::place::{Place, Reject, RejectReason};
use super::quarantine::{Quarantine, RejectBudget};
use super::source::{Read, Recordings};
use super::write::Existing;

/// Reads the files of one foreign format as interactions.
pub trait Importer: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it reads, in a few words.
    fn about(&self) -> &'static str;

    /// Reads one file. What of it is no interaction is a reject among the others, in order.
    ///
    /// # Errors
    /// [`NotThisFormat`] when the file as a whole is something else.
    fn read(&self, file: Arc<Path>, text: Box<dyn BufRead + Send>) -> Result<Interactions, NotThisFormat>;
}

/// The interactions of a file with their places, in order.
pub type Interactions = Box<dyn Iterator<Item = Read> + Send>;

/// Why a file is not of the format that was named.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub struct NotThisFormat {
    /// What was found instead.
    pub problem: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// The formats that can be imported.
#[must_use]
pub fn importers() -> &'static [&'static dyn Importer] {
    &[&tau2::Tau2]
}

/// What could be told of the imported interactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// How many interactions there are.
    pub interactions: u64,
    /// How many tell their tokens.
    pub with_tokens: u64,
    /// How many tell their cost.
    pub with_cost: u64,
    /// How many tell their latency.
    pub with_latency: u64,
}

impl Known {
    fn add(&mut self, it: &Interaction) {
        self.interactions += 1;
        self.with_tokens += u64::from(!it.tokens.is_unknown());
        self.with_cost += u64::from(it.cost.is_some());
        self.with_latency += u64::from(it.latency_ms.is_some());
    }
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
    /// It cannot be read or written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Convert(#[from] ConvertError),
}

/// Reads foreign files and writes them as one recording. Rejects are treated as [`convert`](super::convert) does.
///
/// # Errors
/// [`ImportError`] when a file is of another format, or the target cannot be written.
pub fn import(
    importer: &dyn Importer,
    sources: &Recordings,
    target: &Path,
    existing: Existing,
    quarantine: &mut Quarantine,
    budget: RejectBudget,
) -> Result<(Converted, Known), ImportError> {
    refuse_own_input(sources, target)?;
    let mut known = Known::default();
    let mut ids = Ids::default();
    let converted = write_all(target, existing, quarantine, budget, |take| {
        for (file, text) in sources.texts() {
            let rows = match text {
                Ok(text) => importer.read(Arc::clone(&file), text),
                Err(error) => Err(NotThisFormat { problem: format!("it cannot be read: {error}"), help: None }),
            };
            for row in rows.map_err(|error| error.of(&file, importer))? {
                let row = row.and_then(|(at, it)| unique(&mut ids, Place { file: Arc::clone(&file), at }, it));
                if let Ok(it) = &row {
                    known.add(it);
                }
                take(row)?;
            }
        }
        Ok::<(), ImportError>(())
    })?;
    Ok((converted, known))
}

impl NotThisFormat {
    fn of(self, file: &Path, importer: &dyn Importer) -> ImportError {
        let NotThisFormat { problem, help } = self;
        ImportError::Format { path: file.to_owned(), format: importer.name(), problem, help }
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
