//! What recordings hold: how much, of what, and which checks that allows.

mod checks;
mod coverage;
mod evidence;
mod report;
mod spread;
mod tally;
mod text;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::interaction::{Interaction, ModelCalls};
use super::quarantine::Quarantine;
use super::source::{Recordings, Row, SourceError};
use evidence::{CLASSES, Evidence};
use spread::{Counts, Spread};
use tally::Tally;

pub use checks::{CheckCases, Without};
pub use coverage::Coverage;
pub use report::{DoubtExample, FileCoverage, Inspected, Named, Sequences, Spend, ToolUse};
pub(crate) use text::{cut, fitted, wrapped};

/// Why recordings cannot be inspected.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum InspectError {
    /// They cannot be opened.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Source(#[from] SourceError),
    /// The quarantine file cannot be written.
    #[error("cannot write the quarantine file: {0}")]
    #[diagnostic(code(taketwo::unwritable))]
    Quarantine(#[from] std::io::Error),
}

/// Reads recordings once and says what they hold. Rows that cannot be read go to the quarantine.
///
/// Memory does not grow with the recordings but for the ids, which must be unique. Beyond 10,000 different tools,
/// scenarios, models or sequences the rest is counted together; percentiles are exact for up to 4,096 values and
/// within 1 % beyond that.
///
/// # Errors
/// [`InspectError`] when they cannot be opened or the quarantine cannot be written.
pub fn inspect(recordings: &Recordings, quarantine: &mut Quarantine) -> Result<Inspected, InspectError> {
    inspect_each(recordings, quarantine, |_| {})
}

/// The same, and shows each interaction to somebody else on the way.
///
/// # Errors
/// As [`inspect`] has them.
pub fn inspect_each(
    recordings: &Recordings,
    quarantine: &mut Quarantine,
    mut each: impl FnMut(&Row),
) -> Result<Inspected, InspectError> {
    let mut seen = Seen::default();
    for row in recordings.rows()? {
        match row {
            Ok(row) => {
                seen.add(&row);
                each(&row);
            }
            Err(reject) => quarantine.take(reject)?,
        }
    }
    Ok(seen.report(recordings, quarantine))
}

/// How a tool was used.
#[derive(Clone, Debug, Default)]
struct Use {
    calls: u64,
    errors: u64,
    results: u64,
    cases: u64,
}

/// What was paid in one currency.
#[derive(Clone, Debug, Default)]
struct Paid {
    sum: Decimal,
    spread: Spread,
}

/// What was seen so far.
#[derive(Clone, Debug, Default)]
struct Seen {
    evidence: Evidence,
    /// The same for each file, in the order in which they are read.
    by_file: Vec<(Arc<Path>, Evidence)>,
    traffic: f64,
    doubts: u64,
    first_doubt: Option<DoubtExample>,
    tools: Tally<Use>,
    sequences: Tally<u64>,
    scenarios: Tally<u64>,
    without_scenario: u64,
    models: Tally<u64>,
    without_model: u64,
    tool_calls: Counts,
    model_calls: Counts,
    tokens: [Counts; CLASSES.len()],
    cached: Counts,
    latency: Spread,
    paid: BTreeMap<Option<String>, Paid>,
}

impl Seen {
    fn add(&mut self, row: &Row) {
        let it = &row.interaction;
        self.evidence.add(it);
        self.evidence_of(&row.place.file).add(it);
        self.traffic += it.traffic();
        if let (None, Some(doubt)) = (&self.first_doubt, it.doubts.first()) {
            let (path, problem) = (doubt.path.clone(), doubt.problem.clone());
            self.first_doubt = Some(DoubtExample { place: row.place.to_string(), path, problem });
        }
        self.doubts += it.doubts.len() as u64;
        self.add_tools(it);
        match &it.scenario {
            Some(scenario) => self.scenarios.of(scenario).into_iter().for_each(|count| *count += 1),
            None => self.without_scenario += 1,
        }
        self.add_models(it);
        self.add_spend(it);
    }

    fn evidence_of(&mut self, file: &Arc<Path>) -> &mut Evidence {
        if self.by_file.last().is_none_or(|(last, _)| last != file) {
            self.by_file.push((Arc::clone(file), Evidence::default()));
        }
        let last = self.by_file.len() - 1;
        &mut self.by_file[last].1
    }

    fn add_tools(&mut self, it: &Interaction) {
        let Some(calls) = &it.tool_calls else { return };
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        self.sequences.of(&names.join(" > ")).into_iter().for_each(|count| *count += 1);
        for (at, call) in calls.iter().enumerate() {
            let Some(used) = self.tools.of(names[at]) else { continue };
            used.calls += 1;
            used.errors += u64::from(call.error.is_some());
            used.results += u64::from(call.result.is_some() || call.error.is_some());
            used.cases += u64::from(!names[..at].contains(&names[at]));
        }
        self.tool_calls.add(Some(calls.len() as u64));
    }

    /// Counts the interaction once for each model that it names.
    fn add_models(&mut self, it: &Interaction) {
        let mut named: Vec<&str> = it.model.as_deref().into_iter().collect();
        if let Some(ModelCalls::List(calls)) = &it.model_calls {
            named.extend(calls.iter().filter_map(|call| call.model.as_deref()));
        }
        named.sort_unstable();
        named.dedup();
        self.without_model += u64::from(named.is_empty());
        for model in named {
            self.models.of(model).into_iter().for_each(|count| *count += 1);
        }
    }

    fn add_spend(&mut self, it: &Interaction) {
        self.model_calls.add(it.model_calls.as_ref().map(ModelCalls::count));
        for (class, counts) in CLASSES.iter().zip(&mut self.tokens) {
            counts.add(it.tokens.class(*class));
        }
        self.cached.add(it.tokens.cache_read);
        if let Some(time) = it.latency_ms.filter(|time| *time > 0.0) {
            self.latency.add(time);
        }
        if let Some(cost) = it.cost {
            let paid = self.paid.entry(it.currency.clone()).or_default();
            paid.sum = paid.sum.saturating_add(cost);
            paid.spread.add(cost.to_f64().unwrap_or(f64::MAX));
        }
    }
}
