//! What the program ends with.

use super::gate::GateState;
use super::summary::RunState;

/// What the program ends with. The numbers are a promise to scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The gate passed, or the verb did its work.
    Passed = 0,
    /// The gate failed by a finding.
    Finding = 1,
    /// Refused: usage, unreadable or empty input, pre-flight.
    Refused = 2,
    /// No finding, but not proven either.
    NotProven = 3,
    /// Cancelled.
    Cancelled = 130,
}

impl Exit {
    /// What a run ends with.
    #[must_use]
    pub fn of(run: RunState, gate: GateState) -> Self {
        match (run, gate) {
            // A finding outranks the rest.
            (_, GateState::Failed) => Exit::Finding,
            (RunState::Cancelled, _) => Exit::Cancelled,
            (RunState::Unfinished, _) | (_, GateState::NotProven) => Exit::NotProven,
            (RunState::Finished, GateState::Passed) => Exit::Passed,
        }
    }

    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}
