//! Checks on tool calls that a suite or a user states.

use super::recorded::listed;
use super::{EvalContext, Evaluator, Said};
use crate::compare::{Matching, Value, align, prepare};
use crate::recording::{Json, ToolCall, ToolName};

const UNKNOWN: &str = "the run does not say which tools were called";

/// Every one of these tools is called at least once; others may be (TestKit: `shouldCallTools`).
#[derive(Clone, Debug)]
pub struct CallTools(pub Vec<ToolName>);

impl Evaluator for CallTools {
    fn label(&self) -> &str {
        "tools"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let Some(calls) = context.calls() else { return Said::inconclusive(UNKNOWN) };
        let missing = self.0.iter().filter(|tool| !calls.iter().any(|call| call.name == **tool));
        let missing: Vec<String> = missing.map(|tool| format!("{tool} was not called")).collect();
        if missing.is_empty() { Said::passed() } else { Said::failed(listed(&missing)) }
    }
}

/// These tools are called in this order; others may come in between (TestKit: `shouldCallToolsInOrder`, but a tool
/// may be named more than once).
#[derive(Clone, Debug)]
pub struct CallToolsInOrder(pub Vec<ToolName>);

impl Evaluator for CallToolsInOrder {
    fn label(&self) -> &str {
        "tool-order"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let Some(calls) = context.calls() else { return Said::inconclusive(UNKNOWN) };
        if let Some(never) = self.0.iter().find(|tool| !calls.iter().any(|call| call.name == **tool)) {
            return Said::inconclusive(format!("{never} was not called"));
        }
        let mut rest = calls.iter();
        match self.0.iter().find(|tool| !rest.any(|call| call.name == **tool)) {
            None => Said::passed(),
            Some(late) => Said::failed(format!("{late} was not called in its place")),
        }
    }
}

/// Some call of the tool has this argument (TestKit: `shouldCallToolWith`; numbers by value at any depth).
#[derive(Clone, Debug)]
pub struct CallToolWith {
    /// The tool.
    pub tool: ToolName,
    /// The argument's name.
    pub argument: String,
    /// Its value. `null` also stands for an absent argument, as in the TestKit.
    pub value: Json,
}

impl Evaluator for CallToolWith {
    fn label(&self) -> &str {
        "tool-arguments"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let Some(calls) = context.calls() else { return Said::inconclusive(UNKNOWN) };
        let rules = context.rules.policy.tool(&self.tool);
        let wanted = Value::read(&self.value, &rules);
        let mut seen = Vec::new();
        for call in calls.iter().filter(|call| call.name == self.tool) {
            let members = call.arguments.as_ref().and_then(object).unwrap_or_default();
            let value = members.into_iter().find(|(key, _)| *key == self.argument);
            let value = value.map_or(Value::Null, |(_, value)| Value::read(&value, &rules));
            if value == wanted {
                return Said::passed();
            }
            seen.push(value.to_string());
        }
        if seen.is_empty() {
            return Said::inconclusive(format!("{} was not called", self.tool));
        }
        Said::failed(format!("{} {} should be {wanted}, was {}", self.tool, self.argument, listed(&seen)))
    }
}

/// Some result of the tool holds this text, upper and lower case alike (TestKit: `toolResultShouldContain`).
#[derive(Clone, Debug)]
pub struct ToolResultContains {
    /// The tool.
    pub tool: ToolName,
    /// The text.
    pub text: String,
}

impl Evaluator for ToolResultContains {
    fn label(&self) -> &str {
        "tool-results"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let Some(calls) = context.calls() else { return Said::inconclusive(UNKNOWN) };
        let of_tool: Vec<&ToolCall> = calls.iter().filter(|call| call.name == self.tool).collect();
        if of_tool.is_empty() {
            return Said::inconclusive(format!("{} was not called", self.tool));
        }
        let results: Vec<String> =
            of_tool.iter().filter_map(|call| call.result.as_ref()).map(|json| json.shown().into_owned()).collect();
        if results.is_empty() {
            return Said::inconclusive(format!("no result of {} is known", self.tool));
        }
        let wanted = self.text.to_lowercase();
        if results.iter().any(|result| result.to_lowercase().contains(&wanted)) {
            return Said::passed();
        }
        Said::failed(format!("no result of {} holds {:?}", self.tool, self.text))
    }
}

/// None of these tools is called (TestKit: `shouldNotCallTools`).
#[derive(Clone, Debug)]
pub struct ForbiddenTools(pub Vec<ToolName>);

impl Evaluator for ForbiddenTools {
    fn label(&self) -> &str {
        "forbidden-tools"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let Some(calls) = context.calls() else { return Said::inconclusive(UNKNOWN) };
        match calls.iter().find(|call| self.0.contains(&call.name)) {
            None => Said::passed(),
            Some(call) => Said::failed(format!("{} was called", call.name)),
        }
    }
}

/// At most so many tool calls (TestKit: `shouldMakeAtMostToolCalls`).
#[derive(Clone, Copy, Debug)]
pub struct ToolCallBudget(pub usize);

impl Evaluator for ToolCallBudget {
    fn label(&self) -> &str {
        "tool-call-budget"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        match context.calls().map(<[ToolCall]>::len) {
            None => Said::inconclusive(UNKNOWN),
            Some(count) if count <= self.0 => Said::passed(),
            Some(count) => Said::failed(format!("{count} tool calls, at most {} pass", self.0)),
        }
    }
}

/// The calls are these, under a way of matching.
#[derive(Clone, Debug)]
pub struct CallSequence {
    /// The calls.
    pub calls: Vec<ToolCall>,
    /// How they are matched.
    pub matching: Matching,
}

impl Evaluator for CallSequence {
    fn label(&self) -> &str {
        "call-sequence"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let Some(calls) = context.calls() else { return Said::inconclusive(UNKNOWN) };
        let policy = &context.rules.policy;
        let alignment = align(&prepare(&self.calls, policy), &prepare(calls, policy), self.matching);
        if alignment.holds(self.matching) {
            return Said::passed();
        }
        Said::failed(match alignment.first_divergence() {
            Some((_, Some(seen))) => format!("differs first at call {} ({})", seen + 1, calls[seen].name),
            Some((Some(wanted), None)) => format!("{} was not called", self.calls[wanted].name),
            _ => "differs".to_owned(),
        })
    }
}

/// The members of arguments, given as an object or as the text of one.
pub(super) fn object(arguments: &Json) -> Option<Vec<(String, Json)>> {
    let parsed = match arguments.as_str() {
        Some(text) => Json::parse(text.into_owned()).ok()?,
        None => arguments.clone(),
    };
    let members = parsed.members()?;
    Some(members.into_iter().map(|(key, value)| (key.into_owned(), value)).collect())
}
