//! The target that a spec names, ready to be asked.

use std::fmt;
use std::sync::Arc;

use super::settings::{Settings, SettingsError};
use super::suite::SuiteHttp;
use super::target_spec::TargetSpec;
use crate::recording::Recordings;
use crate::replay::SystemUnderTest;
use crate::replay::target::{
    CommandLine, CommandTarget, CommandTools, HttpOptions, HttpTarget, RecordedTarget, UsagePaths,
};
use crate::sample::{Sample, Version};

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
            other => Ok(Self { system: live(other, &settings.http)?, second: None }),
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

/// A target that is asked live, which a recording is not.
///
/// # Errors
/// When the spec has no such target.
pub fn live(spec: &TargetSpec, http: &SuiteHttp) -> miette::Result<Arc<dyn SystemUnderTest>> {
    let bad = |error: &dyn fmt::Display| miette::miette!(code = "taketwo::bad_target", "{spec}: {error}");
    match spec {
        TargetSpec::Command(text) => {
            let command = CommandLine::split(text).map_err(|error| bad(&error))?;
            Ok(Arc::new(CommandTarget::new(command)))
        }
        TargetSpec::Sample(version) => {
            let version = version.parse::<Version>().map_err(|error| bad(&error))?;
            Ok(Arc::new(Sample::new(version)))
        }
        TargetSpec::Http(url) => {
            let options = http_options(url, http)?;
            Ok(Arc::new(HttpTarget::new(&options).map_err(|reason| bad(&reason))?))
        }
        TargetSpec::Recorded(_) => Err(bad(&"a recording cannot be asked anything new")),
    }
}

/// The tools of a live session: `command:PROGRAM ARGS...`.
///
/// # Errors
/// When the text names no tool program.
pub fn tool_program(text: &str) -> miette::Result<CommandTools> {
    let bad = |problem: &dyn fmt::Display| {
        miette::miette!(
            code = "taketwo::bad_tools",
            help = "tools are a program: --tools 'command:python3 tools.py'",
            "{text:?} names no tools: {problem}"
        )
    };
    let command = text.strip_prefix("command:").ok_or_else(|| bad(&"it does not begin with command:"))?;
    Ok(CommandTools::new(CommandLine::split(command).map_err(|error| bad(&error))?))
}

fn http_options(url: &str, http: &SuiteHttp) -> miette::Result<HttpOptions> {
    let header = |line: &String| {
        let split = line.split_once(':').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        split.ok_or_else(|| miette::miette!(code = "taketwo::bad_setting", "a header is written as Name: value"))
    };
    Ok(HttpOptions {
        url: url.to_owned(),
        template: http.template.clone(),
        headers: http.headers.iter().map(header).collect::<Result<_, _>>()?,
        reply_path: http.reply.clone(),
        usage_paths: UsagePaths {
            tokens: http.tokens.clone(),
            model_calls: http.model_calls.clone(),
            cost: http.cost.clone(),
            ..UsagePaths::default()
        },
    })
}
