//! How a case came out otherwise.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::compare::Hint;
use crate::recording::CaseId;
use crate::verdict::found::{GroupKey, found_in};
use crate::verdict::{AttemptRow, CallDifference, CaseVerdict, EvalCaseResults};

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
    let passes = |verdict| verdict == CaseVerdict::Passed;
    let kind = match (before.verdict, after.verdict) {
        (was, is) if is.is_failure() && !was.is_failure() => CaseChangeKind::NewlyFailing,
        (was, is) if passes(is) && !passes(was) => CaseChangeKind::NewlyPassing,
        (was, is) if was != is => CaseChangeKind::OtherVerdict,
        // What an attempt leaves out that breaks off is no change.
        _ if pairs.iter().any(|(was, is)| was.failure.is_some() || is.failure.is_some()) => return None,
        _ if !new.is_empty() || !gone.is_empty() => CaseChangeKind::OtherDifferences,
        _ if have_other_details(pairs, values) => CaseChangeKind::OtherDetails,
        _ => return None,
    };
    let weight = before.attempts.first().map_or(0.0, |row| row.weight);
    Some(CaseChange { id: before.id.clone(), kind, before: before.verdict, after: after.verdict, weight, new, gone })
}

fn keys<'a>(rows: impl Iterator<Item = &'a AttemptRow>) -> BTreeSet<GroupKey> {
    rows.flat_map(found_in).map(|found| found.key).collect()
}

/// Whether other tools were called, or other values seen at the places that differ. Over several attempts the order in
/// which they came does not matter.
fn have_other_details(pairs: &[(&AttemptRow, &AttemptRow)], values: Values) -> bool {
    if pairs.iter().all(|(was, is)| was.differences == is.differences && was.tools.seen() == is.tools.seen()) {
        return false;
    }
    let tools = |rows: &mut dyn Iterator<Item = &AttemptRow>| -> Option<BTreeSet<_>> {
        rows.map(|row| row.tools.seen().map(<[_]>::to_vec)).collect()
    };
    let (was, is) = (tools(&mut pairs.iter().map(|pair| pair.0)), tools(&mut pairs.iter().map(|pair| pair.1)));
    if let (Some(was), Some(is)) = (was, is)
        && was != is
    {
        return true;
    }
    let seen = |rows: &mut dyn Iterator<Item = &AttemptRow>| -> BTreeSet<_> {
        let differences = rows.flat_map(|row| &row.differences).filter(|difference| !is_made_anew(difference));
        let place = |it: &CallDifference| (it.tool.clone(), it.path.clone(), it.recorded_call);
        differences.map(|it| (it.kind, place(it), it.expected.clone(), it.seen.clone())).collect()
    };
    values == Values::Kept && seen(&mut pairs.iter().map(|pair| pair.0)) != seen(&mut pairs.iter().map(|pair| pair.1))
}

/// Whether the value looks like an id or a time that is another one in each run.
fn is_made_anew(difference: &CallDifference) -> bool {
    let hints = [Hint::Volatile, Hint::Time].map(Hint::as_str);
    difference.hint.as_deref().is_some_and(|hint| hints.contains(&hint))
}
