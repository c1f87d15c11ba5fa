//! Two runs over the same cases: what the second came to otherwise, folded up case by case.

mod case_change;
mod group_change;
mod spend_change;

use serde::{Deserialize, Serialize};

pub use case_change::{CallChange, CaseChange, CaseChangeKind, Values};
pub use group_change::{GroupChange, GroupSide, Trend};
pub use spend_change::SpendChange;

use case_change::case_change;
use group_change::GroupChanges;
use spend_change::SpendTally;

use super::case_results::{CaseVerdict, EvalCaseResults};
use super::row::AttemptRow;
use super::sequences::{BothSides, Counted, Known, SequenceTally, Sequences};
use crate::recording::CaseId;

/// What differs between two runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunDifference {
    /// Cases that both runs have.
    pub cases: u64,
    /// The traffic that they stand for.
    pub traffic: f64,
    /// What they came to.
    pub verdicts: Verdicts,
    /// Cases that came to no verdict in either run.
    pub open: u64,
    /// Attempts that were compared, one of the first run with one of the second.
    pub compared: u64,
    /// Those of them of which one did not come to its end: what they called is not compared.
    pub broken_off: u64,
    /// Cases that differ from their recordings in both runs, in values that were not kept: they may be other values.
    pub unseen: u64,
    /// Cases that the first run has alone.
    pub only_before: Vec<CaseId>,
    /// Cases that the second run has alone.
    pub only_after: Vec<CaseId>,
    /// Cases that came out otherwise, in the order of the first run.
    pub changes: Vec<CaseChange>,
    /// Differences from the recordings by kind, where there are others or more or fewer of them.
    pub groups: Vec<GroupChange>,
    /// Differences that are in no group, as there were too many kinds.
    pub ungrouped: u64,
    /// Which sequences of tools the second target has alone, and which the first.
    pub sequences: Sequences,
    /// What both spent.
    pub spend: Vec<SpendChange>,
}

/// What the same cases came to in both runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// In the first.
    pub before: VerdictCounts,
    /// In the second.
    pub after: VerdictCounts,
}

/// Cases by what they came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictCounts {
    /// Every decided attempt passed.
    pub passed: u64,
    /// Every decided attempt failed.
    pub failed: u64,
    /// Some passed and some failed.
    pub varied: u64,
    /// None was decided, and an evaluator would not commit itself.
    pub undecided: u64,
    /// None was decided.
    pub no_result: u64,
}

impl VerdictCounts {
    fn add(&mut self, verdict: CaseVerdict) {
        let count = match verdict {
            CaseVerdict::Passed => &mut self.passed,
            CaseVerdict::Failed => &mut self.failed,
            CaseVerdict::Varied => &mut self.varied,
            CaseVerdict::Undecided => &mut self.undecided,
            CaseVerdict::NoResult => &mut self.no_result,
        };
        *count += 1;
    }
}

impl RunDifference {
    /// How many cases changed in this way.
    #[must_use]
    pub fn count(&self, kind: CaseChangeKind) -> u64 {
        self.changes.iter().filter(|change| change.kind == kind).count() as u64
    }
}

/// Folds the cases of two runs, one by one.
#[derive(Debug)]
pub struct RunDifferenceBuilder {
    difference: RunDifference,
    values: Values,
    groups: GroupChanges,
    sequences: SequenceTally,
    spend: SpendTally,
}

impl RunDifferenceBuilder {
    /// Starts with no case.
    #[must_use]
    pub fn new(values: Values) -> Self {
        Self {
            difference: RunDifference::default(),
            values,
            groups: GroupChanges::default(),
            sequences: SequenceTally::default(),
            spend: SpendTally::default(),
        }
    }

    /// Takes in a case that both runs have.
    pub fn add(&mut self, before: &EvalCaseResults, after: &EvalCaseResults) {
        let number = self.difference.cases;
        let weight = before.attempts.first().map_or(0.0, |row| row.weight);
        let case = Counted { number, id: before.id.as_str(), weight };
        let difference = &mut self.difference;
        difference.cases += 1;
        difference.traffic += weight;
        difference.verdicts.before.add(before.verdict);
        difference.verdicts.after.add(after.verdict);
        difference.open += u64::from(is_open(before.verdict) && is_open(after.verdict));
        let pairs = paired(before, after);
        let change = case_change(before, after, &pairs, self.values);
        let has_unseen = self.values == Values::LeftOut && change.is_none() && pairs.iter().any(differ_in_values);
        difference.unseen += u64::from(has_unseen);
        difference.changes.extend(change);
        for (before, after) in pairs {
            self.add_attempt(&case, before, after);
        }
    }

    fn add_attempt(&mut self, case: &Counted<'_>, before: &AttemptRow, after: &AttemptRow) {
        self.difference.compared += 1;
        let known = known(before, after);
        self.sequences.add(case, BothSides { before: before.tools.seen(), after: after.tools.seen(), known });
        if known == Known::BrokenOff {
            self.difference.broken_off += 1;
        } else {
            self.groups.add(case, before, after);
        }
        self.spend.add(before, after);
    }

    /// Takes in a case that the first run has alone.
    pub fn add_only_before(&mut self, id: &CaseId) {
        self.difference.only_before.push(id.clone());
    }

    /// Takes in a case that the second run has alone.
    pub fn add_only_after(&mut self, id: &CaseId) {
        self.difference.only_after.push(id.clone());
    }

    /// What differs.
    #[must_use]
    pub fn finish(self) -> RunDifference {
        let (groups, ungrouped) = self.groups.finish();
        let (sequences, spend) = (self.sequences.finish(), self.spend.finish());
        RunDifference { groups, ungrouped, sequences, spend, ..self.difference }
    }
}

/// Whether both differ from their recording in the values of arguments.
fn differ_in_values((before, after): &(&AttemptRow, &AttemptRow)) -> bool {
    let has_place = |row: &AttemptRow| row.differences.iter().any(|difference| difference.path.is_some());
    has_place(before) && has_place(after)
}

fn is_open(verdict: CaseVerdict) -> bool {
    matches!(verdict, CaseVerdict::Undecided | CaseVerdict::NoResult)
}

/// Attempts of the same number.
fn paired<'a>(before: &'a EvalCaseResults, after: &'a EvalCaseResults) -> Vec<(&'a AttemptRow, &'a AttemptRow)> {
    let of_number = |number| after.attempts.iter().find(|row| row.attempt == number);
    before.attempts.iter().filter_map(|row| Some((row, of_number(row.attempt)?))).collect()
}

/// How much of what two attempts called is known.
fn known(before: &AttemptRow, after: &AttemptRow) -> Known {
    match (Known::of(before), Known::of(after)) {
        (Known::BrokenOff, _) | (_, Known::BrokenOff) => Known::BrokenOff,
        (Known::Beginning, _) | (_, Known::Beginning) => Known::Beginning,
        (Known::Whole, Known::Whole) => Known::Whole,
    }
}
