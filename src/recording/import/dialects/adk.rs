//! Google's Agent Development Kit: requests, answers, arguments and results as JSON in attributes of its own.

use super::super::super::json::{Json, Kind};
use super::super::dialogue::Outcome;
use super::super::fields::member;
use super::super::messages::gemini;
use super::super::observation::ObservationKind;
use super::super::spans::Span;
use super::super::spans::attributes::Attributes;
use super::{Seen, genai, parsed};

/// What stands where there is nothing to say.
const NOTHING: [&str; 3] = ["N/A", "<not specified>", "<elided>"];

pub(super) fn read(span: &Span) -> Seen {
    let it = &span.attributes;
    let mut seen = Seen { session: it.text("gcp.vertex.agent.session_id"), ..Seen::default() };
    if span.name == "invocation" && !it.has_below("gen_ai.operation") {
        seen.kind = Some(ObservationKind::Workflow);
    }
    if it.get("gcp.vertex.agent.tool_call_args").is_some() || it.get("gcp.vertex.agent.tool_response").is_some() {
        // The results of parallel calls are told once more, all in one: the calls themselves stand below.
        let is_merged = it.text("gen_ai.tool.name").is_some_and(|name| name.starts_with("(merged"));
        seen.kind = Some(if is_merged { ObservationKind::Merged } else { tool(it) });
        return seen;
    }
    let is_told = |json: &Json| json.members().is_some_and(|members| !members.is_empty());
    if let Some(request) = parsed(it, "gcp.vertex.agent.llm_request", &mut seen.doubts).filter(is_told) {
        seen.input = member(&request, "contents").map(|contents| gemini::read(&contents)).unwrap_or_default();
    }
    if let Some(response) = parsed(it, "gcp.vertex.agent.llm_response", &mut seen.doubts).filter(is_told) {
        seen.output = member(&response, "content").map(|content| gemini::read(&content)).unwrap_or_default();
    }
    if it.get("gcp.vertex.agent.llm_request").is_some() || span.name == "call_llm" {
        seen.kind = Some(ObservationKind::Model(genai::model_call(it, &mut seen.doubts)));
    }
    seen
}

fn tool(it: &Attributes) -> ObservationKind {
    let told =
        |key: &str| it.json(key).filter(|json| json.as_str().is_none_or(|text| !NOTHING.contains(&text.as_ref())));
    let result = told("gcp.vertex.agent.tool_response").filter(|json| !is_unspecified(json));
    ObservationKind::Tool {
        id: it.text("gen_ai.tool.call.id").filter(|id| !NOTHING.contains(&id.as_str())),
        arguments: told("gcp.vertex.agent.tool_call_args"),
        outcome: result.map(Outcome::result),
    }
}

/// A tool that gave nothing back is told as `{"result": "<not specified>"}`.
fn is_unspecified(json: &Json) -> bool {
    let result = (json.kind() == Kind::Object).then(|| member(json, "result")).flatten();
    result.is_some_and(|result| result.as_str().is_some_and(|text| NOTHING.contains(&text.as_ref())))
}
