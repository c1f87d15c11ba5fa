//! A run's reports beside its journal, and a run read back.

use std::io;

use super::{MARKDOWN_LIMIT, Report, TextOptions, json, junit, markdown, text};
use crate::store::{JournalIndex, RunFolder, RunManifest, RunOutcome, StoreError, replace_file};
use crate::verdict::{EvalCaseResults, Exit, Gate, GateResult, GateState, Summary, SummaryBuilder, Trust};

/// A run that was read back from its folder.
#[derive(Debug)]
pub struct ReadBack {
    manifest: RunManifest,
    index: JournalIndex,
    summary: Summary,
    trust: Trust,
    outcome: RunOutcome,
}

impl ReadBack {
    /// Reads a run's journal. A run that is not finished is judged by what there is.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn new(folder: &RunFolder) -> Result<Self, StoreError> {
        let (summary, index) = add_up(folder)?;
        Ok(Self::of(folder, summary, index))
    }

    /// A run whose journal was added up already.
    #[must_use]
    pub fn of(folder: &RunFolder, summary: Summary, index: JournalIndex) -> Self {
        let manifest = folder.manifest().clone();
        let trust = summary.trust(&manifest.facts);
        let outcome = folder.outcome().cloned().unwrap_or_else(|| judged(&manifest, &summary));
        Self { manifest, index, summary, trust, outcome }
    }

    /// What the program ends with.
    #[must_use]
    pub fn exit(&self) -> Exit {
        Exit::of(self.manifest.facts.state, self.outcome.state)
    }

    /// The run as reports take it.
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report {
            manifest: &self.manifest,
            summary: &self.summary,
            trust: &self.trust,
            gates: &self.outcome.gates,
            state: self.outcome.state,
            exit: self.outcome.exit,
            notes: &self.outcome.notes,
            wall_ms: self.outcome.wall_ms,
        }
    }

    /// Hands the cases to a report, in their order.
    ///
    /// # Errors
    /// When the journal cannot be read to its end.
    pub fn with_cases<T>(
        &self,
        make: impl FnOnce(&mut dyn Iterator<Item = EvalCaseResults>) -> T,
    ) -> Result<T, StoreError> {
        with_cases(&self.index, make)
    }

    /// The cases of this id, in their order. Ids are unique, so there is one or none.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn case(&self, id: &str) -> Result<Option<EvalCaseResults>, StoreError> {
        self.index.cases().find(|case| case.as_ref().map_or(true, |case| case.id.as_str() == id)).transpose()
    }

    /// The ids of the first cases that did not pass.
    #[must_use]
    pub fn not_passed(&self) -> &[String] {
        &self.summary.not_passed
    }
}

/// Folds a run's journal, case by case in input order.
///
/// # Errors
/// When the journal cannot be read.
pub fn add_up(folder: &RunFolder) -> Result<(Summary, JournalIndex), StoreError> {
    let index = folder.index()?;
    let mut builder = SummaryBuilder::default();
    for case in index.cases() {
        builder.add(&case?);
    }
    Ok((builder.finish(), index))
}

/// What a run comes to that nobody finished.
fn judged(manifest: &RunManifest, summary: &Summary) -> RunOutcome {
    // Without its baseline nothing can be said of new failures.
    let (relative, gates): (Vec<_>, Vec<_>) = manifest
        .gates
        .iter()
        .filter_map(|asked| asked.gate.parse::<Gate>().ok())
        .partition(|gate| matches!(gate, Gate::NoNewFailures { .. }));
    let (mut state, mut results) = Gate::judge_all(&gates, summary, &manifest.facts);
    for gate in relative {
        let detail = "the run is not finished, so it was not held to its baseline".to_owned();
        results.push(GateResult { gate: gate.to_string(), state: GateState::NotProven, detail });
        state = state.max(GateState::NotProven);
    }
    let exit = Exit::of(manifest.facts.state, state).code();
    RunOutcome { state, gates: results, exit, notes: Vec::new(), wall_ms: None }
}

/// Writes every report of a run into its folder: `report.txt`, `report.json`, `junit.xml`, `report.md`.
///
/// # Errors
/// When the journal cannot be read, or a file cannot be written.
pub fn write_all(folder: &RunFolder, report: &Report<'_>) -> Result<(), StoreError> {
    let index = folder.index()?;
    let path = |name| folder.path().join(name);
    let plain = with_cases(&index, |cases| text(report, cases, &TextOptions::default()))?;
    let plain = anstream::adapter::strip_str(&plain).to_string();
    replace_file(&path("report.txt"), |out| out.write_all(plain.as_bytes()))?;
    let page = with_cases(&index, |cases| markdown(report, cases, MARKDOWN_LIMIT))?;
    replace_file(&path("report.md"), |out| out.write_all(page.as_bytes()))?;
    for (name, make) in [("report.json", json as Streamed), ("junit.xml", junit)] {
        let mut broken = None;
        let written = replace_file(&path(name), |out| {
            let made = with_cases(&index, |cases| make(report, cases, out));
            made.unwrap_or_else(|error| {
                let stopped = Err(io::Error::other(error.to_string()));
                broken = Some(error);
                stopped
            })
        });
        broken.map_or(written, Err)?;
    }
    Ok(())
}

/// A report that is written case by case.
type Streamed = fn(&Report<'_>, &mut dyn Iterator<Item = EvalCaseResults>, &mut dyn io::Write) -> io::Result<()>;

/// Hands out cases until one cannot be read.
fn with_cases<T>(
    index: &JournalIndex,
    make: impl FnOnce(&mut dyn Iterator<Item = EvalCaseResults>) -> T,
) -> Result<T, StoreError> {
    let mut broken = None;
    let mut whole = index.cases().map_while(|case| case.map_err(|error| broken = Some(error)).ok());
    let made = make(&mut whole);
    drop(whole);
    match broken {
        Some(error) => Err(error),
        None => Ok(made),
    }
}
