//! One attempt as it is written down: small, complete for a report, and read back by a resumed run.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::calls::{CallDifference, CallLine, ExcusedRow, compared, cut, excused, rule_for};
use super::tool_names::ToolNames;
use crate::compare::Difference;
use crate::evaluate::{EvalContext, EvaluationOutcome, EvaluationResult};
use crate::recording::{CaseId, Interaction, ToolName};
use crate::replay::{AttemptKey, Ended, Failure, FailureKind, LatencySource, Near, Serving};

/// What an attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AttemptVerdict {
    /// Every result passed.
    Passed,
    /// A result failed: a finding.
    Failed,
    /// None failed, but an evaluator would not commit itself.
    Undecided,
    /// None failed, but something could not be judged.
    Inconclusive,
    /// It never came so far.
    NotReached,
}

impl AttemptVerdict {
    /// What results add up to.
    #[must_use]
    pub fn of(results: &[EvaluationResult]) -> Self {
        let any = |outcome| results.iter().any(|result| result.outcome == outcome);
        if any(EvaluationOutcome::Failed) {
            AttemptVerdict::Failed
        } else if any(EvaluationOutcome::NotReached) {
            AttemptVerdict::NotReached
        } else if any(EvaluationOutcome::Inconclusive) || any(EvaluationOutcome::Broke) || results.is_empty() {
            AttemptVerdict::Inconclusive
        } else if any(EvaluationOutcome::Undecided) {
            AttemptVerdict::Undecided
        } else {
            AttemptVerdict::Passed
        }
    }
}

/// One attempt, evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptRow {
    /// The case's place, counted from 0.
    pub index: u64,
    /// The case.
    pub id: CaseId,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// The scenario, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scenario: Option<String>,
    /// How much traffic it stands for.
    pub weight: f64,
    /// The variant that it was held to, where that is not the recorded way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub variant: Option<String>,
    /// How many ways the case accepts, where there are several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ways: Option<u64>,
    /// What it came to.
    pub verdict: AttemptVerdict,
    /// What each evaluator said.
    pub results: Vec<EvaluationResult>,
    /// Where the calls differ.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub differences: Vec<CallDifference>,
    /// What differs and a rule lets pass.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub excused: Vec<ExcusedRow>,
    /// The calls of both sides side by side, where they differ.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<CallLine>,
    /// The tools of both sides by name, in order.
    #[serde(skip_serializing_if = "ToolNames::are_unknown", default)]
    pub tools: ToolNames,
    /// What the recording spent.
    pub recorded: Usage,
    /// What the run spent.
    pub seen: Usage,
    /// How its tool calls were answered.
    pub ledger: LedgerRow,
    /// Why there is no reply.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<FailureRow>,
    /// The reply, where the attempt did not pass.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply: Option<String>,
    /// The end of what the target wrote to standard error, where the attempt did not pass.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub stderr: String,
    /// What the target did against the protocol.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub violations: Vec<String>,
    /// What of the recording or the run made no sense and counts as unknown.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub doubts: Vec<String>,
}

/// Why an attempt has no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRow {
    /// The kind.
    pub kind: FailureKind,
    /// What is known of it.
    pub message: String,
}

/// What was spent, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tool calls.
    pub tool_calls: Option<u64>,
    /// Model calls.
    pub model_calls: Option<u64>,
    /// Tokens in total.
    pub tokens: Option<u64>,
    /// Input tokens.
    pub input_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Milliseconds to the reply.
    pub latency_ms: Option<f64>,
    /// Where the time comes from.
    pub latency_source: LatencySource,
    /// The cost, as a decimal number in a text.
    pub cost: Option<Decimal>,
    /// Its currency.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub currency: Option<String>,
}

impl Usage {
    /// What an interaction spent.
    #[must_use]
    pub fn of(it: &Interaction, latency_ms: Option<f64>, latency_source: LatencySource) -> Self {
        Self {
            tool_calls: it.tool_calls.as_ref().map(|calls| calls.len() as u64),
            model_calls: it.model_calls.as_ref().map(crate::recording::ModelCalls::count),
            tokens: it.tokens.sum(),
            input_tokens: it.tokens.input,
            output_tokens: it.tokens.output,
            latency_ms,
            latency_source,
            cost: it.cost,
            currency: it.currency.clone(),
        }
    }
}

/// How an attempt's calls were answered, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerRow {
    /// Calls asked.
    pub asked: u64,
    /// Answered from the recording of the same call.
    pub exact: u64,
    /// Answered from the recording of a call that a rule takes for the same.
    #[serde(default)]
    pub by_policy: u64,
    /// Answered by the last recording of the call again.
    pub repeated: u64,
    /// Answered from the most similar recording.
    pub nearest: u64,
    /// Answered as the suite states.
    pub r#static: u64,
    /// Answered by the tool itself.
    pub live: u64,
    /// Not answered: no recording.
    pub missed: u64,
    /// Not answered: recordings used up.
    pub exhausted: u64,
    /// Not answered: the result was not recorded or cut off.
    pub unanswerable: u64,
    /// Recorded calls that nobody asked for.
    pub unused: u64,
    /// From 0 to 1: the share that was answered faithfully.
    pub fidelity: f64,
    /// The calls that missed, with what was nearest.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub misses: Vec<MissRow>,
}

/// A call that no recording answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissRow {
    /// The tool.
    pub tool: String,
    /// What was nearest, with the paths that differ: a sentence each, best first.
    pub nearest: Vec<String>,
    /// The paths in which the nearest differs, with `[*]` for places in lists: rules that leave them out would have
    /// answered the call.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub paths: Vec<String>,
    /// Rules with which the nearest would have answered, as they are written on the command line; none where a person
    /// would hardly mean them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rules: Vec<String>,
}

/// The rules with which a near recording would have answered a call, where each difference has one.
fn remedies(tool: &ToolName, near: &Near) -> Vec<String> {
    let rules: Option<Vec<String>> = near
        .differences
        .iter()
        .map(|difference| rule_for(difference.remedy.as_deref()?, tool, &difference.path))
        .collect();
    let mut rules = rules.unwrap_or_default();
    rules.dedup();
    rules
}

/// How many differences of a near recording are told.
const NEAR_SHOWN: usize = 8;

fn first_of(differences: &[Difference]) -> String {
    let shown = differences.iter().take(NEAR_SHOWN).map(Difference::to_string).collect::<Vec<_>>().join("; ");
    match differences.len().saturating_sub(NEAR_SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

impl LedgerRow {
    fn of(context: &EvalContext<'_>) -> Self {
        let (ledger, way) = (&context.attempt.ledger, context.way());
        let mut row = Self { fidelity: ledger.fidelity(), unused: ledger.unused_of(way) as u64, ..Self::default() };
        for serving in &ledger.servings {
            row.asked += 1;
            match serving {
                Serving::Exact { .. } => row.exact += 1,
                Serving::ByPolicy { .. } => row.by_policy += 1,
                Serving::Repeated { .. } => row.repeated += 1,
                Serving::Nearest { .. } => row.nearest += 1,
                Serving::Static => row.r#static += 1,
                Serving::Live => row.live += 1,
                Serving::Exhausted { .. } => row.exhausted += 1,
                Serving::Unanswerable { .. } => row.unanswerable += 1,
                Serving::Missed { tool, nearest } => {
                    row.missed += 1;
                    let mut known = std::collections::HashSet::new();
                    let differing = nearest.iter().take(1).flat_map(|near| &near.differences);
                    let paths = differing.map(|it| it.path.general()).filter(|path| known.insert(path.clone()));
                    let paths = paths.collect();
                    let rules = nearest.first().map(|near| remedies(tool, near)).unwrap_or_default();
                    let nearest = nearest.iter().map(|near| {
                        let (way, place) = ledger.place_in_way(near.recorded);
                        let variant = way.checked_sub(1).and_then(|at| context.case.variants.get(at));
                        let of = variant.map(|variant| format!(" of the variant {}", variant.name)).unwrap_or_default();
                        format!("recorded call {}{of}: {}", place + 1, first_of(&near.differences))
                    });
                    row.misses.push(MissRow { tool: tool.to_string(), nearest: nearest.collect(), paths, rules });
                }
            }
        }
        row
    }
}

impl AttemptRow {
    /// Writes down an attempt.
    #[must_use]
    pub fn new(context: &EvalContext<'_>, results: Vec<EvaluationResult>) -> Self {
        let (case, attempt) = (context.case, context.attempt);
        let verdict = AttemptVerdict::of(&results);
        let passed = verdict == AttemptVerdict::Passed;
        let (differences, calls) = compared(context);
        let doubts = case.recorded.doubts.iter().map(|doubt| format!("recorded {doubt}"));
        let other_input = (attempt.seen.input.shown() != case.recorded.input.shown())
            .then(|| "input: the run was asked something else than what was recorded".to_owned());
        let doubts = doubts.chain(attempt.seen.doubts.iter().map(ToString::to_string)).chain(other_input).collect();
        let recorded = context.recorded();
        let recorded_latency = recorded.latency_ms.filter(|time| *time > 0.0);
        Self {
            index: case.index,
            id: case.id.clone(),
            attempt: attempt.number,
            scenario: case.recorded.scenario.clone(),
            weight: case.recorded.traffic(),
            variant: context.variant().map(|variant| variant.name.clone()),
            ways: Some(case.ways().count() as u64).filter(|ways| *ways > 1),
            verdict,
            results,
            differences,
            excused: excused(context),
            calls,
            tools: ToolNames::of(context),
            recorded: Usage::of(recorded, recorded_latency, LatencySource::Recorded),
            seen: Usage::of(&attempt.seen, attempt.latency.ms, attempt.latency.source),
            ledger: LedgerRow::of(context),
            failure: match &attempt.ended {
                Ended::Replied => None,
                Ended::Failed(Failure { kind, message }) => Some(FailureRow { kind: *kind, message: message.clone() }),
            },
            reply: context.reply().filter(|_| !passed).map(|reply| cut(&reply, 1000)),
            stderr: if passed { String::new() } else { attempt.aftermath.stderr.clone() },
            violations: attempt.aftermath.violations.clone(),
            doubts,
        }
    }

    /// Which attempt it is.
    #[must_use]
    pub fn key(&self) -> AttemptKey {
        AttemptKey { index: self.index, number: self.attempt }
    }

    /// Takes out every input, output, argument and result; ids, paths and verdicts stay.
    #[must_use]
    pub fn without_content(mut self) -> Self {
        self.results.iter_mut().for_each(|result| result.detail.clear());
        for difference in &mut self.differences {
            (difference.expected, difference.seen) = (None, None);
            // A rule may name values.
            difference.remedy = None;
        }
        for miss in &mut self.ledger.misses {
            (miss.nearest, miss.rules) = (Vec::new(), Vec::new());
        }
        if let Some(failure) = &mut self.failure {
            failure.message.clear();
        }
        self.doubts.clear();
        self.violations.iter_mut().for_each(|violation| *violation = "(omitted)".into());
        Self { calls: Vec::new(), reply: None, stderr: String::new(), ..self }
    }
}
