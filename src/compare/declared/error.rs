//! Why tool definitions cannot be used.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use miette::Diagnostic;

use super::fault::SchemaFault;
use crate::compare::path::Path;
use crate::recording::{Fault, ToolName};

/// Where in the files a definition stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionPlace {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// Where in its JSON.
    pub path: Path,
}

impl fmt::Display for DefinitionPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.path)
    }
}

/// Why tool definitions cannot be used.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[diagnostic(code(taketwo::bad_tools))]
#[non_exhaustive]
pub enum DefinitionError {
    /// A file cannot be read.
    #[error("cannot read the tool definitions {file:?}: {source}")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no JSON.
    #[error("{file}:{line}:{column}: {fault}")]
    NoJson {
        /// The file.
        file: Arc<str>,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong there.
        fault: Fault,
    },
    /// Something is no definition of a tool.
    #[error("{place}: expected {expected}, seen {seen}")]
    NoDefinition {
        /// Where.
        place: DefinitionPlace,
        /// What should stand there.
        expected: &'static str,
        /// What does.
        seen: String,
    },
    /// The schema of a tool is none.
    #[error("{place}: the schema of {tool} is none: {fault}")]
    BadSchema {
        /// Where the schema stands.
        place: DefinitionPlace,
        /// The tool.
        tool: ToolName,
        /// What is wrong in it, and where in it.
        fault: SchemaFault,
    },
    /// Two definitions of one tool have different schemas.
    #[error("{tool} is declared twice with different schemas: at {first}, and at {second}")]
    #[diagnostic(help("give the definitions of one build alone"))]
    Contradiction {
        /// The tool.
        tool: ToolName,
        /// The first definition.
        first: DefinitionPlace,
        /// The second.
        second: DefinitionPlace,
    },
    /// There is no tool in the files.
    #[error("no tool is declared in {}", files.join(", "))]
    #[diagnostic(help("every call would be one of an undeclared tool"))]
    Empty {
        /// The files.
        files: Vec<String>,
    },
}
