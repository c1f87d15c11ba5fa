//! A case accepts several recorded ways: a run may keep to any of them, and the report says to which.

use serde_json::Value;

use crate::program::{Folder, Ran, run};
use crate::replaying::has;

/// Where the recorded way asks the shop, the other asks the warehouse and then the carrier.
const CASE: &str = r#"{"id":"parcel","input":"where is my parcel","output":"It is here.","tokens":{"input":100,"output":10},
"toolCalls":[{"name":"ask_shop","arguments":{"order":"1001"},"result":{"at":"home"}}],
"variants":[{"name":"by carrier","tokens":{"input":300,"output":20},"toolCalls":[
{"name":"ask_warehouse","arguments":{"order":"1001"},"result":{"tracking":"T-77001"}},
{"name":"ask_carrier","arguments":{"tracking":"T-77001"},"result":{"at":"home"}}]}]}"#;

/// An agent that asks the warehouse, and the carrier for what the warehouse answered.
const AGENT: &str = r#"
import json, sys
def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
send({"type": "hello", "protocol": 1, "name": "carrier", "version": "1"})
attempt = None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        attempt = message["attempt"]
        send({"type": "tool_call", "attempt": attempt, "call": "1", "name": "ask_warehouse", "arguments": {"order": "1001"}})
    elif message["type"] == "tool_result" and message["call"] == "1":
        tracking = message["result"]["tracking"]
        send({"type": "tool_call", "attempt": attempt, "call": "2", "name": "ask_carrier", "arguments": {"tracking": tracking}})
    elif message["type"] in ("tool_result", "tool_error"):
        send({"type": "reply", "attempt": attempt, "output": "It is here.", "tokens": {"input": 310, "output": 20}})
"#;

fn line(text: &str) -> String {
    text.replace('\n', "") + "\n"
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// Runs a recording against another one.
fn against(folder: &Folder, seen: &str, more: &[&str]) -> Ran {
    let (a, b) = (folder.file("case.jsonl", line(CASE)), folder.file("seen.jsonl", line(seen)));
    let (target, runs) = (format!("recorded:{b}"), folder.at("runs"));
    run(&[&["run", &a, "--target", &target, "--runs", &runs][..], more].concat())
}

fn journal(folder: &Folder) -> Value {
    let runs = std::fs::read_dir(folder.at("runs")).unwrap();
    let run = runs.map(|run| run.unwrap().path()).max().unwrap();
    serde_json::from_str(std::fs::read_to_string(run.join("journal.jsonl")).unwrap().lines().next().unwrap()).unwrap()
}

#[test]
fn an_agent_that_takes_the_other_way_is_answered_and_passes() {
    if !has("python3") {
        return;
    }
    let folder = Folder::new();
    let (case, agent, runs) =
        (folder.file("case.jsonl", line(CASE)), folder.file("agent.py", AGENT), folder.at("runs"));
    let target = format!("command:python3 {agent}");
    let ran = run(&["run", &case, "--target", &target, "--runs", &runs, "--json"]);
    let report = report(&ran);
    assert_eq!((ran.code, &report["summary"]["passedByVariant"]), (0, &Value::from(1)), "{}", ran.out);
    let row = journal(&folder);
    assert_eq!(row["variant"], "by carrier");
    // The variant's own spend is what it is held to, and what it left unasked is no matter.
    assert_eq!((&row["recorded"]["tokens"], &row["ledger"]["unused"]), (&Value::from(320), &Value::from(0)));
    assert_eq!((&row["ledger"]["exact"], &row["ledger"]["fidelity"]), (&Value::from(2), &Value::from(1.0)));
    let text = run(&["report", "last", "--runs", &runs, "--case", "parcel"]);
    assert!(text.out.contains("kept to the variant by carrier"), "{}", text.out);
}

#[test]
fn the_recorded_way_passes_as_ever() {
    let folder = Folder::new();
    let seen = r#"{"id":"parcel","input":"where is my parcel","output":"x","tokens":{"input":100,"output":10},
"toolCalls":[{"name":"ask_shop","arguments":{"order":"1001"}}]}"#;
    let ran = against(&folder, seen, &[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(journal(&folder).get("variant").is_none());
    assert!(!ran.out.contains("variant"), "{}", ran.out);
}

#[test]
fn where_no_way_fits_the_nearest_is_named() {
    let folder = Folder::new();
    let seen = r#"{"id":"parcel","input":"where is my parcel","output":"x","tokens":{"input":300,"output":20},"toolCalls":[
{"name":"ask_warehouse","arguments":{"order":"1001"}},{"name":"ask_carrier","arguments":{"tracking":"T-77002"}}]}"#;
    let ran = against(&folder, seen, &[]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("compared with the variant by carrier"), "{}", ran.out);
    assert!(ran.out.contains("\"T-77001\"") && ran.out.contains("\"T-77002\""), "{}", ran.out);
}

#[test]
fn another_recording_can_hold_the_other_ways() {
    let folder = Folder::new();
    let recorded = r#"{"id":"parcel","input":"where is my parcel","output":"x","toolCalls":[{"name":"ask_shop"}]}"#;
    let other = r#"{"id":"parcel","input":"where is my parcel","output":"x","toolCalls":[{"name":"ask_carrier"}]}"#;
    let (a, b) = (folder.file("a.jsonl", line(recorded)), folder.file("approved.jsonl", line(other)));
    let seen = folder.file("seen.jsonl", line(other));
    let differs = run(&["diff", &a, &seen, "--exit-code"]);
    assert_eq!(differs.code, 1, "{}", differs.out);
    let same = run(&["diff", &a, &seen, "--exit-code", "--variants", &b]);
    assert_eq!(same.code, 0, "{}", same.out);
    let target = format!("recorded:{seen}");
    let check = run(&["check", &a, "--target", &target, "--variants", &b]);
    assert!(check.out.contains("variants  1 case accepts other ways"), "{}", check.out);
    // A suite names them from its own folder, and none that belongs to no case goes unnoticed.
    let suite = folder.file("suite.toml", "variants = [\"approved.jsonl\"]\n");
    assert_eq!(run(&["diff", &a, &seen, "--exit-code", "--suite", &suite]).code, 0);
    let stranger = folder.file("stranger.jsonl", line(&other.replace("\"parcel\"", "\"none\"")));
    let refused = run(&["diff", &a, &seen, "--variants", &stranger]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("no case has a counterpart in the variants"), "{}", refused.err);
}

#[test]
fn variants_come_through_parquet_and_back() {
    let folder = Folder::new();
    let (case, packed, back) =
        (folder.file("case.jsonl", line(CASE)), folder.at("case.parquet"), folder.at("back.jsonl"));
    assert_eq!(run(&["convert", &case, &packed]).code, 0);
    assert_eq!(run(&["convert", &packed, &back]).code, 0);
    let (was, is): (Value, Value) = (
        serde_json::from_str(&std::fs::read_to_string(&case).unwrap()).unwrap(),
        serde_json::from_str(&std::fs::read_to_string(&back).unwrap()).unwrap(),
    );
    assert_eq!(was, is);
}

#[test]
fn a_variant_that_is_none_is_a_reason_not_to_start() {
    let folder = Folder::new();
    let case = folder.file("case.jsonl", "{\"id\":\"a\",\"input\":\"x\",\"variants\":[{\"name\":\"empty\"}]}\n");
    let refused = run(&["run", &case, "--target", "sample:v1", "--runs", &folder.at("runs")]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("variants[0]: a variant says which tools are called"), "{}", refused.err);
}

#[test]
fn each_recording_of_variants_must_belong_to_a_case() {
    let folder = Folder::new();
    let case = folder.file("case.jsonl", line(CASE));
    let stranger = folder.file("stranger.jsonl", "{\"id\":\"none\",\"input\":\"x\",\"toolCalls\":[]}\n");
    let refused = run(&["diff", &case, &case, "--variants", &stranger]);
    assert_eq!(refused.code, 2, "the variants in the recording itself are none of the stranger's");
    assert!(refused.err.contains("stranger.jsonl"), "{}", refused.err);
}

#[test]
fn rows_of_variants_that_cannot_be_read_are_held_to_the_budget() {
    let folder = Folder::new();
    let case = folder.file("case.jsonl", "{\"id\":\"a\",\"input\":\"x\",\"toolCalls\":[{\"name\":\"b\"}]}\n");
    let other =
        folder.file("other.jsonl", "{\"id\":\"a\",\"input\":\"x\",\"toolCalls\":[{\"name\":\"c\"}]}\nno json\n");
    let seen = folder.file("seen.jsonl", "{\"id\":\"a\",\"input\":\"x\",\"toolCalls\":[{\"name\":\"c\"}]}\n");
    let with =
        |budget: &str| run(&["diff", &case, &seen, "--exit-code", "--variants", &other, "--max-rejects", budget]);
    let refused = with("0");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("other.jsonl:2"), "{}", refused.err);
    let passed = with("1");
    assert_eq!(passed.code, 0, "{}{}", passed.out, passed.err);
}

#[test]
fn a_run_is_not_resumed_with_other_variants() {
    let folder = Folder::new();
    let case = folder.file("case.jsonl", "{\"id\":\"a\",\"input\":\"x\",\"toolCalls\":[{\"name\":\"b\"}]}\n");
    let way = "{\"id\":\"a\",\"input\":\"x\",\"toolCalls\":[{\"name\":\"c\"}]}\n";
    let (seen, other) = (folder.file("seen.jsonl", way), folder.file("approved.jsonl", way));
    let (target, runs) = (format!("recorded:{seen}"), folder.at("runs"));
    let arguments = ["run", &case, "--target", &target, "--variants", &other, "--runs", &runs];
    let first = run(&arguments);
    assert_eq!(first.code, 0, "{}", first.out);
    assert!(first.out.contains("variants ") && first.out.contains("approved.jsonl ("), "{}", first.out);
    assert_eq!(run(&["run", "--resume", "--runs", &runs]).code, 0);
    folder.file("approved.jsonl", way.replace("\"c\"", "\"d\""));
    let refused = run(&["run", "--resume", "--runs", &runs]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("variants: was"), "{}", refused.err);
}

#[test]
fn the_report_says_by_which_variant_a_case_passed() {
    let folder = Folder::new();
    let seen = r#"{"id":"parcel","input":"where is my parcel","output":"x","tokens":{"input":300,"output":20},"toolCalls":[
{"name":"ask_warehouse","arguments":{"order":"1001"}},{"name":"ask_carrier","arguments":{"tracking":"T-77001"}}]}"#;
    let ran = against(&folder, seen, &["--json"]);
    assert_eq!(report(&ran)["cases"][0]["variant"], "by carrier", "{}", ran.out);
    let row = journal(&folder);
    assert_eq!((&row["ways"], &row["ledger"]["unused"]), (&Value::from(2), &Value::from(0)));
}

#[test]
fn where_the_recorded_calls_are_unknown_a_variant_can_still_be_kept_to() {
    let folder = Folder::new();
    let recorded = r#"{"id":"a","input":"x","output":"o","variants":[{"name":"known","toolCalls":[{"name":"get"}]}]}"#;
    let case = folder.file("case.jsonl", line(recorded));
    let against = |tool: &str| {
        let seen = format!(r#"{{"id":"a","input":"x","output":"o","toolCalls":[{{"name":"{tool}"}}]}}"#);
        run(&["diff", &case, &folder.file("seen.jsonl", line(&seen)), "--exit-code"])
    };
    assert_eq!(against("get").code, 0);
    assert_eq!(against("other").code, 3, "it may be what was recorded: nothing is found, nothing is proven");
}

#[test]
fn the_way_is_chosen_by_what_the_matching_holds_to() {
    let folder = Folder::new();
    let recorded = r#"{"id":"a","input":"x","output":"o","toolCalls":[{"name":"p","arguments":{"k":1}}],
"variants":[{"name":"v","toolCalls":[{"name":"p","arguments":{"k":1,"m":9,"n":2,"o":3}}]}]}"#;
    let seen =
        r#"{"id":"a","input":"x","output":"o","toolCalls":[{"name":"p","arguments":{"k":1,"m":8,"n":2,"o":3}}]}"#;
    let (a, b) = (folder.file("a.jsonl", line(recorded)), folder.file("b.jsonl", line(seen)));
    let labels = run(&["diff", &a, &b, "--exit-code", "--match", "labels"]);
    assert_eq!(labels.code, 0, "the recorded arguments are all there: {}", labels.out);
    let strict = run(&["diff", &a, &b, "--exit-code", "--match", "strict"]);
    assert!(strict.out.contains("compared with the variant v, the nearest of 2"), "{}", strict.out);
}

#[test]
fn a_way_that_was_recorded_without_an_answer_is_told_of() {
    let folder = Folder::new();
    let case = folder.file("case.jsonl", "{\"id\":\"a\",\"input\":\"x\",\"toolCalls\":[{\"name\":\"b\"}]}\n");
    let missed = r#"{"id":"a","input":"x","toolCalls":[{"name":"c","error":{"type":"no_recording","message":"m"}}]}"#;
    let approved = folder.file("approved.jsonl", line(missed));
    let ran = run(&["diff", &case, &approved, "--variants", &approved]);
    assert!(ran.out.contains("1 case accepts a way in which a call was answered by no recording"), "{}", ran.out);
}
