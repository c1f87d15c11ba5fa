//! Conversations as LangChain, LangGraph and agentevals write them: lists of messages.

use std::sync::Arc;

use super::super::json::{Json, Kind};
use super::super::wire::RowFault;
use super::conversation::Conversation;
use super::dialogue::Dialogue;
use super::fields::{first_member, member, text};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::messages::langchain;
use super::opening::Opening;
use super::values::{keys, lines, no_interaction, parsed, place_in_list, refused};

pub(super) const FORMAT: Format = Format {
    name: "langchain",
    about: "message lists of LangChain, states of LangGraph, data of agentevals (JSON, JSONL)",
    grain: Grain::Turn,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let says = |path: &str| matches!(opening.value(path), Some("human" | "ai" | "HumanMessage" | "AIMessage"));
    let lists = ["[]", "messages[]", "[][]", "outputs[]", "outputs.messages[]", "[].messages[]", "values.messages[]"];
    let is_list = |list: &&str| {
        let first = opening.value(&format!("{list}.type"));
        let system = first == Some("system") && opening.has(&format!("{list}.content"));
        says(&format!("{list}.type"))
            || system
            || opening.has(&format!("{list}.lc")) && opening.has(&format!("{list}.kwargs.content"))
    };
    if lists.iter().any(is_list) {
        return Some(Sign::Sure("it has messages of LangChain".into()));
    }
    let is_evaluation = opening.has("reference_outputs") && opening.has("outputs");
    is_evaluation.then(|| Sign::Likely("it has outputs and reference_outputs, as agentevals has".into()))
}

/// One list of messages, or a value a line that holds one.
fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = Arc::clone(&source.file);
    let whole = source.whole()?;
    if let Ok(document) = parsed(whole.clone()) {
        let is_one = document.items().is_some_and(|items| items.first().is_some_and(langchain::is_message));
        let list = if is_one { None } else { document.items() };
        let values = list.unwrap_or_else(|| vec![document]);
        return Ok(Box::new(values.into_iter().enumerate().map(move |(index, value)| {
            let at = place_in_list(index, &value);
            conversation(&value)
                .map(|conversation| (at, conversation))
                .map_err(|fault| refused(&file, at, fault, &value))
        })));
    }
    let lines = lines(&file, &whole).into_iter();
    Ok(Box::new(lines.map(move |value| {
        let (at, value) = value?;
        conversation(&value).map(|conversation| (at, conversation)).map_err(|fault| refused(&file, at, fault, &value))
    })))
}

fn conversation(value: &Json) -> Result<Conversation, RowFault> {
    let mut dialogue = Dialogue::default();
    for message in messages(value)? {
        match langchain::answer(&message) {
            Some(answer) => dialogue.answer(answer),
            None => langchain::message(&message).into_iter().for_each(|message| message.tell(&mut dialogue)),
        }
    }
    let id = ["id", "thread_id", "run_id"].into_iter().find_map(|key| text(value, key));
    Ok(Conversation { id: id.clone(), session: id, turns: dialogue.finish(None)?, paid: None })
}

/// The messages that a value holds. What was expected of an agent is no traffic: of the data of agentevals the outputs are
/// read.
fn messages(value: &Json) -> Result<Vec<Json>, RowFault> {
    if value.kind() == Kind::Object && member(value, "steps").is_some() && member(value, "results").is_some() {
        return Err(no_interaction("it is a trajectory of a graph: it names nodes, and no messages or tools"));
    }
    let below = |value: Json| first_member(&value, &["messages"]).unwrap_or(value);
    let list = match value.kind() {
        Kind::Array => value.clone(),
        _ => match first_member(value, &["messages", "outputs", "values", "output"]) {
            Some(inner) => below(inner),
            None => {
                return Err(no_interaction(format!(
                    "it has no \"messages\" and no \"outputs\"; its fields are {}",
                    keys(value)
                )));
            }
        },
    };
    let mut messages = list.items().unwrap_or_default();
    let is_asked = |message: &Json| {
        langchain::message(message).is_some_and(|it| matches!(it, super::message::Message::User { .. }))
    };
    if !messages.iter().any(is_asked)
        && let Some(inputs) = member(value, "inputs").map(below).and_then(|inputs| inputs.items())
    {
        messages.splice(0..0, inputs);
    }
    if messages.is_empty() || !messages.iter().all(langchain::is_message) {
        return Err(no_interaction(
            "what it holds are no messages of LangChain, which have a type such as human or ai",
        ));
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    fn imported(text: &str) -> Vec<Result<Interaction, String>> {
        let found = read(SourceText::of("x.json", text)).map_err(|error| error.problem).unwrap();
        found
            .flat_map(|found| match found {
                Ok((_, conversation)) => conversation.interactions(Grain::Turn).into_iter().map(Ok).collect(),
                Err(reject) => vec![Err(reject.reason.to_string())],
            })
            .collect()
    }

    const TALK: &str = r#"[{"type":"human","content":"a"},{"type":"ai","content":"","tool_calls":[{"name":"f","args":{},"id":"1"}]},{"type":"tool","content":"[1]","tool_call_id":"1"},{"type":"ai","content":"b"}]"#;

    #[test]
    fn a_list_of_messages_stands_alone_in_lines_and_in_states() {
        let lines = format!("{TALK}\n{{\"messages\":{TALK},\"id\":\"t\"}}\n");
        for (text, count) in [(TALK.to_owned(), 1), (format!("[{TALK},{TALK}]"), 2), (lines, 2)] {
            let found = imported(&text);
            assert_eq!(found.len(), count, "{text}");
            for it in found {
                let it = it.unwrap();
                assert_eq!((it.tool_calls.unwrap().len(), it.model_calls.unwrap().count()), (1, 2));
            }
        }
    }

    #[test]
    fn of_agentevals_the_outputs_are_read_with_the_inputs_before_them() {
        let answer = r#"[{"role":"assistant","content":"b"}]"#;
        let asked = r#"{"messages":[{"role":"user","content":"a"}]}"#;
        let it = imported(&format!(r#"{{"inputs":{asked},"outputs":{answer},"reference_outputs":[]}}"#)).pop().unwrap();
        assert_eq!(it.unwrap().input.text(), "\"a\"");
        let graph = r#"{"inputs":[],"results":[],"steps":[["a","b"]]}"#;
        assert!(imported(graph)[0].as_ref().unwrap_err().contains("names nodes"));
    }
}
