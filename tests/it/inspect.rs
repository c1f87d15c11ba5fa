//! A person sees what recordings hold, and what is unknown is never shown as zero.

use std::collections::BTreeMap;

use serde_json::Value;
use taketwo::case::{Check, EvalCaseParser};
use taketwo::recording::Recordings;

use crate::corpus::shared;
use crate::program::{Folder, ran, run, taketwo};

const LINES: &str = r#"{"id":"a","scenario":"refund","input":"x","output":"done","toolCalls":[{"name":"look_up","arguments":{"id":1},"result":{"ok":true},"step":0},{"name":"refund","result":1,"step":1}],"modelCalls":[{"model":"m-1"},{"model":"m-1"}],"tokens":{"input":1000,"output":50,"cacheRead":400},"latencyMs":900,"cost":0.125,"currency":"USD"}
{"id":"b","scenario":"refund","input":"y","toolCalls":[{"name":"look_up","error":"not found"},{"name":"look_up"}],"modelCalls":3,"tokens":{"input":"many"},"cost":0.25,"currency":"USD"}
{"id":"c","input":"z","output":"hello","toolCalls":[],"tokens":77,"latencyMs":1900,"weight":10}
{"id":"d","input":"z","model":"m-2"}
"#;

#[test]
fn the_summary_says_what_is_there_and_what_is_missing() {
    let folder = Folder::new();
    folder.file("x.jsonl", LINES);
    let ran = ran(taketwo(&["inspect", "x.jsonl"]).current_dir(folder.path()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    insta::assert_snapshot!(ran.out);
}

#[test]
fn a_sum_over_unknown_values_says_that_it_is_a_floor() {
    let folder = Folder::new();
    let ran = run(&["inspect", "--json", &folder.file("x.jsonl", LINES)]);
    let seen: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&seen["format"], &seen["version"]), (&"taketwo.inspect".into(), &1.into()));
    let spend = |what: &str| {
        let spend = seen["spend"].as_array().unwrap().iter().find(|spend| spend["what"] == what).unwrap();
        (spend["sum"].to_string(), spend["knownFor"].as_u64().unwrap(), spend["isFloor"].as_bool().unwrap())
    };
    assert_eq!(spend("modelCalls"), ("5".into(), 2, true));
    assert_eq!(spend("tokens.input"), ("1000".into(), 1, true));
    assert_eq!(spend("tokens.total"), ("1127".into(), 2, true));
    assert_eq!(spend("tokens.cacheWrite"), ("null".into(), 0, true));
    assert_eq!(spend("cost"), ("0.375".into(), 2, true));
    assert_eq!((&seen["traffic"], &seen["doubts"]), (&13.0.into(), &1.into()));
}

/// What inspect says as JSON.
#[track_caller]
fn seen(recordings: &[&str]) -> Value {
    let ran = run(&[&["inspect", "--json"], recordings].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// The cases of each check, and in how many it is not possible.
fn checks(seen: &Value) -> BTreeMap<String, (u64, u64)> {
    let checks = seen["checks"].as_array().unwrap().iter();
    let without = |check: &Value| -> u64 {
        check["without"].as_array().unwrap().iter().map(|without| without["cases"].as_u64().unwrap()).sum()
    };
    checks
        .map(|check| (check["label"].as_str().unwrap().into(), (check["cases"].as_u64().unwrap(), without(check))))
        .collect()
}

/// How many have a field, of how many.
fn coverage(seen: &Value, field: &str) -> (u64, u64) {
    let coverage = seen["coverage"].as_array().unwrap().iter().find(|coverage| coverage["field"] == field);
    let coverage = coverage.unwrap_or_else(|| panic!("no {field}"));
    (coverage["known"].as_u64().unwrap(), coverage["of"].as_u64().unwrap())
}

/// The checks that a run would make of each interaction, counted in another way.
fn checks_of_a_run(recording: &str) -> BTreeMap<&'static str, u64> {
    let mut cases = BTreeMap::new();
    for row in Recordings::open(&[recording]).unwrap().rows().unwrap().map(Result::unwrap) {
        let checks = EvalCaseParser::default().checks(&row.interaction);
        let mut labels: Vec<_> =
            checks.iter().filter(|check| **check != Check::UnrecordedTools).map(Check::label).collect();
        labels.sort_unstable();
        labels.dedup();
        labels.into_iter().for_each(|label| *cases.entry(label).or_default() += 1);
    }
    cases
}

#[test]
fn what_can_be_checked_is_what_a_run_checks() {
    let folder = Folder::new();
    let nightly = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/nightly.jsonl");
    for recording in [nightly, &folder.file("x.jsonl", LINES)] {
        let seen = seen(&[recording]);
        let of_a_run = checks_of_a_run(recording);
        for (label, (cases, without)) in checks(&seen) {
            assert_eq!(cases, of_a_run.get(label.as_str()).copied().unwrap_or(0), "{label}");
            assert_eq!(
                cases + without,
                seen["interactions"].as_u64().unwrap(),
                "each of the others has a reason: {label}"
            );
        }
    }
}

#[test]
fn why_a_check_is_not_possible_is_told_by_what_is_wrong() {
    let folder = Folder::new();
    let lines = [
        r#"{"input":"x","toolCalls":[],"output":" ","latencyMs":0,"tokens":{"input":-1}}"#,
        r#"{"input":"x","latencyMs":"fast","cost":"free"}"#,
    ];
    let seen = seen(&[&folder.file("x.jsonl", lines.join("\n"))]);
    let why = |label: &str| {
        let check = seen["checks"].as_array().unwrap().iter().find(|check| check["label"] == label).unwrap();
        let reasons = check["without"].as_array().unwrap().iter();
        reasons.map(|reason| reason["why"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(why("tools"), "no toolCalls, no call made");
    assert_eq!(why("extra-tools"), "no toolCalls");
    assert_eq!(why("token-budget"), "no tokens, tokens make no sense");
    assert_eq!(why("latency-budget"), "latencyMs makes no sense, latencyMs is 0");
    assert_eq!(why("cost-budget"), "no cost, cost makes no sense");
    assert_eq!(why("reply-present"), "no output, output is blank");
}

#[test]
fn several_files_are_also_told_apart() {
    let folder = Folder::new();
    folder.file("a/first.jsonl", LINES);
    folder
        .file("b/a-rather-long-name-of-a-file.jsonl", "{\"id\":\"e\",\"input\":\"x\",\"output\":\"y\",\"tokens\":3}\n");
    let ran = ran(taketwo(&["inspect", "a", "b"]).current_dir(folder.path()));
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    let start = ran.out.find("Files").unwrap();
    let end = start + ran.out[start..].find("\n\n").unwrap();
    insta::assert_snapshot!("inspect-files", &ran.out[start..end]);
    let seen = seen(&[&folder.at("a"), &folder.at("b")]);
    let files = seen["byFile"].as_array().unwrap();
    assert_eq!((files.len(), &files[0]["interactions"]), (2, &4.into()));
    assert_eq!((coverage(&files[0], "tokens"), coverage(&files[1], "tokens")), ((2, 4), (1, 1)));
    assert_eq!(checks(&files[1])["token-budget"], (1, 0));
}

#[test]
fn what_was_imported_is_counted_as_it_stands_in_the_file() {
    let Some(file) = shared("corpus/tau2-bench/judge_viewer/data/simulations/azure-airline-full.json") else { return };
    let folder = Folder::new();
    let recording = folder.at("airline.jsonl");
    assert_eq!(run(&["import", "tau2", file.to_str().unwrap(), "-o", &recording]).code, 0);
    let raw: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let messages = || raw["simulations"].as_array().unwrap().iter().flat_map(|run| run["messages"].as_array().unwrap());
    let asked = messages().filter(|message| message["role"] == "assistant");
    let calls: Vec<&Value> = asked.flat_map(|message| message["tool_calls"].as_array().into_iter().flatten()).collect();
    let results: Vec<&Value> =
        messages().filter(|message| message["role"] == "tool" && message["requestor"] == "assistant").collect();
    let seen = seen(&[&recording]);
    let count =
        |things: &[&Value], key: &str, value: Value| things.iter().filter(|thing| thing[key] == value).count() as u64;
    let all = calls.len() as u64;
    assert_eq!(coverage(&seen, "toolCalls[].arguments"), (all - count(&calls, "arguments", Value::Null), all));
    assert_eq!(coverage(&seen, "toolCalls[].result or .error"), (results.len() as u64, all));
    assert_eq!(coverage(&seen, "toolCalls[].error"), (count(&results, "error", true.into()), all));
    assert_eq!(coverage(&seen, "latencyMs").0, 0);
}
