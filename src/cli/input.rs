//! The recordings that a verb reads, and what is said about rows that cannot be read.

use std::path::PathBuf;

use miette::IntoDiagnostic;

use super::Exit;
use super::screen::note;
use crate::recording::{Converted, Quarantine, Recordings, RejectBudget};

/// The recordings to read.
#[derive(Debug, clap::Args)]
pub struct InputArgs {
    /// Recordings: files, folders, globs, or - for standard input
    #[arg(required = true, value_name = "RECORDINGS")]
    pub recordings: Vec<String>,

    #[command(flatten)]
    pub rejects: RejectArgs,
}

/// What is done with rows that cannot be read.
#[derive(Debug, Default, clap::Args)]
pub struct RejectArgs {
    /// How many rows may be turned away: a count, or a share such as 1%
    #[arg(long, value_name = "N|P%", default_value = "0")]
    pub max_rejects: RejectBudget,

    /// Write the rows that were turned away to this file, as JSONL
    #[arg(long, value_name = "FILE")]
    pub quarantine: Option<PathBuf>,
}

/// Whether the rows that were turned away are within the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// They are.
    Kept,
    /// They are more.
    Exceeded,
}

impl InputArgs {
    /// Finds the recordings and opens the quarantine.
    pub fn open(&self) -> miette::Result<(Recordings, Quarantine)> {
        let recordings = Recordings::open(&self.recordings)?;
        let quarantine = self.rejects.quarantine_beside(&recordings)?;
        Ok((recordings, quarantine))
    }
}

impl RejectArgs {
    /// Opens the quarantine, which is none of the recordings.
    pub fn quarantine_beside(&self, recordings: &Recordings) -> miette::Result<Quarantine> {
        match &self.quarantine {
            None => Ok(Quarantine::default()),
            Some(path) if recordings.contains(path) => Err(miette::miette!(
                code = "taketwo::output_is_input",
                help = "write the quarantine to another file",
                "{path:?} is one of the recordings to be read"
            )),
            Some(path) => Quarantine::in_file(path)
                .map_err(|error| miette::miette!(code = "taketwo::unwritable", "cannot write {path:?}: {error}")),
        }
    }

    /// Says which rows were turned away, and whether they are too many. `interactions` could be read.
    pub fn report(&self, quarantine: &mut Quarantine, interactions: u64) -> miette::Result<Budget> {
        quarantine.finish().into_diagnostic()?;
        for reject in &quarantine.shown {
            note(&if reject.reason.is_torn() { format!("warning: {reject}") } else { reject.to_string() });
        }
        let more = quarantine.entries - quarantine.shown.len() as u64;
        if more > 0 {
            let file = self.quarantine.as_ref().map(|path| format!("; all are in {}", path.display()));
            note(&format!("and {more} more{}", file.unwrap_or_else(|| " (--quarantine FILE keeps them all)".into())));
        }
        if quarantine.within(self.max_rejects, interactions) {
            return Ok(Budget::Kept);
        }
        let all = interactions + quarantine.rejected;
        let (rejected, allowed) = (quarantine.rejected, self.max_rejects);
        let rows = if all == 1 { "row" } else { "rows" };
        note(&format!("error: {rejected} of {all} {rows} cannot be used; --max-rejects allows {allowed}"));
        Ok(Budget::Exceeded)
    }

    /// Says what was turned away and what was written where.
    pub fn report_written(&self, converted: &Converted, quarantine: &mut Quarantine) -> miette::Result<Exit> {
        let interactions = converted.interactions();
        let budget = self.report(quarantine, interactions)?;
        match converted {
            Converted::Written(written) => {
                let noun = if interactions == 1 { "interaction" } else { "interactions" };
                note(&format!("{interactions} {noun}, {} bytes -> {}", written.bytes, written.target.display()));
                Ok(Exit::Passed)
            }
            Converted::Nothing { .. } => {
                note(match budget {
                    Budget::Exceeded => "nothing was written",
                    Budget::Kept => "error: there is no interaction; nothing was written",
                });
                Ok(Exit::Refused)
            }
        }
    }
}
