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
    #[error("{wanted:?} is the start of {} runs:{}", found.len(), latest(found))]
    #[diagnostic(help("write more of the id, or \"last\" for the latest run"))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// The runs, the oldest first.
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
    #[diagnostic(help("{}", how_to_find(run, near)))]
    NoCase {
        /// The run.
        run: String,
        /// What was asked for.
        id: String,
        /// Ids that are like it.
        near: Vec<String>,
    },
}

/// How many runs are named.
const NAMED: usize = 5;

/// The latest of the runs, a line each, and how many more there are.
fn latest(found: &[String]) -> String {
    let mut lines: Vec<String> = found.iter().rev().take(NAMED).cloned().collect();
    if let Some(more) = found.len().checked_sub(NAMED).filter(|more| *more > 0) {
        lines.push(format!("and {more} more"));
    }
    lines.iter().map(|line| format!("\n  {line}")).collect()
}

fn how_to_find(run: &str, near: &[String]) -> String {
    if near.is_empty() {
        format!("its \"cases\" list the ids: taketwo report {run} --json")
    } else {
        format!("like it are {}", near.join(", "))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_name_lists_the_latest_runs_a_line_each() {
        let found = |count: u32| StoreError::Ambiguous {
            wanted: "2026".into(),
            found: (1..=count).map(|day| format!("2026010{day}")).collect(),
        };
        assert_eq!(found(2).to_string(), "\"2026\" is the start of 2 runs:\n  20260102\n  20260101");
        let seven = found(7).to_string();
        assert_eq!(seven.lines().count(), 7, "{seven}");
        assert!(seven.contains("\n  20260107\n") && seven.ends_with("\n  20260103\n  and 2 more"), "{seven}");
    }

    #[test]
    fn an_unknown_case_comes_with_ids_that_are_like_it_or_a_way_to_list_them() {
        let help = |near: &[&str]| {
            let near = near.iter().map(ToString::to_string).collect();
            let error = StoreError::NoCase { run: "20260101".into(), id: "x".into(), near };
            miette::Diagnostic::help(&error).map(|help| help.to_string()).unwrap_or_default()
        };
        assert_eq!(help(&["order-1", "order-2"]), "like it are order-1, order-2");
        assert!(help(&[]).ends_with("taketwo report 20260101 --json"), "{}", help(&[]));
    }
}
