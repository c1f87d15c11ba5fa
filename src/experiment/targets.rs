//! The target that a spec names, ready to be asked.

use std::sync::Arc;

use super::settings::{Settings, SettingsError};
use super::suite::SuiteHttp;
use super::target_spec::TargetSpec;
use crate::recording::Recordings;
use crate::replay::SystemUnderTest;
use crate::replay::target::{
    CommandLine, CommandTarget, CommandTools, HttpOptions, HttpTarget, PairBy, RecordedTarget, UsagePaths,
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
    /// When it is not named, makes no sense, or its recording cannot be read.
    pub fn open(settings: &Settings) -> miette::Result<Self> {
        let spec = settings.target.as_ref().ok_or_else(SettingsError::missing_target)?;
        Self::of(spec, &settings.pair_by, &settings.http)
    }

    /// Makes the target of a spec.
    ///
    /// # Errors
    /// When it makes no sense, or its recording cannot be read.
    pub fn of(spec: &TargetSpec, pair_by: &PairBy, http: &SuiteHttp) -> miette::Result<Self> {
        let wrong = |problem: String| SettingsError::new("target", problem);
        let system: Arc<dyn SystemUnderTest> = match spec {
            TargetSpec::Recorded(source) => return Self::recorded(source, pair_by),
            TargetSpec::Command(command) => {
                let line = CommandLine::split(command).map_err(|error| wrong(error.to_string()))?;
                Arc::new(CommandTarget::new(line))
            }
            TargetSpec::Http(url) => {
                let target = HttpTarget::new(&http_options(url, http)?);
                Arc::new(target.map_err(|reason| SettingsError::with_help("target", reason.problem, reason.help))?)
            }
            TargetSpec::Sample(version) => {
                let version: Version =
                    version.parse().map_err(|error: crate::sample::NoSuchVersion| wrong(error.to_string()))?;
                Arc::new(Sample::new(version))
            }
        };
        Ok(Self { system, second: None })
    }

    /// A second recording that stands in for the run.
    fn recorded(source: &str, pair_by: &PairBy) -> miette::Result<Self> {
        let recordings = Recordings::open(&[source])?;
        let target = Arc::new(RecordedTarget::open(source, &recordings, pair_by.clone())?);
        Ok(Self { system: Arc::clone(&target) as _, second: Some((target, recordings)) })
    }

    /// The second recording, where there is one.
    #[must_use]
    pub fn second(&self) -> Option<&RecordedTarget> {
        self.second.as_ref().map(|(target, _)| &**target)
    }
}

/// The tools of a live session: `command:PROGRAM ARGS...`.
///
/// # Errors
/// When the text names no tool program.
pub(super) fn tool_program(text: &str) -> Result<CommandTools, SettingsError> {
    let wrong = |problem: &str| {
        let help = "tools are a program, as in --tools 'command:python3 tools.py'".to_owned();
        SettingsError::with_help("tools", format!("{text:?} names no tools: {problem}"), Some(help))
    };
    let command = text.strip_prefix("command:").ok_or_else(|| wrong("it does not begin with command:"))?;
    Ok(CommandTools::new(CommandLine::split(command).map_err(|error| wrong(&error.to_string()))?))
}

fn http_options(url: &str, http: &SuiteHttp) -> Result<HttpOptions, SettingsError> {
    let header = |text: &String| match text.split_once(':') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        // The text may hold a secret, so it is not shown.
        None => Err(SettingsError::new("http.headers", "a header is written as Name: value")),
    };
    Ok(HttpOptions {
        url: url.to_owned(),
        template: http.template.clone(),
        headers: http.headers.iter().map(header).collect::<Result<_, _>>()?,
        reply_path: http.reply.clone(),
        usage_paths: UsagePaths {
            tokens: http.tokens.clone(),
            input_tokens: http.input_tokens.clone(),
            output_tokens: http.output_tokens.clone(),
            model_calls: http.model_calls.clone(),
            cost: http.cost.clone(),
            currency: http.currency.clone(),
            model: http.model.clone(),
        },
    })
}
