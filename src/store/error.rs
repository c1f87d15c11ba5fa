//! What may be wrong with a run on disk.

use std::io;
use std::path::{Path, PathBuf};

/// Why a run could not be written or read.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What came back.
        source: io::Error,
    },
    /// There is no such run.
    #[error("there is no run {wanted:?} in {}", root.display())]
    #[diagnostic(help("name a run by its folder, its id, the start of its id, or \"last\"{}", listed(known)))]
    NoRun {
        /// What was asked for.
        wanted: String,
        /// Where runs are kept.
        root: PathBuf,
        /// The latest runs that are there.
        known: Vec<String>,
    },
    /// More than one run starts like this.
    #[error("{wanted:?} is the start of several runs: {}", found.join(", "))]
    #[diagnostic(help("write more of the id"))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// The runs.
        found: Vec<String>,
    },
    /// The manifest is not one.
    #[error("{} is no manifest of a run: {problem}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A later version wrote the run.
    #[error("{} has version {found}, this program reads version {known}", path.display())]
    #[diagnostic(help("use the taketwo that made the run, or a newer one"))]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is known here.
        known: u32,
    },
    /// Somebody is writing the run.
    #[error("the run {} is being written by another process", path.display())]
    #[diagnostic(help("wait until it is done, or stop it"))]
    Locked {
        /// The run's folder.
        path: PathBuf,
    },
    /// A line of the journal cannot be read, and it is not the last one.
    #[error("{} is damaged: the line at byte {offset} is no row of a journal: {problem}", path.display())]
    #[diagnostic(help("the lines before it are whole; to go on without the rest, cut the file off at that byte"))]
    Journal {
        /// The file.
        path: PathBuf,
        /// Where the line begins.
        offset: u64,
        /// What is wrong.
        problem: String,
    },
    /// The run was made with other settings.
    #[error("the run {run} cannot be resumed, its settings were others:\n{}", differences.join("\n"))]
    #[diagnostic(help("start a new run, or resume with the settings of the first start"))]
    OtherSettings {
        /// The run.
        run: String,
        /// Each setting that differs, a line each.
        differences: Vec<String>,
    },
    /// The run has no such case.
    #[error("the run {run} has no case {id:?}")]
    #[diagnostic(help("{}", if near.is_empty() { "its cases are in report.json".into() } else { format!("like it are {}", near.join(", ")) }))]
    NoCase {
        /// The run.
        run: String,
        /// What was asked for.
        id: String,
        /// Ids that are like it.
        near: Vec<String>,
    },
}

fn listed(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; the latest are {}", known.join(", ")) }
}

impl StoreError {
    /// Puts to an error of the file system what was tried.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| StoreError::Io { action, path, source }
    }
}
