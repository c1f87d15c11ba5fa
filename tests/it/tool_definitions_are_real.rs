//! The tool definitions that real agents gave to their models can be read, all of them, and each call that the
//! models made under them gets a status.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use taketwo::compare::{CallStatus, ToolDefinitions};
use taketwo::recording::{Json, ToolCall, ToolName};

use crate::corpus::{documents, shared};

/// What a file of the corpus holds.
#[derive(Default)]
struct Found {
    /// Lists of definitions, each in an object with its own key.
    definitions: Vec<Value>,
    calls: Vec<ToolCall>,
}

impl Found {
    fn walk(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.walk(item)),
            Value::String(text) if text.starts_with(['{', '[']) => {
                if let Ok(inside) = serde_json::from_str(text) {
                    self.walk(&inside);
                }
            }
            Value::Object(members) => {
                self.calls.extend(call(value));
                for (key, value) in members {
                    let is_list = matches!(key.as_str(), "tools" | "functions") && is_definitions(value);
                    if is_list || (key == "toolConfig" && value["tools"].is_array()) {
                        self.definitions.push(json!({ key: value }));
                    } else if key != "tool_choice" {
                        self.walk(value);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether a value that is called `tools` holds definitions, and not names, settings or what became of calls.
fn is_definitions(tools: &Value) -> bool {
    const OF_DEFINITIONS: [&str; 7] =
        ["type", "function", "input_schema", "parameters", "functionDeclarations", "function_declarations", "toolSpec"];
    let is_definition = |tool: &Value| OF_DEFINITIONS.iter().any(|key| tool.get(key).is_some());
    tools.as_array().is_some_and(|tools| tools.iter().any(is_definition))
}

/// A call in the form of any provider.
fn call(value: &Value) -> Option<ToolCall> {
    let of = |value: &Value, arguments: &Value| {
        let arguments = Json::parse(arguments.to_string()).ok()?;
        Some(ToolCall::new(ToolName::new(value["name"].as_str()?), Some(arguments)))
    };
    if let Some(arguments) = value.get("arguments").or_else(|| value.get("args")) {
        return of(value, arguments);
    }
    let is_use = value["type"] == "tool_use" || value.get("toolUseId").is_some();
    value.get("input").filter(|_| is_use).and_then(|input| of(value, input))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// What the definitions of a file say of the calls in it, counted.
#[derive(Debug, Default)]
struct Judged {
    valid: u64,
    unchecked: u64,
    unknown: BTreeSet<String>,
    invalid: BTreeSet<String>,
}

impl Judged {
    fn add(&mut self, tools: &ToolDefinitions, call: &ToolCall) {
        match tools.status(call) {
            CallStatus::Valid => self.valid += 1,
            CallStatus::Unchecked => self.unchecked += 1,
            CallStatus::UnknownTool => drop(self.unknown.insert(call.name.to_string())),
            CallStatus::Unreadable(fault) => drop(self.invalid.insert(format!("{} {}", call.name, fault.as_str()))),
            CallStatus::Invalid(faults) => {
                assert!(!faults.is_empty());
                self.invalid.extend(faults.iter().map(|fault| format!("{} {fault}", call.name)));
            }
        }
    }
}

/// Every list of definitions in the corpus, read, and what it says of the calls of its file.
fn judged(corpus: &Path) -> BTreeMap<String, Judged> {
    let mut paths = Vec::new();
    files(corpus, &mut paths);
    let mut all: BTreeMap<String, Judged> = BTreeMap::new();
    let (mut lists, mut unread) = (0, Vec::new());
    for path in paths {
        let name = path.strip_prefix(corpus).unwrap().display().to_string();
        let mut found = Found::default();
        documents(&path).iter().for_each(|document| found.walk(document));
        for definitions in &found.definitions {
            lists += 1;
            match ToolDefinitions::parse(&name, &definitions.to_string()) {
                Ok(tools) => {
                    let judged = all.entry(name.clone()).or_default();
                    found.calls.iter().for_each(|call| judged.add(&tools, call));
                }
                Err(error) => unread.push(error.to_string()),
            }
        }
    }
    assert_eq!(unread, [""; 0]);
    assert!(lists > 1_500, "only {lists} lists of definitions were found");
    println!("{lists} lists of definitions in {} files", all.len());
    all
}

#[test]
fn definitions_of_real_requests_can_be_read_and_their_calls_judged() {
    let Some(corpus) = shared("corpus") else { return };
    let all = judged(&corpus);
    let sum = |count: fn(&Judged) -> u64| all.values().map(count).sum::<u64>();
    assert!(sum(|file| file.valid) > 4_000, "{} valid", sum(|file| file.valid));
    // What models really did: arguments for a tool that takes none, and a tool that nobody declared.
    let matrix =
        "vcr-pydantic-ai/tests/models/cassettes/test_multimodal_tool_returns/test_multimodal_tool_return_matrix";
    let of = |which: &str| &all[&format!("{matrix}[{which}].yaml")];
    let invalid = &of("direct-binary-document-google_vertex").invalid;
    assert!(invalid.contains("get_file $.type: expected no such key, seen \"DOCUMENT\""), "{invalid:?}");
    let unknown = &of("direct-binary-audio-google_vertex").unknown;
    assert!(unknown.contains("list_files"), "{unknown:?}");
    // Most agents call what they declare: files that have a fault at all are few.
    let faulty = all.values().filter(|file| !file.invalid.is_empty()).count();
    assert!(faulty * 5 < all.len(), "{faulty} of {} files", all.len());
}
