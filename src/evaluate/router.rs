//! Which evaluator settles a case whose author said what is expected (evalkit: `EvaluatorRouter.byExpectation`).

use std::collections::HashMap;
use std::sync::Arc;

use super::{EvalContext, Evaluator, ReplyContains, Said};
use crate::case::{EvalCase, Expectation};

/// Settles a case by its expectation, with exactly one evaluator: a node of the specification by comparison,
/// phrases by looking for them, a metric by the evaluator registered for it, an outcome by the judge.
#[derive(Clone, Default)]
pub struct EvaluatorRouter {
    metrics: HashMap<(String, u32), Arc<dyn Evaluator>>,
    judge: Option<Arc<dyn Evaluator>>,
}

/// What settles one case.
#[derive(Clone)]
pub struct Route(Arc<dyn Evaluator>);

impl Route {
    /// The evaluator, as a list of one.
    pub(super) fn evaluators(self) -> std::iter::Once<Arc<dyn Evaluator>> {
        std::iter::once(self.0)
    }
}

impl EvaluatorRouter {
    /// Routes by expectation; without a judge, outcomes are inconclusive.
    #[must_use]
    pub fn by_expectation(judge: Option<Arc<dyn Evaluator>>) -> Self {
        Self { metrics: HashMap::new(), judge }
    }

    /// Registers the evaluator of a metric.
    #[must_use]
    pub fn metric(mut self, id: impl Into<String>, version: u32, evaluator: Arc<dyn Evaluator>) -> Self {
        self.metrics.insert((id.into(), version), evaluator);
        self
    }

    /// What settles a case; `None` where its author said nothing.
    #[must_use]
    pub fn route(&self, case: &EvalCase) -> Option<Route> {
        Some(Route(match case.expectation.as_ref()? {
            Expectation::SpecNode(node) => Arc::new(SpecNode(node.clone())),
            Expectation::RequiredPhrases(phrases) => Arc::new(ReplyContains(phrases.clone())),
            Expectation::Metric { id, version } => match self.metrics.get(&(id.clone(), *version)) {
                Some(evaluator) => Arc::clone(evaluator),
                None => Arc::new(Nobody("metric", format!("no metric {id} version {version} is registered"))),
            },
            Expectation::Outcome(_) => match &self.judge {
                Some(judge) => Arc::clone(judge),
                None => Arc::new(Nobody("judge", "no judge is set up to read the expected outcome".into())),
            },
        }))
    }
}

/// The target ends in this node of its specification or in a refinement of it: `16a.3` refines `16a`, `16ab` does not.
struct SpecNode(String);

impl Evaluator for SpecNode {
    fn label(&self) -> &str {
        "spec-node"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let reported = context.attempt.seen.extra.iter().find(|(key, _)| &**key == "specNode");
        let Some(node) = reported.and_then(|(_, value)| value.as_str()) else {
            return Said::inconclusive("the target does not tell its node");
        };
        if refines(node.trim(), self.0.trim()) {
            return Said::passed();
        }
        Said::failed(format!("it ended in {node:?}, not in {:?}", self.0))
    }
}

fn refines(node: &str, wanted: &str) -> bool {
    let (node, wanted) = (node.to_lowercase(), wanted.to_lowercase());
    node.strip_prefix(&wanted).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Stands where an evaluator should be and is not.
struct Nobody(&'static str, String);

impl Evaluator for Nobody {
    fn label(&self) -> &str {
        self.0
    }
    fn evaluate(&self, _context: &EvalContext<'_>) -> Said {
        Said::inconclusive(self.1.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_reached_by_itself_and_its_refinements() {
        assert!(refines("16A", "16a") && refines("16a.3", "16a"));
        assert!(!refines("16ab", "16a") && !refines("16", "16a"));
    }
}
