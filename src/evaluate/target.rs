//! What is said of an attempt as a whole: whether it came to its end, and whether it can be compared.

use super::{EvalContext, EvaluationOutcome, EvaluationResult, Label, Said};
use crate::compare::{Matching, PairKind};
use crate::replay::{Ended, FailureKind, Serving};

const TARGET: Label = Label::known("target");
const SETUP: Label = Label::known("setup");
const FIDELITY: Label = Label::known("fidelity");
const EVIDENCE: Label = Label::known("evidence");

/// What is said before anything is compared.
pub(super) fn results(context: &EvalContext<'_>) -> Vec<EvaluationResult> {
    let mut results = Vec::new();
    match &context.attempt.ended {
        Ended::Failed(failure) => {
            let label = if failure.kind == FailureKind::Setup { SETUP } else { TARGET };
            // The TestKit counts a failed call of the agent as a failed case.
            let said = match context.rules.matching {
                Matching::Labels => Said::failed(failure.to_string()),
                _ => Said::not_reached(failure.to_string()),
            };
            results.push(said.by(label));
            if failure.kind == FailureKind::Aborted {
                results.extend(stopped_at_a_difference(context));
            }
        }
        Ended::Replied => {
            if !context.attempt.aftermath.violations.is_empty() {
                let what = context.attempt.aftermath.violations.join("; ");
                results.push(Said::inconclusive(format!("the target broke the protocol: it {what}")).by(TARGET));
            }
            results.extend(comparability(context));
        }
    }
    results.retain(|result| !context.rules.skips(result.label.as_str()));
    results
}

/// An attempt that was stopped at its first call without a recording: that call is a finding, where calls count.
fn stopped_at_a_difference(context: &EvalContext<'_>) -> Option<EvaluationResult> {
    let alignment = context.alignment()?;
    let calls = context.calls()?;
    let changed = alignment.pairs.iter().find_map(|pair| match &pair.kind {
        PairKind::Changed(differences) => Some(format!("{}: {}", calls[pair.seen].name, differences.first()?)),
        PairKind::Renamed(_) | PairKind::Handed(_) => Some(format!("{} was called", calls[pair.seen].name)),
        PairKind::Same => None,
    });
    if let Some(changed) = changed {
        return Some(Said::failed(changed).by(Label::known("tool-arguments")));
    }
    let extra = alignment.extra.first().filter(|_| !context.rules.matching.allows_extra())?;
    Some(Said::failed(format!("{} was not recorded", calls[extra.seen].name)).by(Label::known("extra-tools")))
}

/// Why an attempt cannot be compared, if it cannot.
fn comparability(context: &EvalContext<'_>) -> Option<EvaluationResult> {
    if context.rules.matching == Matching::Labels {
        return None;
    }
    let not = |why: String| Some(Said::inconclusive(format!("not comparable: {why}")).by(FIDELITY));
    let ledger = &context.attempt.ledger;
    let stands_in = context.attempt.latency.source == crate::replay::LatencySource::Recorded;
    let unanswerable = ledger.servings.iter().filter(|serving| matches!(serving, Serving::Unanswerable { .. })).count();
    if unanswerable > 0 && !stands_in {
        return not(format!("{unanswerable} calls could not be answered, their results were not recorded or cut off"));
    }
    let fidelity = ledger.fidelity();
    if fidelity < context.rules.fidelity_floor {
        let (percent, floor) = (fidelity * 100.0, context.rules.fidelity_floor * 100.0);
        return not(format!("{percent:.0} % of the calls were answered from the recording, {floor:.0} % are needed"));
    }
    if let Some(tool) = failed_only_now(context) {
        return not(format!("{tool} failed in this run and not in the recording"));
    }
    None
}

/// A tool that failed for the same call that went well when it was recorded: the surroundings, not the agent.
fn failed_only_now(context: &EvalContext<'_>) -> Option<String> {
    let (recorded, seen) = (context.recorded().tool_calls.as_deref()?, context.calls()?);
    let pairs = &context.alignment()?.pairs;
    let failed = pairs.iter().find(|pair| {
        pair.kind == PairKind::Same && seen[pair.seen].error.is_some() && recorded[pair.recorded].error.is_none()
    })?;
    // A stub that had nothing to give is counted where it was asked.
    let stubbed = context.attempt.latency.source == crate::replay::LatencySource::Stubbed;
    (!stubbed).then(|| seen[failed.seen].name.to_string())
}

/// What is said when nothing else decides: a case with no checks, or a recording of nothing.
pub(super) fn evidence(context: &EvalContext<'_>, results: &[EvaluationResult]) -> Option<EvaluationResult> {
    if context.rules.skips("evidence") || context.attempt.ended != Ended::Replied {
        return None;
    }
    if results.is_empty() {
        return Some(Said::inconclusive("no check applies: the recording holds nothing to hold a run to").by(EVIDENCE));
    }
    if results.iter().any(|result| result.outcome == EvaluationOutcome::Failed)
        || context.rules.matching == Matching::Labels
    {
        return None;
    }
    let recorded = context.recorded();
    let no_calls = recorded.tool_calls.as_ref().is_none_or(Vec::is_empty);
    let no_spend =
        recorded.tokens.sum().unwrap_or(0) == 0 && recorded.model_calls.as_ref().map_or(0, |calls| calls.count()) == 0;
    (no_calls && no_spend && !recorded.has_reply())
        .then(|| Said::inconclusive("nothing was recorded: no reply, no call, no spend").by(EVIDENCE))
}
