//! The forms in which tools are declared, each known by its keys.

use std::sync::Arc;

use super::error::{DefinitionError, DefinitionPlace};
use super::gemini;
use crate::compare::path::{Path, PathStep};
use crate::recording::{Json, Kind, ToolName};

/// A declaration as it was found.
pub(super) struct Found {
    pub(super) tool: ToolName,
    /// The schema of its arguments; none where it declares none, as the tools that a provider brings along.
    pub(super) schema: Option<Json>,
    /// Where the schema stands, or the tool that has none.
    pub(super) place: DefinitionPlace,
}

/// What a file declares.
#[derive(Default)]
pub(super) struct Declarations {
    pub(super) tools: Vec<Found>,
    /// A server is named whose tools are not, so that any other name may be one of them.
    pub(super) is_open: bool,
}

/// What a list of tools may hold.
const DEFINITION: &str = "a tool definition (with function, input_schema, inputSchema, parameters, \
                          functionDeclarations or toolSpec)";
/// What a file may hold.
const DEFINITIONS: &str = "tool definitions: a list of them, or an object with tools, result.tools or \
                           functionDeclarations";
const NAME: &str = "the name of a tool";
const SCHEMA: &str = "the JSON Schema of the arguments, an object";
const LIST: &str = "a list of tool definitions";

/// The keys under which a definition has the schema of its arguments.
const SCHEMAS: [&str; 5] =
    ["input_schema", "inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema"];

/// What a call or a message has, and a definition has not.
const OF_CALLS: [&str; 9] = ["args", "arguments", "call_id", "content", "input", "output", "result", "role", "text"];

/// Reads what a file declares, in whatever form.
pub(super) fn declarations(file: &Arc<str>, json: &Json) -> Result<Declarations, DefinitionError> {
    let mut reader = Reader { file: Arc::clone(file), path: Path::root(), found: Declarations::default() };
    reader.document(json)?;
    Ok(reader.found)
}

struct Reader {
    file: Arc<str>,
    /// Where the reader is.
    path: Path,
    found: Declarations,
}

type Read = Result<(), DefinitionError>;

impl Reader {
    /// A list of definitions or of pages of them, an answer of `tools/list`, a request body, or one definition.
    fn document(&mut self, json: &Json) -> Read {
        if json.kind() == Kind::Array {
            return self.items(json, Self::page_or_tool);
        }
        if self.page(json)? {
            return Ok(());
        }
        if json.kind() == Kind::Object && self.tool(json)? {
            return Ok(());
        }
        Err(self.refusal(DEFINITIONS, json))
    }

    fn page_or_tool(&mut self, json: &Json) -> Read {
        // A namespace is a tool with tools.
        if member(json, "type").is_none() && self.page(json)? {
            return Ok(());
        }
        self.listed_tool(json)
    }

    /// Reads an object that holds lists of definitions. False where it holds none.
    fn page(&mut self, json: &Json) -> Result<bool, DefinitionError> {
        let mut is_page = false;
        for (holder, list) in [("", "tools"), ("", "functions"), ("result", "tools"), ("toolConfig", "tools")] {
            let inside = if holder.is_empty() { Some(json.clone()) } else { member(json, holder) };
            let Some(tools) = inside.and_then(|inside| member(&inside, list)) else { continue };
            is_page = true;
            let steps = [holder, list].into_iter().filter(|step| !step.is_empty());
            self.at(steps, |reader| match tools.kind() {
                Kind::Array => reader.items(&tools, Self::listed_tool),
                _ => Err(reader.refusal(LIST, &tools)),
            })?;
        }
        Ok(is_page)
    }

    fn listed_tool(&mut self, json: &Json) -> Read {
        if self.tool(json)? || self.provided(json)? { Ok(()) } else { Err(self.refusal(DEFINITION, json)) }
    }

    /// Reads a definition that has a form of its own. False where it is none.
    fn tool(&mut self, json: &Json) -> Result<bool, DefinitionError> {
        for key in ["functionDeclarations", "function_declarations"] {
            if let Some(functions) = member(json, key) {
                self.gemini(json, key, &functions)?;
                return Ok(true);
            }
        }
        if let Some(spec) = member(json, "toolSpec") {
            let schema = member(&spec, "inputSchema").and_then(|schema| member(&schema, "json"));
            self.at(["toolSpec"], |reader| match schema {
                Some(schema) => reader.named(&spec, Some((&["inputSchema", "json"], schema))),
                None => reader.named(&spec, None),
            })?;
            return Ok(true);
        }
        if let Some(function) = member(json, "function").filter(|function| function.kind() == Kind::Object) {
            if OF_CALLS.iter().any(|key| member(&function, key).is_some()) {
                return Ok(false);
            }
            self.at(["function"], |reader| reader.function(&function))?;
            return Ok(true);
        }
        if member(json, "name").is_some() && SCHEMAS.iter().any(|key| member(json, key).is_some()) {
            self.function(json)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Gemini's list of functions, beside which the tools stand that the provider brings along.
    fn gemini(&mut self, json: &Json, key: &str, functions: &Json) -> Read {
        self.at([key], |reader| match functions.kind() {
            Kind::Array => reader.items(functions, Self::function),
            _ => Err(reader.refusal(LIST, functions)),
        })?;
        for (other, value) in json.members().unwrap_or_default() {
            if other != key && !value.is_null() {
                self.at([&*other], |reader| reader.take(&other, None));
            }
        }
        Ok(())
    }

    /// A function with its name and, mostly, a schema.
    fn function(&mut self, json: &Json) -> Read {
        let schema = SCHEMAS.iter().find_map(|key| Some((*key, member(json, key)?)));
        match schema {
            Some((key, schema)) => self.named(json, Some((&[key], schema))),
            None => self.named(json, None),
        }
    }

    fn named(&mut self, json: &Json, schema: Option<(&[&str], Json)>) -> Read {
        let name = json.member("name").and_then(|name| Some(name.as_str()?.into_owned()));
        let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
            return Err(self.refusal(NAME, json));
        };
        let Some((keys, schema)) = schema else {
            self.take(&name, None);
            return Ok(());
        };
        self.at(keys.iter().copied(), |reader| {
            // Some clients write the schema as a text.
            let text = schema.as_str().and_then(|text| Json::parse(text.into_owned()).ok());
            let schema = text.unwrap_or(schema);
            if schema.kind() != Kind::Object {
                return Err(reader.refusal(SCHEMA, &schema));
            }
            reader.take(&name, Some(schema));
            Ok(())
        })
    }

    /// A tool that a provider brings along, known by its type or its only key. False where it is none.
    fn provided(&mut self, json: &Json) -> Result<bool, DefinitionError> {
        let Some(members) = json.members() else { return Ok(false) };
        if OF_CALLS.iter().chain(&["function"]).any(|key| member(json, key).is_some()) {
            return Ok(false);
        }
        let text = |key| member(json, key).and_then(|value| Some(value.as_str()?.into_owned()));
        let Some(kind) = text("type") else {
            let [(key, value)] = members.as_slice() else { return Ok(false) };
            match &**key {
                _ if value.kind() != Kind::Object => return Ok(false),
                // A mark for the provider, no tool.
                "cachePoint" => {}
                "mcp" | "mcpServers" => self.found.is_open = true,
                key => self.take(key, None),
            }
            return Ok(true);
        };
        if let Some(tools) = member(json, "tools").filter(|tools| tools.kind() == Kind::Array) {
            self.at(["tools"], |reader| reader.items(&tools, Self::listed_tool))?;
        } else if kind == "mcp" || kind.contains("toolset") {
            self.server(json);
        } else if let Some(schema) = member(json, "parameters").filter(|schema| schema.kind() == Kind::Object) {
            self.at(["parameters"], |reader| reader.take(&kind, Some(schema)));
        } else {
            let custom = member(json, "custom").and_then(|custom| member(&custom, "name"));
            let custom = custom.and_then(|name| Some(name.as_str()?.into_owned()));
            let Some(name) = text("name").or(custom).or((kind != "function").then_some(kind)) else { return Ok(false) };
            self.take(&name, None);
        }
        Ok(true)
    }

    /// A server with tools of its own, which are known where they are listed.
    fn server(&mut self, json: &Json) {
        let allowed = member(json, "allowed_tools");
        let listed = allowed.and_then(|allowed| allowed.items().or_else(|| member(&allowed, "tool_names")?.items()));
        match listed {
            Some(names) => names.iter().filter_map(Json::as_str).for_each(|name| self.take(&name, None)),
            None => self.found.is_open = true,
        }
    }

    fn take(&mut self, name: &str, schema: Option<Json>) {
        let schema = schema.map(|schema| match gemini::is_gemini(&schema) {
            // What is written out of JSON is JSON.
            true => Json::parse(gemini::as_json_schema(&schema)).unwrap_or(schema),
            false => schema,
        });
        self.found.tools.push(Found { tool: ToolName::new(name), schema, place: self.place() });
    }

    fn items(&mut self, list: &Json, read: impl Fn(&mut Self, &Json) -> Read) -> Read {
        for (at, item) in list.items().unwrap_or_default().iter().enumerate() {
            self.path.push(PathStep::Index(at));
            read(self, item)?;
            self.path.pop();
        }
        Ok(())
    }

    /// Does something further inside.
    fn at<'k, T>(&mut self, keys: impl IntoIterator<Item = &'k str>, then: impl FnOnce(&mut Self) -> T) -> T {
        let mut pushed = 0;
        for key in keys {
            self.path.push(PathStep::Key(key.to_owned()));
            pushed += 1;
        }
        let done = then(self);
        (0..pushed).for_each(|_| self.path.pop());
        done
    }

    fn place(&self) -> DefinitionPlace {
        DefinitionPlace { file: Arc::clone(&self.file), path: self.path.clone() }
    }

    fn refusal(&self, expected: &'static str, json: &Json) -> DefinitionError {
        DefinitionError::NoDefinition { place: self.place(), expected, seen: told(json) }
    }
}

/// A member that says something.
fn member(json: &Json, key: &str) -> Option<Json> {
    json.member(key).filter(|value| !value.is_null())
}

/// What stands somewhere, told by its keys.
fn told(json: &Json) -> String {
    const NAMED: usize = 6;
    let Some(members) = json.members() else { return json.kind().to_string() };
    if members.is_empty() {
        return "an empty object".to_owned();
    }
    let mut keys: Vec<&str> = members.iter().take(NAMED).map(|(key, _)| &**key).collect();
    if members.len() > NAMED {
        keys.push("…");
    }
    format!("an object with {}", keys.join(", "))
}
