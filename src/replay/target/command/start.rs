//! From a command line to a program that has said hello.

use std::fmt;
use std::io::ErrorKind;
use std::sync::LazyLock;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::census::Token;
use super::heard::{Hello, shown};
use super::leader::exit_text;
use super::line::CommandLine;
use super::process::{Event, Gone, Process};
use super::said;
use crate::replay::target::PreflightReason;
use crate::replay::{Failure, FailureKind};

/// How many programs of a process start at the same time. Hundreds of interpreters that start at once keep each
/// other from their hello; in turn, each has the machine's cores for itself.
static STARTING: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new((4 * cores).max(16))
});

/// What a program is to taketwo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is tested.
    Target,
    /// It does the work of tools.
    ToolProgram,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Target => "the target",
            Role::ToolProgram => "the tool program",
        })
    }
}

/// Why a program cannot be spoken to.
#[derive(Clone, Debug)]
pub(super) struct StartFault {
    kind: FailureKind,
    problem: String,
    help: String,
    stderr: String,
}

impl StartFault {
    /// The fault as a reason not to start a run.
    pub(super) fn into_reason(self) -> PreflightReason {
        let help = match self.stderr.trim_end() {
            "" => self.help,
            stderr => format!("{}\nits standard error ends with:\n{stderr}", self.help),
        };
        PreflightReason::new(self.problem).help(help)
    }

    /// The fault as the end of an attempt.
    pub(super) fn into_failure(self) -> Failure {
        let last = self.stderr.lines().rev().find(|line| !line.trim().is_empty());
        let message = match last {
            Some(last) => format!("{}: {}", self.problem, shown(last.as_bytes())),
            None => self.problem,
        };
        Failure::new(self.kind, message)
    }
}

/// Starts a program, says hello to it and waits for its hello.
pub(super) async fn start(
    command: &CommandLine,
    role: Role,
    patience: Duration,
    counted: Token,
) -> Result<(Process, Hello), StartFault> {
    // It is never closed, so there always is a permit some day.
    let _permit = STARTING.acquire().await;
    let mut process = Process::start(command, counted).map_err(|error| not_started(command, role, &error))?;
    process.send(said::hello());
    let fault = match timeout(patience, process.event()).await {
        Ok(Event::Line(line)) => match Hello::read(&line) {
            Ok(hello) if hello.protocol == i64::from(said::PROTOCOL) => return Ok((process, hello)),
            Ok(hello) => wrong_protocol(role, hello.protocol),
            Err(violation) => no_hello(role, &violation),
        },
        Ok(Event::TooLong) => no_hello(role, "its first line is longer than 16 MiB"),
        Ok(Event::Gone(gone)) => ended(command, role, gone),
        Err(_) => silent(role, patience),
    };
    process.end().await;
    let stderr = process.stderr().text();
    Err(StartFault { stderr, ..fault })
}

fn not_started(command: &CommandLine, role: Role, error: &std::io::Error) -> StartFault {
    let program = command.program();
    let (problem, help) = match error.kind() {
        ErrorKind::NotFound => (
            format!("{role} did not start: {program:?} was not found"),
            "no shell runs the command: give a program on the PATH or the path of a file, and check that a script's first line names a program that is there",
        ),
        ErrorKind::PermissionDenied => (
            format!("{role} did not start: {program:?} may not be run"),
            "make the file executable (chmod +x), or name its interpreter: python3 agent.py",
        ),
        _ => (
            format!("{role} did not start: {program:?}: {error}"),
            "where the system allows no more programs or open files: fewer lanes, or a higher ulimit -n",
        ),
    };
    StartFault { kind: FailureKind::Unreachable, problem, help: help.to_owned(), stderr: String::new() }
}

fn ended(command: &CommandLine, role: Role, gone: Gone) -> StartFault {
    let problem = match gone {
        Gone::Exited(Some(status)) => format!("{role} did not start: {} before its hello", exit_text(status)),
        Gone::Exited(None) => format!("{role} did not start: it ended before its hello"),
        Gone::Silent => format!("{role} closed its standard output before its hello"),
    };
    StartFault { kind: FailureKind::Exited, problem, help: format!("run it by hand: {command}"), stderr: String::new() }
}

fn silent(role: Role, patience: Duration) -> StartFault {
    StartFault {
        kind: FailureKind::Protocol,
        problem: format!("{role} did not say hello within {patience:?}"),
        help: "its first line on standard output must be its hello, flushed at once; see docs/protocol.md".into(),
        stderr: String::new(),
    }
}

fn no_hello(role: Role, violation: &str) -> StartFault {
    StartFault {
        kind: FailureKind::Protocol,
        problem: format!("{role} did not say a proper hello: {violation}"),
        help: "its first line on standard output must be its hello; logs go to standard error; see docs/protocol.md"
            .into(),
        stderr: String::new(),
    }
}

fn wrong_protocol(role: Role, spoken: i64) -> StartFault {
    StartFault {
        kind: FailureKind::Protocol,
        problem: format!("{role} speaks protocol {spoken}, this taketwo speaks protocol {}", said::PROTOCOL),
        help: "use a build of it and a taketwo that speak the same protocol; see docs/protocol.md".into(),
        stderr: String::new(),
    }
}
