//! What came of an import: what is known of the interactions, and what is doubtful.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::super::interaction::Interaction;

/// A file that was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFile {
    /// Its name.
    pub file: Arc<Path>,
    /// Its format.
    pub format: &'static str,
    /// What showed the format; `None` where it was named.
    pub sign: Option<String>,
    /// How many interactions came out of it.
    pub interactions: u64,
}

/// What could be told of the imported interactions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// How many interactions there are.
    pub interactions: u64,
    /// How many tell which tools were called, or that none was.
    pub with_calls: u64,
    /// How many tell their tokens.
    pub with_tokens: u64,
    /// How many tell their cost.
    pub with_cost: u64,
    /// How many tell their latency.
    pub with_latency: u64,
    /// How many traces have nothing to do with agents or models, and were left out.
    pub foreign_traces: u64,
    /// What is doubtful: how often, and the first of each kind.
    pub doubts: BTreeMap<String, Doubtful>,
}

/// Doubts of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubtful {
    /// In how many places.
    pub count: u64,
    /// The first: which interaction, and what is doubtful in it.
    pub example: String,
}

impl Known {
    pub(super) fn add(&mut self, it: &Interaction) {
        self.interactions += 1;
        self.with_calls += u64::from(it.tool_calls.is_some());
        self.with_tokens += u64::from(!it.tokens.is_unknown());
        self.with_cost += u64::from(it.cost.is_some());
        self.with_latency += u64::from(it.latency_ms.is_some());
        for doubt in &it.doubts {
            // Places in lists are of one kind.
            let kind: String = doubt.path.split(['[', ']']).step_by(2).collect::<Vec<_>>().join("[*]");
            let id = it.id.as_ref().map_or("an interaction without id", |id| id.as_str());
            let new = || Doubtful { count: 0, example: format!("{id}: {doubt}") };
            self.doubts.entry(kind).or_insert_with(new).count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Doubt;
    use super::super::super::json::Json;
    use super::*;

    #[test]
    fn doubts_are_counted_by_kind_with_the_first_of_each() {
        let mut known = Known::default();
        let mut it = Interaction::new(Json::string("x"));
        let doubt = |path: &str| Doubt { path: path.into(), problem: "it is odd".into() };
        it.doubts = vec![doubt("modelCalls[0].tokens"), doubt("modelCalls[12].tokens"), doubt("cost")];
        known.add(&it);
        let counts: Vec<_> = known.doubts.iter().map(|(kind, doubts)| (kind.as_str(), doubts.count)).collect();
        assert_eq!(counts, [("cost", 1), ("modelCalls[*].tokens", 2)]);
        assert_eq!(known.doubts["cost"].example, "an interaction without id: cost: it is odd");
    }
}
