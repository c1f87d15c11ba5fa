//! What the attempts at one case add up to.

use serde::{Deserialize, Serialize};

use super::row::{AttemptRow, AttemptVerdict};
use crate::recording::CaseId;

/// What a case came to, over its attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CaseVerdict {
    /// Every decided attempt passed.
    Passed,
    /// Every decided attempt failed.
    Failed,
    /// Some passed and some failed.
    Varied,
    /// None was decided, and an evaluator would not commit itself.
    Undecided,
    /// None was decided.
    NoResult,
}

impl CaseVerdict {
    /// Its words in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CaseVerdict::Passed => "passed",
            CaseVerdict::Failed => "failed",
            CaseVerdict::Varied => "varied",
            CaseVerdict::Undecided => "undecided",
            CaseVerdict::NoResult => "no result",
        }
    }

    /// Whether an attempt failed. The rest of what did not pass lacks evidence.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(self, CaseVerdict::Failed | CaseVerdict::Varied)
    }

    /// Undecided and inconclusive attempts decide nothing (evalkit: `RequirementResult`).
    #[must_use]
    pub fn of(attempts: &[AttemptVerdict]) -> Self {
        let any = |verdict| attempts.contains(&verdict);
        match (any(AttemptVerdict::Passed), any(AttemptVerdict::Failed)) {
            (true, true) => CaseVerdict::Varied,
            (true, false) => CaseVerdict::Passed,
            (false, true) => CaseVerdict::Failed,
            (false, false) if any(AttemptVerdict::Undecided) => CaseVerdict::Undecided,
            (false, false) => CaseVerdict::NoResult,
        }
    }
}

/// A case and its attempts, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalCaseResults {
    /// The case's place, counted from 0.
    pub index: u64,
    /// The case.
    pub id: CaseId,
    /// What it came to.
    pub verdict: CaseVerdict,
    /// Its attempts.
    pub attempts: Vec<AttemptRow>,
}

impl EvalCaseResults {
    /// Adds up the attempts at one case. `None` when there is none.
    #[must_use]
    pub fn new(attempts: Vec<AttemptRow>) -> Option<Self> {
        let first = attempts.first()?;
        let verdicts: Vec<_> = attempts.iter().map(|row| row.verdict).collect();
        Some(Self { index: first.index, id: first.id.clone(), verdict: CaseVerdict::of(&verdicts), attempts })
    }

    /// The variant that the case kept to, where it passed by one: that of the first attempt that did.
    #[must_use]
    pub fn passed_by(&self) -> Option<&str> {
        let passed = self.attempts.iter().filter(|row| row.verdict == AttemptVerdict::Passed);
        let mut variants = passed.filter_map(|row| row.variant.as_deref());
        variants.next().filter(|_| self.verdict == CaseVerdict::Passed)
    }

    /// The attempt that shows best what is wrong: the first that failed, else the first that did not pass.
    #[must_use]
    pub fn telling_attempt(&self) -> Option<&AttemptRow> {
        let failed = self.attempts.iter().find(|row| row.verdict == AttemptVerdict::Failed);
        failed.or_else(|| self.attempts.iter().find(|row| row.verdict != AttemptVerdict::Passed))
    }
}

#[cfg(test)]
mod tests {
    use super::AttemptVerdict::{Failed, Inconclusive, NotReached, Passed, Undecided};
    use super::*;

    #[test]
    fn undecided_and_inconclusive_attempts_decide_nothing() {
        for (attempts, verdict) in [
            (vec![Passed, Passed], CaseVerdict::Passed),
            (vec![Passed, Inconclusive, Undecided], CaseVerdict::Passed),
            (vec![Failed, NotReached], CaseVerdict::Failed),
            (vec![Failed, Passed], CaseVerdict::Varied),
            (vec![Undecided, NotReached], CaseVerdict::Undecided),
            (vec![Inconclusive], CaseVerdict::NoResult),
            (vec![], CaseVerdict::NoResult),
        ] {
            assert_eq!(CaseVerdict::of(&attempts), verdict, "{attempts:?}");
        }
    }
}
