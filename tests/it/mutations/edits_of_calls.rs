//! Edits of whole calls: one less, one more, one of another name.

use taketwo::recording::{Json, ToolCall, ToolName};

use super::dice::Dice;
use super::edits_of_arguments::{with_added_argument, with_changed_value};
use super::expected::{Expected, Item};
use super::findings::Finding;
use super::subject::{Edited, Subject, key};
use super::tree::{Tree, arguments};

/// One call is left out.
pub fn drop_call(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let mut run = subject.items.clone();
    run.remove(dice.below(run.len()));
    Some(subject.edited(run, |sides| sides.one_missing()))
}

/// A call is made of a tool that the recording does not know, half of the time with the arguments of another call.
pub fn add_unknown(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let like = dice.pick(&subject.items)?;
    let arguments = if dice.heads() { like.call.arguments.clone() } else { Some(reason()) };
    let call = ToolCall::new(subject.strange_name(like.call.name.as_str()), arguments);
    add(subject, dice, subject.fresh(call)?)
}

/// A call is made of a tool that the recording knows, with arguments that it does not know.
pub fn add_known(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let like = &dice.pick(&subject.items)?.call;
    let item = with_changed_value(subject, like, dice).or_else(|| with_added_argument(subject, like, dice));
    add(subject, dice, item?.item)
}

fn add(subject: &Subject<'_>, dice: &mut Dice, item: Item) -> Option<Edited> {
    let mut run = subject.items.clone();
    let at = dice.below(run.len() + 1);
    Subject::insert(&mut run, at, item);
    Some(subject.edited(run, |sides| sides.one_extra()))
}

/// A call is made once more, at some time after it.
pub fn repeat_call(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let mut run = subject.items.clone();
    let from = dice.below(run.len());
    let at = from + 1 + dice.below(run.len() - from);
    let again = run[from].clone();
    Subject::insert(&mut run, at, again);
    Some(subject.edited(run, |sides| sides.one_extra()))
}

/// A tool has another name, in all its calls, each of which has arguments.
pub fn rename_tool(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let tool = tool_where(subject, dice, |calls| calls.iter().all(|call| !is_without_arguments(call)))?;
    rename_all(subject, &tool)
}

/// A tool has another name, and some of its calls have no arguments that would show it.
pub fn rename_bare_tool(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let tool = tool_where(subject, dice, |calls| calls.iter().any(|call| is_without_arguments(call)))?;
    rename_all(subject, &tool)
}

fn rename_all(subject: &Subject<'_>, tool: &ToolName) -> Option<Edited> {
    let name = subject.strange_name(tool.as_str());
    let mut run = subject.items.clone();
    let mut renamed = Vec::new();
    for (at, item) in run.iter_mut().enumerate().filter(|(_, item)| item.call.name == *tool) {
        *item = Item { tag: item.tag, ..subject.fresh(ToolCall { name: name.clone(), ..item.call.clone() })? };
        renamed.push(Finding::Renamed { recorded: at, seen: at });
    }
    Some(subject.edited(run, |_| Expected::exactly(renamed)))
}

/// One call of several of a tool is made of a tool that the recording does not know.
pub fn rename_one_of_several(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let tool =
        tool_where(subject, dice, |calls| calls.len() > 1 && calls.iter().any(|call| !is_without_arguments(call)))?;
    let calls: Vec<usize> = (0..subject.items.len()).filter(|at| subject.items[*at].call.name == tool).collect();
    let with_arguments: Vec<_> =
        calls.into_iter().filter(|at| !is_without_arguments(&subject.items[*at].call)).collect();
    let seen = *dice.pick(&with_arguments)?;
    let mut run = subject.items.clone();
    let call = ToolCall { name: subject.strange_name(tool.as_str()), ..run[seen].call.clone() };
    run[seen] = Item { tag: run[seen].tag, ..subject.fresh(call)? };
    let is_like = |recorded: usize| Finding::Renamed { recorded, seen };
    let lost = subject.items[seen].key;
    Some(subject.edited(run, |sides| sides.one_changed(seen, lost, is_like)))
}

/// Another tool that the recording knows is called with the arguments of a call. Both tools go on to exist, so that
/// is no rename: one call is missing and one is new, or is made more often.
pub fn call_other_tool(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let at = dice.below(subject.items.len());
    let recorded = &subject.items[at];
    let others: Vec<_> =
        subject.items.iter().map(|item| &item.call.name).filter(|name| **name != recorded.call.name).collect();
    let call = ToolCall { name: (*dice.pick(&others)?).clone(), ..recorded.call.clone() };
    let gained = key(&call);
    let mut run = subject.items.clone();
    run[at] = Item { call, key: gained, tag: recorded.tag };
    Some(subject.edited(run, |sides| sides.one_missing_one_extra(recorded.key, gained)))
}

/// A tool of the recording of whose calls something holds.
fn tool_where(subject: &Subject<'_>, dice: &mut Dice, holds: impl Fn(&[&ToolCall]) -> bool) -> Option<ToolName> {
    let mut tools: Vec<&ToolName> = subject.items.iter().map(|item| &item.call.name).collect();
    tools.sort();
    tools.dedup();
    let calls = |tool: &ToolName| {
        subject.items.iter().map(|item| &item.call).filter(|call| call.name == *tool).collect::<Vec<_>>()
    };
    tools.retain(|tool| holds(&calls(tool)));
    dice.pick(&tools).map(|tool| (*tool).clone())
}

/// Whether a call has no arguments. Broken ones are some.
fn is_without_arguments(call: &ToolCall) -> bool {
    matches!(arguments(call), Some(Tree::Object(members)) if members.is_empty())
}

fn reason() -> Json {
    Json::parse(r#"{"reason":"the customer asks for a person"}"#).unwrap()
}
