//! One running target program that serves one attempt after another.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::timeout;

use super::heard::FromTarget;
use super::leader::exit_text;
use super::process::{Event, Gone, Process};
use crate::replay::target::strays::Strays;

/// How many past attempts a worker is known by. A line that names an older one is taken for a made-up name.
const REMEMBERED: usize = 1024;

/// How many lines a worker may have sent while idle before it counts as gone wild.
const IDLE_LINES: usize = 1000;

/// How long a worker may take to end after the end of its input.
const EXIT_PATIENCE: Duration = Duration::from_secs(3);

/// A target program and what it was sent.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) process: Process,
    past: VecDeque<String>,
    is_fit: bool,
}

impl Worker {
    pub(super) fn new(process: Process) -> Self {
        Self { process, past: VecDeque::new(), is_fit: true }
    }

    /// Whether it can be sent another turn.
    pub(super) fn is_fit(&self) -> bool {
        self.is_fit
    }

    /// It broke the protocol, or ended: it gets no more turns.
    pub(super) fn give_up(&mut self) {
        self.is_fit = false;
    }

    /// An attempt begins: its standard error is its own, and its name is none of the past.
    pub(super) fn open(&mut self, attempt: &str) {
        self.process.stderr().start_over();
        self.past.retain(|name| name != attempt);
    }

    /// An attempt is over.
    pub(super) fn close(&mut self, attempt: String) {
        if self.past.len() == REMEMBERED {
            self.past.pop_front();
        }
        self.past.push_back(attempt);
    }

    /// Whether it had an attempt before.
    pub(super) fn has_served(&self) -> bool {
        !self.past.is_empty()
    }

    pub(super) fn had(&self, attempt: &str) -> bool {
        self.past.iter().any(|name| name == attempt)
    }

    /// Takes note of what came while no turn was open.
    pub(super) async fn look_after(&mut self, strays: &Strays) {
        for _ in 0..IDLE_LINES {
            let Some(event) = self.process.event_at_hand().await else { return };
            self.idle_event(event, strays);
            if !self.is_fit {
                return;
            }
        }
        self.give_up();
        self.stray(strays, format!("sent more than {IDLE_LINES} lines after its end"));
    }

    /// Closes its input and waits for its end, which it is made to where it does not come.
    pub(super) async fn dismiss(mut self, strays: &Strays) {
        self.process.close_input();
        let parting = async {
            while self.is_fit {
                let event = self.process.event().await;
                self.idle_event(event, strays);
            }
        };
        if timeout(EXIT_PATIENCE, parting).await.is_err() {
            self.stray(strays, "did not exit after the end of its input");
        }
        self.process.end().await;
    }

    fn idle_event(&mut self, event: Event, strays: &Strays) {
        match event {
            Event::Line(line) => match FromTarget::read(&line) {
                Ok(message) => match message.attempt() {
                    Some(attempt) if self.had(attempt) => strays.note(attempt, message.as_late()),
                    _ => {
                        self.give_up();
                        self.stray(strays, format!("{} while no turn was open", message.as_idle()));
                    }
                },
                Err(violation) => {
                    self.give_up();
                    self.stray(strays, format!("while no turn was open: {violation}"));
                }
            },
            Event::TooLong => {
                self.give_up();
                self.stray(strays, "sent a line of more than 16 MiB while no turn was open");
            }
            Event::Gone(gone) => {
                self.give_up();
                match gone {
                    Gone::Exited(Some(status)) if !status.success() => {
                        self.stray(strays, format!("ended with {} while no turn was open", exit_text(status)));
                    }
                    Gone::Exited(_) => {}
                    Gone::Silent => self.stray(strays, "closed its standard output while no turn was open"),
                }
            }
        }
    }

    /// What belongs to no attempt is named under the last one that the worker had.
    fn stray(&self, strays: &Strays, what: impl Into<String>) {
        strays.note(self.past.back().map_or("", String::as_str), what);
    }
}
