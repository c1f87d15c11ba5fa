//! Events of Bedrock's ConverseStream, each an object with one member that names it.

use super::super::super::super::interaction::ModelCall;
use super::super::super::super::json::Json;
use super::super::super::fields::{below, count, member, milliseconds, text};
use super::super::super::usage;
use super::super::utterance::Utterance;
use super::pieces::Pieces;
use super::{Ending, Streamed};

pub(super) fn put_together(events: &[Json]) -> Streamed {
    let (mut utterance, mut calls) = (Utterance::default(), Pieces::default());
    let (mut finish_reason, mut metadata) = (None, None);
    for event in events {
        let index = |event: &Json| count(event, "contentBlockIndex").unwrap_or_default();
        if let Some(start) = member(event, "contentBlockStart") {
            if let Some(call) = below(&start, &["start", "toolUse"]) {
                calls.begin(index(&start), text(&call, "toolUseId"), text(&call, "name").unwrap_or_default(), None);
            }
        } else if let Some(delta) = member(event, "contentBlockDelta") {
            let said = below(&delta, &["delta", "text"]).map(|text| text.shown().into_owned());
            utterance.say(&said.unwrap_or_default());
            let piece = below(&delta, &["delta", "toolUse", "input"]).map(|piece| piece.shown().into_owned());
            calls.add(index(&delta), &piece.unwrap_or_default());
        } else if let Some(stop) = member(event, "contentBlockStop") {
            calls.close(index(&stop));
        } else if let Some(stop) = member(event, "messageStop") {
            finish_reason = text(&stop, "stopReason").or(finish_reason);
        }
        metadata = member(event, "metadata").or(metadata);
    }
    let ending = if finish_reason.is_some() { Ending::Whole } else { calls.cut() };
    calls.ask(&mut utterance);
    let usage = metadata.as_ref().and_then(|it| member(it, "usage")).map(|it| usage::bedrock(&it)).unwrap_or_default();
    let metrics = metadata.as_ref().and_then(|it| member(it, "metrics"));
    let latency_ms = metrics.and_then(|metrics| milliseconds(&metrics, "latencyMs", 1.0));
    let known = ModelCall { latency_ms, finish_reason, ..ModelCall::default() };
    Streamed { answer: utterance.answer(known, usage), id: None, ending, failure: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_calls_grow_by_their_blocks() {
        let lines = [
            r#"{"messageStart":{"role":"assistant"}}"#,
            r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"hm"}}}"#,
            r#"{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}}"#,
            r#"{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{}"}}}}"#,
            r#"{"contentBlockStop":{"contentBlockIndex":1}}"#,
            r#"{"messageStop":{"stopReason":"tool_use"}}"#,
            r#"{"metadata":{"usage":{"inputTokens":3,"outputTokens":1,"totalTokens":4},"metrics":{"latencyMs":12}}}"#,
        ];
        let events: Vec<Json> = lines.iter().map(|line| Json::parse(*line).unwrap()).collect();
        let Streamed { answer, ending, .. } = put_together(&events);
        let call = answer.model_call.unwrap();
        assert_eq!(
            (answer.calls.len(), ending, call.latency_ms, call.tokens.sum()),
            (1, Ending::Whole, Some(12.0), Some(4))
        );
        assert_eq!(
            (put_together(&events[..4]).ending, put_together(&events[..5]).ending),
            (Ending::CutInCall, Ending::Cut)
        );
    }
}
