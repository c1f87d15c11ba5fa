//! A run as a whole: settings, pre-flight, the run itself, its folder and its reports.

mod execute;
mod manifest;
mod policy;
mod preflight;
mod recorder;
mod scrubbing;
mod session;
mod settings;
mod suite;
mod suite_rules;
mod target_spec;
mod targets;
mod variants;

pub use execute::{Outcome, Places, Progress, Sources, look, run};
pub use preflight::{Preflight, Refusal};
pub use scrubbing::ScrubFlag;
pub use session::{Session, SessionPlan, record};
pub use settings::{Flags, GateSetting, Settings, SettingsError};
pub use suite::{Suite, SuiteError};
pub use target_spec::{TargetSpec, TargetSpecError};
pub use targets::Target;
