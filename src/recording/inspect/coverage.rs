//! How many have each field, and what those lack that do not have it.

use serde::Serialize;

use super::evidence::Evidence;

/// How many have a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// The field.
    pub field: &'static str,
    /// How many have it.
    pub known: u64,
    /// Of how many.
    pub of: u64,
    /// Of what.
    pub unit: &'static str,
    /// What it gives. Absent where nothing is lacking without it.
    pub gives: Option<&'static str>,
}

impl Coverage {
    /// Whether something is lacking where it is not known.
    pub(super) fn is_lacking(&self) -> bool {
        self.known < self.of && self.gives.is_some()
    }
}

impl Evidence {
    /// How many have each field, most basic first.
    pub(super) fn coverage(&self) -> Vec<Coverage> {
        let mut coverage = self.coverage_of_calls();
        coverage.extend(self.coverage_of_spend());
        coverage.extend(self.coverage_of_the_rest());
        coverage
    }

    fn of_cases(&self, field: &'static str, known: u64, gives: Option<&'static str>) -> Coverage {
        Coverage { field, known, of: self.cases, unit: "cases", gives }
    }

    fn of_calls(&self, field: &'static str, known: u64, gives: Option<&'static str>) -> Coverage {
        Coverage { field, known, of: self.calls.calls, unit: "calls", gives }
    }

    fn coverage_of_calls(&self) -> Vec<Coverage> {
        let calls = &self.calls;
        vec![
            self.of_cases(
                "toolCalls",
                calls.recorded,
                Some("the checks tools, tool-order, tool-arguments and extra-tools; write [] where no call was made"),
            ),
            self.of_calls(
                "toolCalls[].arguments",
                calls.with_arguments,
                Some("what tool-arguments compares; a call without them counts as one that needs none"),
            ),
            self.of_calls(
                "toolCalls[].result or .error",
                calls.answered,
                Some("answers for the replay: a call without one cannot be answered from the recording"),
            ),
            self.of_calls("toolCalls[].error", calls.errors, None),
            self.of_calls("toolCalls[].id", calls.with_id, None),
            Coverage {
                field: "toolCalls[].step",
                known: calls.with_steps,
                of: calls.with_several,
                unit: "cases with several calls",
                gives: Some("which calls were asked for in parallel; without it their order is held to the recording"),
            },
            self.of_calls(
                "toolCalls[].latencyMs",
                calls.timed,
                Some("a comparison of latency without the time of the tools, which a replay does not spend"),
            ),
        ]
    }

    fn coverage_of_spend(&self) -> Vec<Coverage> {
        let class =
            |field, known| Coverage { field, known, of: self.tokens.known, unit: "cases with tokens", gives: None };
        vec![
            self.of_cases("modelCalls", self.model_calls.known, Some("the check model-call-budget")),
            Coverage {
                field: "modelCalls[]",
                known: self.with_each_model_call,
                of: self.model_calls.known,
                unit: "cases with model calls",
                gives: None,
            },
            self.of_cases(
                "tokens",
                self.tokens.known,
                Some("the check token-budget, for each class of tokens that is recorded"),
            ),
            class("tokens.input", self.by_class.input),
            class("tokens.cacheRead", self.by_class.cache_read),
            class("tokens.cacheWrite", self.by_class.cache_write),
            class("tokens.output", self.by_class.output),
            class("tokens.reasoning", self.by_class.reasoning),
            self.of_cases("latencyMs", self.latency.known, Some("the check latency-budget")),
            self.of_cases("cost", self.cost.known, Some("the check cost-budget")),
            Coverage {
                field: "currency",
                known: self.with_currency,
                of: self.cost.known,
                unit: "cases with a cost",
                gives: Some("that costs in two currencies are never compared"),
            },
        ]
    }

    fn coverage_of_the_rest(&self) -> Vec<Coverage> {
        vec![
            self.of_cases("output", self.reply.known, Some("the check reply-present")),
            self.of_cases(
                "id",
                self.with_id,
                Some("a name that stays, to pair a case with itself in other recordings"),
            ),
            self.of_cases("session", self.with_session, None),
            self.of_cases("turn", self.with_turn, None),
            self.of_cases("history", self.with_history, None),
            self.of_cases("recordedAt", self.with_recorded_at, None),
        ]
    }
}
