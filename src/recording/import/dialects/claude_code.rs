//! Claude Code's own spans. Each call of a tool is a span with others within it: the wait for permission, the execution.

use super::super::super::interaction::ModelCall;
use super::super::super::json::Json;
use super::super::dialogue::Outcome;
use super::super::observation::ObservationKind;
use super::super::spans::Span;
use super::super::spans::attributes::{Attributes, object};
use super::super::usage::{Convention, Usage, Written};
use super::Seen;
use crate::recording::interaction::Doubt;

pub(super) fn read(span: &Span) -> Seen {
    let it = &span.attributes;
    if !span.name.starts_with("claude_code.") {
        return Seen::default();
    }
    let mut seen = Seen { session: it.text("session.id"), ..Seen::default() };
    match span.name.trim_start_matches("claude_code.") {
        "interaction" => {
            seen.kind = Some(ObservationKind::Agent);
            seen.name = it.text("gen_ai.agent.name").or_else(|| Some("claude-code".into()));
            seen.input = it.get("user_prompt").cloned().map(super::user).unwrap_or_default();
        }
        "llm_request" => {
            let Usage { tokens, doubt } = usage(it);
            seen.doubts.extend(doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }));
            seen.kind = Some(ObservationKind::Model(ModelCall {
                model: it.first_text(&["model", "gen_ai.request.model"]),
                tokens,
                latency_ms: None,
                finish_reason: it.text("stop_reason"),
                extra: Vec::new(),
            }));
        }
        "tool" => {
            seen.name = it.text("tool_name");
            seen.kind = Some(tool(span));
        }
        "tool.execution" => {
            // It says whether the tool worked, and nothing of what it gave.
            seen.name = it.text("tool_name");
            let failed = it.text("success").is_some_and(|success| success == "false") || it.get("error").is_some();
            let error = failed.then(|| Outcome::error(it.get("error").cloned()));
            seen.kind = Some(ObservationKind::Tool { id: it.text("tool_use_id"), arguments: None, outcome: error });
        }
        _ => seen.kind = Some(ObservationKind::Other),
    }
    seen
}

fn tool(span: &Span) -> ObservationKind {
    let it = &span.attributes;
    let told = span.events.iter().find(|event| event.name == "tool.output").map(|event| &event.attributes);
    let input = told.and_then(|told| told.first(&["tool_input", "input"])).or_else(|| it.get("tool_input"));
    // What is known of a call of the shell without its arguments is the command.
    let command = || told.and_then(|told| told.get("bash_command")).or_else(|| it.get("full_command")).cloned();
    let arguments = input.cloned().or_else(|| command().map(|command| object([("command", Some(command))])));
    let output: Option<Json> = told.and_then(|told| told.first(&["output", "tool_output", "content"])).cloned();
    ObservationKind::Tool { id: it.text("tool_use_id"), arguments, outcome: output.map(Outcome::result) }
}

/// The input is told without what came out of the cache.
fn usage(it: &Attributes) -> Usage {
    Written {
        input: it.count(&["input_tokens"]),
        output: it.count(&["output_tokens"]),
        cache_read: it.count(&["cache_read_tokens"]),
        cache_write: it.count(&["cache_creation_tokens"]),
        ..Written::default()
    }
    .read(Convention::CacheBeside)
}
