//! Recording a live session: the target is asked, the tools do real work, and what happened is kept.

mod effects;
mod inputs;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

pub use effects::{EffectRule, EffectRuleError};
pub use inputs::{InputFault, Inputs};

use effects::effect_of;

use super::attempt::{Attempt, Ended, Failure, FailureKind};
use super::bindings::BindingRules;
use super::runner::{ExperimentRunner, RunPlan, Stop};
use super::target::{Abilities, PreflightReason, SystemUnderTest};
use super::tools::ToolProgram;
use crate::case::EvalCase;
use crate::recording::{CaseId, Interaction, SourceError};

/// How a session is recorded.
#[derive(Clone, Debug)]
pub struct RecordPlan {
    /// How many inputs are asked at the same time, from 1 to 512.
    pub lanes: usize,
    /// How long one may take.
    pub deadline: Duration,
    /// What is known of the tools.
    pub effects: Vec<EffectRule>,
    /// Whether the recording tells times.
    pub times: Times,
}

/// Whether a recording tells when it was made and how long things took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// As the clock has it: when it was made to the second, how long things took to the microsecond.
    Told,
    /// No, so that recording again can give the same file to the byte.
    LeftOut,
}

/// What came of one input.
#[derive(Clone, Debug)]
pub enum Take {
    /// It was recorded. The notes tell of what was against the protocol or made no sense, but did no harm.
    Kept {
        /// What happened.
        interaction: Box<Interaction>,
        /// What was seen beside it, a sentence each.
        notes: Vec<String>,
    },
    /// It was not: what happened says nothing about the target's work.
    LeftOut {
        /// Which input.
        id: CaseId,
        /// Why.
        failure: Failure,
    },
}

/// Records live sessions of a target with tools that do real work.
#[derive(Clone)]
pub struct Recorder {
    target: Arc<dyn SystemUnderTest>,
    tools: Arc<dyn ToolProgram>,
    plan: RecordPlan,
}

impl Recorder {
    /// A recorder of a target and its tools.
    #[must_use]
    pub fn new(target: Arc<dyn SystemUnderTest>, tools: Arc<dyn ToolProgram>, plan: RecordPlan) -> Self {
        Self { target, tools, plan }
    }

    /// Reads all inputs and asks the target what it can do, before anything is spent. Gives the number of inputs, or
    /// every reason not to start.
    ///
    /// # Errors
    /// [`SourceError`] where the inputs cannot be opened.
    pub async fn preflight(&self, inputs: &Inputs) -> Result<Result<u64, Vec<PreflightReason>>, SourceError> {
        let abilities = match self.target.abilities().await {
            Ok(abilities) => abilities,
            Err(reason) => return Ok(Err(vec![reason])),
        };
        let (mut count, mut reasons) = (0, Vec::new());
        for case in inputs.cases()? {
            count += 1;
            match case {
                Ok(case) => reasons.extend(lacks(&case, &abilities)),
                Err(fault) => reasons.push(PreflightReason::new(fault.to_string())),
            }
        }
        if count == 0 {
            reasons.push(PreflightReason::new("there is no input").help("an input is a line of text or of JSON"));
        }
        Ok(if reasons.is_empty() { Ok(count) } else { Err(reasons) })
    }

    /// Asks the target every input and gives each take to `each`, in the order of the inputs. A take waits in memory
    /// for those before it, so one slow input holds back what was done meanwhile, up to the deadline.
    ///
    /// # Errors
    /// The first error of `each`, after which no other input is asked, or one of opening the inputs.
    pub async fn record<E: From<SourceError>>(
        &self,
        inputs: &Inputs,
        stop: Stop,
        mut each: impl FnMut(Take) -> Result<(), E>,
    ) -> Result<(), E> {
        // An input that makes no case was a reason not to start.
        let cases = inputs.cases()?.filter_map(Result::ok);
        let plan = RunPlan {
            lanes: self.plan.lanes,
            repeats: 1,
            deadline: self.plan.deadline,
            rules: Arc::new(BindingRules::default()),
            live_tools: Some(Arc::clone(&self.tools)),
        };
        let (out, mut done) = mpsc::channel(self.plan.lanes);
        let (runner, recorder) = (ExperimentRunner::new(Arc::clone(&self.target), plan), self.clone());
        let finish = move |case: &EvalCase, attempt: Attempt| (case.index, recorder.take(case, attempt));
        let running = tokio::spawn(async move {
            runner.run(cases, |_| false, finish, out, stop).await;
        });
        let (mut next, mut waiting) = (0, BTreeMap::new());
        let mut result = Ok(());
        while let Some((index, take)) = done.recv().await {
            waiting.insert(index, take);
            while let Some(take) = waiting.remove(&next) {
                next += 1;
                result = each(take);
                if result.is_err() {
                    running.abort();
                    return result;
                }
            }
        }
        // Where the session was stopped, what came after a gap was done all the same.
        for take in waiting.into_values() {
            result = result.and_then(|()| each(take));
        }
        let _ = running.await;
        result
    }

    /// What an attempt at an input came to.
    fn take(&self, case: &EvalCase, attempt: Attempt) -> Take {
        match attempt.ended {
            // What the target says of itself is part of what happened.
            Ended::Failed(Failure { kind: FailureKind::Reported, .. }) | Ended::Replied => {}
            Ended::Failed(failure) => return Take::LeftOut { id: case.id.clone(), failure },
        }
        let doubts = attempt.seen.doubts.iter().map(ToString::to_string);
        let notes = attempt.aftermath.violations.iter().cloned().chain(doubts).collect();
        let seen = attempt.seen;
        let mut interaction = Interaction {
            output: seen.output,
            tool_calls: seen.tool_calls,
            model_calls: seen.model_calls,
            tokens: seen.tokens,
            latency_ms: attempt.latency.ms.filter(|_| self.plan.times == Times::Told),
            cost: seen.cost,
            currency: seen.currency,
            model: seen.model,
            failure: seen.failure,
            agent: Some(self.target.info().name),
            recorded_at: self.plan.times.now(),
            ..case.recorded.clone()
        };
        for call in interaction.tool_calls.iter_mut().flatten() {
            call.effect = effect_of(&self.plan.effects, &call.name);
            if self.plan.times == Times::LeftOut {
                call.latency_ms = None;
            }
        }
        Take::Kept { interaction: Box::new(interaction), notes }
    }
}

impl Times {
    fn now(self) -> Option<String> {
        match self {
            Times::LeftOut => None,
            Times::Told => {
                let now = jiff::Timestamp::now();
                Some(now.round(jiff::Unit::Second).unwrap_or(now).to_string())
            }
        }
    }
}

/// What a case needs and the target does not have.
fn lacks(case: &EvalCase, abilities: &Abilities) -> Option<PreflightReason> {
    let fixture = case.setup.fixture()?;
    (!abilities.fixtures.iter().any(|known| known == fixture))
        .then(|| PreflightReason::new(format!("{}: the target has no fixture {fixture:?}", case.place)))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_core::future::BoxFuture;

    use super::*;
    use crate::recording::{Json, ToolError};
    use crate::replay::target::InProcess;
    use crate::replay::{Reply, Stopper, ToolRequest};

    /// A tool that gives its arguments back.
    struct Echo;

    impl ToolProgram for Echo {
        fn begin<'a>(&'a self, _attempt: &'a str) -> BoxFuture<'a, Result<(), String>> {
            Box::pin(async { Ok(()) })
        }

        fn call<'a>(&'a self, _attempt: &'a str, request: &'a ToolRequest) -> BoxFuture<'a, Result<Json, ToolError>> {
            Box::pin(async { Ok(request.arguments.clone().unwrap_or_else(Json::null)) })
        }
    }

    /// An agent that takes as many milliseconds as the input says.
    fn slow() -> Arc<dyn SystemUnderTest> {
        Arc::new(InProcess::new("slow", |input: Json, tools: crate::replay::Tools| async move {
            let millis = input.shown().parse().unwrap();
            tokio::time::sleep(Duration::from_millis(millis)).await;
            let _ = tools.call(ToolRequest::new("echo", input)).await;
            Ok(Reply::text("done"))
        }))
    }

    fn recorder(lanes: usize) -> Recorder {
        let deadline = Duration::from_millis(1000);
        let plan = RecordPlan { lanes, deadline, effects: vec!["echo=read".parse().unwrap()], times: Times::LeftOut };
        Recorder::new(slow(), Arc::new(Echo), plan)
    }

    fn recorded(inputs: &str, lanes: usize, each: impl Fn(&Take, &Stopper) + Sync) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.txt");
        std::fs::write(&path, inputs).unwrap();
        let inputs = Inputs::open(&[path.to_str().unwrap()]).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let seen = Mutex::new(Vec::new());
        runtime.block_on(async {
            let recorder = recorder(lanes);
            recorder.preflight(&inputs).await.unwrap().unwrap();
            let (stopper, stop) = Stopper::new();
            let take = |take: Take| {
                each(&take, &stopper);
                seen.lock().unwrap().push(match take {
                    Take::Kept { interaction, .. } => crate::recording::wire::write(&interaction),
                    Take::LeftOut { id, failure } => format!("{id}: {:?}", failure.kind),
                });
                Ok::<(), SourceError>(())
            };
            recorder.record(&inputs, stop, take).await.unwrap();
        });
        seen.into_inner().unwrap()
    }

    #[test]
    fn takes_come_in_the_order_of_the_inputs_whatever_the_lanes_do() {
        let seen = recorded("60\n1\n5000\n2\n30\n", 4, |_, _| {});
        let row = |id: u32, input: u32| {
            format!(
                r#"{{"id":"in-{id}","input":"{input}","output":"done","toolCalls":[{{"name":"echo","arguments":"{input}","result":"{input}","effect":"read"}}],"agent":"slow"}}"#
            )
        };
        // A text file gives texts.
        let wanted = [row(1, 60), row(2, 1), "in-3: Deadline".to_owned(), row(4, 2), row(5, 30)];
        assert_eq!(seen, wanted);
    }

    #[test]
    fn what_was_recorded_before_a_stop_is_kept() {
        let seen = recorded("1\n900\n900\n900\n", 1, |_, stopper| stopper.stop());
        assert_eq!(seen.len(), 1, "{seen:?}");
    }
}
