//! Exports of observability platforms become recordings: of Langfuse, LangSmith, MLflow and Phoenix. What must come out
//! is counted here a second time, straight from the files and in another way.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde_json::Value;

use crate::corpus::{documents, files, shared};
use crate::program::{Folder, Ran, run};

/// Imports a file. Traces without contents are turned away, which these files have on purpose.
fn import(folder: &Folder, file: &Path) -> (Ran, Vec<Value>) {
    let out = folder.at("out.jsonl");
    let ran = run(&["import", file.to_str().unwrap(), "--max-rejects", "100%", "--force", "-o", &out]);
    let text = if ran.code == 0 { std::fs::read_to_string(out).unwrap() } else { String::new() };
    (ran, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// What was imported last is the same as itself, and every call of it is answered.
fn replays_as_itself(folder: &Folder) {
    let out = folder.at("out.jsonl");
    let ran = run(&["run", &out, "--target", &format!("recorded:{out}"), "--json"]);
    // A case that gives no check has no verdict, which is no difference.
    assert!(ran.code == 0 || ran.code == 3, "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&report["summary"]["failed"], report["groups"].as_array().map(Vec::len)), (&0.into(), Some(0)));
}

/// Calls of models, with their tokens in and out.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Spent(usize, u64, u64);

impl Spent {
    fn add(&mut self, input: &Value, output: &Value) {
        let count = |value: &Value| value.as_f64().unwrap_or(0.0) as u64;
        *self = Spent(self.0 + 1, self.1 + count(input), self.2 + count(output));
    }
}

/// What interactions tell, by their traces: one with several turns has ids such as `trace/2`.
fn told(lines: &[Value]) -> BTreeMap<String, Spent> {
    let mut traces = BTreeMap::<String, Spent>::new();
    for line in lines {
        let id = line["id"].as_str().unwrap();
        let spent = traces.entry(id.split('/').next().unwrap().to_owned()).or_default();
        for call in line["modelCalls"].as_array().into_iter().flatten() {
            spent.add(&call["tokens"]["input"], &call["tokens"]["output"]);
        }
        spent.0 += line["failedModelCalls"].as_u64().unwrap_or(0) as usize;
    }
    traces
}

/// A span of a trace, as far as counting needs it.
struct Counted<'a> {
    id: &'a str,
    parent: &'a str,
    kind: &'a str,
    tokens: [Value; 2],
}

/// What the models of a trace took that asked no other model themselves.
fn innermost(spans: &[Counted<'_>], model: &[&str]) -> Spent {
    let by_id: HashMap<&str, &Counted<'_>> = spans.iter().map(|span| (span.id, span)).collect();
    let is_model = |span: &Counted<'_>| model.contains(&span.kind);
    let mut wrappers = HashSet::new();
    for span in spans.iter().filter(|span| is_model(span)) {
        let mut above = by_id.get(span.parent);
        while let Some(parent) = above.filter(|parent| !["AGENT", "TOOL"].contains(&parent.kind)) {
            if is_model(parent) {
                wrappers.insert(parent.id);
                break;
            }
            above = by_id.get(parent.parent);
        }
    }
    let mut spent = Spent::default();
    for span in spans.iter().filter(|span| is_model(span) && !wrappers.contains(span.id)) {
        spent.add(&span.tokens[0], &span.tokens[1]);
    }
    spent
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn langfuse(folder: &str) -> Option<Vec<std::path::PathBuf>> {
    shared("corpus/langfuse").map(|corpus| files(&corpus.join(folder), &[".json"]))
}

const SEEDS: &str = "packages/shared/scripts/seeder/utils/framework-traces";
const TRACES: &str = "worker/src/__tests__/chatml/framework-traces";

#[test]
fn traces_of_langfuse_are_told_as_they_were() {
    let (Some(seeds), Some(traces)) = (langfuse(SEEDS), langfuse(TRACES)) else { return };
    let folder = Folder::new();
    let mut count = 0;
    for file in seeds.iter().chain(&traces) {
        let trace = &documents(file)[0];
        let Some(observations) = trace["observations"].as_array() else { continue };
        let (ran, lines) = import(&folder, file);
        assert_eq!((ran.code, lines.len()), (0, 1), "{file:?}: {}", ran.err);
        let spans: Vec<Counted<'_>> = observations
            .iter()
            .map(|it| Counted {
                id: text(it, "id"),
                parent: text(it, "parentObservationId"),
                kind: text(it, "type"),
                tokens: [it["usageDetails"]["input"].clone(), it["usageDetails"]["output"].clone()],
            })
            .collect();
        let spent = innermost(&spans, &["GENERATION"]);
        let told = told(&lines).into_values().next().unwrap();
        // Where Langfuse has no usage, the answer of the model may tell it.
        let wanted = if spent.1 == 0 { Spent(spent.0, told.1, told.2) } else { spent };
        assert_eq!(told, wanted, "{file:?}");
        let tools: Vec<&str> = observations.iter().filter(|it| it["type"] == "TOOL").map(|it| text(it, "id")).collect();
        let calls = lines[0]["toolCalls"].as_array().map_or(0, Vec::len);
        assert!(calls >= tools.len(), "{file:?} has {tools:?}");
        let session = trace["trace"]["sessionId"].as_str();
        assert!(session.is_none() || session == lines[0]["session"].as_str(), "{file:?}");
        replays_as_itself(&folder);
        count += 1;
    }
    assert_eq!(count, 24);
}

#[test]
fn calls_in_traces_of_langfuse_are_found_whichever_framework_wrote_them() {
    let (Some(seeds), Some(traces)) = (langfuse(SEEDS), langfuse(TRACES)) else { return };
    let folder = Folder::new();
    // As a person finds them in the files.
    let wanted = [
        ("agno-2025-06-11.json", "duckduckgo_search"),
        ("csharp-agent-with-gemini-2026-03-09.trace.json", "get_custom_report final_result"),
        ("google-adk-2025-08-28.trace.json", "say_hello"),
        ("koog-2025-08-26.trace.json", "ByeTool HelloTool"),
        ("langgraph-2025-08-22.json", "Web-Search"),
        ("microsoft-agent-2025-12-17.trace.json", "get_weather"),
        ("microsoft-agent-2025-10-14.json", "get_weather"),
        ("openai-agents-2025-09-30.trace.json", "get_weather"),
        ("vercel-aisdk-2025-11-17.trace.json", "getWeather"),
        (
            "pydantic-ai-tools-2025-12-04.json",
            "get_pun_suggestion get_dad_joke_suggestion get_one_liner_suggestion final_result",
        ),
        ("autogen-2025-06-06.trace.json", ""),
    ];
    for (name, calls) in wanted {
        let file = seeds.iter().chain(&traces).find(|file| file.ends_with(name)).unwrap();
        let (_, lines) = import(&folder, file);
        let found = lines[0]["toolCalls"].as_array().unwrap();
        let names: Vec<&str> = found.iter().map(|call| text(call, "name")).collect();
        assert_eq!(names.join(" "), calls, "{name}");
        let answered = found.iter().filter(|call| call.get("result").is_some()).count();
        assert!(answered == found.len() || calls.ends_with("final_result"), "{name}: {found:?}");
    }
}

#[test]
fn what_langfuse_shows_of_messages_is_no_trace() {
    let Some(files) = langfuse(TRACES) else { return };
    let folder = Folder::new();
    let views: Vec<_> = files.iter().filter(|file| file.to_str().unwrap().ends_with(".chatml.json")).collect();
    for file in &views {
        let (ran, _) = import(&folder, file);
        assert!(ran.code == 2 && ran.err.contains("its JSON has `observations`"), "{file:?}: {}", ran.err);
    }
    assert_eq!(views.len(), 10);
}

#[test]
fn runs_of_langsmith_are_put_together_from_their_beginning_and_their_end() {
    let Some(corpus) = shared("corpus/langsmith-sdk") else { return };
    let folder = Folder::new();
    let recordings: Vec<_> = files(&corpus, &[".json"]).into_iter().collect();
    assert_eq!(recordings.len(), 3);
    for file in recordings {
        let sent = &documents(&file)[0];
        let (post, patch) = (&sent["post"][0], &sent["patch"][0]);
        let (ran, lines) = import(&folder, &file);
        assert_eq!((ran.code, lines.len()), (0, 1), "{}", ran.err);
        let usage = &patch["outputs"]["usage_metadata"];
        assert_eq!(lines[0]["input"], post["inputs"]["messages"][0]["content"]);
        assert_eq!(lines[0]["output"], patch["outputs"]["choices"][0]["message"]["content"]);
        assert_eq!(lines[0]["id"], post["id"]);
        assert_eq!(lines[0]["model"], patch["outputs"]["model"]);
        let tokens = &lines[0]["tokens"];
        assert_eq!([&tokens["input"], &tokens["output"]], [&usage["input_tokens"], &usage["output_tokens"]]);
        assert_eq!(tokens["reasoning"], usage["output_token_details"]["reasoning"]);
        replays_as_itself(&folder);
    }
}

#[test]
fn traces_of_mlflow_are_told_as_they_were_and_the_same_from_a_table() {
    let Some(corpus) = shared("corpus/derived-mlflow") else { return };
    let folder = Folder::new();
    let (ran, table) = import(&folder, &corpus.join("mlflow_search_traces.parquet"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let file = corpus.join("mlflow_traces.jsonl");
    let (_, lines) = import(&folder, &file);
    assert_eq!(lines, table);
    replays_as_itself(&folder);
    let read = |json: &Value| serde_json::from_str::<Value>(json.as_str().unwrap_or("null")).unwrap();
    let told = told(&lines);
    let mut counted = 0;
    for trace in documents(&file) {
        let Some(told) = told.get(text(&trace["info"], "trace_id")) else { continue };
        let written = trace["data"]["spans"].as_array().unwrap();
        let kinds: Vec<Value> = written.iter().map(|span| read(&span["attributes"]["mlflow.spanType"])).collect();
        let usage = |span: &Value| read(&span["attributes"]["mlflow.chat.tokenUsage"]);
        let spans: Vec<Counted<'_>> = written
            .iter()
            .zip(&kinds)
            .map(|(span, kind)| Counted {
                id: text(span, "span_id"),
                parent: text(span, "parent_span_id"),
                kind: kind.as_str().unwrap_or_default(),
                tokens: ["input_tokens", "output_tokens"].map(|key| usage(span)[key].clone()),
            })
            .collect();
        assert_eq!(*told, innermost(&spans, &["LLM", "CHAT_MODEL"]), "{}", trace["info"]["trace_id"]);
        counted += 1;
    }
    // The others have no contents, or no models and no agents.
    assert!(counted > 100, "{counted}");
    let own = lines.iter().find(|line| line["mlflow"]["name"] == "agent").unwrap();
    assert_eq!(
        (&own["session"], &own["input"], &own["output"]),
        (&"s1".into(), &"weather in Paris?".into(), &"It is 21C".into())
    );
    let calls = own["toolCalls"].as_array().unwrap();
    assert_eq!(calls[0]["result"]["temp_c"], 21);
    assert_eq!(calls[1]["error"], "ValueError: no such city: Żywiec");
}

#[test]
fn spans_of_phoenix_are_told_as_they_were_and_the_same_from_a_table() {
    let Some(corpus) = shared("corpus/derived-phoenix") else { return };
    let folder = Folder::new();
    let (ran, table) = import(&folder, &corpus.join("phoenix_spans_dataframe.parquet"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let file = corpus.join("phoenix_client_get_spans.jsonl");
    let (_, lines) = import(&folder, &file);
    replays_as_itself(&folder);
    let mut traces: HashMap<String, Vec<Value>> = HashMap::new();
    for span in documents(&file) {
        traces.entry(text(&span["context"], "trace_id").to_owned()).or_default().push(span);
    }
    let told = told(&lines);
    for (trace, told) in &told {
        let spans: Vec<Counted<'_>> = traces[trace]
            .iter()
            .map(|span| Counted {
                id: text(&span["context"], "span_id"),
                parent: text(span, "parent_id"),
                kind: text(span, "span_kind"),
                tokens: ["prompt", "completion"]
                    .map(|side| span["attributes"][format!("llm.token_count.{side}")].clone()),
            })
            .collect();
        assert_eq!(*told, innermost(&spans, &["LLM"]), "{trace}");
    }
    assert!(told.len() > 100, "{}", told.len());
    // The table has a part of the spans; where it has those of models it tells the same.
    let by_id: HashMap<&str, &Value> = lines.iter().map(|line| (text(line, "id"), line)).collect();
    let asked: Vec<&Value> = table.iter().filter(|line| line.get("modelCalls").is_some()).collect();
    assert!(asked.len() > 20, "{}", asked.len());
    for line in asked {
        assert_eq!(line, by_id[text(line, "id")]);
    }
}
