//! Pairing the calls of a run with the recorded ones.
//!
//! Equal calls are paired first, as many as possible in their order, then the rest of the equal ones by position.
//! What is left is paired at least total cost, ties going to the earlier position. Pairing equal calls first loses
//! nothing: the cost of a pair is a distance, so an optimal assignment that splits two equal calls can be mended at
//! no cost.

use std::collections::{HashMap, HashSet, VecDeque};

use pathfinding::prelude::{Matrix, kuhn_munkres_min};

use super::alignment::{Alignment, Extra, ExtraKind, Missing, MissingKind, Order, Pair, PairKind};
use super::arguments::{Arguments, CallKey, PreparedCall};
use super::canonical::Value;
use super::common_part::{Tie, common_part, longest_rise};
use super::matching::Matching;
use crate::recording::ToolName;

/// Pairs the calls of a run with the recorded ones.
#[must_use]
pub fn align(recorded: &[PreparedCall<'_>], seen: &[PreparedCall<'_>], matching: Matching) -> Alignment {
    let letter_equal = recorded.len() == seen.len() && recorded.iter().zip(seen).all(|(a, b)| a.is_letter_equal(b));
    if letter_equal {
        let same = |at| Pair { recorded: at, seen: at, kind: PairKind::Same, order: Order::Kept };
        return Alignment { pairs: (0..seen.len()).map(same).collect(), ..Alignment::default() };
    }
    let mut partner = equal_pairs(recorded, seen);
    pair_the_rest(recorded, seen, &mut partner);
    describe(recorded, seen, &partner, matching)
}

/// For each recorded call the equal call of the run that it is paired with.
fn equal_pairs(recorded: &[PreparedCall<'_>], seen: &[PreparedCall<'_>]) -> Vec<Option<usize>> {
    let keys = |calls: &[PreparedCall<'_>]| calls.iter().map(PreparedCall::key).collect::<Vec<_>>();
    let (ours, theirs) = (keys(recorded), keys(seen));
    let mut partner = vec![None; recorded.len()];
    let mut taken = vec![false; seen.len()];
    for (at, to) in common_part(&ours, &theirs) {
        partner[at] = Some(to);
        taken[to] = true;
    }
    let mut free: HashMap<_, VecDeque<usize>> = HashMap::new();
    for (at, key) in theirs.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        free.entry(*key).or_default().push_back(at);
    }
    for (at, key) in ours.iter().enumerate() {
        if partner[at].is_none() {
            partner[at] = free.get_mut(key).and_then(VecDeque::pop_front);
        }
    }
    partner
}

/// The cost of leaving a call without a counterpart. A pair that costs as much as two of these is not worth it.
const ALONE: i64 = 1_000_000_000;
/// The cost of the same tool with entirely other arguments; less than leaving both calls alone, so that a changed
/// call is not taken for one missing and one extra.
const OTHER_ARGUMENTS: i64 = 1_500_000_000;
/// The cost of another tool with equal arguments.
const OTHER_TOOL: i64 = 1_600_000_000;
/// No pair at all.
const NEVER: i64 = 2 * ALONE + 1_000_000;

/// Up to this many cells the optimal assignment is worth its cubic time; beyond, calls are paired in order by tool.
const ASSIGNABLE: usize = 250 * 250;

fn pair_the_rest(recorded: &[PreparedCall<'_>], seen: &[PreparedCall<'_>], partner: &mut [Option<usize>]) {
    let mut taken = vec![false; seen.len()];
    partner.iter().flatten().for_each(|at| taken[*at] = true);
    let left: Vec<usize> = (0..recorded.len()).filter(|at| partner[*at].is_none()).collect();
    let right: Vec<usize> = (0..seen.len()).filter(|at| !taken[*at]).collect();
    if left.is_empty() || right.is_empty() {
        return;
    }
    if left.len() * right.len() > ASSIGNABLE {
        return pair_in_order(recorded, seen, &left, right, partner);
    }
    let strange = Strange::new(recorded, seen);
    // Either side may stay alone, so each row has a column of its own to stay alone in.
    let columns = right.len() + left.len();
    let costs = Matrix::from_fn(left.len(), columns, |(row, column)| match right.get(column) {
        Some(&at) => pair_cost(&recorded[left[row]], &seen[at], &strange, row.abs_diff(column)) - ALONE,
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
) {
    let mut free: HashMap<_, VecDeque<usize>> = HashMap::new();
    for at in right {
        free.entry(&seen[at].call.name).or_default().push_back(at);
    }
    for at in left {
        partner[*at] = free.get_mut(&recorded[*at].call.name).and_then(VecDeque::pop_front);
    }
}

/// What a pair costs: how much of the arguments differs, and a trifle for the distance, which breaks ties. The trifle
/// grows with the square, so that of two ways with equal arguments the one without a crossing is taken.
fn pair_cost(recorded: &PreparedCall<'_>, seen: &PreparedCall<'_>, strange: &Strange<'_>, distance: usize) -> i64 {
    let trifle = (distance * distance).min(10_000) as i64;
    let unlike = unlikeness(recorded.arguments(), seen.arguments());
    if recorded.call.name == seen.call.name {
        return (unlike * OTHER_ARGUMENTS as f64) as i64 + trifle;
    }
    // Another tool is a rename only when each side knows one of the two names, and the arguments say so.
    let says_something = recorded.arguments() != &Arguments::Value(Value::Object(Vec::new()));
    if says_something && unlike < LIKE_ENOUGH && strange.hold(&recorded.call.name, &seen.call.name) {
        return OTHER_TOOL + (unlike * 100_000_000.0) as i64 + trifle;
    }
    NEVER
}

/// The share of arguments that may differ in a call that was renamed: one of three may still be equal.
const LIKE_ENOUGH: f64 = 0.7;

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

    fn hold(&self, recorded: &ToolName, seen: &ToolName) -> bool {
        self.recorded.contains(recorded) && self.seen.contains(seen)
    }
}

/// The share of arguments that differ, from 0 (equal) to 1.
fn unlikeness(a: &Arguments, b: &Arguments) -> f64 {
    let (Arguments::Value(Value::Object(left)), Arguments::Value(Value::Object(right))) = (a, b) else {
        return if a == b { 0.0 } else { 1.0 };
    };
    let equal = left.iter().filter(|member| {
        right.binary_search_by(|other| other.0.cmp(&member.0)).is_ok_and(|at| right[at].1 == member.1)
    });
    let equal = equal.count();
    let all = left.len() + right.len() - equal;
    if all == 0 { 0.0 } else { 1.0 - equal as f64 / all as f64 }
}

fn describe(
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    partner: &[Option<usize>],
    matching: Matching,
) -> Alignment {
    let paired: Vec<(usize, usize)> = partner.iter().enumerate().filter_map(|(at, to)| to.map(|to| (at, to))).collect();
    let moved = out_of_order(&paired, recorded, seen, matching);
    let pairs = paired.iter().zip(moved).map(|(&(from, to), order)| Pair {
        recorded: from,
        seen: to,
        kind: pair_kind(&recorded[from], &seen[to]),
        order,
    });
    let taken: HashSet<usize> = partner.iter().flatten().copied().collect();
    let pairs = pairs.collect();
    let mut missing = (0..recorded.len()).filter(|at| partner[*at].is_none()).peekable();
    let mut extra = (0..seen.len()).filter(|at| !taken.contains(at)).peekable();
    // Most runs lack nothing, so the other side is looked through only for those that do.
    let made = if missing.peek().is_some() { keys(seen) } else { HashSet::new() };
    let known = if extra.peek().is_some() { Known::of(recorded) } else { Known::default() };
    Alignment {
        pairs,
        missing: missing.map(|at| Missing { recorded: at, kind: missing_kind(recorded, at, &made) }).collect(),
        extra: extra.map(|at| Extra { seen: at, kind: known.extra_kind(&seen[at]) }).collect(),
    }
}

fn pair_kind(recorded: &PreparedCall<'_>, seen: &PreparedCall<'_>) -> PairKind {
    if recorded.is_letter_equal(seen) {
        return PairKind::Same;
    }
    let differences = recorded.arguments().differences(seen.arguments());
    match (recorded.call.name == seen.call.name, differences.is_empty()) {
        (true, true) => PairKind::Same,
        (true, false) => PairKind::Changed(differences),
        (false, _) => PairKind::Renamed(differences),
    }
}

fn keys(calls: &[PreparedCall<'_>]) -> HashSet<CallKey> {
    calls.iter().map(PreparedCall::key).collect()
}

fn missing_kind(recorded: &[PreparedCall<'_>], at: usize, made: &HashSet<CallKey>) -> MissingKind {
    let key = recorded[at].key();
    let failed = |at: usize| recorded[at].call.error.is_some();
    let is_made = made.contains(&key);
    let next = recorded.get(at + 1).filter(|next| next.key() == key);
    let before = at.checked_sub(1).filter(|before| recorded[*before].key() == key);
    if is_made && ((next.is_some() && failed(at)) || before.is_some_and(failed)) {
        return MissingKind::RetryDropped;
    }
    if is_made { MissingKind::FewerTimes } else { MissingKind::Dropped }
}

/// What a recording knows of calls and tools.
#[derive(Default)]
struct Known<'a> {
    calls: HashSet<CallKey>,
    tools: HashSet<&'a ToolName>,
}

impl<'a> Known<'a> {
    fn of(recorded: &[PreparedCall<'a>]) -> Self {
        Self { calls: keys(recorded), tools: recorded.iter().map(|call| &call.call.name).collect() }
    }

    fn extra_kind(&self, seen: &PreparedCall<'_>) -> ExtraKind {
        if self.calls.contains(&seen.key()) {
            ExtraKind::Repeated
        } else if self.tools.contains(&seen.call.name) {
            ExtraKind::New
        } else {
            ExtraKind::UnknownTool
        }
    }
}

/// For each pair, in the order of the recording, whether it is one of the fewest that must be taken out to leave
/// the rest in order.
fn out_of_order(
    paired: &[(usize, usize)],
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    matching: Matching,
) -> Vec<Order> {
    let heed = matching.heeds_steps() && recorded.iter().any(|call| call.call.step.is_some());
    let starts = |calls: &[PreparedCall<'_>]| if heed { step_starts(calls) } else { (0..calls.len()).collect() };
    let (ours, theirs) = (starts(recorded), starts(seen));
    // Within a recorded step the order is free: take the calls of a step as they came in the run.
    let mut order: Vec<usize> = (0..paired.len()).collect();
    order.sort_by_key(|&index| (ours[paired[index].0], paired[index].1));
    let places: Vec<usize> = order.iter().map(|&index| theirs[paired[index].1]).collect();
    let mut result = vec![Order::Moved; paired.len()];
    for at in longest_rise(&places, Tie::Rises) {
        result[order[at]] = Order::Kept;
    }
    result
}

/// For each call the place of the first one that was asked for in the same step; a call without a step is its own.
fn step_starts(calls: &[PreparedCall<'_>]) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::with_capacity(calls.len());
    for (at, call) in calls.iter().enumerate() {
        let goes_on = at > 0 && call.call.step.is_some() && calls[at - 1].call.step == call.call.step;
        starts.push(if goes_on { starts[at - 1] } else { at });
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::super::{Policy, prepare};
    use super::*;
    use crate::recording::{Json, ToolCall, ToolName};

    /// Calls written as `name`, `name=argument`, or either with `@step`.
    fn calls(text: &str) -> Vec<ToolCall> {
        text.split_whitespace()
            .map(|word| {
                let (word, step) = word.split_once('@').map_or((word, None), |(word, step)| (word, step.parse().ok()));
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                let arguments =
                    (!value.is_empty()).then(|| Json::parse(format!("{{\"v\":\"{value}\",\"k\":1}}")).unwrap());
                ToolCall { step, ..ToolCall::new(ToolName::new(name), arguments) }
            })
            .collect()
    }

    fn shown(recorded: &str, seen: &str) -> String {
        let (a, b, policy) = (calls(recorded), calls(seen), Policy::default());
        let alignment = align(&prepare(&a, &policy), &prepare(&b, &policy), Matching::PartialOrder);
        let mut words: Vec<String> = Vec::new();
        for pair in &alignment.pairs {
            let name = &a[pair.recorded].name;
            match &pair.kind {
                PairKind::Same => {}
                PairKind::Changed(_) => words.push(format!("changed {name}")),
                PairKind::Renamed(_) => words.push(format!("renamed {name}>{}", b[pair.seen].name)),
            }
            if pair.order == Order::Moved {
                words.push(format!("moved {name}"));
            }
        }
        words.extend(alignment.missing.iter().map(|m| format!("missing {} {:?}", a[m.recorded].name, m.kind)));
        words.extend(alignment.extra.iter().map(|e| format!("extra {} {:?}", b[e.seen].name, e.kind)));
        words.join(", ")
    }

    #[test]
    fn one_edit_is_named_and_nothing_else() {
        assert_eq!(shown("a b c", "a b c"), "");
        assert_eq!(shown("a b c", "a c"), "missing b Dropped");
        assert_eq!(shown("a b c", "x a b c"), "extra x UnknownTool");
        assert_eq!(shown("a b c", "a c b"), "moved b");
        assert_eq!(shown("a=1 b", "a=2 b"), "changed a");
        assert_eq!(shown("a refund=1", "a issue_refund=1"), "renamed refund>issue_refund");
        assert_eq!(shown("a b", "a b b"), "extra b Repeated");
        assert_eq!(shown("a b b", "a b"), "missing b FewerTimes");
    }

    #[test]
    fn calls_of_one_step_have_no_order() {
        assert_eq!(shown("a@1 b@1 c@2", "b@1 a@1 c@2"), "");
        assert_eq!(shown("a@1 b@1", "a@1 b@2"), "");
        assert_eq!(shown("a@1 b@2", "b@1 a@1"), "");
        assert_eq!(shown("a@1 b@2", "b@1 a@2"), "moved a");
        assert_eq!(shown("a@1 b@1 c@2", "c@1 b@2 a@2"), "moved c");
    }

    #[test]
    fn changed_calls_are_paired_without_a_crossing() {
        assert_eq!(shown("c=1 c=2 b=1 b=2", "b=3 b=4"), "changed b, changed b, missing c Dropped, missing c Dropped");
        assert_eq!(
            shown("b=1 b=2", "x=9 y=9 b=3 b=4"),
            "changed b, changed b, extra x UnknownTool, extra y UnknownTool"
        );
    }

    #[test]
    fn a_tool_that_both_sides_call_is_never_a_new_name() {
        assert_eq!(shown("get=1 cancel=1", "get=1 get=1"), "missing cancel Dropped, extra get Repeated");
        assert_eq!(shown("get=1 cancel=2", "get=1 stop=2"), "renamed cancel>stop");
    }

    #[test]
    fn equal_calls_are_paired_so_that_order_is_kept() {
        assert_eq!(shown("a b", "b a b"), "extra b Repeated");
        assert_eq!(shown("t=1 t=2", "t=2 t=1"), "moved t");
        assert_eq!(shown("t=1 t=2", "t=3 t=2"), "changed t");
    }

    #[test]
    fn a_failed_call_that_is_not_made_again_is_a_dropped_retry() {
        let mut a = calls("g=1 g=1");
        a[0].error = Some(Json::string("timeout"));
        let (b, policy) = (calls("g=1"), Policy::default());
        let alignment = align(&prepare(&a, &policy), &prepare(&b, &policy), Matching::PartialOrder);
        assert_eq!(alignment.missing[0].kind, MissingKind::RetryDropped);
    }

    #[test]
    fn a_thousand_calls_less_one_are_one_missing_call() {
        let many = |skip: usize| (0..1000).filter(|n| *n != skip).map(|n| format!("t={n} ")).collect::<String>();
        assert_eq!(shown(&many(5000), &many(400)), "missing t Dropped");
    }
}
