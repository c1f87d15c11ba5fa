//! What the summary does not hold and a reader wants: gathered from the cases while they go by.

use std::collections::{BTreeMap, BTreeSet};

use super::unjudged::{Unjudged, may_give};
use super::visible::{shell_word, visible};
use super::words::looks_generated;
use crate::case::RECORDED_CHECKS;
use crate::compare::Rule;
use crate::evaluate::EvaluationOutcome;
use crate::replay::LatencySource;
use crate::verdict::{AttemptRow, CallDifference, EvalCaseResults, LedgerRow};

/// The most paths that are watched for values that change each time.
const PATHS: usize = 500;

/// Figures over all cases that were shown to it.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// How calls were answered, all attempts together.
    pub(super) ledger: LedgerRow,
    /// Attempts that were timed with stubbed tools.
    pub(super) stubbed: u64,
    /// Attempts for which a second recording stood in, so that no stub was asked.
    pub(super) stood_in: u64,
    /// Attempts that came to a reply.
    pub(super) replied: u64,
    /// Attempts that did not.
    pub(super) silent: u64,
    /// Checks of a recording that an attempt without a reply may have come to.
    pub(super) unreached: BTreeSet<&'static str>,
    /// What could not be judged, by label.
    pub(super) unjudged: BTreeMap<String, Unjudged>,
    paths: BTreeMap<(String, String), Watched>,
}

/// The differences at one path.
#[derive(Debug, Default)]
struct Watched {
    cases: u64,
    last_case: Option<u64>,
    count: u64,
    volatile: u64,
    hint: String,
}

/// A path whose values look made anew in each run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct VolatilePath {
    pub(super) tool: String,
    pub(super) path: String,
    pub(super) cases: u64,
    pub(super) hint: String,
    /// What would leave it out, as it is written on the command line.
    pub(super) rule: String,
}

impl Tally {
    /// Looks at a case.
    pub(super) fn add(&mut self, case: &EvalCaseResults) {
        for row in &case.attempts {
            if row.seen.latency_source == LatencySource::Recorded {
                self.stood_in += 1;
            } else {
                self.add_ledger(&row.ledger);
            }
            self.add_evidence(row);
            self.stubbed +=
                u64::from(row.seen.latency_ms.is_some() && row.seen.latency_source == LatencySource::Stubbed);
            for difference in &row.differences {
                self.watch(row.index, difference);
            }
        }
    }

    fn add_evidence(&mut self, row: &AttemptRow) {
        if row.failure.is_none() {
            self.replied += 1;
        } else {
            self.silent += 1;
            self.unreached.extend(RECORDED_CHECKS.iter().filter(|label| may_give(label, &row.recorded)));
        }
        let unproven = |outcome| matches!(outcome, EvaluationOutcome::Inconclusive | EvaluationOutcome::Broke);
        for result in row.results.iter().filter(|result| unproven(result.outcome)) {
            self.unjudged.entry(result.label.to_string()).or_default().add(result, row);
        }
    }

    fn add_ledger(&mut self, row: &LedgerRow) {
        let sum = &mut self.ledger;
        sum.asked += row.asked;
        sum.exact += row.exact;
        sum.by_policy += row.by_policy;
        sum.repeated += row.repeated;
        sum.nearest += row.nearest;
        sum.r#static += row.r#static;
        sum.live += row.live;
        sum.missed += row.missed;
        sum.exhausted += row.exhausted;
        sum.unanswerable += row.unanswerable;
        sum.unused += row.unused;
    }

    fn watch(&mut self, case: u64, difference: &CallDifference) {
        let Some(path) = &difference.general_path else { return };
        let key = (difference.tool.clone(), path.clone());
        if self.paths.len() >= PATHS && !self.paths.contains_key(&key) {
            return;
        }
        let watched = self.paths.entry(key).or_default();
        watched.count += 1;
        if watched.last_case != Some(case) {
            (watched.last_case, watched.cases) = (Some(case), watched.cases + 1);
        }
        if let Some(hint) = difference.hint.as_deref().filter(|_| looks_generated(difference)) {
            watched.volatile += 1;
            if watched.hint.is_empty() {
                hint.clone_into(&mut watched.hint);
            }
        }
    }

    /// The paths at which nearly every difference looks made anew, in at least two cases; the commonest first.
    pub(super) fn volatile_paths(&self) -> Vec<VolatilePath> {
        let looks_so = |watched: &Watched| watched.cases >= 2 && watched.volatile * 10 >= watched.count * 9;
        let mut found: Vec<VolatilePath> = self
            .paths
            .iter()
            .filter(|(_, watched)| looks_so(watched))
            .filter_map(|((tool, path), watched)| {
                let (cases, hint) = (watched.cases, watched.hint.clone());
                Some(VolatilePath {
                    rule: ignore_rule(tool, path)?,
                    tool: tool.clone(),
                    path: path.clone(),
                    cases,
                    hint,
                })
            })
            .collect();
        found.sort_by_key(|path| std::cmp::Reverse(path.cases));
        found
    }
}

/// What leaves a path out, as it is written on the command line; `None` where no rule can say it.
pub(super) fn ignore_rule(tool: &str, path: &str) -> Option<String> {
    let rule = format!("{tool}:{path}");
    let reads_back = Rule::can_name(tool) && visible(&rule) == rule && Rule::ignore(&rule).is_ok();
    reads_back.then(|| format!("--ignore {}", shell_word(&rule)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_suggested_only_where_it_says_what_is_meant() {
        assert_eq!(ignore_rule("track", "$.ids[*]").as_deref(), Some("--ignore 'track:$.ids[*]'"));
        assert_eq!(ignore_rule("it's", "$.a").as_deref(), Some(r"--ignore 'it'\''s:$.a'"));
        assert_eq!(ignore_rule("mcp:search", "$.a").as_deref(), Some("--ignore 'mcp:search:$.a'"));
        for (tool, path) in [("tool*", "$.a"), ("tool[1]", "$.a"), ("track", "$"), ("track", "$.a\u{200b}")] {
            assert_eq!(ignore_rule(tool, path), None, "{tool} {path}");
        }
    }
}
