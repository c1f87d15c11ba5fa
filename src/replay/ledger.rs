//! The written record of how an attempt's tool calls were answered.

use crate::compare::Difference;
use crate::recording::ToolName;

/// How the calls of one attempt were answered, in order, and which recordings nobody asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// One entry a call.
    pub servings: Vec<Serving>,
    /// The places of recorded calls that were not asked for.
    pub unused: Vec<usize>,
    /// How many calls each way has that the case accepts. Places count on from way to way.
    pub ways: Vec<usize>,
}

/// How one call was answered. Places count recorded calls from 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Serving {
    /// From the recording of the same call.
    Exact {
        /// Which recorded call.
        recorded: usize,
    },
    /// From the recording of a call that a rule takes for the same.
    ByPolicy {
        /// Which recorded call.
        recorded: usize,
    },
    /// From the last recording of the same call, again, all being used up.
    Repeated {
        /// Which recorded call.
        recorded: usize,
    },
    /// From the recording of the most similar call.
    Nearest {
        /// Which recorded call.
        recorded: usize,
        /// The paths that differ.
        differences: Vec<Difference>,
    },
    /// By an answer that the suite states.
    Static,
    /// By the tool itself.
    Live,
    /// No recording answers it.
    Missed {
        /// The tool.
        tool: ToolName,
        /// What is most like it, best first.
        nearest: Vec<Near>,
    },
    /// All recordings of the same call are used up.
    Exhausted {
        /// The last of them.
        recorded: usize,
    },
    /// The call was recorded, but what the tool gave back was not, or was cut off.
    Unanswerable {
        /// Which recorded call.
        recorded: usize,
    },
}

/// A recorded call that is like one that missed.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Which recorded call.
    pub recorded: usize,
    /// The paths that differ.
    pub differences: Vec<Difference>,
}

impl Serving {
    /// Whether the target was told what production's tools said.
    #[must_use]
    pub fn is_faithful(&self) -> bool {
        matches!(self, Serving::Exact { .. } | Serving::ByPolicy { .. } | Serving::Repeated { .. } | Serving::Static)
    }

    /// The recorded call whose answer was given.
    #[must_use]
    pub fn recorded(&self) -> Option<usize> {
        match self {
            Serving::Exact { recorded }
            | Serving::ByPolicy { recorded }
            | Serving::Repeated { recorded }
            | Serving::Nearest { recorded, .. }
            | Serving::Exhausted { recorded }
            | Serving::Unanswerable { recorded } => Some(*recorded),
            Serving::Static | Serving::Live | Serving::Missed { .. } => None,
        }
    }

    /// Its word in reports.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Serving::Exact { .. } => "exact",
            Serving::ByPolicy { .. } => "by-policy",
            Serving::Repeated { .. } => "repeated",
            Serving::Nearest { .. } => "nearest",
            Serving::Static => "static",
            Serving::Live => "live",
            Serving::Missed { .. } => "missed",
            Serving::Exhausted { .. } => "exhausted",
            Serving::Unanswerable { .. } => "unanswerable",
        }
    }
}

impl Ledger {
    /// The way that a place belongs to, counted from 0, and the place in it.
    #[must_use]
    pub fn place_in_way(&self, mut place: usize) -> (usize, usize) {
        for (way, calls) in self.ways.iter().enumerate() {
            match place.checked_sub(*calls) {
                Some(rest) => place = rest,
                None => return (way, place),
            }
        }
        (0, place)
    }

    /// How many calls of a way were not asked for.
    #[must_use]
    pub fn unused_of(&self, way: usize) -> usize {
        self.unused.iter().filter(|place| self.place_in_way(**place).0 == way).count()
    }

    /// The share of calls that were answered faithfully, from 0 to 1; 1 when none was made.
    #[must_use]
    pub fn fidelity(&self) -> f64 {
        match self.servings.len() {
            0 => 1.0,
            all => self.servings.iter().filter(|serving| serving.is_faithful()).count() as f64 / all as f64,
        }
    }
}
