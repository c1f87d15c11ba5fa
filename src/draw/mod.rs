//! A suite from traffic: interactions drawn by lot, each kind among them, with weights that add up to the traffic.
//!
//! A kind is what interactions of one stratum (a scenario, unless told otherwise) have in common that called the same
//! tools in the same order and failed alike. Every kind is kept before any gets a second case, so a suite of a
//! hundredth of the traffic still has what happens rarely; the weights say how rare it is.

mod amount;
mod census;
mod error;
#[cfg(test)]
mod laws;
mod mark;
mod places;
mod report;
mod seed;
mod shape;
mod stratum;
mod text;
mod tickets;
mod wanted;
mod weights;
mod write;

use std::path::Path;

pub use error::DrawError;
pub use report::{Drawn, DrawnKind, DrawnStratum};
pub use seed::Seed;
pub use shape::KindsBy;
pub use stratum::By;
pub use wanted::{Share, Size, Wanted};

use census::{Census, Uncountable};
use places::places;
use report::{Outcome, listed};
use tickets::winners;
use weights::weights;
use write::Suite;

use crate::recording::{
    ConvertError, Existing, FirstLook, Quarantine, RecordingWriter, Recordings, RejectBudget, Written,
};

/// What came of a drawing.
#[derive(Clone, Debug)]
pub enum Drawing {
    /// A suite was written.
    Written {
        /// What was drawn from what.
        drawn: Box<Drawn>,
        /// Where it is.
        written: Written,
    },
    /// More rows were turned away than the budget allows, or there was none at all: nothing was written.
    Nothing {
        /// How many rows could be read.
        interactions: u64,
    },
}

impl Drawing {
    /// How many interactions could be read.
    #[must_use]
    pub fn interactions(&self) -> u64 {
        match self {
            Drawing::Written { drawn, .. } => drawn.interactions,
            Drawing::Nothing { interactions } => *interactions,
        }
    }
}

/// Draws interactions and writes them to `target`, in the order in which they were recorded.
///
/// The traffic is read twice. Of each interaction some 70 bytes are remembered, its id among them, of each kind some
/// 300. Which ones are drawn depends on their ids and the seed, never on the order of the files.
///
/// # Errors
/// [`DrawError`] when the recordings cannot be opened, a weight cannot be added up, or the target cannot be written.
pub fn draw(
    recordings: &Recordings,
    target: &Path,
    existing: Existing,
    wanted: &Wanted,
    quarantine: &mut Quarantine,
    budget: RejectBudget,
) -> Result<Drawing, DrawError> {
    if recordings.contains(target) {
        return Err(ConvertError::SameFile { path: target.into() }.into());
    }
    // Opened first: what cannot be written is known before the traffic is read.
    let writer = RecordingWriter::new(target, existing)?;
    let (census, look) = count(recordings, wanted, quarantine)?;
    let interactions = census.tickets.len() as u64;
    if interactions == 0 || !quarantine.within(budget, interactions) {
        return Ok(Drawing::Nothing { interactions });
    }
    let drawn = winners(&census, &places(&census, wanted));
    let weights = weights(&census, &drawn);
    let listed = listed(&census);
    let suite = Suite::new(&census, &drawn, &weights, &listed);
    let words = suite.write(recordings, &look, writer)?;
    let outcome = Outcome { census: &census, drawn: &drawn, weights: &weights, listed: &listed, words: &words };
    let drawn = Box::new(outcome.report(recordings, wanted, quarantine));
    Ok(Drawing::Written { drawn, written: words.written })
}

/// Looks through the traffic for the first time.
fn count(
    recordings: &Recordings,
    wanted: &Wanted,
    quarantine: &mut Quarantine,
) -> Result<(Census, FirstLook), DrawError> {
    let mut census = Census::new(wanted);
    let mut rows = recordings.rows()?;
    for row in &mut rows {
        let row = match row {
            Ok(row) => row,
            Err(reject) => {
                quarantine.take(reject)?;
                continue;
            }
        };
        census.add(&row).map_err(|uncountable| match uncountable {
            Uncountable::Weight => DrawError::Weight { weight: row.interaction.traffic(), place: row.place.clone() },
            Uncountable::Kinds => DrawError::TooManyKinds,
        })?;
    }
    Ok((census, rows.look()))
}
