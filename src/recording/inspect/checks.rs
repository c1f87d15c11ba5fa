//! In how many interactions each check is possible, and what the others lack.

use serde::Serialize;

use super::evidence::{Evidence, Known};

/// In how many cases a check is possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckCases {
    /// The check.
    pub label: &'static str,
    /// In how many interactions there is evidence for it.
    pub cases: u64,
    /// Why not in the others.
    pub without: Vec<Without>,
}

/// Interactions in which a check is not possible, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Without {
    /// The reason.
    pub why: &'static str,
    /// In how many.
    pub cases: u64,
}

impl Evidence {
    /// The checks that a recording alone can give.
    pub(super) fn checks(&self) -> Vec<CheckCases> {
        let calls = &self.calls;
        let unrecorded = ("no toolCalls", self.cases - calls.recorded);
        let with_a_call =
            |label| check(label, calls.with_a_call, [unrecorded, ("no call made", calls.recorded - calls.with_a_call)]);
        vec![
            with_a_call("tools"),
            with_a_call("tool-order"),
            with_a_call("tool-arguments"),
            check("extra-tools", calls.recorded, [unrecorded]),
            check("model-call-budget", self.model_calls.known, reasons(self.model_calls, MODEL_CALLS)),
            check("token-budget", self.tokens.known, reasons(self.tokens, TOKENS)),
            check("latency-budget", self.latency.known, reasons(self.latency, LATENCY)),
            check("cost-budget", self.cost.known, reasons(self.cost, COST)),
            check("reply-present", self.reply.known, reasons(self.reply, REPLY)),
        ]
    }
}

/// What is said where a field is absent, where it makes no sense, and where it says nothing.
type Words = [&'static str; 3];

const MODEL_CALLS: Words = ["no modelCalls", "modelCalls make no sense", ""];
const TOKENS: Words = ["no tokens", "tokens make no sense", ""];
const LATENCY: Words = ["no latencyMs", "latencyMs makes no sense", "latencyMs is 0"];
const COST: Words = ["no cost", "cost makes no sense", ""];
const REPLY: Words = ["no output", "", "output is blank"];

fn reasons(known: Known, [absent, senseless, empty]: Words) -> [(&'static str, u64); 3] {
    [(absent, known.absent), (senseless, known.senseless), (empty, known.empty)]
}

fn check<const N: usize>(label: &'static str, cases: u64, reasons: [(&'static str, u64); N]) -> CheckCases {
    let without = reasons.into_iter().filter(|(_, cases)| *cases > 0);
    CheckCases { label, cases, without: without.map(|(why, cases)| Without { why, cases }).collect() }
}
