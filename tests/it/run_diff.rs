//! Two runs are told as what the second came to otherwise, and what could not be compared is never taken for the same.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{Folder, Ran, run};

/// A folder with runs of the compiled-in agents.
struct Runs(Folder);

impl Runs {
    fn new() -> Self {
        Self(Folder::new())
    }

    fn root(&self) -> String {
        self.0.at("runs")
    }

    /// Runs a version of the agent; gives the run's folder.
    fn make(&self, recording: &str, version: &str, more: &[&str]) -> String {
        let (root, target) = (self.root(), format!("sample:{version}"));
        let before = self.all();
        let base = ["run", recording, "--target", &target, "--runs", &root, "--skip", "latency-budget"];
        let ran = run(&[&base[..], more].concat());
        assert!(ran.code < 2, "{}", ran.err);
        let made = self.all().into_iter().find(|run| !before.contains(run)).unwrap();
        Path::new(&root).join(made).to_str().unwrap().to_owned()
    }

    fn all(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root()) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !name.starts_with('.')).collect()
    }

    fn diff(&self, before: &str, after: &str, more: &[&str]) -> Ran {
        let root = self.root();
        run(&[&["diff", before, after, "--runs", &root, "--exit-code"], more].concat())
    }

    fn json(&self, before: &str, after: &str) -> Value {
        serde_json::from_str(&self.diff(before, after, &["--json"]).out).unwrap()
    }
}

fn quickstart() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/quickstart.jsonl").to_str().unwrap().to_owned()
}

/// Some lines of the recording, each changed as it is wanted.
fn lines(of: std::ops::Range<usize>, change: impl Fn(usize, &mut Value)) -> String {
    let text = fs::read_to_string(quickstart()).unwrap();
    let line = |(at, line): (usize, &str)| {
        let mut case: Value = serde_json::from_str(line).unwrap();
        change(at, &mut case);
        format!("{case}\n")
    };
    text.lines().enumerate().filter(|(at, _)| of.contains(at)).map(line).collect()
}

/// Changes the rows of a run, each with the id of its case.
fn change_journal(run: &str, change: impl Fn(&str, &mut Value)) {
    let path = Path::new(run).join("journal.jsonl");
    let changed = |row: &str| {
        let mut row: Value = serde_json::from_str(row).unwrap();
        let id = row["id"].as_str().unwrap().to_owned();
        change(&id, &mut row);
        format!("{row}\n")
    };
    let journal: String = fs::read_to_string(&path).unwrap().lines().map(changed).collect();
    fs::write(&path, journal).unwrap();
}

/// A text without names, times and places.
fn steady(text: &str) -> String {
    let mut text = text.to_owned();
    for path in [quickstart(), std::env::temp_dir().display().to_string()] {
        text = text.replace(&path, "PATH");
    }
    let is_measured = |line: &str| line.starts_with("  latency ");
    let mut out = String::new();
    let mut words = text.lines().filter(|line| !is_measured(line)).peekable();
    while let Some(line) = words.next() {
        // A run is told in a paragraph of its own, whose breaks depend on paths.
        if line.starts_with("  first ") || line.starts_with("  second ") {
            let mut whole = line.to_owned();
            while let Some(next) = words.next_if(|next| next.starts_with("          ")) {
                whole.push_str(&format!(" {}", next.trim_start()));
            }
            let verdict = whole.split(": ").nth(1).unwrap().split(", ").next().unwrap();
            let target = whole.split(", ").nth(1).unwrap().split(" on ").next().unwrap();
            out.push_str(&format!("{}RUN: {verdict}, {target} on RECORDING\n", &whole[..10]));
        } else {
            out.push_str(&format!("{line}\n"));
        }
    }
    out
}

#[test]
fn a_build_that_does_otherwise_is_told_by_case_by_kind_and_by_sequence() {
    let runs = Runs::new();
    let (old, new) = (runs.make(&quickstart(), "v1", &[]), runs.make(&quickstart(), "v2", &[]));
    let ran = runs.diff(&old, &new, &[]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    insta::assert_snapshot!("new-build", steady(&ran.out));
    let back = runs.diff(&new, &old, &[]);
    insta::assert_snapshot!("old-build-again", steady(&back.out));
    let all = runs.diff(&old, &new, &["--all"]);
    assert!(!all.out.contains("--all"), "{}", all.out);
    for line in ran.out.lines().chain(back.out.lines()).chain(all.out.lines()) {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
    }
}

#[test]
fn the_same_build_comes_to_the_same() {
    let runs = Runs::new();
    for version in ["v1", "v2"] {
        let (one, other) = (
            runs.make(&quickstart(), version, &["--lanes", "1"]),
            runs.make(&quickstart(), version, &["--lanes", "4"]),
        );
        let ran = runs.diff(&one, &other, &[]);
        assert_eq!(ran.code, 0, "{}", ran.out);
        assert!(ran.out.starts_with("SAME: of 43 cases in both runs none came out otherwise."), "{}", ran.out);
    }
}

#[test]
fn what_is_swapped_swaps() {
    let runs = Runs::new();
    let (old, new) = (runs.make(&quickstart(), "v1", &[]), runs.make(&quickstart(), "v2", &[]));
    let (there, back) = (runs.json(&old, &new), runs.json(&new, &old));
    assert_eq!(there["before"], back["after"]);
    assert_eq!(there["verdicts"]["before"], back["verdicts"]["after"]);
    let ids = |diff: &Value, kind: &str| -> Vec<Value> {
        let changes = diff["changes"].as_array().unwrap().iter().filter(|change| change["kind"] == kind);
        changes.map(|change| json!([change["id"], change["new"], change["gone"]])).collect()
    };
    let turned = |list: Vec<Value>| -> Vec<Value> {
        list.into_iter().map(|change| json!([change[0], change[2], change[1]])).collect()
    };
    assert_eq!(ids(&there, "newly-failing"), turned(ids(&back, "newly-passing")));
    let tools = |diff: &Value, came: &str| -> Vec<Value> {
        let changes = diff["sequences"]["changes"].as_array().unwrap().iter().filter(|it| it["change"] == came);
        changes.map(|change| change["tools"].clone()).collect()
    };
    assert_eq!(tools(&there, "appeared"), tools(&back, "vanished"));
    assert_eq!(tools(&there, "vanished"), tools(&back, "appeared"));
    assert_eq!(there["groups"].as_array().unwrap().len(), back["groups"].as_array().unwrap().len());
}

#[test]
fn cases_are_found_by_their_ids_whatever_their_order() {
    let runs = Runs::new();
    let turned: String = lines(0..43, |_, _| {}).lines().rev().map(|line| format!("{line}\n")).collect();
    let turned = runs.0.file("turned.jsonl", turned);
    let (one, other) = (runs.make(&quickstart(), "v1", &[]), runs.make(&turned, "v2", &[]));
    let (straight, plain) = (runs.json(&one, &other), runs.make(&quickstart(), "v2", &[]));
    let plain = runs.json(&one, &plain);
    for part in ["cases", "changes", "groups", "sequences", "verdicts"] {
        assert_eq!(straight[part], plain[part], "{part}");
    }
}

#[test]
fn what_could_not_be_compared_is_said_and_is_not_the_same() {
    let runs = Runs::new();
    let (start, end) =
        (runs.0.file("start.jsonl", lines(0..30, |_, _| {})), runs.0.file("end.jsonl", lines(20..43, |_, _| {})));
    let (one, other) = (runs.make(&start, "v1", &[]), runs.make(&end, "v1", &["--rule", "trim refund:$.order_id"]));
    let ran = runs.diff(&one, &other, &[]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    let text = steady(&ran.out);
    // Hashes of recordings depend on nothing but what is in them.
    insta::assert_snapshot!("in-part", text);
    let json = runs.json(&one, &other);
    assert_eq!((&json["verdict"], &json["cases"]), (&json!("NOT_PROVEN"), &json!(10)));
    assert_eq!(json["onlyBefore"].as_array().unwrap().len(), 20);
    // Without --exit-code the program has done what it was asked to do.
    assert_eq!(run(&["diff", &one, &other]).code, 0);
    let ran = runs.diff(&one, &one, &[]);
    assert!(ran.code == 3 && ran.out.contains("both are one and the same run"), "{}", ran.out);
}

#[test]
fn a_run_that_is_not_finished_proves_nothing() {
    let runs = Runs::new();
    let (one, other) = (runs.make(&quickstart(), "v1", &[]), runs.make(&quickstart(), "v1", &[]));
    // As it is while it is under way, or was killed.
    let path = Path::new(&other).join("manifest.json");
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    (manifest["facts"]["state"], manifest["outcome"]) = (json!("unfinished"), Value::Null);
    fs::write(&path, manifest.to_string()).unwrap();
    let journal = Path::new(&other).join("journal.jsonl");
    let rows = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, rows.lines().take(12).map(|row| format!("{row}\n")).collect::<String>() + "{\"index\":")
        .unwrap();
    let ran = runs.diff(&one, &other, &[]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("the second run is not finished") && ran.out.contains("31 cases are only in the first"));
}

#[test]
fn cases_that_fail_in_both_are_held_to_each_other() {
    let runs = Runs::new();
    let (one, other) = (runs.make(&quickstart(), "v2", &[]), runs.make(&quickstart(), "v2", &[]));
    // An id is another one in each run, as ids are.
    let anew = |row: &mut Value, id: &str| {
        row["differences"][0]["seen"] = json!(id);
        row["differences"][0]["hint"] = json!("looks like an id made anew each time");
    };
    change_journal(&one, |id, row| {
        if id == "invoice-copy-01" {
            anew(row, "1005");
        }
    });
    change_journal(&other, |id, row| match id {
        "invoice-copy-01" => anew(row, "1006"),
        "refund-share-01" => row["differences"][0]["seen"] = json!("\"22\""),
        "stock-sku-01" => row["tools"]["seen"].as_array_mut().unwrap().push(json!("reserve")),
        "exchange-done-01" => row["differences"][0]["tool"] = json!("reserve"),
        _ => {}
    });
    let json = runs.json(&one, &other);
    let changes: Vec<(&str, &str)> = json["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (change["id"].as_str().unwrap(), change["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(
        changes,
        [
            ("refund-share-01", "other-details"),
            ("exchange-done-01", "other-differences"),
            ("stock-sku-01", "other-details")
        ]
    );
    let ran = runs.diff(&one, &other, &[]);
    insta::assert_snapshot!("fail-in-both", steady(&ran.out));
}

#[test]
fn the_json_follows_its_schema_and_two_times_it_is_the_same() {
    let schema: Value = serde_json::from_str(include_str!("../../schemas/run-diff-v1.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let runs = Runs::new();
    let start = runs.0.file("start.jsonl", lines(0..30, |_, _| {}));
    let made = [
        runs.make(&quickstart(), "v1", &[]),
        runs.make(&quickstart(), "v2", &["--repeat", "2"]),
        runs.make(&start, "v2", &["--content", "omit", "--rule", "trim refund:$.order_id"]),
    ];
    for before in &made {
        for after in &made {
            let ran = runs.diff(before, after, &["--json"]);
            assert_eq!(ran.out, runs.diff(before, after, &["--json"]).out);
            let diff: Value = serde_json::from_str(&ran.out).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&diff).map(|error| format!("{} {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{errors:#?}");
            assert_eq!(diff["exitCode"], ran.code);
            crate::reports::assert_named(&schema, &schema, &diff, "$");
            let document: taketwo::report::RunDiffDocument = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(serde_json::to_value(&document).unwrap(), diff);
        }
    }
}

#[test]
fn runs_without_content_are_compared_and_keep_it_out() {
    let runs = Runs::new();
    let omit = ["--content", "omit"];
    let (one, other) = (runs.make(&quickstart(), "v1", &omit), runs.make(&quickstart(), "v2", &omit));
    let ran = runs.diff(&one, &other, &["--all"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("+ stock_status") && !ran.out.contains("20.60"), "{}", ran.out);
}

#[test]
fn values_that_were_left_out_are_not_taken_for_the_same() {
    let runs = Runs::new();
    let omit = ["--content", "omit"];
    let (one, other) = (runs.make(&quickstart(), "v2", &omit), runs.make(&quickstart(), "v2", &omit));
    let ran = runs.diff(&one, &other, &[]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.contains("from the recording in both, in values that were left out"), "{}", ran.out);
}

#[test]
fn journals_of_before_names_were_kept_are_compared_by_what_they_have() {
    let runs = Runs::new();
    let (one, other) = (runs.make(&quickstart(), "v1", &[]), runs.make(&quickstart(), "v2", &[]));
    for run in [&one, &other] {
        change_journal(run, |_, row| {
            row.as_object_mut().unwrap().remove("tools");
        });
    }
    let json = runs.json(&one, &other);
    assert_eq!(json["changes"].as_array().unwrap().len(), 18);
    assert_eq!((&json["sequences"]["compared"], &json["sequences"]["unknown"]), (&json!(0), &json!(43)));
}

#[test]
fn runs_are_named_as_elsewhere_and_a_recording_is_no_run() {
    let runs = Runs::new();
    let one = runs.make(&quickstart(), "v1", &[]);
    runs.make(&quickstart(), "v2", &[]);
    let id = Path::new(&one).file_name().unwrap().to_str().unwrap();
    for (before, after) in [("last~1", "last"), (id, "last"), (one.as_str(), "last")] {
        let ran = runs.diff(before, after, &[]);
        assert!(ran.code == 1 && ran.out.contains("18 fail now"), "{before} {after}: {}{}", ran.out, ran.err);
    }
    let refused = |before: &str, after: &str, more: &[&str], said: &str| {
        let ran = runs.diff(before, after, more);
        assert!(ran.code == 2 && ran.out.is_empty() && ran.err.contains(said), "{before} {after}: {}", ran.err);
    };
    refused("last", &quickstart(), &[], "\"last\" is a run and");
    refused(&quickstart(), &one, &[], "only like can be compared with like");
    refused("last~2", "last", &[], "there is no run \"last~2\"");
    refused("19991231", "last", &[], "there is no run \"19991231\"");
    refused(&one, "last", &["--ignore", "ts"], "no flag changes how they were compared");
    refused(&one, "nowhere.jsonl", &[], "is a recording");
}

#[test]
fn a_file_of_the_name_of_a_run_is_a_recording() {
    let runs = Runs::new();
    runs.make(&quickstart(), "v1", &[]);
    let root = runs.root();
    runs.0.file("last", lines(0..3, |_, _| {}));
    let mut command = crate::program::taketwo(&["diff", "last", "last", "--runs", &root, "--exit-code"]);
    let ran = crate::program::ran(command.current_dir(runs.0.path()));
    assert!(ran.code == 0 && ran.out.starts_with("SAME: 3 pairs compared"), "{}{}", ran.out, ran.err);
}

#[test]
fn attempts_are_compared_with_those_of_the_same_number() {
    let runs = Runs::new();
    let (one, other) = (runs.make(&quickstart(), "v1", &["--repeat", "3"]), runs.make(&quickstart(), "v1", &[]));
    let json = runs.json(&one, &other);
    assert_eq!((&json["verdict"], &json["compared"]), (&json!("NOT_PROVEN"), &json!(43)));
    assert_eq!(json["settings"], json!([{ "setting": "repeats", "before": "3", "after": "1" }]));
    let tokens = json["spend"].as_array().unwrap().iter().find(|sum| sum["name"] == "tokens").unwrap();
    assert_eq!(tokens["before"], tokens["after"]);
}

mod folded {
    use taketwo::replay::FailureKind;
    use taketwo::verdict::{
        AttemptRow, CaseChangeKind, EvalCaseResults, FailureRow, RunDifference, RunDifferenceBuilder, Trend, Usage,
        Values,
    };

    use crate::sample_runs::{changed, differing, passed};

    /// The difference of runs of one attempt a case.
    fn difference(cases: &[(AttemptRow, AttemptRow)]) -> RunDifference {
        let mut builder = RunDifferenceBuilder::new(Values::Kept);
        let case = |row: &AttemptRow| EvalCaseResults::new(vec![row.clone()]).unwrap();
        cases.iter().for_each(|(before, after)| builder.add(&case(before), &case(after)));
        builder.finish()
    }

    fn wrong(index: u64) -> AttemptRow {
        let differences = vec![changed("refund", "$.amount", "82.13", "999.0")];
        differing(index, &format!("case-{index}"), &["tool-arguments"], differences, vec![])
    }

    fn right(index: u64) -> AttemptRow {
        passed(index, &format!("case-{index}"))
    }

    fn broken_off(index: u64) -> AttemptRow {
        let failure = Some(FailureRow { kind: FailureKind::Exited, message: "exit status 1".into() });
        let row = AttemptRow { failure, results: vec![], differences: vec![], ..right(index) };
        AttemptRow { verdict: taketwo::verdict::AttemptVerdict::NotReached, seen: Usage::default(), ..row }
    }

    #[test]
    fn kinds_of_difference_grow_and_shrink() {
        let cases = [(wrong(0), wrong(0)), (right(1), wrong(1))];
        let grew = difference(&cases);
        let [group] = &grew.groups[..] else { panic!("{:?}", grew.groups) };
        assert_eq!((group.trend, group.before.cases, group.after.cases), (Trend::Grew, 1, 2));
        assert_eq!(group.example, "case-1", "the case that shows it");
        let back = cases.map(|(before, after)| (after, before));
        assert_eq!(difference(&back).groups[0].trend, Trend::Shrank);
        assert!(difference(&[(wrong(0), wrong(0))]).groups.is_empty());
    }

    #[test]
    fn what_breaks_off_makes_no_difference_vanish() {
        let found = difference(&[(wrong(0), broken_off(0)), (right(1), right(1)), (broken_off(2), broken_off(2))]);
        assert_eq!((found.broken_off, found.open), (2, 1));
        assert!(found.groups.is_empty() && found.sequences.changes.is_empty(), "{found:?}");
        let [change] = &found.changes[..] else { panic!("{:?}", found.changes) };
        assert_eq!((change.kind, change.id.as_str()), (CaseChangeKind::OtherVerdict, "case-0"));
        let tokens = found.spend.iter().find(|sum| sum.name == "tokens").unwrap();
        assert_eq!((tokens.known, tokens.of), (1, 3));
    }

    #[test]
    fn costs_of_two_currencies_are_not_compared() {
        let paid = |currency: &str| {
            let mut row = right(0);
            (row.seen.cost, row.seen.currency) = (Some("1.5".parse().unwrap()), Some(currency.into()));
            row
        };
        let known = |before, after| {
            let found = difference(&[(paid(before), paid(after))]);
            found.spend.iter().find(|sum| sum.name == "cost").unwrap().known
        };
        assert_eq!([known("EUR", "EUR"), known("EUR", "USD")], [1, 0]);
    }
}
