//! Where the calls of an attempt differ from the recorded ones, written down for reports.

use serde::{Deserialize, Serialize};

use super::ruled_out;
use crate::compare::{
    Alignment, Arguments, Change, ExtraKind, Hint, MissingKind, Order, Pair, PairKind, Path, Policy, Rule, alike_names,
    around_difference, escaped,
};
use crate::evaluate::EvalContext;
use crate::recording::{ToolCall, ToolName};
use crate::replay::{Ended, FailureKind};

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
    /// The rules that it was held to; none where values are compared exactly.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<String>,
    /// A rule that would have accepted it, as it is written on the command line, where a person may well mean it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remedy: Option<String>,
    /// Whether it comes after the first difference of the attempt and may well follow from it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub downstream: bool,
    /// Whether the way calls are matched holds the run to it.
    pub gated: bool,
}

impl CallDifference {
    /// A difference of a call of the run, the place counted from 0, with nothing more said of it.
    pub(super) fn of_run(kind: DifferenceKind, tool: &ToolName, seen: usize) -> Self {
        Self {
            kind,
            tool: tool.to_string(),
            path: None,
            general_path: None,
            expected: None,
            seen: None,
            hint: None,
            recorded_call: None,
            seen_call: Some(seen + 1),
            rule: None,
            remedy: None,
            downstream: false,
            gated: true,
        }
    }
}

/// Whether a check is about calls, so that their differences tell why it failed.
#[must_use]
pub fn is_about_calls(label: &str) -> bool {
    ["tools", "tool-order", "tool-arguments", "extra-tools", "tool-schema"].contains(&label)
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
    /// A call was made again after it had failed.
    Retried,
    /// A call was made over and over, alone or with others in turn.
    Looped,
    /// A tool was called that this case's recording does not use.
    UnknownTool,
    /// Another tool was called with like arguments.
    Renamed,
    /// Another agent made the call.
    OtherAgent,
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
    /// The arguments are cut off.
    CutOffArguments,
    /// The arguments are encoded as JSON twice.
    DoubleEncodedArguments,
    /// The tools' definitions do not name the tool.
    UndeclaredTool,
    /// An argument is not what the tool declares.
    InvalidArgument,
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
            DifferenceKind::Retried => "retried",
            DifferenceKind::Looped => "called in a loop",
            DifferenceKind::UnknownTool => "tool not in this recording",
            DifferenceKind::Renamed => "renamed",
            DifferenceKind::OtherAgent => "called by another agent",
            DifferenceKind::Moved => "moved",
            DifferenceKind::Changed => "argument changed",
            DifferenceKind::TypeChanged => "argument type changed",
            DifferenceKind::ArgumentMissing => "argument missing",
            DifferenceKind::ArgumentAdded => "argument added",
            DifferenceKind::BrokenArguments => "broken arguments",
            DifferenceKind::CutOffArguments => "cut-off arguments",
            DifferenceKind::DoubleEncodedArguments => "arguments encoded twice",
            DifferenceKind::UndeclaredTool => "tool not declared",
            DifferenceKind::InvalidArgument => "argument not as declared",
        }
    }

    fn of_change(change: Change) -> Self {
        match change {
            Change::Value => DifferenceKind::Changed,
            Change::Kind => DifferenceKind::TypeChanged,
            Change::Missing => DifferenceKind::ArgumentMissing,
            Change::Added => DifferenceKind::ArgumentAdded,
            Change::CutOff => DifferenceKind::CutOffArguments,
            Change::DoubleEncoded => DifferenceKind::DoubleEncodedArguments,
            Change::Broken => DifferenceKind::BrokenArguments,
        }
    }
}

/// What differs at one place and a rule lets pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcusedRow {
    /// The rule.
    pub rule: String,
    /// The tool.
    pub tool: String,
    /// The first place, with `[*]` for places in lists.
    pub path: String,
    /// How many differences.
    pub count: u64,
}

/// What rules let pass, by rule.
pub(super) fn excused(context: &EvalContext<'_>) -> Vec<ExcusedRow> {
    let (Some(alignment), Some(recorded)) = (context.alignment(), context.recorded().tool_calls.as_deref()) else {
        return Vec::new();
    };
    let mut rows: Vec<ExcusedRow> = Vec::new();
    for pair in &alignment.pairs {
        for excuse in &pair.excused {
            let rule = excuse.rules.join(" and ");
            match rows.iter_mut().find(|row| row.rule == rule) {
                Some(row) => row.count += 1,
                None => rows.push(ExcusedRow {
                    rule,
                    tool: recorded[pair.recorded].name.to_string(),
                    path: excuse.path.general(),
                    count: 1,
                }),
            }
        }
    }
    rows
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

/// The differences of the calls, and both lists where there is one.
pub(super) fn compared(context: &EvalContext<'_>) -> (Vec<CallDifference>, Vec<CallLine>) {
    let (Some(alignment), Some(recorded), Some(seen)) =
        (context.alignment(), context.recorded().tool_calls.as_deref(), context.calls())
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
        recorded_call: recorded_call.map(|at| at + 1),
        seen_call: seen_call.map(|at| at + 1),
        gated,
        ..CallDifference::of_run(kind, &tool.name, 0)
    };
    let mut found = Vec::new();
    let same_names = recorded.iter().map(|call| &call.name).eq(seen.iter().map(|call| &call.name));
    let same_names = same_names.then_some("the tools come in the same order, their arguments do not");
    for pair in &alignment.pairs {
        let (was, is) = (&recorded[pair.recorded], &seen[pair.seen]);
        let here = |kind, gated| bare(kind, was, Some(pair.recorded), Some(pair.seen), gated);
        if pair.order == Order::Moved {
            let hint = needed(alignment, pair, recorded).or_else(|| same_names.map(str::to_owned));
            found.push(CallDifference { hint, ..here(DifferenceKind::Moved, matching.is_ordered()) });
        }
        let inner = match &pair.kind {
            PairKind::Same => continue,
            PairKind::Changed(inner) => inner,
            PairKind::Renamed(inner) => {
                let hint = alike_names(was.name.as_str(), is.name.as_str());
                let shown = |name: &ToolName| match hint {
                    Some(Hint::LooksAlike) => escaped(name.as_str()),
                    _ => name.to_string(),
                };
                let (expected, seen) = (Some(shown(&was.name)), Some(shown(&is.name)));
                let hint = hint.map(|hint| hint.as_str().to_owned());
                found.push(CallDifference { expected, seen, hint, ..here(DifferenceKind::Renamed, true) });
                inner
            }
            PairKind::Handed(inner) => {
                let (expected, seen) = (was.agent.clone(), is.agent.clone());
                found.push(CallDifference { expected, seen, ..here(DifferenceKind::OtherAgent, true) });
                inner
            }
        };
        found.extend(inner.iter().map(|difference| CallDifference {
            path: Some(difference.path.to_string()),
            general_path: Some(difference.path.general()),
            expected: difference.expected.clone(),
            seen: difference.seen.clone(),
            hint: difference.hint.map(|hint| hint.as_str().to_owned()),
            rule: (!difference.rules.is_empty()).then(|| difference.rules.join(" and ")),
            remedy: difference.remedy.as_ref().and_then(|how| rule_for(how, &was.name, &difference.path)),
            ..here(DifferenceKind::of_change(difference.change), true)
        }));
    }
    found.extend(alignment.missing.iter().map(|missing| {
        let hint = shared_id(recorded, missing.recorded);
        let kind = match missing.kind {
            MissingKind::Dropped => DifferenceKind::Missing,
            MissingKind::FewerTimes => DifferenceKind::FewerTimes,
            MissingKind::RetryDropped => DifferenceKind::RetryDropped,
        };
        let gated = !matching.allows_missing();
        CallDifference { hint, ..bare(kind, &recorded[missing.recorded], Some(missing.recorded), None, gated) }
    }));
    found.extend(alignment.extra.iter().map(|extra| {
        let kind = match extra.kind {
            ExtraKind::New => DifferenceKind::Extra,
            ExtraKind::Repeated => DifferenceKind::Repeated,
            ExtraKind::Retried => DifferenceKind::Retried,
            ExtraKind::Looped => DifferenceKind::Looped,
            ExtraKind::UnknownTool => DifferenceKind::UnknownTool,
        };
        bare(kind, &seen[extra.seen], None, Some(extra.seen), !matching.allows_extra())
    }));
    ruled_out::add(context, seen, &mut found);
    mark_downstream(alignment, &mut found);
    found
}

/// Marks what comes after the first difference.
fn mark_downstream(alignment: &Alignment, found: &mut [CallDifference]) {
    let Some(first) = alignment.first_divergence() else { return };
    let place = |recorded: Option<usize>, seen: Option<usize>| recorded.into_iter().chain(seen).min();
    let first = place(first.0.map(|at| at + 1), first.1.map(|at| at + 1));
    for difference in found {
        difference.downstream = place(difference.recorded_call, difference.seen_call) > first;
    }
}

/// That a call shares its provider's id with another one, which a careless reader takes for the same.
fn shared_id(recorded: &[ToolCall], at: usize) -> Option<String> {
    let id = recorded[at].id.as_deref().filter(|id| !id.is_empty())?;
    let other = recorded.iter().enumerate().position(|(other, call)| other != at && call.id.as_deref() == Some(id))?;
    Some(format!("its id {id} is also that of call {}", other + 1))
}

/// What a moved call needed that comes later now.
fn needed(alignment: &Alignment, pair: &Pair, recorded: &[ToolCall]) -> Option<String> {
    let edges = alignment.broken_edges.iter();
    let edge = edges.clone().find(|edge| edge.to == pair.recorded);
    if let Some(edge) = edge {
        return Some(format!("it uses what {} (recorded call {}) gave back", recorded[edge.from].name, edge.from + 1));
    }
    let edge = edges.clone().find(|edge| edge.from == pair.recorded)?;
    Some(format!("{} (recorded call {}) uses what it gave back", recorded[edge.to].name, edge.to + 1))
}

/// A rule for a place, as it is written on the command line; `None` where none can say it.
pub(super) fn rule_for(how: &str, tool: &ToolName, path: &Path) -> Option<String> {
    let rule = format!("{how} {tool}:{}", path.general());
    (Rule::can_name(tool.as_str()) && rule.parse::<Rule>().is_ok_and(|read| read.to_string() == rule)).then_some(rule)
}

/// Both lists in one: the calls of the run in their order, recorded ones that were not made where they belong.
fn listing(alignment: &Alignment, recorded: &[ToolCall], seen: &[ToolCall], policy: &Policy) -> Vec<CallLine> {
    let whole = |call: &ToolCall| {
        let arguments = Arguments::read(call.arguments.as_ref(), &policy.tool(&call.name));
        format!("{} {arguments}", call.name)
    };
    let text = |call: &ToolCall| cut(&whole(call), CALL_SHOWN);
    let texts = |pair: &Pair| match pair.kind {
        // Whatever rules let pass, to the reader the two are one.
        PairKind::Same => {
            let both = text(&recorded[pair.recorded]);
            (both.clone(), both)
        }
        // What is cut must still show that the two differ.
        _ => around_difference(&whole(&recorded[pair.recorded]), &whole(&seen[pair.seen]), CALL_SHOWN),
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
        let (was, is) = pair.map_or_else(
            || (None, text(call)),
            |pair| {
                let (was, is) = texts(pair);
                (Some(was), is)
            },
        );
        let moved = pair.is_some_and(|pair| pair.order == Order::Moved);
        lines.push(CallLine { recorded: was, seen: Some(is), moved });
    }
    let room = CALLS_SHOWN - lines.len();
    let rest = missing.take(room);
    lines.extend(rest.map(|gone| CallLine { recorded: Some(text(&recorded[gone])), seen: None, moved: false }));
    lines
}

pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
