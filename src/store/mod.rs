//! Runs on disk: a folder for each, with its settings, a journal that a killed run resumes from, and its reports.

mod error;
mod file;
mod folder;
mod index;
mod journal;
mod manifest;
mod run_id;

pub use error::StoreError;
pub use file::{NewFile, replace_file};
pub use folder::{RUNS, RunFolder};
pub use index::{Cases, JournalIndex};
pub use journal::JournalWriter;
pub use manifest::{Content, GateSource, OtherSetting, RunManifest, RunOutcome, SettingSource};
pub use run_id::RunId;
