//! A run in figures, folded up from its cases one by one in their order.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::case_results::{CaseVerdict, EvalCaseResults};
use super::found::{GroupKey, found_in};
use super::row::{AttemptRow, AttemptVerdict, Usage};
use super::sequences::{SequenceTally, Sequences};
use super::trust::Trust;
use crate::evaluate::EvaluationOutcome;
use crate::recording::CaseId;

/// Whether a run came to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Every attempt was made.
    Finished,
    /// It was stopped by a person.
    Cancelled,
    /// It ended in the middle, or is still going on.
    #[default]
    Unfinished,
}

/// What of a run its attempts do not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// Whether it came to its end.
    pub state: RunState,
    /// How many cases it was to have.
    pub cases: u64,
    /// How many attempts each case was to have.
    pub repeats: u32,
    /// Rows of the recording that could not be read.
    pub rejected: u64,
    /// Last lines that were cut off.
    pub torn: u64,
    /// Interactions of the second recording that no case has as counterpart.
    pub without_case: u64,
    /// What the target did for attempts that were over.
    pub strays: Vec<crate::replay::Stray>,
}

/// How one evaluator's results fell out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelCount {
    /// Results that passed.
    pub passed: u64,
    /// Results that failed.
    pub failed: u64,
    /// Results that are undecided.
    pub undecided: u64,
    /// Results without evidence.
    pub inconclusive: u64,
    /// Times the evaluator itself failed.
    pub broke: u64,
    /// Attempts that it could not look at, as they never came so far.
    pub not_reached: u64,
    /// The first reason for an inconclusive result.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub example: Option<String>,
}

/// A sum over values of which some may be unknown: then it is a floor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sum {
    /// The sum of what was recorded, over the attempts where both sides are known.
    pub recorded: Decimal,
    /// The sum of what was seen, over the same attempts.
    pub seen: Decimal,
    /// In how many attempts both are known.
    pub known: u64,
    /// Out of how many.
    pub of: u64,
}

impl Sum {
    fn add(&mut self, recorded: Option<Decimal>, seen: Option<Decimal>) {
        self.of += 1;
        if let (Some(recorded), Some(seen)) = (recorded, seen) {
            self.known += 1;
            self.recorded = self.recorded.saturating_add(recorded);
            self.seen = self.seen.saturating_add(seen);
        }
    }

    /// By which factor the spend moved; `None` when nothing was recorded.
    #[must_use]
    pub fn factor(&self) -> Option<f64> {
        let (recorded, seen): (f64, f64) = (self.recorded.try_into().ok()?, self.seen.try_into().ok()?);
        (self.known > 0 && recorded > 0.0).then(|| seen / recorded)
    }
}

/// Differences of one kind in many cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceGroup {
    /// The tool, or the label of the check where it is not about a tool.
    pub subject: String,
    /// The path into the arguments, with `[*]` for places in lists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// The kind of difference, in words.
    pub kind: String,
    /// The rule that they were held to; none where values are compared exactly.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<String>,
    /// Whether the run is held to it.
    pub gated: bool,
    /// How many differences.
    pub count: u64,
    /// In how many cases.
    pub cases: u64,
    /// The traffic that these cases stand for.
    pub traffic: f64,
    /// The first case that has it.
    pub example: String,
    /// What was recorded there, and what was seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
    #[serde(skip)]
    last_case: u64,
}

/// What a rule let pass: nothing is looked away from without being counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExcusedBy {
    /// The rule.
    pub rule: String,
    /// How many differences.
    pub count: u64,
    /// In how many attempts.
    pub attempts: u64,
    /// The first of them.
    pub example: String,
}

/// A run in figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Cases that were run.
    pub cases: u64,
    /// Cases by verdict.
    pub passed: u64,
    /// Of those that passed, the ones that kept to a variant.
    #[serde(default)]
    pub passed_by_variant: u64,
    /// Failed cases.
    pub failed: u64,
    /// Cases that passed and failed.
    pub varied: u64,
    /// Undecided cases.
    pub undecided: u64,
    /// Cases without a result.
    pub no_result: u64,
    /// Attempts that were made.
    pub attempts: u64,
    /// Attempts that passed.
    pub attempts_passed: u64,
    /// Attempts that failed.
    pub attempts_failed: u64,
    /// Attempts that are undecided.
    pub attempts_undecided: u64,
    /// Attempts without evidence.
    pub attempts_without_evidence: u64,
    /// Attempts in which the target or its setup failed.
    pub target_failures: u64,
    /// Times an evaluator failed itself.
    pub evaluator_failures: u64,
    /// The traffic that all cases stand for.
    pub traffic: f64,
    /// The traffic of failed and varied cases.
    pub traffic_changed: f64,
    /// By label.
    pub labels: BTreeMap<String, LabelCount>,
    /// Tool calls.
    pub tool_calls: Sum,
    /// Model calls.
    pub model_calls: Sum,
    /// Tokens in total.
    pub tokens: Sum,
    /// Input tokens.
    pub input_tokens: Sum,
    /// Output tokens.
    pub output_tokens: Sum,
    /// Milliseconds.
    pub latency_ms: Sum,
    /// Cost.
    pub cost: Sum,
    /// Calls asked of the stubs.
    pub calls_asked: u64,
    /// Calls answered faithfully.
    pub calls_faithful: u64,
    /// Recorded calls that nobody asked for.
    pub calls_unused: u64,
    /// Differences by kind, the gated ones first, then by traffic.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub groups: Vec<DifferenceGroup>,
    /// Differences that are in no group, as there were too many kinds.
    pub ungrouped: u64,
    /// What rules let pass, by rule.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub excused: Vec<ExcusedBy>,
    /// Which sequences of tools appeared and which vanished.
    #[serde(default)]
    pub sequences: Sequences,
    /// Values that made no sense and count as unknown, and the first of them.
    pub doubts: u64,
    /// The first doubt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub doubt: Option<String>,
    /// The cases that did not pass, in order. Reports list them with their cases.
    #[serde(skip)]
    pub not_passed: Vec<(CaseId, CaseVerdict)>,
}

/// The most kinds of difference that are told apart.
pub(super) const GROUPS: usize = 500;

/// Folds cases into a summary.
#[derive(Debug, Default)]
pub struct SummaryBuilder {
    summary: Summary,
    groups: BTreeMap<GroupKey, DifferenceGroup>,
    excused: BTreeMap<String, ExcusedBy>,
    sequences: SequenceTally,
}

impl SummaryBuilder {
    /// Takes in a case.
    pub fn add(&mut self, case: &EvalCaseResults) {
        let summary = &mut self.summary;
        summary.cases += 1;
        match case.verdict {
            CaseVerdict::Passed => {
                summary.passed += 1;
                summary.passed_by_variant += u64::from(case.passed_by().is_some());
            }
            CaseVerdict::Failed => summary.failed += 1,
            CaseVerdict::Varied => summary.varied += 1,
            CaseVerdict::Undecided => summary.undecided += 1,
            CaseVerdict::NoResult => summary.no_result += 1,
        }
        let weight = case.attempts.first().map_or(0.0, |row| row.weight);
        summary.traffic += weight;
        if case.verdict.is_failure() {
            summary.traffic_changed += weight;
        }
        if case.verdict != CaseVerdict::Passed {
            summary.not_passed.push((case.id.clone(), case.verdict));
        }
        for row in &case.attempts {
            self.add_attempt(row);
        }
        self.sequences.add_case(case);
    }

    fn add_attempt(&mut self, row: &AttemptRow) {
        let summary = &mut self.summary;
        summary.attempts += 1;
        match row.verdict {
            AttemptVerdict::Passed => summary.attempts_passed += 1,
            AttemptVerdict::Failed => summary.attempts_failed += 1,
            AttemptVerdict::Undecided => summary.attempts_undecided += 1,
            AttemptVerdict::Inconclusive | AttemptVerdict::NotReached => summary.attempts_without_evidence += 1,
        }
        summary.target_failures += u64::from(row.failure.is_some());
        summary.add_usage(&row.recorded, &row.seen);
        summary.calls_asked += row.ledger.asked;
        summary.calls_faithful += row.ledger.exact + row.ledger.by_policy + row.ledger.repeated + row.ledger.r#static;
        summary.calls_unused += row.ledger.unused;
        summary.doubts += row.doubts.len() as u64;
        if let (None, Some(doubt)) = (&summary.doubt, row.doubts.first()) {
            summary.doubt = Some(format!("{}: {doubt}", row.id));
        }
        summary.add_results(row);
        self.add_groups(row);
        self.add_excused(row);
    }

    fn add_excused(&mut self, row: &AttemptRow) {
        for excused in &row.excused {
            let by = self.excused.entry(excused.rule.clone()).or_insert_with(|| ExcusedBy {
                rule: excused.rule.clone(),
                count: 0,
                attempts: 0,
                example: format!("{}: {} {}", row.id, excused.tool, excused.path),
            });
            by.count += excused.count;
            by.attempts += 1;
        }
    }

    fn add_groups(&mut self, row: &AttemptRow) {
        for found in found_in(row) {
            self.group(row, found.key, found.gated, found.detail);
        }
    }

    fn group(&mut self, row: &AttemptRow, key: GroupKey, gated: bool, detail: Option<String>) {
        if self.groups.len() >= GROUPS && !self.groups.contains_key(&key) {
            self.summary.ungrouped += 1;
            return;
        }
        let group = self.groups.entry(key).or_insert_with_key(|key| DifferenceGroup {
            subject: key.subject.clone(),
            path: key.path.clone(),
            kind: key.kind.clone(),
            rule: key.rule.clone(),
            gated,
            count: 0,
            cases: 0,
            traffic: 0.0,
            example: row.id.to_string(),
            detail,
            last_case: u64::MAX,
        });
        group.count += 1;
        if group.last_case != row.index {
            group.last_case = row.index;
            group.cases += 1;
            group.traffic += row.weight;
        }
    }

    /// The figures.
    #[must_use]
    pub fn finish(self) -> Summary {
        let mut groups: Vec<_> = self.groups.into_values().collect();
        groups.sort_by(|a, b| b.gated.cmp(&a.gated).then(b.traffic.total_cmp(&a.traffic)).then(b.count.cmp(&a.count)));
        let (excused, sequences) = (self.excused.into_values().collect(), self.sequences.finish());
        Summary { groups, excused, sequences, ..self.summary }
    }
}

impl Summary {
    /// How far the figures can be trusted.
    #[must_use]
    pub fn trust(&self, facts: &Facts) -> Trust {
        Trust::new(
            self.attempts_passed,
            self.attempts_failed,
            self.attempts_undecided,
            self.attempts_without_evidence,
            facts.strays.len() as u64,
        )
    }

    fn add_usage(&mut self, recorded: &Usage, seen: &Usage) {
        let count = |count: Option<u64>| count.map(Decimal::from);
        self.tool_calls.add(count(recorded.tool_calls), count(seen.tool_calls));
        self.model_calls.add(count(recorded.model_calls), count(seen.model_calls));
        self.tokens.add(count(recorded.tokens), count(seen.tokens));
        self.input_tokens.add(count(recorded.input_tokens), count(seen.input_tokens));
        self.output_tokens.add(count(recorded.output_tokens), count(seen.output_tokens));
        let time = |time: Option<f64>| time.and_then(|time| Decimal::try_from(time).ok());
        self.latency_ms.add(time(recorded.latency_ms), time(seen.latency_ms));
        let one_currency = recorded.currency == seen.currency;
        self.cost.add(recorded.cost, seen.cost.filter(|_| one_currency));
    }

    fn add_results(&mut self, row: &AttemptRow) {
        for result in &row.results {
            // Nearly every label is there already; asking first spares a copy of its text.
            let label = result.label.as_str();
            if !self.labels.contains_key(label) {
                self.labels.insert(label.to_owned(), LabelCount::default());
            }
            let Some(count) = self.labels.get_mut(label) else { continue };
            match result.outcome {
                EvaluationOutcome::Passed => count.passed += 1,
                EvaluationOutcome::Failed => count.failed += 1,
                EvaluationOutcome::Undecided => count.undecided += 1,
                EvaluationOutcome::Inconclusive => count.inconclusive += 1,
                EvaluationOutcome::Broke => {
                    count.broke += 1;
                    self.evaluator_failures += 1;
                }
                EvaluationOutcome::NotReached => count.not_reached += 1,
            }
            let unproven = matches!(result.outcome, EvaluationOutcome::Inconclusive | EvaluationOutcome::Broke);
            if unproven && count.example.is_none() && !result.detail.is_empty() {
                count.example = Some(format!("{}: {}", row.id, result.detail));
            }
        }
    }
}
