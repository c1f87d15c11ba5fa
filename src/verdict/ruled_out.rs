//! Calls that the tools' definitions rule out, as differences, so that they are grouped by tool, path and kind.

use super::calls::{CallDifference, DifferenceKind};
use crate::compare::{CallStatus, Change};
use crate::evaluate::{EvalContext, ruled_out_calls};
use crate::recording::ToolCall;

/// Adds what the definitions say of the calls of a run, where no difference says it already.
pub(super) fn add(context: &EvalContext<'_>, seen: &[ToolCall], found: &mut Vec<CallDifference>) {
    for call in ruled_out_calls(context) {
        let bare = |kind| CallDifference::of_run(kind, &seen[call.seen].name, call.seen);
        match call.status {
            CallStatus::Invalid(faults) => found.extend(faults.into_iter().map(|fault| CallDifference {
                path: Some(fault.path.to_string()),
                general_path: Some(fault.path.general()),
                expected: Some(fault.expected),
                seen: fault.seen,
                ..bare(DifferenceKind::InvalidArgument)
            })),
            CallStatus::UnknownTool => found.push(bare(DifferenceKind::UndeclaredTool)),
            CallStatus::Unreadable(change) => {
                let kind = match change {
                    Change::CutOff => DifferenceKind::CutOffArguments,
                    Change::DoubleEncoded => DifferenceKind::DoubleEncodedArguments,
                    _ => DifferenceKind::BrokenArguments,
                };
                let is_told = |known: &CallDifference| known.seen_call == Some(call.seen + 1) && known.kind == kind;
                if !found.iter().any(is_told) {
                    found.push(bare(kind));
                }
            }
            CallStatus::Valid | CallStatus::Unchecked => {}
        }
    }
}
