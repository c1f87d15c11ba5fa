//! A person sees what recordings hold, and what is unknown is never shown as zero.

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
