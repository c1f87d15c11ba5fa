//! A run's reports beside its journal, and a run read back.

use std::io::{self, Write};
use std::iter::once;
use std::path::Path;

use super::{MARKDOWN_LIMIT, Report, TextOptions, case_text, diff_text, json, junit, markdown, markdown_case, text};
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
    only: Option<EvalCaseResults>,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For a person.
    Text(TextOptions),
    /// For a person, two recordings only.
    Diff(TextOptions),
    /// For a program.
    Json,
    /// For a CI job.
    Junit,
    /// For a pull request.
    Markdown,
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
        Self { manifest, index, summary, trust, outcome, only: None }
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

    /// The same, but only with this case, which is shown in full.
    ///
    /// # Errors
    /// [`StoreError::NoCase`] when the run has none of this id, others when the journal cannot be read.
    pub fn only(self, id: Option<&str>) -> Result<Self, StoreError> {
        let Some(id) = id else { return Ok(self) };
        let mut near = Vec::new();
        for case in self.index.cases() {
            let case = case?;
            if case.id.as_str() == id {
                return Ok(Self { only: Some(case), ..self });
            }
            near.push((strsim::jaro_winkler(case.id.as_str(), id), case.id.to_string()));
            near.sort_by(|a, b| b.0.total_cmp(&a.0));
            near.truncate(3);
        }
        let near = near.into_iter().filter(|(likeness, _)| *likeness > 0.7).map(|(_, id)| id).collect();
        Err(StoreError::NoCase { run: self.manifest.id.to_string(), id: id.to_owned(), near })
    }

    /// Writes a report. Text has ANSI styles; `anstream` takes them out where nobody sees them.
    ///
    /// # Errors
    /// When the journal cannot be read, or the report cannot be written.
    pub fn write(&self, form: Form, out: &mut dyn Write) -> Result<(), StoreError> {
        let done = match self.whole(form)? {
            Some(shown) => out.write_all(shown.as_bytes()),
            None => self.stream(form, out)?,
        };
        done.map_err(StoreError::io("write", Path::new("the report")))
    }

    /// Writes a report to a file, without styles. The file is there when it is whole.
    ///
    /// # Errors
    /// As [`write`](ReadBack::write).
    pub fn write_file(&self, form: Form, path: &Path) -> Result<(), StoreError> {
        if let Some(shown) = self.whole(form)? {
            let plain = anstream::adapter::strip_str(&shown).to_string();
            return replace_file(path, |out| out.write_all(plain.as_bytes()));
        }
        let mut broken = None;
        let written = replace_file(path, |out| {
            self.stream(form, out).unwrap_or_else(|error| {
                let stopped = Err(io::Error::other(error.to_string()));
                broken = Some(error);
                stopped
            })
        });
        broken.map_or(written, Err)
    }

    /// The forms that are bounded, in one piece.
    fn whole(&self, form: Form) -> Result<Option<String>, StoreError> {
        let report = self.report();
        Ok(match (form, &self.only) {
            (Form::Text(options), None) => Some(with_cases(&self.index, |cases| text(&report, cases, &options))?),
            (Form::Diff(options), _) => Some(with_cases(&self.index, |cases| diff_text(&report, cases, &options))?),
            (Form::Text(options), Some(case)) => Some(case_text(&report, case.clone(), &options)),
            (Form::Markdown, None) => Some(with_cases(&self.index, |cases| markdown(&report, cases, MARKDOWN_LIMIT))?),
            (Form::Markdown, Some(case)) => Some(markdown_case(&report, case.clone(), MARKDOWN_LIMIT)),
            (Form::Json | Form::Junit, _) => None,
        })
    }

    /// The forms that grow with the cases.
    fn stream(&self, form: Form, out: &mut dyn Write) -> Result<io::Result<()>, StoreError> {
        let report = self.report();
        match (form, &self.only) {
            (Form::Junit, None) => with_cases(&self.index, |cases| junit(&report, cases, out)),
            (Form::Junit, Some(case)) => Ok(junit(&report, &mut once(case.clone()), out)),
            (_, None) => with_cases(&self.index, |cases| json(&report, cases, out)),
            (_, Some(case)) => {
                let written = serde_json::to_writer_pretty(&mut *out, &report.admitted(case.clone()));
                Ok(written.map_err(io::Error::from).and_then(|()| out.write_all(b"\n")))
            }
        }
    }

    /// Writes every report into the run's folder: `report.txt`, `report.md`, `junit.xml`, `report.json`.
    ///
    /// # Errors
    /// As [`write`](ReadBack::write).
    pub fn write_all(&self, folder: &RunFolder) -> Result<(), StoreError> {
        for (name, form) in [
            ("report.txt", Form::Text(TextOptions::default())),
            ("report.md", Form::Markdown),
            ("junit.xml", Form::Junit),
            ("report.json", Form::Json),
        ] {
            self.write_file(form, &folder.path().join(name))?;
        }
        Ok(())
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
