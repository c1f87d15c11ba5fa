//! Tools that do real work, behind a program: docs/protocol.md seen from the other side.
//!
//! Each attempt has a program to itself while it runs, and gives it back for the next one. A program that broke the
//! protocol, ended, or left a call without an answer is not used again, and the attempt it served counts as spoilt.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_core::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::census::Census;
use super::heard::FromTools;
use super::leader::exit_text;
use super::line::CommandLine;
use super::process::{Event, Gone, Process};
use super::said;
use super::start::{Role, StartFault, start};
use super::{Hello, START_DEADLINE};
use crate::recording::{Json, ToolError};
use crate::replay::target::{PreflightReason, TargetInfo};
use crate::replay::{ToolProgram, ToolRequest};

/// How long a tool program may take to answer a call.
pub const CALL_DEADLINE: Duration = Duration::from_secs(30);

/// How long it may take to end after the end of its input: it has a sandbox to clean up.
const EXIT_PATIENCE: Duration = Duration::from_secs(5);

/// A tool program, one process for each attempt that runs at the same time.
#[derive(Debug)]
pub struct CommandTools {
    command: CommandLine,
    start_deadline: Duration,
    call_deadline: Duration,
    free: Mutex<Vec<Lane>>,
    busy: Mutex<HashMap<String, Busy>>,
    census: Census,
}

/// An attempt and the program that serves it.
#[derive(Debug)]
struct Busy {
    lane: Lane,
    calls: u64,
    /// What the program did wrong.
    fault: Option<String>,
}

/// The way to one running program.
#[derive(Debug)]
struct Lane {
    asks: mpsc::UnboundedSender<Ask>,
    serving: JoinHandle<()>,
}

enum Ask {
    Begin(String),
    Call { call: String, request: ToolRequest, answer: oneshot::Sender<CallEnd> },
}

/// The tool's answer, or what the program did wrong.
type CallEnd = Result<Result<Json, ToolError>, String>;

impl CommandTools {
    /// A tool program that is started with this command. Nothing is started yet.
    #[must_use]
    pub fn new(command: CommandLine) -> Self {
        Self {
            command,
            start_deadline: START_DEADLINE,
            call_deadline: CALL_DEADLINE,
            free: Mutex::default(),
            busy: Mutex::default(),
            census: Census::default(),
        }
    }

    /// The same with other times for the start and for a call.
    #[must_use]
    pub fn deadlines(self, start_deadline: Duration, call_deadline: Duration) -> Self {
        Self { start_deadline, call_deadline, ..self }
    }

    /// Starts a first program, to find out that it can be, and tells its name.
    ///
    /// # Errors
    /// Why it did not start.
    pub async fn check(&self) -> Result<TargetInfo, PreflightReason> {
        let (lane, hello) = self.start().await.map_err(StartFault::into_reason)?;
        lock(&self.free).push(lane);
        Ok(TargetInfo { name: hello.name, version: Some(hello.version) })
    }

    /// Ends all programs, after they have cleaned up.
    pub async fn shut_down(&self) {
        let mut lanes = std::mem::take(&mut *lock(&self.free));
        lanes.extend(std::mem::take(&mut *lock(&self.busy)).into_values().map(|busy| busy.lane));
        // All inputs are closed before the first end is waited for.
        let serving: Vec<_> = lanes.into_iter().map(|lane| lane.serving).collect();
        for program in serving {
            let _ = program.await;
        }
        self.census.all_gone().await;
    }

    async fn start(&self) -> Result<(Lane, Hello), StartFault> {
        let (process, hello) =
            start(&self.command, Role::ToolProgram, self.start_deadline, self.census.token()).await?;
        let (asks, asked) = mpsc::unbounded_channel();
        let serving = tokio::spawn(Serving { process, attempt: String::new(), waiting: HashMap::new() }.run(asked));
        Ok((Lane { asks, serving }, hello))
    }

    async fn free_lane(&self) -> Result<Lane, StartFault> {
        loop {
            let free = lock(&self.free).pop();
            match free {
                Some(lane) if lane.asks.is_closed() => {}
                Some(lane) => return Ok(lane),
                None => return Ok(self.start().await?.0),
            }
        }
    }

    /// Sends a call on its way.
    fn send(&self, attempt: &str, request: &ToolRequest) -> Result<oneshot::Receiver<CallEnd>, String> {
        let mut busy = lock(&self.busy);
        let Some(busy) = busy.get_mut(attempt) else { return Err("the attempt is over".to_owned()) };
        busy.calls += 1;
        let (answer, answered) = oneshot::channel();
        let call = Ask::Call { call: format!("c{}", busy.calls), request: request.clone(), answer };
        busy.lane.asks.send(call).map_err(|_| "it ended".to_owned())?;
        Ok(answered)
    }

    fn spoil(&self, attempt: &str, fault: &str) {
        if let Some(busy) = lock(&self.busy).get_mut(attempt) {
            busy.fault.get_or_insert_with(|| fault.to_owned());
            busy.lane.serving.abort();
        }
    }
}

impl ToolProgram for CommandTools {
    fn begin<'a>(&'a self, attempt: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let lane = self.free_lane().await.map_err(|fault| fault.into_failure().message)?;
            lane.asks.send(Ask::Begin(attempt.to_owned())).map_err(|_| "the tool program ended".to_owned())?;
            lock(&self.busy).insert(attempt.to_owned(), Busy { lane, calls: 0, fault: None });
            Ok(())
        })
    }

    fn call<'a>(&'a self, attempt: &'a str, request: &'a ToolRequest) -> BoxFuture<'a, Result<Json, ToolError>> {
        Box::pin(async move {
            let end = match self.send(attempt, request) {
                Err(problem) => Err(problem),
                Ok(answered) => match timeout(self.call_deadline, answered).await {
                    Ok(Ok(end)) => end,
                    Ok(Err(_)) => Err("it ended".to_owned()),
                    Err(_) => Err(format!("it did not answer a call of {} in {:?}", request.name, self.call_deadline)),
                },
            };
            end.unwrap_or_else(|problem| {
                let fault = format!("the tool program failed: {problem}");
                self.spoil(attempt, &fault);
                Err(ToolError { kind: Some("tool_program".to_owned()), message: fault })
            })
        })
    }

    fn end<'a>(&'a self, attempt: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            match lock(&self.busy).remove(attempt) {
                None => Ok(()),
                Some(Busy { fault: Some(fault), .. }) => Err(fault),
                Some(Busy { lane, .. }) => {
                    lock(&self.free).push(lane);
                    Ok(())
                }
            }
        })
    }
}

/// What speaks with one program until nobody asks any more. Aborted, it drops the program, which ends it.
struct Serving {
    process: Process,
    attempt: String,
    waiting: HashMap<String, oneshot::Sender<CallEnd>>,
}

impl Serving {
    async fn run(mut self, mut asked: mpsc::UnboundedReceiver<Ask>) {
        loop {
            tokio::select! {
                biased;
                ask = asked.recv() => match ask {
                    Some(ask) => self.ask(ask),
                    None => break,
                },
                event = self.process.event() => {
                    if let Err(problem) = self.hear(event) {
                        // Nobody can ask from here on, so no call waits for an answer that cannot come.
                        asked.close();
                        while let Ok(ask) = asked.try_recv() {
                            self.ask(ask);
                        }
                        for (_, waiting) in self.waiting.drain() {
                            let _ = waiting.send(Err(problem.clone()));
                        }
                        return self.process.end().await;
                    }
                }
            }
        }
        self.process.close_input();
        let _ = timeout(EXIT_PATIENCE, async { while !matches!(self.process.event().await, Event::Gone(_)) {} }).await;
        self.process.end().await;
    }

    fn ask(&mut self, ask: Ask) {
        match ask {
            Ask::Begin(attempt) => {
                self.process.send(said::begin(&attempt));
                self.attempt = attempt;
                self.waiting.clear();
            }
            Ask::Call { call, request, answer } => {
                self.process.send(said::tool_call(&self.attempt, &call, &request));
                self.waiting.insert(call, answer);
            }
        }
    }

    /// # Errors
    /// What the program did wrong.
    fn hear(&mut self, event: Event) -> Result<(), String> {
        let answer = match event {
            Event::Line(line) => FromTools::read(&line)?,
            Event::TooLong => return Err("it sent a line of more than 16 MiB".to_owned()),
            Event::Gone(Gone::Exited(Some(status))) => return Err(format!("it ended with {}", exit_text(status))),
            Event::Gone(_) => return Err("it ended".to_owned()),
        };
        // An answer for an attempt that is over is of no use to anyone.
        if answer.attempt != self.attempt {
            return Ok(());
        }
        match self.waiting.remove(&answer.call) {
            Some(waiting) => {
                // Whoever asked may have given up.
                let _ = waiting.send(Ok(answer.answer));
                Ok(())
            }
            None => Err(format!("it answered a call that it was not asked: {:?}", answer.call)),
        }
    }
}

/// A panic while it was held leaves it whole: each change is one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// A shared tool program is what the runner takes.
const _: fn(Arc<CommandTools>) -> Arc<dyn ToolProgram> = |tools| tools;
