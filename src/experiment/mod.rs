//! A run as a whole: settings, pre-flight, the run itself, its folder and its reports.

mod preflight;
mod settings;
mod suite;
mod target_spec;

pub use preflight::{Preflight, Refusal};
pub use settings::{ContentRule, Flags, GateSetting, Settings, SettingsError, Source};
pub use suite::{Suite, SuiteError};
pub use target_spec::{TargetSpec, TargetSpecError};
