//! Trajectories of SWE-agent (`.traj`): one run of an agent in a repository.
//!
//! Newer agents call tools; older ones write commands into their answers, which are told as calls of `shell`.

use std::collections::VecDeque;

use rust_decimal::Decimal;

use super::super::interaction::{ModelCall, ModelCalls, Tokens};
use super::super::json::{Json, Kind};
use super::super::place::{At, stem};
use super::super::wire::RowFault;
use super::conversation::{Conversation, Paid, Turn};
use super::dialogue::{Answer, Asked, Dialogue, Outcome, Returned, words};
use super::fields::{count, items, member, milliseconds, text};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::messages::content::{joined, text_of_any};
use super::opening::Opening;
use super::values::{document, keys, refused};

pub(super) const FORMAT: Format = Format {
    name: "swe-agent",
    about: "trajectories of SWE-agent (.traj)",
    grain: Grain::Session,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let is_trajectory = opening.has("trajectory[].action") && opening.has("trajectory[].observation");
    is_trajectory.then(|| Sign::Sure("it has a trajectory of SWE-agent".into()))
}

fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let run = document(source)?;
    if member(&run, "trajectory").is_none_or(|trajectory| trajectory.kind() != Kind::Array) {
        return Err(NotThisFormat::new(format!("it has no \"trajectory\"; its fields are {}", keys(&run))));
    }
    let name = stem(&file);
    let name = name.strip_suffix(".traj").unwrap_or(&name).to_owned();
    let at = At::Value { number: 1, offset: 0 };
    let found = conversation(name, &run).map(|conversation| (at, conversation));
    Ok(Box::new(std::iter::once(found.map_err(|fault| refused(&file, at, fault, &run)))))
}

fn conversation(name: String, run: &Json) -> Result<Conversation, RowFault> {
    let steps = items(run, "trajectory");
    let mut dialogue = Dialogue::default();
    let history = items(run, "history");
    if let Some(task) = history.iter().find_map(task) {
        dialogue.user(task, None);
    }
    let answers: VecDeque<&Json> = history.iter().filter(|message| is_answer(message)).collect();
    tell(&steps, answers, &mut dialogue);
    let mut turns = dialogue.finish(None)?;
    let info = member(run, "info").unwrap_or_else(Json::null);
    let stats = member(&info, "model_stats").unwrap_or_else(Json::null);
    if let Some(Turn { it, .. }) = turns.last_mut() {
        spent(&stats, it);
        it.failure = text(&info, "exit_status").filter(|status| !status.starts_with("submitted"));
        it.output = text(&info, "submission")
            .filter(|it| !it.trim().is_empty())
            .map(|it| Json::string(&it))
            .or(it.output.take());
    }
    let cost = text(&stats, "instance_cost").and_then(|cost| cost.parse::<Decimal>().ok());
    let paid = cost.filter(|cost| !cost.is_zero()).map(|amount| Paid { amount, currency: "USD".into() });
    Ok(Conversation { id: Some(name.clone()), session: Some(name), turns, paid })
}

/// What the run was asked for: the first words of a user that are no demonstration.
fn task(message: &Json) -> Option<Json> {
    let is_demo = member(message, "is_demo").is_some_and(|flag| flag.text() == "true");
    let is_users = text(message, "role")? == "user" && !is_demo;
    is_users.then(|| joined(&member(message, "content")?, text_of_any)).flatten()
}

fn is_answer(message: &Json) -> bool {
    let is_demo = member(message, "is_demo").is_some_and(|flag| flag.text() == "true");
    text(message, "role").is_some_and(|role| role == "assistant") && !is_demo
}

/// A step has one answer of the model, what was done and what was seen. The answers of the history have the calls.
fn tell(steps: &[Json], mut answers: VecDeque<&Json>, dialogue: &mut Dialogue) {
    for step in steps {
        let mut calls: Vec<Asked> = Vec::new();
        if let Some(answer) = answers.pop_front() {
            calls = items(answer, "tool_calls").iter().map(asked).collect();
        }
        let action = text(step, "action").filter(|action| !action.trim().is_empty());
        if let (true, Some(action)) = (calls.is_empty(), &action) {
            let arguments = Json::trusted(format!("{{\"command\":{}}}", Json::string(action.trim_end()).text()));
            calls.push(Asked { name: "shell".into(), arguments: Some(arguments), ..Asked::default() });
        }
        let said = ["thought", "response"].into_iter().find_map(|key| words(member(step, key)));
        let only = if let [only] = calls.as_slice() { Some((only.id.clone(), only.name.clone())) } else { None };
        dialogue.answer(Answer { words: said, calls, model_call: Some(ModelCall::default()), doubt: None });
        if let (Some((id, name)), Some(seen)) = (only, member(step, "observation")) {
            let latency_ms = milliseconds(step, "execution_time", 1000.0);
            dialogue.returned(Returned { id, name: Some(name), outcome: Outcome::result(seen), latency_ms });
        }
    }
}

fn asked(call: &Json) -> Asked {
    let function = member(call, "function").unwrap_or_else(Json::null);
    Asked {
        name: text(&function, "name").unwrap_or_default(),
        arguments: member(&function, "arguments"),
        id: text(call, "id"),
        agent: None,
    }
}

/// Counts of 0 mean that a run was replayed, so that no model was asked.
fn spent(stats: &Json, it: &mut super::super::interaction::Interaction) {
    let told = |key: &str| count(stats, key).filter(|count| *count > 0);
    it.tokens = Tokens { input: told("tokens_sent"), output: told("tokens_received"), ..Tokens::default() };
    if let Some(calls) = told("api_calls") {
        it.model_calls = Some(ModelCalls::Count(calls));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    fn imported(history: &str, trajectory: &str) -> Interaction {
        let run = format!(
            r#"{{"history":[{{"role":"user","is_demo":true,"content":"old"}},{{"role":"user","content":"fix it"}},{history}],"trajectory":[{trajectory}],
            "info":{{"exit_status":"exit_cost","model_stats":{{"api_calls":2,"tokens_sent":90,"tokens_received":7,"instance_cost":0.5}}}}}}"#
        );
        let found = read(SourceText::of("repo-1.traj", run)).map_err(|error| error.problem).unwrap().next().unwrap();
        found.unwrap().1.interactions(Grain::Session).pop().unwrap()
    }

    #[test]
    fn commands_in_answers_are_calls_of_a_shell() {
        let it = imported(
            r#"{"role":"assistant","content":"look"}"#,
            r#"{"action":"ls\n","observation":"a b","thought":"I look.","response":"x","execution_time":0.5}"#,
        );
        let call = &it.tool_calls.as_ref().unwrap()[0];
        assert_eq!((call.name.as_str(), call.arguments.as_ref().unwrap().text()), ("shell", r#"{"command":"ls"}"#));
        assert_eq!((call.result.as_ref().unwrap().text(), call.latency_ms), ("\"a b\"", Some(500.0)));
        assert_eq!(
            (it.id.unwrap().as_str(), it.input.text(), it.failure.as_deref()),
            ("repo-1", "\"fix it\"", Some("exit_cost"))
        );
        assert_eq!(
            (it.model_calls.unwrap().count(), it.tokens.input, it.cost.unwrap().to_string()),
            (2, Some(90), "0.5".into())
        );
    }

    #[test]
    fn calls_of_tools_are_those_of_the_history() {
        let it = imported(
            r#"{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}"#,
            r#"{"action":"ls","observation":"a b","thought":""}"#,
        );
        let call = &it.tool_calls.as_ref().unwrap()[0];
        assert_eq!((call.name.as_str(), call.id.as_deref(), call.result.is_some()), ("bash", Some("1"), true));
    }
}
