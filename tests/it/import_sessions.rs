//! Files that hold whole conversations become recordings with what was said, called and spent in them. What must come
//! out is counted here a second time, straight from the files, in another way.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::corpus::{files, shared};
use crate::program::{Folder, run};

/// Sums over a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    interactions: usize,
    calls: usize,
    results: usize,
    errors: usize,
    model_calls: usize,
    /// Tokens of model calls that tell theirs: read and written.
    input: u64,
    output: u64,
}

/// What a file of a format holds, counted from its text; `None` where it is to be refused.
type Count = fn(&Path) -> Option<Sums>;

/// Imports a file. Rejects are let through, and counted.
fn import(format: &str, file: &Path) -> Result<(Sums, Vec<Value>, String), String> {
    let folder = Folder::new();
    let out = folder.at("out.jsonl");
    let ran = run(&["import", format, file.to_str().unwrap(), "--max-rejects", "1000", "-o", &out]);
    if ran.code != 0 || !Path::new(&out).exists() {
        return Err(ran.err);
    }
    let text = std::fs::read_to_string(&out).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    if lines.is_empty() {
        return Err(ran.err);
    }
    let round = run(&["run", &out, "--target", &format!("recorded:{out}")]);
    assert!(matches!(round.code, 0 | 3) && !round.out.contains("FAILED"), "{}: {}", file.display(), round.out);
    let found = sums(&lines);
    for grain in ["turn", "session"] {
        let per = folder.at(&format!("{grain}.jsonl"));
        run(&["import", format, file.to_str().unwrap(), "--max-rejects", "1000", "--per", grain, "-o", &per]);
        let text = std::fs::read_to_string(&per).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        // A session is only known to have made the calls that each of its turns tells.
        if lines.iter().all(|line| line.get("toolCalls").is_some() == line.get("output").is_some()) {
            assert_eq!(
                Sums { interactions: 0, ..sums(&lines) },
                Sums { interactions: 0, ..found },
                "{}, per {grain}",
                file.display()
            );
        }
    }
    Ok((found, lines, ran.err))
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

fn sums(lines: &[Value]) -> Sums {
    let calls = || lines.iter().flat_map(|line| list(line, "toolCalls"));
    let models = || lines.iter().flat_map(|line| list(line, "modelCalls"));
    let tokens = |class: &'static str| models().filter_map(|call| call["tokens"][class].as_u64()).sum();
    let counted: usize = lines.iter().filter_map(|line| line["modelCalls"].as_u64()).map(|count| count as usize).sum();
    Sums {
        interactions: lines.len(),
        calls: calls().count(),
        results: calls().filter(|call| call.get("result").is_some()).count(),
        errors: calls().filter(|call| call.get("error").is_some()).count(),
        model_calls: models().count() + counted,
        input: tokens("input"),
        output: tokens("output"),
    }
}

/// Imports all files and compares what comes out with what is counted; gives the sums over all and how many files were
/// refused, each with the last line that says why.
fn compare(format: &str, files: &[PathBuf], count: Count) -> (Sums, Vec<String>) {
    let (mut all, mut refused) = (Sums::default(), Vec::new());
    for file in files {
        match (import(format, file), count(file)) {
            (Ok((found, _, _)), Some(counted)) => {
                assert_eq!(found, counted, "{}", file.display());
                all.interactions += found.interactions;
                all.calls += found.calls;
                all.results += found.results;
                all.errors += found.errors;
                all.model_calls += found.model_calls;
                all.input += found.input;
                all.output += found.output;
            }
            (Err(why), None) => refused.push(format!("{}: {why}", file.display())),
            (found, counted) => panic!("{}: {found:?}, counted {counted:?}", file.display()),
        }
    }
    println!("{format}: {all:?}, {} refused", refused.len());
    (all, refused)
}

fn json(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn lines(file: &Path) -> Vec<Value> {
    std::fs::read_to_string(file).unwrap().lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn runs_of_tau_bench_are_told_as_they_were() {
    let Some(corpus) = shared("corpus/tau-bench") else { return };
    let count = |file: &Path| {
        let mut sums = Sums::default();
        for run in json(file).as_array().unwrap() {
            sums.interactions += 1;
            for message in list(run, "traj") {
                sums.calls += list(message, "tool_calls").count();
                sums.model_calls += usize::from(message["role"] == "assistant");
                if message["role"] == "tool" {
                    let failed = message["content"].as_str().unwrap().starts_with("Error");
                    *(if failed { &mut sums.errors } else { &mut sums.results }) += 1;
                }
            }
        }
        Some(sums)
    };
    let (all, refused) = compare("tau", &files(&corpus, &["json"]), count);
    assert_eq!((all.interactions, all.calls, all.errors, refused.len()), (200, 1164, 73, 0));
}

/// Of the answers in the lines of Claude Code: by message, the last tokens and the calls.
fn claude_code(file: &Path) -> Option<Sums> {
    let lines = lines(file);
    let mut answers: BTreeMap<String, &Value> = BTreeMap::new();
    let (mut calls, mut results, mut prompts) = (BTreeSet::new(), HashMap::new(), 0);
    for line in &lines {
        let message = &line["message"];
        if line["type"] == "assistant" {
            answers.insert(message["id"].as_str().unwrap().to_owned(), message);
            calls.extend(list(message, "content").filter_map(|block| block["id"].as_str()));
        }
        let words = message["content"].as_str().unwrap_or_default();
        let is_typed = list(message, "content").next().is_none_or(|block| block["type"] != "tool_result")
            && !words.starts_with('<')
            && line["isMeta"] != true;
        prompts += usize::from(line["type"] == "user" && is_typed);
        for block in list(message, "content").filter(|block| block["type"] == "tool_result") {
            results.insert(block["tool_use_id"].as_str().unwrap(), block["is_error"] == true);
        }
    }
    let usage = |key: &str| answers.values().filter_map(|message| message["usage"][key].as_u64()).sum::<u64>();
    let cached = usage("cache_read_input_tokens") + usage("cache_creation_input_tokens");
    let known = |error: bool| results.iter().filter(|(id, failed)| calls.contains(*id) && **failed == error).count();
    (prompts > 0).then(|| Sums {
        interactions: prompts,
        calls: calls.len(),
        results: known(false),
        errors: known(true),
        model_calls: answers.len(),
        input: usage("input_tokens") + cached,
        output: usage("output_tokens"),
    })
}

#[test]
fn sessions_of_claude_code_are_told_as_they_were() {
    let (Some(log), Some(scout)) =
        (shared("corpus/claude-code-log"), shared("corpus/inspect_scout/tests/sources/claude_code_source"))
    else {
        return;
    };
    let (all, refused) = compare("claude-code", &files(&scout, &["jsonl"]), claude_code);
    assert_eq!((all.interactions, all.calls, all.model_calls, refused.len()), (14, 3, 17, 0));
    // Single lines, most of which are the middle of a turn.
    let (all, refused) = compare("claude-code", &files(&log, &["jsonl"]), claude_code);
    assert_eq!((all.interactions, all.calls), (3, 0));
    for why in &refused {
        assert!(why.contains("starts in the middle of a turn") || why.contains("nobody asks the agent"), "{why}");
    }
}

#[test]
fn sessions_of_openclaw_are_told_as_they_were() {
    let Some(corpus) = shared("corpus/openclaw-sessions") else { return };
    let count = |file: &Path| {
        let (mut sums, mut said) = (Sums::default(), BTreeSet::new());
        let mut is_answered = true;
        for line in lines(file) {
            let message = &line["message"];
            let blocks = |kind: &'static str| list(message, "content").filter(move |block| block["type"] == kind);
            match message["role"].as_str() {
                // Words that nobody answers before the next are no interaction of their own.
                Some("user") => {
                    sums.interactions += usize::from(is_answered);
                    is_answered = false;
                }
                Some("assistant") => {
                    is_answered = true;
                    let words: Vec<_> = blocks("text").map(|block| block["text"].as_str().unwrap()).collect();
                    let is_repeat = message["api"] == "cli" && !said.insert(words.join("\n"));
                    said.insert(words.join("\n"));
                    if is_repeat {
                        continue;
                    }
                    let usage = |key: &str| message["usage"][key].as_u64().unwrap();
                    sums.model_calls += 1;
                    sums.calls += blocks("toolCall").count();
                    sums.input += usage("input") + usage("cacheRead") + usage("cacheWrite");
                    sums.output += usage("output");
                }
                Some("toolResult") if message["isError"] == true => sums.errors += 1,
                Some("toolResult") => sums.results += 1,
                _ => {}
            }
        }
        (sums.interactions > 0).then_some(sums)
    };
    let (all, refused) = compare("openclaw", &files(&corpus, &["jsonl"]), count);
    assert_eq!((all.calls, all.errors, all.model_calls, refused.len()), (59, 3, 65, 0));
    let list = files(&corpus, &["sessions.json"]);
    let why = import("openclaw", &list[0]).unwrap_err();
    assert!(why.contains("sessions.json only lists them"), "{why}");
}

#[test]
fn logs_of_inspect_are_told_as_they_were() {
    let Some(corpus) = shared("corpus/inspect") else { return };
    let count = |file: &Path| {
        let log = json(file);
        let mut sums = Sums::default();
        for sample in list(&log, "samples") {
            sums.interactions += 1;
            let answers: BTreeSet<&str> = list(sample, "messages")
                .filter(|message| message["role"] == "assistant")
                .filter_map(|message| message["id"].as_str().or(message["content"].as_str()))
                .collect();
            sums.model_calls += list(sample, "messages").filter(|message| message["role"] == "assistant").count();
            sums.calls += list(sample, "messages").flat_map(|message| list(message, "tool_calls")).count();
            let results =
                list(sample, "messages").filter(|message| message["role"] == "tool" && message["error"].is_null());
            sums.results += results.count();
            for event in list(sample, "events").filter(|event| event["event"] == "model") {
                let message = &event["output"]["choices"][0]["message"];
                let is_agents = |key: &str| message[key].as_str().is_some_and(|it| answers.contains(it));
                if is_agents("id") || is_agents("content") {
                    let usage = &event["output"]["usage"];
                    let total = usage["total_tokens"].as_u64().unwrap_or(0);
                    sums.output += usage["output_tokens"].as_u64().unwrap_or(0);
                    sums.input += total - usage["output_tokens"].as_u64().unwrap_or(0);
                }
            }
        }
        (sums.interactions > 0).then_some(sums)
    };
    let (all, refused) = compare("inspect", &files(&corpus, &["json"]), count);
    assert_eq!((all.interactions, all.calls, all.results, refused.len()), (12, 4, 4, 1));
    assert!(refused[0].contains("this log has no samples") && refused[0].contains("cancelled"), "{}", refused[0]);
}

#[test]
fn archives_of_inspect_hold_what_their_documents_hold() {
    let (Some(corpus), Some(scout)) = (shared("corpus/inspect"), shared("corpus/inspect_scout/tests/recorder")) else {
        return;
    };
    let mut samples = 0;
    for file in files(&corpus, &["eval"]).into_iter().chain(files(&scout, &["eval"])) {
        let (found, lines, _) = import("inspect", &file).unwrap();
        samples += found.interactions;
        assert!(lines.iter().all(|line| line["output"].is_string()), "{}", file.display());
        for line in &lines {
            // The grader's call is told beside the agent's.
            let graders = line["inspect"]["scorerModelCalls"].as_u64().unwrap_or(0);
            assert!(graders <= 1 && line["modelCalls"].as_array().is_some_and(|calls| !calls.is_empty()), "{line}");
        }
    }
    assert_eq!(samples, 144);
    let [archive, document] =
        ["eval", "json"].map(|end| corpus.join(format!("tests/log/test_eval_log/log_read_sample.{end}")));
    assert_eq!(import("inspect", &archive).unwrap().0, import("inspect", &document).unwrap().0);
}

#[test]
fn trajectories_of_atif_are_told_as_they_were() {
    let (Some(phoenix), Some(scout)) =
        (shared("corpus/phoenix-client-atif"), shared("corpus/inspect_scout/tests/sources/atif_source"))
    else {
        return;
    };
    fn add(trajectory: &Value, sums: &mut Sums) {
        sums.interactions += 1;
        for step in
            list(trajectory, "steps").filter(|step| step["source"] == "agent" && step["is_copied_context"] != true)
        {
            let models = step["llm_call_count"].as_u64().unwrap_or(1) as usize;
            sums.model_calls += models;
            sums.calls += list(step, "tool_calls").count();
            let has_calls = list(step, "tool_calls").next().is_some();
            let results =
                list(&step["observation"], "results").filter(|result| has_calls && !result["content"].is_null());
            sums.results += results.count();
            if models == 1 {
                sums.input += step["metrics"]["prompt_tokens"].as_u64().unwrap_or(0);
                sums.output += step["metrics"]["completion_tokens"].as_u64().unwrap_or(0);
            }
        }
        list(trajectory, "subagent_trajectories").for_each(|inner| add(inner, sums));
    }
    let count = |file: &Path| {
        let mut sums = Sums::default();
        add(&json(file), &mut sums);
        Some(sums)
    };
    let all: Vec<_> = files(&phoenix, &["json"]).into_iter().chain(files(&scout, &["json"])).collect();
    let (all, refused) = compare("atif", &all, count);
    assert_eq!((all.interactions, refused.len()), (15, 0));
}

#[test]
fn files_of_adk_are_told_as_they_were() {
    let (Some(adk), Some(samples)) = (shared("corpus/adk"), shared("corpus/adk-samples")) else { return };
    let count = |file: &Path| {
        let json = json(file);
        let mut sums = Sums::default();
        let parts = |event: &Value| event["content"]["parts"].as_array().cloned().unwrap_or_default();
        for invocation in list(&json, "eval_cases").flat_map(|case| list(case, "conversation")) {
            sums.interactions += 1;
            sums.calls += list(&invocation["intermediate_data"], "tool_uses").count();
        }
        let old = json.as_array().into_iter().flatten();
        for turn in old.flat_map(|item| item["data"].as_array().cloned().unwrap_or_else(|| vec![item.clone()])) {
            sums.interactions += 1;
            sums.calls += list(&turn, "expected_tool_use").count();
        }
        for event in list(&json, "events").filter(|event| !parts(event).is_empty()) {
            let (mut calls, mut results) = (0, 0);
            for part in parts(event) {
                calls += usize::from(part.get("function_call").is_some());
                results += usize::from(part.get("function_response").is_some());
            }
            sums.interactions += usize::from(event["author"] == "user" && results == 0);
            sums.model_calls += usize::from(event["author"] != "user" && results == 0);
            sums.calls += calls;
            sums.results += results;
        }
        (sums.interactions > 0).then_some(sums)
    };
    let all: Vec<_> = files(&adk, &["json"]).into_iter().chain(files(&samples, &["json"])).collect();
    let (_, refused) = compare("adk", &all, count);
    assert_eq!(refused.len(), 7);
    for why in &refused {
        assert!(why.contains("criteria of an evaluation") || why.contains("nothing was said"), "{why}");
    }
}

#[test]
fn results_of_bfcl_are_told_as_they_were() {
    let Some(corpus) = shared("corpus/bfcl") else { return };
    let count = |file: &Path| {
        let lines = lines(file);
        let mut sums = Sums { interactions: lines.len(), ..Sums::default() };
        for line in &lines {
            let calls = line["result"].as_array().into_iter().flatten().filter(|call| call.is_object());
            sums.calls += calls.map(|call| call.as_object().unwrap().len()).sum::<usize>();
            sums.model_calls += 1;
            let tokens = |key: &str| line[key].as_u64().or_else(|| line[key][0][0].as_u64()).unwrap_or(0);
            sums.input += tokens("input_token_count");
            sums.output += tokens("output_token_count");
        }
        let is_structured = !lines.iter().any(|line| line["result"].as_str().is_some_and(|text| text.starts_with('[')));
        (is_structured && lines.iter().all(|line| line.get("result").is_some())).then_some(sums)
    };
    let results: Vec<_> = files(&corpus, &["_result.json"]);
    let told = results.iter().filter(|file| count(file).is_some()).cloned().collect::<Vec<_>>();
    let (all, _) = compare("bfcl", &told, count);
    assert!(all.interactions > 1000 && all.calls > 1000, "{all:?}");
    for file in results {
        assert!(import("bfcl", &file).is_ok(), "{}", file.display());
    }
    for file in files(&corpus, &["json"]).iter().filter(|file| !file.to_string_lossy().ends_with("_result.json")) {
        let why = import("bfcl", file).unwrap_err();
        assert!(why.contains("no result of a model") || why.contains("a result has"), "{}: {why}", file.display());
    }
}

#[test]
fn runs_of_swe_agent_and_moatless_are_told_as_they_were() {
    let (Some(swe), Some(moatless)) = (shared("corpus/swe-agent"), shared("corpus/moatless")) else { return };
    for file in files(&swe, &["traj"]) {
        let run = json(&file);
        let (found, lines, _) = import("swe-agent", &file).unwrap();
        let steps = list(&run, "trajectory").filter(|step| !step["action"].as_str().unwrap().trim().is_empty()).count();
        assert_eq!((found.interactions, found.calls), (1, steps), "{}", file.display());
        assert_eq!(lines[0]["id"].as_str().unwrap(), file.file_stem().unwrap().to_str().unwrap());
    }
    let mut older = 0;
    for file in files(&moatless, &["json"]) {
        let tree = json(&file);
        let Ok((found, _, _)) = import("moatless", &file) else {
            assert!(tree.get("transitions").is_some(), "{}", file.display());
            older += 1;
            continue;
        };
        let models = list(&tree, "nodes").flat_map(|node| node["completions"].as_object().into_iter().flatten());
        assert_eq!(found.model_calls, models.filter(|(_, it)| !it.is_null()).count(), "{}", file.display());
        let actions = list(&tree, "nodes").filter(|node| !node["action"].is_null()).count();
        assert_eq!(found.calls, actions, "{}", file.display());
    }
    assert_eq!(older, 3);
}

#[test]
fn voice_runs_of_tau2_are_refused_and_single_simulations_are_read() {
    let Some(corpus) = shared("corpus/tau2-bench") else { return };
    let run = corpus.join("tests/test_voice/test_interaction_metrics/testdata/experiment");
    let why = import("tau2", &run.join("results.json")).unwrap_err();
    assert!(why.contains("import those in the folder `simulations` beside it"), "{why}");
    let voices = files(&run.join("simulations"), &["json"]);
    assert!(import("tau2", &voices[0]).unwrap_err().contains("it is a voice run"));
    let (found, _, _) = import("tau2", &corpus.join("datasets/tau2_retail_example_trajectory.json")).unwrap();
    assert_eq!(found.interactions, 1);
}

/// Which format is found for each file of the corpus that one of these formats is for.
#[test]
fn each_file_is_known_without_a_name() {
    let Some(corpus) = shared("corpus") else { return };
    let own = [
        ("tau-bench", "json", "tau"),
        ("openclaw-sessions", "jsonl", "openclaw"),
        ("inspect", "eval", "inspect"),
        ("inspect", "json", "inspect"),
        ("phoenix-client-atif", "json", "atif"),
        ("swe-agent", "traj", "swe-agent"),
        ("moatless", "json", "moatless"),
        ("adk", "json", "adk"),
        ("claude-code-log", "jsonl", "claude-code"),
    ];
    let folder = Folder::new();
    for (source, end, format) in own {
        for file in files(&corpus.join(source), &[end]) {
            let out = folder.at("out.jsonl");
            let ran = run(&["import", file.to_str().unwrap(), "--max-rejects", "1000", "--force", "-o", &out]);
            let is_unknown = ran.err.contains("nothing shows of which format") || ran.err.contains("it can be");
            assert!(!is_unknown, "{} is {format}: {}", file.display(), ran.err);
        }
    }
}
