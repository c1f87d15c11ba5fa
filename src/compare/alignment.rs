//! How the calls of a run correspond to the recorded ones.

use super::difference::Difference;
use super::matching::Matching;
use super::path::Path;

/// How a run's calls correspond to the recorded ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Pairs, in the order of the recording.
    pub pairs: Vec<Pair>,
    /// Recorded calls without a counterpart.
    pub missing: Vec<Missing>,
    /// Calls of the run without a counterpart.
    pub extra: Vec<Extra>,
    /// Recorded calls that used the result of another one, and were made before it in the run.
    pub broken_edges: Vec<Edge>,
}

/// That a recorded call uses a value out of the result of an earlier one. Both are places in the recording, counted
/// from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The call whose result is used.
    pub from: usize,
    /// The call that uses it.
    pub to: usize,
}

/// A recorded call and the run's call that corresponds to it. Both are places, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The recorded call.
    pub recorded: usize,
    /// The run's call.
    pub seen: usize,
    /// How they differ.
    pub kind: PairKind,
    /// Whether the order was kept.
    pub order: Order,
    /// What differs and a rule lets pass.
    pub excused: Vec<Excuse>,
}

/// A difference that rules let pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excuse {
    /// Where in the arguments.
    pub path: Path,
    /// The rules, as they are written.
    pub rules: Vec<String>,
}

/// How the calls of a pair differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairKind {
    /// Not at all.
    Same,
    /// The same tool with other arguments.
    Changed(Vec<Difference>),
    /// Another tool with equal or almost equal arguments.
    Renamed(Vec<Difference>),
    /// The same tool, called by another agent.
    Handed(Vec<Difference>),
}

/// Whether a call stands where it was recorded, in regard to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In order.
    Kept,
    /// Out of order: taking these calls out, and no fewer, leaves the rest in order.
    Moved,
}

/// A recorded call that was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its place in the recording.
    pub recorded: usize,
    /// What is known of it.
    pub kind: MissingKind,
}

/// What is known of a call that was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingKind {
    /// It was left out.
    Dropped,
    /// An equal call was made, but fewer times.
    FewerTimes,
    /// It had failed and was made again right after.
    RetryDropped,
}

/// A call that was not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extra {
    /// Its place in the run.
    pub seen: usize,
    /// What is known of it.
    pub kind: ExtraKind,
}

/// What is known of a call that was not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraKind {
    /// The recording knows the tool, not this call.
    New,
    /// An equal call was recorded, but fewer times.
    Repeated,
    /// The same call again, after it had failed.
    Retried,
    /// One of a series of calls that goes round and round.
    Looped,
    /// The recording never uses this tool.
    UnknownTool,
}

/// What differences weigh against one argument that differs.
const ALONE: u64 = 100;
const OTHER: u64 = 50;
const MOVED: u64 = 10;

impl Alignment {
    /// Whether nothing differs that the matching holds the run to.
    #[must_use]
    pub fn holds(&self, matching: Matching) -> bool {
        self.pairs.iter().all(|pair| pair.kind == PairKind::Same)
            && (matching.allows_missing() || self.missing.is_empty())
            && (matching.allows_extra() || self.extra.is_empty())
            && (!matching.is_ordered() || self.pairs.iter().all(|pair| pair.order == Order::Kept))
    }

    /// How much differs that the matching holds the run to: 0 where it holds. A call without a counterpart, another
    /// tool or another agent weighs most, then a call out of order, then each argument.
    #[must_use]
    pub fn cost(&self, matching: Matching) -> u64 {
        let alone = |calls: usize, are_allowed: bool| if are_allowed { 0 } else { calls as u64 * ALONE };
        let pairs = self.pairs.iter().map(|pair| {
            let arguments = match &pair.kind {
                PairKind::Same => 0,
                PairKind::Changed(differences) => differences.len() as u64,
                PairKind::Renamed(differences) | PairKind::Handed(differences) => OTHER + differences.len() as u64,
            };
            arguments + if matching.is_ordered() && pair.order == Order::Moved { MOVED } else { 0 }
        });
        pairs.sum::<u64>()
            + alone(self.missing.len(), matching.allows_missing())
            + alone(self.extra.len(), matching.allows_extra())
    }

    /// The place of the first difference in the run: (recorded, seen), where each is known.
    #[must_use]
    pub fn first_divergence(&self) -> Option<(Option<usize>, Option<usize>)> {
        let pairs = self.pairs.iter().filter(|pair| pair.kind != PairKind::Same || pair.order == Order::Moved);
        let paired = pairs.map(|pair| (Some(pair.recorded), Some(pair.seen)));
        let missing = self.missing.iter().map(|missing| (Some(missing.recorded), None));
        let extra = self.extra.iter().map(|extra| (None, Some(extra.seen)));
        paired.chain(missing).chain(extra).min_by_key(|(recorded, seen)| match (recorded, seen) {
            (Some(a), Some(b)) => (*a).min(*b),
            (Some(at), None) | (None, Some(at)) => *at,
            (None, None) => usize::MAX,
        })
    }
}
