//! Cassettes of real calls of models become recordings. What was called and answered is counted here a second time,
//! straight from the YAML, in another way.

use std::path::{Path, PathBuf};

use serde_json::Value;
use taketwo::recording::import::formats;
use taketwo::recording::{Interaction, ModelCall, ModelCalls, Recordings};

use crate::corpus::{documents, files, shared};
use crate::program::{Folder, run};

/// Sums over the interactions of a file, or over its exchanges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    answered: usize,
    failed: usize,
    calls: usize,
    /// Input and output of all answers that are no streams and tell them.
    tokens: u64,
}

fn cassettes() -> Option<Vec<PathBuf>> {
    let corpus = shared("corpus")?;
    let sources = ["vcr-pydantic-ai", "vcr-openllmetry", "vcr-openinference", "vcr-otel-contrib", "langsmith-sdk"];
    Some(sources.iter().flat_map(|source| files(&corpus.join(source), &["yaml", "yml"])).collect())
}

fn imported(file: &Path) -> Result<Vec<Interaction>, String> {
    let format = formats().iter().find(|format| format.name() == "vcr").unwrap();
    let sources = Recordings::open_foreign(&[file.to_str().unwrap()]).unwrap();
    let rows = format.interactions(&sources).map_err(|error| error.to_string())?;
    rows.map(|row| row.map_err(|reject| reject.to_string())).collect()
}

fn model_calls(it: &Interaction) -> &[ModelCall] {
    match &it.model_calls {
        Some(ModelCalls::List(calls)) => calls,
        _ => &[],
    }
}

/// What the interactions say. Calls of models before the capture began say nothing of themselves.
fn told(interactions: &[Interaction]) -> Sums {
    let calls = interactions.iter().flat_map(model_calls);
    let says = |call: &&ModelCall, key: &str| call.extra.iter().any(|(known, _)| &**known == key);
    let failed = calls.clone().filter(|call| says(call, "error")).count();
    Sums {
        answered: calls.clone().filter(|call| !says(call, "error") && **call != ModelCall::default()).count(),
        failed,
        calls: interactions.iter().flat_map(|it| &it.tool_calls).map(Vec::len).sum(),
        tokens: calls.filter_map(|call| call.tokens.sum()).sum(),
    }
}

/// The addresses under which models are asked.
const ADDRESSES: [&str; 12] = [
    "chat/completions",
    "/messages",
    "/responses",
    ":generateContent",
    ":streamGenerateContent",
    "/converse",
    "/converse-stream",
    "/invoke",
    "/invoke-with-response-stream",
    "/api/chat",
    "/v2/chat",
    "/v1/chat",
];

/// The same, counted in the exchanges. `None` where a body is packed or a stream, which are counted elsewhere.
fn counted(cassette: &Value) -> Option<Sums> {
    let mut sums = Sums::default();
    for exchange in cassette["interactions"].as_array()? {
        let (request, response) = (&exchange["request"], &exchange["response"]);
        let address = request["uri"].as_str()?.split(['?', '#']).next()?;
        if !request["method"].as_str()?.eq_ignore_ascii_case("post")
            || !ADDRESSES.iter().any(|end| address.ends_with(end))
        {
            continue;
        }
        let asked = payload(request)?;
        if repeats_answers(&asked) && sums == Sums::default() {
            return None;
        }
        if response["status"]["code"].as_u64()? >= 400 {
            sums.failed += 1;
            continue;
        }
        let answer = payload(response)?;
        if answer["status"] == "queued" {
            // It is fetched later.
            return None;
        }
        sums.answered += 1;
        sums.calls += calls(&answer);
        sums.tokens += tokens(&answer);
    }
    Some(sums)
}

/// Whether a request holds answers of a model.
fn repeats_answers(request: &Value) -> bool {
    let text = request.to_string();
    ["\"assistant\"", "\"model\",\"parts\"", "\"role\":\"model\"", "_call\"", "previous_response_id"]
        .iter()
        .any(|sign| text.contains(sign))
}

fn payload(message: &Value) -> Option<Value> {
    if message["parsed_body"].is_object() {
        return Some(message["parsed_body"].clone());
    }
    let body = &message["body"];
    serde_json::from_str(body.as_str().or_else(|| body["string"].as_str())?).ok()
}

/// Calls for the client, wherever they stand in an answer; definitions of tools are none.
fn calls(value: &Value) -> usize {
    let is_call = ["function_call", "tool_use", "custom_tool_call"].iter().any(|kind| value["type"] == *kind);
    let own = usize::from(is_call && value["name"].is_string());
    own + match value {
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| *key != "tools")
            .map(|(key, value)| match key.as_str() {
                "tool_calls" => value.as_array().map_or(0, Vec::len),
                "functionCall" | "toolUse" => 1,
                _ => calls(value),
            })
            .sum(),
        Value::Array(items) => items.iter().map(calls).sum(),
        _ => 0,
    }
}

/// Input and output, by the rules of each provider.
fn tokens(answer: &Value) -> u64 {
    let gemini = &answer["usageMetadata"];
    let usage = &answer["usage"];
    let sum = |of: &Value, keys: &[&str]| keys.iter().filter_map(|key| of[*key].as_u64()).sum::<u64>();
    if gemini.is_object() {
        sum(gemini, &["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount"])
    } else if answer["eval_count"].is_u64() {
        sum(answer, &["prompt_eval_count", "eval_count"])
    } else if usage["inputTokens"].is_u64() {
        sum(usage, &["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"])
    } else if answer["type"] == "message" {
        sum(usage, &["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"])
    } else if usage["tokens"].is_object() {
        sum(&usage["tokens"], &["input_tokens", "output_tokens"])
    } else {
        sum(usage, &["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens"])
    }
}

#[test]
fn every_cassette_is_told_as_it_was_or_turned_away_with_a_reason() {
    let Some(cassettes) = cassettes() else { return };
    let mut wrong = Vec::new();
    let (mut refused, mut compared, mut equal, mut interactions) = (Vec::new(), 0, 0, 0);
    for file in &cassettes {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        match imported(file) {
            Err(why) => refused.push(format!("{name}: {why}")),
            Ok(found) => {
                interactions += found.len();
                let Some(counted) = documents(file).first().and_then(counted) else { continue };
                let told = told(&found);
                // Some clients put calls of their own into a request, which no model asked for.
                if (Sums { calls: counted.calls, ..told }) != counted || told.calls < counted.calls {
                    wrong.push(format!("{name}: {told:?} instead of {counted:?}"));
                }
                compared += 1;
                equal += usize::from(told == counted);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for reason in &refused {
        let is_reason =
            ["no call of a model", "interactions", "user", "cannot be read"].iter().any(|sign| reason.contains(sign));
        assert!(is_reason, "{reason}");
    }
    println!("{} refused, {compared} counted twice, {interactions} interactions", refused.len());
    assert!(refused.len() * 10 < cassettes.len() && compared * 2 > cassettes.len(), "{refused:#?}");
    assert!(equal * 20 > compared * 19, "{equal} of {compared}");
    assert!(interactions >= cassettes.len());
}

#[test]
fn cassettes_replayed_against_themselves_show_no_difference() {
    let Some(corpus) = shared("corpus/vcr-pydantic-ai/tests/models/cassettes/test_anthropic") else { return };
    let folder = Folder::new();
    let out = folder.at("out.jsonl");
    let ran = run(&["import", corpus.to_str().unwrap(), "--name-by-file", "--max-rejects", "100%", "-o", &out]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("is vcr: it has the `interactions` of a cassette"), "{}", ran.err);
    let target = format!("recorded:{out}");
    let ran = run(&["run", &out, "--target", &target]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}
