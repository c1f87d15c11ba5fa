//! Copying recordings from one format to another.

use std::path::{Path, PathBuf};

use super::interaction::Interaction;
use super::place::{Place, Reject};
use super::quarantine::{Quarantine, RejectBudget};
use super::source::{Recordings, SourceError};
use super::write::{Existing, RecordingWriter, WriteError, Written};

/// What came of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Converted {
    /// Everything that could be read was written.
    Written(Written),
    /// More rows were turned away than the budget allows, or there was none at all: nothing was written.
    Nothing {
        /// How many rows could be read.
        interactions: u64,
    },
}

impl Converted {
    /// How many interactions could be read.
    #[must_use]
    pub fn interactions(&self) -> u64 {
        match self {
            Converted::Written(written) => written.interactions,
            Converted::Nothing { interactions } => *interactions,
        }
    }
}

/// Why recordings cannot be converted.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum ConvertError {
    /// They cannot be opened.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Source(#[from] SourceError),
    /// The new one cannot be written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Write(#[from] WriteError),
    /// What is to be written is also to be read.
    #[error("{path:?} is one of the recordings to be read")]
    #[diagnostic(code(taketwo::output_is_input), help("write to another file"))]
    SameFile {
        /// The file.
        path: PathBuf,
    },
    /// The quarantine file cannot be written.
    #[error("cannot write the quarantine file: {0}")]
    #[diagnostic(code(taketwo::unwritable))]
    Quarantine(#[from] std::io::Error),
}

/// Writes all interactions to `target`, in the format that its ending names. Rows that cannot be read go to the
/// quarantine; where they are more than the budget allows, nothing is written.
///
/// # Errors
/// [`ConvertError`] when the recordings cannot be opened or the target cannot be written.
pub fn convert(
    recordings: &Recordings,
    target: &Path,
    existing: Existing,
    quarantine: &mut Quarantine,
    budget: RejectBudget,
) -> Result<Converted, ConvertError> {
    convert_each(recordings, target, existing, quarantine, budget, &mut AsItIs)
}

/// What is made of each row on its way.
pub trait EachRow {
    /// What is written of an interaction.
    fn interaction(&mut self, place: &Place, interaction: Interaction) -> Interaction;
    /// What goes to the quarantine of a row that cannot be read.
    fn reject(&mut self, reject: Reject) -> Reject;
}

/// Nothing is.
struct AsItIs;

impl EachRow for AsItIs {
    fn interaction(&mut self, _: &Place, interaction: Interaction) -> Interaction {
        interaction
    }

    fn reject(&mut self, reject: Reject) -> Reject {
        reject
    }
}

/// As [`convert`], with what `each` makes of the rows.
///
/// # Errors
/// [`ConvertError`] when the recordings cannot be opened or the target cannot be written.
pub fn convert_each(
    recordings: &Recordings,
    target: &Path,
    existing: Existing,
    quarantine: &mut Quarantine,
    budget: RejectBudget,
    each: &mut impl EachRow,
) -> Result<Converted, ConvertError> {
    refuse_own_input(recordings, target)?;
    write_all(target, existing, quarantine, budget, |take| {
        for row in recordings.rows()? {
            take(match row {
                Ok(row) => Ok(each.interaction(&row.place, row.interaction)),
                Err(reject) => Err(each.reject(reject)),
            })?;
        }
        Ok(())
    })
}

/// Refuses to write over what is read.
pub(super) fn refuse_own_input(recordings: &Recordings, target: &Path) -> Result<(), ConvertError> {
    if recordings.contains(target) {
        return Err(ConvertError::SameFile { path: target.into() });
    }
    Ok(())
}

/// What takes the rows one by one.
pub(super) type Take<'a> = dyn FnMut(Result<Interaction, Reject>) -> Result<(), ConvertError> + 'a;

/// Writes the rows that `give` hands over, if they are interactions; the others go to the quarantine.
pub(super) fn write_all<E: From<ConvertError>>(
    target: &Path,
    existing: Existing,
    quarantine: &mut Quarantine,
    budget: RejectBudget,
    give: impl FnOnce(&mut Take<'_>) -> Result<(), E>,
) -> Result<Converted, E> {
    let mut writer = RecordingWriter::new(target, existing).map_err(ConvertError::from)?;
    let mut interactions = 0;
    give(&mut |row| {
        match row {
            Ok(interaction) => {
                writer.write(&interaction)?;
                interactions += 1;
            }
            Err(reject) => quarantine.take(reject)?,
        }
        Ok(())
    })?;
    if interactions == 0 || !quarantine.within(budget, interactions) {
        return Ok(Converted::Nothing { interactions });
    }
    Ok(Converted::Written(writer.finish().map_err(ConvertError::from)?))
}
