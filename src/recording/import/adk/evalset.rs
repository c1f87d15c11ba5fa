//! The cases of evaluation sets: what was said, with the tools that were used and no word of the models.

use super::super::super::interaction::Interaction;
use super::super::super::json::Json;
use super::super::super::wire::RowFault;
use super::super::conversation::{Conversation, Turn};
use super::super::dialogue::{Answer, Asked, Dialogue, Outcome, Returned};
use super::super::fields::{first_member, items, member, text};
use super::super::message::Message;
use super::super::messages::gemini;
use super::super::values::{keys, no_interaction};
use super::{said, seconds, session};

/// A case of an evaluation set.
pub(super) fn case(case: &Json, file: &str) -> Result<Conversation, RowFault> {
    let id = ["eval_id", "evalId"].into_iter().find_map(|key| text(case, key)).unwrap_or_else(|| file.to_owned());
    let invocations = items(case, "conversation");
    if invocations.is_empty() {
        let is_scenario = first_member(case, &["conversation_scenario", "conversationScenario"]).is_some();
        return Err(no_interaction(match is_scenario {
            true => "the case is a scenario for a simulated user: nothing was recorded of it".to_owned(),
            false => format!("a case of ADK has a \"conversation\"; the fields here are {}", keys(case)),
        }));
    }
    let input = first_member(case, &["session_input", "sessionInput"]);
    let agent = input.as_ref().and_then(|input| text(input, "app_name").or_else(|| text(input, "appName")));
    let mut turns = Vec::with_capacity(invocations.len());
    for invocation in &invocations {
        let mut turn = self::invocation(invocation)?;
        turn.it.agent.clone_from(&agent);
        turns.push(turn);
    }
    let state = input.as_ref().and_then(|input| member(input, "state"));
    if let (Some(first), Some(state)) = (turns.first_mut(), state) {
        first.it.extra.push(("adk".into(), Json::trusted(format!("{{\"state\":{}}}", state.compact().text()))));
    }
    Ok(Conversation { id: Some(id.clone()), session: Some(id), turns, paid: None })
}

fn invocation(invocation: &Json) -> Result<Turn, RowFault> {
    let words = |keys: &[&str]| first_member(invocation, keys).as_ref().and_then(said);
    let mut dialogue = Dialogue::default();
    let asked = words(&["user_content", "userContent"]).ok_or(RowFault::Missing("user_content"))?;
    dialogue.user(asked, seconds(invocation, &["creation_timestamp", "creationTimestamp"]));
    let answered = words(&["final_response", "finalResponse"]);
    let data = first_member(invocation, &["intermediate_data", "intermediateData"]);
    let events = data.as_ref().and_then(|data| first_member(data, &["invocation_events", "invocationEvents"]));
    if let Some(events) = events {
        session::tell(&events.items().unwrap_or_default(), None, &mut dialogue);
        dialogue.answer(Answer { words: answered, ..Answer::default() });
        return only(dialogue);
    }
    let of = |keys: &[&str]| data.as_ref().and_then(|data| first_member(data, keys)).and_then(|list| list.items());
    for call in of(&["tool_uses", "toolUses"]).unwrap_or_default() {
        let (name, arguments, id) = (text(&call, "name").unwrap_or_default(), member(&call, "args"), text(&call, "id"));
        let calls = vec![Asked { name, arguments, id, agent: None }];
        dialogue.answer(Answer { calls, ..Answer::default() });
    }
    for response in of(&["tool_responses", "toolResponses"]).unwrap_or_default() {
        let content =
            Json::trusted(format!("{{\"role\":\"user\",\"parts\":[{{\"functionResponse\":{}}}]}}", response.text()));
        let results = gemini::read(&content).into_iter().filter(|message| matches!(message, Message::Tool(_)));
        results.for_each(|message| message.tell(&mut dialogue));
    }
    dialogue.answer(Answer { words: answered, ..Answer::default() });
    let mut turn = only(dialogue)?;
    without_models(&mut turn.it);
    if data.is_none() {
        turn.it.tool_calls = None;
    }
    Ok(turn)
}

/// A case of an old evaluation set.
pub(super) fn old_case(case: &Json, file: &str) -> Result<Conversation, RowFault> {
    let data = member(case, "data").ok_or(RowFault::Missing("data"))?;
    let name = text(case, "name").unwrap_or_else(|| file.to_owned());
    let mut conversation = old_test(&data, &name)?;
    let start = first_member(case, &["initial_session", "initial_state"]);
    let agent = start.and_then(|start| text(&start, "app_name"));
    conversation.turns.iter_mut().for_each(|turn| turn.it.agent.clone_from(&agent));
    Ok(conversation)
}

/// An old test file: a list of what was asked and expected, in the order of one session.
pub(super) fn old_test(list: &Json, name: &str) -> Result<Conversation, RowFault> {
    let turns = list.items().unwrap_or_default().iter().map(old_turn).collect::<Result<Vec<_>, _>>()?;
    if turns.is_empty() {
        return Err(no_interaction("nothing was said in it"));
    }
    Ok(Conversation { id: Some(name.to_owned()), session: Some(name.to_owned()), turns, paid: None })
}

fn old_turn(turn: &Json) -> Result<Turn, RowFault> {
    let mut dialogue = Dialogue::default();
    dialogue.user(member(turn, "query").ok_or(RowFault::Missing("query"))?.compact(), None);
    for call in items(turn, "expected_tool_use") {
        let name = text(&call, "tool_name").unwrap_or_default();
        let asked = Asked { name: name.clone(), arguments: member(&call, "tool_input"), ..Asked::default() };
        dialogue.answer(Answer { calls: vec![asked], ..Answer::default() });
        if let Some(result) = member(&call, "mock_tool_output") {
            let outcome = Outcome::result(result);
            dialogue.returned(Returned { id: None, name: Some(name), outcome, latency_ms: None });
        }
    }
    let words = super::super::dialogue::words(member(turn, "reference"));
    dialogue.answer(Answer { words, ..Answer::default() });
    let mut told = only(dialogue)?;
    without_models(&mut told.it);
    if member(turn, "expected_tool_use").is_none() {
        told.it.tool_calls = None;
    }
    Ok(told)
}

/// Nothing is known of models, nor which calls were made at once.
fn without_models(it: &mut Interaction) {
    it.model_calls = None;
    it.tool_calls.iter_mut().flatten().for_each(|call| call.step = None);
}

fn only(dialogue: Dialogue) -> Result<Turn, RowFault> {
    let missing = || RowFault::Missing("user_content");
    dialogue.finish(None)?.into_iter().next().ok_or_else(missing)
}
