//! One attempt as it is written down: small, complete for a report, and read back by a resumed run.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::compare::{Alignment, Arguments, Change, Difference, ExtraKind, MissingKind, Order, PairKind, Policy};
use crate::evaluate::{EvalContext, EvaluationOutcome, EvaluationResult};
use crate::recording::{CaseId, Interaction, ToolCall};
use crate::replay::{AttemptKey, Ended, Failure, FailureKind, LatencySource, Ledger, Serving};

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
    /// What it came to.
    pub verdict: AttemptVerdict,
    /// What each evaluator said.
    pub results: Vec<EvaluationResult>,
    /// Where the calls differ.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub differences: Vec<CallDifference>,
    /// The calls of both sides side by side, where they differ.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<CallLine>,
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
}

impl LedgerRow {
    fn of(ledger: &Ledger) -> Self {
        let mut row = Self { fidelity: ledger.fidelity(), unused: ledger.unused.len() as u64, ..Self::default() };
        for serving in &ledger.servings {
            row.asked += 1;
            match serving {
                Serving::Exact { .. } => row.exact += 1,
                Serving::Repeated { .. } => row.repeated += 1,
                Serving::Nearest { .. } => row.nearest += 1,
                Serving::Static => row.r#static += 1,
                Serving::Live => row.live += 1,
                Serving::Exhausted { .. } => row.exhausted += 1,
                Serving::Unanswerable { .. } => row.unanswerable += 1,
                Serving::Missed { tool, nearest } => {
                    row.missed += 1;
                    let mut paths: Vec<String> = Vec::new();
                    for path in nearest.iter().take(1).flat_map(|near| &near.differences).map(|it| it.path.general()) {
                        if !paths.contains(&path) {
                            paths.push(path);
                        }
                    }
                    let nearest = nearest.iter().map(|near| {
                        let paths = near.differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ");
                        format!("recorded call {}: {paths}", near.recorded + 1)
                    });
                    row.misses.push(MissRow { tool: tool.to_string(), nearest: nearest.collect(), paths });
                }
            }
        }
        row
    }
}

/// One difference of the calls, ready to be grouped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallDifference {
    /// What kind of difference.
    pub kind: DifferenceKind,
    /// The tool; the recorded one where there are two.
    pub tool: String,
    /// The path into the arguments, where one differs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// The same with `[*]` for places in lists: what differences are grouped by.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub general_path: Option<String>,
    /// What was recorded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected: Option<String>,
    /// What was seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<String>,
    /// What a reader may not see at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hint: Option<String>,
    /// The place in the recording, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recorded_call: Option<usize>,
    /// The place in the run, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen_call: Option<usize>,
    /// Whether the way calls are matched holds the run to it.
    pub gated: bool,
}

/// The kinds of difference between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    /// A recorded call was not made.
    Missing,
    /// A recorded call was made fewer times.
    FewerTimes,
    /// A recorded retry was not made.
    RetryDropped,
    /// A call was made that was not recorded.
    Extra,
    /// A recorded call was made more often.
    Repeated,
    /// A tool was called that this case's recording does not use.
    UnknownTool,
    /// Another tool was called with like arguments.
    Renamed,
    /// A call was made out of order.
    Moved,
    /// An argument has another value.
    Changed,
    /// An argument has another type.
    TypeChanged,
    /// An argument is gone.
    ArgumentMissing,
    /// An argument came new.
    ArgumentAdded,
    /// The arguments are broken JSON.
    BrokenArguments,
}

impl DifferenceKind {
    /// Its words in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DifferenceKind::Missing => "not called",
            DifferenceKind::FewerTimes => "called fewer times",
            DifferenceKind::RetryDropped => "not retried",
            DifferenceKind::Extra => "extra call",
            DifferenceKind::Repeated => "called more often",
            DifferenceKind::UnknownTool => "tool not in this recording",
            DifferenceKind::Renamed => "renamed",
            DifferenceKind::Moved => "moved",
            DifferenceKind::Changed => "argument changed",
            DifferenceKind::TypeChanged => "argument type changed",
            DifferenceKind::ArgumentMissing => "argument missing",
            DifferenceKind::ArgumentAdded => "argument added",
            DifferenceKind::BrokenArguments => "broken arguments",
        }
    }

    fn of_change(change: Change) -> Self {
        match change {
            Change::Value => DifferenceKind::Changed,
            Change::Kind => DifferenceKind::TypeChanged,
            Change::Missing => DifferenceKind::ArgumentMissing,
            Change::Added => DifferenceKind::ArgumentAdded,
            Change::Broken => DifferenceKind::BrokenArguments,
        }
    }
}

/// A line of the two call lists side by side: recorded alone, seen alone, or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLine {
    /// The recorded call, as `get_order {"id":"1001"}`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recorded: Option<String>,
    /// The call of the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<String>,
    /// Whether it was made out of order.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub moved: bool,
}

/// How many characters of a call are kept for the listing, and how many calls.
const CALL_SHOWN: usize = 240;
const CALLS_SHOWN: usize = 200;

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
        let recorded_latency = case.recorded.latency_ms.filter(|time| *time > 0.0);
        Self {
            index: case.index,
            id: case.id.clone(),
            attempt: attempt.number,
            scenario: case.recorded.scenario.clone(),
            weight: case.recorded.traffic(),
            verdict,
            results,
            differences,
            calls,
            recorded: Usage::of(&case.recorded, recorded_latency, LatencySource::Recorded),
            seen: Usage::of(&attempt.seen, attempt.latency.ms, attempt.latency.source),
            ledger: LedgerRow::of(&attempt.ledger),
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
        }
        self.ledger.misses.iter_mut().for_each(|miss| miss.nearest.clear());
        if let Some(failure) = &mut self.failure {
            failure.message.clear();
        }
        self.doubts.clear();
        self.violations.iter_mut().for_each(|violation| *violation = "(omitted)".into());
        Self { calls: Vec::new(), reply: None, stderr: String::new(), ..self }
    }
}

/// The differences of the calls, and both lists where there is one.
fn compared(context: &EvalContext<'_>) -> (Vec<CallDifference>, Vec<CallLine>) {
    let (Some(alignment), Some(recorded), Some(seen)) =
        (context.alignment(), context.case.recorded.tool_calls.as_deref(), context.calls())
    else {
        return (Vec::new(), Vec::new());
    };
    let mut differences = differences(context, alignment, recorded, seen);
    match &context.attempt.ended {
        Ended::Replied => {}
        Ended::Failed(failure) if failure.kind == FailureKind::Setup => return (Vec::new(), Vec::new()),
        // What an attempt that did not come to its end left out, it might still have done; and nothing of it is gated.
        Ended::Failed(failure) => {
            differences.retain(|difference| difference.seen_call.is_some());
            let counts = failure.kind == FailureKind::Aborted;
            differences.iter_mut().for_each(|difference| difference.gated &= counts);
        }
    }
    if differences.is_empty() {
        return (differences, Vec::new());
    }
    let lines = listing(alignment, recorded, seen, &context.rules.policy);
    (differences, lines)
}

fn differences(
    context: &EvalContext<'_>,
    alignment: &Alignment,
    recorded: &[ToolCall],
    seen: &[ToolCall],
) -> Vec<CallDifference> {
    let matching = context.rules.matching;
    let bare = |kind, tool: &ToolCall, recorded_call: Option<usize>, seen_call: Option<usize>, gated| CallDifference {
        kind,
        tool: tool.name.to_string(),
        path: None,
        general_path: None,
        expected: None,
        seen: None,
        hint: None,
        recorded_call: recorded_call.map(|at| at + 1),
        seen_call: seen_call.map(|at| at + 1),
        gated,
    };
    let mut found = Vec::new();
    for pair in &alignment.pairs {
        let (was, is) = (&recorded[pair.recorded], &seen[pair.seen]);
        let here = |kind, gated| bare(kind, was, Some(pair.recorded), Some(pair.seen), gated);
        if pair.order == Order::Moved {
            found.push(here(DifferenceKind::Moved, matching.is_ordered()));
        }
        let inner = match &pair.kind {
            PairKind::Same => continue,
            PairKind::Changed(inner) => inner,
            PairKind::Renamed(inner) => {
                let names = (Some(was.name.to_string()), Some(is.name.to_string()));
                found.push(CallDifference { expected: names.0, seen: names.1, ..here(DifferenceKind::Renamed, true) });
                inner
            }
        };
        found.extend(inner.iter().map(|difference| CallDifference {
            path: Some(difference.path.to_string()),
            general_path: Some(difference.path.general()),
            expected: difference.expected.clone(),
            seen: difference.seen.clone(),
            hint: difference.hint.map(|hint| hint.as_str().to_owned()),
            ..here(DifferenceKind::of_change(difference.change), true)
        }));
    }
    found.extend(alignment.missing.iter().map(|missing| {
        let kind = match missing.kind {
            MissingKind::Dropped => DifferenceKind::Missing,
            MissingKind::FewerTimes => DifferenceKind::FewerTimes,
            MissingKind::RetryDropped => DifferenceKind::RetryDropped,
        };
        bare(kind, &recorded[missing.recorded], Some(missing.recorded), None, !matching.allows_missing())
    }));
    found.extend(alignment.extra.iter().map(|extra| {
        let kind = match extra.kind {
            ExtraKind::New => DifferenceKind::Extra,
            ExtraKind::Repeated => DifferenceKind::Repeated,
            ExtraKind::UnknownTool => DifferenceKind::UnknownTool,
        };
        bare(kind, &seen[extra.seen], None, Some(extra.seen), !matching.allows_extra())
    }));
    found
}

/// Both lists in one: the calls of the run in their order, recorded ones that were not made where they belong.
fn listing(alignment: &Alignment, recorded: &[ToolCall], seen: &[ToolCall], policy: &Policy) -> Vec<CallLine> {
    let text = |call: &ToolCall| {
        let arguments = Arguments::read(call.arguments.as_ref(), &policy.tool(&call.name));
        cut(&format!("{} {arguments}", call.name), CALL_SHOWN)
    };
    let mut lines = Vec::new();
    let mut pairs = vec![None; seen.len().min(CALLS_SHOWN)];
    for pair in &alignment.pairs {
        if let Some(place) = pairs.get_mut(pair.seen) {
            *place = Some(pair);
        }
    }
    let mut missing = alignment.missing.iter().map(|missing| missing.recorded).peekable();
    for (call, pair) in seen.iter().zip(pairs) {
        if let Some(pair) = pair.filter(|pair| pair.order == Order::Kept) {
            while let Some(gone) = missing.next_if(|gone| *gone < pair.recorded && lines.len() < CALLS_SHOWN) {
                lines.push(CallLine { recorded: Some(text(&recorded[gone])), seen: None, moved: false });
            }
        }
        if lines.len() >= CALLS_SHOWN {
            break;
        }
        lines.push(CallLine {
            recorded: pair.map(|pair| text(&recorded[pair.recorded])),
            seen: Some(text(call)),
            moved: pair.is_some_and(|pair| pair.order == Order::Moved),
        });
    }
    let room = CALLS_SHOWN - lines.len();
    let rest = missing.take(room);
    lines.extend(rest.map(|gone| CallLine { recorded: Some(text(&recorded[gone])), seen: None, moved: false }));
    lines
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
