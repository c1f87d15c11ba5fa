//! What becomes of pieces of traces, told in OTLP as they would come.

use std::path::Path;

use super::super::super::interaction::Interaction;
use super::super::super::json::Json;
use super::super::super::place::At;
use super::super::dialects;
use super::super::format::Grain;
use super::super::spans::otlp_json;
use super::super::spool::TraceSpool;
use super::{Assembly, conversation};

/// A span of trace `t` with its attributes as `key=value` texts, between two seconds.
fn span(id: u8, parent: u8, name: &str, seconds: (u64, u64), attributes: &[(&str, &str)]) -> String {
    let pair = |(key, value): &(&str, &str)| {
        let value = Json::string(value);
        format!(r#"{{"key":"{key}","value":{{"stringValue":{}}}}}"#, value.text())
    };
    let attributes: Vec<String> = attributes.iter().map(pair).collect();
    let parent = if parent == 0 { String::new() } else { format!("{parent:016x}") };
    format!(
        r#"{{"traceId":"t","spanId":"{id:016x}","parentSpanId":"{parent}","name":"{name}","startTimeUnixNano":"{}000000000",
        "endTimeUnixNano":"{}000000000","attributes":[{}]}}"#,
        seconds.0,
        seconds.1,
        attributes.join(",")
    )
}

fn user(text: &str) -> String {
    format!(r#"{{"role":"user","parts":[{{"type":"text","content":"{text}"}}]}}"#)
}

fn said(text: &str) -> String {
    format!(r#"{{"role":"assistant","parts":[{{"type":"text","content":"{text}"}}]}}"#)
}

fn asked(id: &str, name: &str) -> String {
    format!(
        r#"{{"role":"assistant","parts":[{{"type":"tool_call","id":"{id}","name":"{name}","arguments":{{"x":1}}}}]}}"#
    )
}

fn gave(id: &str, result: &str) -> String {
    format!(r#"{{"role":"tool","parts":[{{"type":"tool_call_response","id":"{id}","response":"{result}"}}]}}"#)
}

/// A call of a model with its messages.
fn model(id: u8, parent: u8, seconds: (u64, u64), input: &[String], output: &str) -> String {
    let (input, output) = (format!("[{}]", input.join(",")), format!("[{output}]"));
    let messages = [("gen_ai.input.messages", input.as_str()), ("gen_ai.output.messages", output.as_str())];
    let known = [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.request.model", "m"),
        ("gen_ai.usage.input_tokens", "10"),
        ("gen_ai.usage.output_tokens", "2"),
    ];
    span(id, parent, "chat m", seconds, &[known.as_slice(), &messages].concat())
}

const AGENT: [(&str, &str); 2] = [("gen_ai.operation.name", "invoke_agent"), ("gen_ai.agent.name", "a")];

fn tool(name: &str, id: &str) -> Vec<(&'static str, String)> {
    vec![
        ("gen_ai.operation.name", "execute_tool".into()),
        ("gen_ai.tool.name", name.into()),
        ("gen_ai.tool.call.id", id.into()),
    ]
}

fn tool_span(id: u8, parent: u8, seconds: (u64, u64), name: &str, call: &str, more: &[(&str, &str)]) -> String {
    let known = tool(name, call);
    let known: Vec<(&str, &str)> = known.iter().map(|(key, value)| (*key, value.as_str())).collect();
    span(id, parent, "execute_tool", seconds, &[known.as_slice(), more].concat())
}

fn assembled(spans: &[String]) -> Vec<Assembly> {
    let (mut spool, file) = (TraceSpool::new(), Path::new("f").into());
    for (index, span) in spans.iter().enumerate() {
        let span = otlp_json::span(&Json::parse(span.as_str()).unwrap());
        let at = At::Value { number: index as u64 + 1, offset: 0 };
        spool.keep(&dialects::observation(span, &file, at)).unwrap();
    }
    spool.sessions().unwrap().map(|traces| conversation(traces.unwrap())).collect()
}

fn turns(spans: &[String]) -> Vec<Interaction> {
    let assembled = assembled(spans).into_iter().filter_map(|found| found.conversation);
    assembled.flat_map(|found| found.conversation.interactions(Grain::Turn)).collect()
}

fn calls(it: &Interaction) -> Vec<String> {
    let shown = |json: &Option<Json>| json.as_ref().map(|json| json.text().to_owned()).unwrap_or_default();
    let calls = it.tool_calls.iter().flatten();
    calls
        .map(|call| format!("{}@{:?} {} {}", call.name, call.step.unwrap(), shown(&call.result), shown(&call.error)))
        .collect()
}

fn one_turn() -> Vec<String> {
    vec![
        model(2, 1, (1, 2), &[user("hi")], &asked("c1", "t")),
        tool_span(3, 1, (2, 3), "t", "c1", &[("gen_ai.tool.call.result", "12")]),
        model(4, 1, (3, 4), &[user("hi"), asked("c1", "t"), gave("c1", "12")], &said("done")),
        span(1, 0, "invoke_agent a", (1, 5), &AGENT),
    ]
}

#[test]
fn each_call_stands_once_whatever_the_order_and_however_often_it_came() {
    let spans = one_turn();
    let wanted = &turns(&spans)[0];
    assert_eq!((wanted.input.text(), wanted.output.as_ref().unwrap().text()), ("\"hi\"", "\"done\""));
    assert_eq!((calls(wanted), wanted.tokens.input), (vec!["t@1 \"12\" ".to_owned()], Some(20)));
    assert_eq!((wanted.latency_ms, wanted.agent.as_deref()), (Some(4000.0), Some("a")));
    let backwards: Vec<String> = spans.iter().rev().cloned().collect();
    let twice: Vec<String> = spans.iter().chain(&backwards).cloned().collect();
    for other in [backwards, twice] {
        assert_eq!(&turns(&other)[0], wanted);
    }
}

#[test]
fn the_innermost_call_of_a_model_counts_with_what_the_outer_one_knows() {
    let outer = model(2, 1, (1, 3), &[user("hi")], &said("done"));
    let known = [("gen_ai.operation.name", "chat"), ("gen_ai.response.model", "n"), ("gen_ai.usage.input_tokens", "9")];
    let inner = span(3, 2, "chat n", (1, 2), &known);
    let it = &turns(&[outer, inner, span(1, 0, "invoke_agent a", (1, 5), &AGENT)])[0];
    assert_eq!((it.model_calls.as_ref().unwrap().count(), it.model.as_deref()), (1, Some("n")));
    assert_eq!((it.tokens.input, it.output.as_ref().unwrap().text()), (Some(9), "\"done\""));
}

#[test]
fn tools_within_tools_that_tell_the_same_call_are_one() {
    let mut spans = one_turn();
    spans.push(tool_span(5, 3, (2, 3), "server.t", "other", &[("gen_ai.tool.call.result", "13")]));
    assert_eq!(calls(&turns(&spans)[0]), ["t@1 \"12\" "]);
    spans.push(tool_span(6, 3, (2, 3), "u", "more", &[]));
    assert_eq!(calls(&turns(&spans)[0]).len(), 2, "another name is another call");
}

#[test]
fn results_that_no_tool_told_come_from_the_next_request() {
    let mut spans = one_turn();
    spans.remove(1);
    assert_eq!(calls(&turns(&spans)[0]), ["t@1 \"12\" "]);
}

#[test]
fn agents_below_are_marked_and_open_no_turn() {
    let mut spans = one_turn();
    let below = [("gen_ai.operation.name", "invoke_agent"), ("gen_ai.agent.name", "b")];
    spans.push(span(7, 3, "invoke_agent b", (2, 3), &below));
    spans.push(tool_span(8, 7, (2, 3), "u", "c9", &[]));
    let turns = turns(&spans);
    let agents: Vec<_> = turns[0].tool_calls.iter().flatten().map(|call| call.agent.as_deref()).collect();
    assert_eq!((turns.len(), agents), (1, vec![None, Some("b")]));
}

#[test]
fn what_goes_in_circles_or_lost_its_parents_is_still_one_turn() {
    let circle = [
        model(2, 3, (1, 2), &[user("hi")], &asked("c1", "t")),
        tool_span(3, 2, (2, 3), "t", "c1", &[("gen_ai.tool.call.result", "12")]),
        model(4, 4, (3, 4), &[user("hi"), asked("c1", "t"), gave("c1", "12")], &said("done")),
        tool_span(5, 99, (2, 3), "u", "c2", &[]),
    ];
    let turns = turns(&circle);
    assert_eq!((turns.len(), calls(&turns[0]).len()), (1, 2));
    assert_eq!(turns[0].doubts[0].to_string(), "trace: its root is missing");
    assert_eq!(turns[0].latency_ms, None);
}

#[test]
fn lone_calls_are_chained_to_turns() {
    let of = |trace: &str, span: String| span.replace(r#""traceId":"t""#, &format!(r#""traceId":"{trace}""#));
    let first = [user("hi"), asked("c1", "t"), gave("c1", "12")];
    let second = [first.as_slice(), &[said("done"), user("more")]].concat();
    let spans = [
        of("a", model(1, 0, (1, 2), &[user("hi")], &asked("c1", "t"))),
        of("x", model(9, 0, (1, 2), &[user("else")], &said("x"))),
        of("b", model(2, 0, (3, 4), &first, &said("done"))),
        of("c", model(3, 0, (5, 6), &second, &said("bye"))),
    ];
    let turns = turns(&spans);
    let told: Vec<_> =
        turns.iter().map(|it| (it.id.clone().unwrap().to_string(), it.input.text(), calls(it))).collect();
    let wanted =
        [("a", "\"hi\"", vec!["t@1 \"12\" ".to_owned()]), ("c", "\"more\"", vec![]), ("x", "\"else\"", vec![])];
    assert_eq!(told, wanted.map(|(id, input, calls)| (id.to_owned(), input, calls)));
    assert_eq!(turns[0].output.as_ref().unwrap().text(), "\"done\"");
}

#[test]
fn traces_of_nobody_are_counted_and_those_without_contents_turned_away() {
    let found = assembled(&[span(1, 0, "GET /", (1, 2), &[("http.request.method", "GET")])]);
    assert_eq!((found[0].foreign, found[0].rejects.len(), found[0].conversation.is_none()), (1, 0, true));
    let silent = span(1, 0, "chat m", (1, 2), &[("gen_ai.operation.name", "chat")]);
    let found = assembled(&[silent]);
    assert!(found[0].rejects[0].reason.to_string().contains("recorded no contents"));
}

#[test]
fn a_retry_that_gave_nothing_is_no_model_call() {
    let failed = [("gen_ai.operation.name", "chat"), ("error.type", "429")];
    let failed =
        span(2, 1, "chat m", (1, 2), &failed).replace("\"attributes\"", "\"status\":{\"code\":2},\"attributes\"");
    let again = model(3, 1, (2, 3), &[user("hi")], &said("done"));
    let it = &turns(&[failed, again, span(1, 0, "invoke_agent a", (1, 5), &AGENT)])[0];
    assert_eq!((it.model_calls.as_ref().unwrap().count(), it.tokens.input, it.failure.as_deref()), (1, Some(10), None));
    assert!(it.extra.iter().any(|(key, value)| key.as_str() == "failedModelCalls" && value.text() == "1"));
}

#[test]
fn a_deep_chain_of_spans_takes_no_time_and_no_stack() {
    let chain = (2..=200_u8).map(|id| span(id, id - 1, "step", (1, 2), &[]));
    let mut spans: Vec<String> = chain.collect();
    spans.extend([span(1, 0, "invoke_agent a", (1, 5), &AGENT), model(201, 200, (1, 2), &[user("hi")], &said("done"))]);
    assert_eq!(turns(&spans).len(), 1);
}
