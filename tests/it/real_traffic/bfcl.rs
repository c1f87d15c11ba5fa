//! Answers of models to the Berkeley Function Calling Leaderboard: an answer a line, all its calls in parallel.

use std::path::Path;

use taketwo::recording::{Interaction, Json, Kind, ToolCall, ToolName};

use super::Found;
use super::python_calls::python_calls;

/// The answers in a results file. Answers over several turns are nested lists, which are skipped.
pub fn answers(file: &Path, found: &mut Found) {
    for line in found.lines(file) {
        let (Some(id), Some(result)) = (line.member("id"), line.member("result")) else {
            found.skip();
            continue;
        };
        match calls(&result) {
            Some(calls) => {
                let mut it = Interaction::new(Json::string(""));
                it.tool_calls = Some(calls.into_iter().map(|call| ToolCall { step: Some(0), ..call }).collect());
                found.add(&id.shown(), it);
            }
            None => found.skip(),
        }
    }
}

/// Calls as `[{"name": "{\"x\": 1}"}]`, or as the text `[name(x=1)]`. Another text is words, without calls.
fn calls(result: &Json) -> Option<Vec<ToolCall>> {
    if result.kind() == Kind::String {
        let text = result.as_str()?;
        let text = text.trim();
        return if text.starts_with('[') && text.ends_with(']') { python_calls(text) } else { Some(Vec::new()) };
    }
    result.items()?.iter().map(structured).collect()
}

fn structured(call: &Json) -> Option<ToolCall> {
    let members = call.members()?;
    let [(name, arguments)] = members.as_slice() else { return None };
    Some(ToolCall::new(ToolName::new(name.as_ref()), Some(arguments.compact())))
}
