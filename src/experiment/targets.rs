//! The target that a spec names, ready to be asked.

use std::sync::Arc;

use super::settings::{Settings, SettingsError};
use super::target_spec::TargetSpec;
use crate::recording::Recordings;
use crate::replay::SystemUnderTest;
use crate::replay::target::RecordedTarget;

/// A target, and the second recording behind it where it is one.
pub struct Target {
    /// What is asked.
    pub system: Arc<dyn SystemUnderTest>,
    /// The second recording.
    pub second: Option<(Arc<RecordedTarget>, Recordings)>,
}

impl Target {
    /// Makes the target of the settings.
    ///
    /// # Errors
    /// When it is not named, or its recording cannot be read.
    pub fn open(settings: &Settings) -> miette::Result<Self> {
        let Some(spec) = &settings.target else {
            return Err(SettingsError::missing_target().into());
        };
        match spec {
            TargetSpec::Recorded(source) => Self::recorded(source, settings),
            other => Err(miette::miette!("{other} is not built in yet")),
        }
    }

    /// A second recording that stands in for the run.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn recorded(source: &str, settings: &Settings) -> miette::Result<Self> {
        let recordings = Recordings::open(&[source])?;
        let target = Arc::new(RecordedTarget::open(source, &recordings, settings.pair_by.clone())?);
        Ok(Self { system: Arc::clone(&target) as _, second: Some((target, recordings)) })
    }

    /// The second recording, where there is one.
    #[must_use]
    pub fn second(&self) -> Option<&RecordedTarget> {
        self.second.as_ref().map(|(target, _)| &**target)
    }
}
