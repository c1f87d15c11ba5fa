//! Running cases against a target through the library, for the tests of targets.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use taketwo::case::{EvalCase, EvalCaseParser};
use taketwo::recording::{At, CaseId, Json, Place, Row, ToolError, wire};
use taketwo::replay::target::{CommandLine, CommandTarget};
use taketwo::replay::{
    Attempt, BindingRules, Ended, ExperimentRunner, FailureKind, RunPlan, Stop, Stopper, Stray, SystemUnderTest,
    ToolProgram, ToolRequest,
};

/// What a run gave.
pub struct Run {
    /// By case, in the order of the cases.
    pub attempts: Vec<(String, Attempt)>,
    /// What came for attempts that were over.
    pub strays: Vec<Stray>,
}

impl Run {
    /// The attempt at a case.
    pub fn attempt(&self, id: &str) -> &Attempt {
        &self.attempts.iter().find(|(case, _)| case == id).unwrap_or_else(|| panic!("no attempt at {id}")).1
    }

    /// The output of a case that was replied to.
    pub fn output(&self, id: &str) -> String {
        let attempt = self.attempt(id);
        assert_eq!(attempt.ended, Ended::Replied, "{id}: {:?}", attempt.aftermath);
        attempt.seen.output.as_ref().map_or_else(String::new, |output| output.shown().into_owned())
    }

    /// The kind and the message of a case that failed.
    pub fn failure(&self, id: &str) -> (FailureKind, &str) {
        match &self.attempt(id).ended {
            Ended::Failed(failure) => (failure.kind, &failure.message),
            Ended::Replied => panic!("{id} was replied to"),
        }
    }

    /// All that the run says of an attempt beside its end: in it, and after it.
    pub fn named(&self, id: &str) -> Vec<String> {
        let place = self.attempts.iter().position(|(case, _)| case == id).unwrap();
        let name = format!("t{}-1", place + 1);
        let later = self.strays.iter().filter(|stray| stray.attempt == name).map(|stray| stray.what.clone());
        self.attempt(id).aftermath.violations.iter().cloned().chain(later).collect()
    }
}

/// Three cases of which a hostile target misbehaves at the second.
pub const THREE: [&str; 3] = [
    r#"{"id":"before","input":"hello"}"#,
    r#"{"id":"bad","input":"trouble, so die"}"#,
    r#"{"id":"after","input":"hello again"}"#,
];

/// Tools that are asked and never answer.
pub struct NeverAnswers;

impl ToolProgram for NeverAnswers {
    fn begin<'a>(&'a self, _attempt: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn call<'a>(&'a self, _attempt: &'a str, _request: &'a ToolRequest) -> BoxFuture<'a, Result<Json, ToolError>> {
        Box::pin(std::future::pending())
    }
}

/// A Python program in a file that lasts as long as what is returned.
pub fn python(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    file
}

/// Cases from lines of a recording.
pub fn cases(lines: &[&str]) -> Vec<EvalCase> {
    let parser = EvalCaseParser::default();
    let case = |(index, line): (usize, &&str)| {
        let interaction = wire::read(&Json::parse(*line).unwrap()).unwrap();
        let at = At::Line { number: index as u64 + 1, offset: 0 };
        let place = Place { file: Arc::from(Path::new("test.jsonl")), at };
        let id = interaction.id.clone().unwrap_or_else(|| CaseId::new(format!("replay-{}", index + 1)));
        parser.parse(index as u64, Row { place, id, interaction }).unwrap()
    };
    lines.iter().enumerate().map(case).collect()
}

/// A plan with a deadline that leaves a busy machine the time to start an interpreter.
pub fn plan(lanes: usize) -> RunPlan {
    let rules = Arc::new(BindingRules::default());
    RunPlan { lanes, repeats: 1, deadline: Duration::from_secs(3), rules, live_tools: None }
}

/// Runs cases to their end.
pub fn run(target: Arc<dyn SystemUnderTest>, lines: &[&str], plan: RunPlan) -> Run {
    let (_stopper, stop) = Stopper::new();
    runtime().block_on(async move {
        target.abilities().await.unwrap();
        run_until(target, lines, plan, stop).await
    })
}

/// Runs cases to their end, or until they are stopped.
pub async fn run_until(target: Arc<dyn SystemUnderTest>, lines: &[&str], plan: RunPlan, stop: Stop) -> Run {
    let runner = ExperimentRunner::new(Arc::clone(&target), plan);
    let (out, mut attempts) = tokio::sync::mpsc::channel(16);
    let cases = cases(lines);
    let finish = |case: &EvalCase, attempt: Attempt| (case.index, case.id.as_str().to_owned(), attempt);
    let running = tokio::spawn(async move { runner.run(cases.into_iter(), |_| false, finish, out, stop).await });
    let mut done = Vec::new();
    while let Some(attempt) = attempts.recv().await {
        done.push(attempt);
    }
    running.await.unwrap();
    done.sort_by_key(|(index, _, attempt)| (*index, attempt.number));
    let attempts = done.into_iter().map(|(_, id, attempt)| (id, attempt)).collect();
    Run { attempts, strays: target.shut_down().await }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A target from a command line.
pub fn command(line: &str) -> CommandTarget {
    CommandTarget::new(CommandLine::split(line).unwrap())
}

/// Whether a program is there. A test that needs one that is not says so and passes.
pub fn has(program: &str) -> bool {
    let is_there = Command::new(program).arg("-c").arg("").output().is_ok();
    if !is_there {
        eprintln!("SKIPPED: {program} is not installed");
    }
    is_there
}

/// An argument that no other process has, so that a test finds its own processes again.
pub fn mark() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("--mark-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The processes that have a mark among their arguments.
pub fn marked(mark: &str) -> Vec<u32> {
    processes()
        .filter(|pid| std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| holds(&line, mark)))
        .collect()
}

fn holds(line: &[u8], mark: &str) -> bool {
    line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A process's state letter and its parent, where it is there.
fn state(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before the last bracket may hold anything.
    let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// Whether a process runs. A zombie does not; whose child it is has to wait for it.
pub fn runs(pid: u32) -> bool {
    state(pid).is_some_and(|(state, _)| state != 'Z')
}

/// The processes of a name that these processes started.
pub fn children(parents: &[u32], name: &str) -> Vec<u32> {
    let is_named =
        |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim() == name);
    let is_child = |pid: &u32| state(*pid).is_some_and(|(_, parent)| parents.contains(&parent));
    processes().filter(is_child).filter(is_named).collect()
}

/// Checks that a run left nothing behind: no process with its mark, and no zombie.
pub fn assert_nothing_left(mark: &str) {
    if !Path::new("/proc/self/stat").exists() {
        eprintln!("SKIPPED: this system has no /proc to look for processes in");
        return;
    }
    assert_eq!(marked(mark), [0_u32; 0], "processes are left");
    // Where other tests run in this process, a child may be theirs.
    if std::env::var_os("NEXTEST").is_some() {
        let own = |pid: &u32| state(*pid).is_some_and(|(_, parent)| parent == std::process::id());
        assert_eq!(processes().filter(own).collect::<Vec<_>>(), [0_u32; 0], "children are left, running or zombies");
    }
}
