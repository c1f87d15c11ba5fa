//! How many of each kind are drawn.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::census::{Census, Number};
use super::seed::Lot;
use super::wanted::Wanted;

/// How many of each kind are drawn, by the numbers of the kinds.
///
/// Every kind gets one before any gets two. Where there are not enough for that, every stratum gets one, then as many
/// as the square root of its traffic says, each for the kind with the most traffic that has none yet. What is left
/// goes to the kinds by the square roots of their traffic. The square root stands between two extremes: in proportion
/// to the traffic nearly all would be of one kind, and equal numbers would leave the most frequent one to a single
/// case that stands for half of the traffic.
///
/// Places are given away one by one, by highest averages (Sainte-Laguë). A larger number only goes on from where a
/// smaller one ended, so a larger suite holds every smaller one of the same seed.
pub(super) fn places(census: &Census, wanted: &Wanted) -> Vec<u64> {
    let kinds = census.kinds.len() as u64;
    let per_kind = wanted.per_kind.unwrap_or(u64::MAX);
    let Some(cases) = wanted.size.of(census.tickets.len() as u64) else {
        let each = wanted.per_kind.unwrap_or(1);
        return census.kinds.iter().map(|kind| kind.interactions.min(each)).collect();
    };
    if cases < kinds { first_kinds(census, cases) } else { further(census, cases - kinds, per_kind) }
}

/// One who waits for a place.
#[derive(Debug)]
struct Waiting {
    number: Number,
    traffic: f64,
    lot: Lot,
    has: u64,
}

impl Waiting {
    /// In whose favour the next place is decided: the traffic by the square of what it would stand between.
    fn claim(&self) -> f64 {
        let average = 2.0 * self.has as f64 + 1.0;
        self.traffic / (average * average)
    }

    fn rank(&self) -> (bool, f64, Reverse<Lot>) {
        (self.has == 0, self.claim(), Reverse(self.lot))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let (none, claim, lot) = self.rank();
        let (none_other, claim_other, lot_other) = other.rank();
        none.cmp(&none_other).then(claim.total_cmp(&claim_other)).then(lot.cmp(&lot_other))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

/// One place each for as many kinds as there are cases.
fn first_kinds(census: &Census, cases: u64) -> Vec<u64> {
    let mut places = vec![0; census.kinds.len()];
    let mut kinds = census.kinds_by_stratum();
    for kinds in &mut kinds {
        // The one with the most traffic stands last, to be taken first.
        kinds.sort_by_key(|number| {
            let kind = &census.kinds[*number as usize];
            (kind.traffic, Reverse(kind.lot))
        });
    }
    let strata = (0..).zip(&census.strata);
    let mut waiting: BinaryHeap<Waiting> = strata
        .map(|(number, stratum)| Waiting { number, traffic: stratum.traffic.as_f64(), lot: stratum.lot, has: 0 })
        .collect();
    for _ in 0..cases {
        let Some(mut next) = waiting.pop() else { break };
        let kinds = &mut kinds[next.number as usize];
        if let Some(kind) = kinds.pop() {
            places[kind as usize] = 1;
        }
        next.has += 1;
        if !kinds.is_empty() {
            waiting.push(next);
        }
    }
    places
}

/// One place for each kind, and so many more.
fn further(census: &Census, more: u64, per_kind: u64) -> Vec<u64> {
    let mut places = vec![1; census.kinds.len()];
    let most = |number: Number| census.kinds[number as usize].interactions.min(per_kind);
    let kinds = (0..).zip(&census.kinds).filter(|(number, _)| most(*number) > 1);
    let mut waiting: BinaryHeap<Waiting> =
        kinds.map(|(number, kind)| Waiting { number, traffic: kind.traffic.as_f64(), lot: kind.lot, has: 1 }).collect();
    for _ in 0..more {
        let Some(mut next) = waiting.pop() else { break };
        next.has += 1;
        places[next.number as usize] = next.has;
        if next.has < most(next.number) {
            waiting.push(next);
        }
    }
    places
}
