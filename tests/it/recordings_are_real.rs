//! The recordings in `recordings/` are what the sample agent does with real tools, and its second version differs
//! from them exactly as `recordings/CHANGES.md` says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use taketwo::case::{EvalCase, EvalCaseParser};
use taketwo::compare::{Alignment, Matching, PairKind, Policy, align, prepare};
use taketwo::evaluate::{EvalContext, EvaluationOutcome, EvaluationRules, evaluate};
use taketwo::recording::{Interaction, Kind, Recordings, ToolCall};
use taketwo::replay::{Attempt, BindingRules, Ended, ExperimentRunner, RunPlan, Stopper};
use taketwo::sample::{Sample, Version};

const RECORDINGS: [&str; 2] = ["quickstart", "nightly"];

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn recording(name: &str) -> String {
    in_repository(&format!("recordings/{name}.jsonl")).to_str().unwrap().to_owned()
}

fn interactions(path: &str) -> Vec<Interaction> {
    let recordings = Recordings::open(&[path]).unwrap();
    recordings.rows().unwrap().map(|row| row.unwrap().interaction).collect()
}

/// Replays a recording against a version of the sample agent, in the order of the recording.
fn replay(name: &str, version: Version) -> Vec<(EvalCase, Attempt)> {
    let recordings = Recordings::open(&[recording(name)]).unwrap();
    let parser = EvalCaseParser::default();
    let rows = recordings.rows().unwrap().enumerate();
    let cases: Vec<EvalCase> = rows.map(|(index, row)| parser.parse(index as u64, row.unwrap()).unwrap()).collect();
    let expected = cases.len();
    let plan = RunPlan {
        lanes: 4,
        repeats: 1,
        deadline: Duration::from_secs(30),
        rules: Arc::new(BindingRules::default()),
        live_tools: None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut done = runtime.block_on(async move {
        let (out, mut attempts) = tokio::sync::mpsc::channel(64);
        let runner = ExperimentRunner::new(Arc::new(Sample::new(version)), plan);
        let (_stopper, stop) = Stopper::new();
        let finish = |case: &EvalCase, attempt: Attempt| (case.clone(), attempt);
        let running = tokio::spawn(async move { runner.run(cases.into_iter(), |_| false, finish, out, stop).await });
        let mut done = Vec::new();
        while let Some(one) = attempts.recv().await {
            done.push(one);
        }
        running.await.unwrap();
        done
    });
    assert_eq!(done.len(), expected, "{name}: every case is run");
    done.sort_by_key(|(case, _)| case.index);
    done
}

fn calls(interaction: &Interaction) -> &[ToolCall] {
    interaction.tool_calls.as_deref().unwrap()
}

fn alignment(case: &EvalCase, attempt: &Attempt) -> Alignment {
    let policy = Policy::default();
    let (recorded, seen) = (prepare(calls(&case.recorded), &policy), prepare(calls(&attempt.seen), &policy));
    align(&recorded, &seen, Matching::default())
}

/// The labels that an attempt fails by.
fn failed_labels(case: &EvalCase, attempt: &Attempt) -> BTreeSet<String> {
    let rules = EvaluationRules::default();
    let results = evaluate(&EvalContext::new(case, attempt, &rules)).into_iter();
    let failed = results.filter(|result| result.outcome == EvaluationOutcome::Failed);
    failed.map(|result| result.label.to_string()).collect()
}

#[test]
fn version_one_does_what_was_recorded() {
    for name in RECORDINGS {
        for (case, attempt) in replay(name, Version::V1) {
            let at = format!("{name}, {}", case.id);
            assert_eq!(attempt.ended, Ended::Replied, "{at}");
            assert!(alignment(&case, &attempt).holds(Matching::Strict), "{at}: {:?}", alignment(&case, &attempt));
            assert_eq!(failed_labels(&case, &attempt), BTreeSet::new(), "{at}");
            assert_eq!(attempt.ledger.fidelity(), 1.0, "{at}");
            assert_eq!(attempt.ledger.unused, Vec::<usize>::new(), "{at}");
            assert_eq!(attempt.seen.output, case.recorded.output, "{at}");
            assert_eq!(attempt.seen.tokens, case.recorded.tokens, "{at}");
        }
    }
}

/// A line of a table in CHANGES.md.
struct Row {
    change: String,
    /// What stands in backticks in the third column.
    cases: Vec<glob::Pattern>,
    /// What stands in backticks in the fourth column.
    labels: Vec<String>,
    counts: BTreeMap<&'static str, usize>,
}

/// The tables of CHANGES.md: what must be found, and what must not be reported.
fn tables() -> (Vec<Row>, Vec<Row>) {
    let text = std::fs::read_to_string(in_repository("recordings/CHANGES.md")).unwrap();
    let (found, harmless) = text.split_once("## Must not be reported").unwrap();
    let rows = |part: &str| part.lines().filter(|line| line.starts_with("| `")).map(row).collect();
    (rows(found), rows(harmless))
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let [nightly, quickstart] = [1, 2].map(|from_end| cells[cells.len() - from_end].parse().unwrap());
    Row {
        change: quoted(cells[0]).remove(0),
        cases: quoted(cells[2]).iter().map(|pattern| glob::Pattern::new(pattern).unwrap()).collect(),
        labels: if cells.len() == 6 { quoted(cells[3]) } else { Vec::new() },
        counts: BTreeMap::from([("quickstart", quickstart), ("nightly", nightly)]),
    }
}

#[test]
fn version_two_differs_where_the_list_says_and_nowhere_else() {
    let (rows, _) = tables();
    assert!(rows.iter().map(|row| &row.change).collect::<BTreeSet<_>>().len() >= 8, "the table is read");
    let said = std::fs::read_to_string(in_repository("recordings/CHANGES.md")).unwrap();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut wrong = Vec::new();
    for name in RECORDINGS {
        let (mut touched, mut failing) = (vec![0; rows.len()], 0);
        let attempts = replay(name, Version::V2);
        let all = attempts.len();
        for (case, attempt) in attempts {
            let mut wanted: BTreeSet<String> = BTreeSet::new();
            for (row, touched) in rows.iter().zip(&mut touched) {
                if row.cases.iter().any(|pattern| pattern.matches(case.id.as_str())) {
                    *touched += 1;
                    wanted.extend(row.labels.iter().cloned());
                }
            }
            let failed = failed_labels(&case, &attempt);
            failing += usize::from(!failed.is_empty());
            if failed != wanted {
                wrong.push(format!("{name}, {}: {wanted:?} was listed, {failed:?} was seen", case.id));
            }
        }
        assert!(said.contains(&format!("{failing} of {all} in {name}")), "{failing} of {all} in {name} fail");
        for (row, touched) in rows.iter().zip(touched) {
            if row.counts[name] != touched {
                wrong.push(format!(
                    "{name}, {} {:?}: {} listed, {touched} counted",
                    row.change, row.labels, row.counts[name]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The harmless changes that an attempt shows.
fn harmless(case: &EvalCase, attempt: &Attempt) -> BTreeSet<&'static str> {
    let mut shown = BTreeSet::new();
    let (recorded, seen) = (calls(&case.recorded), calls(&attempt.seen));
    let same = alignment(case, attempt).pairs.into_iter().filter(|pair| pair.kind == PairKind::Same);
    let mut last = None;
    for pair in same {
        let (was, is) = (&recorded[pair.recorded], &seen[pair.seen]);
        let (was_text, is_text) = (was.arguments.as_ref().unwrap(), is.arguments.as_ref().unwrap());
        if was_text != is_text {
            shown.insert(match (was.name.as_str(), is_text.kind()) {
                ("refund", Kind::Object) => "key-order",
                ("search_articles", Kind::Object) => "five-point-zero",
                ("calculate", Kind::String) => "arguments-as-text",
                ("read_file", Kind::Object) => "decomposed",
                other => panic!("{}: {other:?} is no listed change", case.id),
            });
        }
        if last.is_some_and(|(step, at)| was.step == step && pair.seen < at) {
            shown.insert("other-order");
        }
        last = Some((was.step, pair.seen));
    }
    if attempt.seen.output != case.recorded.output && failed_labels(case, attempt).is_empty() {
        shown.insert("reworded");
    }
    if attempt.seen.tokens.input < case.recorded.tokens.input && failed_labels(case, attempt).is_empty() {
        shown.insert("fewer-tokens");
    }
    shown
}

#[test]
fn version_two_also_changes_what_makes_no_difference() {
    let (_, rows) = tables();
    let mut wrong = Vec::new();
    for name in RECORDINGS {
        let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
        for (case, attempt) in replay(name, Version::V2) {
            harmless(&case, &attempt).into_iter().for_each(|change| *counted.entry(change).or_default() += 1);
        }
        let listed: BTreeMap<&str, usize> = rows.iter().map(|row| (row.change.as_str(), row.counts[name])).collect();
        if listed != counted {
            wrong.push(format!("{name}: {listed:?} listed, {counted:?} counted"));
        }
        assert!(counted.values().all(|count| *count > 0));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_recordings_hold_what_real_work_holds() {
    for name in RECORDINGS {
        let all = interactions(&recording(name));
        let some = |holds: &dyn Fn(&[ToolCall]) -> bool| all.iter().any(|it| holds(calls(it)));
        let equal = |a: &ToolCall, b: &ToolCall| a.name == b.name && a.arguments == b.arguments;
        assert!(some(&|calls| calls.is_empty()), "{name}: no calls");
        assert!(some(&|calls| calls.iter().any(|call| call.error.is_some())), "{name}: errors");
        let retried =
            |pair: &[ToolCall]| equal(&pair[0], &pair[1]) && pair[0].error.is_some() && pair[1].error.is_none();
        assert!(some(&|calls| calls.windows(2).any(retried)), "{name}: a retry");
        let polled = |three: &[ToolCall]| equal(&three[0], &three[2]) && three[0].result != three[2].result;
        assert!(some(&|calls| calls.windows(3).any(polled)), "{name}: polling until something changes");
        let parallel = |pair: &[ToolCall]| pair[0].step.is_some() && pair[0].step == pair[1].step;
        assert!(some(&|calls| calls.windows(2).any(parallel)), "{name}: parallel calls");
        let long = |call: &ToolCall| call.result.as_ref().is_some_and(|result| result.text().len() > 1000);
        assert!(some(&|calls| calls.iter().any(long)), "{name}: a long result");
        assert!(all.iter().any(|it| it.history.is_some()) && all.iter().any(|it| it.weight.is_some()));
        let tools: BTreeSet<&str> = all.iter().flat_map(calls).map(|call| call.name.as_str()).collect();
        assert_eq!(tools.len(), 12, "{name}: every tool of the desk, {tools:?}");
    }
    assert!(interactions(&recording("nightly")).len() > 350);
    assert!(std::fs::metadata(recording("nightly")).unwrap().len() < 600_000);
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[test]
fn recording_again_gives_the_same_file() {
    if !(is_there("python3") && is_there("git")) {
        eprintln!("skipped: recording again needs python3 and git");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("again.jsonl");
    let done = Command::new(env!("CARGO_BIN_EXE_taketwo"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["record", "examples/inputs/quickstart.jsonl", "--target", "sample:v1", "--no-time", "--lanes", "2"])
        .args(["--tools", "command:python3 examples/tools/desk.py", "--effect", "refund=irreversible"])
        .args(["--effect", "reserve=write", "-o"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let again = std::fs::read_to_string(&out).unwrap();
    let committed = std::fs::read_to_string(recording("quickstart")).unwrap();
    for (again, committed) in again.lines().zip(committed.lines()) {
        assert_eq!(again, committed);
    }
    assert_eq!(again.len(), committed.len());
}
