//! Which different values there are, and whether they are a few that mean something.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::recording::text_key;

/// Different values and in how many interactions each stands. Beyond so many no more are told apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Distinct {
    values: BTreeMap<u128, Times>,
    sum: u64,
    has_more: bool,
}

#[derive(Clone, Copy, Debug)]
struct Times {
    interactions: u64,
    last: u64,
}

/// So many different values are told apart.
const MOST: usize = 100;

/// Up to so many different values can be a few.
const FEW: usize = 12;

impl Distinct {
    /// Takes in a value of an interaction, which is known by its number.
    pub(super) fn add(&mut self, text: &str, interaction: u64) {
        let is_full = self.values.len() >= MOST;
        match self.values.entry(text_key(text)) {
            Entry::Occupied(mut known) => {
                let times = known.get_mut();
                if times.last != interaction {
                    *times = Times { interactions: times.interactions + 1, last: interaction };
                    self.sum += 1;
                }
            }
            Entry::Vacant(_) if is_full => {
                self.has_more = true;
                self.sum += 1;
            }
            Entry::Vacant(free) => {
                free.insert(Times { interactions: 1, last: interaction });
                self.sum += 1;
            }
        }
    }

    /// Takes in what another one saw.
    pub(super) fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.has_more |= other.has_more;
        for (value, times) in &other.values {
            let is_full = self.values.len() >= MOST;
            match self.values.entry(*value) {
                Entry::Occupied(mut known) => known.get_mut().interactions += times.interactions,
                Entry::Vacant(_) if is_full => self.has_more = true,
                Entry::Vacant(free) => drop(free.insert(*times)),
            }
        }
    }

    /// How many there are, at least.
    pub(super) fn count(&self) -> u64 {
        self.values.len() as u64
    }

    /// Whether there are more than were told apart.
    pub(super) fn has_more(&self) -> bool {
        self.has_more
    }

    /// Whether there are few, and each comes again: such values are chosen, not made.
    pub(super) fn are_few(&self) -> bool {
        let often = self.sum >= 3 * self.count() || self.values.values().all(|times| times.interactions >= 2);
        !self.has_more && self.values.len() <= FEW && often
    }

    /// Whether nearly every interaction has its own.
    pub(super) fn are_nearly_all_new(&self) -> bool {
        self.has_more || self.count() * 10 >= self.sum * 9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Distinct {
        let mut distinct = Distinct::default();
        values.iter().enumerate().for_each(|(at, value)| distinct.add(value, at as u64));
        distinct
    }

    #[test]
    fn a_few_values_that_come_again_are_told_from_new_ones() {
        assert!(of(&["a", "b", "a", "b"]).are_few());
        assert!(of(&["a", "b", "a", "a", "a", "a", "a"]).are_few());
        assert!(!of(&["a", "b", "c", "d", "a"]).are_few());
        assert!(of(&["a", "b", "c"]).are_nearly_all_new() && !of(&["a", "b", "a"]).are_nearly_all_new());
    }

    #[test]
    fn a_value_counts_once_an_interaction() {
        let mut distinct = Distinct::default();
        ["x", "x", "y", "y"].iter().for_each(|value| distinct.add(value, 7));
        assert!(!distinct.are_few() && distinct.count() == 2);
    }

    #[test]
    fn it_stays_small_and_says_so() {
        let mut distinct = Distinct::default();
        (0..100_000_u64).for_each(|number| distinct.add(&number.to_string(), number));
        assert!(distinct.has_more() && distinct.count() == MOST as u64 && !distinct.are_few());
        let mut both = of(&["a"]);
        both.merge(&distinct);
        assert!(both.has_more() && both.count() == MOST as u64);
    }
}
