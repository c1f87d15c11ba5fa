//! A suite from traffic has every kind of interaction, in weights that add up to the traffic, and the same seed draws
//! the same one.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde_json::Value;
use taketwo::recording::Json;

use crate::corpus::shared;
use crate::program::{Folder, Ran, ran, run, taketwo};

const NIGHTLY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/nightly.jsonl");

/// The lines of a recording.
fn lines(path: &str) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What was drawn, and what each stands for, to the last digit.
fn weights(path: &str) -> BTreeMap<String, Decimal> {
    let text = std::fs::read_to_string(path).unwrap();
    let weighed = |(number, line): (usize, &str)| {
        let line = Json::parse(line).unwrap();
        let id = line.member("id").map_or_else(|| format!("replay-{}", number + 1), |id| id.shown().into_owned());
        let weight = line.member("weight").map(|weight| Decimal::from_str_exact(weight.text()).unwrap().normalize());
        (id, weight.unwrap_or(Decimal::ONE))
    };
    text.lines().enumerate().map(weighed).collect()
}

/// The sum of the weights as they are written.
fn traffic(path: &str) -> Decimal {
    weights(path).values().sum()
}

/// Draws from a recording with these settings and gives the suite's path.
#[track_caller]
fn sample(folder: &Folder, from: &[&str], settings: &[&str]) -> String {
    let out = folder.at("suite.jsonl");
    let ran = run(&[&["sample"], from, &["--force", "-o", &out], settings].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    out
}

/// An interaction of a scenario that calls these tools; `a!` fails.
fn line(id: &str, scenario: &str, tools: &str) -> String {
    let calls = tools.split_whitespace().map(|tool| match tool.strip_suffix('!') {
        Some(tool) => format!(r#"{{"name":"{tool}","error":"no"}}"#),
        None => format!(r#"{{"name":"{tool}","result":1}}"#),
    });
    let calls = calls.collect::<Vec<_>>().join(",");
    format!("{{\"id\":\"{id}\",\"input\":\"x\",\"scenario\":\"{scenario}\",\"toolCalls\":[{calls}]}}\n")
}

#[test]
fn weights_add_up_to_the_traffic_whatever_is_drawn() {
    let folder = Folder::new();
    let odd = [0.1, 0.2, 2.0 / 3.0, 1e-9, 123_456.789, 0.0];
    let numbered = (1..).zip(odd.iter().cycle().take(50));
    let odd: String = numbered.map(|(at, weight)| format!("{{\"input\":\"{at}\",\"weight\":{weight}}}\n")).collect();
    let odd = folder.file("odd.jsonl", odd);
    for from in [NIGHTLY, &odd] {
        for settings in [&[][..], &["--cases", "1"], &["--cases", "7"], &["--cases", "99"], &["--share", "33%"]] {
            let suite = sample(&folder, &[from], settings);
            assert_eq!(traffic(&suite), traffic(from), "{settings:?}");
        }
    }
    // Where weights are whole they stay whole, so that they add up in any arithmetic.
    let suite = sample(&folder, &[NIGHTLY], &["--cases", "99"]);
    assert!(weights(&suite).values().all(|weight| weight.scale() == 0));
}

#[test]
fn the_same_seed_draws_the_same_bytes_and_another_seed_others() {
    let folder = Folder::new();
    let draw = |seed| std::fs::read(sample(&folder, &[NIGHTLY], &["--cases", "80", "--seed", seed])).unwrap();
    assert_eq!(draw("2026-W49"), draw("2026-W49"));
    assert_ne!(draw("2026-W49"), draw("2026-W50"));
}

#[test]
fn which_cases_are_drawn_depends_on_neither_files_nor_their_order() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(NIGHTLY).unwrap();
    let all: Vec<&str> = text.lines().collect();
    let (one, other) = all.split_at(150);
    let one = folder.file("one.jsonl", one.join("\n"));
    let other = folder.file("other.jsonl", other.join("\n"));
    for settings in [&["--cases", "20"][..], &["--cases", "150"]] {
        let whole = weights(&sample(&folder, &[NIGHTLY], settings));
        assert_eq!(weights(&sample(&folder, &[&one, &other], settings)), whole);
        assert_eq!(weights(&sample(&folder, &[&other, &one], settings)), whole);
    }
}

#[test]
fn what_is_drawn_stands_in_the_order_of_the_traffic() {
    let folder = Folder::new();
    let suite = sample(&folder, &[NIGHTLY], &["--cases", "100"]);
    let ids = |path: &str| lines(path).iter().map(|line| line["id"].to_string()).collect::<Vec<_>>();
    let drawn: BTreeSet<String> = ids(&suite).into_iter().collect();
    let expected: Vec<String> = ids(NIGHTLY).into_iter().filter(|id| drawn.contains(id)).collect();
    assert_eq!((drawn.len(), ids(&suite)), (100, expected));
}

/// A thousand of one kind, and of three others one each.
fn lopsided(folder: &Folder) -> String {
    let mut text: String = (0..1000).map(|at| line(&format!("common-{at}"), "orders", "look_up")).collect();
    text += &line("failed", "orders", "look_up!");
    text += &line("two", "orders", "look_up refund");
    text += &line("rare", "odd", "look_up");
    folder.file("lopsided.jsonl", text)
}

#[test]
fn rare_kinds_are_kept_and_stand_for_themselves() {
    let folder = Folder::new();
    let from = lopsided(&folder);
    for settings in [&[][..], &["--cases", "4"], &["--cases", "10"], &["--share", "1%"]] {
        let drawn = weights(&sample(&folder, &[&from], settings));
        for rare in ["failed", "two", "rare"] {
            assert_eq!(drawn.get(rare), Some(&Decimal::ONE), "{settings:?}");
        }
    }
    let ten = weights(&sample(&folder, &[&from], &["--cases", "10"]));
    let common = ten.iter().filter(|(id, _)| id.starts_with("common")).map(|(_, weight)| weight.to_string());
    let common: BTreeMap<String, usize> = common.fold(BTreeMap::new(), |mut times, weight| {
        *times.entry(weight).or_default() += 1;
        times
    });
    assert_eq!(common, BTreeMap::from([("142".into(), 1), ("143".into(), 6)]), "1000 over 7");
}

#[test]
fn too_few_cases_keep_each_stratum_and_say_what_is_left_out() {
    let folder = Folder::new();
    let from = lopsided(&folder);
    let out = folder.at("suite.jsonl");
    let ran = run(&["sample", &from, "-o", &out, "--cases", "2"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let drawn = weights(&out);
    assert_eq!(drawn.get("rare"), Some(&Decimal::ONE));
    let common = drawn.iter().find(|(id, _)| id.starts_with("common")).map(|(_, weight)| *weight);
    assert_eq!(common, Some(Decimal::from(1002)), "the others of its stratum are its to stand for");
    assert!(ran.out.contains("2 kinds with 0.2 % of the traffic have no case"), "{}", ran.out);
    assert!(ran.out.contains("--cases 4 would give each kind one"), "{}", ran.out);
}

#[test]
fn a_tool_that_is_called_seven_times_in_a_row_is_of_the_kind_of_nine() {
    let folder = Folder::new();
    let of = |times: usize| vec!["turn_page"; times].join(" ");
    let mut text: String = (2..60).map(|times| line(&format!("run-{times}"), "s", &of(times))).collect();
    text += &(2..60).map(|times| line(&format!("loop-{times}"), "s", &"open read ".repeat(times))).collect::<String>();
    text += &line("once", "s", "turn_page");
    let suite = sample(&folder, &[&folder.file("loops.jsonl", text)], &[]);
    let kinds: BTreeSet<String> =
        lines(&suite).iter().map(|line| line["drawn"]["kind"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["(open > read)+", "turn_page", "turn_page+"].map(str::to_owned).into());
}

#[test]
fn strata_are_made_by_what_is_asked_for() {
    let folder = Folder::new();
    let text = r#"{"id":"a","input":"x","scenario":"s","model":"m-1","tags":["lang:de"]}
{"id":"b","input":"x","scenario":"s","model":"m-1","tags":["lang:fr"]}
{"id":"c","input":"x","scenario":"s","model":"m-2","tags":["lang:de"]}
{"id":"d","input":"x","scenario":"t","model":"m-2","tags":["lang:de"]}
"#;
    let from = folder.file("x.jsonl", text);
    let count = |by: &str| lines(&sample(&folder, &[&from], &["--by", by])).len();
    assert_eq!(["scenario", "model", "agent", "tag:lang", "model,tag:lang"].map(count), [2, 2, 1, 2, 3]);
    let ran = run(&["sample", &from, "-o", &folder.at("y.jsonl"), "--by", "scenarios"]);
    assert!(ran.code == 2 && ran.err.contains("did you mean scenario?"), "{}", ran.err);
}

const ODD: &str = r#"{"id":7,"input":{"a":[1.0,1e2]},"mine":{"z":1,"a":null},"weight":0.50,"drawn":"by hand","latencyMs":900.0,"toolCalls":[{"name":"a","big":9007199254740993}]}
{"input":"no id","toolCalls":[{"name":"b","result":null}]}
{"id":"c","input":"one of two","toolCalls":[{"name":"c"}],"weight":3}
{"id":"d","input":"one of two","toolCalls":[{"name":"c"}],"weight":3}
"#;

#[test]
fn everything_else_is_written_as_it_was() {
    let folder = Folder::new();
    let from = folder.file("odd.jsonl", ODD);
    let suite = sample(&folder, &[&from], &[]);
    let text = std::fs::read_to_string(&suite).unwrap();
    let written: Vec<&str> = text.lines().collect();
    let drawn = r#""drawn":{"kind":"a","interactions":1,"traffic":0.5,"cases":1,"before":"by hand"}"#;
    for kept in [
        r#""id":7"#,
        r#"{"a":[1.0,1e2]}"#,
        r#""mine":{"z":1,"a":null}"#,
        r#""weight":0.50"#,
        r#""latencyMs":900.0"#,
        r#""big":9007199254740993"#,
        drawn,
    ] {
        assert!(written[0].contains(kept), "{kept}\n{}", written[0]);
    }
    // One without an id keeps the one that it had by its place; a weight that is another now is told.
    assert!(written[1].starts_with(r#"{"id":"replay-2","#) && !written[1].contains("weight"), "{}", written[1]);
    assert!(
        written[2].contains(r#""weight":6,"drawn":{"kind":"c","interactions":2,"traffic":6,"cases":1,"weight":3}"#)
    );
    // The same through Parquet.
    let (parquet, back) = (folder.at("suite.parquet"), folder.at("back.jsonl"));
    assert_eq!(run(&["sample", &from, "-o", &parquet]).code, 0);
    assert_eq!(run(&["convert", &parquet, &back]).code, 0);
    assert_eq!(lines(&back), lines(&suite));
}

#[test]
fn a_sample_of_a_sample_still_adds_up() {
    let folder = Folder::new();
    let first = sample(&folder, &[NIGHTLY], &["--cases", "120"]);
    let kept = folder.file("first.jsonl", std::fs::read(&first).unwrap());
    let second = sample(&folder, &[&kept], &["--cases", "30"]);
    assert_eq!((lines(&second).len(), traffic(&second)), (30, traffic(NIGHTLY)));
    assert!(lines(&second).iter().all(|line| line["drawn"]["before"]["kind"].is_string()));
}

/// What a run of the changed sample agent reports.
fn report_of_a_run(folder: &Folder, recording: &str) -> Value {
    let ran = run(&["run", recording, "--target", "sample:v2", "--runs", &folder.at("runs"), "--json"]);
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn a_suite_finds_what_the_whole_traffic_finds_and_how_often() {
    let folder = Folder::new();
    let kinds = |report: &Value| -> BTreeSet<String> {
        let groups = report["groups"].as_array().unwrap();
        groups.iter().map(|group| format!("{} {}", group["tool"], group["kind"])).collect()
    };
    let share = |report: &Value| {
        let of = |field: &str| report["summary"][field].as_f64().unwrap();
        of("trafficChanged") / of("traffic")
    };
    let whole = report_of_a_run(&folder, NIGHTLY);
    for seed in ["0", "1", "2"] {
        let suite = sample(&folder, &[NIGHTLY], &["--cases", "100", "--seed", seed]);
        let drawn = report_of_a_run(&folder, &suite);
        assert!(kinds(&drawn).is_subset(&kinds(&whole)));
        assert!(kinds(&drawn).len() * 2 > kinds(&whole).len(), "{seed}: {} kinds of difference", kinds(&drawn).len());
        assert!((share(&drawn) - share(&whole)).abs() < 0.05, "{seed}: {} for {}", share(&drawn), share(&whole));
    }
}

#[test]
fn rows_that_cannot_be_read_go_to_quarantine() {
    let folder = Folder::new();
    let from = folder.file("bad.jsonl", line("a", "s", "x") + "oops\n" + &line("a", "s", "y"));
    let (out, quarantine) = (folder.at("suite.jsonl"), folder.at("quarantine.jsonl"));
    let with = |rejects| run(&["sample", &from, "-o", &out, "--max-rejects", rejects, "--quarantine", &quarantine]);
    let refused = with("1");
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(refused.err.contains("nothing was written") && !std::path::Path::new(&out).exists(), "{}", refused.err);
    let taken = with("2");
    assert_eq!((taken.code, lines(&out).len(), lines(&quarantine).len()), (0, 1, 2), "{}", taken.err);
    assert!(taken.out.contains("2 rows were turned away and stand for nothing"), "{}", taken.out);
}

#[test]
fn what_cannot_be_drawn_from_is_refused() {
    let folder = Folder::new();
    let from = folder.file("x.jsonl", line("a", "s", "x"));
    let out = folder.file("there.jsonl", "kept");
    let refused = |arguments: &[&str], why: &str| {
        let Ran { code, out, err } = run(&[&["sample"], arguments].concat());
        assert!(code == 2 && out.is_empty() && err.contains(why), "{arguments:?}: {err}");
    };
    refused(&[&from, "-o", &out], "--force replaces it");
    refused(&[&from, "-o", &from, "--force"], "is one of the recordings to be read");
    refused(&[&from, "-o", "suite.csv"], ".parquet");
    refused(&[&from, "-o", "-", "--json"], "would both go to standard output");
    refused(&[&from, "-o", &out, "--cases", "0"], "0 is not in");
    refused(&[&from, "-o", &out, "--share", "0%"], "no share such as 5%");
    refused(&[&from, "-o", &out, "--share", "5%", "--cases", "3"], "cannot be used with");
    refused(&[&folder.file("none.jsonl", ""), "-o", &out, "--force"], "there is no interaction");
    let fine = folder.file("fine.jsonl", "{\"input\":\"x\",\"weight\":5e-324}\n");
    refused(&[&fine, "-o", &out, "--force"], "fine.jsonl:1: the weight");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "kept");
}

#[test]
fn the_suite_can_be_piped_on() {
    let folder = Folder::new();
    let Ran { code, out, err } = run(&["sample", NIGHTLY, "-o", "-", "--cases", "70"]);
    assert_eq!((code, out.lines().count()), (0, 70));
    assert!(err.starts_with("70 of 394 interactions drawn from 62 kinds, seed 0"), "{err}");
    assert_eq!(out, std::fs::read_to_string(sample(&folder, &[NIGHTLY], &["--cases", "70"])).unwrap());
    let from_pipe =
        ran(taketwo(&["sample", "-", "-o", "-", "--cases", "70"]).write_stdin(std::fs::read(NIGHTLY).unwrap()));
    assert_eq!(from_pipe.out, out);
}

#[test]
fn a_person_sees_which_kinds_there_are_and_what_was_drawn() {
    let folder = Folder::new();
    let shown = |settings: &[&str]| {
        let out = folder.at("suite.jsonl");
        let ran = run(&[&["sample", NIGHTLY, "--force", "-o", &out], settings].concat());
        assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
        ran.out
    };
    insta::assert_snapshot!("sample-share", shown(&["--share", "25%"]));
    insta::assert_snapshot!("sample-too-few", shown(&["--cases", "8"]));
    insta::assert_snapshot!("sample-tools", shown(&["--by", "agent", "--kinds", "tools", "--per-kind", "2"]));
}

#[test]
fn a_program_sees_the_same_as_json() {
    let folder = Folder::new();
    let out = folder.at("suite.jsonl");
    let ran = run(&["sample", NIGHTLY, "-o", &out, "--json", "--cases", "40"]);
    let seen: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&seen["format"], &seen["version"]), (&"taketwo.sample".into(), &1.into()));
    assert_eq!((&seen["traffic"], &seen["weight"], &seen["cases"]), (&752.into(), &752.into(), &40.into()));
    let kinds = seen["kinds"].as_array().unwrap();
    let sum = |field: &str| kinds.iter().map(|kind| kind[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!((kinds.len(), sum("traffic"), sum("weight"), sum("cases")), (62, 752, 752, 40));
    assert_eq!(sum("interactions"), 394);
    let without = kinds.iter().filter(|kind| kind["cases"] == 0);
    let spread: u64 = without.map(|kind| kind["traffic"].as_u64().unwrap()).sum();
    assert_eq!(seen["spreadTraffic"], spread);
    let strata = seen["strata"].as_array().unwrap();
    assert_eq!(strata.iter().map(|stratum| stratum["cases"].as_u64().unwrap()).sum::<u64>(), 40);
}

#[test]
fn real_traffic_is_drawn_from() {
    let Some(corpus) = shared("corpus/tau2-bench/judge_viewer/data/simulations/azure-airline-full.json") else {
        return;
    };
    let folder = Folder::new();
    let from = folder.at("airline.jsonl");
    assert_eq!(run(&["import", "tau2", corpus.to_str().unwrap(), "-o", &from]).code, 0);
    let all = lines(&from);
    for cases in ["1", "5", "20"] {
        let suite = sample(&folder, &[&from], &["--cases", cases, "--kinds", "tools"]);
        assert_eq!(traffic(&suite), Decimal::from(all.len()));
        // But for the weight and the mark each is what it was.
        for mut line in lines(&suite) {
            let fields = line.as_object_mut().unwrap();
            fields.remove("weight");
            fields.remove("drawn");
            assert!(all.contains(&line), "{line}");
        }
        let ran = run(&["run", &suite, "--target", &format!("recorded:{suite}"), "--runs", &folder.at("runs")]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    }
}
