//! What recordings hold, and what definitions say of their calls.

use std::fmt;

use serde::Serialize;

use super::{Census, ToolDefinitions};
use crate::recording::{InspectError, Inspected, Quarantine, Recordings, inspect_each};

/// What recordings hold, and what definitions say of their calls, where there are any.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InspectedCalls {
    /// What they hold.
    #[serde(flatten)]
    pub inspected: Inspected,
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
        let mut census = definitions.map(Census::new);
        let inspected = inspect_each(recordings, quarantine, |row| {
            if let Some((census, definitions)) = census.as_mut().zip(definitions) {
                census.add(definitions, &row.place, &row.interaction);
            }
        })?;
        Ok(Self { inspected, tool_definitions: census })
    }
}

impl fmt::Display for InspectedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inspected.fmt(f)?;
        match self.tool_definitions.as_ref().filter(|census| census.calls > 0) {
            Some(census) => write!(f, "\n{census}"),
            None => Ok(()),
        }
    }
}
