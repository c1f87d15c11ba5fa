//! A difference is shown so that a reader sees it: long texts as what changed in them, objects place by place, calls
//! side by side where there is room, what follows from the first difference apart from it.

use std::path::Path;

use taketwo::report::{self, Form, ReadBack, TextOptions};
use taketwo::store::RunFolder;
use taketwo::verdict::{AttemptRow, CallDifference, DifferenceKind, LedgerRow, MissRow};

use crate::program::{Folder, run};
use crate::sample_runs::{SampleRun, changed, differing, line, manifest};

const NOTE: &str = "The customer says that the parcel arrived on Tuesday with a broken lid, and that the glass inside was \
    cracked. She has sent two photographs. She would like a refund to the card that she paid with, and asks whether she \
    has to send the rest of the set back. The order is within the thirty days of the guarantee.";

fn call(name: &str, arguments: serde_json::Value) -> serde_json::Value {
    serde_json::json!({"name": name, "arguments": arguments, "result": {"ok": true}})
}

/// Pairs of recordings by the name of what they show.
fn pairs() -> Vec<(&'static str, [Vec<serde_json::Value>; 2])> {
    use serde_json::json;
    let note = |text: &str| vec![call("get_order", json!({"id": "1001"})), call("write_note", json!({"note": text}))];
    let edited = NOTE.replace("Tuesday", "Thursday").replace("two photographs", "three photographs of the box");
    let mail = |text: &str| vec![call("send_mail", json!({"text": text, "to": "anna@example.org"}))];
    let letter =
        "Dear Anna,\n\nyour refund of 82.13 EUR is on its way.\nIt takes three days.\n\nBest regards\nThe desk";
    let letter_after = letter.replace("three days.", "five\tdays.\nPlease keep the parcel.");
    let japanese = "お客様の荷物は火曜日に届きましたが、蓋が壊れていました。返金をお願いします。👩‍👩‍👧 e\u{301}";
    let one = |name: &str, arguments| vec![call(name, arguments)];
    let (status, range) = (json!({"status": "open"}), json!({"from": 1, "to": 2}));
    let steps =
        json!({"after": null, "steps": [{"do": "search", "with": {"limit": 10}}, {"do": "refund", "with": {}}]});
    let ids: Vec<u32> = (1000..1030).collect();
    let rotated: Vec<u32> = (1010..1030).chain(1000..1010).collect();
    vec![
        ("an edited note", [note(NOTE), note(&edited)]),
        ("a rewritten note", [note(NOTE), note(&NOTE.chars().rev().collect::<String>())]),
        ("a letter", [mail(letter), mail(&letter_after)]),
        (
            "white space",
            [note(NOTE), note(&NOTE.replace("lid, and", "lid,  and").replace("refund to", "refund\u{a0}to"))],
        ),
        ("another script", [note(japanese), note(&japanese.replace('火', "木"))]),
        (
            "a list for an object",
            [
                one("search", json!({"filter": {"status": "open", "tags": ["a", "b"], "range": range}})),
                one("search", json!({"filter": [status, {"tags": ["a", "b"]}, {"range": range}]})),
            ],
        ),
        (
            "a text for an object",
            [
                one("plan", json!({"body": steps})),
                one("plan", json!({"body": steps.to_string().replace("10", "20").replace("{}", "{\"id\":7}")})),
            ],
        ),
        ("another order", [one("tag", json!({"ids": ids})), one("tag", json!({"ids": rotated}))]),
        ("many lines", [mail(&numbered(40, "old")), mail(&numbered(40, "new"))]),
        ("a chain", chain()),
    ]
}

fn numbered(count: usize, word: &str) -> String {
    (0..count).map(|at| if at % 2 == 0 { format!("line {at}\n") } else { format!("{word} {at}\n") }).collect()
}

/// Calls of which the third differs first.
fn chain() -> [Vec<serde_json::Value>; 2] {
    use serde_json::json;
    let calls = |words: &str| words.split(' ').map(|word| call(word, json!({"x": word.len()}))).collect::<Vec<_>>();
    let mut pair =
        [calls("login look_up find read write mail"), calls("login look_up find mail read scribble log log log")];
    pair[0][2]["arguments"] = json!({"query": "shoes", "limit": 10});
    pair[1][2]["arguments"] = json!({"query": "Shoes", "limit": 10});
    pair
}

/// The pairs compared, as they are kept.
fn compared(folder: &Folder) -> RunFolder {
    let recording = |side: usize| -> String {
        let line = |(id, calls): (&str, [Vec<serde_json::Value>; 2])| {
            serde_json::json!({"id": id, "input": "go", "output": "done", "toolCalls": calls[side]}).to_string() + "\n"
        };
        pairs().into_iter().map(line).collect()
    };
    let (a, b) = (folder.file("a.jsonl", recording(0)), folder.file("b.jsonl", recording(1)));
    let ran = run(&["run", &a, "--target", &format!("recorded:{b}"), "--runs", &folder.at("runs")]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    RunFolder::open("last", Path::new(&folder.at("runs"))).unwrap()
}

fn told(run: &RunFolder, width: usize) -> String {
    let mut out = Vec::new();
    ReadBack::new(run).unwrap().write(Form::Diff(TextOptions { width, limit: usize::MAX }), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let (_, pairs) = text.split_once("Pairs that differ").unwrap();
    pairs.trim_start().to_owned()
}

#[test]
fn a_reader_sees_what_differs_on_paper_of_any_width() {
    let folder = Folder::new();
    let kept = compared(&folder);
    for width in [60, 80, 100, 120, 140, 160] {
        let styled = told(&kept, width);
        let plain = anstream::adapter::strip_str(&styled).to_string();
        for line in plain.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= width, "at {width}: {line}");
            assert!(!line.contains(|c: char| c.is_control() || c == '\u{a0}'), "{line:?}");
        }
        if [80, 120].contains(&width) {
            insta::assert_snapshot!(format!("pairs-{width}"), plain);
        }
        assert_eq!(styled, told(&kept, width), "the same twice");
    }
}

#[test]
fn no_difference_takes_more_than_a_dozen_lines() {
    let folder = Folder::new();
    let text = anstream::adapter::strip_str(&told(&compared(&folder), 80)).to_string();
    let (_, rest) = text
        .split_once("send_mail $.text: changed")
        .and_then(|(_, rest)| rest.split_once("send_mail $.text: changed"))
        .unwrap();
    let lines: Vec<&str> = rest.lines().skip(1).take_while(|line| line.starts_with("      ")).collect();
    assert_eq!(lines.len(), 13, "{lines:?}");
    assert!(lines[12].trim().starts_with("… ") && lines[12].ends_with(" more lines: --json shows all"), "{lines:?}");
}

/// A run with one attempt, some of whose calls no recording answers.
fn missed() -> SampleRun {
    let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    let near = |call: u32, what: &str| format!("recorded call {call}: {what}");
    let search = MissRow {
        tool: "search".into(),
        nearest: vec![
            near(4, r#"$.q: "Shoes" -> "shoes" (only upper and lower case differ)"#),
            near(1, r#"$.limit: 10 -> 5; $.q: "boots" -> "shoes""#),
            near(7, &format!("$.q: {:?} -> \"shoes\"", "a very long question ".repeat(12))),
        ],
        paths: paths(&["$.q"]),
        rules: vec!["caseless search:$.q".into()],
    };
    let note = MissRow {
        tool: "note".into(),
        nearest: vec![near(2, "$.text: \"a\" -> \"b\"")],
        paths: paths(&["$.text"]),
        rules: vec![],
    };
    let unknown = MissRow { tool: "stock".into(), nearest: vec![], paths: vec![], rules: vec![] };
    let unseen = MissRow { rules: vec!["one-of([\"\u{200b}\"]) note:$.text".into()], ..note.clone() };
    let caseless = CallDifference {
        hint: Some("only upper and lower case differ".into()),
        remedy: Some("caseless search:$.q".into()),
        ..changed("search", "$.q", "\"Shoes\"", "\"shoes\"")
    };
    let order = CallDifference {
        hint: Some("the same items in another order".into()),
        remedy: Some("bag tag:$.ids".into()),
        rule: Some("tolerance(1) tag:$.ids[*]".into()),
        ..changed("tag", "$.ids", "[1,2]", "[2,1]")
    };
    let renamed = CallDifference {
        expected: Some("find".into()),
        seen: Some("look".into()),
        recorded_call: Some(9),
        ..CallDifference { kind: DifferenceKind::Renamed, path: None, ..changed("find", "$", "", "") }
    };
    let of_renamed = CallDifference {
        recorded_call: Some(9),
        remedy: Some("optional find:$.x".into()),
        kind: DifferenceKind::ArgumentMissing,
        seen: None,
        ..changed("find", "$.x", "1", "")
    };
    let calls = vec![line(Some(r#"search {"q":"Shoes"}"#), Some(r#"search {"q":"shoes"}"#))];
    let differences = vec![caseless, order.clone(), order, renamed, of_renamed];
    let row = differing(0, "misses", &["tool-arguments"], differences, calls);
    let misses = vec![search.clone(), note, unknown, unseen, search];
    let row = AttemptRow { ledger: LedgerRow { asked: 5, missed: 5, misses, ..LedgerRow::default() }, ..row };
    SampleRun::new(manifest(1), vec![row], &[])
}

#[test]
fn a_miss_names_the_nearest_recordings_and_the_rule_that_would_have_taken_the_first() {
    let run = missed();
    let text = report::text(&run.report(), &mut run.cases.iter().cloned(), &TextOptions::default());
    let text = anstream::adapter::strip_str(&text).to_string();
    let (_, cases) = text.split_once("Failed cases\n").unwrap();
    insta::assert_snapshot!("misses", cases.split_once("\n\n").unwrap().0);
    // What two places tell alike is told once.
    assert_eq!(text.matches("'caseless search:$.q'").count(), 1, "{text}");
    assert_eq!(text.matches("'bag tag:$.ids'").count(), 1, "{text}");
    // One case alone is told in full.
    let whole = report::case_text(&run.report(), run.cases[0].clone(), &TextOptions::default());
    let whole = anstream::adapter::strip_str(&whole).to_string();
    let words = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches("a very long question").count(), 12, "{words}");
}

#[test]
fn a_page_shows_long_values_as_a_diff() {
    let folder = Folder::new();
    let kept = compared(&folder);
    let mut shown = String::new();
    for (name, _) in pairs() {
        let mut page = Vec::new();
        let one = ReadBack::new(&kept).unwrap().only(Some(name)).unwrap();
        one.write(Form::Markdown, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2, 0, "{page}");
        let (page, _) = page.split_once("<sub>").unwrap();
        shown.push_str(page);
    }
    insta::assert_snapshot!("pages", shown);
}
