//! What each drawn interaction stands for.

use std::collections::HashMap;

use super::amount::{Amount, Steps, share_out};
use super::census::{Census, Number};
use super::tickets::Winner;

/// What the kinds that were drawn of stand for.
#[derive(Debug)]
pub(super) struct Weights {
    /// Their own traffic and their share of that of kinds without a case.
    of_kinds: HashMap<Number, Steps>,
    places: u32,
    /// The traffic of kinds without a case.
    pub(super) spread: Amount,
}

/// Shares the traffic out over the kinds that were drawn of.
///
/// Each has its own. What belongs to kinds without a case is spread over those of the same stratum in proportion to
/// their traffic; that of a stratum without a case over all. So the weights always add up to the traffic.
pub(super) fn weights(census: &Census, drawn: &HashMap<Number, Vec<Winner>>) -> Weights {
    // Every amount of the census has this many places at most, and is no more than the whole, which was looked at.
    let steps = |amount: Amount| amount.steps(census.places).unwrap_or(Steps::MAX);
    let mut of_kinds: HashMap<Number, Steps> =
        drawn.keys().map(|number| (*number, steps(census.kinds[*number as usize].traffic))).collect();
    let (mut spread, mut left) = (0, 0);
    for (stratum, kinds) in census.strata.iter().zip(census.kinds_by_stratum()) {
        let with_case: Vec<Number> = kinds.into_iter().filter(|number| drawn.contains_key(number)).collect();
        let represented: Steps = with_case.iter().map(|number| of_kinds[number]).sum();
        let missing = steps(stratum.traffic) - represented;
        spread += missing;
        if with_case.is_empty() {
            left += missing;
        } else {
            spread_over(census, with_case, missing, &mut of_kinds);
        }
    }
    let all: Vec<Number> = of_kinds.keys().copied().collect();
    spread_over(census, all, left, &mut of_kinds);
    Weights { of_kinds, places: census.places, spread: Amount::of_steps(spread, census.places) }
}

/// Adds traffic to these kinds in proportion to what they have. Who gets the odd step is decided by lot.
fn spread_over(census: &Census, mut kinds: Vec<Number>, traffic: Steps, of_kinds: &mut HashMap<Number, Steps>) {
    if traffic == 0 {
        return;
    }
    kinds.sort_by_key(|number| census.kinds[*number as usize].lot);
    let parts: Vec<Steps> = kinds.iter().map(|number| of_kinds[number]).collect();
    for (number, share) in kinds.into_iter().zip(share_out(traffic, &parts)) {
        *of_kinds.entry(number).or_default() += share;
    }
}

impl Weights {
    /// What a kind stands for.
    pub(super) fn of_kind(&self, kind: Number) -> Amount {
        Amount::of_steps(self.of_kinds.get(&kind).copied().unwrap_or_default(), self.places)
    }

    /// What each of the drawn interactions of a kind stands for: its own weight, and an equal share of the rest of
    /// the kind. So where all are drawn each keeps its weight, and where their weights are equal all get the same.
    pub(super) fn of_cases(&self, kind: Number, winners: &[Winner]) -> Vec<Amount> {
        let own = |winner: &Winner| Amount::of_weight(winner.weight).and_then(|own| own.steps(self.places));
        let own: Vec<Steps> = winners.iter().map(|winner| own(winner).unwrap_or_default()).collect();
        let rest = self.of_kinds.get(&kind).copied().unwrap_or_default() - own.iter().sum::<Steps>();
        let shares = share_out(rest, &vec![1; own.len()]);
        own.iter().zip(shares).map(|(own, share)| Amount::of_steps(own + share, self.places)).collect()
    }
}
