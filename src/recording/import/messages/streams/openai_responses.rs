//! Events of OpenAI's Responses. The last one has the whole response; where it did not come, its items have.

use std::collections::HashMap;

use super::super::super::super::json::Json;
use super::super::super::fields::{items, member, text};
use super::super::openai_responses::{answer, answer_of_items};
use super::{Ending, Streamed};

pub(super) fn put_together(events: &[Json]) -> Streamed {
    let kind = |event: &Json| text(event, "type").unwrap_or_default();
    let response = |event: &Json| member(event, "response");
    let ends = ["response.completed", "response.incomplete", "response.failed"];
    let last = events.iter().rev().find(|event| ends.contains(&kind(event).as_str())).and_then(response);
    let known = last.clone().or_else(|| events.iter().find_map(response)).unwrap_or_else(Json::null);
    let id = text(&known, "id");
    let ending = if last.is_some() { Ending::Whole } else { cut(events) };
    let has_items = !items(&known, "output").is_empty();
    let answer = if last.is_some() && has_items { answer(&known) } else { None };
    let answer = answer.unwrap_or_else(|| answer_of_items(&known, &items_of(events)));
    Streamed { answer, id, ending, failure: None }
}

/// The items that came, those that were not finished as far as they came.
fn items_of(events: &[Json]) -> Vec<Json> {
    let mut found: Vec<Item> = Vec::new();
    let mut places: HashMap<Option<String>, usize> = HashMap::new();
    for event in events {
        let index = text(event, "output_index");
        let place = places.get(&index).copied();
        match (text(event, "type").as_deref(), place) {
            (Some("response.output_item.done"), Some(place)) => {
                let done = member(event, "item").map(|json| Item { json, grown: String::new() });
                done.into_iter().for_each(|item| found[place] = item);
            }
            (Some("response.output_item.added" | "response.output_item.done"), _) => {
                let Some(json) = member(event, "item") else { continue };
                places.insert(index, found.len());
                found.push(Item { json, grown: String::new() });
            }
            (
                Some(
                    "response.output_text.delta"
                    | "response.refusal.delta"
                    | "response.function_call_arguments.delta"
                    | "response.custom_tool_call_input.delta",
                ),
                Some(place),
            ) => found[place].grown.push_str(&text(event, "delta").unwrap_or_default()),
            _ => {}
        }
    }
    found.into_iter().map(Item::json).collect()
}

/// An item, and how far it has grown.
struct Item {
    json: Json,
    grown: String,
}

impl Item {
    fn json(self) -> Json {
        let Item { json, grown } = self;
        if grown.is_empty() {
            return json;
        }
        let part = |key: &str| member(&json, key).unwrap_or_else(Json::null).text().to_owned();
        let grown = Json::string(&grown);
        let content = match text(&json, "type").as_deref() {
            Some("function_call") => "arguments",
            Some("custom_tool_call") => "input",
            _ => "content",
        };
        Json::trusted(format!(
            r#"{{"type":{},"role":{},"call_id":{},"name":{},"{content}":{}}}"#,
            part("type"),
            part("role"),
            part("call_id"),
            part("name"),
            grown.text()
        ))
    }
}

fn text_is(item: &Json, kind: &str) -> bool {
    text(item, "type").is_some_and(|it| it == kind)
}

/// A stream without an end was cut within a call if the last item that began is one.
fn cut(events: &[Json]) -> Ending {
    let is_item = |event: &&Json| text(event, "type").is_some_and(|kind| kind.starts_with("response.output_item."));
    let last = events.iter().rev().find(is_item);
    let is_open_call = last.is_some_and(|event| {
        text_is(event, "response.output_item.added")
            && member(event, "item").and_then(|item| text(&item, "type")).is_some_and(|kind| kind.ends_with("_call"))
    });
    if is_open_call { Ending::CutInCall } else { Ending::Cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(lines: &[&str]) -> Vec<Json> {
        lines.iter().map(|line| Json::parse(*line).unwrap()).collect()
    }

    const BEGIN: [&str; 6] = [
        r#"{"type":"response.created","response":{"id":"r","model":"m","status":"in_progress","output":[]}}"#,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","role":"assistant","content":[]}}"#,
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"I "}"#,
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"look"}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"a"}"#,
    ];

    #[test]
    fn what_came_before_the_stream_was_cut_is_kept() {
        let Streamed { answer, ending, id, .. } = put_together(&events(&BEGIN));
        assert_eq!((answer.words.unwrap().text(), ending, id.as_deref()), ("\"I look\"", Ending::CutInCall, Some("r")));
        assert_eq!(
            (answer.calls[0].name.as_str(), answer.calls[0].arguments.as_ref().unwrap().text()),
            ("f", r#""{\"a""#)
        );
        assert!(answer.model_call.unwrap().tokens.is_unknown());
    }

    #[test]
    fn the_last_event_has_it_all() {
        let mut lines = BEGIN.to_vec();
        lines.push(
            r#"{"type":"response.completed","response":{"id":"r","model":"m","status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":2}}}"#,
        );
        let Streamed { answer, ending, .. } = put_together(&events(&lines));
        assert_eq!((answer.words, answer.calls.len(), ending), (None, 1, Ending::Whole));
        assert_eq!(answer.model_call.unwrap().tokens.sum(), Some(5));
    }
}
