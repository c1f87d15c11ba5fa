//! Calls are held to what their tools declare, in the recording and in the run.

use serde_json::Value;

use crate::program::{Folder, Ran, ran, run, taketwo};

const TOOLS: &str = r#"{"tools":[
    {"name":"search","inputSchema":{"type":"object","properties":{"page":{"type":"integer"},"sort":{"enum":["asc","desc"]}},"additionalProperties":false}},
    {"name":"refund","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}},
    {"name":"never","inputSchema":{"type":"object"}}]}"#;

/// An interaction with these calls, `search {"page":1}` as `("search", r#"{"page":1}"#)`.
fn row(id: &str, calls: &[(&str, &str)]) -> String {
    let call = |(name, arguments): &(&str, &str)| format!(r#"{{"name":"{name}","arguments":{arguments},"result":1}}"#);
    let calls: Vec<String> = calls.iter().map(call).collect();
    format!("{{\"id\":\"{id}\",\"input\":\"x\",\"output\":\"y\",\"toolCalls\":[{}]}}\n", calls.join(","))
}

/// A folder with definitions and recordings of both sides.
fn folder(recorded: &str, seen: &str) -> Folder {
    let folder = Folder::new();
    folder.file("tools.json", TOOLS);
    folder.file("a.jsonl", recorded);
    folder.file("b.jsonl", seen);
    folder
}

fn ran_in(folder: &Folder, arguments: &[&str]) -> Ran {
    ran(taketwo(arguments).current_dir(folder.path()).env("NO_COLOR", "1"))
}

/// Runs one recording against the other; the report and the exit code.
fn compared(folder: &Folder, more: &[&str]) -> (Value, i32) {
    let run = ["run", "a.jsonl", "--target", "recorded:b.jsonl", "--tools", "tools.json", "--json"];
    let ran = ran_in(folder, &[&run[..], more].concat());
    (serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err)), ran.code)
}

/// What the check said of the first case: the outcome and why.
fn said(report: &Value) -> (String, String) {
    let journal = &report["cases"][0]["attempts"][0]["results"];
    let result = journal.as_array().unwrap().iter().find(|result| result["label"] == "tool-schema").unwrap();
    let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
    (text("outcome"), text("detail"))
}

const VALID: (&str, &str) = ("search", r#"{"page":1}"#);

#[test]
fn a_call_that_the_definitions_rule_out_is_a_finding() {
    for (calls, says) in [
        (&[("search", r#"{"page":"1"}"#)][..], "search $.page: expected an integer, seen \"1\""),
        (&[("search", r#""{\"page\":\"1\"}""#)], "search $.page: expected an integer, seen \"1\""),
        (&[VALID, ("serch", r#"{"page":1}"#)], "serch is not declared"),
        (&[VALID, ("refund", "{}")], "refund $.id: expected a value, seen nothing"),
    ] {
        let folder = folder(&row("a", &[VALID]), &row("a", calls));
        let (report, code) = compared(&folder, &["--match", "labels", "--skip", "tools", "--skip", "tool-arguments"]);
        assert_eq!(said(&report), ("FAILED".into(), says.into()));
        assert_eq!((code, &report["verdict"]), (1, &"FAILED".into()));
        let (_, code) = compared(
            &folder,
            &["--match", "labels", "--skip", "tools", "--skip", "tool-arguments", "--skip", "tool-schema"],
        );
        assert_ne!(code, 1, "a check that is left out finds nothing");
    }
}

#[test]
fn what_the_recording_did_just_the_same_is_told_and_passes() {
    let calls = [("search", r#"{"page":"1"}"#), ("old", "{}")];
    let folder = folder(&row("a", &calls), &row("a", &calls));
    let ran = ran_in(&folder, &["run", "a.jsonl", "--target", "recorded:b.jsonl", "--tools", "tools.json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1 of 2 recorded calls is of a tool that is not declared"), "{}", ran.out);
    let case = ran_in(&folder, &["report", "last", "--case", "a"]);
    let text = case.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let detail =
        "as recorded, and ruled out there too: search $.page: expected an integer, seen \"1\"; old is not declared";
    assert!(text.contains(detail), "{}", case.out);
    // Once more is once too often.
    folder.file("b.jsonl", row("a", &[calls[0], calls[1], calls[0]]));
    assert_eq!(said(&compared(&folder, &[]).0).0, "FAILED");
}

#[test]
fn a_run_that_does_not_tell_its_calls_is_not_judged() {
    let folder = folder(&row("a", &[VALID]), "{\"id\":\"a\",\"input\":\"x\",\"output\":\"y\"}\n");
    let (report, code) = compared(&folder, &[]);
    assert_eq!((said(&report).0.as_str(), code), ("INCONCLUSIVE", 3));
}

#[test]
fn where_no_call_is_made_there_is_nothing_to_check() {
    let folder = folder(&row("a", &[]), &row("a", &[]));
    let (report, code) = compared(&folder, &[]);
    assert_eq!((code, report["summary"]["labels"].get("tool-schema")), (0, None));
}

#[test]
fn the_recorded_calls_are_counted_before_anything_is_run() {
    let rows = [
        row("a", &[VALID, ("search", r#"{"page":"secret"}"#), ("refund", "{}")]),
        row("b", &[("search", r#"{"sort":"up"}"#), ("old", "{}"), ("old", "{}")]),
    ];
    let folder = folder(&rows.concat(), "");
    let check = ["check", "a.jsonl", "--target", "sample:v1", "--tools", "tools.json"];
    let ran = ran_in(&folder, &check);
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!(ran.out);
    let ran = ran_in(&folder, &[&check[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let census = &found["toolDefinitions"];
    assert_eq!((&census["calls"], &census["invalid"], &census["ofUnknownTools"]), (&6.into(), &3.into(), &2.into()));
    assert_eq!(census["firstInvalid"]["fault"]["path"], "$.page");
    assert_eq!(census["firstInvalid"]["fault"]["seen"], "\"secret\"");
    let ran = ran_in(&folder, &[&check[..], &["--json", "--content", "omit"]].concat());
    assert!(ran.code == 0 && !ran.out.contains("secret"), "{}", ran.out);
}

#[test]
fn inspect_says_which_calls_are_what_their_tools_declare() {
    let rows = [
        row("a", &[VALID, ("search", r#"{"page":"1"}"#), ("refund", "{}")]),
        row("b", &[("search", r#"{"sort":"up"}"#), ("old", "{}"), ("refund", r#"{"id":12345678901234567890123}"#)]),
    ];
    let folder = folder(&rows.concat(), "");
    let ran = ran_in(&folder, &["inspect", "a.jsonl", "--tools", "tools.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    let section = ran.out.split("\nTool definitions").nth(1).unwrap();
    insta::assert_snapshot!(format!("Tool definitions{section}"));
    let ran = ran_in(&folder, &["inspect", "a.jsonl", "--tools", "tools.json", "--json"]);
    let seen: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&seen["format"], &seen["interactions"]), (&"taketwo.inspect".into(), &2.into()));
    let tools = seen["toolDefinitions"]["tools"].as_array().unwrap();
    let invalid: Vec<_> = tools.iter().map(|tool| (tool["name"].as_str().unwrap(), tool["invalid"].as_u64())).collect();
    assert_eq!(invalid, [("never", Some(0)), ("old", Some(0)), ("refund", Some(1)), ("search", Some(2))]);
    let without = ran_in(&folder, &["inspect", "a.jsonl", "--json"]);
    assert!(!without.out.contains("toolDefinitions"));
}

#[test]
fn definitions_that_cannot_be_used_are_refused_with_their_place() {
    let folder = folder(&row("a", &[VALID]), &row("a", &[VALID]));
    folder.file("calls.json", r#"[{"name":"search","arguments":{"page":1}}]"#);
    folder.file("bad.json", r#"[{"name":"search","input_schema":{"type":"strng"}}]"#);
    folder.file("remote.json", r#"[{"name":"search","input_schema":{"$ref":"http://127.0.0.1:9/x.json"}}]"#);
    folder.file("other.json", r#"[{"name":"search","parameters":{"type":"object"}}]"#);
    for (files, says) in [
        (&["none.json"][..], "cannot read the tool definitions \"none.json\""),
        (&["a.jsonl"], "a.jsonl: $: expected tool definitions"),
        (&["calls.json"], "calls.json: $[0]: expected a tool definition"),
        (&["bad.json"], "bad.json: $[0].input_schema: the schema of search is none: $.type: expected"),
        (&["remote.json"], "remote.json: $[0].input_schema: the schema of search is none"),
        (
            &["tools.json", "other.json"],
            "search is declared twice with different schemas: at tools.json: $.tools[0].inputSchema, and at other.json: $[0].parameters",
        ),
    ] {
        let flags: Vec<&str> = files.iter().flat_map(|file| ["--tools", file]).collect();
        for verb in [&["run", "a.jsonl", "--target", "recorded:b.jsonl"][..], &["inspect", "a.jsonl"]] {
            let ran = ran_in(&folder, &[verb, &flags].concat());
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
            assert!(ran.err.contains(says), "{says}\n{}", ran.err);
        }
    }
    assert!(!folder.path().join(".taketwo").exists(), "a run was made");
}

#[test]
fn a_suite_names_definitions_from_its_own_folder_and_a_flag_takes_their_place() {
    let folder = folder(&row("a", &[VALID]), "");
    folder.file("suites/mine.json", TOOLS);
    folder.file("suites/s.toml", "tools = [\"mine.json\"]\ntarget = \"sample:v1\"\n");
    let check = ["check", "a.jsonl", "--suite", "suites/s.toml"];
    let ran = ran_in(&folder, &check);
    assert!(ran.out.contains("declared  3 tools; the recorded call is valid"), "{}{}", ran.out, ran.err);
    folder.file("one.json", r#"[{"name":"search","parameters":{"type":"object"}}]"#);
    let ran = ran_in(&folder, &[&check[..], &["--tools", "one.json"]].concat());
    assert!(ran.out.contains("declared  1 tool; "), "{}{}", ran.out, ran.err);
}

#[test]
fn a_run_is_not_resumed_with_other_definitions() {
    let folder = folder(&row("a", &[VALID]), &row("a", &[VALID]));
    assert_eq!(compared(&folder, &[]).1, 0);
    let resume = || ran_in(&folder, &["run", "--resume"]);
    folder.file("tools.json", TOOLS.replace(r#""type":"integer"},"#, r#""type":"integer","description":"From 1."},"#));
    assert_eq!(resume().code, 0, "a description decides nothing");
    folder.file("tools.json", TOOLS.replace(r#""enum":["asc","desc"]"#, r#""type":"string""#));
    let refused = resume();
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert!(refused.err.contains("tools: was "), "{}", refused.err);
}

#[test]
fn definitions_are_never_written_over() {
    let folder = folder(&row("a", &[VALID]), &row("a", &[VALID]));
    for (verb, written) in [
        (&["run", "a.jsonl", "--target", "recorded:b.jsonl"][..], &["--record", "tools.json", "--force"][..]),
        (&["run", "a.jsonl", "--target", "recorded:b.jsonl"], &["--quarantine", "tools.json"]),
        (&["inspect", "a.jsonl"], &["--quarantine", "./tools.json"]),
    ] {
        let ran = ran_in(&folder, &[verb, &["--tools", "tools.json"], written].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert_eq!(std::fs::read_to_string(folder.at("tools.json")).unwrap(), TOOLS);
    }
}

#[test]
fn the_example_definitions_are_those_of_the_recorded_agent() {
    let root = env!("CARGO_MANIFEST_DIR");
    let tools = format!("{root}/examples/tools/desk.tools.json");
    for recording in ["quickstart", "nightly", "support"] {
        let recording = format!("{root}/recordings/{recording}.jsonl");
        let ran = run(&["check", &recording, "--target", "sample:v1", "--tools", &tools]);
        assert!(ran.out.contains("recorded calls are valid"), "{}{}", ran.out, ran.err);
    }
    let folder = Folder::new();
    let recording = format!("{root}/recordings/quickstart.jsonl");
    let arguments =
        ["run", &recording, "--target", "sample:v2", "--tools", &tools, "--runs", &folder.at("runs"), "--json"];
    let report: Value = serde_json::from_str(&run(&arguments).out).unwrap();
    // 4 cases call the renamed tool, 2 send a number for a text, 2 round an amount.
    assert_eq!(report["summary"]["labels"]["tool-schema"]["failed"], 8);
    assert_eq!(report["run"]["toolsHash"].as_str().unwrap().len(), 16);
}
