//! Logs whose entries name the entry that they follow, and so make a tree: who goes back and says something else starts a
//! branch.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// For each entry the one that it names as the one before it, where the log has it.
pub(super) fn parents<'a>(
    entries: impl Iterator<Item = (Option<&'a str>, Option<&'a str>)> + Clone,
) -> Vec<Option<usize>> {
    let ids = entries.clone().enumerate().filter_map(|(number, (id, _))| Some((id?, number)));
    // Of several with one id the first is meant: the others are copies of it.
    let mut numbers = HashMap::new();
    ids.for_each(|(id, number)| _ = numbers.entry(id).or_insert(number));
    entries.map(|(_, parent)| numbers.get(parent?).copied()).collect()
}

/// The entries in the order of the file, but each after the one that it follows.
fn in_order(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut ready = BinaryHeap::new();
    for (number, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push(number),
            None => ready.push(Reverse(number)),
        }
    }
    let (mut order, mut is_told) = (Vec::with_capacity(parents.len()), vec![false; parents.len()]);
    let mut next = 0;
    while order.len() < parents.len() {
        while let Some(Reverse(number)) = ready.pop() {
            if !std::mem::replace(&mut is_told[number], true) {
                order.push(number);
                ready.extend(children[number].iter().map(|child| Reverse(*child)));
            }
        }
        // Entries that follow each other in a ring have no first one.
        while is_told.get(next) == Some(&true) {
            next += 1;
        }
        ready.extend(is_told.get(next).map(|_| Reverse(next)));
    }
    order
}

/// What the user typed, and all that followed until the next.
#[derive(Debug)]
pub(super) struct Exchange {
    /// The one before it.
    pub(super) follows: Option<usize>,
    /// Its entries, in order.
    pub(super) entries: Vec<usize>,
}

/// The exchanges of a log. An entry belongs to the one that was started last on its way back, so results that came in
/// parallel, and follow different entries, are of one exchange. One that follows nothing goes on with the last exchange of
/// its thread, as after a compaction.
pub(super) fn exchanges<T: std::hash::Hash + Eq>(
    parents: &[Option<usize>],
    starts: impl Fn(usize) -> bool,
    thread: impl Fn(usize) -> T,
) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    let mut exchange_of: Vec<Option<usize>> = vec![None; parents.len()];
    let mut latest: HashMap<T, usize> = HashMap::new();
    for number in in_order(parents) {
        let before = parents[number].and_then(|parent| exchange_of[parent]);
        let goes_on = if starts(number) { None } else { before.or_else(|| latest.get(&thread(number)).copied()) };
        let exchange = goes_on.unwrap_or_else(|| {
            exchanges.push(Exchange { follows: before, entries: Vec::new() });
            exchanges.len() - 1
        });
        exchanges[exchange].entries.push(number);
        exchange_of[number] = Some(exchange);
        latest.insert(thread(number), exchange);
    }
    exchanges
}

/// The branches of the exchanges of a log.
pub(super) fn branches_of(exchanges: &[Exchange]) -> Vec<Branch> {
    let follows: Vec<Option<usize>> = exchanges.iter().map(|exchange| exchange.follows).collect();
    let last = |exchange: &Exchange| exchange.entries.iter().copied().max().unwrap_or(0);
    branches(&follows, &exchanges.iter().map(last).collect::<Vec<_>>())
}

/// A part of a tree without forks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// What it has in common with another branch, from the root on.
    pub(super) shared: Vec<usize>,
    /// What is its own, in order.
    pub(super) own: Vec<usize>,
}

/// The branches of trees, by what each node follows (a node with a lower number) and when it was last added to. At a
/// fork the side that was added to last goes on; each other one is a branch of its own.
fn branches(parents: &[Option<usize>], last: &[usize]) -> Vec<Branch> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut latest = last.to_vec();
    for (node, parent) in parents.iter().enumerate().rev() {
        if let Some(parent) = parent {
            children[*parent].push(node);
            latest[*parent] = latest[*parent].max(latest[node]);
        }
    }
    let mut starts: Vec<usize> = (0..parents.len()).filter(|node| parents[*node].is_none()).collect();
    let mut found = Vec::new();
    while let Some(start) = starts.pop() {
        let mut own = vec![start];
        let mut at = start;
        while let Some(next) = children[at].iter().copied().max_by_key(|child| (latest[*child], *child)) {
            starts.extend(children[at].iter().filter(|child| **child != next));
            own.push(next);
            at = next;
        }
        let mut shared: Vec<usize> = std::iter::successors(parents[start], |node| parents[*node]).collect();
        shared.reverse();
        found.push(Branch { shared, own });
    }
    found.sort_by_key(|branch| branch.own.first().copied());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_after_what_they_follow() {
        let entries = [(Some("b"), Some("a")), (Some("a"), None), (Some("c"), Some("gone")), (None, Some("b"))];
        let parents = parents(entries.into_iter());
        assert_eq!(parents, [Some(1), None, None, Some(0)]);
        assert_eq!(in_order(&parents), [1, 0, 2, 3]);
    }

    #[test]
    fn a_ring_and_an_entry_that_follows_itself_come_out_once() {
        assert_eq!(in_order(&[Some(1), Some(0), Some(2), None]), [3, 0, 1, 2]);
        assert!(in_order(&[]).is_empty());
    }

    #[test]
    fn results_that_came_in_parallel_are_of_one_exchange() {
        // 0 starts, 1 asks for two things, 2 and 3 come back of it, 4 follows 3; 5 follows nothing.
        let exchanges = exchanges(&[None, Some(0), Some(1), Some(1), Some(3), None], |number| number == 0, |_| ());
        assert_eq!((exchanges.len(), exchanges[0].entries.as_slice()), (1, [0, 1, 2, 3, 4, 5].as_slice()));
    }

    #[test]
    fn at_a_fork_the_side_that_was_added_to_last_goes_on() {
        // 0 - 1 - 2 and 1 - 3 - 4, where 2 was added to after 4; 5 stands alone.
        let parents = [None, Some(0), Some(1), Some(1), Some(3), None];
        let branches = branches(&parents, &[0, 1, 9, 3, 4, 5]);
        let branch = |shared: &[usize], own: &[usize]| Branch { shared: shared.to_vec(), own: own.to_vec() };
        assert_eq!(branches, [branch(&[], &[0, 1, 2]), branch(&[0, 1], &[3, 4]), branch(&[], &[5])]);
    }
}
