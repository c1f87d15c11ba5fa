//! Trajectories of moatless-tools: a tree of nodes, each an action with what was seen of it.

use rust_decimal::Decimal;

use super::super::interaction::ModelCall;
use super::super::json::{Json, Kind};
use super::super::place::stem;
use super::super::wire::RowFault;
use super::conversation::{Conversation, Role, Said};
use super::dialogue::{Answer, Asked, Dialogue, Outcome, Returned, words};
use super::fields::{below, count, items, member, members, text};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::opening::Opening;
use super::thread::{Branch, Exchange, branches_of, parents};
use super::usage::{Convention, Written};
use super::values::{document, keys, no_interaction, place_in_list, refused};

pub(super) const FORMAT: Format = Format {
    name: "moatless",
    about: "trajectories of moatless-tools (trajectory.json with `nodes`)",
    grain: Grain::Session,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let is_tree = opening.has("nodes[].node_id");
    let is_older = opening.has("transition_rules") && opening.has("initial_message");
    (is_tree || is_older).then(|| Sign::Sure("it is a trajectory of moatless-tools".into()))
}

fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let tree = document(source)?;
    let nodes = items(&tree, "nodes");
    if nodes.is_empty() {
        let is_older = member(&tree, "transitions").is_some();
        return Err(NotThisFormat {
            problem: match is_older {
                true => "it is of an older moatless-tools, which kept transitions and no nodes".to_owned(),
                false => format!("it has no \"nodes\"; its fields are {}", keys(&tree)),
            },
            help: Some(
                "trajectories of moatless-tools 0.0.3 and later hold `nodes` with `node_id` and `action`".into(),
            ),
        });
    }
    let folder = file.parent().and_then(std::path::Path::file_name).map(|name| name.display().to_string());
    let is_plain = stem(&file) == "trajectory";
    let name = folder.filter(|_| is_plain).unwrap_or_else(|| stem(&file));
    let ids: Vec<(Option<String>, Option<String>)> =
        nodes.iter().map(|node| (text(node, "node_id"), text(node, "parent_id"))).collect();
    let parents = parents(ids.iter().map(|(id, parent)| (id.as_deref(), parent.as_deref())));
    // A node that is told before its parent follows nothing that is known.
    let exchange = |(number, parent): (usize, &Option<usize>)| Exchange {
        follows: parent.filter(|parent| *parent < number),
        entries: vec![number],
    };
    let exchanges: Vec<Exchange> = parents.iter().enumerate().map(exchange).collect();
    let branches = branches_of(&exchanges);
    Ok(Box::new(branches.into_iter().enumerate().map(move |(index, branch)| {
        let first = branch.own.first().and_then(|number| nodes.get(*number)).cloned().unwrap_or_else(Json::null);
        let id = if index == 0 { name.clone() } else { format!("{name}#{}", index + 1) };
        let found = conversation(id, &nodes, &branch).map(|conversation| (place_in_list(index, &first), conversation));
        found.map_err(|fault| refused(&file, place_in_list(index, &first), fault, &first))
    })))
}

fn conversation(id: String, nodes: &[Json], branch: &Branch) -> Result<Conversation, RowFault> {
    let mut dialogue = Dialogue::default();
    let mut asked = None;
    for node in branch.shared.iter().filter_map(|number| nodes.get(*number)) {
        if let Some(content) = words(member(node, "message")) {
            asked = Some(content.clone());
            dialogue.earlier(Said { role: Role::User, content });
        }
    }
    for node in branch.own.iter().filter_map(|number| nodes.get(*number)) {
        if let Some(content) = words(member(node, "message")) {
            dialogue.user(content, None);
        }
        if member(node, "action").is_some() || !members(node, "completions").is_empty() {
            tell(node, &mut dialogue);
        }
    }
    if dialogue.is_empty() {
        return Err(no_interaction("nothing was said or done in this branch"));
    }
    let turns = dialogue.finish(asked)?;
    Ok(Conversation { id: Some(id.clone()), session: Some(id), turns, paid: None })
}

/// A node: the model that chose the action, models that the action asked itself, and what was seen.
fn tell(node: &Json, dialogue: &mut Dialogue) {
    let mut completions: Vec<Json> =
        members(node, "completions").into_iter().map(|(_, completion)| completion).collect();
    let chosen = below(node, &["completions", "build_action"]);
    completions.retain(|completion| !completion.is_null() && Some(completion) != chosen.as_ref());
    let action = member(node, "action");
    let call = action.as_ref().and_then(call);
    let name = call.as_ref().map(|call| call.name.clone());
    let said = action.as_ref().and_then(|action| words(member(action, "scratch_pad")));
    let chosen = chosen.as_ref();
    for completion in &completions {
        dialogue.more_model_calls(model_call(completion));
        pay(completion, dialogue);
    }
    let model_call = Some(chosen.map(model_call).unwrap_or_default());
    dialogue.answer(Answer { words: said, calls: call.into_iter().collect(), model_call, doubt: None });
    chosen.into_iter().for_each(|completion| pay(completion, dialogue));
    let Some(seen) = member(node, "observation") else { return };
    let content = member(&seen, "message");
    let reason = below(&seen, &["properties", "fail_reason"]);
    let outcome = match reason {
        Some(_) => Outcome::error(content),
        None => Outcome::result(content.unwrap_or_else(Json::null)),
    };
    if name.is_some() {
        dialogue.returned(Returned { id: None, name, outcome, latency_ms: None });
    }
}

/// The class of an action is the tool; what it holds beside its reasoning are the arguments.
fn call(action: &Json) -> Option<Asked> {
    let class = text(action, "action_args_class")?;
    let name = class.rsplit('.').next()?.trim_end_matches("Args").to_owned();
    let own = ["action_args_class", "scratch_pad"];
    let arguments: Vec<String> = action
        .members()?
        .into_iter()
        .filter(|(key, _)| !own.contains(&key.as_ref()))
        .map(|(key, value)| format!("{}:{}", Json::string(&key).text(), value.text()))
        .collect();
    Some(Asked { name, arguments: Some(Json::trusted(format!("{{{}}}", arguments.join(",")))), ..Asked::default() })
}

/// What was put into the cache is within the prompt, what was read out of it stands beside.
fn model_call(completion: &Json) -> ModelCall {
    let usage = member(completion, "usage").unwrap_or_else(Json::null);
    let written = Written {
        input: count(&usage, "prompt_tokens"),
        output: count(&usage, "completion_tokens"),
        cache_read: count(&usage, "cached_tokens"),
        ..Written::default()
    };
    let model = text(completion, "model");
    ModelCall { model, tokens: written.read(Convention::CacheBeside).tokens, ..ModelCall::default() }
}

fn pay(completion: &Json, dialogue: &mut Dialogue) {
    let cost = below(completion, &["usage", "completion_cost"]);
    let cost = cost.filter(|cost| cost.kind() == Kind::Number).and_then(|cost| cost.text().parse::<Decimal>().ok());
    cost.into_iter().for_each(|cost| dialogue.paid(cost));
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    fn imported(nodes: &str) -> Vec<Interaction> {
        let found = read(SourceText::of("repo-1/trajectory.json", format!(r#"{{"nodes":[{nodes}]}}"#)));
        let found = found.map_err(|error| error.problem).unwrap();
        found.flat_map(|found| found.unwrap().1.interactions(Grain::Session)).collect()
    }

    const TASK: &str = r#"{"node_id":0,"message":"fix it","completions":{}}"#;

    fn node(id: u32, parent: u32, seen: &str) -> String {
        let usage = r#"{"prompt_tokens":10,"completion_tokens":2,"cached_tokens":30,"completion_cost":0.25}"#;
        format!(
            r#"{{"node_id":{id},"parent_id":{parent},"action":{{"scratch_pad":"hm","q":{id},"action_args_class":"m.FindClassArgs"}},
            "observation":{seen},"completions":{{"build_action":{{"model":"m","usage":{usage}}},"execute_action":null}}}}"#
        )
    }

    #[test]
    fn a_node_is_a_call_with_its_model_call() {
        let seen = r#"{"message":"no such class","properties":{"fail_reason":"not_found"}}"#;
        let it =
            imported(&format!("{TASK},{},{}", node(1, 0, r#"{"message":"found"}"#), node(2, 1, seen))).pop().unwrap();
        let calls = it.tool_calls.as_ref().unwrap();
        assert_eq!((calls[0].name.as_str(), calls[0].arguments.as_ref().unwrap().text()), ("FindClass", r#"{"q":1}"#));
        assert_eq!((calls[0].error.is_some(), calls[1].error.is_some()), (false, true));
        assert_eq!(
            (it.tokens.input, it.tokens.cache_read, it.cost.unwrap().to_string()),
            (Some(80), Some(60), "0.50".into())
        );
        assert_eq!((it.id.unwrap().as_str(), it.input.text()), ("repo-1", "\"fix it\""));
    }

    #[test]
    fn each_branch_of_the_tree_is_a_conversation() {
        let found = r#"{"message":"found"}"#;
        let all = imported(&format!("{TASK},{},{},{}", node(1, 0, found), node(2, 1, found), node(3, 0, found)));
        let told: Vec<_> = all
            .iter()
            .map(|it| (it.id.as_ref().unwrap().as_str(), it.tool_calls.as_ref().unwrap().len(), it.input.text()))
            .collect();
        assert_eq!(told, [("repo-1", 1, "\"fix it\""), ("repo-1#2", 2, "\"fix it\"")]);
    }
}
