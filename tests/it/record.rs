//! `taketwo record` keeps a live session: every input once, in order, with what the tools really said.

use crate::program::{Folder, run};

const DESK: &str = "command:python3 examples/tools/desk.py";
const AGENT: &str = "command:python3 examples/python/support_agent.py";

fn has_python() -> bool {
    let there = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: recording with the example's tools needs python3");
    }
    there
}

/// A member of a row, as text.
fn member(row: &str, key: &str) -> String {
    let row: serde_json::Value = serde_json::from_str(row).unwrap();
    row[key].as_str().map_or_else(|| row[key].to_string(), str::to_owned)
}

#[test]
fn a_text_is_recorded_line_by_line_in_order() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let asked = folder.file("asked.txt", "Where is order 1002?\n\nhello\nRefund order 1004\n2 * 3.50\n");
    let out = folder.at("out.jsonl");
    let ran = run(&["record", &asked, "--target", AGENT, "--tools", DESK, "-o", &out, "--lanes", "3"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("4 of 4 inputs recorded"), "{}", ran.err);

    let text = std::fs::read_to_string(&out).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.iter().map(|row| member(row, "id")).collect::<Vec<_>>(), ["in-1", "in-3", "in-4", "in-5"]);
    assert!(rows[0].contains("503 the carrier is busy"), "the tool's error is kept: {}", rows[0]);
    assert!(rows[2].contains(r#""result":{"order_id":"1004","amount":"120.35","status":"refunded"}"#), "{}", rows[2]);
    assert_eq!(member(rows[1], "toolCalls"), "[]");
    for row in rows {
        assert!(member(row, "recordedAt").ends_with('Z'), "{row}");
        assert!(member(row, "latencyMs").parse::<f64>().unwrap() > 0.0, "{row}");
        assert!(member(row, "agent").starts_with("command:"), "{row}");
    }

    let replayed = run(&["run", &out, "--target", AGENT, "--runs", &folder.at("runs")]);
    assert_eq!(replayed.code, 0, "what was recorded replays: {}{}", replayed.out, replayed.err);
}

#[test]
fn a_recording_gives_its_inputs_and_keeps_which_case_is_which() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let old = folder.file(
        "old.jsonl",
        concat!(
            r#"{"id":"a","input":"order 1001","output":"old","toolCalls":[],"tokens":7,"scenario":"s","tags":["t"],"mine":1}"#,
            "\n",
            r#"{"id":"b","input":"and where is it?","history":[{"role":"user","content":"order 1001"}],"weight":3}"#,
            "\n"
        ),
    );
    let out = folder.at("new.jsonl");
    let ran = run(&[
        "record",
        &old,
        "--target",
        "sample:v1",
        "--tools",
        DESK,
        "-o",
        &out,
        "--no-time",
        "--effect",
        "get_*=read",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = std::fs::read_to_string(&out).unwrap();
    let [first, second] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert_eq!(member(first, "output"), "Order 1001 is shipped, total 59.90.");
    assert_eq!([member(first, "scenario"), member(first, "mine")], ["s", "1"]);
    assert!(first.contains(r#""effect":"read""#) && first.contains(r#""tags":["t"]"#), "{first}");
    assert!(!text.contains("recordedAt") && !text.contains("latencyMs"), "{text}");
    assert!(second.contains("PX-204-991"), "the history says which order is meant: {second}");
    assert_eq!(member(second, "weight"), "3");
}

#[test]
fn what_cannot_work_is_refused_before_anything_is_asked() {
    let folder = Folder::new();
    let asked = folder.file("asked.jsonl", "{\"input\":\"x\",\"setup\":{\"fixture\":\"vip\"}}\n{\"no\":\"input\"}\n");
    let out = folder.at("out.jsonl");
    let ran = run(&["record", &asked, "--target", "sample:v1", "--tools", "command:no-such-program-here", "-o", &out]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    for reason in ["no fixture \"vip\"", "no \"input\"", "no-such-program-here"] {
        assert!(ran.err.contains(reason), "all reasons at once, {reason:?} too: {}", ran.err);
    }
    assert!(!std::path::Path::new(&out).exists());

    let good = folder.file("good.jsonl", "{\"input\":\"x\"}\n");
    let refused = |arguments: &[&str], reason: &str| {
        let ran = run(&[&["record", &good, "--tools", DESK], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(reason), "{arguments:?}: {}", ran.err);
    };
    refused(&["--target", "sample:v1", "-o", &good, "--force"], "is one of the inputs");
    refused(&["--target", "sample:v1", "-o", &asked], "--force");
    refused(&["--target", "sample:v9", "-o", &out], "no version \"v9\"");
    refused(&["--target", "recorded:x.jsonl", "-o", &out], "cannot be asked anything new");
    refused(&["-o", &out], "--target");
    let empty = folder.file("empty.jsonl", "\n");
    let ran = run(&["record", &empty, "--target", "sample:v1", "--tools", "command:true", "-o", &out]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is no input"), "{}", ran.err);
}

#[test]
fn an_input_that_fails_is_named_and_the_others_are_recorded() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let asked = folder.file("asked.txt", "hello\nplease die\nhello again\n");
    let out = folder.at("out.jsonl");
    let target = "command:python3 examples/hostile/dies_midway.py";
    let ran = run(&["record", &asked, "--target", target, "--tools", DESK, "-o", &out]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("not recorded: in-2: the target ended"), "{}", ran.err);
    assert!(ran.err.contains("2 of 3 inputs recorded"), "{}", ran.err);
    let text = std::fs::read_to_string(&out).unwrap();
    assert_eq!(text.lines().map(|row| member(row, "id")).collect::<Vec<_>>(), ["in-1", "in-3"]);

    let all_die = folder.file("die.txt", "die\n");
    let none = folder.at("none.jsonl");
    let ran = run(&["record", &all_die, "--target", target, "--tools", DESK, "-o", &none]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("nothing was written"), "{}", ran.err);
    assert!(!std::path::Path::new(&none).exists(), "an empty recording would look like one");
}
