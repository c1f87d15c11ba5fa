//! Files that hold whole conversations as lists of messages or steps: Inspect, SWE-agent, ATIF.

use std::path::Path;

use taketwo::recording::Json;

use super::Found;
use super::conversation::Conversation;

/// A log of Inspect, a sample an interaction.
pub fn samples(file: &Path, found: &mut Found) {
    each(file, found, "samples", |sample| sample.member("messages"));
}

/// A trajectory of SWE-agent. Actions that are written as text in a message are not told from words.
pub fn history(file: &Path, found: &mut Found) {
    let Some(json) = found.json(file) else { return };
    add(found, "", json.member("history"));
}

/// A trajectory in the Agent Trajectory Interchange Format.
pub fn steps(file: &Path, found: &mut Found) {
    let Some(json) = found.json(file) else { return };
    add(found, "", json.member("steps"));
}

fn each(file: &Path, found: &mut Found, list: &str, messages: fn(&Json) -> Option<Json>) {
    let Some(json) = found.json(file) else { return };
    let Some(items) = json.member(list).and_then(|items| items.items()) else { return found.skip() };
    for (at, item) in items.iter().enumerate() {
        add(found, &(at + 1).to_string(), messages(item));
    }
}

fn add(found: &mut Found, place: &str, messages: Option<Json>) {
    let Some(messages) = messages.and_then(|messages| messages.items()) else { return found.skip() };
    let mut talk = Conversation::default();
    messages.iter().for_each(|message| talk.message(message));
    found.add(place, talk.interaction());
}
