//! Chunks of Gemini's streamGenerateContent. Each has the usage so far, so the last one counts.

use super::super::super::super::interaction::ModelCall;
use super::super::super::super::json::Json;
use super::super::super::dialogue::Asked;
use super::super::super::fields::{below, first_member, items, member, text};
use super::super::super::usage;
use super::super::gemini::say;
use super::super::utterance::Utterance;
use super::partial_arguments::PartialArguments;
use super::{Ending, Streamed};

pub(super) fn put_together(events: &[Json]) -> Streamed {
    let mut utterance = Utterance::default();
    // A call whose arguments come in pieces.
    let mut growing: Option<(Asked, PartialArguments)> = None;
    let (mut known, mut id, mut usage) = (ModelCall::default(), None, None);
    for chunk in events {
        let said = |keys: &[&str]| first_member(chunk, keys).map(|it| it.shown().into_owned());
        known.model = said(&["modelVersion", "model_version"]).or(known.model);
        id = said(&["responseId", "response_id"]).or(id);
        usage = first_member(chunk, &["usageMetadata", "usage_metadata"]).or(usage);
        let Some(candidate) = items(chunk, "candidates").into_iter().next() else { continue };
        let reason = first_member(&candidate, &["finishReason", "finish_reason"]);
        known.finish_reason = reason.map(|it| it.shown().into_owned()).or(known.finish_reason);
        let parts = below(&candidate, &["content", "parts"]).and_then(|parts| parts.items());
        for part in parts.unwrap_or_default() {
            let call = first_member(&part, &["functionCall", "function_call"]);
            match call.filter(|call| growing.is_some() || goes_on(call)) {
                Some(call) => {
                    let (asked, arguments) = growing.get_or_insert_with(|| (begun(&call), PartialArguments::default()));
                    items(&call, "partialArgs").iter().for_each(|piece| arguments.add(piece));
                    if !goes_on(&call) {
                        let asked = Asked { arguments: arguments.json(), ..asked.clone() };
                        utterance.ask(asked);
                        growing = None;
                    }
                }
                None => say(&part, &mut utterance),
            }
        }
    }
    let cut = if growing.is_some() { Ending::CutInCall } else { Ending::Cut };
    let ending = if known.finish_reason.is_some() { Ending::Whole } else { cut };
    if let Some((asked, arguments)) = growing {
        utterance.ask(Asked { arguments: arguments.json(), ..asked });
    }
    let usage = usage.filter(|usage| first_member(usage, &["promptTokenCount", "prompt_token_count"]).is_some());
    let usage = usage.map(|usage| usage::gemini(&usage)).unwrap_or_default();
    Streamed { answer: utterance.answer(known, usage), id, ending, failure: None }
}

fn goes_on(call: &Json) -> bool {
    first_member(call, &["willContinue", "will_continue"]).is_some_and(|flag| flag.text() == "true")
}

fn begun(call: &Json) -> Asked {
    Asked {
        name: text(call, "name").unwrap_or_default(),
        arguments: member(call, "args"),
        id: text(call, "id"),
        agent: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_may_come_in_pieces() {
        let part = |part: &str, end: &str| {
            Json::parse(format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}{end}}}]}}"#)).unwrap()
        };
        let events = [
            part(r#"{"functionCall":{"name":"f","willContinue":true}}"#, ""),
            part(
                r#"{"functionCall":{"partialArgs":[{"jsonPath":"$.city","stringValue":"Bos","willContinue":true}],"willContinue":true}}"#,
                "",
            ),
            part(
                r#"{"functionCall":{"partialArgs":[{"jsonPath":"$.city","stringValue":"ton"}],"willContinue":true}}"#,
                "",
            ),
            part(r#"{"functionCall":{}}"#, ""),
            part(r#"{"text":"done"}"#, r#","finishReason":"STOP""#),
        ];
        let Streamed { answer, ending, .. } = put_together(&events);
        assert_eq!(
            (answer.calls[0].arguments.as_ref().unwrap().text(), ending),
            (r#"{"city":"Boston"}"#, Ending::Whole)
        );
        assert_eq!(put_together(&events[..2]).ending, Ending::CutInCall);
    }

    #[test]
    fn the_last_usage_counts() {
        let chunk = |tokens: u32| {
            let usage =
                format!(r#"{{"promptTokenCount":5,"candidatesTokenCount":{tokens},"totalTokenCount":{}}}"#, 5 + tokens);
            Json::parse(format!(
                r#"{{"candidates":[{{"content":{{"parts":[{{"text":"a"}}]}}}}],"usageMetadata":{usage}}}"#
            ))
            .unwrap()
        };
        let Streamed { answer, ending, .. } = put_together(&[chunk(1), chunk(4)]);
        assert_eq!((answer.words.unwrap().text(), ending), ("\"aa\"", Ending::Cut));
        assert_eq!(answer.model_call.unwrap().tokens.output, Some(4));
    }
}
