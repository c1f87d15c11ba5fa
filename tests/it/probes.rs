//! The comparisons in `shared/probes/probes.jsonl` come out as a careful engineer expects, by `run`, by `diff` and by
//! the stubs alike.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taketwo::compare::Policy;
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

/// A stub answers every call of the run exactly when no argument differs: the same equality decides.
#[test]
fn stubs_answer_exactly_the_calls_that_pass() {
    let Some(probes) = probes() else { return };
    let mut looked_up = 0;
    for probe in probes.iter().filter(|probe| probe.category == "args") {
        let (Ok(recorded), Ok(observed)) = (wire::read(&probe.recorded), wire::read(&probe.observed)) else { continue };
        let rules = probe.ignore.iter().map(|path| path.parse().unwrap()).collect();
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
