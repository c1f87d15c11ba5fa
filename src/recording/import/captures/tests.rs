//! Promises about logs and captures, in small.

use super::super::super::interaction::{Interaction, ModelCalls};
use super::super::format::{Grain, SourceText};
use super::*;

fn read_all(text: &str) -> (Vec<Interaction>, Vec<Reject>) {
    let found = read(SourceText::of("x.jsonl", text)).map_err(|error| error.problem).unwrap();
    let (mut interactions, mut rejects) = (Vec::new(), Vec::new());
    for found in found {
        match found {
            Ok((_, conversation)) => interactions.extend(conversation.interactions(Grain::Turn)),
            Err(reject) => rejects.push(reject),
        }
    }
    (interactions, rejects)
}

fn imported(text: &str) -> Vec<Interaction> {
    let (interactions, rejects) = read_all(text);
    assert!(rejects.is_empty(), "{rejects:?}");
    interactions
}

fn model_calls(it: &Interaction) -> usize {
    match it.model_calls.as_ref().unwrap() {
        ModelCalls::List(calls) => calls.len(),
        ModelCalls::Count(_) => panic!(),
    }
}

const SYSTEM: &str = r#"{"role":"system","content":"be kind"}"#;
const ASKS: &str = r#"{"role":"user","content":"a"}"#;
const CALLS: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_00001","type":"function","function":{"name":"f","arguments":"{\"n\": 1}"}}]}"#;
const RETURNS: &str = r#"{"role":"tool","tool_call_id":"call_00001","content":"[7]"}"#;
const ANSWERS: &str = r#"{"role":"assistant","content":"b"}"#;
const THANKS: &str = r#"{"role":"user","content":"c"}"#;
const BYE: &str = r#"{"role":"assistant","content":"d"}"#;

fn exchange(id: &str, messages: &[&str], answer: &str) -> String {
    let messages = messages.join(",");
    format!(
        r#"{{"request":{{"model":"m","messages":[{messages}]}},"response":{{"id":"{id}","model":"m-1","created":1700000000,"choices":[{{"message":{answer},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":3,"completion_tokens":2}}}}}}"#
    )
}

fn failure(messages: &[&str]) -> String {
    let messages = messages.join(",");
    format!(
        r#"{{"request":{{"model":"m","messages":[{messages}]}},"response":{{"status_code":503,"body":{{"error":{{"message":"overloaded"}}}}}}}}"#
    )
}

#[test]
fn exchanges_that_go_on_are_one_conversation() {
    let lines = [
        exchange("chat-1", &[SYSTEM, ASKS], CALLS),
        exchange("chat-2", &[SYSTEM, ASKS, CALLS, RETURNS], ANSWERS),
        exchange("chat-3", &[SYSTEM, ASKS, CALLS, RETURNS, ANSWERS, THANKS], BYE),
    ];
    let turns = imported(&lines.join("\n"));
    let [first, second] = turns.as_slice() else { panic!("{turns:?}") };
    assert_eq!((first.input.text(), first.output.as_ref().unwrap().text()), ("\"a\"", "\"b\""));
    let call = &first.tool_calls.as_ref().unwrap()[0];
    assert_eq!((call.arguments.as_ref().unwrap().text(), call.result.as_ref().unwrap().text()), (r#"{"n":1}"#, "[7]"));
    assert_eq!((first.tokens.sum(), model_calls(first), first.model.as_deref()), (Some(10), 2, Some("m-1")));
    assert_eq!((second.input.text(), second.tokens.sum(), second.turn), ("\"c\"", Some(5), Some(2)));
    assert_eq!((first.id.as_ref().unwrap().as_str(), second.session.as_deref()), ("chat-1/1", Some("chat-1")));
    assert_eq!(first.recorded_at.as_deref(), Some("2023-11-14T22:13:20Z"));
}

#[test]
fn what_was_before_the_capture_is_history_or_has_unknown_usage() {
    let it = imported(&exchange("chat-3", &[THANKS, BYE, ASKS, CALLS, RETURNS], ANSWERS)).pop().unwrap();
    assert_eq!(it.input.text(), "\"a\"");
    assert_eq!(
        it.history.as_ref().unwrap().text(),
        r#"[{"role":"user","content":"c"},{"role":"assistant","content":"d"}]"#
    );
    assert_eq!((it.tool_calls.as_ref().unwrap().len(), model_calls(&it)), (1, 2));
    assert!(it.tokens.is_unknown());
}

#[test]
fn a_failed_call_is_tried_again_and_counts() {
    let lines = [failure(&[ASKS]), failure(&[ASKS]), exchange("c", &[ASKS], ANSWERS)];
    let it = imported(&lines.join("\n")).pop().unwrap();
    assert_eq!((model_calls(&it), it.failure.as_deref()), (3, None));
    assert!(it.tokens.is_unknown(), "nobody knows what the failed ones cost");
    let it = imported(&lines[..2].join("\n")).pop().unwrap();
    assert_eq!((model_calls(&it), it.failure.as_deref()), (2, Some("HTTP 503: overloaded")));
}

#[test]
fn two_users_may_begin_with_the_same_words() {
    let other = CALLS.replace("call_00001", "call_00002");
    let returned = RETURNS.replace("call_00001", "call_00002");
    let lines = [
        exchange("chat-1", &[ASKS], CALLS),
        exchange("chat-2", &[ASKS], &other),
        exchange("chat-3", &[ASKS, CALLS, RETURNS], ANSWERS),
        exchange("chat-4", &[ASKS, &other, &returned], BYE),
    ];
    let turns = imported(&lines.join("\n"));
    let outputs: Vec<_> = turns.iter().map(|it| (it.output.as_ref().unwrap().text(), model_calls(it))).collect();
    assert_eq!(outputs, [("\"b\"", 2), ("\"d\"", 2)]);
}

#[test]
fn the_same_asked_again_on_the_way_is_one_call_more() {
    let lines = [
        exchange("chat-1", &[ASKS], CALLS),
        exchange("chat-2", &[ASKS, CALLS, RETURNS], ANSWERS),
        exchange("chat-3", &[ASKS, CALLS, RETURNS], BYE),
    ];
    let turns = imported(&lines.join("\n"));
    assert_eq!((turns.len(), turns[0].output.as_ref().unwrap().text(), model_calls(&turns[0])), (1, "\"d\"", 3));
    assert_eq!(turns[0].tool_calls.as_ref().unwrap().len(), 1);
}

#[test]
fn a_request_whose_beginning_was_changed_goes_on_by_its_calls() {
    let trimmed = r#"{"role":"user","content":"(shortened)"}"#;
    let lines = [exchange("chat-1", &[ASKS], CALLS), exchange("chat-2", &[trimmed, CALLS, RETURNS], ANSWERS)];
    let turns = imported(&lines.join("\n"));
    assert_eq!((turns.len(), turns[0].output.as_ref().unwrap().text(), model_calls(&turns[0])), (1, "\"b\"", 2));
}

#[test]
fn a_client_may_give_calls_ids_of_its_own() {
    let renamed = CALLS.replace("call_00001", "fc_1");
    let returned = RETURNS.replace("call_00001", "fc_1");
    let lines = [exchange("chat-1", &[ASKS], CALLS), exchange("chat-2", &[ASKS, &renamed, &returned], ANSWERS)];
    let turns = imported(&lines.join("\n"));
    assert_eq!((turns.len(), model_calls(&turns[0])), (1, 2));
    assert_eq!(turns[0].tool_calls.as_ref().unwrap()[0].result.as_ref().unwrap().text(), "[7]");
}

#[test]
fn responses_are_chained_by_the_answer_they_follow() {
    let lines = [
        r#"{"request":{"model":"m","input":"a"},"response":{"id":"resp_1","object":"response","status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}}"#,
        r#"{"request":{"model":"m","previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"c","output":"x"}]},"response":{"id":"resp_2","object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}]}}"#,
    ];
    let it = imported(&lines.join("\n")).pop().unwrap();
    assert_eq!((it.output.as_ref().unwrap().text(), model_calls(&it)), ("\"b\"", 2));
    assert_eq!(it.tool_calls.unwrap()[0].result.as_ref().unwrap().text(), "\"x\"");
    let (_, rejects) = read_all(lines[1]);
    assert!(rejects[0].to_string().contains("no message of a user"), "{}", rejects[0]);
}

#[test]
fn a_log_holds_a_conversation_a_line() {
    let line = |messages: &[&str]| format!(r#"{{"messages":[{}]}}"#, messages.join(","));
    let text = [line(&[SYSTEM, ASKS, CALLS, RETURNS, ANSWERS, THANKS, BYE]), line(&[ASKS, ANSWERS])].join("\n");
    let turns = imported(&text);
    let ids: Vec<_> = turns.iter().map(|it| it.id.as_ref().map(|id| id.as_str())).collect();
    assert_eq!(ids, [Some("x.jsonl:1/1"), Some("x.jsonl:1/2"), None]);
    let lists = format!("[{ASKS},{ANSWERS}]\n[{THANKS},{BYE}]\n");
    assert_eq!(imported(&lists).len(), 2);
    assert_eq!(imported(&format!("[{ASKS},\n{ANSWERS}]")).len(), 1);
    assert_eq!(imported(&format!("[{},\n{}]", line(&[ASKS, ANSWERS]), line(&[THANKS, BYE]))).len(), 2);
}

#[test]
fn a_request_and_the_answer_on_the_next_line_are_one_exchange() {
    let request = format!(r#"{{"model":"m","messages":[{ASKS}]}}"#);
    let answer = format!(r#"{{"id":"chat-1","model":"m-1","choices":[{{"message":{ANSWERS}}}]}}"#);
    let it = imported(&format!("{request}\n{answer}")).pop().unwrap();
    assert_eq!((it.output.unwrap().text(), it.id.unwrap().as_str()), ("\"b\"", "chat-1"));
    let it = imported(&request).pop().unwrap();
    assert_eq!((it.output, it.failure.as_deref()), (None, Some("no answer was recorded")));
}

#[test]
fn an_answer_without_its_request_is_turned_away() {
    let answer = r#"{"id":"c","choices":[{"message":{"role":"assistant","content":"b"}}]}"#;
    let chunk = r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"b"}}]}"#;
    for text in [answer.to_owned(), format!("{chunk}\n{chunk}"), format!("data: {chunk}\n\ndata: {chunk}\n\n")] {
        let (interactions, rejects) = read_all(&text);
        assert_eq!((interactions.len(), rejects.len()), (0, 1), "{text}");
        assert!(rejects[0].to_string().contains("an answer without its request"), "{}", rejects[0]);
    }
}

#[test]
fn a_stream_that_was_cut_marks_the_call_that_was_cut() {
    let chunk = |delta: &str| format!(r#"data: {{"choices":[{{"index":0,"delta":{delta}}}]}}"#);
    let stream = [
        chunk(r#"{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":"{}"}}]}"#),
        chunk(r#"{"tool_calls":[{"index":1,"id":"call_2","function":{"name":"g","arguments":"{\"a\""}}]}"#),
    ]
    .join("\n\n");
    let request = format!(r#"{{"model":"m","messages":[{ASKS}],"stream":true}}"#);
    let line = format!(r#"{{"request":{request},"response":{}}}"#, Json::string(&stream).text());
    let it = imported(&line).pop().unwrap();
    let calls = it.tool_calls.unwrap();
    assert_eq!((calls[0].truncated, calls[1].truncated), (None, Some(true)));
    assert_eq!(it.doubts[0].to_string(), "output: the stream ended within the arguments of a call");
    assert!(it.tokens.is_unknown());
}

#[test]
fn what_is_neither_log_nor_capture_is_another_format() {
    for other in ["hello", "", "[]", "[1,2]", r#"{"query":"a"}"#, r#"{"trace":1}"#, "{\"a\":"] {
        assert!(read(SourceText::of("x", other)).is_err() || !read_all(other).1.is_empty(), "{other}");
    }
    let (interactions, rejects) = read_all(&format!("{}\n{{\"query\":1}}\n{{\"a\"", exchange("c", &[ASKS], ANSWERS)));
    assert_eq!((interactions.len(), rejects.len()), (1, 2));
}

#[test]
fn a_log_that_is_cut_anywhere_does_no_harm() {
    let stream = r#"data: {"choices":[{"index":0,"delta":{"content":"é"}}]}"#;
    let line = format!(r#"{{"request":{{"messages":[{ASKS}]}},"response":{}}}"#, Json::string(stream).text());
    for text in [
        exchange("chat-1", &[SYSTEM, ASKS, CALLS, RETURNS], ANSWERS),
        line,
        format!("[{ASKS},{ANSWERS}]"),
        stream.into(),
    ] {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            if let Ok(found) = read(SourceText::of("x", &text[..end])) {
                assert!(found.count() <= 2, "{end}");
            }
        }
    }
}
