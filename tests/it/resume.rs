//! A run that was killed goes on where it was: each attempt is measured once, and the report is that of a run that
//! nobody disturbed, but for times and ids.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Folder, run};

const ATTEMPTS: usize = 14 * 15;

/// Starts a run of the shell agent, slow enough to be killed in its middle.
fn start(folder: &Folder, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_taketwo"))
        .args(["run", "--runs", &folder.at("runs")])
        .args(more)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

const RUN: [&str; 6] = [
    "recordings/support.jsonl",
    "--target",
    "command:sh examples/shell/support_agent.sh",
    "--repeat",
    "15",
    "--lanes=3",
];

/// The folder of the run, once there is one.
fn begun(folder: &Folder) -> Option<PathBuf> {
    let mut runs = std::fs::read_dir(folder.path().join("runs")).ok()?.map(|entry| entry.unwrap().path());
    runs.find(|path| path.join("manifest.json").exists())
}

fn only_run(folder: &Folder) -> PathBuf {
    begun(folder).unwrap()
}

fn journal(folder: &Folder) -> Vec<String> {
    let text = begun(folder).and_then(|run| std::fs::read_to_string(run.join("journal.jsonl")).ok());
    text.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Waits until the journal holds so many attempts.
fn wait_for(folder: &Folder, attempts: usize) {
    let patience = Instant::now() + Duration::from_secs(60);
    while Instant::now() < patience {
        if journal(folder).len() >= attempts {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the journal never held {attempts} attempts");
}

/// The report without what differs between any two runs.
fn lasting(report: &Path) -> Value {
    let mut report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    for key in ["id", "startedAt", "finishedAt", "wallMs"] {
        report["run"].as_object_mut().unwrap().remove(key);
    }
    report["summary"].as_object_mut().unwrap().remove("latencyMs");
    report["notes"] = Value::Null;
    for case in report["cases"].as_array_mut().unwrap() {
        for attempt in case["attempts"].as_array_mut().into_iter().flatten() {
            attempt["seen"].as_object_mut().unwrap().remove("latencyMs");
        }
    }
    report
}

#[test]
fn a_killed_run_goes_on_and_comes_to_the_same() {
    let (whole, killed) = (Folder::new(), Folder::new());
    assert_eq!(start(&whole, &RUN).wait().unwrap().code(), Some(0));

    for (round, from) in [(0, &RUN[..]), (1, &["--resume"][..])] {
        let mut child = start(&killed, from);
        wait_for(&killed, 20 + round * 40);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(journal(&killed).len() < ATTEMPTS, "it was killed in its middle");
    }
    assert_eq!(start(&killed, &["--resume"]).wait().unwrap().code(), Some(0));

    let keys: Vec<(u64, u64)> = journal(&killed)
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| (row["index"].as_u64().unwrap(), row["attempt"].as_u64().unwrap()))
        .collect();
    assert_eq!((keys.len(), keys.iter().collect::<HashSet<_>>().len()), (ATTEMPTS, ATTEMPTS));
    let report = |folder| lasting(&only_run(folder).join("report.json"));
    assert_eq!(report(&killed), report(&whole));
}

#[cfg(unix)]
#[test]
fn a_stopped_run_keeps_what_was_measured_and_goes_on() {
    let folder = Folder::new();
    let mut child = start(&folder, &RUN);
    wait_for(&folder, 20);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let kept = journal(&folder).len();
    assert!((20..ATTEMPTS).contains(&kept), "{kept} attempts were kept");
    let report = std::fs::read_to_string(only_run(&folder).join("report.txt")).unwrap();
    assert!(report.starts_with("CANCELLED"), "{report}");

    let refused = run(&[
        "run",
        "--runs",
        &folder.at("runs"),
        "--resume",
        "last",
        "recordings/support.jsonl",
        "--target",
        "sample:v1",
    ]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("target"), "{}", refused.err);

    assert_eq!(start(&folder, &["--resume"]).wait().unwrap().code(), Some(0));
    assert_eq!(journal(&folder).len(), ATTEMPTS);
    // Once finished there is nothing left to do, and nothing changes.
    assert_eq!(start(&folder, &["--resume"]).wait().unwrap().code(), Some(0));
    assert_eq!(journal(&folder).len(), ATTEMPTS);
}
