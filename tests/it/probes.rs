//! The comparisons in `shared/probes/probes.jsonl` come out as a careful engineer expects, by `run`, by `diff` and by
//! the stubs alike.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taketwo::compare::{Policy, Rule};
use taketwo::recording::{Json, wire};
use taketwo::replay::{BindingRules, Serving, ToolBindings};

use crate::corpus::shared;

struct Probe {
    id: String,
    category: String,
    expect: String,
    recorded: Json,
    observed: Json,
    ignore: Vec<String>,
    compare_output: Option<String>,
}

fn probes() -> Option<Vec<Probe>> {
    let text = std::fs::read_to_string(shared("probes/probes.jsonl")?).unwrap();
    let probe = |line: &str| {
        let json = Json::parse(line).unwrap();
        let text = |key: &str| json.member(key).unwrap().shown().into_owned();
        let options = json.member("options");
        let ignore = options.as_ref().and_then(|options| options.member("ignore")?.items()).unwrap_or_default();
        Probe {
            id: text("id"),
            category: text("cat"),
            expect: text("expect"),
            recorded: json.member("recorded").unwrap(),
            observed: json.member("observed").unwrap(),
            ignore: ignore.iter().map(|path| path.shown().into_owned()).collect(),
            compare_output: options
                .and_then(|options| options.member("compareOutput"))
                .map(|how| how.shown().into_owned()),
        }
    };
    Some(text.lines().map(probe).collect())
}

fn files(folder: &Path, probe: &Probe) -> (PathBuf, PathBuf) {
    let write = |name: &str, json: &Json| {
        let path = folder.join(name);
        std::fs::write(&path, format!("{}\n", json.text())).unwrap();
        path
    };
    (write("a.jsonl", &probe.recorded), write("b.jsonl", &probe.observed))
}

fn options(command: &mut assert_cmd::Command, probe: &Probe) {
    command.args(["--tolerance", "1.25"]);
    for path in &probe.ignore {
        command.args(["--ignore", path]);
    }
    if let Some(how) = &probe.compare_output {
        command.args(["--compare-output", how]);
    }
}

#[test]
fn run_and_diff_judge_each_probe_as_expected() {
    let Some(probes) = probes() else { return };
    let mut wrong = Vec::new();
    for probe in &probes {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = files(folder.path(), probe);
        let code = match probe.expect.as_str() {
            "pass" => 0,
            "fail" => 1,
            _ => 3,
        };
        for verb in ["run", "diff"] {
            let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_taketwo"));
            command.current_dir(folder.path()).arg(verb).arg(&a);
            match verb {
                "run" => command.arg("--target").arg(format!("recorded:{}", b.display())),
                _ => command.arg(&b).arg("--exit-code"),
            };
            options(&mut command, probe);
            let output = command.output().unwrap();
            if output.status.code() != Some(code) {
                let said =
                    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
                let said: String = said.lines().take(4).collect::<Vec<_>>().join(" | ");
                wrong.push(format!("{} {verb}: {code} expected, {:?}: {said}", probe.id, output.status.code()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), probes.len() * 2, wrong.join("\n"));
}

/// What the explanation of a failing probe must say, so that a reader sees the trap.
const TRAPS: &[(&str, &str)] = &[
    ("a04-int-vs-string", "written as text both are the same, the types differ"),
    ("a06-zero-vs-false", "a number is no boolean"),
    ("a07-str-true-vs-true", "written as text both are the same, the types differ"),
    ("a10-bigint-2p53", "a double cannot tell them apart"),
    ("a12-beyond-u64", "a double cannot tell them apart"),
    ("a13-int-tolerance", "whole numbers, compared exactly however close"),
    ("a17-near-miss-string", "almost the same text"),
    ("a19-trailing-space", "only white space around the text differs"),
    ("a22-homoglyph", "they look alike, some characters are others"),
    ("a24-newlines-in-string", "only line ends differ"),
    ("a29-args-broken-json", "cut off"),
    ("a33-null-vs-missing", "null is not absent"),
    ("a35-empty-list-vs-missing", "empty is not absent"),
    ("a36-extra-optional", "the recording does not have this argument"),
    ("a38-array-order", "the same items in another order"),
    ("a39-array-multiset", "the same items, but not as often each"),
    ("a41-key-case", "the key is spelt otherwise on the other side"),
    ("a42-instant-vs-offset", "the same instant, written otherwise"),
    ("a43-uuid-volatile", "looks like an id made anew each time"),
    ("a45-timestamp-masked-but-id-changed", "$.id: expected 1, seen 2"),
    ("a46-1mb-last-byte", "long texts that differ near their end alone"),
    ("a52-number-in-string", "equal as numbers, but these are texts"),
    ("a53-prefix", "one is the beginning of the other"),
    ("s02-swapped", "get_order moved from place 2 to place 3"),
    ("s04-missing-first", "search was not called (recorded call 1)"),
    ("s06-extra-last", "refund was called, which this case's recording does not use (call 3)"),
    ("s08-repeated", "refund was called more often than recorded"),
    ("s10-retry-removed", "get_order was not retried as it was recorded"),
    ("s11-renamed-tool", "issue_refund was with like arguments"),
    ("s12-tool-case", "only upper and lower case differ"),
    ("s17-args-crossed", "the tools come in the same order, their arguments do not"),
    ("s18-args-mixed", "arguments went to the wrong call"),
    ("s21-none-one", "refund was called, which this case's recording does not use"),
    ("s27-dup-id-call-dropped", "its id c1 is also that of call 1"),
    ("s28-reorder-independent-reads", "search moved from place 1 to place 2"),
    ("r08-output-number", "\"I refunded 50 EUR.\" -> \"I refunded 500 EUR.\""),
    ("d02-tokens-x3", "3600 total tokens, at most 1500 pass"),
    ("d04-output-only-x10", "1000 output tokens, at most 125 pass"),
    ("d07-latency-x10", "9000 ms, at most 1125 pass"),
];

#[test]
fn what_failed_is_told_so_that_a_reader_sees_the_trap() {
    let Some(probes) = probes() else { return };
    let mut wrong = Vec::new();
    for probe in probes.iter().filter(|probe| probe.expect == "fail") {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = files(folder.path(), probe);
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_taketwo"));
        command.current_dir(folder.path()).env("NO_COLOR", "1").arg("diff").arg(&a).arg(&b);
        options(&mut command, probe);
        let said = String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        match TRAPS.iter().find(|(id, _)| *id == probe.id) {
            Some((_, words)) if said.contains(words) => {}
            Some((id, words)) => wrong.push(format!("{id}: {words:?} is not in: {said}")),
            None => wrong.push(format!("{}: no words are stated for it", probe.id)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A stub answers every call of the run exactly when no argument differs: the same equality decides.
#[test]
fn stubs_answer_exactly_the_calls_that_pass() {
    let Some(probes) = probes() else { return };
    let mut looked_up = 0;
    for probe in probes.iter().filter(|probe| probe.category == "args") {
        let (Ok(recorded), Ok(observed)) = (wire::read(&probe.recorded), wire::read(&probe.observed)) else { continue };
        let rules = probe.ignore.iter().map(|path| Rule::ignore(path).unwrap()).collect();
        let rules = BindingRules { policy: Arc::new(Policy::new(rules)), ..BindingRules::default() };
        let mut stubs = ToolBindings::new(&recorded, Arc::new(rules));
        for call in observed.tool_calls.iter().flatten() {
            stubs.answer(&call.name, call.arguments.as_ref());
        }
        let all_exact = stubs
            .ledger()
            .servings
            .iter()
            .all(|serving| matches!(serving, Serving::Exact { .. } | Serving::ByPolicy { .. }));
        assert_eq!(all_exact, probe.expect == "pass", "{}", probe.id);
        looked_up += 1;
    }
    assert!(looked_up > 20, "{looked_up} probes are about arguments");
}
