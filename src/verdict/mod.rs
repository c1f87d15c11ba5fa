//! What the results add up to: a verdict for each attempt, each case and the run.

mod calls;
mod case_results;
mod exit;
mod found;
mod gate;
mod row;
mod ruled_out;
mod run_difference;
mod sequences;
mod summary;
mod tool_names;
mod trust;

pub use crate::recording::{counted, grouped, grouped_digits};
pub use calls::{CallDifference, CallLine, DifferenceKind, ExcusedRow, is_about_calls};
pub use case_results::{CaseVerdict, EvalCaseResults};
pub use exit::Exit;
pub use found::GroupKey;
pub use gate::{Gate, GateError, GateResult, GateState};
pub use row::{AttemptRow, AttemptVerdict, FailureRow, LedgerRow, MissRow, Usage};
pub use run_difference::{
    CallChange, CaseChange, CaseChangeKind, GroupChange, GroupSide, RunDifference, RunDifferenceBuilder, SpendChange,
    Trend, Values, VerdictCounts,
};
pub use sequences::{Came, Extent, SequenceChange, Sequences};
pub use summary::{DifferenceGroup, ExcusedBy, Facts, LabelCount, RunState, Sum, Summary, SummaryBuilder};
pub use tool_names::ToolNames;
pub use trust::Trust;
