//! Trajectories of moatless-tools: a tree of nodes, each an action and what was observed.

use std::path::Path;

use taketwo::recording::Json;

use super::Found;
use super::conversation::Conversation;
use super::parts::{Outcome, Part};

/// A trajectory, one node after the other.
pub fn trajectory(file: &Path, found: &mut Found) {
    let Some(json) = found.json(file) else { return };
    let Some(nodes) = json.member("nodes").and_then(|nodes| nodes.items()) else { return found.skip() };
    let mut talk = Conversation::default();
    for node in nodes {
        if let Some(task) = node.member("message").filter(|task| !task.is_null()) {
            talk.said(task);
        }
        let Some(action) = node.member("action").filter(|action| !action.is_null()) else { continue };
        let Some(part) = call(&action) else { continue };
        let seen = node.member("observation").and_then(|seen| seen.member("message")).filter(|seen| !seen.is_null());
        let answer = seen.map(|seen| Part::Answer { id: None, name: None, outcome: Outcome::Result(seen) });
        talk.parts([part].into_iter().chain(answer));
    }
    found.add("", talk.interaction());
}

/// The class of an action is the tool; what it holds beside its reasoning are the arguments.
fn call(action: &Json) -> Option<Part> {
    let class = action.member("action_args_class")?;
    let name = class.as_str()?.rsplit('.').next()?.trim_end_matches("Args").to_owned();
    let own = ["action_args_class", "scratch_pad"];
    let members = action.members()?;
    let arguments = members.iter().filter(|(key, _)| !own.contains(&key.as_ref()));
    let arguments: Vec<_> =
        arguments.map(|(key, value)| format!("{}:{}", Json::string(key).text(), value.text())).collect();
    let arguments = Json::parse(format!("{{{}}}", arguments.join(","))).ok();
    Some(Part::Call { name, arguments, id: None })
}
