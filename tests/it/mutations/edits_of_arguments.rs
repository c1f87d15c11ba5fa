//! Edits of one argument, at any depth.

use std::collections::BTreeSet;

use taketwo::compare::{Change, PathStep};
use taketwo::recording::{Json, Kind, ToolCall};

use super::dice::Dice;
use super::expected::Item;
use super::findings::Finding;
use super::subject::{Edited, Subject};
use super::tree::{Tree, arguments, held, with_arguments};

/// A call with one argument edited, which no recorded call is equal to.
pub struct EditedCall {
    pub item: Item,
    path: Vec<PathStep>,
    change: Change,
}

type EditOfCall = fn(&Subject<'_>, &ToolCall, &mut Dice) -> Option<EditedCall>;

/// One argument has another value of the same type.
pub fn change_value(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    edit(subject, dice, with_changed_value)
}

/// One argument has a value of another type.
pub fn change_type(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    edit(subject, dice, with_changed_type)
}

/// One argument is left out, or one item of a list.
pub fn remove_argument(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    edit(subject, dice, with_removed_argument)
}

/// There is one argument more, or one item of a list.
pub fn add_argument(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    edit(subject, dice, with_added_argument)
}

fn edit(subject: &Subject<'_>, dice: &mut Dice, edit: EditOfCall) -> Option<Edited> {
    for at in dice.mixed((0..subject.items.len()).collect()) {
        let recorded = &subject.items[at];
        let Some(EditedCall { item, path, change }) = edit(subject, &recorded.call, dice) else { continue };
        let mut run = subject.items.clone();
        run[at] = Item { tag: recorded.tag, ..item };
        let tell = |recorded| Finding::Differs { recorded, seen: at, path: path.clone(), change };
        return Some(subject.edited(run, |sides| sides.one_changed(at, recorded.key, tell)));
    }
    None
}

/// Tries the places in a call's arguments, in some order, until an edit is possible at one.
fn at_some_place(
    subject: &Subject<'_>,
    call: &ToolCall,
    dice: &mut Dice,
    change: Change,
    edit: impl Fn(&mut Tree, &[PathStep], &mut Dice) -> Option<Vec<PathStep>>,
) -> Option<EditedCall> {
    let tree = arguments(call)?;
    let mut places = tree.places();
    // The arguments as a whole are a place as well, to add one to.
    places.push(Vec::new());
    for place in dice.mixed(places) {
        let mut edited = tree.clone();
        let Some(path) = edit(&mut edited, &place, dice) else { continue };
        let Some(item) = subject.fresh(with_arguments(call, &edited)) else { continue };
        return Some(match list_of_same_items(&mut tree.clone(), &mut edited, &path) {
            Some(list) => EditedCall { item, path: list, change: Change::Value },
            None => EditedCall { item, path, change },
        });
    }
    None
}

/// The outermost list that holds the same items as before, but not as often each: what is told of such a list is told
/// of it as a whole.
fn list_of_same_items(before: &mut Tree, after: &mut Tree, path: &[PathStep]) -> Option<Vec<PathStep>> {
    let items = |tree: &mut Tree| match tree {
        Tree::List(items) => Some((items.len(), items.iter().map(Tree::text).collect::<BTreeSet<_>>())),
        _ => None,
    };
    let above = (0..path.len()).map(|length| &path[..length]);
    let mut lists = above.filter(|list| {
        let was = items(before.at(list).container());
        was.is_some() && was == items(after.at(list).container())
    });
    lists.next().map(<[PathStep]>::to_vec)
}

pub fn with_changed_value(subject: &Subject<'_>, call: &ToolCall, dice: &mut Dice) -> Option<EditedCall> {
    at_some_place(subject, call, dice, Change::Value, |tree, place, dice| {
        let target = tree.at(place);
        let Tree::Leaf(json) = target else { return None };
        *target = Tree::Leaf(other_value(json, dice)?);
        Some(place.to_vec())
    })
}

fn with_changed_type(subject: &Subject<'_>, call: &ToolCall, dice: &mut Dice) -> Option<EditedCall> {
    at_some_place(subject, call, dice, Change::Kind, |tree, place, dice| {
        if place.is_empty() {
            return None;
        }
        let target = tree.at(place);
        *target = other_type(target, dice)?;
        Some(place.to_vec())
    })
}

fn with_removed_argument(subject: &Subject<'_>, call: &ToolCall, dice: &mut Dice) -> Option<EditedCall> {
    at_some_place(subject, call, dice, Change::Missing, |tree, place, _| {
        let (last, above) = place.split_last()?;
        match (tree.at(above).container(), last) {
            (Tree::Object(members), PathStep::Key(key)) => members.retain(|(name, _)| name != key),
            (Tree::List(items), PathStep::Index(at)) if is_unlike_neighbours(items, *at) => drop(items.remove(*at)),
            _ => return None,
        }
        Some(place.to_vec())
    })
}

pub fn with_added_argument(subject: &Subject<'_>, call: &ToolCall, dice: &mut Dice) -> Option<EditedCall> {
    at_some_place(subject, call, dice, Change::Added, |tree, place, dice| {
        let value = ["true", "null", "0", "\"added\"", "{}", "[1]"];
        let value = Tree::read(&Json::parse(*dice.pick(&value)?).unwrap());
        let step = match tree.at(place).container() {
            Tree::Object(members) => {
                let name = "verbose";
                if members.iter().any(|(key, _)| key == name) {
                    return None;
                }
                members.insert(dice.below(members.len() + 1), (name.to_owned(), value));
                PathStep::Key(name.to_owned())
            }
            Tree::List(items) => {
                let at = dice.below(items.len() + 1);
                items.insert(at, value);
                if !is_unlike_neighbours(items, at) {
                    return None;
                }
                PathStep::Index(at)
            }
            _ => return None,
        };
        Some(place.iter().cloned().chain([step]).collect())
    })
}

/// Whether an item differs from those before and after it: of equal ones in a row any could be the one that is meant.
fn is_unlike_neighbours(items: &[Tree], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| items.get(before));
    let mut neighbours = before.into_iter().chain(items.get(at + 1));
    neighbours.all(|other| other.text() != items[at].text())
}

/// Another value of the same type; none for `null`.
fn other_value(json: &Json, dice: &mut Dice) -> Option<Json> {
    match json.kind() {
        Kind::Bool => Some(Json::parse(if json.text() == "true" { "false" } else { "true" }).unwrap()),
        Kind::Number => Some(Json::parse(other_number(json.text(), dice)).unwrap()),
        Kind::String => {
            let text = json.as_str()?;
            let other = dice.mixed(other_texts(&text)).into_iter().next()?;
            // A text that holds a list or object is of another type.
            Some(Json::string(&other)).filter(|json| held(json).is_none())
        }
        _ => None,
    }
}

/// The number with one of its digits changed, of those that a double holds faithfully.
fn other_number(number: &str, dice: &mut Dice) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or(number);
    let digits = mantissa.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    let at = *dice.pick(&digits.take(15).collect::<Vec<_>>()).unwrap();
    let old = number.as_bytes()[at] - b'0';
    // Never a zero, which may not stand before other digits.
    let new = if old == 0 { 1 + dice.below(9) as u8 } else { 1 + (old + dice.below(8) as u8) % 9 };
    format!("{}{new}{}", &number[..at], &number[at + 1..])
}

/// Texts that differ from a text as texts do in practice, a little or a lot.
fn other_texts(text: &str) -> Vec<String> {
    let mut others = vec![format!("{text}x"), format!("{text} "), format!("\u{200b}{text}"), "other".to_owned()];
    if let Some(at) = text.rfind(|c: char| c.is_ascii_digit()) {
        let digit = (text.as_bytes()[at] - b'0' + 1) % 10;
        others.push(format!("{}{digit}{}", &text[..at], &text[at + 1..]));
    }
    if let Some(at) = text.find(|c: char| c.is_ascii_alphabetic()) {
        let letter = text.as_bytes()[at] as char;
        let toggled =
            if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
        others.push(format!("{}{toggled}{}", &text[..at], &text[at + 1..]));
    }
    // A letter that is drawn the same.
    others.push(text.replacen('a', "\u{430}", 1));
    others.push(text.char_indices().next_back().map_or(String::new(), |(at, _)| text[..at].to_owned()));
    others.retain(|other| other != text);
    others
}

/// The value as another type would have it.
fn other_type(tree: &Tree, dice: &mut Dice) -> Option<Tree> {
    let leaf = |text: &str| Some(Tree::Leaf(Json::parse(text).unwrap()));
    match tree {
        Tree::Embedded(inner) => Some((**inner).clone()),
        Tree::List(items) if items.len() == 1 && dice.heads() && !matches!(items[0], Tree::List(_)) => {
            Some(items[0].clone())
        }
        Tree::List(_) | Tree::Object(_) => Some(Tree::Embedded(Box::new(tree.clone()))),
        Tree::Leaf(json) => match json.kind() {
            Kind::Bool if dice.heads() => leaf(if json.text() == "true" { "1" } else { "0" }),
            Kind::Null if dice.heads() => leaf("\"\""),
            Kind::String => {
                let number = json.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
                match number.filter(|inner| !matches!(inner.kind(), Kind::Array | Kind::Object)) {
                    Some(inner) if dice.heads() => Some(Tree::Leaf(inner)),
                    _ if dice.below(8) == 0 => leaf("null"),
                    _ => Some(Tree::List(vec![tree.clone()])),
                }
            }
            _ => Some(Tree::Leaf(Json::string(json.text()))),
        },
    }
}
