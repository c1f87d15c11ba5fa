//! The run itself: from settings to a folder with a journal and a verdict.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::preflight::Preflight;
use super::recorder::Recorder;
use super::scrubbing;
use super::settings::{Settings, SettingsError};
use super::targets::Target;
use super::variants::VariantSources;
use crate::case::{EvalCase, EvalCaseParser};
use crate::evaluate::{EvalContext, EvaluationRules, evaluate};
use crate::recording::{Existing, FirstLook, Interaction, Quarantine, Recordings, UnreadRow};
use crate::replay::{Attempt, ExperimentRunner, IntoCase, RunPlan, Stop, Stray};
use crate::report::{ReadBack, add_up};
use crate::scrub::Scrubber;
use crate::store::{Content, JournalIndex, JournalWriter, RunFolder, RunManifest, RunOutcome};
use crate::verdict::{AttemptRow, Exit, Facts, Gate, RunState};

/// What a run writes besides its folder, and where.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The folder that runs are kept in.
    pub runs: PathBuf,
    /// Where to write what the target did, as a recording.
    pub record: Option<PathBuf>,
    /// What becomes of a recording that is there already.
    pub existing: Existing,
    /// The command line, for the manifest.
    pub arguments: Vec<String>,
    /// A run to go on with.
    pub resume: Option<String>,
    /// Where rejects are written; in the run's folder unless set.
    pub quarantine: Option<PathBuf>,
}

impl Places {
    /// A file that is there already is replaced only where that was said.
    fn spare(&self) -> Result<(), SettingsError> {
        match &self.record {
            Some(path) if path.exists() && self.existing == Existing::Refuse => {
                let problem = format!("{} is there already", path.display());
                Err(SettingsError::with_help("record", problem, Some("--force replaces it".into())))
            }
            _ => Ok(()),
        }
    }
}

/// Is told how a run goes.
pub trait Progress: Send {
    /// So many bytes of recordings are about to be read, before anything is run.
    fn read(&mut self, bytes: u64);
    /// The run starts: so many attempts are to be made, so many were made before.
    fn begin(&mut self, attempts: u64, made: u64);
    /// An attempt was made.
    fn made(&mut self, row: &AttemptRow);
    /// The run is over.
    fn end(&mut self);
}

/// What a run came to.
pub struct Outcome {
    /// Its folder.
    pub folder: RunFolder,
    /// Its figures, gates and cases.
    pub run: ReadBack,
}

/// Runs a suite.
///
/// # Errors
/// When the run is refused: settings, recordings, pre-flight, a baseline that cannot be read.
pub async fn run(
    settings: &Settings,
    places: &Places,
    progress: &mut dyn Progress,
    stop: Stop,
) -> miette::Result<Outcome> {
    let began = Instant::now();
    let mut gates = settings.gates.iter().map(|setting| setting.gate.clone()).collect::<Vec<_>>();
    for gate in &mut gates {
        read_baseline(gate, &places.runs)?;
    }
    // The run has its folder only when it may start.
    let rejects =
        tempfile::NamedTempFile::new().map_err(|error| miette::miette!("cannot make a temporary file: {error}"))?;
    let spooled = Places { quarantine: Some(rejects.path().to_owned()), ..places.clone() };
    let looked_into = if places.quarantine.is_some() { places } else { &spooled };
    let (sources, found) = look(settings, looked_into, progress).await?;
    found.check()?;
    let recorder = places.record.as_deref().map(|path| recorder(path, &sources, settings)).transpose()?;
    places.spare()?;
    let manifest = super::manifest::manifest(settings, &sources, &found, &places.arguments)?;
    let target = &sources.target;
    if let Some(done) = finished_before(places, &manifest)? {
        target.system.shut_down().await;
        return Ok(done);
    }
    let mut folder = open_folder(places, manifest)?;
    keep_rejects(settings, looked_into, &found, &folder)?;
    let journal = Journal::open(&folder)?;
    progress.begin(found.cases * u64::from(settings.repeats), journal.index.len() as u64);
    let cases = cases(&sources, &found.look, settings)?;
    let measured = measure(settings, recorder, cases, target, journal, progress, stop.clone()).await;
    progress.end();
    let strays = target.system.shut_down().await;
    measured?;
    let earlier = folder.manifest().facts.strays.clone();
    let strays = earlier.into_iter().chain(strays).collect();
    let facts = facts(settings, &found, target, strays, &stop);
    let (summary, index) = add_up(&folder)?;
    let (state, results) = Gate::judge_all(&gates, &summary, &facts);
    let result = RunOutcome {
        state,
        gates: results,
        exit: Exit::of(facts.state, state).code(),
        notes: notes(settings, places, &found, target, index.len()),
        wall_ms: Some(began.elapsed().as_secs_f64() * 1000.0),
    };
    folder.finish(facts, result)?;
    let run = ReadBack::of(&folder, summary, index);
    Ok(Outcome { folder, run })
}

/// Puts the rows that were turned away into the run's folder, but where no content may be kept.
fn keep_rejects(settings: &Settings, places: &Places, found: &Preflight, folder: &RunFolder) -> miette::Result<()> {
    let Some(written) = places.quarantine.as_ref().filter(|_| !found.quarantine.is_empty()) else { return Ok(()) };
    if settings.content == Content::Keep {
        let kept = folder.path().join("quarantine.jsonl");
        std::fs::copy(written, &kept).map_err(|error| miette::miette!("cannot write {kept:?}: {error}"))?;
    }
    Ok(())
}

/// What a reader should know besides: rows that were turned away, a run that was resumed.
fn notes(settings: &Settings, places: &Places, found: &Preflight, target: &Target, attempts: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(scrubber) = &settings.bindings.scrubber {
        notes.push(format!("calls, replies and recordings were scrubbed, with the key {}", scrubber.key_name()));
    }
    if places.resume.is_some() {
        notes.push(format!("this run was resumed; its journal holds {attempts} attempts"));
    }
    notes.extend(found.notes());
    let second = target.second().map(|second| &second.quarantine);
    for reject in found.quarantine.shown.iter().chain(second.into_iter().flat_map(|quarantine| &quarantine.shown)) {
        notes.push(reject.to_string());
    }
    notes
}

/// What the settings name, opened.
pub struct Sources {
    /// What is run.
    pub recordings: Recordings,
    /// What it is run against.
    pub target: Target,
    /// Other ways that are accepted.
    pub(super) variants: VariantSources,
}

impl Sources {
    /// Whether a path is one of the files to be read.
    fn contain(&self, path: &Path) -> bool {
        let second = self.target.second.as_ref().is_some_and(|(_, second)| second.contains(path));
        second || self.recordings.contains(path) || self.variants.contains(path)
    }
}

/// Opens what the settings name and looks at it once.
///
/// # Errors
/// When a recording cannot be opened.
pub async fn look(
    settings: &Settings,
    places: &Places,
    progress: &mut dyn Progress,
) -> miette::Result<(Sources, Preflight)> {
    if settings.recordings.is_empty() {
        return Err(SettingsError::missing_recordings().into());
    }
    let recordings = Recordings::open(&settings.recordings)?;
    progress.read(recordings.bytes());
    let target = Target::open(settings)?;
    let variants = VariantSources::open(&settings.variants, &settings.pair_by)?;
    let sources = Sources { recordings, target, variants };
    let found = look_at(settings, places, &sources).await?;
    Ok((sources, found))
}

async fn look_at(settings: &Settings, places: &Places, sources: &Sources) -> miette::Result<Preflight> {
    let quarantine = match &places.quarantine {
        Some(path) => {
            refuse_own_input(path, sources)?;
            settings.spare_tools(path)?;
            Quarantine::in_file(path).map_err(|error| miette::miette!("cannot write {path:?}: {error}"))?
        }
        None => Quarantine::default(),
    };
    Preflight::look(sources, settings, quarantine).await
}

/// Opens the recording to be written, before anything is spent.
fn recorder(path: &Path, sources: &Sources, settings: &Settings) -> miette::Result<Recorder> {
    refuse_own_input(path, sources)?;
    settings.spare_tools(path)?;
    Recorder::create(path)
}

/// Refuses to write over what is read.
fn refuse_own_input(path: &Path, sources: &Sources) -> miette::Result<()> {
    if !sources.contain(path) {
        return Ok(());
    }
    Err(miette::miette!(
        code = "taketwo::output_is_input",
        help = "write to another file",
        "{path:?} is one of the recordings to be read"
    ))
}

/// What was measured before, and the place for what comes.
struct Journal {
    index: JournalIndex,
    writer: JournalWriter,
}

impl Journal {
    fn open(folder: &RunFolder) -> miette::Result<Self> {
        // The writer first: it cuts off a torn last line.
        let writer = folder.journal()?;
        Ok(Self { index: folder.index()?, writer })
    }
}

/// How many rows are written to the journal at once.
const BATCH: usize = 256;

/// How long rows are gathered before they are written. Lanes that are fast make many in this time, and waking up for
/// each would cost more than writing it.
const GATHERING: Duration = Duration::from_millis(2);

async fn measure(
    settings: &Settings,
    mut recorder: Option<Recorder>,
    cases: impl Iterator<Item = UnreadCase> + Send + 'static,
    target: &Target,
    journal: Journal,
    progress: &mut dyn Progress,
    stop: Stop,
) -> miette::Result<()> {
    let plan = RunPlan {
        lanes: settings.lanes,
        repeats: settings.repeats,
        deadline: settings.deadline,
        rules: Arc::new(settings.bindings.clone()),
        live_tools: None,
    };
    let runner = ExperimentRunner::new(Arc::clone(&target.system), plan);
    let (done, mut writer) = (Arc::new(journal.index), journal.writer);
    let finish = finisher(settings, recorder.is_some());
    let (sender, mut receiver) = mpsc::channel(settings.lanes.max(BATCH));
    let running = tokio::spawn(async move {
        runner.run(cases, move |key| done.contains(key), finish, sender, stop).await;
    });
    let mut batch = Vec::with_capacity(BATCH);
    while receiver.recv_many(&mut batch, BATCH).await > 0 {
        let mut rows = Vec::with_capacity(batch.len());
        for (row, seen) in batch.drain(..) {
            if let (Some(recorder), Some(seen)) = (&mut recorder, seen) {
                recorder.take(AttemptRow::key(&row), &seen)?;
            }
            rows.push(row);
        }
        writer.append(&rows).map_err(|error| miette::miette!("cannot write the journal: {error}"))?;
        rows.iter().for_each(|row| progress.made(row));
        tokio::time::sleep(GATHERING).await;
    }
    running.await.map_err(|error| miette::miette!("the runner stopped: {error}"))?;
    recorder.map_or(Ok(()), Recorder::finish)
}

/// What is made of an attempt: its row, and what is recorded of it.
fn finisher(
    settings: &Settings,
    is_recording: bool,
) -> impl Fn(&EvalCase, Attempt) -> (AttemptRow, Option<Interaction>) + Send + Sync + 'static {
    let (rules, content): (EvaluationRules, _) = (settings.evaluation.clone(), settings.content);
    move |case, attempt| {
        let row = {
            let context = EvalContext::new(case, &attempt, &rules);
            let results = evaluate(&context);
            AttemptRow::new(&context, results)
        };
        let row = if content == Content::Omit { row.without_content() } else { row };
        (row, is_recording.then_some(attempt.seen))
    }
}

/// A case that is read in the lane that runs it.
struct UnreadCase {
    index: u64,
    row: UnreadRow,
    parser: EvalCaseParser,
    variants: VariantSources,
    scrubber: Option<Arc<Scrubber>>,
}

impl IntoCase for UnreadCase {
    fn index(&self) -> u64 {
        self.index
    }

    fn into_case(self) -> Option<EvalCase> {
        // The first look read it, and a row that makes no case was a reason not to start.
        let row = scrubbing::row(self.row.read().ok()?, self.scrubber.as_deref());
        let mut case = self.parser.parse(self.index, row).ok()?;
        self.variants.add_to(&mut case, &self.parser, self.scrubber.as_deref()).ok()?;
        Some(case)
    }
}

/// The cases of the recordings, numbered as the first look numbered them.
fn cases(
    sources: &Sources,
    look: &FirstLook,
    settings: &Settings,
) -> miette::Result<impl Iterator<Item = UnreadCase> + Send + 'static> {
    let parser = EvalCaseParser { tolerances: settings.tolerances };
    let (rows, variants) = (sources.recordings.look_again(look)?, sources.variants.clone());
    let scrubber = settings.bindings.scrubber.clone();
    Ok((0..).zip(rows).map(move |(index, row)| {
        let (variants, scrubber) = (variants.clone(), scrubber.clone());
        UnreadCase { index, row, parser, variants, scrubber }
    }))
}

fn facts(settings: &Settings, found: &Preflight, target: &Target, strays: Vec<Stray>, stop: &Stop) -> Facts {
    Facts {
        state: if stop.is_stopped() { RunState::Cancelled } else { RunState::Finished },
        cases: found.cases,
        repeats: settings.repeats,
        rejected: found.quarantine.rejected,
        torn: found.quarantine.torn,
        without_case: target.second().map_or(0, |second| second.interactions.saturating_sub(found.paired)),
        strays,
    }
}

/// Fills in what a baseline run knows. One that cannot be read, or did not finish, is no baseline.
fn read_baseline(gate: &mut Gate, runs: &Path) -> miette::Result<()> {
    let Gate::NoNewFailures { baseline, known } = gate else { return Ok(()) };
    let folder = RunFolder::open(baseline, runs)?;
    if folder.manifest().facts.state != RunState::Finished {
        return Err(miette::miette!("the run {baseline:?} is not finished, so it is no baseline"));
    }
    *known = folder.not_passed()?;
    Ok(())
}

fn open_folder(places: &Places, manifest: RunManifest) -> miette::Result<RunFolder> {
    let Some(run) = &places.resume else { return Ok(RunFolder::create(&places.runs, manifest)?) };
    if places.record.is_some() && !RunFolder::open(run, &places.runs)?.index()?.is_empty() {
        return Err(miette::miette!(
            code = "taketwo::record_in_part",
            help = "resume without --record, or start a new run with it",
            "the attempts that the run {run:?} made before cannot be recorded any more, so --record would write a part"
        ));
    }
    Ok(RunFolder::resume(run, &places.runs, &manifest)?)
}

/// The run to go on with, where nothing is left of it to do: it stays as it is, to the last byte.
fn finished_before(places: &Places, wanted: &RunManifest) -> miette::Result<Option<Outcome>> {
    let Some(run) = places.resume.as_deref().filter(|_| places.record.is_none()) else { return Ok(None) };
    let folder = RunFolder::open(run, &places.runs)?;
    folder.check_resumable(wanted)?;
    let is_finished = folder.outcome().is_some() && folder.manifest().facts.state == RunState::Finished;
    if !is_finished || folder.manifest().gates != wanted.gates {
        return Ok(None);
    }
    let attempts = wanted.facts.cases * u64::from(wanted.facts.repeats);
    let run = ReadBack::new(&folder)?;
    Ok((folder.index()?.len() as u64 == attempts).then_some(Outcome { folder, run }))
}
