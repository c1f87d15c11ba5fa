//! Edits of the order of calls alone.

use super::dice::Dice;
use super::expected::{Expected, Item};
use super::subject::{Edited, NEW, Subject};

/// Two neighbours that were not asked for in parallel change places. Either of them is the one that moved.
pub fn swap_neighbours(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let items = &subject.items;
    let apart: Vec<usize> = (1..items.len()).filter(|at| items[at - 1].tag != items[*at].tag).collect();
    let at = *dice.pick(&apart)?;
    let mut run = items.clone();
    run.swap(at - 1, at);
    // The steps stay where they are, with other calls in them.
    (run[at - 1].tag, run[at].tag) = (items[at - 1].tag, items[at].tag);
    Some(subject.edited(run, |sides| sides.one_moved()))
}

/// A call is made earlier or later by two calls or more, as a step of its own.
pub fn move_call(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let from = dice.below(subject.items.len());
    let mut run = subject.items.clone();
    let item = run.remove(from);
    let between_steps = |at: &usize| *at == 0 || *at == run.len() || run[at - 1].tag != run[*at].tag;
    let places: Vec<usize> = (0..=run.len()).filter(|at| at.abs_diff(from) > 1).filter(between_steps).collect();
    let at = *dice.pick(&places)?;
    run.insert(at, Item { tag: NEW, ..item });
    Some(subject.edited(run, |sides| sides.one_moved()))
}

/// Two calls that were asked for in parallel change places.
pub fn reorder_pair(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let items = &subject.items;
    let parallel = |(at, to): &(usize, usize)| items[*at].tag == items[*to].tag && items[*at].key != items[*to].key;
    let pairs = (0..items.len()).flat_map(|at| (at + 1..items.len()).map(move |to| (at, to)));
    let pairs: Vec<_> = pairs.filter(parallel).collect();
    let &(at, to) = dice.pick(&pairs)?;
    let mut run = items.clone();
    run.swap(at, to);
    Some(reordered(subject, run, dice))
}

/// The calls of every step that asked for several come in another order.
pub fn reorder_all(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let items = &subject.items;
    let run: Vec<Item> = items.chunk_by(|a, b| a.tag == b.tag).flat_map(|step| dice.mixed(step.to_vec())).collect();
    let is_other = run.iter().zip(items).any(|(made, recorded)| made.key != recorded.key);
    is_other.then(|| reordered(subject, run, dice))
}

/// Half of the runs do not tell their steps.
fn reordered(subject: &Subject<'_>, run: Vec<Item>, dice: &mut Dice) -> Edited {
    let mut edited = subject.edited(run, |_| Expected::nothing());
    if dice.heads() {
        edited.run.iter_mut().for_each(|call| call.step = None);
    }
    edited
}
