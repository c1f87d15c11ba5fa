//! What was seen, as plain data that is printed or written as JSON.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::super::json::Json;
use super::super::quarantine::Quarantine;
use super::super::source::Recordings;
use super::checks::CheckCases;
use super::coverage::Coverage;
use super::evidence::{CLASSES, Evidence};
use super::spread::{Counts, Spread};
use super::tally::Tally;
use super::{Paid, Seen};

/// How many names of each kind are listed.
const LISTED: usize = 50;
/// How many files are listed.
const FILES: usize = 1_000;

/// What recordings hold. As JSON it is described in `docs/inspect.md`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspected {
    /// Names this kind of JSON.
    pub format: &'static str,
    /// Rises when a field changes its meaning or goes away.
    pub version: u32,
    /// How many files.
    pub files: u64,
    /// Their size on disk.
    pub bytes: u64,
    /// How many interactions could be read.
    pub interactions: u64,
    /// How much traffic they stand for: the sum of their weights.
    pub traffic: f64,
    /// How many rows could not be read.
    pub rejected: u64,
    /// How many last lines were cut off.
    pub torn: u64,
    /// How many values made no sense and count as unknown.
    pub doubts: u64,
    /// The first of them.
    pub first_doubt: Option<DoubtExample>,
    /// How many interactions hold payloads that were cut off.
    pub truncated: u64,
    /// The tools, most used first.
    pub tools: Vec<ToolUse>,
    /// How many calls went to tools that are not listed.
    pub calls_of_other_tools: u64,
    /// The sequences of tools.
    pub sequences: Sequences,
    /// The scenarios, most frequent first.
    pub scenarios: Vec<Named>,
    /// How many interactions name no scenario.
    pub without_scenario: u64,
    /// The models, by how many interactions name them.
    pub models: Vec<Named>,
    /// How many interactions name no model.
    pub without_model: u64,
    /// What was spent.
    pub spend: Vec<Spend>,
    /// How many cases each check has evidence in.
    pub checks: Vec<CheckCases>,
    /// How many have each field, and what it gives.
    pub coverage: Vec<Coverage>,
    /// The same for each file, where several hold interactions: the first 1,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_file: Vec<FileCoverage>,
}

/// A value that made no sense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoubtExample {
    /// File and line or row.
    pub place: String,
    /// The field.
    pub path: String,
    /// What was wanted and what was there.
    pub problem: String,
}

/// How a tool was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    /// Its name.
    pub name: String,
    /// How often it was called.
    pub calls: u64,
    /// How often it gave an error.
    pub errors: u64,
    /// For how many calls a result or an error was recorded.
    pub answered: u64,
    /// In how many interactions it was called.
    pub cases: u64,
}

/// How many interactions go by a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// How many interactions.
    pub cases: u64,
}

/// The sequences of tools that interactions called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sequences {
    /// How many different ones.
    pub different: u64,
    /// Whether there are more than were told apart.
    pub is_floor: bool,
    /// The most frequent, names joined by ` > `.
    pub common: Vec<Named>,
}

/// One measure of what was spent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spend {
    /// What: `modelCalls`, `toolCalls`, `tokens.total`, `latencyMs`, `cost`, ...
    pub what: &'static str,
    /// The currency of a cost, where it was recorded.
    pub currency: Option<String>,
    /// The sum over those that are known; absent where none is, and for times.
    pub sum: Option<Json>,
    /// For how many interactions it is known.
    pub known_for: u64,
    /// Of how many.
    pub of: u64,
    /// Whether the sum leaves out interactions for which it is unknown, so that it is a floor.
    pub is_floor: bool,
    /// Half of the known values are not above it.
    pub p50: Option<f64>,
    /// 95 % of the known values are not above it.
    pub p95: Option<f64>,
    /// The largest known value.
    pub max: Option<f64>,
}

/// What one file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileCoverage {
    /// The file.
    pub file: String,
    /// How many interactions could be read.
    pub interactions: u64,
    /// How many cases each check has evidence in.
    pub checks: Vec<CheckCases>,
    /// How many have each field, and what it gives.
    pub coverage: Vec<Coverage>,
}

impl Seen {
    pub(super) fn report(&self, recordings: &Recordings, quarantine: &Quarantine) -> Inspected {
        let tools = self.tools.by(|used| used.calls);
        let shown: Vec<_> = tools.iter().take(LISTED).map(|(name, used)| tool(name, used)).collect();
        let listed_calls: u64 = shown.iter().map(|tool| tool.calls).sum();
        Inspected {
            format: "taketwo.inspect",
            version: 1,
            files: recordings.files().count() as u64,
            bytes: recordings.bytes(),
            interactions: self.evidence.cases,
            traffic: self.traffic,
            rejected: quarantine.rejected,
            torn: quarantine.torn,
            doubts: self.doubts,
            first_doubt: self.first_doubt.clone(),
            truncated: self.evidence.truncated,
            tools: shown,
            calls_of_other_tools: self.evidence.calls.calls - listed_calls,
            sequences: Sequences {
                different: self.sequences.len() as u64,
                is_floor: self.sequences.beyond > 0,
                common: most(&self.sequences, 5),
            },
            scenarios: most(&self.scenarios, LISTED),
            without_scenario: self.without_scenario,
            models: most(&self.models, LISTED),
            without_model: self.without_model,
            spend: self.spend(),
            checks: self.evidence.checks(),
            coverage: self.evidence.coverage(),
            by_file: self.by_file(),
        }
    }

    /// What each file holds, where there are several.
    fn by_file(&self) -> Vec<FileCoverage> {
        let file = |(file, evidence): &(Arc<Path>, Evidence)| FileCoverage {
            file: file.display().to_string(),
            interactions: evidence.cases,
            checks: evidence.checks(),
            coverage: evidence.coverage(),
        };
        if self.by_file.len() < 2 {
            return Vec::new();
        }
        self.by_file.iter().take(FILES).map(file).collect()
    }

    fn spend(&self) -> Vec<Spend> {
        let of = self.evidence.cases;
        let counts = |what, counts: &Counts| Spend {
            sum: (counts.spread.count() > 0).then(|| Json::of(&counts.sum)),
            ..spread(what, &counts.spread, of)
        };
        let mut spend = vec![counts("toolCalls", &self.tool_calls), counts("modelCalls", &self.model_calls)];
        let classes = ["tokens.total", "tokens.input", "tokens.output", "tokens.cacheWrite", "tokens.reasoning"];
        debug_assert_eq!(classes.len(), CLASSES.len());
        spend.extend(classes.iter().zip(&self.tokens).map(|(what, tokens)| counts(what, tokens)));
        spend.insert(4, counts("tokens.cacheRead", &self.cached));
        spend.push(spread("latencyMs", &self.latency, of));
        if self.paid.is_empty() {
            spend.push(spread("cost", &Spread::default(), of));
        }
        spend.extend(self.paid.iter().map(|(currency, paid)| cost(currency.clone(), paid, of)));
        spend
    }
}

fn tool(name: &str, used: &super::Use) -> ToolUse {
    let super::Use { calls, errors, results, cases } = *used;
    ToolUse { name: name.to_owned(), calls, errors, answered: results, cases }
}

fn most(tally: &Tally<u64>, listed: usize) -> Vec<Named> {
    let named = tally.by(|cases| *cases);
    named.into_iter().take(listed).map(|(name, cases)| Named { name: name.to_owned(), cases: *cases }).collect()
}

fn spread(what: &'static str, spread: &Spread, of: u64) -> Spend {
    Spend {
        what,
        currency: None,
        sum: None,
        known_for: spread.count(),
        of,
        is_floor: spread.count() < of,
        p50: spread.percentile(50),
        p95: spread.percentile(95),
        max: spread.max(),
    }
}

fn cost(currency: Option<String>, paid: &Paid, of: u64) -> Spend {
    let sum = Some(Json::trusted(paid.sum.normalize().to_string()));
    Spend { currency, sum, ..spread("cost", &paid.spread, of) }
}
