//! Results of tau2-bench become recordings with the agent's calls as they were made. What must come out is counted
//! here a second time, in another way.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::corpus::shared;
use crate::program::{Folder, run};

const FILES: [&str; 7] = [
    "src/experiments/model_training/results/gpt-4.1_airline_default_gpt-4.1_1trials.json",
    "src/experiments/model_training/results/ft_gpt-4.1-2025-04-14_sierra_tau2-full-sft_BzrYdMNm_airline_default_gpt-4.1_1trials.json",
    "src/experiments/model_training/results/gpt-4.1_retail_defautl_gpt-4.1_1trials.json",
    "src/experiments/model_training/results/ft_gpt-4.1-2025-04-14_sierra_tau2-full-sft_BzrYdMNm_retail_default_gpt-4.1_1trials.json",
    "judge_viewer/data/simulations/azure-airline-full.json",
    "src/experiments/eval/data/qwen2.5-7b-retries/ollama_chat/qwen2.5_7b_airline_default_gpt-4.1-2025-04-14_1trials.json",
    "web/leaderboard/public/submissions/claude-sonnet-4-5_aide-platform_2025-10-31/trajectories/claude-sonnet-4-5_airline_default_gpt4.1_1trials.json",
];

/// What is told of one simulation.
#[derive(Debug, Default, PartialEq)]
struct Told {
    session: String,
    input: String,
    output: String,
    /// Name and arguments of each call.
    calls: Vec<(String, Value)>,
    answers: Vec<Value>,
    errors: usize,
    model_calls: usize,
    tokens: Option<(u64, u64)>,
    cost: Option<f64>,
    failed: bool,
}

/// The messages of a simulation, counted straight from the file.
fn counted(simulation: &Value) -> Told {
    let messages = simulation["messages"].as_array().unwrap();
    let of = |role: &'static str| messages.iter().filter(move |message| message["role"] == role);
    let calls = || of("assistant").flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
    let asked: Vec<_> = of("assistant").filter(|message| !message["raw_data"].is_null()).collect();
    let results: Vec<_> = of("tool").filter(|message| message["requestor"] == "assistant").collect();
    let sum = |key: &str| asked.iter().map(|message| message["usage"][key].as_u64()).sum::<Option<u64>>();
    let answer = |message: &&Value| -> Value {
        let text = message["content"].as_str().unwrap();
        serde_json::from_str(text)
            .ok()
            .filter(|value: &Value| value.is_object() || value.is_array())
            .unwrap_or(text.into())
    };
    let cost = simulation["agent_cost"].as_f64().unwrap();
    Told {
        session: simulation["id"].as_str().unwrap().into(),
        input: of("user").next().unwrap()["content"].as_str().unwrap().into(),
        output: of("assistant")
            .filter_map(|message| message["content"].as_str())
            .rfind(|text| !text.trim().is_empty())
            .unwrap()
            .into(),
        calls: calls().map(|call| (call["name"].as_str().unwrap().into(), call["arguments"].clone())).collect(),
        answers: results.iter().filter(|message| message["error"] == false).map(answer).collect(),
        errors: results.iter().filter(|message| message["error"] == true).count(),
        model_calls: asked.len(),
        tokens: sum("prompt_tokens").zip(sum("completion_tokens")),
        cost: Some(cost).filter(|cost| *cost > 0.0),
        failed: simulation["termination_reason"] != "user_stop",
    }
}

/// The same out of an interaction.
fn imported(line: &Value) -> Told {
    let calls = line["toolCalls"].as_array().unwrap();
    Told {
        session: line["session"].as_str().unwrap().into(),
        input: line["input"].as_str().unwrap().into(),
        output: line["output"].as_str().unwrap().into(),
        calls: calls.iter().map(|call| (call["name"].as_str().unwrap().into(), call["arguments"].clone())).collect(),
        answers: calls.iter().filter_map(|call| call.get("result").cloned()).collect(),
        errors: calls.iter().filter(|call| call.get("error").is_some()).count(),
        model_calls: line["modelCalls"].as_array().unwrap().len(),
        tokens: line["tokens"]["input"].as_u64().zip(line["tokens"]["output"].as_u64()),
        cost: line["cost"].as_f64(),
        failed: line.get("failure").is_some(),
    }
}

/// Imports a file and gives its interactions by their ids.
fn import(folder: &Folder, file: &Path) -> BTreeMap<String, Value> {
    let out = folder.at("out.jsonl");
    let ran = run(&["import", "tau2", file.to_str().unwrap(), "--force", "-o", &out]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = std::fs::read_to_string(out).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (line["id"].as_str().unwrap().to_owned(), line)).collect()
}

#[test]
fn every_simulation_is_told_as_it_was() {
    let Some(corpus) = shared("corpus/tau2-bench") else { return };
    let folder = Folder::new();
    for file in FILES {
        let results: Value = serde_json::from_str(&std::fs::read_to_string(corpus.join(file)).unwrap()).unwrap();
        let simulations = results["simulations"].as_array().unwrap();
        let interactions = import(&folder, &corpus.join(file));
        assert_eq!(interactions.len(), simulations.len(), "{file}");
        for simulation in simulations {
            let interaction = &interactions[simulation["task_id"].as_str().unwrap()];
            assert_eq!(imported(interaction), counted(simulation), "{file}");
        }
    }
}

#[test]
fn simulations_in_a_table_are_read_by_their_own_ids() {
    let Some(corpus) = shared("corpus/derived-parquet") else { return };
    let folder = Folder::new();
    let mut told = Vec::new();
    for file in ["tau2_simulations.snappy.parquet", "tau2_simulations.zstd.parquet"] {
        let out = folder.at("out.jsonl");
        let file = corpus.join(file);
        let options = ["--force", "--max-rejects", "100%", "-o", &out];
        let ran = run(&[&["import", file.to_str().unwrap()], options.as_slice()].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.err.contains("belongs to no recorded call"), "{}", ran.err);
        told.push(std::fs::read_to_string(out).unwrap());
    }
    assert_eq!(told[0], told[1], "however a table is packed");
    let calls: Vec<Value> = told[0]
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .flat_map(|line| line["toolCalls"].as_array().cloned().unwrap_or_default())
        .collect();
    let is_answered = |call: &&Value| !call["result"].is_null() || !call["error"].is_null();
    assert_eq!((told[0].lines().count(), calls.len()), (985, calls.iter().filter(is_answered).count()));
}

#[test]
fn two_runs_of_the_same_tasks_pair_by_id() {
    let Some(corpus) = shared("corpus/tau2-bench") else { return };
    let folder = Folder::new();
    // How many tasks there are, in how many both models called the same tools in the same order, and in how many also
    // with the same arguments.
    for (pair, tasks, same_tools, same_calls) in [(0, 20, 6, 4), (2, 40, 9, 8)] {
        let [base, tuned] = [0, 1].map(|side| import(&folder, &corpus.join(FILES[pair + side])));
        assert!(base.keys().eq(tuned.keys()));
        let calls = || base.iter().map(|(id, line)| (imported(line).calls, imported(&tuned[id]).calls));
        let names = |calls: &[(String, Value)]| calls.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let tools = calls().filter(|(base, tuned)| names(base) == names(tuned)).count();
        let whole = calls().filter(|(base, tuned)| base == tuned).count();
        assert_eq!((base.len(), tools, whole), (tasks, same_tools, same_calls));
        let known = |side: &BTreeMap<String, Value>| side.values().filter(|line| line.get("cost").is_some()).count();
        assert_eq!((known(&base), known(&tuned)), (tasks, 0), "a model without a price is not free");
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let folder = Folder::new();
    let path = folder.file("x.json", r#"{"info":{},"tasks":[]}"#);
    let ran = run(&["import", "tau2", &path, "-o", &folder.at("y.jsonl")]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("it has no list") && ran.err.contains("info, tasks"), "{}", ran.err);
    let path = folder.file("x.json", r#"{"simulations":[{"task_id":"1","messages":[]}]}"#);
    let ran = run(&["import", "tau2", &path, "-o", &folder.at("y.jsonl")]);
    assert!(ran.code == 2 && ran.err.contains("value 1: no \"messages\""), "{}", ran.err);
}
