//! A program that is spoken to in lines: started, written to, read from, ended.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::task::Poll;
use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep_until, timeout};

use super::census::Token;
use super::leader::Leader;
use super::line::CommandLine;
use super::lines::{Line, LineReader};
use super::open_files::allow_many_open_files;
use super::outbox::Outbox;
use super::stderr::StderrTail;

/// How long an ended program's output may still come in: a child in another group can hold it open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a program that closed its output may take to end before it counts as one that stays.
const CLOSED_PATIENCE: Duration = Duration::from_secs(2);

/// A running program. Dropped, it is ended in the background.
#[derive(Debug)]
pub(super) struct Process {
    /// `None` once it is handed over to be ended.
    leader: Option<Leader>,
    outbox: Outbox<ChildStdin>,
    lines: LineReader<ChildStdout>,
    stderr: StderrTail,
    exit: Option<Exit>,
}

#[derive(Clone, Copy, Debug)]
struct Exit {
    status: Option<ExitStatus>,
    seen: Instant,
}

/// What a program does.
#[derive(Debug)]
pub(super) enum Event {
    /// It sent a line.
    Line(Vec<u8>),
    /// It sent a line without bound.
    TooLong,
    /// No more will come.
    Gone(Gone),
}

/// Why no more comes from a program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gone {
    /// It ended; unknown how where the system does not tell.
    Exited(Option<ExitStatus>),
    /// It closed its output and stays.
    Silent,
}

impl Process {
    /// Starts a program in a process group of its own.
    pub(super) fn start(command: &CommandLine, counted: Token) -> io::Result<Self> {
        allow_many_open_files();
        let mut starting = Command::new(command.program());
        starting.args(command.arguments()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        starting.process_group(0);
        let mut child = starting.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let leader = Leader::new(child, counted);
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the pipes to the program were not made"));
        };
        Ok(Self {
            leader: Some(leader),
            outbox: Outbox::new(stdin),
            lines: LineReader::new(stdout),
            stderr: StderrTail::follow(stderr),
            exit: None,
        })
    }

    /// Puts a line on its way. It is written while [`event`](Self::event) waits.
    pub(super) fn send(&mut self, line: String) {
        self.outbox.push(line);
    }

    /// Closes the program's input.
    pub(super) fn close_input(&mut self) {
        self.outbox.close();
    }

    /// What it writes to standard error.
    pub(super) fn stderr(&mut self) -> &mut StderrTail {
        &mut self.stderr
    }

    /// Waits for what the program does next, and writes to it meanwhile. It may be given up at any time.
    pub(super) async fn event(&mut self) -> Event {
        loop {
            let Self { leader, outbox, lines, exit, .. } = self;
            let (is_full, last_words) = (outbox.is_full(), exit.map(|exit| exit.seen + LAST_WORDS));
            tokio::select! {
                biased;
                () = outbox.write() => {}
                line = lines.next(), if !is_full => match line {
                    Ok(Line::Text(text)) if text.trim_ascii().is_empty() => {}
                    Ok(Line::Text(text)) => return Event::Line(text),
                    Ok(Line::TooLong) => return Event::TooLong,
                    Ok(Line::End) | Err(_) => break,
                },
                status = end_of(leader), if exit.is_none() => {
                    *exit = Some(Exit { status: status.ok(), seen: Instant::now() });
                }
                () = at(last_words) => break,
            }
        }
        Event::Gone(self.gone().await)
    }

    /// What the program did already, found out without waiting for it.
    pub(super) async fn event_at_hand(&mut self) -> Option<Event> {
        if let Some(event) = once(self.event()).await {
            return Some(event);
        }
        // The runtime looks at its pipes between tasks.
        tokio::task::yield_now().await;
        once(self.event()).await
    }

    async fn gone(&mut self) -> Gone {
        if self.exit.is_none()
            && let Ok(status) = timeout(CLOSED_PATIENCE, end_of(&mut self.leader)).await
        {
            self.exit = Some(Exit { status: status.ok(), seen: Instant::now() });
        }
        self.exit.map_or(Gone::Silent, |exit| Gone::Exited(exit.status))
    }

    /// Ends it, its children too, and waits until it has ended.
    pub(super) async fn end(&mut self) {
        self.close_input();
        if let Some(leader) = self.leader.take() {
            let _ = leader.end().await;
        }
        self.stderr.settle().await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Where no runtime is left, dropping the leader ends it on the spot.
        if let (Some(leader), Ok(runtime)) = (self.leader.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(leader.end());
        }
    }
}

async fn end_of(leader: &mut Option<Leader>) -> io::Result<ExitStatus> {
    match leader {
        Some(leader) => leader.wait().await,
        None => Err(io::Error::other("it was ended")),
    }
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

/// Looks at a future once.
async fn once<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
