//! Traces become recordings in which each call stands once, however the telemetry was set up: what must come out of the
//! documents of agentevals is written beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::corpus::shared;
use crate::program::{Folder, run};

/// What is told of a turn.
#[derive(Debug, PartialEq)]
struct Told {
    input: Value,
    output: Value,
    /// Name, arguments, result and whether it is an error.
    calls: Vec<(String, Value, Value, bool)>,
    tokens: (u64, u64),
    /// Where the document tells it.
    model_calls: Option<u64>,
}

/// Where the truth beside a document is none for a recording, and why.
const OTHER_TRUTHS: [&str; 1] = [
    // Claude Code's own spans tell calls and tokens, which agentevals does not read.
    "kagent/v1.0.0-alpha9/claude_native_2turn",
];

/// Documents that say nothing of what the user asked: there is nothing to replay in them.
const WITHOUT_CONTENT: [&str; 1] = ["hand/content_capture_off"];

/// Results compare without the wrapper that ADK puts around what is no object.
fn unwrapped(result: &Value) -> Value {
    match result.as_object() {
        Some(object) if object.len() == 1 && object.contains_key("result") => unwrapped(&object["result"]),
        _ => result.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| result.clone()),
    }
}

/// Calls of one answer have no order among themselves; the truth has them as they began, a recording as they were asked for.
fn sort(calls: &mut [(String, Value, Value, bool)]) {
    calls.sort_by_key(|(name, arguments, ..)| format!("{name} {arguments}"));
}

fn truth(turn: &Value) -> Told {
    let call = |call: &Value| {
        let is_error = call["is_error"].as_bool().unwrap();
        let result = if is_error { Value::Null } else { unwrapped(&call["result"]) };
        (call["name"].as_str().unwrap().to_owned(), call["args"].clone(), result, is_error)
    };
    let mut calls: Vec<_> = turn["tool_calls"].as_array().unwrap().iter().map(call).collect();
    sort(&mut calls);
    Told {
        input: turn["user_text"].clone(),
        output: turn["final_text"].clone(),
        calls,
        tokens: (turn["tokens"]["input"].as_u64().unwrap(), turn["tokens"]["output"].as_u64().unwrap()),
        model_calls: turn["llm_calls"].as_u64(),
    }
}

fn imported(line: &Value, truth: &Value) -> Told {
    let call = |call: &Value| {
        let is_error = call.get("error").is_some();
        let result = if is_error { Value::Null } else { unwrapped(call.get("result").unwrap_or(&Value::Null)) };
        (
            call["name"].as_str().unwrap().to_owned(),
            call.get("arguments").cloned().unwrap_or_else(|| serde_json::json!({})),
            result,
            is_error,
        )
    };
    let mut calls: Vec<_> = line["toolCalls"].as_array().into_iter().flatten().map(call).collect();
    sort(&mut calls);
    let tokens = |class: &str| line["tokens"][class].as_u64().unwrap_or_default();
    Told {
        input: line["input"].clone(),
        output: line.get("output").cloned().unwrap_or(Value::Null),
        calls,
        tokens: (tokens("input"), tokens("output")),
        model_calls: truth["llm_calls"].as_u64().map(|_| line["modelCalls"].as_array().map_or(0, Vec::len) as u64),
    }
}

/// Imports a file and gives its interactions.
fn import(folder: &Folder, file: &Path) -> Vec<Value> {
    let out = folder.at("out.jsonl");
    let ran = run(&["import", file.to_str().unwrap(), "--force", "-o", &out]);
    assert_eq!(ran.code, 0, "{}: {}", file.display(), ran.err);
    let text = std::fs::read_to_string(out).unwrap();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.to_str().unwrap().ends_with(".truth.json") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn every_document_of_agentevals_gives_its_turns() {
    let Some(corpus) = shared("corpus/agentevals-otlp") else { return };
    let folder = Folder::new();
    let mut truths = Vec::new();
    documents(&corpus, &mut truths);
    let (mut turns, mut wrong) = (0, Vec::new());
    for path in truths {
        let told: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let name = told["fixture"].as_str().unwrap().to_owned();
        let document = path.with_file_name(path.file_name().unwrap().to_str().unwrap().replace(".truth.json", ".json"));
        if WITHOUT_CONTENT.contains(&name.as_str()) {
            let ran = run(&["import", document.to_str().unwrap(), "-o", &folder.at("nothing.jsonl")]);
            assert!(ran.code == 2 && ran.err.contains("does not say what the user asked"), "{}", ran.err);
            continue;
        }
        let lines = import(&folder, &document);
        let expected = told["turns"].as_array().unwrap();
        if lines.len() != expected.len() {
            wrong.push(format!("{name}: {} turns, not {}", lines.len(), expected.len()));
            continue;
        }
        for (line, turn) in lines.iter().zip(expected) {
            turns += 1;
            let (found, wanted) = (imported(line, turn), truth(turn));
            let is_other = OTHER_TRUTHS.contains(&name.as_str());
            let is_right =
                if is_other { found.input == wanted.input && found.output == wanted.output } else { found == wanted };
            if !is_right {
                wrong.push(format!("{name}:\n  found {found:?}\n  truth {wanted:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {turns} turns\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(turns, 94);
}

#[test]
fn the_way_telemetry_is_set_up_changes_nothing() {
    let Some(corpus) = shared("corpus/agentevals-otlp/adk_py") else { return };
    let folder = Folder::new();
    let mut scenarios: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut truths = Vec::new();
    documents(&corpus, &mut truths);
    for path in truths {
        let scenario = path.file_name().unwrap().to_str().unwrap().replace(".truth.json", "");
        let lines = import(&folder, &path.with_file_name(format!("{scenario}.json")));
        let told = lines.iter().map(|line| {
            let steps: Vec<_> = line["toolCalls"].as_array().unwrap().iter().map(|call| &call["step"]).collect();
            let models: Vec<_> = line["modelCalls"].as_array().unwrap().iter().map(|call| &call["tokens"]).collect();
            format!(
                "{:?} {steps:?} {models:?} {} {:?}",
                imported(line, &Value::Null),
                line["agent"],
                line.get("failure")
            )
        });
        scenarios.entry(scenario).or_default().push(told.collect::<Vec<_>>().join("\n"));
    }
    assert_eq!(scenarios.len(), 8);
    for (scenario, mut told) in scenarios {
        told.sort();
        told.dedup();
        assert_eq!(told.len(), 1, "{scenario}: {told:#?}");
    }
}

/// What the exporters of instrumented clients wrote, where each call of a model is a trace of its own.
const CLIENTS: [(&str, [usize; 3]); 6] = [
    // The interactions, those turned away as their sender recorded no contents, and the calls of tools.
    ("oc", [42, 36, 19]),
    ("oi_agno", [29, 0, 10]),
    ("oi_anthropic", [37, 0, 4]),
    ("oi_pydantic-ai", [4, 0, 4]),
    ("ol40_anthropic", [23, 0, 2]),
    ("ol_openai", [129, 51, 11]),
];

#[test]
fn what_instrumented_clients_wrote_is_imported_and_replays_without_a_difference() {
    let Some(corpus) = shared("corpus/derived-otlp") else { return };
    let folder = Folder::new();
    let mut found = Vec::new();
    for (name, _) in CLIENTS {
        let out = folder.at("out.jsonl");
        let mut arguments = vec!["import".to_owned(), "otlp".to_owned()];
        for file in ["traces.otlp.jsonl", "logs.otlp.jsonl"] {
            let path = corpus.join(name).join(file);
            arguments.extend(path.exists().then(|| path.to_str().unwrap().to_owned()));
        }
        let rest = ["--max-rejects", "1000", "--quarantine", &folder.at("rejects.jsonl"), "--force", "-o", &out];
        arguments.extend(rest.map(str::to_owned));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = run(&arguments);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        let text = std::fs::read_to_string(&out).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let rejects = std::fs::read_to_string(folder.at("rejects.jsonl")).unwrap_or_default().lines().count();
        let calls = lines.iter().filter_map(|line| line["toolCalls"].as_array()).map(Vec::len).sum();
        found.push((name, [lines.len(), rejects, calls]));
        let replayed = run(&["run", &out, "--target", &format!("recorded:{out}")]);
        assert!(replayed.code == 0 || replayed.code == 3, "{name}: {}{}", replayed.out, replayed.err);
        assert!(!replayed.out.contains("FAILED"), "{name}: {}", replayed.out);
    }
    assert_eq!(found, CLIENTS);
}

#[test]
fn protobuf_says_what_json_says() {
    let Some(corpus) = shared("corpus/derived-otlp") else { return };
    let folder = Folder::new();
    for (name, _) in CLIENTS {
        let mut bodies: Vec<PathBuf> =
            std::fs::read_dir(corpus.join(name).join("pb")).unwrap().map(|entry| entry.unwrap().path()).collect();
        bodies.sort();
        let text = std::fs::read_to_string(corpus.join(name).join("traces.otlp.jsonl")).unwrap();
        let first: Vec<&str> = text.lines().take(bodies.len()).collect();
        let lines = folder.file("first.jsonl", first.join("\n"));
        let from = |files: &[&str], out: &str| {
            let out = folder.at(out);
            let ran = run(&[&["import"], files, &["--max-rejects", "1000", "--force", "-o", &out]].concat());
            assert_eq!(ran.code, 0, "{name}: {}", ran.err);
            std::fs::read_to_string(out).unwrap()
        };
        let bodies: Vec<&str> = bodies.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(from(&bodies, "binary.jsonl"), from(&[&lines], "text.jsonl"), "{name}");
        // The collector's file exporter writes a length before each message, and packs it where it is told to.
        let records = |pack: fn(Vec<u8>) -> Vec<u8>| -> Vec<u8> {
            let record = |path: &&str| {
                let message = pack(std::fs::read(path).unwrap());
                [u32::try_from(message.len()).unwrap().to_be_bytes().to_vec(), message].concat()
            };
            bodies.iter().flat_map(record).collect()
        };
        for (kind, bytes) in [("plain", records(|it| it)), ("packed", records(|it| zstd::encode_all(&*it, 1).unwrap()))]
        {
            let path = folder.at(kind);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(from(&[&path], "records.jsonl"), from(&[&lines], "text.jsonl"), "{name} {kind}");
        }
    }
}
