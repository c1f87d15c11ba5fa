//! Scrubbing recordings: a stream in, a stream out.

use std::path::Path;
use std::sync::Arc;

use super::findings::{Findings, Tally};
use super::kind::Kind;
use super::scrubber::Scrubber;
use crate::recording::{
    ConvertError, Converted, EachRow, Existing, Interaction, Place, Quarantine, Recordings, Reject, RejectBudget,
    convert_each,
};

/// Writes all interactions to `target` without secrets and personal data. Rows that cannot be read go to the quarantine,
/// scrubbed as a text is; where they are more than the budget allows, nothing is written.
///
/// # Errors
/// [`ConvertError`] when the recordings cannot be opened or the target cannot be written.
pub fn scrub(
    recordings: &Recordings,
    target: &Path,
    existing: Existing,
    quarantine: &mut Quarantine,
    budget: RejectBudget,
    scrubber: &Scrubber,
) -> Result<(Converted, Findings), ConvertError> {
    let mut sweep = Sweep { scrubber, tally: Tally::default() };
    let converted = convert_each(recordings, target, existing, quarantine, budget, &mut sweep)?;
    let turned_away = (quarantine.rejected, quarantine.torn);
    Ok((converted, sweep.tally.finish(recordings.files().count(), turned_away, Some(scrubber))))
}

/// Says what recordings hold that would be scrubbed, and writes nothing but the quarantine.
///
/// # Errors
/// [`ConvertError`] when the recordings cannot be opened.
pub fn find(
    recordings: &Recordings,
    quarantine: &mut Quarantine,
    scrubber: &Scrubber,
) -> Result<Findings, ConvertError> {
    let mut sweep = Sweep { scrubber, tally: Tally::default() };
    for row in recordings.rows()? {
        match row {
            Ok(row) => drop(sweep.interaction(&row.place, row.interaction)),
            Err(reject) => quarantine.take(sweep.reject(reject))?,
        }
    }
    Ok(sweep.tally.finish(recordings.files().count(), (quarantine.rejected, quarantine.torn), None))
}

/// Scrubs one row after another and counts what it finds.
struct Sweep<'a> {
    scrubber: &'a Scrubber,
    tally: Tally,
}

impl EachRow for Sweep<'_> {
    fn interaction(&mut self, place: &Place, interaction: Interaction) -> Interaction {
        let (file, before) = (&place.file, self.tally.found());
        let mut seen = |kind: &Kind, path: &str, value: &str| self.tally.add(file, kind, path, value);
        let scrubbed = self.scrubber.interaction_seen(interaction, &mut seen);
        self.tally.end_interaction(self.tally.found() - before);
        scrubbed
    }

    fn reject(&mut self, reject: Reject) -> Reject {
        let file = Arc::clone(&reject.place.file);
        let mut seen = |kind: &Kind, path: &str, value: &str| self.tally.add(&file, kind, path, value);
        self.scrubber.reject_seen(reject, &mut seen)
    }
}
