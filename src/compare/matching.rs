//! The ways in which a run's calls are held to the recorded ones.

/// How the run's calls are held to the recorded ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Matching {
    /// The same calls in the same order; calls of one recorded step in any order. The default.
    #[default]
    PartialOrder,
    /// The same calls in the same order.
    Strict,
    /// The recorded calls in their order; others may come in between.
    Ordered,
    /// The same calls in any order.
    Unordered,
    /// No other calls than the recorded ones, in any order; some may be left out.
    Subset,
    /// All recorded calls, in any order; others may be made.
    Superset,
    /// Name by name and argument by argument, as the Akka TestKit's evaluators read a recording.
    Labels,
}

impl Matching {
    /// All of them.
    pub const ALL: [Matching; 7] = [
        Matching::PartialOrder,
        Matching::Strict,
        Matching::Ordered,
        Matching::Unordered,
        Matching::Subset,
        Matching::Superset,
        Matching::Labels,
    ];

    /// Its word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Matching::PartialOrder => "partial-order",
            Matching::Strict => "strict",
            Matching::Ordered => "ordered",
            Matching::Unordered => "unordered",
            Matching::Subset => "subset",
            Matching::Superset => "superset",
            Matching::Labels => "labels",
        }
    }

    /// Whether calls may be made that were not recorded.
    #[must_use]
    pub fn allows_extra(self) -> bool {
        matches!(self, Matching::Ordered | Matching::Superset | Matching::Labels)
    }

    /// Whether recorded calls may be left out.
    #[must_use]
    pub fn allows_missing(self) -> bool {
        self == Matching::Subset
    }

    /// Whether the order counts.
    #[must_use]
    pub fn is_ordered(self) -> bool {
        matches!(self, Matching::PartialOrder | Matching::Strict | Matching::Ordered | Matching::Labels)
    }

    /// Whether steps loosen the order.
    pub(super) fn heeds_steps(self) -> bool {
        matches!(self, Matching::PartialOrder | Matching::Ordered)
    }
}
