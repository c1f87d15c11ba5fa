//! What is tested: something that answers an input and calls tools on the way.

mod capped;
mod command;
mod conversation;
mod http;
mod in_process;
mod recorded;
mod strays;

use futures_core::future::BoxFuture;
use rust_decimal::Decimal;

pub(crate) use command::kill_all_programs;
pub use command::{CommandLine, CommandLineError, CommandTarget, CommandTools, MAX_MESSAGE, PROTOCOL, START_DEADLINE};
pub use http::{HttpOptions, HttpTarget, UsagePaths};
pub use in_process::InProcess;
pub use recorded::{PairBy, RecordedTarget};

use super::attempt::{Aftermath, Failure, LatencySource};
use super::tools::Tools;
use crate::case::EvalSetup;
use crate::recording::wire::Usage;
use crate::recording::{Interaction, Json, ModelCalls, Tokens, ToolName};

/// A build of an agent. A lane asks it to [`prepare`](SystemUnderTest::prepare) a session for each attempt.
pub trait SystemUnderTest: Send + Sync {
    /// Its name and version.
    fn info(&self) -> TargetInfo;

    /// What it can do, asked once before anything is spent. Starting it here is right: an error is a refusal.
    fn abilities(&self) -> BoxFuture<'_, Result<Abilities, PreflightReason>> {
        Box::pin(async { Ok(Abilities::default()) })
    }

    /// Whether it can stand in for a case, asked before anything is spent.
    ///
    /// # Errors
    /// The reason why it cannot.
    fn accepts(&self, _case: &crate::case::EvalCase) -> Result<(), PreflightReason> {
        Ok(())
    }

    /// Ends the target when the run is over, and tells what it did after its attempts had ended.
    fn shut_down(&self) -> BoxFuture<'_, Vec<Stray>> {
        Box::pin(async { Vec::new() })
    }

    /// Makes a session ready for one attempt.
    fn prepare<'a>(&'a self, start: Start<'a>) -> BoxFuture<'a, Result<Box<dyn Session + 'a>, Failure>>;
}

/// What a session starts from.
pub struct Start<'a> {
    /// The lane, counted from 0. No two attempts run in one lane at the same time.
    pub lane: usize,
    /// The case's place among the cases, counted from 0.
    pub place: u64,
    /// The recorded interaction's id.
    pub case: &'a crate::recording::CaseId,
    /// What was recorded, for targets that pair by it. A target that shows it to the agent defeats the test.
    pub recorded: &'a Interaction,
    /// The state to start from.
    pub setup: &'a EvalSetup,
    /// Earlier turns of the conversation, a list of `{role, content}`.
    pub history: Option<&'a Json>,
    /// The attempt's tools.
    pub tools: Tools,
}

/// One attempt's conversation with a target.
pub trait Session: Send {
    /// Sends the input and waits for the reply. Dropping the future must not leave the target working for long;
    /// [`end`](Session::end) follows in any case.
    fn submit<'a>(&'a mut self, input: &'a Json) -> BoxFuture<'a, Result<Reply, Failure>>;

    /// Ends the session and tells what else was seen.
    fn end<'a>(self: Box<Self>, ending: Ending) -> BoxFuture<'a, Aftermath>
    where
        Self: 'a;
}

/// Why a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The target replied.
    Replied,
    /// The target failed.
    Failed,
    /// The deadline passed.
    Deadline,
    /// The run was stopped.
    Cancelled,
}

/// The setup as a program is told of it. Turns are spoken to it instead.
fn told(setup: &EvalSetup) -> Option<Json> {
    match setup {
        EvalSetup::None | EvalSetup::Replay(_) => None,
        EvalSetup::Fixture { .. } | EvalSetup::FailingTool { .. } => setup.to_json(),
    }
}

/// A target's reply and what it spent, where it tells.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// What it said.
    pub output: Option<Json>,
    /// How often it asked a model.
    pub model_calls: Option<ModelCalls>,
    /// Tokens by class.
    pub tokens: Tokens,
    /// What it paid.
    pub cost: Option<Decimal>,
    /// In which currency.
    pub currency: Option<String>,
    /// Which model it asked.
    pub model: Option<String>,
    /// A whole run that stands in for this one: it is used instead of what went through the tools.
    pub stands_in: Option<Box<Interaction>>,
    /// What of the usage made no sense.
    pub doubts: Vec<crate::recording::Doubt>,
}

impl Reply {
    /// A reply of text, without usage.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { output: Some(Json::string(text)), ..Self::default() }
    }

    /// A reply with what its maker told of its cost.
    #[must_use]
    pub fn with_usage(output: Json, usage: Usage) -> Self {
        let Usage { model_calls, tokens, cost, currency, model, doubts } = usage;
        Self { output: Some(output), model_calls, tokens, cost, currency, model, stands_in: None, doubts }
    }

    /// Where the time of the attempt comes from, tools being live or not.
    pub(super) fn latency_source(&self, are_tools_live: bool) -> LatencySource {
        match (&self.stands_in, are_tools_live) {
            (Some(_), _) => LatencySource::Recorded,
            (None, true) => LatencySource::Measured,
            (None, false) => LatencySource::Stubbed,
        }
    }
}

/// Something that a target did for an attempt that was over.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stray {
    /// The attempt's name, as the target saw it.
    pub attempt: String,
    /// What it did.
    pub what: String,
}

/// A target's name and version.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TargetInfo {
    /// How it was named on the command line.
    pub name: String,
    /// Its version, where it tells one.
    pub version: Option<String>,
}

/// What a target can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// What it says of itself, where that is more than its name on the command line.
    pub info: Option<TargetInfo>,
    /// The fixtures it has.
    pub fixtures: Vec<String>,
    /// The tools it can break.
    pub breakable_tools: Vec<ToolName>,
    /// Whether it needs to be asked for these at all.
    pub setups: Setups,
}

/// Which start states a target can make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Setups {
    /// Those that it declares.
    #[default]
    Declared,
    /// Any: it has none to make, as its runs are over.
    Any,
}

/// A reason not to start a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct PreflightReason {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub help: Option<String>,
}

impl PreflightReason {
    /// A reason with nothing to advise.
    pub fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), help: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
