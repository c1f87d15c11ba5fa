//! The checks that a recording gives by itself, carried out call by call on the pairing.

use super::budget;
use super::{EvalContext, EvaluationResult, Label, Said};
use crate::case::Check;
use crate::compare::{Alignment, ExtraKind, MissingKind, Order, PairKind};
use crate::recording::ToolCall;

/// Carries out a check; `None` where it does not apply to the way calls are matched.
pub(super) fn evaluate(check: &Check, context: &EvalContext<'_>) -> Option<EvaluationResult> {
    let said = match check {
        Check::UnrecordedTools => unrecorded(context)?,
        Check::Tools | Check::ToolOrder | Check::ToolArguments | Check::ExtraTools => calls(check, context)?,
        Check::ReplyPresent => reply_present(context),
        Check::ModelCallBudget { limit, .. } => budget::model_calls(context, *limit),
        Check::TokenBudget { class, limit, .. } => budget::tokens(context, *class, *limit),
        Check::LatencyBudget { limit, .. } => budget::recorded_latency(context, *limit),
        Check::CostBudget { limit, .. } => budget::cost(context, *limit),
    };
    Some(said.by(Label::known(check.label())))
}

/// A recording that does not tell its calls says nothing about a run that made none.
fn unrecorded(context: &EvalContext<'_>) -> Option<Said> {
    let made = context.calls()?.first()?;
    Some(Said::inconclusive(format!(
        "the recording does not say which tools were called, and this run called {}",
        made.name
    )))
}

fn reply_present(context: &EvalContext<'_>) -> Said {
    match context.reply() {
        Some(_) => Said::passed(),
        None => Said::failed("there is no reply, or a blank one"),
    }
}

fn calls(check: &Check, context: &EvalContext<'_>) -> Option<Said> {
    let matching = context.rules.matching;
    let applies = match check {
        Check::Tools => !matching.allows_missing(),
        Check::ToolOrder => matching.is_ordered(),
        Check::ExtraTools => !matching.allows_extra(),
        _ => true,
    };
    if !applies {
        return None;
    }
    let (Some(alignment), Some(recorded), Some(seen)) =
        (context.alignment(), context.recorded().tool_calls.as_deref(), context.calls())
    else {
        return Some(Said::inconclusive("the run does not say which tools were called"));
    };
    Some(match check {
        Check::Tools => tools(alignment, recorded, seen),
        Check::ToolOrder => order(alignment, recorded),
        // Where calls may be left out, one that is has nothing to be compared with, and need not have.
        Check::ToolArguments if matching.allows_missing() => changed_arguments(alignment, recorded),
        Check::ToolArguments => arguments(alignment, recorded),
        _ => extra(alignment, seen),
    })
}

fn tools(alignment: &Alignment, recorded: &[ToolCall], seen: &[ToolCall]) -> Said {
    let mut lacks: Vec<String> = alignment
        .missing
        .iter()
        .map(|missing| {
            let name = &recorded[missing.recorded].name;
            match missing.kind {
                MissingKind::Dropped => format!("{name} was not called"),
                MissingKind::FewerTimes => format!("{name} was called fewer times"),
                MissingKind::RetryDropped => format!("{name} was not retried as it was recorded"),
            }
        })
        .collect();
    lacks.extend(alignment.pairs.iter().filter(|pair| matches!(pair.kind, PairKind::Renamed(_))).map(|pair| {
        let (was, is) = (&recorded[pair.recorded].name, &seen[pair.seen].name);
        format!("{was} was not called, {is} was (renamed?)")
    }));
    lacks.extend(alignment.pairs.iter().filter(|pair| matches!(pair.kind, PairKind::Handed(_))).map(|pair| {
        let agent = |call: &ToolCall| call.agent.clone().unwrap_or_else(|| "no agent".into());
        let (was, is) = (&recorded[pair.recorded], &seen[pair.seen]);
        format!("{} was called by {}, not by {}", was.name, agent(is), agent(was))
    }));
    if lacks.is_empty() { Said::passed() } else { Said::failed(listed(&lacks)) }
}

fn order(alignment: &Alignment, recorded: &[ToolCall]) -> Said {
    let moved: Vec<String> = alignment
        .pairs
        .iter()
        .filter(|pair| pair.order == Order::Moved)
        .map(|pair| {
            format!("{} moved from place {} to {}", recorded[pair.recorded].name, pair.recorded + 1, pair.seen + 1)
        })
        .collect();
    if !moved.is_empty() {
        return Said::failed(listed(&moved));
    }
    match lost(alignment, recorded) {
        Some(lost) => Said::inconclusive(format!("{lost} has no counterpart to be in order with")),
        None => Said::passed(),
    }
}

fn changed_arguments(alignment: &Alignment, recorded: &[ToolCall]) -> Said {
    let changed: Vec<String> = alignment
        .pairs
        .iter()
        .filter_map(|pair| match &pair.kind {
            PairKind::Changed(differences) | PairKind::Handed(differences) => Some((pair, differences)),
            PairKind::Same | PairKind::Renamed(_) => None,
        })
        .flat_map(|(pair, differences)| {
            let name = &recorded[pair.recorded].name;
            differences.iter().map(move |difference| format!("{name} {difference}"))
        })
        .collect();
    if changed.is_empty() { Said::passed() } else { Said::failed(listed(&changed)) }
}

fn arguments(alignment: &Alignment, recorded: &[ToolCall]) -> Said {
    let said = changed_arguments(alignment, recorded);
    match lost(alignment, recorded) {
        Some(lost) if said == Said::passed() => {
            Said::inconclusive(format!("{lost} has no counterpart to compare with"))
        }
        _ => said,
    }
}

fn extra(alignment: &Alignment, seen: &[ToolCall]) -> Said {
    let mut more: Vec<String> = alignment
        .extra
        .iter()
        .map(|extra| {
            let name = &seen[extra.seen].name;
            match extra.kind {
                ExtraKind::New => format!("this call of {name} was not recorded"),
                ExtraKind::Repeated => format!("{name} was called more often"),
                ExtraKind::Retried => format!("{name} was called again after it failed"),
                ExtraKind::Looped => format!("{name} was called over and over"),
                ExtraKind::UnknownTool => format!("{name} is not in this recording"),
            }
        })
        .collect();
    let renamed = alignment.pairs.iter().filter(|pair| matches!(pair.kind, PairKind::Renamed(_)));
    more.extend(renamed.map(|pair| format!("{} is not in this recording", seen[pair.seen].name)));
    if more.is_empty() { Said::passed() } else { Said::failed(listed(&more)) }
}

/// The first recorded call without a counterpart of the same tool.
fn lost<'a>(alignment: &Alignment, recorded: &'a [ToolCall]) -> Option<&'a str> {
    let missing = alignment.missing.iter().map(|missing| missing.recorded);
    let renamed =
        alignment.pairs.iter().filter(|pair| matches!(pair.kind, PairKind::Renamed(_))).map(|pair| pair.recorded);
    missing.chain(renamed).min().map(|at| recorded[at].name.as_str())
}

/// How many things a detail lists before it only counts.
const LISTED: usize = 5;

pub(super) fn listed(things: &[String]) -> String {
    let shown = things.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join("; ");
    match things.len().checked_sub(LISTED) {
        Some(more) if more > 0 => format!("{shown}; and {more} more"),
        _ => shown,
    }
}
