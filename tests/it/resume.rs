//! A run that is killed, stopped or doubled loses nothing that it measured and measures nothing twice.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::program::Folder;
use crate::replaying::{assert_nothing_left, has, mark};

const CASES: usize = 600;

/// An agent that makes the recorded calls, but leaves one out in a few cases, and writes each turn to a log.
const AGENT: &str = r#"
import json, sys, time
log, pause = open(sys.argv[1], "a"), float(sys.argv[2])
def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)
send({"type": "hello", "protocol": 1, "name": "small", "version": "1"})
while True:
    turn = receive()
    if turn["type"] != "turn":
        continue
    attempt, n = turn["attempt"], int(turn["input"])
    log.write(attempt + "\n")
    log.flush()
    time.sleep(pause)
    send({"type": "tool_call", "attempt": attempt, "call": "c1", "name": "get", "arguments": {"n": n}})
    while receive().get("call") != "c1":
        pass
    if n % 7 == 0 and n % 13 != 0:
        send({"type": "tool_call", "attempt": attempt, "call": "c2", "name": "put", "arguments": {"n": n}})
        while receive().get("call") != "c2":
            pass
    send({"type": "reply", "attempt": attempt, "output": "done", "modelCalls": 2, "tokens": {"input": 100, "output": 9}})
"#;

/// A folder with a recording, an agent and a place for runs.
struct Bench {
    folder: Folder,
    mark: String,
    pause: &'static str,
}

impl Bench {
    fn new(pause: &'static str) -> Self {
        let folder = Folder::new();
        let mut lines = String::new();
        for n in 0..CASES {
            let mut calls = vec![json!({ "name": "get", "arguments": { "n": n }, "result": n })];
            if n % 7 == 0 {
                calls.push(json!({ "name": "put", "arguments": { "n": n }, "result": "ok" }));
            }
            let case = json!({ "id": format!("case-{n}"), "input": n.to_string(), "output": "done", "toolCalls": calls,
                "modelCalls": 2, "tokens": { "input": 100, "output": 9 } });
            writeln!(lines, "{case}").unwrap();
        }
        folder.file("a.jsonl", &lines);
        // The same, but every 11th run makes no call at all.
        let fewer = |line: (usize, &str)| {
            let mut run: Value = serde_json::from_str(line.1).unwrap();
            if line.0.is_multiple_of(11) {
                run["toolCalls"] = json!([]);
            }
            format!("{run}\n")
        };
        folder.file("b.jsonl", lines.lines().enumerate().map(fewer).collect::<String>());
        folder.file("agent.py", AGENT);
        Self { folder, mark: mark(), pause }
    }

    fn agent(&self) -> String {
        format!("command:python3 agent.py log {} {}", self.pause, self.mark)
    }

    fn command(&self, target: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taketwo"));
        command.current_dir(self.folder.path()).args(["run", "a.jsonl", "--target", target, "--lanes", "3"]).args(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, target: &str, more: &[&str]) -> Output {
        self.command(target, more).output().unwrap()
    }

    /// Starts a run and signals it once it has written down so many attempts. Gives how it ended.
    fn stopped_at(&self, target: &str, more: &[&str], attempts: usize, signal: Signal) -> Output {
        let child = self.command(target, more).spawn().unwrap();
        self.wait_for(attempts);
        send(&child, signal);
        child.wait_with_output().unwrap()
    }

    /// Waits until so many attempts are written down, the first among them: it lacks a call.
    fn wait_for(&self, attempts: usize) {
        let patience = Instant::now() + Duration::from_secs(60);
        let is_there = |journal: &str| journal.matches('\n').count() >= attempts && journal.contains("\"case-0\"");
        while !is_there(&self.journal()) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The only run's folder.
    fn kept(&self) -> Option<PathBuf> {
        let runs = std::fs::read_dir(self.folder.path().join(".taketwo/runs")).ok()?;
        runs.flatten().map(|entry| entry.path()).find(|path| path.join("manifest.json").is_file())
    }

    fn journal(&self) -> String {
        let path = self.kept().map(|run| run.join("journal.jsonl"));
        path.and_then(|path| std::fs::read(path).ok())
            .map_or_else(String::new, |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// How often each attempt stands in the journal.
    fn written(&self) -> BTreeMap<(u64, u64), usize> {
        let mut times = BTreeMap::new();
        for line in self.journal().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            *times.entry((row["index"].as_u64().unwrap(), row["attempt"].as_u64().unwrap())).or_default() += 1;
        }
        times
    }

    fn assert_each_once(&self) {
        let written = self.written();
        assert_eq!(written.len(), CASES);
        assert!(written.values().all(|times| *times == 1), "an attempt stands in the journal more than once");
    }

    /// What the report says, less ids, times and the note that the run was resumed.
    fn report(&self) -> Value {
        let text = std::fs::read_to_string(self.kept().unwrap().join("report.json")).unwrap();
        let mut report: Value = serde_json::from_str(&text).unwrap();
        report["notes"] = Value::Null;
        for name in ["id", "startedAt", "finishedAt", "wallMs", "settingsHash"] {
            report["run"][name] = Value::Null;
        }
        report["summary"]["latencyMs"]["seen"] = Value::Null;
        for case in report["cases"].as_array_mut().unwrap() {
            for attempt in case["attempts"].as_array_mut().into_iter().flatten() {
                attempt["seen"]["latencyMs"] = Value::Null;
            }
        }
        report
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // A worker whose taketwo was killed ends when it finds its input closed.
            let patience = Instant::now() + Duration::from_secs(10);
            while !crate::replaying::marked(&self.mark).is_empty() && Instant::now() < patience {
                std::thread::sleep(Duration::from_millis(10));
            }
            assert_nothing_left(&self.mark);
        }
    }
}

fn send(child: &Child, signal: Signal) {
    // It may have ended by itself, which is no fault here.
    let _ = kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal);
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Kills a run again and again, also while it resumes, and lets it go on to the end.
fn killed_and_resumed(target: &str, undisturbed: &Bench, bench: &Bench) {
    let whole = undisturbed.run(target, &[]);
    // Where the kills fall is a matter of chance; what comes out is not.
    for (round, at) in [3, 90, 91, 300, 520].into_iter().enumerate() {
        let more: &[&str] = if bench.kept().is_some() { &["--resume"] } else { &[] };
        let before = bench.journal().len();
        bench.stopped_at(target, more, at, Signal::SIGKILL);
        assert!(bench.journal().len() + 100_000 >= before, "round {round} lost what was measured");
    }
    let last = bench.run(target, &["--resume"]);
    assert_eq!((code(&last), code(&whole)), (Some(1), Some(1)), "{}", stderr(&last));
    bench.assert_each_once();
    assert_eq!(bench.report(), undisturbed.report());
}

#[test]
fn a_killed_run_of_a_program_is_resumed_to_the_same_report() {
    if !has("python3") {
        return;
    }
    let (undisturbed, bench) = (Bench::new("0"), Bench::new("0"));
    // The mark is no part of the report, the target's name is the one that it says.
    killed_and_resumed(&format!("command:python3 agent.py log 0 {}", bench.mark), &undisturbed, &bench);
    let log = std::fs::read_to_string(bench.folder.path().join("log")).unwrap();
    let asked = log.lines().filter(|attempt| attempt.starts_with('t')).count();
    // Three lanes: of each killed run at most what was under way is asked again, and rows that were on their way.
    assert!((CASES..2 * CASES).contains(&asked), "{asked} turns for {CASES} cases");
}

#[test]
fn a_killed_run_of_a_recording_is_resumed_to_the_same_report() {
    killed_and_resumed("recorded:b.jsonl", &Bench::new("0"), &Bench::new("0"));
}

#[test]
fn a_stopped_run_keeps_and_reports_what_it_measured_and_goes_on() {
    if !has("python3") {
        return;
    }
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let bench = Bench::new("0.01");
        // The first case lacks a call, which is a finding; a finding outranks the rest.
        let stopped = bench.stopped_at(&bench.agent(), &[], 10, signal);
        assert_eq!(code(&stopped), Some(1), "{}", stderr(&stopped));
        let said = String::from_utf8_lossy(&stopped.stdout);
        let headline: String = said.split_whitespace().take(30).collect::<Vec<_>>().join(" ");
        assert!(headline.starts_with("FAILED") && headline.contains("cancelled: "), "{headline}");
        let measured = bench.written().len();
        assert!((10..CASES).contains(&measured));
        assert_eq!(bench.report()["facts"]["state"], "cancelled");
        // Without a finding a stopped run ends with 130, and goes on as often as it is stopped.
        let more = ["--resume", "--gate", "pass-rate=50%"];
        let again = bench.stopped_at(&bench.agent(), &more, measured + 20, signal);
        assert_eq!(code(&again), Some(130), "{}", stderr(&again));
        let more = bench.written().len();
        assert!((measured + 20..CASES).contains(&more), "{more} attempts");
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    if !has("python3") {
        return;
    }
    let bench = Bench::new("0.01");
    bench.folder.file(
        "stubborn.py",
        "import sys, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsys.argv[2] = '600'\n\
         exec(open('agent.py').read().replace('time.sleep(pause)', 'time.sleep(0 if n < 5 else 600)'))\n",
    );
    let target = format!("command:python3 stubborn.py log 0 {}", bench.mark);
    let child = bench.command(&target, &["--gate", "pass-rate=0"]).spawn().unwrap();
    bench.wait_for(2);
    send(&child, Signal::SIGINT);
    std::thread::sleep(Duration::from_millis(100));
    send(&child, Signal::SIGINT);
    // A program that will not end is ended with it: nothing is left when the bench is taken away.
    assert_eq!(code(&child.wait_with_output().unwrap()), Some(130));
}

#[test]
fn of_two_resumes_at_once_one_is_refused() {
    if !has("python3") {
        return;
    }
    let bench = Bench::new("0.02");
    bench.stopped_at(&bench.agent(), &[], 5, Signal::SIGKILL);
    let first = bench.command(&bench.agent(), &["--resume"]).spawn().unwrap();
    bench.wait_for(40);
    let second = bench.run(&bench.agent(), &["--resume"]);
    assert_eq!(code(&second), Some(2));
    assert!(stderr(&second).contains("is being written by another process"), "{}", stderr(&second));
    send(&first, Signal::SIGINT);
    assert_eq!(code(&first.wait_with_output().unwrap()), Some(1));
    assert!(bench.written().values().all(|times| *times == 1));
}

#[test]
fn a_resume_with_other_settings_is_refused_and_names_them() {
    let bench = Bench::new("0");
    bench.run("recorded:b.jsonl", &[]);
    let before = bench.report();
    let other = bench.run("recorded:b.jsonl", &["--resume", "--tolerance", "2", "--repeat", "3"]);
    assert_eq!(code(&other), Some(2));
    for said in ["tolerances: was cost=1.5", "now cost=2", "repeats: was 1, now 3"] {
        assert!(stderr(&other).contains(said), "{}", stderr(&other));
    }
    let other = bench.run("recorded:a.jsonl", &["--resume"]);
    assert!(stderr(&other).contains("second recording: was"), "{}", stderr(&other));
    assert_eq!(bench.report(), before);
}

#[test]
fn a_resume_of_a_finished_run_changes_nothing() {
    let bench = Bench::new("0");
    let first = bench.run("recorded:b.jsonl", &[]);
    let files = || {
        let files = std::fs::read_dir(bench.kept().unwrap()).unwrap().flatten();
        files.map(|file| (file.file_name(), std::fs::read(file.path()).unwrap())).collect::<BTreeMap<_, _>>()
    };
    let before = files();
    let again = bench.run("recorded:b.jsonl", &["--resume"]);
    assert_eq!((code(&again), &again.stdout), (code(&first), &first.stdout));
    assert_eq!(files(), before);
    // Other gates judge the same attempts anew.
    let lenient = bench.run("recorded:b.jsonl", &["--resume", "--gate", "pass-rate=50%"]);
    assert_eq!(code(&lenient), Some(0), "{}", stderr(&lenient));
    bench.assert_each_once();
}

#[test]
fn a_resumed_run_is_not_recorded_in_part() {
    if !has("python3") {
        return;
    }
    let bench = Bench::new("0.01");
    bench.stopped_at(&bench.agent(), &["--record", "seen.jsonl"], 20, Signal::SIGKILL);
    let resumed = bench.run(&bench.agent(), &["--record", "seen.jsonl", "--resume"]);
    assert_eq!(code(&resumed), Some(2));
    assert!(stderr(&resumed).contains("--record would write a part"), "{}", stderr(&resumed));
    assert!(!bench.folder.path().join("seen.jsonl").exists());
}

/// A shell does for this one: `--resume` alone goes on with the flags of the run.
#[test]
fn a_resume_needs_no_other_flags() {
    let folder = Folder::new();
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taketwo"));
        command.args(["run", "--runs", &folder.at("runs")]).args(more).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let journal = || {
        let runs = std::fs::read_dir(folder.path().join("runs")).into_iter().flatten().flatten();
        let text = runs.map(|run| std::fs::read_to_string(run.path().join("journal.jsonl")).unwrap_or_default());
        text.collect::<String>().matches('\n').count()
    };
    let agent = ["--target", "command:sh examples/shell/support_agent.sh", "--repeat", "15", "--lanes", "3"];
    let mut killed = run(&[&["recordings/support.jsonl"], &agent[..]].concat());
    let patience = Instant::now() + Duration::from_secs(60);
    while journal() < 20 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!((20..14 * 15).contains(&journal()), "{} attempts were made", journal());
    assert_eq!(run(&["--resume"]).wait().unwrap().code(), Some(0));
    assert_eq!(journal(), 14 * 15);
}
