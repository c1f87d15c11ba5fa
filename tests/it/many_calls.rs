//! An interaction of thousands of calls is compared in sane time, whatever changed in it. A search that takes the
//! square of their number would not come to an end within a test's patience.

use serde_json::{Value, json};

use crate::program::{Folder, run};

const CALLS: usize = 3_000;

fn calls(make: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..CALLS).map(make).collect()
}

fn call(n: usize) -> Value {
    json!({ "name": "look", "arguments": { "n": n, "note": "some words" }, "result": n })
}

/// Compares two lists of calls. Gives the exit code and the kinds of difference with their counts, in order.
fn compare(recorded: &[Value], seen: &[Value]) -> (i32, Vec<(String, usize)>) {
    let folder = Folder::new();
    let line = |calls| format!("{}\n", json!({ "id": "long", "input": "x", "output": "y", "toolCalls": calls }));
    let (a, b) = (folder.file("a.jsonl", line(recorded)), folder.file("b.jsonl", line(seen)));
    let ran = run(&["diff", &a, &b, "--exit-code", "--json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let mut kinds: Vec<(String, usize)> = Vec::new();
    let attempts = report["cases"].as_array().unwrap().iter().filter_map(|case| case["attempts"].as_array()).flatten();
    for difference in attempts.flat_map(|attempt| attempt["differences"].as_array().cloned().unwrap_or_default()) {
        let kind = difference["kind"].as_str().unwrap();
        match kinds.iter_mut().find(|known| known.0 == kind) {
            Some(known) => known.1 += 1,
            None => kinds.push((kind.to_owned(), 1)),
        }
    }
    kinds.sort();
    (ran.code, kinds)
}

fn found(kinds: &[(&str, usize)]) -> (i32, Vec<(String, usize)>) {
    (i32::from(!kinds.is_empty()), kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect())
}

#[test]
fn one_changed_call_is_found_among_thousands() {
    let recorded = calls(call);
    let mut seen = recorded.clone();
    seen[CALLS / 2]["arguments"]["note"] = json!("other words");
    assert_eq!(compare(&recorded, &seen), found(&[("changed", 1)]));
}

#[test]
fn thousands_of_changed_calls_are_each_told() {
    let changed = |n| json!({ "name": "look", "arguments": { "n": n, "note": "other words" } });
    assert_eq!(compare(&calls(call), &calls(changed)), found(&[("changed", CALLS)]));
}

#[test]
fn thousands_of_other_calls_are_missing_and_extra() {
    let other = |n| json!({ "name": "stare", "arguments": { "at": n } });
    assert_eq!(compare(&calls(call), &calls(other)), found(&[("missing", CALLS), ("unknown-tool", CALLS)]));
}

#[test]
fn thousands_of_calls_fewer_are_missing() {
    let recorded = calls(call);
    assert_eq!(compare(&recorded, &recorded[..CALLS / 3]), found(&[("missing", CALLS - CALLS / 3)]));
}

#[test]
fn thousands_of_calls_in_another_order_are_moved() {
    let recorded = calls(call);
    let mut seen = recorded.clone();
    seen.reverse();
    assert_eq!(compare(&recorded, &seen), found(&[("moved", CALLS - 1)]));
}

#[test]
fn thousands_of_calls_of_one_step_have_no_order() {
    let in_step = |n| json!({ "name": "look", "arguments": { "n": n }, "step": 1 });
    let recorded = calls(in_step);
    let mut seen = recorded.clone();
    seen.reverse();
    assert_eq!(compare(&recorded, &seen), found(&[]));
}

#[test]
fn of_thousands_of_equal_calls_those_too_many_are_repeated() {
    let same = |_| json!({ "name": "poll", "arguments": { "id": 7 }, "result": "pending" });
    let recorded = calls(same);
    let seen = [recorded.clone(), vec![same(0); 3]].concat();
    assert_eq!(compare(&recorded, &seen), found(&[("repeated", 3)]));
}

#[test]
fn of_thousands_of_differences_in_one_call_the_first_are_shown_and_all_are_kept() {
    let keys = |add: usize| (0..CALLS).map(|n| (format!("k{n}"), json!(n + add))).collect::<serde_json::Map<_, _>>();
    let call = |add| json!([{ "name": "t", "arguments": keys(add), "result": 1 }]);
    let folder = Folder::new();
    let line = |calls: Value| format!("{}\n", json!({ "id": "wide", "input": "x", "output": "y", "toolCalls": calls }));
    let (a, b) = (folder.file("a.jsonl", line(call(0))), folder.file("b.jsonl", line(call(1))));
    let text = run(&["diff", &a, &b]).out;
    assert!(text.contains("and 2,950 more differences: --json shows all"), "{text}");
    assert!(text.lines().count() < 300, "{} lines", text.lines().count());
    let (_, kinds) = compare(call(0).as_array().unwrap(), call(1).as_array().unwrap());
    assert_eq!(kinds, [("changed".to_owned(), CALLS)]);
}
