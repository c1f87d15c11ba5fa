//! Events of Anthropic's Messages.

use super::super::super::super::interaction::ModelCall;
use super::super::super::super::json::Json;
use super::super::super::fields::{below, count, member, text};
use super::super::super::usage::{self, Usage};
use super::super::utterance::Utterance;
use super::pieces::Pieces;
use super::{Ending, Streamed};

pub(super) fn put_together(events: &[Json]) -> Streamed {
    let (mut utterance, mut calls) = (Utterance::default(), Pieces::default());
    let (mut started, mut finished, mut finish_reason) = (None, None, None);
    let mut ending = None;
    for event in events {
        let index = count(event, "index").unwrap_or_default();
        match text(event, "type").as_deref() {
            // An answer that begins again was given up before.
            Some("message_start") => {
                (utterance, calls) = (Utterance::default(), Pieces::default());
                started = member(event, "message");
            }
            Some("content_block_start") => {
                let Some(block) = member(event, "content_block") else { continue };
                begin(&block, index, &mut utterance, &mut calls);
            }
            Some("content_block_delta") => {
                let Some(delta) = member(event, "delta") else { continue };
                utterance.say(&text(&delta, "text").unwrap_or_default());
                calls.add(index, &text(&delta, "partial_json").unwrap_or_default());
            }
            Some("content_block_stop") => calls.close(index),
            Some("message_delta") => {
                finish_reason = below(event, &["delta", "stop_reason"]).map(|reason| reason.shown().into_owned());
                finished = member(event, "usage").or(finished);
                ending = Some(Ending::Whole);
            }
            _ => {}
        }
    }
    let ending = ending.unwrap_or_else(|| calls.cut());
    calls.ask(&mut utterance);
    let known = |key: &str| started.as_ref().and_then(|message: &Json| text(message, key));
    let begun = started.as_ref().and_then(|message| member(message, "usage"));
    let model_call = ModelCall { model: known("model"), finish_reason, ..ModelCall::default() };
    Streamed { answer: utterance.answer(model_call, used(begun, finished)), id: known("id"), ending, failure: None }
}

fn begin(block: &Json, index: u64, utterance: &mut Utterance, calls: &mut Pieces) {
    let name = || text(block, "name").unwrap_or_default();
    match text(block, "type").as_deref() {
        Some("text") => utterance.say(&text(block, "text").unwrap_or_default()),
        Some("tool_use") => calls.begin(index, text(block, "id"), name(), member(block, "input")),
        Some("server_tool_use") => utterance.hosted(name()),
        Some("mcp_tool_use") => utterance.hosted(format!("mcp:{}", name())),
        _ => {}
    }
}

/// The last counts win, class by class. The output that is told at the start is none yet.
fn used(begun: Option<Json>, finished: Option<Json>) -> Usage {
    let at_end = finished.as_ref().and_then(Json::members).unwrap_or_default();
    let at_start = begun.as_ref().and_then(Json::members).unwrap_or_default();
    let is_told_at_end = |key: &str| at_end.iter().any(|(known, value)| known == key && !value.is_null());
    let of_start = at_start.iter().filter(|(key, _)| key != "output_tokens" && !is_told_at_end(key));
    let of_end = at_end.iter().filter(|(_, value)| !value.is_null());
    let members: Vec<String> =
        of_start.chain(of_end).map(|(key, value)| format!("{}:{}", Json::string(key).text(), value.text())).collect();
    usage::anthropic(&Json::trusted(format!("{{{}}}", members.join(","))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [&str; 8] = [
        r#"{"type":"message_start","message":{"id":"msg","model":"c","usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":1}}}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"input_tokens":9,"output_tokens":7}}"#,
    ];

    fn of(count: usize) -> Streamed {
        put_together(&EVENTS[..count].iter().map(|line| Json::parse(*line).unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_usage_wins() {
        let Streamed { answer, id, ending, .. } = of(8);
        let tokens = answer.model_call.unwrap().tokens;
        assert_eq!(
            (tokens.input, tokens.output, tokens.cache_read, ending),
            (Some(11), Some(7), Some(2), Ending::Whole)
        );
        assert_eq!(
            (answer.calls[0].arguments.as_ref().unwrap().text(), id.as_deref()),
            (r#""{\"a\":1}""#, Some("msg"))
        );
    }

    #[test]
    fn an_answer_that_begins_again_was_given_up_before() {
        let lines = [&EVENTS[..5], &EVENTS[..]].concat();
        let events: Vec<Json> = lines.iter().map(|line| Json::parse(*line).unwrap()).collect();
        let Streamed { answer, ending, .. } = put_together(&events);
        assert_eq!((answer.calls.len(), ending), (1, Ending::Whole));
    }

    #[test]
    fn a_stream_that_is_cut_says_where_and_keeps_no_output_count() {
        assert_eq!((of(4).ending, of(5).ending, of(7).ending), (Ending::CutInCall, Ending::CutInCall, Ending::Cut));
        let tokens = of(5).answer.model_call.unwrap().tokens;
        assert_eq!((tokens.input, tokens.output), (Some(7), None));
        assert_eq!(of(4).answer.calls[0].arguments.as_ref().unwrap().text(), "{}");
    }
}
