//! The Akka TestKit's reading of a recording (`--match labels`): name by name and argument by argument.
//!
//! Rules as in the TestKit's `Evaluators` (newest found: commit 24db03e): a tool passes when it was called at all,
//! names form a subsequence after doubles were taken out, and each recorded argument passes when any call of its
//! tool has it. Calls that were not recorded pass.

use std::collections::BTreeSet;

use super::calls::{CallToolWith, CallTools, CallToolsInOrder, object};
use super::{EvalContext, EvaluationOutcome, EvaluationResult, Evaluator, Label, Said};
use crate::case::Check;
use crate::recording::{ToolCall, ToolName};

/// Carries out a check in the TestKit's way; `None` for checks that are the same in both.
pub(super) fn evaluate(check: &Check, context: &EvalContext<'_>) -> Option<Vec<EvaluationResult>> {
    held_to(context.recorded().tool_calls.as_deref().unwrap_or_default(), check, context)
}

/// How much a run fails that is held to these calls, in this reading.
pub(super) fn cost(recorded: &[ToolCall], context: &EvalContext<'_>) -> u64 {
    let checks = [Check::Tools, Check::ToolOrder, Check::ToolArguments];
    let results = checks.iter().filter_map(|check| held_to(recorded, check, context)).flatten();
    results.filter(|result| result.outcome != EvaluationOutcome::Passed).count() as u64
}

fn held_to(recorded: &[ToolCall], check: &Check, context: &EvalContext<'_>) -> Option<Vec<EvaluationResult>> {
    let mut names: Vec<ToolName> = Vec::new();
    for call in recorded {
        if !names.contains(&call.name) {
            names.push(call.name.clone());
        }
    }
    Some(match check {
        Check::Tools => vec![said(&CallTools(names), context)],
        Check::ToolOrder => vec![said(&CallToolsInOrder(names), context)],
        Check::ToolArguments => arguments(recorded, context),
        Check::ExtraTools | Check::UnrecordedTools | Check::ReplyPresent => Vec::new(),
        Check::TokenBudget { class, .. } if *class != crate::recording::TokenClass::Total => Vec::new(),
        Check::CostBudget { .. } => Vec::new(),
        // A recorded 0 gave no check there.
        Check::ModelCallBudget { recorded: 0, .. } | Check::TokenBudget { recorded: 0, .. } => Vec::new(),
        _ => return None,
    })
}

fn said(evaluator: &dyn Evaluator, context: &EvalContext<'_>) -> EvaluationResult {
    evaluator.evaluate(context).by(Label::new(evaluator.label()))
}

fn arguments(recorded: &[ToolCall], context: &EvalContext<'_>) -> Vec<EvaluationResult> {
    let mut results = Vec::new();
    let mut asked = BTreeSet::new();
    for call in recorded {
        let members = call.arguments.as_ref().and_then(object).unwrap_or_default();
        for (argument, value) in members {
            if asked.insert((call.name.clone(), argument.clone(), value.text().to_owned())) {
                results.push(said(&CallToolWith { tool: call.name.clone(), argument, value }, context));
            }
        }
    }
    if results.is_empty() {
        results.push(Said::passed().by(Label::known("tool-arguments")));
    }
    results
}
