//! From a recorded interaction to a case.

use rust_decimal::Decimal;

use super::budget::Tolerances;
use super::setup::{EvalSetup, SetupError};
use super::variant::{Variant, VariantFault};
use super::{EvalCase, Expectation};
use crate::recording::{Interaction, Json, Kind, Row, TokenClass};

/// What a recording alone holds a run to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Check {
    /// The recorded tools are called.
    Tools,
    /// In the recorded order.
    ToolOrder,
    /// With the recorded arguments.
    ToolArguments,
    /// And no others.
    ExtraTools,
    /// The recording does not say which tools were called, so calls cannot be judged.
    UnrecordedTools,
    /// There is a reply, as there was one.
    ReplyPresent,
    /// At most so many model calls.
    ModelCallBudget {
        /// The recorded count.
        recorded: u64,
        /// The most that passes.
        limit: u64,
    },
    /// At most so many tokens of a class.
    TokenBudget {
        /// The class.
        class: TokenClass,
        /// The recorded count.
        recorded: u64,
        /// The most that passes.
        limit: u64,
    },
    /// At most so many milliseconds.
    LatencyBudget {
        /// The recorded time.
        recorded: f64,
        /// The longest that passes.
        limit: f64,
    },
    /// At most so much money.
    CostBudget {
        /// The recorded amount.
        recorded: Decimal,
        /// The most that passes.
        limit: Decimal,
    },
}

/// The labels of the checks that a recording gives.
pub const RECORDED_CHECKS: [&str; 9] = [
    "tools",
    "tool-order",
    "tool-arguments",
    "extra-tools",
    "reply-present",
    "model-call-budget",
    "token-budget",
    "latency-budget",
    "cost-budget",
];

impl Check {
    /// The label its results carry (those of the Akka TestKit where it has the check).
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Check::Tools | Check::UnrecordedTools => "tools",
            Check::ToolOrder => "tool-order",
            Check::ToolArguments => "tool-arguments",
            Check::ExtraTools => "extra-tools",
            Check::ReplyPresent => "reply-present",
            Check::ModelCallBudget { .. } => "model-call-budget",
            Check::TokenBudget { .. } => "token-budget",
            Check::LatencyBudget { .. } => "latency-budget",
            Check::CostBudget { .. } => "cost-budget",
        }
    }
}

/// Why a row makes no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum CaseError {
    /// Its setup is none.
    Setup(#[from] SetupError),
    /// One of its variants is none.
    Variant(#[from] VariantFault),
}

/// Makes cases from recorded interactions.
///
/// ```
/// use taketwo::case::{EvalCaseParser, Check};
/// use taketwo::recording::{Json, wire};
///
/// let line = r#"{"input":"hi","toolCalls":[],"tokens":{"input":10,"output":2}}"#;
/// let recorded = wire::read(&Json::parse(line).unwrap()).unwrap();
/// let checks = EvalCaseParser::default().checks(&recorded);
/// assert!(checks.contains(&Check::ExtraTools), "no call was made, so none may be");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct EvalCaseParser {
    /// How much more a run may spend.
    pub tolerances: Tolerances,
}

impl EvalCaseParser {
    /// Makes the case of a row.
    ///
    /// # Errors
    /// [`CaseError`] when the row has a `setup` or `variants` field that is none.
    pub fn parse(&self, index: u64, row: Row) -> Result<EvalCase, CaseError> {
        let Row { place, id, interaction: recorded } = row;
        let setup = extra(&recorded, "setup").map_or(Ok(EvalSetup::None), EvalSetup::read)?;
        let (checks, expectation) = (self.checks(&recorded), expectation(&recorded));
        let variants = Variant::of_recording(&recorded, self)?;
        Ok(EvalCase { index, id, place, setup, recorded, checks, variants, expectation })
    }

    /// The checks that a recording gives. One with fewer fields gives fewer.
    #[must_use]
    pub fn checks(&self, recorded: &Interaction) -> Vec<Check> {
        let mut checks = match &recorded.tool_calls {
            None => vec![Check::UnrecordedTools],
            Some(calls) if calls.is_empty() => vec![Check::ExtraTools],
            Some(_) => vec![Check::Tools, Check::ToolOrder, Check::ToolArguments, Check::ExtraTools],
        };
        if recorded.has_reply() {
            checks.push(Check::ReplyPresent);
        }
        self.spend_checks(recorded, &mut checks);
        checks
    }

    fn spend_checks(&self, recorded: &Interaction, checks: &mut Vec<Check>) {
        let tolerances = &self.tolerances;
        if let Some(calls) = &recorded.model_calls {
            let limit = tolerances.model_calls.limit(calls.count());
            checks.push(Check::ModelCallBudget { recorded: calls.count(), limit });
        }
        for class in [
            TokenClass::Total,
            TokenClass::Input,
            // Cache reads save money: what is held to the recording is the input that came out of no cache.
            TokenClass::UncachedInput,
            TokenClass::Output,
            TokenClass::CacheWrite,
            TokenClass::Reasoning,
        ] {
            if let Some(count) = recorded.tokens.class(class) {
                checks.push(Check::TokenBudget { class, recorded: count, limit: tolerances.tokens.limit(count) });
            }
        }
        // A time of 0 was not measured.
        if let Some(time) = recorded.latency_ms.filter(|time| *time > 0.0) {
            checks.push(Check::LatencyBudget { recorded: time, limit: tolerances.latency.limit_ms(time) });
        }
        if let Some(cost) = recorded.cost {
            checks.push(Check::CostBudget { recorded: cost, limit: tolerances.cost.limit_cost(cost) });
        }
    }
}

/// A field that the recording format leaves to others.
fn extra<'a>(recorded: &'a Interaction, key: &str) -> Option<&'a Json> {
    recorded.extra.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
}

/// What a case's author said settles it: one of the fields `specNode`, `requiredPhrases`, `metric`, `expectedOutcome`.
fn expectation(recorded: &Interaction) -> Option<Expectation> {
    let text = |key| extra(recorded, key).and_then(|value| value.as_str().map(|text| text.into_owned()));
    if let Some(node) = text("specNode") {
        return Some(Expectation::SpecNode(node));
    }
    if let Some(phrases) = extra(recorded, "requiredPhrases").and_then(Json::items) {
        return Some(Expectation::RequiredPhrases(phrases.iter().map(|phrase| phrase.shown().into_owned()).collect()));
    }
    if let Some(metric) = extra(recorded, "metric").filter(|metric| metric.kind() == Kind::Object) {
        let id = metric.member("id")?.shown().into_owned();
        let version = metric.member("version").and_then(|version| version.text().parse().ok()).unwrap_or(1);
        return Some(Expectation::Metric { id, version });
    }
    text("expectedOutcome").map(Expectation::Outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::wire;

    fn labels(line: &str) -> Vec<&'static str> {
        let recorded = wire::read(&Json::parse(line).unwrap()).unwrap();
        EvalCaseParser::default().checks(&recorded).iter().map(Check::label).collect()
    }

    #[test]
    fn a_recording_gives_the_checks_it_has_evidence_for() {
        let full = r#"{"input":"x","output":"y","toolCalls":[{"name":"t"}],"modelCalls":1,"tokens":12,"latencyMs":5,"cost":0.1}"#;
        assert_eq!(labels(full), RECORDED_CHECKS);
        assert_eq!(labels(r#"{"input":"x","toolCalls":[]}"#), ["extra-tools"]);
        assert_eq!(labels(r#"{"input":"x","output":" ","latencyMs":0}"#), ["tools"]);
    }

    #[test]
    fn token_classes_are_each_held_to_the_recording() {
        let line = r#"{"input":"x","toolCalls":[],"tokens":{"input":100,"output":10,"cacheRead":60,"reasoning":4}}"#;
        assert_eq!(labels(line).iter().filter(|label| **label == "token-budget").count(), 5);
    }
}
