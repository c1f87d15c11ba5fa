//! How many interactions and calls have what.

use super::super::interaction::{Interaction, ModelCalls, TokenClass, ToolCall};

/// The classes of tokens that are shown, in their order.
pub(super) const CLASSES: [TokenClass; 5] =
    [TokenClass::Total, TokenClass::Input, TokenClass::Output, TokenClass::CacheWrite, TokenClass::Reasoning];

/// How many interactions and calls have what.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    pub(super) cases: u64,
    pub(super) with_id: u64,
    pub(super) calls: Calls,
    /// How often a model was asked is known.
    pub(super) model_calls: Known,
    /// Each time is known.
    pub(super) with_each_model_call: u64,
    pub(super) tokens: Known,
    pub(super) by_class: ByClass,
    pub(super) latency: Known,
    pub(super) cost: Known,
    pub(super) with_currency: u64,
    pub(super) reply: Known,
    pub(super) with_history: u64,
    pub(super) with_session: u64,
    pub(super) with_turn: u64,
    pub(super) with_recorded_at: u64,
    pub(super) truncated: u64,
}

/// In how many interactions something is known, and why not in the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) known: u64,
    /// It was not recorded.
    pub(super) absent: u64,
    /// What was recorded makes no sense.
    pub(super) senseless: u64,
    /// What was recorded says nothing: a time of 0, a blank reply.
    pub(super) empty: u64,
}

/// What of a field an interaction tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Known,
    Absent,
    Senseless,
    Empty,
}

impl Told {
    /// What is known, or why it is not.
    fn of(interaction: &Interaction, field: &str, is_known: bool) -> Self {
        let is_about =
            |path: &str| path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if is_known {
            Told::Known
        } else if interaction.doubts.iter().any(|doubt| is_about(&doubt.path)) {
            Told::Senseless
        } else {
            Told::Absent
        }
    }
}

impl Known {
    fn add(&mut self, told: Told) {
        let count = match told {
            Told::Known => &mut self.known,
            Told::Absent => &mut self.absent,
            Told::Senseless => &mut self.senseless,
            Told::Empty => &mut self.empty,
        };
        *count += 1;
    }
}

/// How many calls have what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calls {
    /// Interactions of which the list of calls was recorded.
    pub(super) recorded: u64,
    /// There is a call in it.
    pub(super) with_a_call: u64,
    /// There are several.
    pub(super) with_several: u64,
    /// And each of those tells its step.
    pub(super) with_steps: u64,
    pub(super) calls: u64,
    pub(super) with_arguments: u64,
    pub(super) answered: u64,
    pub(super) errors: u64,
    pub(super) with_id: u64,
    pub(super) timed: u64,
}

impl Calls {
    fn add(&mut self, calls: &[ToolCall]) {
        self.recorded += 1;
        self.with_a_call += u64::from(!calls.is_empty());
        self.with_several += u64::from(calls.len() > 1);
        self.with_steps += u64::from(calls.len() > 1 && calls.iter().all(|call| call.step.is_some()));
        self.calls += calls.len() as u64;
        for call in calls {
            self.with_arguments += u64::from(call.arguments.is_some());
            self.answered += u64::from(call.result.is_some() || call.error.is_some());
            self.errors += u64::from(call.error.is_some());
            self.with_id += u64::from(call.id.is_some());
            self.timed += u64::from(call.latency_ms.is_some());
        }
    }
}

/// In how many interactions each class of tokens is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ByClass {
    pub(super) input: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
    pub(super) output: u64,
    pub(super) reasoning: u64,
}

impl ByClass {
    fn add(&mut self, interaction: &Interaction) {
        let tokens = &interaction.tokens;
        self.input += u64::from(tokens.input.is_some());
        self.cache_read += u64::from(tokens.cache_read.is_some());
        self.cache_write += u64::from(tokens.cache_write.is_some());
        self.output += u64::from(tokens.output.is_some());
        self.reasoning += u64::from(tokens.reasoning.is_some());
    }
}

impl Evidence {
    pub(super) fn add(&mut self, it: &Interaction) {
        self.cases += 1;
        self.with_id += u64::from(it.id.is_some());
        it.tool_calls.iter().for_each(|calls| self.calls.add(calls));
        self.model_calls.add(Told::of(it, "modelCalls", it.model_calls.is_some()));
        self.with_each_model_call += u64::from(matches!(it.model_calls, Some(ModelCalls::List(_))));
        self.tokens.add(Told::of(it, "tokens", has_tokens(it)));
        self.by_class.add(it);
        self.latency.add(match it.latency_ms {
            // A time of 0 was not measured.
            Some(time) if time <= 0.0 => Told::Empty,
            time => Told::of(it, "latencyMs", time.is_some()),
        });
        self.cost.add(Told::of(it, "cost", it.cost.is_some()));
        self.with_currency += u64::from(it.cost.is_some() && it.currency.is_some());
        self.reply.add(match (&it.output, it.has_reply()) {
            (_, true) => Told::Known,
            (Some(_), false) => Told::Empty,
            (None, false) => Told::Absent,
        });
        self.with_history += u64::from(it.history.is_some());
        self.with_session += u64::from(it.session.is_some());
        self.with_turn += u64::from(it.turn.is_some());
        self.with_recorded_at += u64::from(it.recorded_at.is_some());
        let calls = it.tool_calls.as_deref().unwrap_or_default();
        let cut = it.truncated == Some(true) || calls.iter().any(|call| call.truncated == Some(true));
        self.truncated += u64::from(cut);
    }
}

/// Whether any check on tokens is possible.
fn has_tokens(it: &Interaction) -> bool {
    CLASSES.iter().any(|class| it.tokens.class(*class).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::super::json::Json;
    use super::super::super::wire;
    use super::*;

    #[test]
    fn what_is_absent_what_is_empty_and_what_makes_no_sense_are_told_apart() {
        let mut evidence = Evidence::default();
        for line in [
            r#"{"input":"x","latencyMs":5,"output":"y","tokens":7,"modelCalls":1}"#,
            r#"{"input":"x","latencyMs":0,"output":" ","tokens":{"input":-1},"modelCalls":"many"}"#,
            r#"{"input":"x","latencyMs":"fast","tokens":{"input":3,"output":"x"}}"#,
            r#"{"input":"x"}"#,
        ] {
            evidence.add(&wire::read(&Json::parse(line).unwrap()).unwrap());
        }
        let known = |known, absent, senseless, empty| Known { known, absent, senseless, empty };
        assert_eq!(evidence.latency, known(1, 1, 1, 1));
        assert_eq!(evidence.reply, known(1, 2, 0, 1));
        assert_eq!(evidence.tokens, known(2, 1, 1, 0));
        assert_eq!(evidence.model_calls, known(1, 2, 1, 0));
    }
}
