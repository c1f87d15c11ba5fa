//! Spans of OpenTelemetry in which an agent ran a tool.

use std::path::Path;

use taketwo::recording::Json;

use super::Found;
use super::conversation::Conversation;
use super::parts::{Outcome, Part, structured};

/// A document of OTLP in JSON. Which calls were made in parallel is not told, so each is a step of its own.
pub fn spans(file: &Path, found: &mut Found) {
    let Some(json) = found.json(file) else { return };
    let Some(resources) = json.member("resourceSpans").and_then(|list| list.items()) else { return found.skip() };
    let scopes = resources.iter().filter_map(|resource| resource.member("scopeSpans")?.items()).flatten();
    let spans = scopes.filter_map(|scope| scope.member("spans")?.items()).flatten();
    let mut runs: Vec<(u64, Span)> = spans.filter_map(|span| Some((started(&span)?, Span::read(&span)?))).collect();
    runs.sort_by_key(|(started, _)| *started);
    let mut talk = Conversation::default();
    for (_, span) in runs {
        let call = Part::Call { name: span.tool, arguments: span.arguments, id: None };
        let answer = span.result.map(|result| Part::Answer { id: None, name: None, outcome: Outcome::Result(result) });
        talk.parts([call].into_iter().chain(answer));
    }
    found.add("", talk.interaction_without_steps());
}

fn started(span: &Json) -> Option<u64> {
    span.member("startTimeUnixNano")?.shown().parse().ok()
}

struct Span {
    tool: String,
    arguments: Option<Json>,
    result: Option<Json>,
}

impl Span {
    fn read(span: &Json) -> Option<Self> {
        let name = span.member("name")?;
        let name = name.shown();
        if !name.starts_with("execute_tool") && !name.starts_with("tools/call") {
            return None;
        }
        let attributes = span.member("attributes")?.items()?;
        let value = |keys: [&str; 2]| {
            let found =
                attributes.iter().find(|item| item.member("key").is_some_and(|key| keys.contains(&&*key.shown())));
            found?.member("value")?.member("stringValue")
        };
        let tool = value(["gen_ai.tool.name", "tool.name"])?.shown().into_owned();
        // A span that stands for several calls, each of which has its own as well.
        if tool == "(merged tools)" {
            return None;
        }
        let arguments = value(["gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args"]);
        let result = value(["gen_ai.tool.call.result", "gcp.vertex.agent.tool_response"]);
        Some(Self { tool, arguments, result: result.map(|result| structured(&result)) })
    }
}
