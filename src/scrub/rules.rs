//! What is scrubbed, as a person writes it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use serde::Deserialize;

use super::kind::Kind;

/// Rules as they stand in `scrub.toml`, or in the `[scrub]` table of a suite. Every key is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScrubRules {
    /// Kinds that are not looked for.
    #[serde(default)]
    pub off: Vec<String>,
    /// Fields whose values are always replaced, beside those that are listed already.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Fields whose values are not replaced for their name, though they are listed.
    #[serde(default)]
    pub not_fields: Vec<String>,
    /// Values that stay, as patterns with `*` and `?`.
    #[serde(default)]
    pub keep: Vec<String>,
    /// Tools whose arguments and results are not looked at.
    #[serde(default)]
    pub exempt_tools: Vec<String>,
    /// Fields that are not looked at.
    #[serde(default)]
    pub exempt_fields: Vec<String>,
    /// Patterns of the user's own.
    #[serde(default)]
    pub pattern: Vec<OwnPattern>,
}

/// A pattern of the user's own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnPattern {
    /// What is found by it, in the report.
    pub name: String,
    /// A regular expression; where it has a group, only what the first one holds is replaced.
    pub regex: String,
}

/// Why rules cannot be used.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum RulesError {
    /// The file cannot be read.
    #[error("cannot read the rules {path:?}: {source}")]
    #[diagnostic(code(taketwo::unreadable))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It holds no rules.
    #[error("the rules cannot be used: {problem}")]
    #[diagnostic(code(taketwo::bad_scrub_rules))]
    Toml {
        /// What is wrong.
        problem: String,
        /// The file.
        #[source_code]
        text: Arc<NamedSource<String>>,
        /// Where.
        #[label("here")]
        place: Option<SourceSpan>,
    },
    /// A rule makes no sense.
    #[error("scrub, {rule}: {problem}")]
    #[diagnostic(code(taketwo::bad_scrub_rules))]
    Rule {
        /// Which.
        rule: &'static str,
        /// What is wrong with it.
        problem: String,
        /// What would be right.
        #[help]
        help: Option<String>,
    },
}

impl RulesError {
    pub(super) fn rule(rule: &'static str, problem: impl Into<String>) -> Self {
        Self::Rule { rule, problem: problem.into(), help: None }
    }
}

/// A file may hold the rules alone, or in a table as a suite has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    scrub: ScrubRules,
}

impl ScrubRules {
    /// Reads a file of rules: the rules alone, or in a `[scrub]` table.
    ///
    /// # Errors
    /// [`RulesError`] with the place of what is wrong.
    pub fn read(path: &Path) -> Result<Self, RulesError> {
        let text = std::fs::read_to_string(path).map_err(|source| RulesError::Io { path: path.into(), source })?;
        let has_table = text
            .lines()
            .any(|line| line.trim_start().starts_with("[scrub]") || line.trim_start().starts_with("[[scrub."));
        let rules = if has_table { toml::from_str(&text).map(|Table { scrub }| scrub) } else { toml::from_str(&text) };
        rules.map_err(|error| RulesError::Toml {
            problem: error.message().to_owned(),
            place: error.span().map(SourceSpan::from),
            text: Arc::new(NamedSource::new(path.display().to_string(), text.clone()).with_language("TOML")),
        })
    }

    /// The kinds that are not looked for.
    pub(super) fn kinds_off(&self) -> Result<Vec<Kind>, RulesError> {
        let known: Vec<String> = Kind::BUILT_IN.iter().map(ToString::to_string).collect();
        let read = |word: &String| {
            Kind::read(word).ok_or_else(|| RulesError::Rule {
                rule: "off",
                problem: format!("there is no kind {word:?}"),
                help: Some(format!("the kinds are {}", known.join(", "))),
            })
        };
        self.off.iter().map(read).collect()
    }
}
