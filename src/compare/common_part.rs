//! The longest part that two lists have in common, in time that does not grow with the square of long lists.

use std::collections::HashMap;
use std::hash::Hash;

/// Up to this many cells, a search that is exact whatever the lists hold is quick enough.
const EXACT: usize = 2_000 * 2_000;

/// How many pairs of equal items are looked at in longer lists.
const LOOKED_AT: usize = 2_000_000;

/// The places of a longest common part, rising on both sides. In long lists that hold the same items many times over
/// it may come out a little shorter than it could be: there only items of like rank are tried with each other.
pub(super) fn common_part<T: Copy + Ord + Hash>(ours: &[T], theirs: &[T]) -> Vec<(usize, usize)> {
    let start = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
    let (a, b) = (&ours[start..], &theirs[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let middle = if a.len().saturating_mul(b.len()) <= EXACT { exact(a, b) } else { by_rank(a, b) };
    let mut part: Vec<(usize, usize)> = (0..start).map(|at| (at, at)).collect();
    part.extend(middle.into_iter().map(|(x, y)| (start + x, start + y)));
    part.extend((0..end).map(|at| (start + a.len() + at, start + b.len() + at)));
    part
}

fn exact<T: Ord + Hash>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let mut part = Vec::new();
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, a, b) {
        if let similar::DiffOp::Equal { old_index, new_index, len } = op {
            part.extend((0..len).map(|step| (old_index + step, new_index + step)));
        }
    }
    part
}

/// A longest rise among the pairs of equal items: exact as long as all of them may be looked at.
fn by_rank<T: Copy + Eq + Hash>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let mut places: HashMap<T, Vec<usize>> = HashMap::new();
    for (at, item) in b.iter().enumerate() {
        places.entry(*item).or_default().push(at);
    }
    let reach = (LOOKED_AT / (2 * a.len().max(1))).max(1);
    let mut ranks: HashMap<T, usize> = HashMap::new();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (at, item) in a.iter().enumerate() {
        let Some(places) = places.get(item) else { continue };
        let rank = ranks.entry(*item).or_default();
        let near = rank.saturating_sub(reach).min(places.len())..(*rank + reach).min(places.len());
        *rank += 1;
        // From the last to the first, so that no two pairs of one item rise.
        pairs.extend(places[near].iter().rev().map(|&place| (at, place)));
    }
    let list: Vec<usize> = pairs.iter().map(|pair| pair.1).collect();
    longest_rise(&list, Tie::Falls).into_iter().map(|at| pairs[at]).collect()
}

/// Whether two equal values in a row count as a rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// They do.
    Rises,
    /// They do not.
    Falls,
}

/// The places of a longest part of the list that rises.
pub(super) fn longest_rise(list: &[usize], tie: Tie) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; list.len()];
    for (at, value) in list.iter().enumerate() {
        let slot = tails.partition_point(|&tail| match tie {
            Tie::Rises => list[tail] <= *value,
            Tie::Falls => list[tail] < *value,
        });
        before[at] = slot.checked_sub(1).map(|previous| tails[previous]);
        if slot == tails.len() {
            tails.push(at);
        } else {
            tails[slot] = at;
        }
    }
    let mut rise = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(at) = next {
        rise.push(at);
        next = before[at];
    }
    rise.reverse();
    rise
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn both_ways_find_parts_of_one_length(a in proptest::collection::vec(0u8..6, 0..40),
                                              b in proptest::collection::vec(0u8..6, 0..40)) {
            let ranked = by_rank(&a, &b);
            proptest::prop_assert!(ranked.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            proptest::prop_assert!(ranked.iter().all(|(x, y)| a[*x] == b[*y]));
            proptest::prop_assert_eq!(ranked.len(), exact(&a, &b).len());
            proptest::prop_assert_eq!(ranked.len(), common_part(&a, &b).len());
        }
    }

    #[test]
    fn long_lists_are_compared_as_short_ones_are() {
        let ours: Vec<u32> = (0..50_000).collect();
        let mut theirs = ours.clone();
        theirs.swap(10, 40_000);
        theirs.insert(20_000, 7);
        assert_eq!(common_part(&ours, &theirs).len(), 49_998);
        let other: Vec<u32> = (100_000..150_000).collect();
        assert!(common_part(&ours, &other).is_empty());
        // The same item over and over, with one other before it.
        let (mut many, same) = (vec![1_u32; 50_001], vec![1_u32; 50_000]);
        many[0] = 2;
        assert_eq!(common_part(&many, &same).len(), 50_000);
        let zigzag: Vec<u32> = (0..50_000).map(|n| n % 2).collect();
        let shifted: Vec<u32> = (0..50_000).map(|n| (n + 1) % 2).collect();
        assert_eq!(common_part(&zigzag, &shifted).len(), 49_999);
    }
}
