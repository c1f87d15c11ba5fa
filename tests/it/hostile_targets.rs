//! A target that misbehaves is named, harms no other case, and leaves nothing behind.

use std::sync::Arc;
use std::time::Duration;

use taketwo::replay::{FailureKind, PreflightReason, RunPlan, Stopper, SystemUnderTest};

use crate::replaying::{
    NeverAnswers, Run, THREE, assert_nothing_left, children, command, has, mark, marked, plan, python, run, run_until,
    runs, runtime,
};

/// Runs three cases in one lane, the second of which makes the target misbehave.
fn trouble(script: &str) -> Option<Run> {
    let mark = mark();
    let run = has("python3")
        .then(|| run(Arc::new(command(&format!("python3 examples/hostile/{script} {mark}"))), &THREE, plan(1)))?;
    assert_nothing_left(&mark);
    assert_eq!((run.output("before"), run.output("after")), ("ok".to_owned(), "ok".to_owned()));
    Some(run)
}

/// Why a target is refused before the run.
fn refusal(line: &str) -> Option<PreflightReason> {
    let mark = mark();
    let target = command(&format!("{line} {mark}")).start_deadline(Duration::from_secs(2));
    let refused = has("python3").then(|| {
        runtime().block_on(async {
            let refused = target.abilities().await.unwrap_err();
            target.shut_down().await;
            refused
        })
    })?;
    assert_nothing_left(&mark);
    Some(refused)
}

#[test]
fn one_that_hangs_is_past_its_deadline() {
    let Some(run) = trouble("hangs.py") else { return };
    assert_eq!(run.failure("bad").0, FailureKind::Deadline);
}

#[test]
fn one_that_hangs_in_half_a_line_is_past_its_deadline() {
    let Some(run) = trouble("half_line.py") else { return };
    assert_eq!(run.failure("bad").0, FailureKind::Deadline);
}

#[test]
fn one_that_has_a_child_is_ended_with_its_child() {
    let Some(run) = trouble("spawns_child.py") else { return };
    assert_eq!(run.failure("bad").0, FailureKind::Deadline);
    let stderr = &run.attempt("bad").aftermath.stderr;
    let child = stderr.trim().strip_prefix("child ").and_then(|pid| pid.parse().ok());
    assert!(!runs(child.unwrap_or_else(|| panic!("no pid in {stderr:?}"))), "the child runs on");
}

#[test]
fn one_that_prints_garbage_breaks_the_protocol() {
    let Some(run) = trouble("garbage.py") else { return };
    let (kind, message) = run.failure("bad");
    assert_eq!(kind, FailureKind::Protocol);
    assert!(message.contains("no JSON") && message.contains("DEBUG: asking the model"), "{message}");
}

#[test]
fn one_that_sends_a_huge_line_breaks_the_protocol() {
    let Some(run) = trouble("huge_line.py") else { return };
    let (kind, message) = run.failure("bad");
    assert_eq!((kind, message), (FailureKind::Protocol, "it sent a line of more than 16 MiB"));
}

#[test]
fn one_that_dies_in_a_turn_is_named_with_its_exit_code_and_last_words() {
    let Some(run) = trouble("dies_midway.py") else { return };
    assert_eq!(run.failure("bad"), (FailureKind::Exited, "exit code 3"));
    assert_eq!(run.attempt("bad").aftermath.stderr, "out of memory\n");
    assert_eq!(run.attempt("bad").seen.tool_calls.as_ref().unwrap().len(), 1, "the call it made is kept");
}

#[test]
fn one_that_floods_standard_error_is_read_and_its_end_is_kept() {
    let Some(run) = trouble("floods_stderr.py") else { return };
    assert_eq!(run.output("bad"), "ok");
    let stderr = &run.attempt("bad").aftermath.stderr;
    assert!(stderr.starts_with('(') && stderr.contains("bytes before this are left out"), "{stderr}");
    assert!(stderr.len() < 4200 && stderr.contains("the cache is cold"));
    assert_eq!(run.attempt("after").aftermath.stderr, "", "each attempt has its own");
}

#[test]
fn of_two_replies_the_first_counts_and_the_second_is_named() {
    let Some(run) = trouble("replies_twice.py") else { return };
    assert_eq!(run.output("bad"), "first");
    assert_eq!(run.named("bad"), ["replied after its end"]);
}

#[test]
fn a_call_after_the_reply_gets_no_answer_and_is_named() {
    let Some(run) = trouble("calls_after_reply.py") else { return };
    assert_eq!(run.output("bad"), "ok");
    assert_eq!(run.named("bad"), ["called get_order after its end"]);
    assert_eq!(run.attempt("bad").seen.tool_calls.as_deref(), Some(&[][..]));
}

#[test]
fn a_reply_after_the_deadline_does_not_count() {
    if !has("python3") {
        return;
    }
    let mark = mark();
    let line = format!("env LATE_SECONDS=1.2 python3 examples/hostile/late.py {mark}");
    let plan = RunPlan { deadline: Duration::from_secs(1), ..plan(1) };
    let run = run(Arc::new(command(&line)), &THREE[1..2], plan);
    assert_eq!(run.failure("bad").0, FailureKind::Deadline);
    assert_eq!(run.attempt("bad").seen.output, None);
    assert_nothing_left(&mark);
}

#[test]
fn one_that_exits_at_once_is_refused_with_its_last_words() {
    let Some(refused) = refusal("python3 examples/hostile/exits_at_once.py") else { return };
    assert_eq!(refused.problem, "the target did not start: exit code 1 before its hello");
    assert!(refused.help.unwrap().ends_with("its standard error ends with:\nno API key is set"));
}

#[test]
fn one_that_says_no_hello_is_refused() {
    let Some(refused) = refusal("python3 examples/hostile/no_hello.py") else { return };
    assert_eq!(refused.problem, "the target did not say hello within 2s");
}

#[test]
fn one_that_speaks_another_protocol_is_refused() {
    let Some(refused) = refusal("python3 examples/hostile/wrong_version.py") else { return };
    assert_eq!(refused.problem, "the target speaks protocol 99, this taketwo speaks protocol 1");
}

#[test]
fn a_program_that_is_not_there_is_refused() {
    let Some(refused) = refusal("./no/such/agent") else { return };
    assert_eq!(refused.problem, "the target did not start: \"./no/such/agent\" was not found");
    let Some(refused) = refusal("examples/hostile/speak.py") else { return };
    assert!(refused.problem.ends_with("may not be run"), "{}", refused.problem);
}

#[test]
fn a_first_line_that_is_no_hello_is_shown() {
    let Some(refused) = refusal("sh -c 'echo Listening on port 80; cat'") else { return };
    assert!(refused.problem.contains("Listening on port 80"), "{}", refused.problem);
}

#[test]
fn one_that_reads_nothing_holds_its_lane_to_the_deadline_and_no_longer() {
    if !has("python3") {
        return;
    }
    // It asks for a large result and never reads it, so that the pipe to it is full.
    let script = r#"import json,sys,time
print('{"type":"hello","protocol":1,"name":"deaf","version":"1"}',flush=True)
sys.stdin.readline()
turn=json.loads(sys.stdin.readline())
print(json.dumps({"type":"tool_call","attempt":turn["attempt"],"call":"c1","name":"big"}),flush=True)
time.sleep(600)
"#;
    let program = python(script);
    let mark = mark();
    let recorded =
        format!(r#"{{"id":"a","input":"x","toolCalls":[{{"name":"big","result":"{}"}}]}}"#, "y".repeat(1 << 20));
    let line = format!("python3 {} {mark}", program.path().display());
    let run = run(Arc::new(command(&line)), &[&recorded], plan(1));
    assert_eq!(run.failure("a").0, FailureKind::Deadline);
    assert_eq!(run.attempt("a").ledger.fidelity(), 1.0);
    assert_nothing_left(&mark);
}

#[test]
fn a_stopped_run_leaves_no_process_behind() {
    if !has("python3") {
        return;
    }
    let mark = mark();
    let target = Arc::new(command(&format!("python3 examples/hostile/spawns_child.py {mark}")));
    let lines = [THREE[1]; 4];
    let plan = RunPlan { deadline: Duration::from_secs(60), ..plan(4) };
    let (stopper, stop) = Stopper::new();
    let (run, children) = runtime().block_on(async {
        let stopping = async {
            loop {
                let children = children(&marked(&mark), "sleep");
                if children.len() == 4 {
                    stopper.stop();
                    return children;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::join!(run_until(target, &lines, plan, stop), stopping)
    });
    assert!(run.attempts.is_empty());
    assert!(!children.into_iter().any(runs), "a child runs on");
    assert_nothing_left(&mark);
}

#[test]
fn a_run_that_is_stopped_while_a_worker_starts_leaves_nothing_behind() {
    if !has("python3") {
        return;
    }
    // The first start says hello, every other one sleeps.
    let folder = tempfile::tempdir().unwrap();
    let (mark, taken) = (mark(), folder.path().join("taken"));
    let script = "mkdir $1 2>/dev/null || sleep 600; exec python3 examples/python/support_agent.py $2";
    let target = Arc::new(command(&format!("sh -c '{script}' sh {} {mark}", taken.display())));
    let plan = RunPlan { live_tools: Some(Arc::new(NeverAnswers)), deadline: Duration::from_secs(60), ..plan(2) };
    let (stopper, stop) = Stopper::new();
    runtime().block_on(async {
        target.abilities().await.unwrap();
        let stopping = async {
            while children(&marked(&mark), "sleep").is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            stopper.stop();
        };
        let lines = [r#"{"input":"order 1001"}"#; 2];
        let (run, ()) = tokio::join!(run_until(target, &lines, plan, stop), stopping);
        assert!(run.attempts.is_empty());
        assert_nothing_left(&mark);
    });
}

#[test]
fn a_target_that_is_dropped_leaves_no_process_behind() {
    if !has("python3") {
        return;
    }
    let mark = mark();
    let runtime = runtime();
    let target = command(&format!("python3 examples/hostile/hangs.py {mark}"));
    runtime.block_on(target.abilities()).unwrap();
    assert_eq!(marked(&mark).len(), 1);
    drop(runtime);
    drop(target);
    assert_nothing_left(&mark);
}

/// Starts three workers and waits, for a test that kills the whole process.
#[test]
#[ignore = "a part of another test"]
fn hold_three_workers() {
    let Ok(mark) = std::env::var("TAKETWO_TEST_HOLD") else { return };
    let line = format!("python3 examples/python/support_agent.py {mark}");
    let plan = RunPlan { live_tools: Some(Arc::new(NeverAnswers)), deadline: Duration::from_secs(60), ..plan(3) };
    run(Arc::new(command(&line)), &[r#"{"input":"order 1001"}"#; 3], plan);
}

#[test]
fn workers_end_by_themselves_when_taketwo_is_killed() {
    if !has("python3") || !std::path::Path::new("/proc/self/stat").exists() {
        return;
    }
    let mark = mark();
    let mut holder = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "hostile_targets::hold_three_workers"])
        .env("TAKETWO_TEST_HOLD", &mark)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let wait_for = |count: usize| {
        let until = std::time::Instant::now() + Duration::from_secs(20);
        while marked(&mark).len() != count {
            assert!(std::time::Instant::now() < until, "{} processes, not {count}", marked(&mark).len());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for(3);
    holder.kill().unwrap();
    holder.wait().unwrap();
    wait_for(0);
}
