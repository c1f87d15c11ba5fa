//! Which interactions of a kind are drawn.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::census::{Census, Number, Ticket};
use super::seed::Lot;

/// An interaction that was drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Winner {
    /// Its number among those that could be read.
    pub(super) row: usize,
    /// Its own weight.
    pub(super) weight: f64,
    lot: Lot,
}

impl Winner {
    /// The lower, the sooner it is drawn. This is drawing without putting back: each draw takes one of those that are
    /// left, one that stands for twice the traffic twice as often (exponential ranks, by Efraimidis and Spirakis).
    /// Among equal weights the lot alone decides. The logarithm is not the machine's, so that it is the same to the
    /// last bit on all of them.
    fn rank(&self) -> f64 {
        let lot = self.lot as f64 / 2_f64.powi(Lot::BITS as i32);
        -libm::log1p(-lot) / self.weight.abs()
    }
}

impl Ord for Winner {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().total_cmp(&other.rank()).then(self.lot.cmp(&other.lot)).then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Winner {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Winner {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Winner {}

/// Draws so many of each kind, first drawn first.
pub(super) fn winners(census: &Census, places: &[u64]) -> HashMap<Number, Vec<Winner>> {
    let mut drawn: HashMap<Number, BinaryHeap<Winner>> = HashMap::new();
    for (row, &Ticket { kind, lot, weight }) in census.tickets.iter().enumerate() {
        let room = places[kind as usize];
        if room == 0 {
            continue;
        }
        let (of_kind, next) = (drawn.entry(kind).or_default(), Winner { row, weight, lot });
        if (of_kind.len() as u64) < room {
            of_kind.push(next);
        } else if let Some(mut last) = of_kind.peek_mut().filter(|last| next < **last) {
            *last = next;
        }
    }
    drawn.into_iter().map(|(kind, of_kind)| (kind, of_kind.into_sorted_vec())).collect()
}
