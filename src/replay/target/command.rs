//! A target that is a program: it speaks docs/protocol.md on its standard input and output.
//!
//! Each lane has a worker of its own, started when the lane first needs it, and started again when it ended or broke
//! the protocol. A worker and its children are one process group, and none of them outlives the run.

mod calls;
mod census;
mod compact;
mod heard;
mod leader;
mod line;
mod lines;
mod open_files;
mod outbox;
mod process;
mod said;
mod session;
mod start;
mod stderr;
mod tools;
mod worker;

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_core::future::BoxFuture;
use tokio::task::JoinSet;

pub(crate) use leader::kill_all_programs;
pub use line::{CommandLine, CommandLineError};
pub use lines::MAX_MESSAGE;
pub use said::PROTOCOL;
pub use tools::CommandTools;

use super::strays::Strays;
use super::{Abilities, PreflightReason, Session, Start, Stray, SystemUnderTest, TargetInfo};
use crate::replay::Failure;
use census::Census;
use heard::Hello;
use session::CommandSession;
use start::{Role, StartFault, start};
use worker::Worker;

/// How long a program may take to say hello.
pub const START_DEADLINE: Duration = Duration::from_secs(10);

/// A program under test.
#[derive(Debug)]
pub struct CommandTarget {
    command: CommandLine,
    start_deadline: Duration,
    /// The hello of the first worker.
    hello: OnceLock<Hello>,
    /// The workers that no attempt is using, by lane.
    idle: Mutex<HashMap<usize, Worker>>,
    strays: Strays,
    census: Census,
}

impl CommandTarget {
    /// A target that is started with this command. Nothing is started yet.
    #[must_use]
    pub fn new(command: CommandLine) -> Self {
        Self {
            command,
            start_deadline: START_DEADLINE,
            hello: OnceLock::new(),
            idle: Mutex::new(HashMap::new()),
            strays: Strays::default(),
            census: Census::default(),
        }
    }

    /// The same with another time in which a worker has to say hello.
    #[must_use]
    pub fn start_deadline(self, start_deadline: Duration) -> Self {
        Self { start_deadline, ..self }
    }

    async fn start_worker(&self) -> Result<Worker, StartFault> {
        let (process, hello) = start(&self.command, Role::Target, self.start_deadline, self.census.token()).await?;
        let first = self.hello.get_or_init(|| hello.clone());
        if (&first.name, &first.version) != (&hello.name, &hello.version) {
            let (was, is) = (first.shown(), hello.shown());
            self.strays.note("", format!("the target changed during the run: first {was}, then {is}"));
        }
        Ok(Worker::new(process))
    }

    /// A worker that is ready for a turn.
    async fn worker(&self, lane: usize) -> Result<Worker, StartFault> {
        let idle = self.idle().remove(&lane);
        if let Some(mut worker) = idle {
            worker.look_after(&self.strays).await;
            if worker.is_fit() {
                return Ok(worker);
            }
            worker.process.end().await;
        }
        self.start_worker().await
    }

    fn keep(&self, lane: usize, worker: Worker) {
        self.idle().insert(lane, worker);
    }

    /// A panic while it was held leaves it whole: each change is one step.
    fn idle(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SystemUnderTest for CommandTarget {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: format!("command:{}", self.command), version: None }
    }

    /// Starts the first lane's worker and hears its hello.
    fn abilities(&self) -> BoxFuture<'_, Result<Abilities, PreflightReason>> {
        Box::pin(async move {
            let worker = self.worker(0).await.map_err(StartFault::into_reason)?;
            self.keep(0, worker);
            Ok(self.hello.get().map(Hello::abilities).unwrap_or_default())
        })
    }

    fn shut_down(&self) -> BoxFuture<'_, Vec<Stray>> {
        Box::pin(async move {
            let idle = std::mem::take(&mut *self.idle());
            let strays = std::sync::Arc::new(Strays::default());
            let mut dismissals = JoinSet::new();
            for worker in idle.into_values() {
                let strays = std::sync::Arc::clone(&strays);
                dismissals.spawn(async move { worker.dismiss(&strays).await });
            }
            while dismissals.join_next().await.is_some() {}
            self.census.all_gone().await;
            let mut all = self.strays.take();
            all.extend(strays.take());
            all.sort_by(|a, b| (&a.attempt, &a.what).cmp(&(&b.attempt, &b.what)));
            all
        })
    }

    fn prepare<'a>(&'a self, start: Start<'a>) -> BoxFuture<'a, Result<Box<dyn Session + 'a>, Failure>> {
        Box::pin(async move {
            let worker = self.worker(start.lane).await.map_err(StartFault::into_failure)?;
            Ok(Box::new(CommandSession::new(self, worker, &start)) as Box<dyn Session + 'a>)
        })
    }
}

impl Hello {
    fn abilities(&self) -> Abilities {
        Abilities {
            info: Some(TargetInfo { name: self.name.clone(), version: Some(self.version.clone()) }),
            fixtures: self.fixtures.clone(),
            breakable_tools: self.breakable_tools.clone(),
            ..Abilities::default()
        }
    }

    fn shown(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}
