//! Limits on what a run spends. All of them are inclusive, and what was not measured is inconclusive.

use rust_decimal::Decimal;

use super::{EvalContext, Evaluator, Said};
use crate::recording::{TokenClass, ToolCall};
use crate::replay::LatencySource;

pub(super) fn model_calls(context: &EvalContext<'_>, limit: u64) -> Said {
    match context.attempt.seen.model_calls.as_ref().map(crate::recording::ModelCalls::count) {
        None => Said::inconclusive("the run does not say how often it asked a model"),
        Some(count) if count <= limit => Said::passed(),
        Some(count) => Said::failed(format!("{count} model calls, at most {limit} pass")),
    }
}

pub(super) fn tokens(context: &EvalContext<'_>, class: TokenClass, limit: u64) -> Said {
    let name = class.as_str();
    match context.attempt.seen.tokens.class(class) {
        None => Said::inconclusive(format!("the run does not tell its {name} tokens")),
        Some(count) if count <= limit => Said::passed(),
        Some(count) => Said::failed(format!("{count} {name} tokens, at most {limit} pass")),
    }
}

pub(super) fn cost(context: &EvalContext<'_>, limit: Decimal) -> Said {
    let (was, is) = (&context.recorded().currency, &context.attempt.seen.currency);
    match context.attempt.seen.cost {
        None => Said::inconclusive("the run does not tell its cost"),
        Some(_) if was.is_some() && is.is_some() && was != is => {
            Said::inconclusive("the recording paid in another currency")
        }
        Some(cost) if cost <= limit => Said::passed(),
        Some(cost) => Said::failed(format!("cost {cost}, at most {limit} passes")),
    }
}

/// Where tools are stubbed they take no time, so their recorded time is taken off the limit where it is known.
pub(super) fn recorded_latency(context: &EvalContext<'_>, limit: f64) -> Said {
    let recorded = context.recorded().latency_ms.unwrap_or(0.0);
    let tools = context.recorded().tool_calls.as_deref().unwrap_or_default();
    match context.attempt.latency.source {
        LatencySource::Stubbed if !tools.is_empty() => match tool_time(tools).filter(|time| *time < recorded) {
            Some(time) => {
                latency(context, limit * (1.0 - time / recorded), " (tool time taken off: tools are stubbed)")
            }
            None => latency(context, limit, " (tool time included in the recording: tools are stubbed)"),
        },
        _ => latency(context, limit, ""),
    }
}

fn latency(context: &EvalContext<'_>, limit: f64, note: &str) -> Said {
    match context.attempt.latency.ms {
        None => Said::inconclusive("the run was not timed"),
        Some(time) if time <= beyond_noise(context, limit) => Said::passed(),
        Some(time) => {
            // As many digits as it takes to see that the limit was passed.
            let digits = if time.round() > limit.round() { 0 } else { 3 };
            Said::failed(format!("{time:.digits$} ms, at most {limit:.digits$} pass{note}"))
        }
    }
}

/// A time taken here, on a machine that does other things too, says nothing by a quarter of a second more or less. A
/// recorded time is held to the limit, but none of up to 10 ms says anything.
fn beyond_noise(context: &EvalContext<'_>, limit: f64) -> f64 {
    match context.attempt.latency.source {
        LatencySource::Measured | LatencySource::Stubbed => limit + 250.0,
        LatencySource::Recorded => limit.max(10.0),
    }
}

/// How long the tools took, calls of one step at the same time; `None` unless every call was timed.
fn tool_time(calls: &[ToolCall]) -> Option<f64> {
    let mut total = 0.0;
    let mut step: Option<(i64, f64)> = None;
    for call in calls {
        let time = call.latency_ms?;
        match (&mut step, call.step) {
            (Some((number, longest)), Some(same)) if *number == same => *longest = longest.max(time),
            (open, number) => {
                total += open.take().map_or(0.0, |(_, longest)| longest);
                match number {
                    Some(number) => *open = Some((number, time)),
                    None => total += time,
                }
            }
        }
    }
    Some(total + step.map_or(0.0, |(_, longest)| longest))
}

/// At most so many model calls (TestKit: `shouldMakeAtMostModelCalls`).
#[derive(Clone, Copy, Debug)]
pub struct ModelCallBudget(pub u64);

impl Evaluator for ModelCallBudget {
    fn label(&self) -> &str {
        "model-call-budget"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        model_calls(context, self.0)
    }
}

/// At most so many tokens of a class (TestKit: `shouldUseAtMostTokens`, for the total).
#[derive(Clone, Copy, Debug)]
pub struct TokenBudget(pub TokenClass, pub u64);

impl Evaluator for TokenBudget {
    fn label(&self) -> &str {
        "token-budget"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        tokens(context, self.0, self.1)
    }
}

/// A reply within so many milliseconds (TestKit: `shouldReplyWithin`).
#[derive(Clone, Copy, Debug)]
pub struct LatencyBudget(pub f64);

impl Evaluator for LatencyBudget {
    fn label(&self) -> &str {
        "latency-budget"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        latency(context, self.0, "")
    }
}

/// At most so much money.
#[derive(Clone, Copy, Debug)]
pub struct CostBudget(pub Decimal);

impl Evaluator for CostBudget {
    fn label(&self) -> &str {
        "cost-budget"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        cost(context, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::ToolName;

    #[test]
    fn parallel_tools_take_the_time_of_the_longest() {
        let call = |step, time| ToolCall { step, latency_ms: time, ..ToolCall::new(ToolName::new("t"), None) };
        assert_eq!(
            tool_time(&[call(Some(1), Some(30.0)), call(Some(1), Some(50.0)), call(Some(2), Some(5.0))]),
            Some(55.0)
        );
        assert_eq!(tool_time(&[call(None, Some(30.0)), call(None, Some(50.0))]), Some(80.0));
        assert_eq!(tool_time(&[call(None, Some(30.0)), call(None, None)]), None);
    }
}
