//! One attempt's conversation with a worker.

use std::time::Duration;

use futures_core::future::BoxFuture;
use tokio::time::timeout;

use super::CommandTarget;
use super::calls::{Answered, Calls};
use super::heard::FromTarget;
use super::leader::exit_text;
use super::lines::MAX_MESSAGE;
use super::process::{Event, Gone};
use super::said;
use super::worker::Worker;
use crate::recording::Json;
use crate::replay::target::capped::Capped;
use crate::replay::target::conversation::Conversation;
use crate::replay::target::told;
use crate::replay::{Aftermath, Ending, Failure, FailureKind, Reply, Session, Start, Tools};

/// How long a target may take to say that it stopped, before it is ended.
const CANCEL_PATIENCE: Duration = Duration::from_millis(500);

/// How many violations of an attempt are named; the rest is counted.
const NAMED: usize = 20;

/// A session: it owns its lane's worker until it ends.
pub(super) struct CommandSession<'a> {
    target: &'a CommandTarget,
    lane: usize,
    worker: Worker,
    attempt: String,
    tools: Tools,
    setup: Option<Json>,
    conversation: Conversation,
    turn: Turn,
    violations: Capped<String>,
}

/// Where a session is.
enum Turn {
    /// Nothing is asked of the target.
    Closed,
    /// The target is asked, and these are its calls.
    Open(Calls),
}

/// How a target that was asked to stop shows that it did.
enum OwnEnd {
    /// It does not.
    No,
    /// It says so.
    Stopped,
    /// It was done before it was asked.
    Replied,
}

/// What the target said to the turn that is open.
enum Said {
    /// Nothing that ends it.
    More,
    /// Its reply.
    Reply(Box<Reply>),
}

impl<'a> CommandSession<'a> {
    pub(super) fn new(target: &'a CommandTarget, mut worker: Worker, start: &Start<'_>) -> Self {
        let attempt = start.tools.attempt().to_owned();
        worker.open(&attempt);
        Self {
            target,
            lane: start.lane,
            worker,
            attempt,
            tools: start.tools.clone(),
            setup: told(start.setup),
            conversation: Conversation::new(start.history),
            turn: Turn::Closed,
            violations: Capped::new(NAMED),
        }
    }

    /// Speaks a turn until it ends.
    async fn speak(&mut self, input: &Json) -> Result<Reply, Failure> {
        if !self.worker.is_fit() {
            return Err(Failure::new(FailureKind::Exited, "it ended in an earlier turn"));
        }
        self.send_turn(input);
        let mut is_unheard = true;
        loop {
            let Turn::Open(calls) = &mut self.turn else {
                return Err(Failure::new(FailureKind::Protocol, "the turn is over"));
            };
            let event = tokio::select! {
                biased;
                event = self.worker.process.event() => event,
                answered = calls.next() => {
                    self.answer(&answered);
                    continue;
                }
            };
            if is_unheard && self.left_before_it_was_asked(&event) {
                self.start_again(input).await?;
                is_unheard = false;
                continue;
            }
            is_unheard = false;
            if let Said::Reply(reply) = self.hear(event)? {
                self.conversation.spoken(input, reply.output.as_ref());
                return Ok(*reply);
            }
        }
    }

    fn send_turn(&mut self, input: &Json) {
        let turn = said::Turn {
            attempt: &self.attempt,
            input,
            history: self.conversation.entries(),
            setup: self.setup.as_ref(),
        };
        self.worker.process.send(said::turn(&turn));
        self.turn = Turn::Open(Calls::default());
    }

    /// Whether the worker ended well after an earlier attempt, too late to be seen before this turn was sent: a
    /// program that serves one attempt and exits is no fault.
    fn left_before_it_was_asked(&self, event: &Event) -> bool {
        let is_good_end = matches!(event, Event::Gone(Gone::Exited(Some(status))) if status.success());
        is_good_end && self.worker.has_served()
    }

    async fn start_again(&mut self, input: &Json) -> Result<(), Failure> {
        self.turn = Turn::Closed;
        self.worker.process.end().await;
        self.worker = self.target.start_worker().await.map_err(super::StartFault::into_failure)?;
        self.worker.open(&self.attempt);
        self.send_turn(input);
        Ok(())
    }

    fn answer(&mut self, (call, answer): &Answered) {
        // An attempt that is to stop at this call must not be led on by an answer.
        if self.tools.aborted().is_some() {
            return;
        }
        self.worker.process.send(said::answer(&self.attempt, call, answer));
    }

    /// Takes what the worker did while the turn is open.
    fn hear(&mut self, event: Event) -> Result<Said, Failure> {
        match event {
            Event::Line(line) => match FromTarget::read(&line) {
                Ok(message) => self.take(message),
                Err(violation) => Err(self.fault(violation)),
            },
            Event::TooLong => Err(self.fault(too_long())),
            Event::Gone(gone) => Err(self.gone(gone)),
        }
    }

    fn take(&mut self, message: FromTarget) -> Result<Said, Failure> {
        match message.attempt() {
            Some(attempt) if attempt == self.attempt => {}
            Some(attempt) if self.worker.had(attempt) => {
                self.target.strays.note(attempt, message.as_late());
                return Ok(Said::More);
            }
            Some(attempt) => {
                let name = super::heard::shown(attempt.as_bytes());
                return Err(self.fault(format!("it named an attempt that it was not sent: {name:?}")));
            }
            None => return Err(self.fault("it said hello a second time".to_owned())),
        }
        match message {
            FromTarget::Call { call, request, .. } => {
                let Turn::Open(calls) = &mut self.turn else { return Ok(Said::More) };
                if calls.has(&call) {
                    return Err(self.fault(format!("it used the call name {call:?} twice in one turn")));
                }
                if let Some(answered) = calls.ask(self.tools.clone(), call, request) {
                    self.answer(&answered);
                }
                Ok(Said::More)
            }
            FromTarget::Reply { output, usage, .. } => {
                self.close_turn();
                Ok(Said::Reply(Box::new(Reply::with_usage(output, *usage))))
            }
            FromTarget::Failure { message, .. } => {
                self.close_turn();
                Err(Failure::new(FailureKind::Reported, message))
            }
            FromTarget::Hello => Ok(Said::More),
        }
    }

    fn close_turn(&mut self) {
        if let Turn::Open(calls) = std::mem::replace(&mut self.turn, Turn::Closed)
            && calls.open() > 0
        {
            self.violations.push(format!("it replied while {} of its calls had no answer", calls.open()));
        }
    }

    fn fault(&mut self, violation: String) -> Failure {
        self.worker.give_up();
        self.turn = Turn::Closed;
        Failure::new(FailureKind::Protocol, violation)
    }

    fn gone(&mut self, gone: Gone) -> Failure {
        self.worker.give_up();
        self.turn = Turn::Closed;
        match gone {
            Gone::Exited(Some(status)) => Failure::new(FailureKind::Exited, exit_text(status)),
            Gone::Exited(None) => Failure::new(FailureKind::Exited, ""),
            Gone::Silent => Failure::new(FailureKind::Protocol, "it closed its standard output and stayed"),
        }
    }

    /// Asks the target to stop, and waits a moment for it to say that it did.
    async fn cancel(&mut self, ending: Ending) {
        let reason = match ending {
            Ending::Deadline => "deadline",
            Ending::Cancelled => "stopped",
            Ending::Replied | Ending::Failed => "aborted",
        };
        self.turn = Turn::Closed;
        self.worker.process.send(said::cancel(&self.attempt, reason));
        let settling = async {
            while self.worker.is_fit() {
                let event = self.worker.process.event().await;
                match self.own_end(&event) {
                    OwnEnd::Stopped => return,
                    OwnEnd::Replied => return self.late_event(event),
                    OwnEnd::No => self.late_event(event),
                }
            }
        };
        if timeout(CANCEL_PATIENCE, settling).await.is_err() {
            self.worker.give_up();
        }
    }

    /// Whether the target shows that it works at the attempt no more.
    fn own_end(&self, event: &Event) -> OwnEnd {
        let Event::Line(line) = event else { return OwnEnd::No };
        match FromTarget::read(line) {
            Ok(FromTarget::Failure { attempt, .. }) if attempt == self.attempt => OwnEnd::Stopped,
            Ok(FromTarget::Reply { attempt, .. }) if attempt == self.attempt => OwnEnd::Replied,
            _ => OwnEnd::No,
        }
    }

    /// Takes note of what came after the turn was over and is here already.
    async fn listen_on(&mut self) {
        for _ in 0..=NAMED {
            match self.worker.process.event_at_hand().await {
                Some(event) if self.worker.is_fit() => self.late_event(event),
                _ => return,
            }
        }
    }

    fn late_event(&mut self, event: Event) {
        let violation = match event {
            Event::Line(line) => match FromTarget::read(&line) {
                Ok(message) => match message.attempt() {
                    Some(attempt) if attempt == self.attempt => message.as_late(),
                    Some(attempt) if self.worker.had(attempt) => {
                        return self.target.strays.note(attempt, message.as_late());
                    }
                    _ => {
                        self.worker.give_up();
                        message.as_idle().to_owned()
                    }
                },
                Err(violation) => {
                    self.worker.give_up();
                    format!("after its end {violation}")
                }
            },
            Event::TooLong => {
                self.worker.give_up();
                format!("after its end {}", too_long())
            }
            Event::Gone(Gone::Exited(status)) => {
                self.worker.give_up();
                match status {
                    Some(status) if !status.success() => format!("ended with {} after its turn", exit_text(status)),
                    _ => return,
                }
            }
            Event::Gone(Gone::Silent) => {
                self.worker.give_up();
                "closed its standard output after its turn".to_owned()
            }
        };
        self.violations.push(violation);
    }

    async fn finish(mut self, ending: Ending) -> Aftermath {
        match self.turn {
            Turn::Open(_) => self.cancel(ending).await,
            Turn::Closed if self.worker.is_fit() => self.listen_on().await,
            Turn::Closed => {}
        }
        let Self { target, lane, mut worker, attempt, mut violations, .. } = self;
        if !worker.is_fit() {
            worker.process.end().await;
        }
        let stderr = worker.process.stderr().text();
        if worker.is_fit() {
            worker.close(attempt);
            target.keep(lane, worker);
        }
        Aftermath { stderr, violations: violations.take(|more| format!("and {more} more")) }
    }
}

fn too_long() -> String {
    format!("it sent a line of more than {} MiB", MAX_MESSAGE >> 20)
}

impl Session for CommandSession<'_> {
    fn submit<'a>(&'a mut self, input: &'a Json) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(self.speak(input))
    }

    fn end<'a>(self: Box<Self>, ending: Ending) -> BoxFuture<'a, Aftermath>
    where
        Self: 'a,
    {
        Box::pin(self.finish(ending))
    }
}
