//! Whether a call is one that the definitions allow.

use super::ToolDefinitions;
use super::fault::{SchemaFault, shown};
use crate::compare::arguments::Arguments;
use crate::compare::difference::Change;
use crate::compare::path::Path;
use crate::compare::policy::ToolRules;
use crate::recording::{Json, Kind, ToolCall};

/// What the definitions say of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallStatus {
    /// The arguments are what the tool declares.
    Valid,
    /// The tool is declared, or may be one of a server; what its arguments are is not.
    Unchecked,
    /// No such tool is declared.
    UnknownTool,
    /// The arguments are not what the tool declares.
    Invalid(Vec<SchemaFault>),
    /// The arguments are no object: cut off, broken, or encoded twice.
    Unreadable(Change),
}

impl CallStatus {
    /// Whether the definitions rule the call out.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        matches!(self, CallStatus::UnknownTool | CallStatus::Invalid(_) | CallStatus::Unreadable(_))
    }
}

impl ToolDefinitions {
    /// What the definitions say of a call.
    #[must_use]
    pub fn status(&self, call: &ToolCall) -> CallStatus {
        if !self.knows(&call.name) {
            return CallStatus::UnknownTool;
        }
        if let Some(fault) = Arguments::read(call.arguments.as_ref(), &ToolRules::none()).fault() {
            return CallStatus::Unreadable(fault);
        }
        let Some(schema) = self.schema(&call.name) else { return CallStatus::Unchecked };
        let faults = match object(call.arguments.as_ref()) {
            Ok(arguments) => schema.faults(&arguments),
            Err(fault) => vec![fault],
        };
        if faults.is_empty() { CallStatus::Valid } else { CallStatus::Invalid(faults) }
    }
}

/// The object that arguments mean: `""`, null and nothing mean an empty one, a text what it holds.
fn object(arguments: Option<&Json>) -> Result<Json, SchemaFault> {
    let empty = || Json::of(&serde_json::Map::new());
    let Some(given) = arguments.filter(|arguments| !arguments.is_null()) else { return Ok(empty()) };
    let arguments = match given.as_str() {
        Some(text) if text.trim().is_empty() => return Ok(empty()),
        Some(text) => Json::parse(text.into_owned()).map_err(|fault| {
            SchemaFault::new(Path::root(), "JSON", format!("{}, where {fault} (byte {})", shown(given), fault.offset))
        })?,
        None => given.clone(),
    };
    match arguments.kind() {
        Kind::Object => Ok(arguments),
        Kind::Null => Ok(empty()),
        _ => Err(SchemaFault::new(Path::root(), "an object", shown(&arguments))),
    }
}
