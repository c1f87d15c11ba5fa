//! How many calls of recordings the definitions allow.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::{CallStatus, SchemaFault, ToolDefinitions};
use crate::compare::path::Path;
use crate::recording::{Interaction, Place, ToolCall, ToolName};

/// How many names of undeclared tools are told apart.
const NAMES: usize = 1_000;

/// Calls, counted by what the definitions say of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Census {
    /// The hash of the definitions.
    pub hash: String,
    /// How many tools are named in them.
    pub declared: u64,
    /// All calls.
    pub calls: u64,
    /// Those whose arguments are not what their tool declares.
    pub invalid: u64,
    /// Those of tools that are not declared.
    pub of_unknown_tools: u64,
    /// Those of tools whose arguments are not declared.
    pub unchecked: u64,
    /// The first call whose arguments are not what its tool declares.
    pub first_invalid: Option<RuledOut>,
    /// The first call of an undeclared tool.
    pub first_unknown: Option<RuledOut>,
    /// The declared tools and those that are called without being declared, by name.
    #[serde(serialize_with = "values")]
    pub tools: BTreeMap<ToolName, ToolCensus>,
}

/// The calls of one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCensus {
    /// Its name.
    pub name: ToolName,
    /// Whether it is declared, or may be a tool of a server.
    pub is_declared: bool,
    /// How often it is called.
    pub calls: u64,
    /// How often with arguments that are not what it declares.
    pub invalid: u64,
    /// The first call that the definitions rule out.
    pub first_ruled_out: Option<RuledOut>,
}

/// A call that the definitions rule out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuledOut {
    /// Where the interaction stands that makes it, as `traffic.jsonl:12`.
    pub place: String,
    /// The tool.
    pub tool: ToolName,
    /// What is wrong with its arguments, the first of it; `None` where the tool is not declared.
    pub fault: Option<SchemaFault>,
}

impl fmt::Display for RuledOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Some(fault) => write!(f, "{}: {} {fault}", self.place, self.tool),
            None => write!(f, "{}: {}", self.place, self.tool),
        }
    }
}

impl ToolCensus {
    fn new(name: &ToolName, is_declared: bool) -> Self {
        Self { name: name.clone(), is_declared, calls: 0, invalid: 0, first_ruled_out: None }
    }
}

impl Census {
    /// No calls yet.
    #[must_use]
    pub fn new(definitions: &ToolDefinitions) -> Self {
        let tools: BTreeMap<_, _> =
            definitions.names().map(|name| (name.clone(), ToolCensus::new(name, true))).collect();
        Self { hash: definitions.hash(), declared: tools.len() as u64, tools, ..Self::default() }
    }

    /// Counts the calls of the interaction at a place.
    pub fn add(&mut self, definitions: &ToolDefinitions, place: &Place, interaction: &Interaction) {
        interaction.tool_calls.iter().flatten().for_each(|call| self.add_call(definitions, place, call));
    }

    fn add_call(&mut self, definitions: &ToolDefinitions, place: &Place, call: &ToolCall) {
        let status = definitions.status(call);
        let is_invalid = matches!(status, CallStatus::Invalid(_) | CallStatus::Unreadable(_));
        let is_fault = status.is_fault();
        self.calls += 1;
        let (count, first) = match &status {
            CallStatus::Valid => (None, None),
            CallStatus::Unchecked => (Some(&mut self.unchecked), None),
            CallStatus::UnknownTool => (Some(&mut self.of_unknown_tools), Some(&mut self.first_unknown)),
            CallStatus::Invalid(_) | CallStatus::Unreadable(_) => {
                (Some(&mut self.invalid), Some(&mut self.first_invalid))
            }
        };
        count.into_iter().for_each(|count| *count += 1);
        let fault = match status {
            CallStatus::Invalid(faults) => faults.into_iter().next(),
            CallStatus::Unreadable(fault) => Some(SchemaFault::new(Path::root(), "an object", fault.as_str())),
            _ => None,
        };
        let ruled_out = is_fault.then(|| RuledOut { place: place.to_string(), tool: call.name.clone(), fault });
        if let Some(first) = first {
            *first = first.take().or_else(|| ruled_out.clone());
        }
        if self.tools.len() < NAMES || self.tools.contains_key(&call.name) {
            let new = || ToolCensus::new(&call.name, definitions.knows(&call.name));
            let tool = self.tools.entry(call.name.clone()).or_insert_with(new);
            tool.calls += 1;
            tool.invalid += u64::from(is_invalid);
            tool.first_ruled_out = tool.first_ruled_out.take().or(ruled_out);
        }
    }

    /// The calls that are what their tools declare.
    #[must_use]
    pub fn valid(&self) -> u64 {
        self.calls - self.invalid - self.of_unknown_tools - self.unchecked
    }

    /// How many calls are what, in a sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let tools = if self.declared == 1 { "1 tool".into() } else { format!("{} tools", self.declared) };
        if self.valid() == self.calls {
            let calls = if self.calls == 1 {
                "the recorded call is valid".into()
            } else {
                format!("all {} recorded calls are valid", self.calls)
            };
            return if self.calls == 0 { format!("{tools}; no call is recorded") } else { format!("{tools}; {calls}") };
        }
        let mut parts = vec![format!("{} valid", self.valid())];
        let others = [
            (self.invalid, "invalid"),
            (self.of_unknown_tools, "of tools that are not declared"),
            (self.unchecked, "of tools without a schema"),
        ];
        parts.extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
        format!("{tools}; of {} {}", counted(self.calls), parts.join(", "))
    }

    /// The same without the content of the recordings.
    #[must_use]
    pub fn without_content(mut self) -> Self {
        let firsts = self.tools.values_mut().map(|tool| &mut tool.first_ruled_out);
        for first in firsts.chain([&mut self.first_invalid]).flatten() {
            first.fault = first.fault.take().map(SchemaFault::without_content);
        }
        self
    }

    /// What a person should know of the recordings, a sentence each, without their content.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let note = |count: u64, what: &str, first: &Option<RuledOut>| {
            let first = first.clone()?;
            let first = RuledOut { fault: first.fault.map(SchemaFault::without_content), ..first };
            let calls = counted(self.calls);
            let are = if count == 1 { "is" } else { "are" };
            Some(format!("{count} of {calls} {are} {what}; the first: {first}"))
        };
        let unknown = note(self.of_unknown_tools, "of a tool that is not declared", &self.first_unknown);
        let invalid = note(self.invalid, "not valid under the schema of the tool", &self.first_invalid);
        [unknown, invalid].into_iter().flatten().collect()
    }
}

fn counted(calls: u64) -> String {
    if calls == 1 { "1 recorded call".to_owned() } else { format!("{calls} recorded calls") }
}

fn values<S: Serializer>(tools: &BTreeMap<ToolName, ToolCensus>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(tools.values())
}
