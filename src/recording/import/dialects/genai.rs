//! OpenTelemetry's conventions for generative AI, in the spellings of all their ages, with what Strands (messages as
//! events of spans), Pydantic AI and MCP add to them.

use super::super::super::interaction::ModelCall;
use super::super::super::json::{Json, Kind};
use super::super::dialogue::Outcome;
use super::super::messages::genai;
use super::super::observation::ObservationKind;
use super::super::spans::Span;
use super::super::spans::attributes::Attributes;
use super::super::usage::{Convention, Usage, Written};
use super::{Seen, genai_events, parsed};
use crate::recording::interaction::Doubt;

pub(super) fn read(span: &Span) -> Seen {
    let it = &span.attributes;
    let mut seen = genai_events::read(&span.events);
    seen.session = it.first_text(&["gen_ai.conversation.id", "session.id", "mcp.session.id"]);
    seen.kind = kind(span, &mut seen.doubts);
    seen.name = match &seen.kind {
        Some(ObservationKind::Tool { .. }) => it.first_text(&["gen_ai.tool.name", "mcp.tool.name"]),
        Some(ObservationKind::Agent) => it.first_text(&["gen_ai.agent.name", "agent_name", "gen_ai.agent.id"]),
        _ => None,
    };
    for key in ["gen_ai.input.messages", "gen_ai.prompt", "pydantic_ai.all_messages"] {
        if seen.input.is_empty() {
            seen.input = parsed(it, key, &mut seen.doubts).map(|json| genai::read(&json)).unwrap_or_default();
        }
    }
    for key in ["gen_ai.output.messages", "gen_ai.completion"] {
        if seen.output.is_empty() {
            seen.output = parsed(it, key, &mut seen.doubts).map(|json| genai::read(&json)).unwrap_or_default();
        }
    }
    // Of several choices the first is the answer.
    if matches!(seen.kind, Some(ObservationKind::Model(_))) {
        seen.output.truncate(1);
    }
    if seen.output.is_empty() && matches!(seen.kind, Some(ObservationKind::Agent)) {
        seen.output = it.get("final_result").cloned().map(super::answer).unwrap_or_default();
    }
    seen
}

fn kind(span: &Span, doubts: &mut Vec<Doubt>) -> Option<ObservationKind> {
    let it = &span.attributes;
    match it.text("gen_ai.operation.name").as_deref() {
        Some("chat" | "generate_content" | "text_completion" | "completion" | "message" | "responses") => {
            Some(ObservationKind::Model(model_call(it, doubts)))
        }
        Some("execute_tool") => Some(tool(it)),
        Some("invoke_agent") => Some(ObservationKind::Agent),
        Some("invoke_workflow") => Some(ObservationKind::Workflow),
        Some(_) => Some(ObservationKind::Other),
        // Writers that know no operations have a span for nothing but a tool, or nothing but a request.
        None if it.text("mcp.method.name").is_some_and(|method| method == "tools/call") => Some(tool(it)),
        None if it.get("gen_ai.tool.name").is_some() => Some(tool(it)),
        None if span.name == "agent run" && it.first(&["agent_name", "gen_ai.agent.name"]).is_some() => {
            Some(ObservationKind::Agent)
        }
        None if is_request(it) => Some(ObservationKind::Model(model_call(it, doubts))),
        None => None,
    }
}

/// Whether a span without an operation is a request to a model: it names one and says what became of it.
fn is_request(it: &Attributes) -> bool {
    let names_model = it.first(&["gen_ai.request.model", "gen_ai.response.model"]).is_some();
    let says_more = it.first(&["gen_ai.response.id", "gen_ai.response.finish_reasons", "gen_ai.prompt"]).is_some()
        || it.count(&["gen_ai.usage.prompt_tokens", "gen_ai.usage.input_tokens"]).is_some();
    // Claude Code names the model of its agent in every span that it has.
    names_model && says_more && it.get("span.type").is_none() && it.get("traceloop.span.kind").is_none()
}

fn tool(it: &Attributes) -> ObservationKind {
    let arguments = it.first(&["gen_ai.tool.call.arguments", "tool_arguments", "mcp.request.argument"]);
    let result = it.first(&["gen_ai.tool.call.result", "tool_response", "mcp.tool.result"]);
    ObservationKind::Tool {
        id: it.first_text(&["gen_ai.tool.call.id", "tool_use_id"]),
        arguments: arguments.cloned(),
        outcome: result.cloned().map(Outcome::result),
    }
}

/// What the attributes say of a call of a model.
pub(super) fn model_call(it: &Attributes, doubts: &mut Vec<Doubt>) -> ModelCall {
    let Usage { tokens, doubt } = usage(it);
    doubts.extend(doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }));
    ModelCall {
        model: it.first_text(&["gen_ai.response.model", "gen_ai.request.model"]),
        tokens,
        latency_ms: None,
        finish_reason: finish_reason(it),
        extra: Vec::new(),
    }
}

fn usage(it: &Attributes) -> Usage {
    let count = |names: &[&str]| names.iter().find_map(|name| it.count(&[&format!("gen_ai.usage.{name}")]));
    let written = Written {
        input: count(&["input_tokens", "prompt_tokens"]).or_else(|| it.count(&["llm.usage.prompt_tokens"])),
        output: count(&["output_tokens", "completion_tokens"]).or_else(|| it.count(&["llm.usage.completion_tokens"])),
        cache_read: count(&["cache_read.input_tokens", "cache_read_input_tokens", "details.cache_read_tokens"]),
        cache_write: count(&[
            "cache_creation.input_tokens",
            "cache_creation_input_tokens",
            "details.cache_write_tokens",
        ]),
        reasoning: count(&["reasoning.output_tokens", "reasoning_tokens", "details.reasoning_tokens"]),
        more_input: None,
        total: count(&["total_tokens"]).or_else(|| it.count(&["llm.usage.total_tokens"])),
    };
    // By the conventions cached tokens are a part of the input. Some writers hand on Anthropic's counts as they are: it
    // shows where more was cached than there is input.
    let cached = written.cache_read.unwrap_or(0).saturating_add(written.cache_write.unwrap_or(0));
    let is_beside = written.input.is_some_and(|input| cached > input);
    written.read(if is_beside { Convention::CacheBeside } else { Convention::Within })
}

/// Why it stopped: a list of one, which some write as a text, or the older attribute.
fn finish_reason(it: &Attributes) -> Option<String> {
    let reasons = it.json("gen_ai.response.finish_reasons");
    let first = reasons.and_then(|reasons: Json| match reasons.kind() {
        Kind::Array => reasons.items()?.first().map(|reason| reason.shown().into_owned()),
        _ => Some(reasons.shown().into_owned()),
    });
    first.filter(|reason| !reason.is_empty()).or_else(|| it.text("gen_ai.response.finish_reason"))
}
