//! What the engine ought to say about an edit, worked out from the edit and from what the documentation promises.
//!
//! Some edits can be told in more than one way: of two equal calls in a row either may be the one that is missing, and
//! of two calls that changed places either may be the one that moved. All ways that say no more than the edit are
//! listed, each complete; the engine must say one of them to the word.

use std::collections::{HashMap, VecDeque};

use taketwo::compare::{CallKey, ExtraKind, MissingKind};
use taketwo::recording::{ToolCall, ToolName};

use super::findings::Finding;

/// The ways to tell an edit. An edit that changes nothing has one way, which is to say nothing.
#[derive(Clone, Debug)]
pub struct Expected(pub Vec<Vec<Finding>>);

impl Expected {
    /// The edit makes no difference.
    pub fn nothing() -> Self {
        Self(vec![Vec::new()])
    }

    /// Exactly these findings.
    pub fn exactly(findings: Vec<Finding>) -> Self {
        Self(vec![findings])
    }
}

/// A call as the order of calls sees it.
#[derive(Clone, Debug)]
pub struct Item {
    pub call: ToolCall,
    pub key: CallKey,
    /// Which step it belongs to: neighbours with equal tags were asked for in parallel.
    pub tag: usize,
}

/// A recording and a run, for working out in which ways the second came from the first.
pub struct Sides<'a> {
    recorded: &'a [Item],
    run: &'a [Item],
}

impl<'a> Sides<'a> {
    pub fn new(recorded: &'a [Item], run: &'a [Item]) -> Self {
        Self { recorded, run }
    }

    /// One recorded call is missing from the run.
    pub fn one_missing(&self) -> Expected {
        let fits = |at: &usize| self.fits(Some(*at), None, Lone::Apart);
        let ways = (0..self.recorded.len()).filter(fits).map(|recorded| vec![self.missing(recorded)]);
        Expected(ways.collect())
    }

    /// One call of the run is not recorded.
    pub fn one_extra(&self) -> Expected {
        let fits = |at: &usize| self.fits(None, Some(*at), Lone::Apart);
        let places: Vec<usize> = (0..self.run.len()).filter(fits).collect();
        // Of a failed call and an equal one right after it, the second is the one too many.
        let is_retried = |at: usize| self.is_retry(at + 1) && places.contains(&(at + 1));
        let told = places.iter().filter(|at| !is_retried(**at));
        Expected(told.map(|seen| vec![self.extra(*seen)]).collect())
    }

    /// One recorded call is missing and one call of the run is not recorded, and they have nothing to do with each
    /// other: one that is equal to `lost`, and one that is equal to `gained`.
    pub fn one_missing_one_extra(&self, lost: CallKey, gained: CallKey) -> Expected {
        let alike = self
            .pairs()
            .filter(|(recorded, seen)| self.recorded[*recorded].key == lost && self.run[*seen].key == gained);
        let ways = alike.filter(|(recorded, seen)| self.fits(Some(*recorded), Some(*seen), Lone::Apart));
        Expected(ways.map(|(recorded, seen)| vec![self.missing(recorded), self.extra(seen)]).collect())
    }

    /// One call stands elsewhere; nothing, where the calls are in an order that the recording allows.
    pub fn one_moved(&self) -> Expected {
        if self.fits(None, None, Lone::Apart) {
            return Expected::nothing();
        }
        let equal = self.pairs().filter(|(recorded, seen)| self.recorded[*recorded].key == self.run[*seen].key);
        let ways = equal.filter(|(recorded, seen)| self.fits(Some(*recorded), Some(*seen), Lone::Apart));
        Expected(ways.map(|(recorded, seen)| vec![Finding::Moved { recorded, seen }]).collect())
    }

    /// A call of the run stands for a recorded one, equal to `lost`, from which it differs as told.
    pub fn one_changed(&self, seen: usize, lost: CallKey, tell: impl Fn(usize) -> Finding) -> Expected {
        let alike = (0..self.recorded.len()).filter(|recorded| self.recorded[*recorded].key == lost);
        let fits = alike.filter(|recorded| self.fits(Some(*recorded), Some(seen), Lone::Paired));
        Expected(fits.map(|recorded| vec![tell(recorded)]).collect())
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let seen = self.run.len();
        (0..self.recorded.len()).flat_map(move |at| (0..seen).map(move |to| (at, to)))
    }

    /// What is to be said of a missing call.
    fn missing(&self, recorded: usize) -> Finding {
        let call = &self.recorded[recorded];
        let equals = |at: Option<usize>| at.and_then(|at| self.recorded.get(at)).filter(|other| other.key == call.key);
        let failed = |item: &Item| item.call.error.is_some();
        // It had failed and was made again right after: whichever of the two is left out, the retry is gone.
        let was_retried = failed(call) && equals(recorded.checked_add(1)).is_some();
        let is_retry = equals(recorded.checked_sub(1)).is_some_and(failed);
        let kind = match self.run.iter().any(|made| made.key == call.key) {
            false => MissingKind::Dropped,
            true if was_retried || is_retry => MissingKind::RetryDropped,
            true => MissingKind::FewerTimes,
        };
        Finding::Missing { recorded, kind }
    }

    /// What is to be said of a call that was not recorded.
    fn extra(&self, seen: usize) -> Finding {
        let (key, tool): (_, &ToolName) = (self.run[seen].key, &self.run[seen].call.name);
        let kind = if self.recorded.iter().any(|item| item.key == key) {
            if self.is_retry(seen) { ExtraKind::Retried } else { ExtraKind::Repeated }
        } else if self.recorded.iter().any(|item| item.call.name == *tool) {
            ExtraKind::New
        } else {
            ExtraKind::UnknownTool
        };
        Finding::Extra { seen, kind }
    }

    /// Whether a call of the run is the same again, right after it had failed.
    fn is_retry(&self, seen: usize) -> bool {
        let before = seen.checked_sub(1).map(|before| &self.run[before]);
        let failed = before.filter(|before| before.call.error.is_some());
        self.run.get(seen).is_some_and(|call| failed.is_some_and(|before| before.key == call.key))
    }

    /// Whether the calls beside those two are equal one by one, in an order that the recording allows.
    fn fits(&self, recorded: Option<usize>, seen: Option<usize>, lone: Lone) -> bool {
        let mut places: HashMap<CallKey, VecDeque<usize>> = HashMap::new();
        for (at, item) in self.run.iter().enumerate().filter(|(at, _)| Some(*at) != seen) {
            places.entry(item.key).or_default().push_back(at);
        }
        let mut pairs = Vec::with_capacity(self.recorded.len());
        for (at, item) in self.recorded.iter().enumerate().filter(|(at, _)| Some(*at) != recorded) {
            // Equal calls take each other's places in order: no other way keeps the order better.
            match places.get_mut(&item.key).and_then(VecDeque::pop_front) {
                Some(to) => pairs.push((at, to)),
                None => return false,
            }
        }
        if let (Lone::Paired, Some(at), Some(to)) = (lone, recorded, seen) {
            pairs.push((at, to));
        }
        places.values().all(VecDeque::is_empty) && self.is_in_order(&pairs)
    }

    /// Whether no call comes in a later step than one that was recorded in a later step than it.
    fn is_in_order(&self, pairs: &[(usize, usize)]) -> bool {
        let (ours, theirs) = (steps(self.recorded), steps(self.run));
        let mut steps: Vec<_> = pairs.iter().map(|&(at, to)| (ours[at], theirs[to])).collect();
        steps.sort_unstable();
        let (mut latest, mut latest_before) = (0, 0);
        let mut step = None;
        steps.into_iter().all(|(recorded, seen)| {
            if step != Some(recorded) {
                (step, latest_before) = (Some(recorded), latest);
            }
            latest = latest.max(seen);
            seen >= latest_before
        })
    }
}

/// Whether the two calls that are left over count as a pair.
#[derive(Clone, Copy)]
enum Lone {
    Paired,
    Apart,
}

/// For each call the number of its step.
pub fn steps(items: &[Item]) -> Vec<usize> {
    let mut steps: Vec<usize> = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let goes_on = at > 0 && items[at - 1].tag == item.tag;
        steps.push(steps.last().map_or(0, |last| last + usize::from(!goes_on)));
    }
    steps
}
