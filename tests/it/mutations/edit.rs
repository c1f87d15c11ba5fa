//! The edits, by the words they have in the documentation.

use super::dice::Dice;
use super::expected::Expected;
use super::subject::{Edited, Subject};
use super::{edits_of_arguments, edits_of_calls, edits_of_order, reissue, respell};

/// An edit.
pub struct Edit {
    pub name: &'static str,
    /// Makes it somewhere in an interaction; `None` where there is no place for it.
    pub apply: fn(&Subject<'_>, &mut Dice) -> Option<Edited>,
    pub makes: Makes,
}

/// Whether an edit makes a difference at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    ADifference,
    NoDifference,
}

const fn changes(name: &'static str, apply: fn(&Subject<'_>, &mut Dice) -> Option<Edited>) -> Edit {
    Edit { name, apply, makes: Makes::ADifference }
}

const fn keeps(name: &'static str, apply: fn(&Subject<'_>, &mut Dice) -> Option<Edited>) -> Edit {
    Edit { name, apply, makes: Makes::NoDifference }
}

/// All edits, in the order of the table.
pub const EDITS: &[Edit] = &[
    changes("drop a call", edits_of_calls::drop_call),
    changes("add a call of an unknown tool", edits_of_calls::add_unknown),
    changes("add a new call of a known tool", edits_of_calls::add_known),
    changes("repeat a call", edits_of_calls::repeat_call),
    changes("swap two neighbours", edits_of_order::swap_neighbours),
    changes("move a call further away", edits_of_order::move_call),
    changes("rename a tool", edits_of_calls::rename_tool),
    changes("rename a tool that is called without arguments", edits_of_calls::rename_bare_tool),
    changes("rename the tool in one of its calls", edits_of_calls::rename_one_of_several),
    changes("call another known tool instead", edits_of_calls::call_other_tool),
    changes("change an argument's value", edits_of_arguments::change_value),
    changes("change an argument's type", edits_of_arguments::change_type),
    changes("leave out an argument", edits_of_arguments::remove_argument),
    changes("add an argument", edits_of_arguments::add_argument),
    changes("re-issue ids", reissue::reissue_ids),
    changes("mix up re-issued ids, under a reference rule", reissue::mix_up_ids),
    keeps("no edit", untouched),
    keeps("reorder a parallel pair", edits_of_order::reorder_pair),
    keeps("reorder all that is parallel", edits_of_order::reorder_all),
    keeps("spell all arguments otherwise", respell::respell),
    keeps("re-issue ids, under a reference rule", reissue::reissue_ids_by_reference),
];

fn untouched(subject: &Subject<'_>, _: &mut Dice) -> Option<Edited> {
    Some(subject.edited(subject.items.clone(), |_| Expected::nothing()))
}
