//! Running cases against a target, several lanes at a time.

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::attempt::{Aftermath, Attempt, Ended, Failure, FailureKind, Latency, LatencySource};
use super::bindings::{BindingRules, ToolBindings};
use super::target::{Ending, Reply, Session, Start, SystemUnderTest};
use super::tools::{ToolProgram, Tools};
use crate::case::{EvalCase, EvalSetup};
use crate::recording::{Interaction, Json};

/// How cases are run.
#[derive(Clone)]
pub struct RunPlan {
    /// How many attempts run at the same time, from 1 to 512.
    pub lanes: usize,
    /// How many attempts each case gets, at least 1.
    pub repeats: u32,
    /// How long one attempt may take, its setup included.
    pub deadline: Duration,
    /// How tool calls are answered.
    pub rules: Arc<BindingRules>,
    /// Tools that do real work instead, for recording a live session.
    pub live_tools: Option<Arc<dyn ToolProgram>>,
}

/// Which attempt at which case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptKey {
    /// The case's place, counted from 0.
    pub index: u64,
    /// The attempt, counted from 1.
    pub number: u32,
}

impl fmt::Display for AttemptKey {
    /// The name that a target sees: `t17-1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}-{}", self.index + 1, self.number)
    }
}

/// Stops a run: attempts that are under way are given up, what was measured is kept.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

/// The other end of a [`Stopper`].
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

impl Stopper {
    /// A stopper and what it stops.
    #[must_use]
    pub fn new() -> (Self, Stop) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Stop(receiver))
    }

    /// Stops.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Whether it was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is stopped, for ever if nobody can.
    async fn stopped(&mut self) {
        if self.0.wait_for(|stopped| *stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Runs cases against a target.
#[derive(Clone)]
pub struct ExperimentRunner {
    target: Arc<dyn SystemUnderTest>,
    plan: RunPlan,
}

/// What a case is made of, in the lane that runs it, so that lanes share the work of reading.
pub trait IntoCase: Send + 'static {
    /// The case's place among the cases, counted from 0.
    fn index(&self) -> u64;

    /// Makes the case; `None` where there is none after all.
    fn into_case(self) -> Option<EvalCase>;
}

impl IntoCase for EvalCase {
    fn index(&self) -> u64 {
        self.index
    }

    fn into_case(self) -> Option<EvalCase> {
        Some(self)
    }
}

/// A case that is made by the first lane that wants it.
struct SharedCase<S> {
    index: u64,
    source: Mutex<Option<S>>,
    case: OnceLock<Option<EvalCase>>,
}

impl<S: IntoCase> SharedCase<S> {
    fn new(source: S) -> Self {
        Self { index: source.index(), source: Mutex::new(Some(source)), case: OnceLock::new() }
    }

    fn case(&self) -> Option<&EvalCase> {
        let source = || self.source.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.case.get_or_init(|| source().and_then(S::into_case)).as_ref()
    }
}

/// What is still to be run.
struct Feed<C: Iterator> {
    cases: C,
    current: Option<(Arc<SharedCase<C::Item>>, u32)>,
}

impl<C: Iterator<Item: IntoCase>> Feed<C> {
    fn next(&mut self, repeats: u32) -> Option<(Arc<SharedCase<C::Item>>, u32)> {
        let (case, number) = match self.current.take() {
            Some(current) => current,
            None => (Arc::new(SharedCase::new(self.cases.next()?)), 1),
        };
        if number < repeats {
            self.current = Some((Arc::clone(&case), number + 1));
        }
        Some((case, number))
    }
}

impl ExperimentRunner {
    /// A runner for a target.
    #[must_use]
    pub fn new(target: Arc<dyn SystemUnderTest>, plan: RunPlan) -> Self {
        Self { target, plan }
    }

    /// Runs every attempt that `is_done` does not know of, and sends what `finish` makes of it. `finish` runs in the
    /// lanes, so its work is shared among them. What comes out is in the order of completion.
    pub async fn run<C, T>(
        &self,
        cases: C,
        is_done: impl Fn(AttemptKey) -> bool + Send + Sync + 'static,
        finish: impl Fn(&EvalCase, Attempt) -> T + Send + Sync + 'static,
        out: mpsc::Sender<T>,
        stop: Stop,
    ) where
        C: Iterator<Item: IntoCase> + Send + 'static,
        T: Send + 'static,
    {
        let feed = Arc::new(Mutex::new(Feed { cases, current: None }));
        let (is_done, finish) = (Arc::new(is_done), Arc::new(finish));
        let mut lanes = tokio::task::JoinSet::new();
        for lane in 0..self.plan.lanes {
            let (feed, is_done, finish) = (Arc::clone(&feed), Arc::clone(&is_done), Arc::clone(&finish));
            let (runner, out, stop) = (self.clone(), out.clone(), stop.clone());
            lanes.spawn(async move {
                loop {
                    // Finding a case is short work; waiting for it would cost more than doing it here.
                    let next = feed.lock().unwrap_or_else(PoisonError::into_inner).next(runner.plan.repeats);
                    let Some((case, number)) = next.filter(|_| !stop.is_stopped()) else { return };
                    let key = AttemptKey { index: case.index, number };
                    if is_done(key) {
                        continue;
                    }
                    let Some(case) = case.case() else { continue };
                    let Some(attempt) = runner.attempt(lane, case, key, stop.clone()).await else { return };
                    if out.send(finish(case, attempt)).await.is_err() {
                        return;
                    }
                }
            });
        }
        while lanes.join_next().await.is_some() {}
    }

    /// Runs one attempt. A target that panics fails this attempt and no other. `None`: stopped.
    async fn attempt(&self, lane: usize, case: &EvalCase, key: AttemptKey, stop: Stop) -> Option<Attempt> {
        match caught(self.run_attempt(lane, case, key, stop)).await {
            Ok(attempt) => attempt.map(|attempt| self.scrubbed(attempt)),
            Err(panic) => {
                let message = format!("it panicked: {}", panic_text(&*panic));
                let seen = Interaction::new(case.recorded.input.clone());
                Some(self.scrubbed(Attempt {
                    number: key.number,
                    seen,
                    ended: Ended::Failed(Failure::new(FailureKind::Exited, message)),
                    latency: Latency::default(),
                    ledger: super::Ledger::default(),
                    aftermath: Aftermath::default(),
                }))
            }
        }
    }

    /// An attempt as it is written down. Its calls were scrubbed before they were looked up.
    fn scrubbed(&self, mut attempt: Attempt) -> Attempt {
        let Some(scrubber) = &self.plan.rules.scrubber else { return attempt };
        attempt.seen = scrubber.interaction(attempt.seen);
        if let Ended::Failed(failure) = &mut attempt.ended {
            failure.message = scrubber.text(&failure.message);
        }
        attempt.aftermath.stderr = scrubber.text(&attempt.aftermath.stderr);
        for violation in &mut attempt.aftermath.violations {
            *violation = scrubber.text(violation);
        }
        attempt
    }

    async fn run_attempt(&self, lane: usize, case: &EvalCase, key: AttemptKey, mut stop: Stop) -> Option<Attempt> {
        let stubs = || ToolBindings::of_ways(case.ways(), Arc::clone(&self.plan.rules));
        let tools = Tools::new(key.to_string(), stubs(), self.plan.live_tools.clone());
        let began = Instant::now();
        let prepared = tokio::select! {
            biased;
            () = stop.stopped() => return None,
            prepared = timeout(self.plan.deadline, self.prepare(lane, case, &tools)) => prepared,
        };
        let mut session = match prepared {
            Ok(Ok(session)) => session,
            Ok(Err(failure)) => {
                let _ = self.end_tools(&tools).await;
                return Some(ended(case, key, &tools, Err(failure), Latency::default(), Aftermath::default()));
            }
            Err(_) => {
                let _ = self.end_tools(&tools).await;
                let failure = Failure::new(FailureKind::Setup, format!("not ready after {:?}", self.plan.deadline));
                return Some(ended(case, key, &tools, Err(failure), Latency::default(), Aftermath::default()));
            }
        };
        let mut time = Duration::ZERO;
        let result = tokio::select! {
            biased;
            () = stop.stopped() => None,
            () = tools.abort_asked() => Some(Err(Failure::new(FailureKind::Aborted, tools.aborted().unwrap_or_default()))),
            result = timeout(self.plan.deadline.saturating_sub(began.elapsed()), self.turns(case, &mut *session, &tools, &mut time)) => {
                Some(result.unwrap_or_else(|_| Err(Failure::new(FailureKind::Deadline, format!("{:?}", self.plan.deadline)))))
            }
        };
        let ending = match &result {
            None => Ending::Cancelled,
            Some(Ok(_)) => Ending::Replied,
            Some(Err(failure)) if failure.kind == FailureKind::Deadline => Ending::Deadline,
            Some(Err(_)) => Ending::Failed,
        };
        let aftermath = timeout(END_PATIENCE, session.end(ending)).await.unwrap_or_default();
        let tools_end = self.end_tools(&tools).await;
        let result = tools_end.and(result?);
        let source = match &result {
            Ok(reply) => reply.latency_source(self.plan.live_tools.is_some()),
            Err(_) => LatencySource::Stubbed,
        };
        // Microseconds are as much as a clock on a busy machine can promise.
        let ms = result.is_ok().then(|| (time.as_secs_f64() * 1e6).round() / 1e3);
        Some(ended(case, key, &tools, result, Latency { ms, source }, aftermath))
    }

    async fn prepare<'a>(
        &'a self,
        lane: usize,
        case: &'a EvalCase,
        tools: &Tools,
    ) -> Result<Box<dyn Session + 'a>, Failure> {
        if let Some(program) = &self.plan.live_tools {
            program.begin(tools.attempt()).await.map_err(|problem| Failure::new(FailureKind::Setup, problem))?;
        }
        let mut setup = &case.setup;
        while let EvalSetup::FailingTool { tool, message, then } = setup {
            tools.break_tool(tool.clone(), message.clone());
            setup = then;
        }
        let start = Start {
            lane,
            place: case.index,
            case: &case.id,
            recorded: &case.recorded,
            setup: &case.setup,
            history: case.recorded.history.as_ref(),
            tools: tools.clone(),
        };
        self.target.prepare(start).await
    }

    /// Ends the live tools of an attempt. What went wrong with them is no matter of the target's.
    async fn end_tools(&self, tools: &Tools) -> Result<(), Failure> {
        match &self.plan.live_tools {
            Some(program) => {
                program.end(tools.attempt()).await.map_err(|problem| Failure::new(FailureKind::Setup, problem))
            }
            None => Ok(()),
        }
    }

    /// Speaks the turns of the setup, then the one that is tested, and takes its time.
    async fn turns(
        &self,
        case: &EvalCase,
        session: &mut dyn Session,
        tools: &Tools,
        time: &mut Duration,
    ) -> Result<Reply, Failure> {
        let mut setup = &case.setup;
        while let EvalSetup::FailingTool { then, .. } = setup {
            setup = then;
        }
        if let EvalSetup::Replay(turns) = setup {
            for turn in turns {
                let spoken = session.submit(turn).await;
                spoken.map_err(|failure| Failure::new(FailureKind::Setup, format!("in an earlier turn: {failure}")))?;
            }
            tools.start_over(ToolBindings::of_ways(case.ways(), Arc::clone(&self.plan.rules)));
        }
        let asked = Instant::now();
        let reply = session.submit(&case.recorded.input).await;
        *time = asked.elapsed();
        reply
    }
}

/// How long a session may take to end before it is left behind.
const END_PATIENCE: Duration = Duration::from_secs(10);

/// Runs a future to its end or to its panic, on the spot: a task for each attempt would cost more than many an attempt.
/// What a panic leaves behind belongs to its attempt and goes with it.
async fn caught<T>(future: impl Future<Output = T>) -> Result<T, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// Puts together what an attempt came to.
fn ended(
    case: &EvalCase,
    key: AttemptKey,
    tools: &Tools,
    result: Result<Reply, Failure>,
    mut latency: Latency,
    mut aftermath: Aftermath,
) -> Attempt {
    let (calls, ledger) = tools.close();
    aftermath.violations.extend(tools.late_calls().iter().map(|tool| format!("called {tool} after its reply")));
    let mut seen = Interaction::new(case.recorded.input.clone());
    (seen.id, seen.history) = (Some(case.id.clone()), case.recorded.history.clone());
    (seen.scenario, seen.weight) = (case.recorded.scenario.clone(), case.recorded.weight);
    seen.tool_calls = Some(calls);
    let ended = match result {
        Ok(Reply { stands_in: Some(run), .. }) => {
            latency.ms = run.latency_ms.filter(|time| *time > 0.0);
            seen = *run;
            match &seen.failure {
                Some(failure) => Ended::Failed(Failure::new(FailureKind::Reported, failure.clone())),
                None => Ended::Replied,
            }
        }
        Ok(reply) => {
            fill(&mut seen, reply);
            seen.latency_ms = latency.ms;
            Ended::Replied
        }
        Err(failure) => {
            seen.failure = Some(failure.to_string());
            Ended::Failed(failure)
        }
    };
    Attempt { number: key.number, seen, ended, latency, ledger, aftermath }
}

fn fill(seen: &mut Interaction, reply: Reply) {
    seen.output = Some(reply.output.unwrap_or_else(Json::null));
    (seen.model_calls, seen.tokens, seen.model) = (reply.model_calls, reply.tokens, reply.model);
    (seen.cost, seen.currency, seen.doubts) = (reply.cost, reply.currency, reply.doubts);
}
