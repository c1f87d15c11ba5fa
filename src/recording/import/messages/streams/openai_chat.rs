//! Chunks of OpenAI's Chat Completions, and of the many that speak like it.

use super::super::super::super::interaction::ModelCall;
use super::super::super::super::json::{Json, Kind};
use super::super::super::fields::{below, count, first_member, items, member, text};
use super::super::super::usage::Usage;
use super::super::openai_chat::used;
use super::super::utterance::Utterance;
use super::pieces::Pieces;
use super::{Ending, Streamed};

pub(super) fn put_together(events: &[Json]) -> Streamed {
    let mut whole = Whole::default();
    events.iter().for_each(|event| whole.take(event));
    let Whole { mut utterance, calls, model, id, finish_reason, usage } = whole;
    let ending = if finish_reason.is_some() { Ending::Whole } else { calls.cut() };
    calls.ask(&mut utterance);
    let usage = usage.unwrap_or_default();
    let answer = utterance.answer(ModelCall { model, finish_reason, ..ModelCall::default() }, usage);
    Streamed { answer, id, ending, failure: None }
}

#[derive(Default)]
struct Whole {
    utterance: Utterance,
    calls: Pieces,
    model: Option<String>,
    id: Option<String>,
    finish_reason: Option<String>,
    /// The last that came: where every chunk has one, they add up to it.
    usage: Option<Usage>,
}

impl Whole {
    fn take(&mut self, chunk: &Json) {
        let said = |key: &str| text(chunk, key).filter(|text| !text.is_empty());
        self.model = said("model").or(self.model.take());
        self.id = said("id").or(self.id.take());
        let usage = used(&below(chunk, &["x_groq"]).unwrap_or_else(|| chunk.clone()));
        self.usage = Some(usage).filter(|usage| *usage != Usage::default()).or(self.usage.take());
        // Ollama streams messages without choices.
        if let Some(message) = member(chunk, "message") {
            self.finish_reason = text(chunk, "done_reason").or(self.finish_reason.take());
            return self.delta(&message);
        }
        let first = items(chunk, "choices").into_iter().find(|choice| count(choice, "index").is_none_or(|it| it == 0));
        let Some(choice) = first else { return };
        self.finish_reason = text(&choice, "finish_reason").or(self.finish_reason.take());
        match first_member(&choice, &["delta", "message"]) {
            Some(delta) => self.delta(&delta),
            None => self.utterance.say(&text(&choice, "text").unwrap_or_default()),
        }
    }

    fn delta(&mut self, delta: &Json) {
        match first_member(delta, &["content", "refusal"]) {
            Some(content) if content.kind() == Kind::Array => {
                for part in content.items().unwrap_or_default() {
                    self.utterance.say(&text(&part, "text").unwrap_or_default());
                }
            }
            Some(content) => self.utterance.say(&content.shown()),
            None => {}
        }
        items(delta, "tool_calls").iter().for_each(|call| self.call(call));
        if let Some(function) = member(delta, "function_call") {
            self.function(0, None, &function);
        }
    }

    /// A piece of a call. Some leave its index out, or send the same for all: then an id of its own begins another.
    fn call(&mut self, call: &Json) {
        let id = text(call, "id").filter(|id| !id.is_empty());
        let last = self.calls.last_index();
        let index = match (count(call, "index"), last, &id) {
            (Some(index), _, _) => index,
            (None, Some(last), None) => last,
            (None, last, _) => last.map_or(0, |last| last + 1),
        };
        let function = first_member(call, &["function", "custom"]).unwrap_or_else(|| call.clone());
        self.function(index, id, &function);
    }

    fn function(&mut self, index: u64, id: Option<String>, function: &Json) {
        let known = self.calls.id(index);
        let is_another = |known: Option<&str>| id.is_some() && known.is_some() && known != id.as_deref();
        if known.is_none_or(is_another) {
            self.calls.begin(index, id, text(function, "name").unwrap_or_default(), None);
        }
        if let Some(piece) = first_member(function, &["arguments", "input"]) {
            self.calls.add(index, &piece.shown());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(delta: &str, finish: &str) -> Json {
        let text =
            format!(r#"{{"id":"c","model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}"#);
        Json::parse(text).unwrap()
    }

    #[test]
    fn pieces_of_several_calls_are_told_apart_by_index() {
        let events = [
            chunk(r#"{"role":"assistant","content":"I "}"#, "null"),
            chunk(r#"{"content":"look."}"#, "null"),
            chunk(r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}"#, "null"),
            chunk(r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{\"x\""}}]}"#, "null"),
            chunk(
                r#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}},{"index":1,"function":{"arguments":":1}"}}]}"#,
                "null",
            ),
            chunk("{}", "\"tool_calls\""),
            Json::parse(r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#).unwrap(),
        ];
        let Streamed { answer, ending, .. } = put_together(&events);
        let calls: Vec<_> = answer.calls.iter().map(|call| call.arguments.as_ref().unwrap().shown()).collect();
        assert_eq!((calls, ending), (vec!["{}".into(), r#"{"x":1}"#.into()], Ending::Whole));
        assert_eq!((answer.words.unwrap().text(), answer.model_call.unwrap().tokens.sum()), ("\"I look.\"", Some(5)));
        assert_eq!(put_together(&events[..4]).ending, Ending::CutInCall);
        assert_eq!(put_together(&events[..2]).ending, Ending::Cut);
    }

    #[test]
    fn an_id_of_its_own_begins_another_call() {
        let whole = |id: &str| {
            let delta = format!(r#"{{"tool_calls":[{{"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#);
            chunk(&delta, "null")
        };
        assert_eq!(put_together(&[whole("a"), whole("b")]).answer.calls.len(), 2);
        let indexed = |id: &str| {
            let delta =
                format!(r#"{{"tool_calls":[{{"index":0,"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#);
            chunk(&delta, "null")
        };
        assert_eq!(put_together(&[indexed("a"), indexed("b")]).answer.calls.len(), 2);
    }
}
