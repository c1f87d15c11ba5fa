//! A run's folder: `.taketwo/runs/<id>/`.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::file::replace_file;
use super::index::JournalIndex;
use super::journal::JournalWriter;
use super::manifest::{FORMAT, ManifestFile, ManifestHead, RunManifest, RunOutcome, VERSION};
use super::run_id::RunId;
use crate::recording::CaseId;
use crate::verdict::{CaseVerdict, Facts, RunState};

/// Where runs are kept, from the working directory.
pub const RUNS: &str = ".taketwo/runs";

const MANIFEST: &str = "manifest.json";
const JOURNAL: &str = "journal.jsonl";
const LOCK: &str = ".lock";

/// A run on disk.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    manifest: RunManifest,
    outcome: Option<RunOutcome>,
    /// Held while the run is being written.
    lock: Option<File>,
}

impl RunFolder {
    /// Makes a folder for a run and locks it. Where one of its name is there already, the run gets another name.
    ///
    /// # Errors
    /// [`StoreError::Io`] when it cannot be written.
    pub fn create(root: &Path, mut manifest: RunManifest) -> Result<Self, StoreError> {
        make_root(root)?;
        let path = loop {
            let path = root.join(manifest.id.as_str());
            match fs::create_dir(&path) {
                Ok(()) => break path,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => manifest.id = RunId::fresh(),
                Err(error) => return Err(StoreError::io("make", &path)(error)),
            }
        };
        let lock = Some(lock(&path)?);
        let folder = Self { path, manifest, outcome: None, lock };
        folder.write_manifest()?;
        Ok(folder)
    }

    /// Whether a name is that of a run: a folder with a manifest, `last`, or what looks like an id or the start of one
    /// and is no file.
    #[must_use]
    pub fn is_named(name: &str) -> bool {
        let path = Path::new(name);
        let may_be_id = back_from_last(name).is_some() || RunId::may_begin_with(name);
        path.join(MANIFEST).is_file() || (may_be_id && !path.exists())
    }

    /// Opens a run to read it: by its folder, its id, the start of its id, or `last`; `last~1` is the one before.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] and [`StoreError::Ambiguous`] when it is not to be found, others when it cannot be read.
    pub fn open(path_or_id: &str, root: &Path) -> Result<Self, StoreError> {
        let path = find(path_or_id, root)?;
        let (manifest, outcome) = read_manifest(&path.join(MANIFEST))?;
        Ok(Self { path, manifest, outcome, lock: None })
    }

    /// Opens a run to go on with it, and locks it. Lanes and gates are taken from `wanted`.
    ///
    /// # Errors
    /// [`StoreError::OtherSettings`] when it was made with other settings, [`StoreError::Locked`] when it is being
    /// written, others when it cannot be read.
    pub fn resume(path_or_id: &str, root: &Path, wanted: &RunManifest) -> Result<Self, StoreError> {
        let mut folder = Self::open(path_or_id, root)?;
        folder.check_resumable(wanted)?;
        folder.lock = Some(lock(&folder.path)?);
        // It may have been finished between the first look and the lock.
        (folder.manifest, folder.outcome) = read_manifest(&folder.path.join(MANIFEST))?;
        (folder.manifest.lanes, folder.manifest.gates) = (wanted.lanes, wanted.gates.clone());
        folder.manifest.facts.state = RunState::Unfinished;
        (folder.manifest.finished_at, folder.outcome) = (None, None);
        folder.write_manifest()?;
        Ok(folder)
    }

    /// Whether the run was made with these settings.
    ///
    /// # Errors
    /// [`StoreError::OtherSettings`] with each setting that differs.
    pub fn check_resumable(&self, wanted: &RunManifest) -> Result<(), StoreError> {
        let differences = self.manifest.differing_settings(wanted);
        if differences.is_empty() {
            return Ok(());
        }
        Err(StoreError::OtherSettings { run: self.manifest.id.to_string(), differences })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the run was made with.
    #[must_use]
    pub fn manifest(&self) -> &RunManifest {
        &self.manifest
    }

    /// What the run came to; `None` while it is not finished.
    #[must_use]
    pub fn outcome(&self) -> Option<&RunOutcome> {
        self.outcome.as_ref()
    }

    /// Opens the journal to add to it.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another process writes it.
    pub fn journal(&self) -> Result<JournalWriter, StoreError> {
        let own = if self.lock.is_some() { None } else { Some(lock(&self.path)?) };
        JournalWriter::open(&self.path.join(JOURNAL), own)
    }

    /// Looks through the journal.
    ///
    /// # Errors
    /// [`StoreError::Journal`] when a line other than the last is damaged.
    pub fn index(&self) -> Result<JournalIndex, StoreError> {
        JournalIndex::read(&self.path.join(JOURNAL))
    }

    /// Writes down what the run came to, and lets go of the lock.
    ///
    /// # Errors
    /// [`StoreError::Io`] when the manifest cannot be written.
    pub fn finish(&mut self, facts: Facts, outcome: RunOutcome) -> Result<(), StoreError> {
        self.manifest.facts = facts;
        self.manifest.finished_at = Some(jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string());
        self.outcome = Some(outcome);
        self.write_manifest()?;
        self.lock = None;
        Ok(())
    }

    /// The cases that did not pass: what a later run is compared with.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn not_passed(&self) -> Result<BTreeMap<CaseId, CaseVerdict>, StoreError> {
        let mut found = BTreeMap::new();
        for case in self.index()?.cases() {
            let case = case?;
            if case.verdict != CaseVerdict::Passed {
                found.insert(case.id, case.verdict);
            }
        }
        Ok(found)
    }

    fn write_manifest(&self) -> Result<(), StoreError> {
        let file = ManifestFile { format: FORMAT, version: VERSION, manifest: &self.manifest, outcome: &self.outcome };
        replace_file(&self.path.join(MANIFEST), |out| {
            serde_json::to_writer_pretty(&mut *out, &file)?;
            out.write_all(b"\n")
        })
    }
}

/// Makes the folder that runs are kept in. They hold what production was asked, so a new one keeps itself out of Git.
fn make_root(root: &Path) -> Result<(), StoreError> {
    if root.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(root).map_err(StoreError::io("make", root))?;
    let path = root.join(".gitignore");
    fs::write(&path, "*\n").map_err(StoreError::io("write", &path))
}

/// Takes the right to write a run. It ends with the file, so a killed process holds nothing.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(StoreError::io("write", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &path)(error)),
    }
}

fn read_manifest(path: &Path) -> Result<(RunManifest, Option<RunOutcome>), StoreError> {
    let text = fs::read(path).map_err(StoreError::io("read", path))?;
    let wrong = |problem: String| StoreError::Manifest { path: path.to_owned(), problem };
    let head: ManifestHead = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    if head.format != FORMAT {
        return Err(wrong(format!("its format is {:?}", head.format)));
    }
    if head.version > VERSION {
        return Err(StoreError::Version { path: path.to_owned(), found: head.version, known: VERSION });
    }
    let manifest = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    Ok((manifest, head.outcome))
}

/// Finds a run's folder.
fn find(wanted: &str, root: &Path) -> Result<PathBuf, StoreError> {
    let named = Path::new(wanted);
    if named.join(MANIFEST).is_file() {
        return Ok(named.to_owned());
    }
    let runs = runs(root)?;
    let mut found: Vec<&RunId> = match (wanted, back_from_last(wanted)) {
        (_, Some(back)) => runs.iter().rev().nth(back).into_iter().collect(),
        ("", _) => Vec::new(),
        (start, _) => runs.iter().filter(|run| run.as_str().starts_with(start)).collect(),
    };
    match (found.pop(), found.is_empty()) {
        (Some(run), true) => Ok(root.join(run.as_str())),
        (Some(run), false) => {
            found.push(run);
            let found = found.iter().map(ToString::to_string).collect();
            Err(StoreError::Ambiguous { wanted: wanted.to_owned(), found })
        }
        (None, _) => {
            let known = runs.iter().rev().take(3).map(ToString::to_string).collect();
            Err(StoreError::NoRun { wanted: wanted.to_owned(), root: root.to_owned(), known })
        }
    }
}

/// How far before the latest run: `last` is that itself, `last~1` the one before it.
fn back_from_last(wanted: &str) -> Option<usize> {
    match wanted.strip_prefix("last")? {
        "" => Some(0),
        back => back.strip_prefix('~')?.parse().ok(),
    }
}

/// The runs in a folder, the latest last.
fn runs(root: &Path) -> Result<Vec<RunId>, StoreError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("read", root)(error)),
    };
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut runs: Vec<RunId> = names.filter_map(|name| RunId::parse(&name)).collect();
    runs.retain(|run| root.join(run.as_str()).join(MANIFEST).is_file());
    runs.sort();
    Ok(runs)
}
