//! What tools declare: their names and the JSON Schemas of their arguments.
//!
//! [`ToolDefinitions`] reads the definitions that an agent gives to its model, in the form of any provider, says of
//! a call whether they allow it ([`CallStatus`]), and knows the defaults that they declare.

mod census;
mod census_text;
mod defaults;
mod error;
mod fault;
mod form;
mod gemini;
mod inspected;
mod instance;
mod keywords;
#[cfg(test)]
mod laws;
mod schema;
mod status;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

pub use census::{Census, RuledOut, ToolCensus};
pub use defaults::DeclaredDefault;
pub use error::{DefinitionError, DefinitionPlace};
pub use fault::SchemaFault;
use form::{Declarations, Found};
pub use inspected::InspectedCalls;
pub use schema::ToolSchema;
pub use status::CallStatus;

use super::canonical::Value;
use super::policy::ToolRules;
use crate::recording::{Json, ToolName};

/// The tools that an agent may call.
///
/// ```
/// use taketwo::compare::{CallStatus, ToolDefinitions};
/// use taketwo::recording::{Json, ToolCall, ToolName};
///
/// let tools = r#"[{"name": "search", "input_schema": {"type": "object", "properties": {"page": {"type": "integer"}}}}]"#;
/// let tools = ToolDefinitions::parse("tools.json", tools).unwrap();
///
/// let call = |tool, arguments| ToolCall::new(ToolName::new(tool), Some(Json::parse(arguments).unwrap()));
/// assert_eq!(tools.status(&call("search", r#"{"page": 2}"#)), CallStatus::Valid);
/// assert_eq!(tools.status(&call("serch", "{}")), CallStatus::UnknownTool);
/// let CallStatus::Invalid(faults) = tools.status(&call("search", r#"{"page": "2"}"#)) else { panic!() };
/// assert_eq!(faults[0].to_string(), "$.page: expected an integer, seen \"2\"");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolDefinitions {
    tools: BTreeMap<ToolName, Declared>,
    /// Whether there may be tools that are not named, as those of a server.
    is_open: bool,
    files: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
struct Declared {
    schema: Option<ToolSchema>,
    /// What stands for its meaning.
    hash: u128,
    place: DefinitionPlace,
}

impl ToolDefinitions {
    /// Reads files of definitions and puts them together.
    ///
    /// # Errors
    /// [`DefinitionError`] for the first thing that is no definition, or that contradicts another.
    pub fn read(files: &[impl AsRef<FilePath>]) -> Result<Self, DefinitionError> {
        let mut all = Self::default();
        for file in files.iter().map(AsRef::as_ref) {
            let text = std::fs::read_to_string(file)
                .map_err(|source| DefinitionError::Unreadable { file: file.to_owned(), source })?;
            all.add(&file.display().to_string(), &text)?;
            all.files.push(file.to_owned());
        }
        all.some_of(files.iter().map(|file| file.as_ref().display().to_string()).collect())
    }

    /// Reads the text of one file.
    ///
    /// # Errors
    /// As [`read`](Self::read) has them.
    pub fn parse(name: &str, text: &str) -> Result<Self, DefinitionError> {
        let mut all = Self::default();
        all.add(name, text)?;
        all.some_of(vec![name.to_owned()])
    }

    fn some_of(self, files: Vec<String>) -> Result<Self, DefinitionError> {
        if self.tools.is_empty() && !self.is_open { Err(DefinitionError::Empty { files }) } else { Ok(self) }
    }

    fn add(&mut self, name: &str, text: &str) -> Result<(), DefinitionError> {
        let file: Arc<str> = name.into();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let json = Json::parse(text).map_err(|fault| {
            let before = text.get(..fault.offset).unwrap_or(text);
            let line = before.rsplit('\n').next().unwrap_or_default();
            let (line, column) = (before.matches('\n').count() + 1, line.chars().count() + 1);
            DefinitionError::NoJson { file: Arc::clone(&file), line, column, fault }
        })?;
        let Declarations { tools, is_open } = form::declarations(&file, &json)?;
        self.is_open |= is_open;
        tools.into_iter().try_for_each(|found| self.declare(found))
    }

    /// Takes in a declaration. The same once more is no fault, nor is one that leaves out the schema.
    fn declare(&mut self, found: Found) -> Result<(), DefinitionError> {
        let Found { tool, schema, place } = found;
        let hash = schema.as_ref().map_or(0, |schema| match Json::parse(keywords::deciding_part(schema)) {
            Ok(deciding) => hash_of(&deciding),
            Err(_) => hash_of(schema),
        });
        let compiled = |schema: Option<Json>| match schema.map(ToolSchema::compile).transpose() {
            Ok(schema) => Ok(Declared { schema, hash, place: place.clone() }),
            Err(fault) => Err(DefinitionError::BadSchema { place: place.clone(), tool: tool.clone(), fault }),
        };
        match self.tools.entry(tool.clone()) {
            Entry::Vacant(free) => {
                free.insert(compiled(schema)?);
            }
            Entry::Occupied(mut known) if known.get().schema.is_none() => {
                known.insert(compiled(schema)?);
            }
            Entry::Occupied(known) if schema.is_some() && known.get().hash != hash => {
                let first = known.get().place.clone();
                return Err(DefinitionError::Contradiction { tool, first, second: place });
            }
            Entry::Occupied(_) => {}
        }
        Ok(())
    }

    /// Whether this is a file that they were read from, also by another name.
    #[must_use]
    pub fn were_read_from(&self, path: &FilePath) -> bool {
        let Ok(path) = path.canonicalize() else { return false };
        self.files.iter().any(|file| file.canonicalize().is_ok_and(|file| file == path))
    }

    /// The tools that are named, by name.
    pub fn names(&self) -> impl Iterator<Item = &ToolName> {
        self.tools.keys()
    }

    /// Whether calls of a tool are allowed: it is named, or may be one of a server whose tools are not.
    #[must_use]
    pub fn knows(&self, tool: &ToolName) -> bool {
        self.is_open || self.tools.contains_key(tool)
    }

    /// The schema of a tool's arguments, where it declares one.
    #[must_use]
    pub fn schema(&self, tool: &ToolName) -> Option<&ToolSchema> {
        self.tools.get(tool)?.schema.as_ref()
    }

    /// A hash that changes when what is allowed does. Descriptions, the order of keys and the form of the provider
    /// do not count.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[u8::from(self.is_open)]);
        for (name, declared) in &self.tools {
            hasher.update(&(name.as_str().len() as u64).to_le_bytes());
            hasher.update(name.as_str().as_bytes());
            hasher.update(&declared.hash.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// What stands for a value, the same for equal ones.
fn hash_of(json: &Json) -> u128 {
    Value::read(json, &ToolRules::none()).hash128()
}
