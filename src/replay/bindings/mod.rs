//! Answers to tool calls out of one recording.

#[cfg(test)]
mod laws;
mod shelf;

use std::sync::Arc;

use self::shelf::{Found, Shelf};
use super::ledger::{Ledger, Near, Serving};
use crate::case::Refusal;
use crate::compare::{Arguments, Difference, Origins, Policy};
use crate::recording::{Interaction, Json, ToolError, ToolName};
use crate::scrub::Scrubber;

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
    /// What scrubs each call before it is looked up and written down, and each reply. The recorded interactions must
    /// have been scrubbed by one of the same rules and key.
    pub scrubber: Option<Arc<Scrubber>>,
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
    shelf: Shelf,
    used: Vec<bool>,
    servings: Vec<Serving>,
    given: Option<Given>,
}

/// The results that a run was given so far, where values are known by the results that they came out of.
#[derive(Debug, Default)]
struct Given {
    results: Origins,
    /// The last result, until the next call is made: the run may have had its own.
    last: Option<Json>,
}

impl Given {
    /// Calls that no recording answered are told apart by labels from here on.
    const UNRECORDED: u64 = 1 << 40;

    /// Takes in the last result, as one of a recorded call where it was served from one.
    fn settle(&mut self, servings: &[Serving]) {
        let Some((result, serving)) = self.last.take().zip(servings.last()) else { return };
        let call = servings.len() - 1;
        let label = serving.recorded().map_or(Self::UNRECORDED + call as u64, |at| at as u64);
        self.results.add(call, label, &result);
    }
}

/// How many near recordings a miss names.
const NEAR: usize = 3;

impl ToolBindings {
    /// Makes the stubs of a recorded interaction.
    #[must_use]
    pub fn new(recorded: &Interaction, rules: Arc<BindingRules>) -> Self {
        Self::of_ways([recorded], rules)
    }

    /// Makes the stubs of several ways that are as good: a call is answered from the first that has it.
    #[must_use]
    pub fn of_ways<'c>(ways: impl IntoIterator<Item = &'c Interaction>, rules: Arc<BindingRules>) -> Self {
        let shelf = Shelf::new(ways, &rules.policy);
        let given = rules.policy.has_references().then(Given::default);
        Self { used: vec![false; shelf.len()], rules, shelf, servings: Vec::new(), given }
    }

    /// What scrubs calls and replies.
    #[must_use]
    pub fn scrubber(&self) -> Option<&Arc<Scrubber>> {
        self.rules.scrubber.as_ref()
    }

    /// Answers a call and writes down how.
    pub fn answer(&mut self, tool: &ToolName, arguments: Option<&Json>) -> Answer {
        if let Some(given) = &mut self.given {
            given.settle(&self.servings);
        }
        let (answer, serving) = match self.shelf.next_in_step(tool, arguments) {
            Some(at) => {
                self.used[at] = true;
                self.serve(at, Serving::Exact { recorded: at })
            }
            None => self.look_up(tool, arguments),
        };
        if let (Some(given), Answer::Result(result)) = (&mut self.given, &answer) {
            given.last = Some(result.clone());
        }
        self.servings.push(serving);
        answer
    }

    /// The last call gave this back, whatever the stubs said: the run that is looked at had results of its own.
    pub fn note_result(&mut self, result: Option<&Json>) {
        if let Some(given) = &mut self.given {
            given.last = result.cloned();
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
        let unused = (0..self.used.len()).filter(|at| !self.used[self.shelf.stand_in(*at)]).collect();
        Ledger { servings: self.servings.clone(), unused, ways: self.shelf.ways().to_vec() }
    }

    fn look_up(&mut self, tool: &ToolName, written: Option<&Json>) -> (Answer, Serving) {
        let policy = Arc::clone(&self.rules.policy);
        let results = self.given.as_ref().map(|given| &given.results);
        let rules = policy.tool(tool);
        let arguments = Arguments::read_after(written, &rules, results, self.servings.len());
        match self.shelf.find(tool, &arguments, &policy) {
            Found::Next(at) => {
                self.used[at] = true;
                let by_rule = !rules.is_empty() && !self.shelf.is_plainly(at, written);
                let serving =
                    if by_rule { Serving::ByPolicy { recorded: at } } else { Serving::Exact { recorded: at } };
                self.serve(at, serving)
            }
            Found::UsedUp(last) => self.again(last),
            Found::Nothing => self.miss(tool, &arguments),
        }
    }

    fn serve(&self, at: usize, serving: Serving) -> (Answer, Serving) {
        match &self.shelf.call(at).answer {
            Some(answer) => (answer.clone(), serving),
            None => {
                let message = "the recording does not hold what this call gave back".to_owned();
                (refused(Refusal::NotRecorded, message), Serving::Unanswerable { recorded: at })
            }
        }
    }

    fn again(&self, last: usize) -> (Answer, Serving) {
        if self.rules.after_last == AfterLast::Repeat && !self.shelf.call(last).writes() {
            return self.serve(last, Serving::Repeated { recorded: last });
        }
        let message = "this call was recorded, but fewer times".to_owned();
        (refused(Refusal::Exhausted, message), Serving::Exhausted { recorded: last })
    }

    fn miss(&mut self, tool: &ToolName, arguments: &Arguments) -> (Answer, Serving) {
        let nearest = self.nearest(tool, arguments);
        let missed = |nearest| Serving::Missed { tool: tool.clone(), nearest };
        let message = format!("no recording answers this call of {tool}");
        match self.rules.on_miss {
            MissPolicy::Error => (refused(Refusal::NoRecording, message), missed(nearest)),
            MissPolicy::Abort => (Answer::Abort(message), missed(nearest)),
            MissPolicy::Static => match self.stated(tool, arguments) {
                Some(result) => (Answer::Result(result), Serving::Static),
                None => (refused(Refusal::NoRecording, message), missed(nearest)),
            },
            MissPolicy::Nearest => match nearest.first() {
                Some(near) if !self.shelf.writes(tool) => {
                    self.used[near.recorded] = true;
                    let serving = Serving::Nearest { recorded: near.recorded, differences: near.differences.clone() };
                    self.serve(near.recorded, serving)
                }
                _ => (refused(Refusal::NoRecording, message), missed(nearest)),
            },
        }
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
        self.shelf.arguments(at, &self.rules.policy).differences(arguments)
    }

    /// The recordings of the same tool that are most like a call, those not yet served first among equals.
    fn nearest(&self, tool: &ToolName, arguments: &Arguments) -> Vec<Near> {
        let recorded = |at| self.shelf.arguments(at, &self.rules.policy);
        let places = self.shelf.around(tool).iter();
        let counted = places.map(|&at| (recorded(at).count_differences(arguments), self.used[at], at));
        let mut near: Vec<(usize, bool, usize)> = counted.collect();
        near.sort_unstable();
        near.truncate(NEAR);
        near.into_iter().map(|(.., at)| Near { recorded: at, differences: self.differences(at, arguments) }).collect()
    }
}

fn refused(why: Refusal, message: String) -> Answer {
    Answer::Error(ToolError { kind: Some(why.as_str().to_owned()), message })
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
        let policy = Policy::new(vec!["ignore ts".parse().unwrap()]);
        let rules = BindingRules { policy: Arc::new(policy), ..BindingRules::default() };
        let mut stubs = bindings(r#"[{"name":"t","arguments":{"id":1,"ts":1},"result":7}]"#, rules);
        assert_eq!(ask(&mut stubs, "t", r#"{"ts":2,"id":1}"#), "7");
    }

    /// The stubs of several ways, each written as its calls.
    fn ways(ways: &[&str], rules: &[&str]) -> ToolBindings {
        let read = |calls: &&str| wire::read(&Json::parse(format!(r#"{{"input":"x","toolCalls":{calls}}}"#)).unwrap());
        let ways: Vec<Interaction> = ways.iter().map(|calls| read(calls).unwrap()).collect();
        let policy = Policy::new(rules.iter().map(|rule| rule.parse().unwrap()).collect());
        ToolBindings::of_ways(&ways, Arc::new(BindingRules { policy: Arc::new(policy), ..BindingRules::default() }))
    }

    #[test]
    fn equal_calls_of_two_ways_are_one_step() {
        let recorded = r#"[{"name":"get","result":"pending"},{"name":"wait","result":1}]"#;
        let polled =
            r#"[{"name":"get","result":"pending"},{"name":"get","result":"done"},{"name":"get","result":"old"}]"#;
        let mut stubs = ways(&[recorded, polled], &[]);
        let served: Vec<_> = (0..2).map(|_| ask(&mut stubs, "get", "{}")).collect();
        assert_eq!(served, ["\"pending\"", "\"done\""]);
        let ledger = stubs.ledger();
        assert_eq!((ledger.unused_of(0), ledger.unused_of(1)), (1, 1), "what is shared was asked for in both");
    }

    #[test]
    fn an_earlier_way_answers_first_also_where_a_rule_has_leeway() {
        let (recorded, other) = (
            r#"[{"name":"pay","arguments":{"n":1.0},"result":"recorded"}]"#,
            r#"[{"name":"pay","arguments":{"n":1.1},"result":"other"}]"#,
        );
        let mut stubs = ways(&[recorded, other], &["tolerance(0.5) pay:$.n"]);
        let served: Vec<_> = (0..2).map(|_| ask(&mut stubs, "pay", r#"{"n":1.1}"#)).collect();
        assert_eq!(served, ["\"recorded\"", "\"other\""]);
    }

    #[test]
    fn a_value_out_of_a_shared_step_is_the_same_in_each_way() {
        let recorded = r#"[{"name":"create","result":{"id":"ord-1111"}},{"name":"pay","arguments":{"id":"ord-1111"}}]"#;
        let other = r#"[{"name":"create","result":{"id":"ord-2222"}},
            {"name":"ship","arguments":{"id":"ord-2222"},"result":"shipped"}]"#;
        let mut stubs = ways(&[recorded, other], &["reference $.id"]);
        assert_eq!(ask(&mut stubs, "create", "{}"), r#"{"id":"ord-1111"}"#);
        assert_eq!(ask(&mut stubs, "ship", r#"{"id":"ord-1111"}"#), "\"shipped\"");
        assert_eq!(stubs.ledger().unused_of(1), 0);
    }
}
