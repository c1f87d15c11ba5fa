//! A run's reports beside its journal, and a run read back.

use std::io::{self, Write};
use std::iter::once;
use std::path::Path;

use super::json::JsonReport;
use super::junit::JunitReport;
use super::markdown::{MARKDOWN_LIMIT, MarkdownReport};
use super::telling::{Sheet, Styles, tell};
use super::text::{DiffReport, TextReport};
use super::{Report, TextOptions, case_text, markdown_case};
use crate::store::{JournalIndex, NewFile, RunFolder, RunManifest, RunOutcome, StoreError};
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

impl Form {
    /// A report of this form in the making.
    fn sheet(self, styles: Styles, out: &mut dyn Write) -> Sheet<'_> {
        match self {
            Form::Text(options) => Sheet::new(TextReport::new(options, styles), out),
            Form::Diff(options) => Sheet::new(DiffReport::new(options, styles), out),
            Form::Json => Sheet::new(JsonReport::default(), out),
            Form::Junit => Sheet::new(JunitReport::default(), out),
            Form::Markdown => Sheet::new(MarkdownReport::new(MARKDOWN_LIMIT), out),
        }
    }
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
        self.tell(form, Styles::Kept, out)?.map_err(StoreError::io("write", Path::new("the report")))
    }

    /// Writes a report to a file, without styles. The file is there when it is whole.
    ///
    /// # Errors
    /// As [`write`](ReadBack::write).
    pub fn write_file(&self, form: Form, path: &Path) -> Result<(), StoreError> {
        let mut file = NewFile::create(path)?;
        self.tell(form, Styles::Stripped, &mut file)?.map_err(StoreError::io("write", path))?;
        file.finish()
    }

    /// Writes every report into the run's folder: `report.txt`, `report.md`, `junit.xml`, `report.json`.
    ///
    /// # Errors
    /// As [`write`](ReadBack::write).
    pub fn write_all(&self, folder: &RunFolder) -> Result<(), StoreError> {
        self.write_files(folder, None)
    }

    /// Writes every report into the run's folder and shows one in the same go: the journal of a large run takes long
    /// to look through.
    ///
    /// # Errors
    /// As [`write`](ReadBack::write). The files are written also where what is shown finds no reader.
    pub fn write_all_and_show(&self, folder: &RunFolder, form: Form, out: &mut dyn Write) -> Result<(), StoreError> {
        self.write_files(folder, Some((form, out)))
    }

    fn write_files(&self, folder: &RunFolder, shown: Option<(Form, &mut dyn Write)>) -> Result<(), StoreError> {
        let mut files = Vec::new();
        for (name, form) in [
            ("report.txt", Form::Text(TextOptions::default())),
            ("report.md", Form::Markdown),
            ("junit.xml", Form::Junit),
            ("report.json", Form::Json),
        ] {
            let path = folder.path().join(name);
            files.push((form, NewFile::create(&path)?, path));
        }
        let mut sheets: Vec<Sheet<'_>> =
            files.iter_mut().map(|(form, file, _)| form.sheet(Styles::Stripped, file)).collect();
        sheets.extend(shown.map(|(form, out)| form.sheet(Styles::Kept, out)));
        with_cases(&self.index, |cases| tell(&self.report(), cases, &mut sheets))?;
        let mut done: Vec<io::Result<()>> = sheets.into_iter().map(Sheet::done).collect();
        let of_shown = done.drain(files.len()..).collect::<io::Result<()>>();
        for ((_, file, path), done) in files.into_iter().zip(done) {
            done.map_err(StoreError::io("write", &path))?;
            file.finish()?;
        }
        of_shown.map_err(StoreError::io("write", Path::new("the report")))
    }

    /// Makes a report: of all cases, or of the one that was asked for.
    fn tell(&self, form: Form, styles: Styles, out: &mut dyn Write) -> Result<io::Result<()>, StoreError> {
        let report = self.report();
        let Some(case) = &self.only else {
            let mut sheets = [form.sheet(styles, out)];
            with_cases(&self.index, |cases| tell(&report, cases, &mut sheets))?;
            let [sheet] = sheets;
            return Ok(sheet.done());
        };
        Ok(match form {
            Form::Text(options) => styles.write(&case_text(&report, case.clone(), &options), out),
            Form::Json => {
                let written = serde_json::to_writer_pretty(&mut *out, &report.admitted(case.clone()));
                written.map_err(io::Error::from).and_then(|()| out.write_all(b"\n"))
            }
            Form::Markdown => out.write_all(markdown_case(&report, case.clone(), MARKDOWN_LIMIT).as_bytes()),
            Form::Diff(_) | Form::Junit => {
                let mut sheets = [form.sheet(styles, out)];
                tell(&report, &mut once(case.clone()), &mut sheets);
                let [sheet] = sheets;
                sheet.done()
            }
        })
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
