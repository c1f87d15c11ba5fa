//! The order of calls: which were made out of turn, and which needed the result of another.

use std::collections::HashMap;

use super::alignment::{Edge, Order};
use super::common_part::{Tie, longest_rise};
use super::matching::Matching;
use super::pairing::Agents;
use super::prepared::PreparedCall;
use super::reference::Origins;

/// For each pair, in the order of the recording, whether it is one of the fewest that must be taken out to leave
/// the rest in order. Where steps count, the calls of one step have no order among themselves, and neither have the
/// calls of two agents.
pub(super) fn out_of_order(
    paired: &[(usize, usize)],
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    matching: Matching,
    agents: Agents,
) -> Vec<Order> {
    let mut result = vec![Order::Moved; paired.len()];
    let mut kept = |list: &[usize]| {
        for at in in_order(list, paired, recorded, seen, matching) {
            result[at] = Order::Kept;
        }
    };
    if matching.heeds_steps() && agents == Agents::Count {
        let mut by_agent: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
        for (at, (was, _)) in paired.iter().enumerate() {
            by_agent.entry(agents.of(&recorded[*was])).or_default().push(at);
        }
        by_agent.values().for_each(|list| kept(list));
    } else {
        kept(&(0..paired.len()).collect::<Vec<_>>());
    }
    result
}

/// Of some pairs as many as can stand in order.
fn in_order(
    list: &[usize],
    paired: &[(usize, usize)],
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    matching: Matching,
) -> Vec<usize> {
    let heed = matching.heeds_steps() && recorded.iter().any(|call| call.call.step.is_some());
    let starts = |calls: &[PreparedCall<'_>]| if heed { step_starts(calls) } else { (0..calls.len()).collect() };
    let (ours, theirs) = (starts(recorded), starts(seen));
    // Within a recorded step the order is free: take the calls of a step as they came in the run.
    let mut order = list.to_vec();
    order.sort_by_key(|&index| (ours[paired[index].0], paired[index].1));
    let places: Vec<usize> = order.iter().map(|&index| theirs[paired[index].1]).collect();
    longest_rise(&places, Tie::Rises).into_iter().map(|at| order[at]).collect()
}

/// For each call the place of the first one that was asked for in the same step; a call without a step is its own.
pub(super) fn step_starts(calls: &[PreparedCall<'_>]) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::with_capacity(calls.len());
    for (at, call) in calls.iter().enumerate() {
        let goes_on = at > 0 && call.call.step.is_some() && calls[at - 1].call.step == call.call.step;
        starts.push(if goes_on { starts[at - 1] } else { at });
    }
    starts
}

/// The recorded calls that used a result of another one of an earlier step, and were made before it in the run.
/// Nothing is looked at where the pairs stand in the order of the recording.
pub(super) fn broken_edges(paired: &[(usize, usize)], recorded: &[PreparedCall<'_>]) -> Vec<Edge> {
    if paired.windows(2).all(|two| two[0].1 < two[1].1) || paired.len() > LOOKED_THROUGH {
        return Vec::new();
    }
    let place: HashMap<usize, usize> = paired.iter().copied().collect();
    let steps = step_starts(recorded);
    let mut origins = Origins::default();
    let mut edges = Vec::new();
    for (at, call) in recorded.iter().enumerate() {
        if let Some(&now) = place.get(&at) {
            let uses = origins.used_by(call.call.arguments.as_ref(), at);
            // What was asked for in the same step was not known yet, so a like value came from elsewhere.
            let known = uses.into_iter().filter(|used| steps[*used] != steps[at]);
            let late = known.filter(|used| place.get(used).is_some_and(|then| *then > now));
            edges.extend(late.map(|from| Edge { from, to: at }));
        }
        if let Some(result) = &call.call.result {
            origins.add(at, at as u64, result);
        }
    }
    edges
}

/// Sequences longer than this are not looked through for what was used where.
const LOOKED_THROUGH: usize = 2_000;
