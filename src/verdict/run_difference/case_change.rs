//! How a case came out otherwise.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::compare::Hint;
use crate::recording::{CaseId, ToolName};
use crate::verdict::found::{GroupKey, found_in};
use crate::verdict::{AttemptRow, CallDifference, CaseVerdict, DifferenceKind, EvalCaseResults};

/// A case that came out otherwise in the second run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseChange {
    /// The case.
    pub id: CaseId,
    /// How it changed.
    pub kind: CaseChangeKind,
    /// What it came to in the first run.
    pub before: CaseVerdict,
    /// What it came to in the second.
    pub after: CaseVerdict,
    /// The traffic that it stands for.
    pub weight: f64,
    /// The first kinds of difference from the recording that the second run has alone.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub new: Vec<GroupKey>,
    /// The first kinds that the first run has alone.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub gone: Vec<GroupKey>,
    /// What was called otherwise, where the kinds of difference are the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<CallChange>,
}

/// The first thing that the second run called otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallChange {
    /// The tool; none where other tools were called.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<ToolName>,
    /// The path into its arguments.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// What the first run had there: a value, or the tools in their order.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// What the second run had there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
}

/// In what a case came out otherwise; of several the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseChangeKind {
    /// It fails or varies now, and did not before.
    NewlyFailing,
    /// It passes now, and did not before.
    NewlyPassing,
    /// It has another verdict.
    OtherVerdict,
    /// The verdict is the same, but other kinds of difference from the recording led to it.
    OtherDifferences,
    /// The kinds are the same as well, but other tools were called or other values seen.
    OtherDetails,
}

impl CaseChangeKind {
    /// All, the weightiest first.
    pub const ALL: [CaseChangeKind; 5] = [
        CaseChangeKind::NewlyFailing,
        CaseChangeKind::NewlyPassing,
        CaseChangeKind::OtherVerdict,
        CaseChangeKind::OtherDifferences,
        CaseChangeKind::OtherDetails,
    ];
}

/// Whether the values that were seen can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Both runs kept them.
    Kept,
    /// One run left them out.
    LeftOut,
}

/// How many kinds of difference are kept of a case.
const KINDS: usize = 8;

/// In what the second run came out otherwise; `None` where in nothing.
pub(super) fn case_change(
    before: &EvalCaseResults,
    after: &EvalCaseResults,
    pairs: &[(&AttemptRow, &AttemptRow)],
    values: Values,
) -> Option<CaseChange> {
    let (was, is) = (keys(pairs.iter().map(|pair| pair.0)), keys(pairs.iter().map(|pair| pair.1)));
    let alone = |ours: &BTreeSet<GroupKey>, theirs| ours.difference(theirs).take(KINDS).cloned().collect::<Vec<_>>();
    let (new, gone) = (alone(&is, &was), alone(&was, &is));
    let mut detail = None;
    let passes = |verdict| verdict == CaseVerdict::Passed;
    let kind = match (before.verdict, after.verdict) {
        (was, is) if is.is_failure() && !was.is_failure() => CaseChangeKind::NewlyFailing,
        (was, is) if passes(is) && !passes(was) => CaseChangeKind::NewlyPassing,
        (was, is) if was != is => CaseChangeKind::OtherVerdict,
        // What an attempt leaves out that breaks off is no change.
        _ if pairs.iter().any(|(was, is)| was.failure.is_some() || is.failure.is_some()) => return None,
        _ if !new.is_empty() || !gone.is_empty() => CaseChangeKind::OtherDifferences,
        _ => {
            detail = Some(other_detail(pairs, values)?);
            CaseChangeKind::OtherDetails
        }
    };
    let weight = before.attempts.first().map_or(0.0, |row| row.weight);
    let (id, before, after) = (before.id.clone(), before.verdict, after.verdict);
    Some(CaseChange { id, kind, before, after, weight, new, gone, detail })
}

fn keys<'a>(rows: impl Iterator<Item = &'a AttemptRow>) -> BTreeSet<GroupKey> {
    rows.flat_map(found_in).map(|found| found.key).collect()
}

/// The first thing that was called otherwise: other tools, or other values at the places that differ. Over several
/// attempts the order in which they came does not matter.
fn other_detail(pairs: &[(&AttemptRow, &AttemptRow)], values: Values) -> Option<CallChange> {
    if pairs.iter().all(|(was, is)| was.differences == is.differences && was.tools.seen() == is.tools.seen()) {
        return None;
    }
    let (was, is) = (|| pairs.iter().map(|pair| pair.0), || pairs.iter().map(|pair| pair.1));
    if let (Some(was), Some(is)) = (tools_of(was()), tools_of(is()))
        && was != is
    {
        let alone = |ours: &BTreeSet<Vec<ToolName>>, theirs: &BTreeSet<_>| {
            ours.difference(theirs).next().map(|tools| in_a_row(tools))
        };
        return Some(CallChange { tool: None, path: None, before: alone(&was, &is), after: alone(&is, &was) });
    }
    if values == Values::LeftOut {
        return None;
    }
    let (was, is) = (seen_of(was()), seen_of(is()));
    let alone = |ours: &BTreeSet<Seen>, theirs: &BTreeSet<Seen>| ours.difference(theirs).next().cloned();
    let (gone, came) = (alone(&was, &is), alone(&is, &was));
    let ((tool, path, _), _) = gone.as_ref().or(came.as_ref())?.clone();
    let there = |it: Option<Seen>| it.filter(|(place, _)| (&place.0, &place.1) == (&tool, &path)).and_then(|it| it.1.2);
    let (before, after) = (there(gone), there(came));
    Some(CallChange { tool: Some(ToolName::new(tool)), path, before, after })
}

fn tools_of<'a>(rows: impl Iterator<Item = &'a AttemptRow>) -> Option<BTreeSet<Vec<ToolName>>> {
    rows.map(|row| row.tools.seen().map(<[_]>::to_vec)).collect()
}

fn in_a_row(tools: &[ToolName]) -> String {
    tools.iter().map(ToolName::as_str).collect::<Vec<_>>().join(" > ")
}

/// A place that differs from the recording (tool, path, number of the recorded call), and how: the kind, what was
/// recorded and what was seen.
type Seen = ((String, Option<String>, Option<usize>), (DifferenceKind, Option<String>, Option<String>));

fn seen_of<'a>(rows: impl Iterator<Item = &'a AttemptRow>) -> BTreeSet<Seen> {
    let differences = rows.flat_map(|row| &row.differences).filter(|difference| !is_made_anew(difference));
    let place = |it: &CallDifference| (it.tool.clone(), it.path.clone(), it.recorded_call);
    differences.map(|it| (place(it), (it.kind, it.expected.clone(), it.seen.clone()))).collect()
}

/// Whether the value looks like an id or a time that is another one in each run.
fn is_made_anew(difference: &CallDifference) -> bool {
    let hints = [Hint::Volatile, Hint::Time].map(Hint::as_str);
    difference.hint.as_deref().is_some_and(|hint| hints.contains(&hint))
}
