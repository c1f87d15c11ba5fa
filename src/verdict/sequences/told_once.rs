//! One edit changes every sequence that it stands in: of those a few say it all.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::tally::{LONGEST_PART, Number, OnOneSide};
use super::{Came, Extent};

/// A sequence that is on one side only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed<'a> {
    pub(super) came: Came,
    pub(super) extent: Extent,
    pub(super) tools: &'a [Number],
    pub(super) side: &'a OnOneSide,
}

impl Changed<'_> {
    /// What two sequences have in common that changed in the same way in the same cases.
    fn cases(&self) -> (Came, u64, u64) {
        (self.came, self.side.cases, self.side.fingerprint)
    }
}

/// The sequences that are to be told, and how many are explained by them.
///
/// One that holds a shorter one is explained by it, as it is in all cases that have the longer one. But where several
/// short ones are in the same cases and stand together in a longer one that is in these cases too, that one is told
/// for all of them. That a whole is another goes without saying where a part of it came or went in the same cases.
pub(super) fn told_once(changed: Vec<Changed<'_>>) -> (Vec<Changed<'_>>, u64) {
    let all = changed.len() as u64;
    let parts: HashSet<(Came, &[Number])> =
        changed.iter().filter(|it| it.extent == Extent::Part).map(|it| (it.came, it.tools)).collect();
    let is_explained = |it: &Changed<'_>| {
        let longest = match it.extent {
            Extent::Part => it.tools.len() - 1,
            Extent::Whole => LONGEST_PART,
        };
        (1..=longest).flat_map(|length| it.tools.windows(length)).any(|within| parts.contains(&(it.came, within)))
    };
    let (longer, mut shortest): (Vec<_>, Vec<_>) = changed.into_iter().partition(is_explained);
    let cases = |it: &Changed<'_>| (it.side.cases, it.side.fingerprint);
    let of_parts: HashSet<(u64, u64)> = shortest.iter().filter(|it| it.extent == Extent::Part).map(cases).collect();
    shortest.retain(|it| it.extent == Extent::Part || !of_parts.contains(&cases(it)));
    let told = told_together(shortest, longer);
    let explained = all - told.len() as u64;
    (told, explained)
}

/// How long a sequence may be that is told for several shorter ones.
const TOGETHER: usize = 6;
/// Where more than so many changed in the same cases, each is told by itself.
const SAME_CASES: usize = 50;

/// Puts longer sequences in the place of the short ones that stand in them, where all are in the same cases.
fn told_together<'a>(shortest: Vec<Changed<'a>>, longer: Vec<Changed<'a>>) -> Vec<Changed<'a>> {
    let mut by_cases: HashMap<_, (Vec<Changed<'a>>, Vec<Changed<'a>>)> = HashMap::new();
    for short in shortest {
        by_cases.entry(short.cases()).or_default().0.push(short);
    }
    for long in longer.into_iter().filter(|long| long.tools.len() <= TOGETHER) {
        if let Some((_, candidates)) = by_cases.get_mut(&long.cases()) {
            candidates.push(long);
        }
    }
    let mut told = Vec::new();
    for (mut short, mut candidates) in by_cases.into_values() {
        if short.len() > 1 && short.len().max(candidates.len()) <= SAME_CASES {
            candidates.sort_by_key(|long| (long.tools.len(), long.extent, long.tools));
            while let Some(best) = best_for(&short, &candidates) {
                short.retain(|short| !stands_in(short, &best));
                told.push(best);
            }
        }
        told.extend(short);
    }
    told
}

/// The sequence that most of the short ones stand in, two at least; the shortest of several.
fn best_for<'a>(short: &[Changed<'a>], candidates: &[Changed<'a>]) -> Option<Changed<'a>> {
    let held = |long: &Changed<'a>| short.iter().filter(|short| stands_in(short, long)).count();
    let counted = candidates.iter().map(|long| (held(long), long)).filter(|(held, _)| *held > 1);
    counted.min_by_key(|(held, _)| Reverse(*held)).map(|(_, long)| *long)
}

fn stands_in(short: &Changed<'_>, long: &Changed<'_>) -> bool {
    short.extent == Extent::Part && long.tools.windows(short.tools.len()).any(|within| within == short.tools)
}
