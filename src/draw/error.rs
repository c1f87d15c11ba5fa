//! Why nothing can be drawn.

use crate::recording::{ConvertError, Place, SourceError, WriteError};

/// Why nothing can be drawn.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum DrawError {
    /// The traffic cannot be read, or the suite cannot be written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Files(#[from] ConvertError),
    /// A weight has too many digits to be added to the others exactly.
    #[error("{place}: the weight {weight} cannot be added to the others without a loss")]
    #[diagnostic(
        code(taketwo::weights),
        help("weights may add up to 1e15, with at most 27 digits before and after the point together")
    )]
    Weight {
        /// Where it stands.
        place: Place,
        /// The weight.
        weight: f64,
    },
    /// There are more kinds than can be numbered.
    #[error("there are more than 4 billion kinds of interactions")]
    #[diagnostic(code(taketwo::too_many_kinds), help("--kinds tools tells fewer apart"))]
    TooManyKinds,
    /// A row was not there any more, or was another one.
    #[error("the recordings were changed while they were in use")]
    #[diagnostic(code(taketwo::changed), help("run again when nothing writes them any more, or use a copy"))]
    Changed,
}

impl From<SourceError> for DrawError {
    fn from(error: SourceError) -> Self {
        DrawError::Files(error.into())
    }
}

impl From<WriteError> for DrawError {
    fn from(error: WriteError) -> Self {
        DrawError::Files(error.into())
    }
}

impl From<std::io::Error> for DrawError {
    fn from(error: std::io::Error) -> Self {
        DrawError::Files(error.into())
    }
}
