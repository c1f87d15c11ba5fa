//! Logs, captures and streams of models become recordings. Real answers, whole and streamed, are counted here a second
//! time, in another way.

use std::path::Path;

use serde_json::{Value, json};

use crate::corpus::{files, shared};
use crate::program::{Folder, Ran, run};

fn import(folder: &Folder, arguments: &[&str]) -> (Ran, Vec<Value>) {
    let out = folder.at("out.jsonl");
    let ran = run(&[&["import"], arguments, &["--force", "-o", &out]].concat());
    let text = std::fs::read_to_string(out).unwrap_or_default();
    (ran, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// What an answer says, counted event by event.
#[derive(Debug, Default, PartialEq)]
struct Told {
    calls: Vec<(String, Value)>,
    tokens: Option<u64>,
}

/// Pieces of one call, by what tells it from others in its stream.
#[derive(Default)]
struct Pieces(Vec<(String, String, String)>);

impl Pieces {
    fn begin(&mut self, key: String, name: &Value) {
        if !self.0.iter().any(|(known, ..)| *known == key) {
            self.0.push((key, name.as_str().unwrap_or_default().into(), String::new()));
        }
    }

    fn add(&mut self, key: &str, piece: &Value) {
        let call = self.0.iter_mut().find(|(known, ..)| known == key);
        call.into_iter().for_each(|(.., arguments)| arguments.push_str(piece.as_str().unwrap_or_default()));
    }

    fn told(self) -> Vec<(String, Value)> {
        let arguments = |text: String| match text.as_str() {
            "" => json!({}),
            text => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        };
        self.0.into_iter().map(|(_, name, text)| (name, arguments(text))).collect()
    }
}

/// A stream of Chat Completions or of Anthropic's Messages; `None` where it is of another kind.
fn counted(events: &[Value]) -> Option<Told> {
    let (mut pieces, mut input, mut output) = (Pieces::default(), None, None);
    let sum = |usage: &Value, keys: &[&str]| {
        let known: Vec<u64> = keys.iter().filter_map(|key| usage[*key].as_u64()).collect();
        (!known.is_empty()).then(|| known.iter().sum::<u64>())
    };
    for event in events {
        match event["type"].as_str() {
            Some("message_start") => {
                pieces = Pieces::default();
                let usage = &event["message"]["usage"];
                input = sum(usage, &["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]);
            }
            Some("content_block_start") if event["content_block"]["type"] == "tool_use" => {
                pieces.begin(event["index"].to_string(), &event["content_block"]["name"]);
                let whole = &event["content_block"]["input"];
                if whole.as_object().is_some_and(|members| !members.is_empty()) {
                    pieces.add(&event["index"].to_string(), &whole.to_string().into());
                }
            }
            Some("content_block_delta") => {
                pieces.add(&event["index"].to_string(), &event["delta"]["partial_json"]);
            }
            Some("message_delta") => {
                let usage = &event["usage"];
                output = usage["output_tokens"].as_u64();
                if usage["input_tokens"].is_u64() {
                    input = sum(usage, &["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]);
                }
            }
            Some(kind) if kind.starts_with("response.") => return None,
            _ if event["candidates"].is_array() => return None,
            _ => {
                for call in event["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten() {
                    let key = call["index"].to_string();
                    pieces.begin(key.clone(), &call["function"]["name"]);
                    pieces.add(&key, &call["function"]["arguments"]);
                }
                if event["usage"]["completion_tokens"].is_u64() {
                    input = event["usage"]["prompt_tokens"].as_u64();
                    output = event["usage"]["completion_tokens"].as_u64();
                }
            }
        }
    }
    Some(Told { calls: pieces.told(), tokens: input.zip(output).map(|(input, output)| input + output) })
}

fn told(interaction: &Value) -> Told {
    let calls = interaction["toolCalls"].as_array().unwrap();
    let arguments = |call: &Value| call.get("arguments").cloned().unwrap_or(json!({}));
    let tokens = &interaction["tokens"];
    Told {
        calls: calls.iter().map(|call| (call["name"].as_str().unwrap().into(), arguments(call))).collect(),
        tokens: tokens["input"].as_u64().zip(tokens["output"].as_u64()).map(|(input, output)| input + output),
    }
}

/// A request that stands for the one that was not kept, with the text of the stream that answered it.
fn line(id: &str, response: &str) -> String {
    let request = json!({"model": "m", "messages": [{"role": "user", "content": id}]});
    json!({"id": id, "request": request, "response": response}).to_string()
}

fn events(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn real_streams_are_put_back_together() {
    let Some(corpus) = shared("corpus/sse-vercel-ai") else { return };
    let folder = Folder::new();
    let (mut lines, mut wanted) = (Vec::new(), Vec::new());
    for file in files(&corpus, &[".chunks.txt"]) {
        let events = events(&file);
        let id = file.strip_prefix(&corpus).unwrap().display().to_string();
        let is_known = |event: &Value| {
            ["content_block_delta", "message_start"].iter().any(|kind| event["type"] == *kind)
                || event["choices"][0]["delta"].is_object()
        };
        if events.iter().any(is_known)
            && let Some(told) = counted(&events)
        {
            // As servers send it: with names, comments and no mark at the end.
            let chunks: Vec<String> = events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect();
            lines.push(line(&id, &format!(": hello\r\n{}", chunks.concat())));
            wanted.push((id, told));
        }
    }
    let (ran, interactions) = import(&folder, &["openai", &folder.file("log.jsonl", lines.join("\n"))]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(interactions.len(), wanted.len());
    for (interaction, (id, wanted)) in interactions.iter().zip(&wanted) {
        assert_eq!(interaction["id"], id.as_str());
        assert_eq!(&told(interaction), wanted, "{id}");
    }
    assert!(wanted.len() >= 30, "{}", wanted.len());
    let cut: usize = interactions.iter().filter(|it| it.get("importDoubts").is_some()).count();
    assert!(cut * 4 < wanted.len(), "{cut} of {} are doubtful", wanted.len());
}

#[test]
fn answers_alone_are_turned_away_with_a_reason() {
    let Some(corpus) = shared("corpus/sse-vercel-ai") else { return };
    let folder = Folder::new();
    let (mut alone, mut unknown) = (0, 0);
    for file in files(&corpus, &[".json", ".txt"]) {
        let path = file.to_str().unwrap();
        let (ran, interactions) = import(&folder, &[path]);
        let says = |words: &str| ran.err.contains(words) || ran.out.contains(words);
        if says("an answer without its request") {
            alone += 1;
        } else if ran.code == 2 {
            assert!(says("nothing shows of which format"), "{path}: {}", ran.err);
            unknown += 1;
        } else {
            // Some are messages that a session kept.
            assert!(!interactions.is_empty(), "{path}: {} {}", ran.code, ran.err);
        }
    }
    // Embeddings, transcripts, pictures, and what other interfaces say.
    assert!(alone > unknown * 3, "{alone} answers alone, {unknown} of no known format");
}

/// A log of what two agents asked and were answered, in between each other.
fn proxy_log() -> String {
    let ask = |who: &str| json!({"role": "user", "content": format!("Where is {who}'s parcel?")});
    let call = |who: &str| {
        let function = json!({"name": "track", "arguments": format!("{{\"of\":\"{who}\"}}")});
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("call_{who}_1"), "type": "function", "function": function}]})
    };
    let result =
        |who: &str| json!({"role": "tool", "tool_call_id": format!("call_{who}_1"), "content": "{\"at\":\"Ulm\"}"});
    let reply = json!({"role": "assistant", "content": "In Ulm."});
    let line = |who: &str, number: u32, messages: Vec<Value>, answer: Value| {
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
        let response = json!({"id": format!("chatcmpl-{who}-{number}"), "object": "chat.completion", "model": "m-1", "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}], "usage": usage});
        json!({"request": {"model": "m", "messages": messages}, "response": {"status": 200, "body": response}})
            .to_string()
    };
    [
        line("ann", 1, vec![ask("ann")], call("ann")),
        line("bob", 1, vec![ask("bob")], call("bob")),
        line("bob", 2, vec![ask("bob"), call("bob"), result("bob")], reply.clone()),
        line("ann", 2, vec![ask("ann"), call("ann"), result("ann")], reply),
    ]
    .join("\n")
}

#[test]
fn a_proxy_log_becomes_conversations_that_replay_without_a_difference() {
    let folder = Folder::new();
    let log = folder.file("log.jsonl", proxy_log());
    let (ran, interactions) = import(&folder, &[&log]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("is openai: it holds a request to a model and its response"), "{}", ran.err);
    let ids: Vec<_> = interactions.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["chatcmpl-ann-1", "chatcmpl-bob-1"]);
    let tokens = &interactions[0]["tokens"];
    assert_eq!((tokens["input"].as_u64(), interactions[0]["modelCalls"].as_array().unwrap().len()), (Some(20), 2));
    let out = folder.at("out.jsonl");
    let ran = run(&["run", &out, "--target", &format!("recorded:{out}")]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn a_log_of_messages_needs_no_format() {
    let folder = Folder::new();
    let messages = json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]);
    let parts = json!([{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [{"text": "b"}]}]);
    for (format, text) in [("openai", json!({"messages": messages}).to_string()), ("gemini", parts.to_string())] {
        let (ran, interactions) = import(&folder, &[&folder.file("log.json", text)]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains(&format!("is {format}: ")), "{}", ran.err);
        assert_eq!((&interactions[0]["input"], &interactions[0]["output"]), (&json!("a"), &json!("b")));
        assert!(interactions[0].get("tokens").is_none());
    }
}
