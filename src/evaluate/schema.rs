//! Whether the calls of a run are such as their tools declare.

use super::recorded::listed;
use super::{EvalContext, EvaluationResult, Label, Said};
use crate::compare::{CallStatus, PairKind, ToolDefinitions};
use crate::recording::ToolCall;

const LABEL: &str = "tool-schema";

/// A call of a run that the definitions rule out, and that the recording did not make just the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuledOutCall {
    /// Its place in the run, counted from 0.
    pub seen: usize,
    /// Why.
    pub status: CallStatus,
}

/// The calls of an attempt that its tools' definitions rule out; none where the check is left out.
#[must_use]
pub fn ruled_out_calls(context: &EvalContext<'_>) -> Vec<RuledOutCall> {
    let Some(definitions) = context.rules.tools.as_deref().filter(|_| !context.rules.skips(LABEL)) else {
        return Vec::new();
    };
    let calls = context.calls().unwrap_or_default().iter().enumerate();
    let status = calls.map(|(seen, call)| RuledOutCall { seen, status: definitions.status(call) });
    status.filter(|call| call.status.is_fault() && !is_as_recorded(context, call.seen)).collect()
}

/// The check, where definitions are given and there is a call to look at.
pub(super) fn result(context: &EvalContext<'_>) -> Option<EvaluationResult> {
    let definitions = context.rules.tools.as_deref().filter(|_| !context.rules.skips(LABEL))?;
    Some(said(context, definitions)?.by(Label::known(LABEL)))
}

fn said(context: &EvalContext<'_>, definitions: &ToolDefinitions) -> Option<Said> {
    let Some(calls) = context.calls() else {
        return Some(Said::inconclusive("the run does not say which tools were called"));
    };
    calls.first()?;
    let (mut as_recorded, mut new) = (Vec::new(), Vec::new());
    for (at, call) in calls.iter().enumerate() {
        let faults = faults(definitions, call);
        if !faults.is_empty() {
            let found = if is_as_recorded(context, at) { &mut as_recorded } else { &mut new };
            found.extend(faults);
        }
    }
    Some(match (new.is_empty(), as_recorded.is_empty()) {
        (false, _) => Said::failed(listed(&new)),
        (true, false) => {
            Said::passed().because(format!("as recorded, and ruled out there too: {}", listed(&as_recorded)))
        }
        (true, true) => Said::passed(),
    })
}

/// Why the definitions rule a call out, if they do.
fn faults(definitions: &ToolDefinitions, call: &ToolCall) -> Vec<String> {
    match definitions.status(call) {
        CallStatus::Valid | CallStatus::Unchecked => Vec::new(),
        CallStatus::UnknownTool => vec![format!("{} is not declared", call.name)],
        CallStatus::Unreadable(fault) => vec![format!("{} has {}", call.name, fault.as_str())],
        CallStatus::Invalid(faults) => faults.iter().map(|fault| format!("{} {fault}", call.name)).collect(),
    }
}

/// Whether the recording makes an equal call in the place of this one.
fn is_as_recorded(context: &EvalContext<'_>, seen: usize) -> bool {
    let pairs = context.alignment().map(|alignment| alignment.pairs.as_slice()).unwrap_or_default();
    pairs.iter().any(|pair| pair.seen == seen && pair.kind == PairKind::Same)
}
