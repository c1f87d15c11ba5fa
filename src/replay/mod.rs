//! Doing it again: a target is asked what production was asked, and every tool call is answered from the recording.

mod attempt;
mod bindings;
mod endpoint;
mod ledger;
pub mod record;
mod runner;
pub mod target;
mod tools;

pub use attempt::{Aftermath, Attempt, Ended, Failure, FailureKind, Latency, LatencySource};
pub use bindings::{AfterLast, Answer, BindingRules, MissPolicy, StaticAnswer, ToolBindings};
pub use ledger::{Ledger, Near, Serving};
pub use runner::{AttemptKey, ExperimentRunner, IntoCase, RunPlan, Stop, Stopper};
pub use target::{Abilities, Ending, PreflightReason, Reply, Session, Start, Stray, SystemUnderTest, TargetInfo};
pub use tools::{ToolProgram, ToolRequest, Tools};
