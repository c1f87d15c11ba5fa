//! Turns out of messages that are told one after another.

use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::super::interaction::{Doubt, Interaction, ModelCall, ModelCalls, ToolCall, ToolName};
use super::super::json::{Json, Kind};
use super::super::wire::RowFault;
use super::arguments::set_arguments;
use super::conversation::{Role, Said, Turn};
use super::open_calls::OpenCalls;

/// Takes the messages of a conversation in their order and makes turns of them.
#[derive(Debug, Default)]
pub(super) struct Dialogue {
    turns: Vec<OpenTurn>,
    open: OpenCalls,
}

/// A turn that goes on.
#[derive(Debug, Default)]
struct OpenTurn {
    before: Vec<Said>,
    input: Option<Json>,
    output: Option<Json>,
    calls: Vec<ToolCall>,
    model_calls: Vec<ModelCall>,
    /// How many answers there were: the step of the calls that the last one asked for.
    steps: i64,
    started: Option<Timestamp>,
    latency_ms: Option<f64>,
    paid: Paid,
    failure: Option<String>,
    doubts: Vec<Doubt>,
    stray: Vec<Json>,
}

/// What model calls cost, and how many of them told it.
#[derive(Debug, Default)]
struct Paid {
    amount: Decimal,
    calls: usize,
}

/// What an agent's model answered.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Its words, if it had any.
    pub(super) words: Option<Json>,
    /// The calls that it asked for.
    pub(super) calls: Vec<Asked>,
    /// What is known of the model call; `None` where no model was asked, as for a fixed greeting.
    pub(super) model_call: Option<ModelCall>,
    /// What is doubtful in it.
    pub(super) doubt: Option<Doubt>,
}

/// A call that a model asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) name: String,
    /// As they were written: an object, or a text of one.
    pub(super) arguments: Option<Json>,
    pub(super) id: Option<String>,
    /// The sub-agent that asked.
    pub(super) agent: Option<String>,
}

/// What came back from a tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Returned {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) outcome: Outcome,
    pub(super) latency_ms: Option<f64>,
}

/// Whether a tool worked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Outcome {
    Result(Json),
    Error(Json),
}

impl Outcome {
    /// A result, taken as JSON where it is a text of an object or list.
    pub(super) fn result(content: Json) -> Self {
        Outcome::Result(structured(content))
    }

    /// An error, which says at least that it is one.
    pub(super) fn error(content: Option<Json>) -> Self {
        let says = |content: &Json| !content.is_null() && content.as_str().is_none_or(|text| !text.trim().is_empty());
        Outcome::Error(content.filter(says).map_or_else(|| Json::string("error"), |content| content.compact()))
    }
}

/// A text of a JSON object or list is that object or list.
pub(super) fn structured(content: Json) -> Json {
    let parsed = content.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
    parsed.filter(|json| matches!(json.kind(), Kind::Object | Kind::Array)).unwrap_or(content).compact()
}

/// Words that say something.
pub(super) fn words(content: Option<Json>) -> Option<Json> {
    let says = |content: &Json| match content.kind() {
        Kind::Null => false,
        Kind::String => content.as_str().is_some_and(|text| !text.trim().is_empty()),
        Kind::Array => content.items().is_some_and(|items| !items.is_empty()),
        _ => true,
    };
    content.filter(says).map(|content| content.compact())
}

impl Dialogue {
    /// The user said something: a new turn, unless the agent has not answered the last words yet; then these were said
    /// before.
    pub(super) fn user(&mut self, content: Json, at: Option<Timestamp>) {
        let is_over = |turn: &OpenTurn| turn.input.is_some() && (turn.steps > 0 || turn.failure.is_some());
        if self.turns.last().is_none_or(is_over) {
            self.open.clear();
            self.turns.push(OpenTurn::default());
        }
        let turn = self.turn();
        let earlier = turn.input.replace(content);
        turn.before.extend(earlier.map(|content| Said { role: Role::User, content }));
        // What was said before the user's first words is no answer to them.
        let greeting = turn.output.take();
        turn.before.extend(greeting.map(|content| Said { role: Role::Assistant, content }));
        turn.started = at.or(turn.started);
    }

    /// Words of an earlier conversation, which the turn that comes knows.
    pub(super) fn earlier(&mut self, said: Said) {
        self.turn().before.push(said);
    }

    /// Words of the user that came with the results of tools and start no turn.
    pub(super) fn aside(&mut self, content: Json) {
        self.turn().before.push(Said { role: Role::User, content });
    }

    /// A model was asked and gave no answer. What a later call answers makes good for it.
    pub(super) fn asked_in_vain(&mut self, call: ModelCall, why: String) {
        let turn = self.turn();
        turn.model_calls.push(call);
        turn.failure = Some(why);
    }

    /// The last answer ended within its last call, so nobody knows all of its arguments.
    pub(super) fn cut_off(&mut self) {
        if let Some(call) = self.turn().calls.last_mut() {
            call.truncated = Some(true);
        }
    }

    /// The agent answered.
    pub(super) fn answer(&mut self, answer: Answer) {
        let turn = self.turn();
        turn.output = answer.words.or(turn.output.take());
        turn.doubts.extend(answer.doubt);
        if answer.model_call.is_some() {
            // A model that answers after something went wrong has recovered from it.
            turn.failure = None;
        }
        if answer.model_call.is_some() || !answer.calls.is_empty() || turn.input.is_some() {
            turn.steps += 1;
        }
        turn.model_calls.extend(answer.model_call);
        for asked in answer.calls {
            self.ask(asked);
        }
    }

    fn ask(&mut self, asked: Asked) {
        let name = if asked.name.trim().is_empty() { "(no name)".to_owned() } else { asked.name };
        let turn = self.turn();
        let number = turn.calls.len();
        let mut call = ToolCall::new(ToolName::new(name.as_str()), None);
        set_arguments(&mut call, asked.arguments);
        call.id = asked.id.filter(|id| !id.is_empty());
        call.agent = asked.agent;
        call.step = Some(turn.steps);
        let id = call.id.clone();
        turn.calls.push(call);
        self.open.made(number, id.as_deref(), &name);
    }

    /// A tool gave something back. What belongs to no call is kept as `strayResults`.
    pub(super) fn returned(&mut self, returned: Returned) {
        let Returned { id, name, outcome, latency_ms } = returned;
        let call = self.open.answered(id.as_deref(), name.as_deref());
        let turn = self.turn();
        let Some(call) = call.and_then(|number| turn.calls.get_mut(number)) else {
            let what = name.or(id).unwrap_or_else(|| "a tool".into());
            turn.doubts.push(Doubt {
                path: "toolCalls".into(),
                problem: format!("a result of {what} belongs to no recorded call"),
            });
            let (Outcome::Result(content) | Outcome::Error(content)) = outcome;
            turn.stray.push(content);
            return;
        };
        match outcome {
            Outcome::Result(result) => call.result = Some(result),
            Outcome::Error(error) => call.error = Some(error),
        }
        call.latency_ms = latency_ms;
    }

    /// A model call that gave no answer of its own to tell.
    pub(super) fn more_model_calls(&mut self, call: ModelCall) {
        self.turn().model_calls.push(call);
    }

    /// The turn failed, unless an answer follows.
    pub(super) fn failed(&mut self, why: impl Into<String>) {
        self.turn().failure = Some(why.into());
    }

    /// How long the turn took, where that was measured.
    pub(super) fn took(&mut self, latency_ms: f64) {
        self.turn().latency_ms = Some(latency_ms);
    }

    /// What the last model call cost, in US dollars.
    pub(super) fn paid(&mut self, amount: Decimal) {
        let paid = &mut self.turn().paid;
        paid.amount = paid.amount.saturating_add(amount);
        paid.calls += 1;
    }

    /// Something in the turn is doubtful.
    pub(super) fn doubt(&mut self, path: &str, problem: impl Into<String>) {
        self.turn().doubts.push(Doubt { path: path.into(), problem: problem.into() });
    }

    /// Whether nobody has said anything.
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// The turns. `asked` stands for the user's words where an agent worked without any.
    ///
    /// # Errors
    /// When the agent worked without anybody's words and there is nothing to stand for them.
    pub(super) fn finish(self, asked: Option<Json>) -> Result<Vec<Turn>, RowFault> {
        let missing = || RowFault::Missing("user message");
        if self.turns.is_empty() {
            return Err(missing());
        }
        self.turns.into_iter().map(|turn| turn.finish(asked.as_ref()).ok_or_else(missing)).collect()
    }

    fn turn(&mut self) -> &mut OpenTurn {
        if self.turns.is_empty() {
            self.turns.push(OpenTurn::default());
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }
}

impl OpenTurn {
    fn finish(self, asked: Option<&Json>) -> Option<Turn> {
        let mut it = Interaction::new(self.input.or_else(|| asked.cloned())?);
        it.output = self.output;
        // What nobody answered says nothing of what would have been called.
        it.tool_calls = (self.steps > 0).then_some(self.calls);
        // A cost of nothing means that the model had no price.
        if self.paid.calls == self.model_calls.len() && !self.paid.amount.is_zero() {
            (it.cost, it.currency) = (Some(self.paid.amount), Some("USD".into()));
        }
        (it.latency_ms, it.failure) = (self.latency_ms, self.failure);
        it.model_calls = Some(self.model_calls).filter(|calls| !calls.is_empty()).map(ModelCalls::List);
        it.recorded_at = self.started.map(|at| at.to_string());
        it.doubts = self.doubts;
        if !self.stray.is_empty() {
            it.extra.push(("strayResults".into(), Json::of(&self.stray)));
        }
        Some(Turn { before: self.before, it })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Answer {
        Answer { words: Some(Json::string(text)), model_call: Some(ModelCall::default()), ..Answer::default() }
    }

    fn asked(name: &str, id: &str) -> Answer {
        let arguments = Some(Json::string(r#"{"x": 1}"#));
        let call = Asked { name: name.into(), arguments, id: Some(id.into()), agent: None };
        Answer { calls: vec![call], model_call: Some(ModelCall::default()), ..Answer::default() }
    }

    fn returned(id: &str, content: &str) -> Returned {
        let outcome = Outcome::result(Json::string(content));
        Returned { id: Some(id.into()), name: None, outcome, latency_ms: None }
    }

    #[test]
    fn a_turn_lasts_until_the_user_speaks_again() {
        let mut talk = Dialogue::default();
        talk.user(Json::string("a"), None);
        talk.answer(asked("t", "1"));
        talk.returned(returned("1", "[1]"));
        talk.answer(said("b"));
        talk.user(Json::string("c"), None);
        talk.answer(said("d"));
        let turns = talk.finish(None).unwrap();
        let [first, second] = turns.as_slice() else { panic!("{turns:?}") };
        let call = &first.it.tool_calls.as_ref().unwrap()[0];
        assert_eq!(
            (call.arguments.as_ref().unwrap().text(), call.result.as_ref().unwrap().text()),
            (r#"{"x":1}"#, "[1]")
        );
        assert_eq!((call.step, first.it.model_calls.as_ref().unwrap().count()), (Some(1), 2));
        assert_eq!((second.it.input.text(), second.it.tool_calls.as_deref()), ("\"c\"", Some([].as_slice())));
    }

    #[test]
    fn words_before_an_answer_are_no_turn_of_their_own() {
        let mut talk = Dialogue::default();
        talk.answer(Answer { words: Some(Json::string("hello")), ..Answer::default() });
        talk.user(Json::string("a"), None);
        talk.user(Json::string("b"), None);
        talk.answer(said("c"));
        let turn = talk.finish(None).unwrap().pop().unwrap();
        assert_eq!((turn.it.input.text(), turn.it.output.unwrap().text()), ("\"b\"", "\"c\""));
        let before: Vec<_> = turn.before.iter().map(|said| (said.role, said.content.text())).collect();
        assert_eq!(before, [(Role::Assistant, "\"hello\""), (Role::User, "\"a\"")]);
        assert_eq!(turn.it.model_calls.unwrap().count(), 1, "no model was asked for the greeting");
    }

    #[test]
    fn a_result_that_belongs_to_no_call_is_kept_and_told() {
        let mut talk = Dialogue::default();
        talk.user(Json::string("a"), None);
        talk.answer(asked("t", "1"));
        talk.answer(asked("t", "3"));
        talk.returned(returned("2", "x"));
        let it = talk.finish(None).unwrap().pop().unwrap().it;
        assert_eq!(it.doubts[0].problem, "a result of 2 belongs to no recorded call");
        assert_eq!((it.extra[0].1.text(), it.tool_calls.unwrap()[0].result.as_ref()), ("[\"x\"]", None));
    }

    #[test]
    fn what_nobody_answered_says_nothing_of_calls() {
        let mut talk = Dialogue::default();
        talk.user(Json::string("a"), None);
        talk.answer(said("b"));
        talk.user(Json::string("bye"), None);
        let turns = talk.finish(None).unwrap();
        assert_eq!((turns.len(), turns[1].it.tool_calls.as_ref(), turns[1].it.model_calls.as_ref()), (2, None, None));
    }

    #[test]
    fn a_failure_lasts_until_something_answers() {
        let mut talk = Dialogue::default();
        talk.earlier(Said { role: Role::User, content: Json::string("earlier") });
        talk.user(Json::string("a"), None);
        talk.asked_in_vain(ModelCall::default(), "HTTP 500".into());
        talk.answer(asked("t", "1"));
        talk.cut_off();
        talk.user(Json::string("b"), None);
        talk.asked_in_vain(ModelCall::default(), "HTTP 503".into());
        talk.user(Json::string("c"), None);
        let turns = talk.finish(None).unwrap();
        let failures: Vec<_> = turns.iter().map(|turn| turn.it.failure.as_deref()).collect();
        assert_eq!(failures, [None, Some("HTTP 503"), None]);
        let first = &turns[0];
        assert_eq!((first.before.len(), first.it.model_calls.as_ref().unwrap().count()), (1, 2));
        assert_eq!(first.it.tool_calls.as_ref().unwrap()[0].truncated, Some(true));
    }

    #[test]
    fn a_cost_is_known_when_each_model_call_tells_it() {
        let costs = |paid: &[i64]| {
            let mut talk = Dialogue::default();
            talk.user(Json::string("a"), None);
            for (at, asked) in [asked("t", "1"), said("b")].into_iter().enumerate() {
                talk.answer(asked);
                paid.get(at).into_iter().for_each(|cents| talk.paid(Decimal::new(*cents, 2)));
            }
            talk.finish(None).unwrap().pop().unwrap().it.cost.map(|cost| cost.to_string())
        };
        assert_eq!((costs(&[1, 2]).as_deref(), costs(&[1]), costs(&[0, 0])), (Some("0.03"), None, None));
    }

    #[test]
    fn an_answer_after_a_failure_makes_it_good() {
        let ended = |recovers: &[&str]| {
            let mut talk = Dialogue::default();
            talk.user(Json::string("a"), None);
            talk.answer(asked("t", "1"));
            talk.failed("overloaded");
            recovers.iter().for_each(|words| talk.answer(said(words)));
            talk.finish(None).unwrap().pop().unwrap().it.failure
        };
        assert_eq!((ended(&[]).as_deref(), ended(&["b"])), (Some("overloaded"), None));
    }

    #[test]
    fn an_agent_that_works_alone_needs_something_that_stands_for_words() {
        let alone = || {
            let mut talk = Dialogue::default();
            talk.answer(asked("t", "1"));
            talk
        };
        assert!(alone().finish(None).is_err() && Dialogue::default().finish(None).is_err());
        assert_eq!(alone().finish(Some(Json::string("ticket"))).unwrap()[0].it.input.text(), "\"ticket\"");
    }
}
