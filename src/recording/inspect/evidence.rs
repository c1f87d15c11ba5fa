//! What the recorded fields allow to be checked, and what is missing.

use super::super::interaction::{Interaction, TokenClass};

/// A check that a recording alone can give, by its label.
pub(super) const CHECKS: [&str; 9] = [
    "tools",
    "tool-order",
    "tool-arguments",
    "extra-tools",
    "model-call-budget",
    "token-budget",
    "latency-budget",
    "cost-budget",
    "reply-present",
];

/// The classes of tokens that are shown, in their order.
pub(super) const CLASSES: [TokenClass; 5] =
    [TokenClass::Total, TokenClass::Input, TokenClass::Output, TokenClass::CacheWrite, TokenClass::Reasoning];

/// How many interactions and calls have what.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    pub(super) cases: u64,
    /// The list of calls was recorded.
    pub(super) with_calls_recorded: u64,
    /// There is a call in it.
    pub(super) with_a_call: u64,
    /// There are several.
    pub(super) with_several_calls: u64,
    /// And each of those tells its step.
    pub(super) with_steps: u64,
    pub(super) calls: u64,
    pub(super) answered_calls: u64,
    pub(super) timed_calls: u64,
    pub(super) with_model_calls: u64,
    pub(super) with_tokens: u64,
    pub(super) with_latency: u64,
    pub(super) with_cost: u64,
    pub(super) with_reply: u64,
    pub(super) truncated: u64,
}

impl Evidence {
    pub(super) fn add(&mut self, it: &Interaction) {
        let calls = it.tool_calls.as_deref().unwrap_or_default();
        self.cases += 1;
        self.with_calls_recorded += u64::from(it.tool_calls.is_some());
        self.with_a_call += u64::from(!calls.is_empty());
        self.with_several_calls += u64::from(calls.len() > 1);
        self.with_steps += u64::from(calls.len() > 1 && calls.iter().all(|call| call.step.is_some()));
        self.calls += calls.len() as u64;
        for call in calls {
            self.answered_calls += u64::from(call.result.is_some() || call.error.is_some());
            self.timed_calls += u64::from(call.latency_ms.is_some());
        }
        self.with_model_calls += u64::from(it.model_calls.is_some());
        self.with_tokens += u64::from(has_tokens(it));
        // A time of 0 was not measured.
        self.with_latency += u64::from(it.latency_ms.is_some_and(|time| time > 0.0));
        self.with_cost += u64::from(it.cost.is_some());
        self.with_reply += u64::from(it.has_reply());
        let cut = it.truncated == Some(true) || calls.iter().any(|call| call.truncated == Some(true));
        self.truncated += u64::from(cut);
    }

    /// How many cases each check has evidence in, in the order of [`CHECKS`].
    pub(super) fn checks(&self) -> [u64; 9] {
        [
            self.with_a_call,
            self.with_a_call,
            self.with_a_call,
            self.with_calls_recorded,
            self.with_model_calls,
            self.with_tokens,
            self.with_latency,
            self.with_cost,
            self.with_reply,
        ]
    }

    /// How many have each field, most basic first.
    pub(super) fn coverage(&self) -> Vec<Coverage> {
        let cases = |field, known, gives| Coverage { field, known, of: self.cases, unit: "cases", gives };
        let calls = |field, known, gives| Coverage { field, known, of: self.calls, unit: "calls", gives };
        vec![
            cases(
                "toolCalls",
                self.with_calls_recorded,
                "the checks tools, tool-order, tool-arguments and extra-tools; write [] where no call was made",
            ),
            calls(
                "toolCalls[].result or .error",
                self.answered_calls,
                "answers for the replay: a call without one cannot be answered from the recording",
            ),
            Coverage {
                field: "toolCalls[].step",
                known: self.with_steps,
                of: self.with_several_calls,
                unit: "cases with several calls",
                gives: "which calls were asked for in parallel; without it their order is held to the recording",
            },
            cases("modelCalls", self.with_model_calls, "the check model-call-budget"),
            cases("tokens", self.with_tokens, "the check token-budget, for each class of tokens that is recorded"),
            cases("latencyMs", self.with_latency, "the check latency-budget"),
            calls(
                "toolCalls[].latencyMs",
                self.timed_calls,
                "a comparison of latency without the time of the tools, which a replay does not spend",
            ),
            cases("cost", self.with_cost, "the check cost-budget"),
            cases("output", self.with_reply, "the check reply-present"),
        ]
    }
}

/// Whether any check on tokens is possible.
fn has_tokens(it: &Interaction) -> bool {
    CLASSES.iter().any(|class| it.tokens.class(*class).is_some())
}

/// How many have a field.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Coverage {
    /// The field.
    pub field: &'static str,
    /// How many have it.
    pub known: u64,
    /// Of how many.
    pub of: u64,
    /// Of what.
    pub unit: &'static str,
    /// What it gives.
    pub gives: &'static str,
}
