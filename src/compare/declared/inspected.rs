//! What recordings hold, and what definitions say of their calls.

use std::fmt;

use serde::Serialize;

use super::{Census, ToolDefinitions};
use crate::compare::FaultyArguments;
use crate::recording::inspect::{fitted, wrapped};
use crate::recording::{InspectError, Inspected, Quarantine, Recordings, grouped, inspect_each};

/// What recordings hold, and what definitions say of their calls, where there are any.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InspectedCalls {
    /// What they hold.
    #[serde(flatten)]
    pub inspected: Inspected,
    /// Interactions that say which other ways are as good.
    pub with_variants: u64,
    /// Calls whose arguments are no object.
    pub faulty_arguments: FaultyArguments,
    /// What the definitions say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_definitions: Option<Census>,
}

impl InspectedCalls {
    /// Reads recordings once. Rows that cannot be read go to the quarantine.
    ///
    /// # Errors
    /// [`InspectError`] when they cannot be opened or the quarantine cannot be written.
    pub fn read(
        recordings: &Recordings,
        quarantine: &mut Quarantine,
        definitions: Option<&ToolDefinitions>,
    ) -> Result<Self, InspectError> {
        let (mut census, mut faulty_arguments) = (definitions.map(Census::new), FaultyArguments::default());
        let mut with_variants = 0;
        let inspected = inspect_each(recordings, quarantine, |row| {
            with_variants += u64::from(row.interaction.variants.is_some());
            faulty_arguments.add(&row.place, &row.interaction);
            if let Some((census, definitions)) = census.as_mut().zip(definitions) {
                census.add(definitions, &row.place, &row.interaction);
            }
        })?;
        Ok(Self { inspected, with_variants, faulty_arguments, tool_definitions: census })
    }
}

impl fmt::Display for InspectedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inspected.fmt(f)?;
        if self.with_variants > 0 {
            writeln!(f, "\n{}{:>10}", fitted("With variants"), grouped(self.with_variants))?;
        }
        if let Some(note) = self.faulty_arguments.note() {
            writeln!(f, "\nArguments")?;
            wrapped(f, 2, &note)?;
        }
        match self.tool_definitions.as_ref().filter(|census| census.calls > 0) {
            Some(census) => write!(f, "\n{census}"),
            None => Ok(()),
        }
    }
}
