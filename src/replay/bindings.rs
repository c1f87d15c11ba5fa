//! Answers to tool calls out of one recording.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::ledger::{Ledger, Near, Serving};
use crate::compare::{Arguments, CallKey, Difference, Policy};
use crate::recording::{Effect, Interaction, Json, ToolError, ToolName};

/// What happens when no recording answers a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissPolicy {
    /// The target is told so, as an error of the tool.
    #[default]
    Error,
    /// The most similar recording of the same tool answers; a write never does.
    Nearest,
    /// An answer that the suite states, else an error.
    Static,
    /// The attempt ends.
    Abort,
}

/// What happens when a call is made more often than it was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterLast {
    /// The last recording answers again, unless the tool is known to write.
    #[default]
    Repeat,
    /// The target is told that the recordings are used up.
    Exhausted,
}

/// An answer that does not come from the recording.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticAnswer {
    /// The tool.
    pub tool: ToolName,
    /// The arguments it answers; any when absent.
    pub arguments: Option<Json>,
    /// What the tool gives back.
    pub result: Json,
}

/// How recordings answer, the same for all attempts of a run.
#[derive(Clone, Debug, Default)]
pub struct BindingRules {
    /// What counts as the same call.
    pub policy: Arc<Policy>,
    /// What happens on a miss.
    pub on_miss: MissPolicy,
    /// What happens after the last recording of a call.
    pub after_last: AfterLast,
    /// Answers for [`MissPolicy::Static`].
    pub statics: Vec<StaticAnswer>,
}

/// What a tool call is answered with.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// What the tool gave back.
    Result(Json),
    /// The error that the tool gave, or that tells of a miss.
    Error(ToolError),
    /// The attempt is to end here.
    Abort(String),
}

/// The stubs of one attempt, made from its own recording, so that no case sees another's.
#[derive(Debug)]
pub struct ToolBindings {
    rules: Arc<BindingRules>,
    recorded: Vec<Bound>,
    lookup: Lookup,
    used: Vec<bool>,
    servings: Vec<Serving>,
}

#[derive(Debug)]
struct Bound {
    tool: ToolName,
    written: Option<Json>,
    arguments: OnceCell<Arguments>,
    answer: Option<Answer>,
    effect: Option<Effect>,
}

impl Bound {
    /// Its arguments under the policy.
    fn arguments(&self, policy: &Policy) -> &Arguments {
        self.arguments.get_or_init(|| Arguments::read(self.written.as_ref(), &policy.tool(&self.tool)))
    }
}

/// How the recording of a call is found.
#[derive(Debug)]
enum Lookup {
    /// So far each call was, to the letter, the next one that was recorded; so many were served. No policy tells such
    /// calls apart and no equal one waits before it, so nothing has to be looked up.
    InStep(usize),
    /// By tool and canonical arguments.
    Indexed(Index),
}

/// The recordings by call and by tool.
#[derive(Debug, Default)]
struct Index {
    by_key: HashMap<CallKey, Queue>,
    by_tool: HashMap<ToolName, OfTool>,
}

/// The recordings of one call: those to come, and the last that was served.
#[derive(Debug, Default)]
struct Queue {
    next: VecDeque<usize>,
    last: Option<usize>,
}

/// The recordings of one tool.
#[derive(Debug, Default)]
struct OfTool {
    places: Vec<usize>,
    /// How many calls of it were asked.
    asked: usize,
}

impl OfTool {
    /// The recordings that a call is looked for among: all, or where there are very many, those around the place that
    /// the run has come to. Thousands of misses over thousands of recordings would take the square of that.
    fn around(&self) -> &[usize] {
        let reach = (LOOKED_AT / self.places.len().max(1)).max(LEAST_REACH);
        let until = self.asked.saturating_add(reach).min(self.places.len());
        let from = self.asked.saturating_sub(reach).min(self.places.len().saturating_sub(2 * reach));
        &self.places[from..until.max(from)]
    }
}

/// How many recordings all misses of a tool together may look at, about, on each side.
const LOOKED_AT: usize = 1_000_000;

/// How many recordings on each side a miss looks at in any case.
const LEAST_REACH: usize = 32;

/// How many near recordings a miss names.
const NEAR: usize = 3;

impl ToolBindings {
    /// Makes the stubs of a recorded interaction.
    #[must_use]
    pub fn new(recorded: &Interaction, rules: Arc<BindingRules>) -> Self {
        let mut bound = Vec::new();
        for call in recorded.tool_calls.iter().flatten() {
            let cut = recorded.truncated == Some(true) || call.truncated == Some(true);
            let answer = match (call.tool_error(), &call.result) {
                (Some(error), _) => Some(Answer::Error(error)),
                // A payload that was cut off is not what the tool said.
                (None, Some(result)) if !cut => Some(Answer::Result(result.clone())),
                _ => None,
            };
            let (tool, written, effect) = (call.name.clone(), call.arguments.clone(), call.effect);
            bound.push(Bound { tool, written, arguments: OnceCell::new(), answer, effect });
        }
        let used = vec![false; bound.len()];
        Self { rules, recorded: bound, lookup: Lookup::InStep(0), used, servings: Vec::new() }
    }

    /// Answers a call and writes down how.
    pub fn answer(&mut self, tool: &ToolName, arguments: Option<&Json>) -> Answer {
        let (answer, serving) = match self.next_in_step(tool, arguments) {
            Some(at) => self.serve(at, Serving::Exact { recorded: at }),
            None => {
                let found = self.look_up(tool, &Arguments::read(arguments, &self.rules.policy.tool(tool)));
                if let Some(of_tool) = self.index().by_tool.get_mut(tool) {
                    of_tool.asked += 1;
                }
                found
            }
        };
        self.servings.push(serving);
        answer
    }

    /// The next recorded call, where the run kept step with the recording and this call does too.
    fn next_in_step(&mut self, tool: &ToolName, arguments: Option<&Json>) -> Option<usize> {
        let Lookup::InStep(served) = &mut self.lookup else { return None };
        let at = *served;
        let next = self.recorded.get(at)?;
        if next.tool != *tool || next.written.as_ref() != arguments {
            return None;
        }
        *served += 1;
        self.used[at] = true;
        Some(at)
    }

    /// The recordings by call and by tool, as far as they were served; made when a run first leaves step.
    fn index(&mut self) -> &mut Index {
        if let Lookup::InStep(served) = self.lookup {
            let mut index = Index::default();
            for (at, call) in self.recorded.iter().enumerate() {
                let key = CallKey::of(&call.tool, call.arguments(&self.rules.policy));
                let (queue, of_tool) =
                    (index.by_key.entry(key).or_default(), index.by_tool.entry(call.tool.clone()).or_default());
                of_tool.places.push(at);
                if at < served {
                    queue.last = Some(at);
                    of_tool.asked += 1;
                } else {
                    queue.next.push_back(at);
                }
            }
            self.lookup = Lookup::Indexed(index);
        }
        match &mut self.lookup {
            Lookup::Indexed(index) => index,
            Lookup::InStep(_) => unreachable!("the index was made above"),
        }
    }

    /// Writes down that a call was answered by the tool itself.
    pub fn note_live(&mut self) {
        self.servings.push(Serving::Live);
    }

    /// Writes down that a call was answered by what the case itself states.
    pub fn note_static(&mut self) {
        self.servings.push(Serving::Static);
    }

    /// The record of all that was answered.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        let unused = (0..self.used.len()).filter(|at| !self.used[*at]).collect();
        Ledger { servings: self.servings.clone(), unused }
    }

    fn look_up(&mut self, tool: &ToolName, arguments: &Arguments) -> (Answer, Serving) {
        match self.index().by_key.get_mut(&CallKey::of(tool, arguments)) {
            None => self.miss(tool, arguments),
            Some(queue) => match (queue.next.pop_front(), queue.last) {
                (Some(at), _) => {
                    queue.last = Some(at);
                    self.used[at] = true;
                    self.serve(at, Serving::Exact { recorded: at })
                }
                (None, Some(last)) => self.again(last),
                (None, None) => self.miss(tool, arguments),
            },
        }
    }

    fn serve(&self, at: usize, serving: Serving) -> (Answer, Serving) {
        match &self.recorded[at].answer {
            Some(answer) => (answer.clone(), serving),
            None => {
                let message = "the recording does not hold what this call gave back".to_owned();
                (refusal("not_recorded", message), Serving::Unanswerable { recorded: at })
            }
        }
    }

    fn again(&self, last: usize) -> (Answer, Serving) {
        let writes = matches!(self.recorded[last].effect, Some(Effect::Write | Effect::Irreversible));
        if self.rules.after_last == AfterLast::Repeat && !writes {
            return self.serve(last, Serving::Repeated { recorded: last });
        }
        let message = "this call was recorded, but fewer times".to_owned();
        (refusal("exhausted", message), Serving::Exhausted { recorded: last })
    }

    fn miss(&mut self, tool: &ToolName, arguments: &Arguments) -> (Answer, Serving) {
        let nearest = self.nearest(tool, arguments);
        let missed = |nearest| Serving::Missed { tool: tool.clone(), nearest };
        let message = format!("no recording answers this call of {tool}");
        match self.rules.on_miss {
            MissPolicy::Error => (refusal("no_recording", message), missed(nearest)),
            MissPolicy::Abort => (Answer::Abort(message), missed(nearest)),
            MissPolicy::Static => match self.stated(tool, arguments) {
                Some(result) => (Answer::Result(result), Serving::Static),
                None => (refusal("no_recording", message), missed(nearest)),
            },
            MissPolicy::Nearest => match nearest.first() {
                Some(near) if !self.writes(tool) => {
                    self.used[near.recorded] = true;
                    let serving = Serving::Nearest { recorded: near.recorded, differences: near.differences.clone() };
                    self.serve(near.recorded, serving)
                }
                _ => (refusal("no_recording", message), missed(nearest)),
            },
        }
    }

    fn writes(&self, tool: &ToolName) -> bool {
        self.recorded
            .iter()
            .any(|call| call.tool == *tool && matches!(call.effect, Some(Effect::Write | Effect::Irreversible)))
    }

    fn stated(&self, tool: &ToolName, arguments: &Arguments) -> Option<Json> {
        let rules = self.rules.policy.tool(tool);
        let fits = |stated: &&StaticAnswer| {
            stated.tool == *tool
                && stated.arguments.as_ref().is_none_or(|wanted| Arguments::read(Some(wanted), &rules) == *arguments)
        };
        self.rules.statics.iter().find(fits).map(|stated| stated.result.clone())
    }

    fn differences(&self, at: usize, arguments: &Arguments) -> Vec<Difference> {
        self.recorded[at].arguments(&self.rules.policy).differences(arguments)
    }

    /// The recordings of the same tool that are most like a call, those not yet served first among equals.
    fn nearest(&self, tool: &ToolName, arguments: &Arguments) -> Vec<Near> {
        let places = match &self.lookup {
            Lookup::Indexed(index) => index.by_tool.get(tool).map_or(&[][..], OfTool::around),
            Lookup::InStep(_) => &[],
        };
        let policy = &self.rules.policy;
        let counted = places.iter().map(|&at| (self.recorded[at].arguments(policy).count_differences(arguments), at));
        let mut near: Vec<(usize, bool, usize)> = counted.map(|(count, at)| (count, self.used[at], at)).collect();
        near.sort_unstable();
        near.truncate(NEAR);
        near.into_iter().map(|(.., at)| Near { recorded: at, differences: self.differences(at, arguments) }).collect()
    }
}

fn refusal(kind: &str, message: String) -> Answer {
    Answer::Error(ToolError { kind: Some(kind.to_owned()), message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::wire;

    fn bindings(calls: &str, rules: BindingRules) -> ToolBindings {
        let line = format!(r#"{{"input":"x","toolCalls":{calls}}}"#);
        let recorded = wire::read(&Json::parse(line).unwrap()).unwrap();
        ToolBindings::new(&recorded, Arc::new(rules))
    }

    fn ask(stubs: &mut ToolBindings, tool: &str, arguments: &str) -> String {
        match stubs.answer(&ToolName::new(tool), Some(&Json::parse(arguments).unwrap())) {
            Answer::Result(result) => result.text().to_owned(),
            Answer::Error(error) => format!("error {error}"),
            Answer::Abort(message) => format!("abort {message}"),
        }
    }

    const POLLED: &str = r#"[{"name":"get","arguments":{"id":1},"result":"pending"},
        {"name":"get","arguments":{"id":1.0},"result":"done"},{"name":"pay","arguments":{"n":5},"error":{"type":"declined","message":"no funds"},"effect":"write"}]"#;

    #[test]
    fn equal_calls_are_served_in_recorded_order_and_the_last_repeats() {
        let mut stubs = bindings(POLLED, BindingRules::default());
        let served: Vec<_> = (0..3).map(|_| ask(&mut stubs, "get", r#""{\"id\":1}""#)).collect();
        assert_eq!(served, ["\"pending\"", "\"done\"", "\"done\""]);
        assert_eq!(stubs.ledger().unused, [2]);
        assert_eq!(stubs.ledger().fidelity(), 1.0);
    }

    #[test]
    fn a_run_that_falls_out_of_step_is_answered_as_if_it_never_was_in_it() {
        let calls = r#"[{"name":"get","arguments":{"id":1},"result":"a"},{"name":"get","arguments":{"id":2},"result":"b"},
            {"name":"get","arguments":{"id":1.0},"result":"c"},{"name":"get","arguments":{"id":3},"result":"d"}]"#;
        let mut stubs = bindings(calls, BindingRules::default());
        // In step, out of step by spelling, out of step by order, and the last again.
        let asked = [r#"{"id":1}"#, r#"{"id":1}"#, r#"{"id":3}"#, r#"{"id":2}"#, r#"{"id":1}"#];
        let served = asked.map(|arguments| ask(&mut stubs, "get", arguments));
        assert_eq!(served, ["\"a\"", "\"c\"", "\"d\"", "\"b\"", "\"c\""]);
        assert!(stubs.ledger().unused.is_empty());
    }

    #[test]
    fn a_recorded_error_is_given_back_and_a_write_never_repeats() {
        let mut stubs = bindings(POLLED, BindingRules::default());
        assert_eq!(ask(&mut stubs, "pay", r#"{"n":5}"#), "error declined: no funds");
        assert!(ask(&mut stubs, "pay", r#"{"n":5}"#).starts_with("error exhausted"));
    }

    #[test]
    fn a_miss_names_the_nearest_recording_and_follows_the_policy() {
        let mut stubs = bindings(POLLED, BindingRules::default());
        assert!(ask(&mut stubs, "get", r#"{"id":2}"#).starts_with("error no_recording"));
        let Serving::Missed { nearest, .. } = &stubs.ledger().servings[0] else { panic!("a miss") };
        assert_eq!(nearest[0].differences[0].to_string(), "$.id: 1 -> 2");
        assert_eq!(stubs.ledger().fidelity(), 0.0);

        let nearest = BindingRules { on_miss: MissPolicy::Nearest, ..BindingRules::default() };
        let mut stubs = bindings(POLLED, nearest);
        assert_eq!(ask(&mut stubs, "get", r#"{"id":2}"#), "\"pending\"");
        assert!(ask(&mut stubs, "pay", r#"{"n":6}"#).starts_with("error no_recording"), "a write is never guessed");

        let abort = BindingRules { on_miss: MissPolicy::Abort, ..BindingRules::default() };
        assert!(ask(&mut bindings(POLLED, abort), "get", "{}").starts_with("abort"));

        let statics =
            vec![StaticAnswer { tool: ToolName::new("get"), arguments: None, result: Json::string("stated") }];
        let stated = BindingRules { on_miss: MissPolicy::Static, statics, ..BindingRules::default() };
        assert_eq!(ask(&mut bindings(POLLED, stated), "get", "{}"), "\"stated\"");
    }

    #[test]
    fn what_was_cut_off_or_not_recorded_is_never_served() {
        let calls = r#"[{"name":"a","result":"half of i","truncated":true},{"name":"b"},{"name":"c","result":null}]"#;
        let mut stubs = bindings(calls, BindingRules::default());
        assert!(ask(&mut stubs, "a", "{}").starts_with("error not_recorded"));
        assert!(ask(&mut stubs, "b", "{}").starts_with("error not_recorded"));
        assert_eq!(ask(&mut stubs, "c", "{}"), "null", "a recorded null is a result");
    }

    #[test]
    fn a_policy_decides_for_stubs_as_for_checks() {
        let policy = Policy::new(vec!["ts".parse().unwrap()]);
        let rules = BindingRules { policy: Arc::new(policy), ..BindingRules::default() };
        let mut stubs = bindings(r#"[{"name":"t","arguments":{"id":1,"ts":1},"result":7}]"#, rules);
        assert_eq!(ask(&mut stubs, "t", r#"{"ts":2,"id":1}"#), "7");
    }
}
