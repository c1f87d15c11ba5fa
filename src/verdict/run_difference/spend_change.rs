//! What both runs spent, over the attempts at the cases that both have.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::verdict::{AttemptRow, Usage};

/// What both runs spent of one kind. It is summed up over the attempts where both are known, so it may be a floor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpendChange {
    /// What was spent, as `tokens`.
    pub name: String,
    /// The first run.
    pub before: Decimal,
    /// The second.
    pub after: Decimal,
    /// In how many attempts both are known.
    pub known: u64,
    /// Out of how many.
    pub of: u64,
}

/// A kind of spend: its name, and where it stands.
type Measure = (&'static str, fn(&Usage) -> Option<Decimal>);

const MEASURES: [Measure; 7] = [
    ("toolCalls", |usage| usage.tool_calls.map(Decimal::from)),
    ("modelCalls", |usage| usage.model_calls.map(Decimal::from)),
    ("tokens", |usage| usage.tokens.map(Decimal::from)),
    ("inputTokens", |usage| usage.input_tokens.map(Decimal::from)),
    ("outputTokens", |usage| usage.output_tokens.map(Decimal::from)),
    ("latencyMs", |usage| usage.latency_ms.and_then(|time| Decimal::try_from(time).ok())),
    ("cost", |usage| usage.cost),
];

/// Sums up what was spent.
#[derive(Debug, Default)]
pub(super) struct SpendTally {
    sums: [SpendChange; MEASURES.len()],
}

impl SpendTally {
    /// Takes in an attempt of each run. What one spent that broke off says nothing of what it would have spent.
    pub(super) fn add(&mut self, before: &AttemptRow, after: &AttemptRow) {
        let is_whole = before.failure.is_none() && after.failure.is_none();
        let in_one_currency = before.seen.currency == after.seen.currency;
        for (sum, (name, measure)) in self.sums.iter_mut().zip(MEASURES) {
            sum.of += 1;
            let can_be_compared = is_whole && (name != "cost" || in_one_currency);
            if let (Some(was), Some(is), true) = (measure(&before.seen), measure(&after.seen), can_be_compared) {
                sum.known += 1;
                sum.before = sum.before.saturating_add(was);
                sum.after = sum.after.saturating_add(is);
            }
        }
    }

    /// The sums; none where no attempt was compared.
    pub(super) fn finish(self) -> Vec<SpendChange> {
        let named = |(sum, (name, _)): (SpendChange, Measure)| SpendChange { name: name.to_owned(), ..sum };
        self.sums.into_iter().zip(MEASURES).map(named).filter(|sum| sum.of > 0).collect()
    }
}
