//! Results of tau-bench: simulated conversations of an agent with a customer, with the agent's tool calls.

use super::super::json::Json;
use super::super::wire::RowFault;
use super::conversation::Conversation;
use super::dialogue::{Dialogue, Outcome};
use super::fields::{below, member, text};
use super::format::{Format, Grain, Reader, Sign};
use super::message::Message;
use super::messages::openai_chat;
use super::opening::Opening;
use super::values::{keys, no_interaction, one_each};

pub(super) const FORMAT: Format = Format {
    name: "tau",
    about: "results of tau-bench: a JSON list with a `traj` in each item",
    grain: Grain::Session,
    sign,
    reader: Reader::Conversations(|source| Ok(one_each(source, conversation))),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let has = |path: &str| opening.has(&format!("[].{path}")) || opening.has(path);
    (has("traj") && has("task_id")).then(|| Sign::Sure("it has the trajectories of tau-bench".into()))
}

fn conversation(run: &Json) -> Result<Conversation, RowFault> {
    let missing =
        |what: &str| no_interaction(format!("a run of tau-bench has {what}; the fields here are {}", keys(run)));
    let task = text(run, "task_id").ok_or_else(|| missing("a \"task_id\""))?;
    let messages = member(run, "traj").ok_or_else(|| missing("a \"traj\""))?;
    let mut dialogue = Dialogue::default();
    for message in openai_chat::read(&messages) {
        with_errors_told(message).tell(&mut dialogue);
    }
    if dialogue.is_empty() {
        let why = below(run, &["info", "error"]).map(|error| format!(": {}", error.shown()));
        return Err(no_interaction(format!("the run ended before anybody spoke{}", why.unwrap_or_default())));
    }
    let mut turns = dialogue.finish(None)?;
    if let Some(first) = turns.first_mut() {
        first.it.extra.push(("tau".into(), origin(run)));
    }
    // Runs are tried several times more often than not, and one file is read without knowing the next value.
    let id = text(run, "trial").map_or_else(|| task.clone(), |trial| format!("{task}#{trial}"));
    Ok(Conversation { id: Some(id.clone()), session: Some(id), turns, paid: None })
}

/// A tool of tau-bench has no other way to say that it failed than a text that starts with this word.
fn with_errors_told(mut message: Message) -> Message {
    if let Message::Tool(returned) = &mut message
        && let Outcome::Result(result) = &returned.outcome
        && result.as_str().is_some_and(|text| text.starts_with("Error"))
    {
        returned.outcome = Outcome::error(Some(result.clone()));
    }
    message
}

/// What has no field of its own. The cost is that of the simulated customer.
fn origin(run: &Json) -> Json {
    let kept = ["task_id", "trial", "reward"].into_iter();
    let mut parts: Vec<_> = kept.filter_map(|key| Some(format!("\"{key}\":{}", member(run, key)?.text()))).collect();
    parts.extend(below(run, &["info", "user_cost"]).map(|cost| format!("\"user_cost\":{}", cost.text())));
    Json::trusted(format!("{{{}}}", parts.join(",")))
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::super::format::SourceText;
    use super::*;

    fn imported(text: &str, grain: Grain) -> Vec<Interaction> {
        let found = one_each(SourceText::of("t.json", text), conversation);
        found.flat_map(|found| found.unwrap().1.interactions(grain)).collect()
    }

    const RUN: &str = r#"[{"task_id":3,"trial":1,"reward":1.0,"info":{"user_cost":0.2},"traj":[
        {"role":"system","content":"be kind"},{"role":"user","content":"hi"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"find","arguments":"{\"q\":1}"}}]},
        {"role":"tool","tool_call_id":"1","name":"find","content":"Error: no such user"},
        {"role":"assistant","content":"I cannot find you."},{"role":"user","content":"bye ###STOP###"}]}]"#;

    #[test]
    fn a_run_is_one_interaction_and_a_text_that_starts_with_error_is_one() {
        let it = imported(RUN, Grain::Session).pop().unwrap();
        let call = &it.tool_calls.as_ref().unwrap()[0];
        assert_eq!((call.error.as_ref().unwrap().text(), call.result.as_ref()), ("\"Error: no such user\"", None));
        assert_eq!((it.id.unwrap().as_str(), it.input.text()), ("3#1", "\"hi\""));
        assert_eq!((it.model_calls.unwrap().count(), it.tokens.is_unknown()), (2, true), "no tokens are told");
        assert_eq!(it.extra[0].1.text(), r#"{"task_id":3,"trial":1,"reward":1.0,"user_cost":0.2}"#);
    }

    #[test]
    fn each_turn_can_be_one_interaction() {
        let turns = imported(RUN, Grain::Turn);
        let ids: Vec<_> = turns.iter().map(|it| it.id.as_ref().unwrap().as_str()).collect();
        assert_eq!(ids, ["3#1/1", "3#1/2"]);
        assert_eq!(turns[1].failure.as_deref(), Some("no answer was recorded"));
    }

    #[test]
    fn a_run_that_broke_says_why_it_is_none() {
        let broken = r#"[{"task_id":3,"trial":0,"reward":0.0,"info":{"error":"out of quota"},"traj":[]}]"#;
        let reject = one_each(SourceText::of("t.json", broken), conversation).next().unwrap().unwrap_err();
        assert_eq!(reject.reason.to_string(), "the run ended before anybody spoke: out of quota");
    }
}
