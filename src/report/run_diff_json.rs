//! The difference of two runs for a program.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::run_comparison::{ComparedRun, RunComparison, Sameness};
use crate::store::OtherSetting;
use crate::verdict::RunDifference;

/// The format's name.
const FORMAT: &str = "taketwo-run-diff";
/// The format's version: it grows when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// What `taketwo diff RUN RUN --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunDiffDocument {
    /// `taketwo-run-diff`.
    pub format: String,
    /// 1.
    pub version: u32,
    /// Whether the runs came to the same.
    pub verdict: Sameness,
    /// What the program ends with, given `--exit-code`.
    pub exit_code: u8,
    /// The difference in a sentence.
    pub headline: String,
    /// Why it is not proven that the runs came to the same, should nothing differ; a sentence each.
    pub reservations: Vec<String>,
    /// The first run.
    pub before: ComparedRun,
    /// The second.
    pub after: ComparedRun,
    /// Settings that they were made with differently.
    pub settings: Vec<OtherSetting>,
    /// What differs.
    #[serde(flatten)]
    pub difference: RunDifference,
}

/// Writes the difference as JSON.
pub(super) fn write_json(comparison: &RunComparison, out: &mut dyn Write) -> io::Result<()> {
    let document = RunDiffDocument {
        format: FORMAT.into(),
        version: VERSION,
        verdict: comparison.sameness(),
        exit_code: comparison.exit().code(),
        headline: comparison.headline(),
        reservations: comparison.reservations(),
        before: comparison.before.clone(),
        after: comparison.after.clone(),
        settings: comparison.settings.clone(),
        difference: comparison.difference.clone(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}
