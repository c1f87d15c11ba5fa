//! Simulations of tau2-bench as nested rows of Parquet, as a person's own export might be.

use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use taketwo::recording::Json;

use super::Found;
use super::conversation::Conversation;
use super::parts::{Outcome, Part, structured};

/// A file of simulations, one a row, with their messages as a list.
pub fn simulations(file: &Path, found: &mut Found) {
    let reader = SerializedFileReader::new(std::fs::File::open(file).unwrap()).unwrap();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let (Some(id), Some(Field::ListInternal(messages))) = (text(&row, "id"), field(&row, "messages")) else {
            found.skip();
            continue;
        };
        let mut talk = Conversation::default();
        for message in messages.elements() {
            if let Field::Group(message) = message {
                read(message, &mut talk);
            }
        }
        let mut it = talk.interaction();
        it.session = Some(id.clone());
        found.add(&id, it);
    }
}

fn read(message: &Row, talk: &mut Conversation) {
    let content = text(message, "content").map_or_else(Json::null, |text| Json::string(&text));
    match text(message, "role").as_deref() {
        Some("user") if !content.is_null() => talk.said(content),
        Some("tool") => {
            let failed = matches!(field(message, "error"), Some(Field::Bool(true)));
            let content = structured(&content);
            let outcome = if failed { Outcome::Error(content) } else { Outcome::Result(content) };
            talk.parts([Part::Answer { id: text(message, "tool_call_id"), name: None, outcome }]);
        }
        Some("assistant") => talk.parts(calls(message)),
        _ => {}
    }
}

/// The agent's calls in a message; the simulated user's are not its.
fn calls(message: &Row) -> Vec<Part> {
    let Some(Field::ListInternal(calls)) = field(message, "tool_calls") else { return Vec::new() };
    let call = |call: &Field| {
        let Field::Group(call) = call else { return None };
        let arguments = text(call, "arguments").and_then(|text| Json::parse(text).ok());
        let is_agents = text(call, "requestor").is_none_or(|who| who == "assistant");
        is_agents.then_some(Part::Call { name: text(call, "name")?, arguments, id: text(call, "id") })
    };
    calls.elements().iter().filter_map(call).collect()
}

fn field<'a>(row: &'a Row, name: &str) -> Option<&'a Field> {
    row.get_column_iter().find(|(column, _)| *column == name).map(|(_, field)| field)
}

fn text(row: &Row, name: &str) -> Option<String> {
    match field(row, name) {
        Some(Field::Str(text)) => Some(text.clone()),
        _ => None,
    }
}
