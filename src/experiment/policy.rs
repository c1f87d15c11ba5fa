//! How a run compares arguments: the rules of suite and flags, and what tools declare.

use std::str::FromStr;
use std::sync::Arc;

use super::settings::{Flags, SettingsError};
use super::suite::Suite;
use crate::compare::{DefinitionError, Policy, Rule, ToolDefinitions};

/// The rules of the suite and of the flags, which add up.
pub(super) fn policy(
    flags: &Flags,
    suite: &Suite,
    definitions: Option<&ToolDefinitions>,
) -> Result<Policy, SettingsError> {
    let ignored = suite
        .ignore
        .iter()
        .chain(&flags.ignore)
        .map(|text| Rule::ignore(text).map_err(|problem| SettingsError::new("ignore", problem)));
    let tables = suite.rule.iter().map(|table| table.rule().map_err(|problem| SettingsError::new("rule", problem)));
    let stated =
        flags.rule.iter().map(|text| Rule::from_str(text).map_err(|problem| SettingsError::new("rule", problem)));
    let policy = Policy::new(ignored.chain(tables).chain(stated).collect::<Result<_, _>>()?);
    match definitions {
        Some(definitions) => Ok(policy.with_defaults_of(definitions)),
        None if policy.needs_definitions() => {
            let help = "name the file that the tools are declared in: --tools tools.json".to_owned();
            Err(SettingsError::with_help("rule", "`schema` says nothing without tool definitions", Some(help)))
        }
        None => Ok(policy),
    }
}

/// Reads the tool definitions, where there are any; those of the flags take the place of the suite's.
pub(super) fn definitions(flags: &Flags, suite: &Suite) -> Result<Option<Arc<ToolDefinitions>>, SettingsError> {
    let files = if flags.tools.is_empty() { &suite.tools } else { &flags.tools };
    let refused = |error: DefinitionError| {
        let help = miette::Diagnostic::help(&error).map(|help| help.to_string());
        SettingsError::with_help("tools", error, help)
    };
    let read = (!files.is_empty()).then(|| ToolDefinitions::read(files).map_err(refused)).transpose()?;
    Ok(read.map(Arc::new))
}
