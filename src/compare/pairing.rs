//! Pairing the calls of a run with the recorded ones at least cost.
//!
//! Equal calls are paired first, as many as possible in their order, then the rest of the equal ones by position.
//! What is left is paired at least total cost, ties going to the earlier position. Pairing equal calls first loses
//! nothing: the cost of a pair is a distance, so an optimal assignment that splits two equal calls can be mended at
//! no cost. Where a rule has leeway that is not so, and calls that it is for wait for the assignment.

use std::collections::{HashMap, HashSet, VecDeque};

use pathfinding::prelude::{Matrix, kuhn_munkres_min};

use super::arguments::CallKey;
use super::common_part::common_part;
use super::order::step_starts;
use super::prepared::PreparedCall;
use crate::recording::ToolName;

/// Whether it counts which agent made a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agents {
    /// Both sides tell of agents: a call belongs to the one that made it.
    Count,
    /// One side does not tell, so nothing can be said.
    AreUnknown,
}

impl Agents {
    pub(super) fn told_by(recorded: &[PreparedCall<'_>], seen: &[PreparedCall<'_>]) -> Self {
        let tells = |calls: &[PreparedCall<'_>]| calls.iter().any(|call| call.call.agent.is_some());
        if tells(recorded) && tells(seen) { Agents::Count } else { Agents::AreUnknown }
    }

    /// The agent of a call, where it counts.
    pub(super) fn of<'c>(self, call: &PreparedCall<'c>) -> Option<&'c str> {
        call.call.agent.as_deref().filter(|_| self == Agents::Count)
    }

    /// Whether both are the same call to the letter, by one agent.
    pub(super) fn are_letter_equal(self, a: &PreparedCall<'_>, b: &PreparedCall<'_>) -> bool {
        a.is_letter_equal(b) && self.of(a) == self.of(b)
    }

    pub(super) fn key(self, call: &PreparedCall<'_>) -> CallKey {
        match self.of(call) {
            Some(agent) => CallKey::by(Some(agent), &call.call.name, call.arguments()),
            None => call.key(),
        }
    }
}

/// For each recorded call the call of the run that it is paired with.
pub(super) fn partners(
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    agents: Agents,
    way: OfEqual,
) -> Vec<Option<usize>> {
    let ends = Ends::of(recorded, seen, agents);
    let (left, right) = (ends.between(recorded), ends.between(seen));
    let mut middle = equal_pairs(left, right, agents, way);
    let strange = Strange::new(recorded, seen);
    pair_the_rest(left, right, &mut middle, &strange, agents);
    let start = (0..ends.start).map(Some);
    let end = (seen.len() - ends.end..seen.len()).map(Some);
    start.chain(middle.into_iter().map(|to| to.map(|to| to + ends.start))).chain(end).collect()
}

/// How many calls at both ends are the same to the letter, so that nothing has to be worked out for them.
struct Ends {
    start: usize,
    end: usize,
}

impl Ends {
    fn of(recorded: &[PreparedCall<'_>], seen: &[PreparedCall<'_>], agents: Agents) -> Self {
        let trims = |call: &PreparedCall<'_>| !call.policy().is_loose() && !call.has_origins();
        if !recorded.first().is_some_and(trims) {
            return Self { start: 0, end: 0 };
        }
        let is_same = |(a, b): &(&PreparedCall<'_>, &PreparedCall<'_>)| agents.are_letter_equal(a, b);
        let start = recorded.iter().zip(seen).take_while(is_same).count();
        let end = recorded[start..].iter().rev().zip(seen[start..].iter().rev()).take_while(is_same).count();
        Self { start, end }
    }

    fn between<'c, 'a>(&self, calls: &'c [PreparedCall<'a>]) -> &'c [PreparedCall<'a>] {
        &calls[self.start..calls.len() - self.end]
    }
}

/// Which of several equal calls is paired with which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfEqual {
    /// As many as stand in one order on both sides, the rest by rank.
    InCommon,
    /// The same, the calls of each step taken in the order of their keys.
    InCommonWithinSteps,
    /// The first with the first, and so on.
    ByRank,
}

impl OfEqual {
    /// The places of calls in the order in which a common part is looked for.
    fn order(self, calls: &[PreparedCall<'_>], keys: &[CallKey]) -> Vec<usize> {
        let mut places: Vec<usize> = (0..calls.len()).collect();
        if self == OfEqual::InCommonWithinSteps {
            let starts = step_starts(calls);
            places.sort_by_key(|&at| (starts[at], keys[at], at));
        }
        places
    }
}

fn equal_pairs(
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    agents: Agents,
    way: OfEqual,
) -> Vec<Option<usize>> {
    let keys = |calls: &[PreparedCall<'_>]| calls.iter().map(|call| agents.key(call)).collect::<Vec<_>>();
    let (ours, theirs) = (keys(recorded), keys(seen));
    let waiting = Waiting::of(recorded, seen);
    let mut partner = vec![None; recorded.len()];
    let mut taken = vec![false; seen.len()];
    let (left, right) = (way.order(recorded, &ours), way.order(seen, &theirs));
    let listed = |places: &[usize], keys: &[CallKey]| places.iter().map(|at| keys[*at]).collect::<Vec<_>>();
    let part = match way {
        OfEqual::ByRank => Vec::new(),
        _ => common_part(&listed(&left, &ours), &listed(&right, &theirs)),
    };
    for (at, to) in part.into_iter().map(|(at, to)| (left[at], right[to])) {
        if !waiting.holds(&recorded[at]) {
            partner[at] = Some(to);
            taken[to] = true;
        }
    }
    let mut free: HashMap<_, VecDeque<usize>> = HashMap::new();
    for (at, key) in theirs.iter().enumerate().filter(|(at, _)| !taken[*at] && !waiting.holds(&seen[*at])) {
        free.entry(*key).or_default().push_back(at);
    }
    for (at, key) in ours.iter().enumerate() {
        if partner[at].is_none() {
            partner[at] = free.get_mut(key).and_then(VecDeque::pop_front);
        }
    }
    partner
}

/// The tools whose calls wait for the assignment, as a rule gives their arguments leeway.
struct Waiting<'a>(HashSet<&'a ToolName>);

impl<'a> Waiting<'a> {
    fn of(recorded: &'a [PreparedCall<'_>], seen: &'a [PreparedCall<'_>]) -> Self {
        let is_loose = recorded.first().or(seen.first()).is_some_and(|call| call.policy().is_loose());
        if !is_loose || recorded.len() * seen.len() > ASSIGNABLE {
            return Self(HashSet::new());
        }
        let loose = recorded.iter().chain(seen).filter(|call| call.arguments().is_loose());
        Self(loose.map(|call| &call.call.name).collect())
    }

    fn holds(&self, call: &PreparedCall<'_>) -> bool {
        self.0.contains(&call.call.name)
    }
}

/// The cost of leaving a call without a counterpart. A pair that costs as much as two of these is not worth it.
const ALONE: i64 = 1_000_000_000;
/// The cost of the same tool with entirely other arguments; less than leaving both calls alone, so that a changed
/// call is not taken for one missing and one extra.
const OTHER_ARGUMENTS: i64 = 1_500_000_000;
/// The cost of another tool with equal arguments.
const OTHER_TOOL: i64 = 1_600_000_000;
/// The cost of another agent, which comes on top of other arguments.
const OTHER_AGENT: i64 = 900_000_000;
/// No pair at all.
const NEVER: i64 = 2 * ALONE + 1_000_000;

/// Up to this many cells the optimal assignment is worth its cubic time; beyond, calls are paired in order by tool.
const ASSIGNABLE: usize = 250 * 250;

fn pair_the_rest(
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    partner: &mut [Option<usize>],
    strange: &Strange<'_>,
    agents: Agents,
) {
    let mut taken = vec![false; seen.len()];
    partner.iter().flatten().for_each(|at| taken[*at] = true);
    let left: Vec<usize> = (0..recorded.len()).filter(|at| partner[*at].is_none()).collect();
    let right: Vec<usize> = (0..seen.len()).filter(|at| !taken[*at]).collect();
    if left.is_empty() || right.is_empty() {
        return;
    }
    if left.len() * right.len() > ASSIGNABLE {
        return pair_in_order(recorded, seen, &left, right, partner, agents);
    }
    let (ours, theirs) = gaps(recorded.len(), seen.len(), partner);
    // Either side may stay alone, so each row has a column of its own to stay alone in.
    let columns = right.len() + left.len();
    let costs = Matrix::from_fn(left.len(), columns, |(row, column)| match right.get(column) {
        Some(&at) => {
            let (call, other) = (&recorded[left[row]], &seen[at]);
            let place = if ours[left[row]] == theirs[at] { Gap::Same } else { Gap::Other };
            pair_cost(call, other, strange, agents, place) + trifle(row.abs_diff(column)) - ALONE
        }
        None => ALONE,
    });
    let (_, columns) = kuhn_munkres_min(&costs);
    for (row, column) in columns.into_iter().enumerate() {
        if let Some(&at) = right.get(column)
            && costs[(row, column)] < ALONE
        {
            partner[left[row]] = Some(at);
        }
    }
}

fn pair_in_order(
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    left: &[usize],
    right: Vec<usize>,
    partner: &mut [Option<usize>],
    agents: Agents,
) {
    let mut free: HashMap<_, VecDeque<usize>> = HashMap::new();
    for at in right {
        free.entry((&seen[at].call.name, agents.of(&seen[at]))).or_default().push_back(at);
    }
    for at in left {
        let wanted = (&recorded[*at].call.name, agents.of(&recorded[*at]));
        partner[*at] = free.get_mut(&wanted).and_then(VecDeque::pop_front);
    }
}

/// What breaks ties: it grows with the square of the distance, so that of two ways with equal arguments the one
/// without a crossing is taken.
fn trifle(distance: usize) -> i64 {
    distance.saturating_mul(distance).min(10_000) as i64
}

/// What a pair costs: how much of the arguments differs.
fn pair_cost(
    recorded: &PreparedCall<'_>,
    seen: &PreparedCall<'_>,
    strange: &Strange<'_>,
    agents: Agents,
    gap: Gap,
) -> i64 {
    let unlike = unlikeness(recorded, seen);
    let handed = if agents.of(recorded) == agents.of(seen) { 0 } else { OTHER_AGENT };
    if recorded.call.name == seen.call.name {
        return ((unlike * OTHER_ARGUMENTS as f64) as i64 + handed).min(NEVER);
    }
    // Another tool is a rename only when the recording never uses the new name, and the arguments say so: like ones
    // where the old name was given up, equal ones where the run still uses it. A call without arguments says nothing
    // but by the place it stands in.
    let says_something = !recorded.leaves().is_empty();
    let given_up = strange.recorded.contains(&recorded.call.name);
    let is_like = match (says_something, given_up) {
        (true, true) => unlike < LIKE_ENOUGH,
        (true, false) => unlike == 0.0,
        (false, _) => unlike == 0.0 && gap == Gap::Same,
    };
    if handed == 0 && is_like && strange.seen.contains(&seen.call.name) {
        return OTHER_TOOL + (unlike * 100_000_000.0) as i64;
    }
    NEVER
}

/// Whether two calls stand between the same pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    Same,
    Other,
}

/// For each call of both sides the pair that it comes after, by the run's call of it.
fn gaps(recorded: usize, seen: usize, partner: &[Option<usize>]) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
    let mut paired = vec![false; seen];
    partner.iter().flatten().for_each(|to| paired[*to] = true);
    let after = |last: &mut Option<usize>, to: Option<usize>| {
        let gap = *last;
        *last = to.or(gap);
        Some(gap)
    };
    let ours = (0..recorded).map(|at| partner[at]).scan(None, after).collect();
    let theirs = (0..seen).map(|at| paired[at].then_some(at)).scan(None, after).collect();
    (ours, theirs)
}

/// The share of arguments that may differ in a call that was renamed: one of three may still be equal.
const LIKE_ENOUGH: f64 = 0.7;

/// The share of arguments that differ, from 0 (equal, or accepted) to 1.
fn unlikeness(recorded: &PreparedCall<'_>, seen: &PreparedCall<'_>) -> f64 {
    let is_loose = recorded.arguments().is_loose() || seen.arguments().is_loose();
    if is_loose && recorded.arguments().accepts(seen.arguments()) {
        return 0.0;
    }
    recorded.leaves().unlikeness(seen.leaves())
}

/// The tools that one side alone calls: what a renamed tool is among.
struct Strange<'a> {
    recorded: HashSet<&'a ToolName>,
    seen: HashSet<&'a ToolName>,
}

impl<'a> Strange<'a> {
    fn new(recorded: &'a [PreparedCall<'_>], seen: &'a [PreparedCall<'_>]) -> Self {
        let names = |calls: &'a [PreparedCall<'_>]| calls.iter().map(|call| &call.call.name).collect::<HashSet<_>>();
        let (ours, theirs) = (names(recorded), names(seen));
        Self { recorded: &ours - &theirs, seen: &theirs - &ours }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Policy, prepare};
    use super::*;
    use crate::recording::{Json, ToolCall};

    /// Calls out of few tools, arguments and agents, so that many ways of pairing cost the same.
    fn calls(tools: &'static [&'static str]) -> impl Strategy<Value = Vec<ToolCall>> {
        let call = (0..tools.len(), 0_u32..3, 0_u32..3, 0_u32..2, 0_usize..3).prop_map(|(tool, x, y, z, agent)| {
            let arguments = Json::parse(format!("{{\"x\":{x},\"y\":{{\"z\":{y},\"w\":{z}}}}}")).unwrap();
            let agent = ["planner", "writer"].get(agent).map(|name| (*name).to_owned());
            ToolCall { agent, ..ToolCall::new(ToolName::new(tools[tool]), Some(arguments)) }
        });
        proptest::collection::vec(call, 0..=7)
    }

    /// The least that any pairing costs, found by trying all.
    fn least(left: usize, used: &mut Vec<bool>, cost: &dyn Fn(usize, usize) -> i64, recorded: usize) -> i64 {
        if left == recorded {
            return used.iter().filter(|used| !**used).count() as i64 * ALONE;
        }
        let mut best = ALONE + least(left + 1, used, cost, recorded);
        for at in 0..used.len() {
            if !used[at] {
                used[at] = true;
                best = best.min(cost(left, at) + least(left + 1, used, cost, recorded));
                used[at] = false;
            }
        }
        best
    }

    fn is_optimal(a: &[ToolCall], b: &[ToolCall], policy: &Policy) -> Result<(), TestCaseError> {
        let (recorded, seen) = (prepare(a, policy), prepare(b, policy));
        let agents = Agents::told_by(&recorded, &seen);
        let strange = Strange::new(&recorded, &seen);
        let (strange, seen_calls) = (&strange, &seen);
        let row = |x| seen_calls.iter().map(move |y| pair_cost(x, y, strange, agents, Gap::Other)).collect::<Vec<_>>();
        let costs: Vec<Vec<i64>> = recorded.iter().map(row).collect();
        let cost = |x: usize, y: usize| costs[x][y];
        let partner = partners(&recorded, &seen, agents, OfEqual::InCommon);
        let pairs: Vec<_> = partner.iter().enumerate().filter_map(|(x, y)| y.map(|y| (x, y))).collect();
        let alone = (a.len() + b.len() - 2 * pairs.len()) as i64;
        let total = pairs.iter().map(|(x, y)| cost(*x, *y)).sum::<i64>() + alone * ALONE;
        let best = least(0, &mut vec![false; b.len()], &cost, a.len());
        // Ties are broken by trifles, and what costs hardly less than staying alone may stay alone.
        prop_assert!(total <= best + 1_000_000, "{} instead of {}: {:?}", total, best, pairs);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn no_pairing_costs_less(a in calls(&["get", "pay"]), b in calls(&["get", "pay", "send"])) {
            is_optimal(&a, &b, &Policy::default())?;
        }

        #[test]
        fn no_pairing_costs_less_under_rules_with_leeway(a in calls(&["get", "pay"]), b in calls(&["get", "send"])) {
            let rules = ["tolerance(1) get:$.x", "ignore $.y.w", "optional $.y.z"];
            is_optimal(&a, &b, &Policy::new(rules.iter().map(|rule| rule.parse().unwrap()).collect()))?;
        }
    }
}
