//! Conversations, and the interactions that become of them.

use rust_decimal::Decimal;

use super::super::interaction::{CaseId, Interaction, ModelCalls, Tokens, ToolCall};
use super::super::json::Json;
use super::format::Grain;

/// What a user and an agent said and did, as a format tells it.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// What its interactions are named by: by this alone where there is one, else by `<id>/<turn>`. Where a format names
    /// none, they are named by their places.
    pub(super) id: Option<String>,
    /// The session that its turns belong to.
    pub(super) session: Option<String>,
    /// Its turns in order.
    pub(super) turns: Vec<Turn>,
    /// What was paid for all of it, where that is told as a whole: of several turns nobody knows what each cost.
    pub(super) paid: Option<Paid>,
}

/// What was paid.
#[derive(Clone, Debug)]
pub(super) struct Paid {
    pub(super) amount: Decimal,
    pub(super) currency: String,
}

/// What a user said, and all that the agent did until it answered.
#[derive(Debug)]
pub(super) struct Turn {
    /// What was said before it in the session and is in no turn of the conversation, oldest first.
    pub(super) before: Vec<Said>,
    /// All that is known of it, but for its history and its place in the session. An id of its own is kept.
    pub(super) it: Interaction,
}

/// Words of the session.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) role: Role,
    pub(super) content: Json,
}

/// Who said them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
}

impl Said {
    fn json(&self) -> Json {
        let role = match self.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        Json::trusted(format!("{{\"role\":\"{role}\",\"content\":{}}}", self.content.text()))
    }
}

impl Conversation {
    /// A conversation of one turn with this name.
    pub(super) fn of_one(id: Option<String>, it: Interaction) -> Self {
        let session = it.session.clone();
        Self { id, session, turns: vec![Turn { before: Vec::new(), it }], paid: None }
    }

    /// Its interactions.
    pub(super) fn interactions(mut self, grain: Grain) -> Vec<Interaction> {
        for turn in &mut self.turns {
            settle(&mut turn.it);
        }
        let paid = self.paid.take();
        let mut interactions = match grain {
            Grain::Turn => self.by_turn(),
            Grain::Session => self.into_one().into_iter().collect(),
        };
        if let ([it], Some(Paid { amount, currency })) = (interactions.as_mut_slice(), paid) {
            (it.cost, it.currency) = (Some(amount), Some(currency));
        }
        interactions
    }

    fn by_turn(self) -> Vec<Interaction> {
        let Self { id, session, turns, .. } = self;
        let count = turns.len();
        let mut history: Vec<Said> = Vec::new();
        let mut interactions = Vec::with_capacity(count);
        for (index, Turn { before, mut it }) in turns.into_iter().enumerate() {
            let number = index as i64 + 1;
            history.extend(before);
            if it.history.is_none() && !history.is_empty() {
                it.history = Some(list(history.iter().map(Said::json)));
            }
            history.push(Said { role: Role::User, content: it.input.clone() });
            history.extend(it.output.clone().map(|content| Said { role: Role::Assistant, content }));
            if !is_answered(&it) {
                it.failure.get_or_insert_with(|| "no answer was recorded".to_owned());
            }
            if it.id.is_none() {
                it.id =
                    id.as_ref().map(|id| CaseId::new(if count == 1 { id.clone() } else { format!("{id}/{number}") }));
            }
            if let Some(session) = &session {
                it.session.get_or_insert_with(|| session.clone());
                it.turn.get_or_insert(number);
            }
            interactions.push(it);
        }
        interactions
    }

    fn into_one(self) -> Option<Interaction> {
        let Self { id, session, turns, .. } = self;
        let several = turns.len() > 1;
        let mut words = Vec::new();
        let mut turns = turns.into_iter();
        let Turn { before, it: mut whole } = turns.next()?;
        words.push(said_in(&whole));
        if whole.history.is_none() && !before.is_empty() {
            whole.history = Some(list(before.iter().map(Said::json)));
        }
        for Turn { it, .. } in turns {
            words.push(said_in(&it));
            // Last words that nobody answered leave open nothing of what was done before.
            if is_answered(&it) {
                append(&mut whole, it);
            } else {
                whole.failure = it.failure.or(whole.failure);
                whole.doubts.extend(it.doubts);
            }
        }
        if let Some(id) = id {
            whole.id = Some(CaseId::new(id));
        }
        whole.session = session.or(whole.session);
        whole.turn = None;
        if several {
            // Nobody can tell which of it was the time that the user took.
            whole.latency_ms = None;
            whole.extra.push(("turns".into(), list(words)));
        }
        Some(whole)
    }
}

fn list(items: impl IntoIterator<Item = Json>) -> Json {
    let items: Vec<String> = items.into_iter().map(|item| item.text().to_owned()).collect();
    Json::trusted(format!("[{}]", items.join(",")))
}

/// What was said in a turn, for the reader of a session that was made one interaction.
fn said_in(it: &Interaction) -> Json {
    let output = it.output.as_ref().map(|output| format!(",\"output\":{}", output.text()));
    Json::trusted(format!("{{\"input\":{}{}}}", it.input.text(), output.unwrap_or_default()))
}

fn is_answered(it: &Interaction) -> bool {
    it.output.is_some() || it.tool_calls.is_some() || it.model_calls.is_some()
}

/// Appends a later turn.
fn append(whole: &mut Interaction, later: Interaction) {
    whole.output = later.output.or(whole.output.take());
    whole.tool_calls = both(whole.tool_calls.take(), later.tool_calls, after);
    whole.tokens = sum([whole.tokens, later.tokens].into_iter());
    whole.model_calls = both(whole.model_calls.take(), later.model_calls, |first, second| match (first, second) {
        (ModelCalls::List(mut first), ModelCalls::List(second)) => {
            first.extend(second);
            ModelCalls::List(first)
        }
        (first, second) => ModelCalls::Count(first.count().saturating_add(second.count())),
    });
    whole.cost = both(whole.cost, later.cost, Decimal::saturating_add);
    if whole.model != later.model {
        whole.model = None;
    }
    whole.failure = later.failure.or(whole.failure.take());
    whole.truncated = whole.truncated.or(later.truncated);
    whole.doubts.extend(later.doubts);
    for (key, value) in later.extra {
        if !whole.extra.iter().any(|(known, _)| *known == key) {
            whole.extra.push((key, value));
        }
    }
}

/// Both in one; unknown where one of them is.
fn both<T>(first: Option<T>, second: Option<T>, join: impl FnOnce(T, T) -> T) -> Option<T> {
    Some(join(first?, second?))
}

/// Calls one after the other, with steps that go on counting.
fn after(mut first: Vec<ToolCall>, second: Vec<ToolCall>) -> Vec<ToolCall> {
    let last = first.iter().filter_map(|call| call.step).max().unwrap_or(0);
    let since = |mut call: ToolCall| {
        call.step = call.step.map(|step| step.saturating_add(last));
        call
    };
    first.extend(second.into_iter().map(since));
    first
}

/// Fills in what follows from the model calls: the tokens of all, and the model if it was one.
fn settle(it: &mut Interaction) {
    let Some(ModelCalls::List(calls)) = &it.model_calls else { return };
    if it.tokens.is_unknown() && !calls.is_empty() {
        it.tokens = sum(calls.iter().map(|call| call.tokens));
    }
    let mut models: Vec<&str> = calls.iter().filter_map(|call| call.model.as_deref()).collect();
    models.sort_unstable();
    models.dedup();
    match models.as_slice() {
        [] => {}
        [model] => it.model = Some((*model).to_owned()),
        _ => it.model = None,
    }
}

/// The sum of each class that all of them tell; unknown where one does not.
pub(super) fn sum(tokens: impl Iterator<Item = Tokens> + Clone) -> Tokens {
    let class = |class: fn(&Tokens) -> Option<u64>| {
        tokens.clone().try_fold(0_u64, |sum, tokens| sum.checked_add(class(&tokens)?))
    };
    let (input, output) = (class(|it| it.input), class(|it| it.output));
    Tokens {
        total: if input.is_some() && output.is_some() { None } else { class(Tokens::sum) },
        input,
        output,
        cache_read: class(|it| it.cache_read),
        cache_write: class(|it| it.cache_write),
        reasoning: class(|it| it.reasoning),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::{ModelCall, ToolName};
    use super::*;

    fn turn(input: &str, output: &str, steps: &[i64], tokens: Option<u64>) -> Turn {
        let mut it = Interaction::new(Json::string(input));
        it.output = Some(Json::string(output));
        let calls = steps.iter().map(|step| ToolCall { step: Some(*step), ..ToolCall::new(ToolName::new("t"), None) });
        it.tool_calls = Some(calls.collect());
        let tokens = Tokens { input: tokens, output: tokens, ..Tokens::default() };
        let call = ModelCall { tokens, model: Some("m".into()), ..ModelCall::default() };
        it.model_calls = Some(ModelCalls::List(vec![call]));
        Turn { before: Vec::new(), it }
    }

    fn two_turns() -> Conversation {
        let mut first = turn("a", "b", &[1, 2], Some(5));
        first.before.push(Said { role: Role::Assistant, content: Json::string("hello") });
        let turns = vec![first, turn("c", "d", &[1], Some(7))];
        Conversation { id: Some("s".into()), session: Some("s".into()), turns, paid: None }
    }

    #[test]
    fn each_turn_has_what_was_said_before_it() {
        let turns = two_turns().interactions(Grain::Turn);
        let ids: Vec<_> = turns.iter().map(|it| (it.id.clone().unwrap().to_string(), it.turn)).collect();
        assert_eq!(ids, [("s/1".into(), Some(1)), ("s/2".into(), Some(2))]);
        let hello = r#"{"role":"assistant","content":"hello"}"#;
        assert_eq!(turns[0].history.as_ref().unwrap().text(), format!("[{hello}]"));
        let first = r#"{"role":"user","content":"a"},{"role":"assistant","content":"b"}"#;
        assert_eq!(turns[1].history.as_ref().unwrap().text(), format!("[{hello},{first}]"));
        assert_eq!((turns[1].tokens.sum(), turns[1].model.as_deref()), (Some(14), Some("m")));
    }

    #[test]
    fn a_session_is_one_interaction_with_the_sum_of_its_turns() {
        let whole = two_turns().interactions(Grain::Session).pop().unwrap();
        assert_eq!((whole.input.text(), whole.output.unwrap().text()), ("\"a\"", "\"d\""));
        let steps: Vec<_> = whole.tool_calls.unwrap().iter().map(|call| call.step.unwrap()).collect();
        assert_eq!((steps, whole.tokens.input, whole.model_calls.unwrap().count()), (vec![1, 2, 3], Some(12), 2));
        assert_eq!(whole.extra[0].1.text(), r#"[{"input":"a","output":"b"},{"input":"c","output":"d"}]"#);
        assert_eq!((whole.id.unwrap().as_str(), whole.turn), ("s", None));
    }

    #[test]
    fn a_sum_over_something_unknown_is_unknown() {
        let turns = vec![turn("a", "b", &[], None), turn("c", "d", &[], Some(3))];
        let whole =
            Conversation { id: None, session: None, turns, paid: None }.interactions(Grain::Session).pop().unwrap();
        assert!(whole.tokens.is_unknown() && whole.id.is_none());
    }
}
