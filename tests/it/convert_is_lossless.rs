//! From JSONL to Parquet and back, every field and every digit is as it was.

use std::collections::BTreeMap;

use taketwo::recording::{Decoded, Json, decode_string};

use crate::corpus::shared;
use crate::program::{Folder, ran, run, taketwo};

/// What a recorder may write, and what it should not.
const LINES: &[&str] = &[
    r#"{"input":"only this"}"#,
    r#"{"id":7,"input":{"order":123456789012345678901234567890,"n":9007199254740993,"x":1e400,"y":-0,"z":900.0}}"#,
    r#"{"input":"a","output":null,"toolCalls":null,"tokens":null,"cost":null,"history":null,"tags":null}"#,
    r#"{"input":"a","toolCalls":[],"modelCalls":[],"tags":[],"history":[]}"#,
    r#"{"input":"a","toolCalls":[{"name":"t"},{"name":"t","arguments":null,"result":null,"error":null},{"name":"t","arguments":"{\"a\":1}","result":"","error":{"type":"E","message":"m","more":[1.50]}}]}"#,
    r#"{"input":"a","toolCalls":[{"name":"t","id":12,"step":"1","latencyMs":1e3,"effect":"delete","agent":"sub","truncated":false,"x":{"y":[{}]}}]}"#,
    r#"{"input":"a","modelCalls":[{"model":"m","tokens":{"input":1,"other":2},"latencyMs":1.50,"finishReason":"stop","x":null},{},7]}"#,
    r#"{"input":"a","modelCalls":18446744073709551615,"tokens":{"input":18446744073709551615,"output":9223372036854775808}}"#,
    r#"{"input":"a","modelCalls":"three","tokens":{"input":-1,"output":2.0,"reasoning":"x"}}"#,
    r#"{"input":"a","tokens":{"total":5}}"#,
    r#"{"input":"a","tokens":5}"#,
    r#"{"input":"a","latencyMs":900.0,"weight":0.10,"cost":0.10,"currency":"EUR","turn":3.0}"#,
    r#"{"input":"a","latencyMs":"fast","weight":-1,"cost":1e-30,"turn":1e400}"#,
    r#"{"input":"a","cost":79228162514264337593543950335}"#,
    r#"{"input":"a","cost":0.12345678901234567}"#,
    r#"{"\u0069nput":"\u0061","\ud800":1,"\udc00":2,"":3,"a\/b":4,"A":5,"extra":{"id":1},"latency_ms":6,"tool_calls":7}"#,
    r#"{"input":"\ud83d\ude00 😀 \u0000","scenario":true,"session":1.0,"failure":{"code":500},"truncated":true}"#,
    r#"{"input":" spaced ","tags":["a",1,null,{"b":2}],"history":[{"role":"user","content":[{"type":"text","text":"x"}]}]}"#,
    r#"{"input":[1,[2,[3,{"a":[{}]}]]],"agent":"x","model":"m","recordedAt":"2026-01-02T03:04:05Z"}"#,
];

/// What a row says: each field as it was written; the calls field by field, as their order is ours.
fn said(line: &str) -> BTreeMap<Vec<u8>, String> {
    fields(&Json::parse(line).unwrap())
}

fn fields(row: &Json) -> BTreeMap<Vec<u8>, String> {
    #[derive(serde::Deserialize)]
    struct Row(#[serde(with = "members")] Vec<(String, Json)>);
    let row: Row = serde_json::from_str(row.text()).unwrap();
    let mut fields = BTreeMap::new();
    for (quoted, value) in row.0 {
        let key = match decode_string(&quoted) {
            Decoded::Text(text) => text.as_bytes().to_vec(),
            Decoded::Surrogates(bytes) => bytes,
        };
        let calls = [&b"toolCalls"[..], b"modelCalls"].contains(&key.as_slice());
        let text = match value.items() {
            Some(items) if calls => format!("{:?}", items.iter().map(item).collect::<Vec<_>>()),
            _ => value.text().to_owned(),
        };
        assert!(fields.insert(key, text).is_none(), "{quoted} stands twice");
    }
    fields
}

fn item(value: &Json) -> String {
    if value.members().is_some() { format!("{:?}", fields(value)) } else { value.text().to_owned() }
}

/// The members of an object with their keys as they were written.
mod members {
    use serde::de::{Deserializer, MapAccess, Visitor};
    use serde_json::value::RawValue;
    use taketwo::recording::Json;

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, Json)>, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, Json)>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(key) = map.next_key::<&'de RawValue>()? {
                    members.push((key.get().to_owned(), map.next_value()?));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Converts along the files and compares what comes out with what went in.
#[track_caller]
fn survives(lines: &[String], along: &[&str]) {
    let folder = Folder::new();
    let mut from = folder.file("from.jsonl", lines.join("\n") + "\n");
    for name in along {
        let to = folder.at(name);
        let ran = run(&["convert", &from, &to]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        from = to;
    }
    let back = run(&["convert", &from, "-"]);
    let back: Vec<_> = back.out.lines().collect();
    assert_eq!(back.len(), lines.len());
    for (was, is) in lines.iter().zip(back) {
        assert_eq!(said(was), said(is), "\n{was}\n{is}");
    }
}

#[test]
fn odd_values_survive_parquet() {
    let lines: Vec<_> = LINES.iter().map(|line| (*line).to_owned()).collect();
    survives(&lines, &["a.parquet"]);
    survives(&lines, &["a.parquet", "b.jsonl.gz", "c.parquet", "d.ndjson", "e.jsonl.zst"]);
}

#[test]
fn every_probe_survives_parquet() {
    let Some(probes) = shared("probes/probes.jsonl") else { return };
    let text = std::fs::read_to_string(probes).unwrap();
    let mut lines = Vec::new();
    for probe in text.lines().map(|line| Json::parse(line).unwrap()) {
        let sides = ["recorded", "observed"].into_iter().filter_map(|side| probe.member(side));
        lines.extend(sides.filter(|side| side.member("input").is_some()).map(|side| side.text().to_owned()));
    }
    assert!(lines.len() > 100, "{} lines", lines.len());
    survives(&lines, &["a.parquet"]);
}

#[test]
fn the_same_in_gives_the_same_bytes_out() {
    let folder = Folder::new();
    let from = folder.file("from.jsonl", LINES.join("\n"));
    for ending in ["jsonl", "jsonl.gz", "jsonl.zst", "parquet"] {
        let [one, two] = ["one", "two"].map(|name| folder.at(&format!("{name}.{ending}")));
        assert_eq!((run(&["convert", &from, &one]).code, run(&["convert", &from, &two]).code), (0, 0));
        assert!(std::fs::read(one).unwrap() == std::fs::read(two).unwrap(), "{ending}");
    }
}

#[test]
fn a_file_is_replaced_on_request_only_and_only_as_a_whole() {
    let folder = Folder::new();
    let (good, bad) = (folder.file("good.jsonl", "{\"input\":1}\n"), folder.file("bad.jsonl", "oops\n"));
    let out = folder.file("out.jsonl", "kept");
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let refused = run(&["convert", &good, &out]);
    assert!(refused.code == 2 && refused.err.contains("--force replaces it"), "{}", refused.err);
    assert_eq!(run(&["convert", "--force", &bad, &out]).code, 2);
    assert_eq!(read(&out), "kept");
    assert_eq!(run(&["convert", "--force", &good, &out]).code, 0);
    assert_eq!(read(&out), "{\"input\":1}\n");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 3, "no half-written file is left");
}

#[test]
fn what_is_read_is_never_written_over() {
    let folder = Folder::new();
    let path = folder.file("in/x.jsonl", "{\"input\":1}\n");
    for arguments in [
        &["convert", "--force", &path, &path][..],
        &["convert", "--force", &folder.at("in"), &folder.at("in/../in/x.jsonl")],
        &["convert", "--quarantine", &path, &path, "-"],
    ] {
        let ran = run(arguments);
        assert!(ran.code == 2 && ran.err.contains("is one of the recordings to be read"), "{}", ran.err);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"input\":1}\n");
}

#[test]
fn an_ending_that_names_no_format_is_refused() {
    let ran = ran(taketwo(&["convert", "-", "out.csv"]).write_stdin("{\"input\":1}\n"));
    assert!(ran.code == 2 && ran.err.contains(".parquet"), "{}", ran.err);
}

#[test]
fn a_parquet_file_of_another_kind_is_refused_with_its_columns() {
    let Some(folder) = shared("corpus/derived-parquet") else { return };
    for name in ["tau2_simulations.snappy.parquet", "tau2_simulations.zstd.parquet"] {
        let ran = run(&["inspect", folder.join(name).to_str().unwrap()]);
        let err = ran.err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert!(err.contains("it has no column \"input\"; its columns are source_file, id, task_id"), "{err}");
    }
}
