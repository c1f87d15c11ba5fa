//! One turn out of its pieces: what was asked, what was answered, what it took.

use super::super::super::interaction::{Interaction, ModelCall, ModelCalls};
use super::super::super::json::Json;
use super::super::conversation::{Role, Said, Turn};
use super::super::fields::between;
use super::super::message::Message;
use super::super::observation::{Observation, ObservationKind};
use super::calls;
use super::tree::{Group, Tree};

/// The turn; `None` where nobody can tell what was asked.
pub(super) fn assemble(tree: &Tree, group: &Group) -> Option<Turn> {
    let piece = |number: usize| &tree.nodes[number].piece;
    let (failed, models): (Vec<usize>, Vec<usize>) = group.models.iter().partition(|model| has_failed(piece(**model)));
    let main = main_agent(tree, group);
    let outer = outermost(tree, &models);
    let root = group.root.map(piece);
    let asked_in = outer.first().or(failed.first()).map(|first| piece(*first).input.as_slice());
    let (input, before) =
        [asked_in, main.map(|main| piece(main).input.as_slice()), root.map(|root| root.input.as_slice())]
            .into_iter()
            .flatten()
            .find_map(last_words)?;
    let mut it = Interaction::new(input);
    it.output = output(tree, &outer, main, root);
    it.agent = main.map(|main| piece(main).name.clone());
    let tool_calls = calls::of_turn(tree, group, &models, main);
    let is_known = !tool_calls.is_empty() || tells_calls(tree, &models);
    it.tool_calls = is_known.then_some(tool_calls);
    let model_calls: Vec<ModelCall> = models.iter().filter_map(|model| model_call(piece(*model))).collect();
    it.model_calls = (!model_calls.is_empty()).then_some(ModelCalls::List(model_calls));
    it.latency_ms = root.and_then(|root| between(root.started?, root.ended?));
    let started = root.and_then(|root| root.started).or_else(|| piece(*group.models.first()?).started);
    it.recorded_at = started.map(|at| at.to_string());
    it.failure = failure(&it, root, failed.last().map(|last| piece(*last)));
    it.doubts = group.doubts.clone();
    // What all of it happened in can be a call of a model itself.
    let calls = models.iter().chain(&group.tools).filter(|number| Some(**number) != group.root);
    for number in group.root.iter().chain(calls) {
        it.doubts.extend(piece(*number).doubts.iter().cloned());
        let is_root = Some(*number) == group.root;
        it.extra.extend(piece(*number).extra.iter().filter(|_| is_root).cloned());
    }
    it.truncated = it.doubts.iter().any(|doubt| doubt.problem == "it is cut off").then_some(true);
    if !failed.is_empty() {
        it.extra.push(("failedModelCalls".into(), Json::of(&failed.len())));
    }
    Some(Turn { before, it })
}

/// Whether a model was asked in vain: what it took is not known, and it answered nothing.
fn has_failed(piece: &Observation) -> bool {
    let took_nothing = model_call(piece).is_some_and(|call| call.tokens.is_unknown());
    piece.error.is_some() && piece.output.is_empty() && took_nothing
}

fn model_call(piece: &Observation) -> Option<ModelCall> {
    match &piece.kind {
        ObservationKind::Model(call) => Some(call.clone()),
        _ => None,
    }
}

/// The agent that the user spoke to: the outermost, and of several the first.
fn main_agent(tree: &Tree, group: &Group) -> Option<usize> {
    let is_agent = |number: &usize| matches!(tree.nodes[*number].piece.kind, ObservationKind::Agent);
    if let Some(root) = group.root.filter(is_agent) {
        return Some(root);
    }
    let calls = group.models.iter().chain(&group.tools);
    let agents = calls.filter_map(|call| {
        let mut agent = tree.nodes[*call].agent?;
        while let Some(above) = tree.nodes[agent].agent {
            agent = above;
        }
        Some(agent)
    });
    agents.min_by_key(|agent| (super::outermost_first(&tree.nodes[*agent].piece), *agent))
}

/// The models that agents asked which work for no other agent.
fn outermost(tree: &Tree, models: &[usize]) -> Vec<usize> {
    let depth = models.iter().map(|model| tree.nodes[*model].agents).filter(|depth| *depth > 0).min();
    let depth = depth.or_else(|| models.iter().map(|model| tree.nodes[*model].agents).min());
    models.iter().copied().filter(|model| Some(tree.nodes[*model].agents) == depth).collect()
}

/// The last words of a user, and what was said before them.
fn last_words(messages: &[Message]) -> Option<(Json, Vec<Said>)> {
    let last = messages.iter().rposition(|message| matches!(message, Message::User { .. }))?;
    let said = |message: &Message| match message {
        Message::User { content, .. } | Message::Aside(content) => {
            Some(Said { role: Role::User, content: content.clone() })
        }
        Message::Assistant { words, .. } => words.clone().map(|content| Said { role: Role::Assistant, content }),
        Message::Instructions(_) | Message::Tool(_) => None,
    };
    let Message::User { content, .. } = &messages[last] else { return None };
    Some((content.clone(), messages[..last].iter().filter_map(said).collect()))
}

/// The last answer, if it asks for nothing more; else what the agent says that it gave.
fn output(tree: &Tree, models: &[usize], main: Option<usize>, root: Option<&Observation>) -> Option<Json> {
    let last = models.last().map(|last| tree.nodes[*last].piece.output.as_slice()).unwrap_or_default();
    let asks = last.iter().any(|message| matches!(message, Message::Assistant { calls, .. } if !calls.is_empty()));
    let words = |messages: &[Message]| {
        messages.iter().rev().find_map(|message| match message {
            Message::Assistant { words, .. } => words.clone(),
            _ => None,
        })
    };
    let answered = if asks { None } else { words(last) };
    let main = main.map(|main| &tree.nodes[main].piece);
    answered.or_else(|| words(&main?.output)).or_else(|| words(&root?.output))
}

/// Whether the answers of the models would show the calls that they asked for.
fn tells_calls(tree: &Tree, models: &[usize]) -> bool {
    let tells = |piece: &Observation| {
        let ended = model_call(piece).and_then(|call| call.finish_reason).unwrap_or_default().to_lowercase();
        !piece.output.is_empty() || matches!(ended.as_str(), "stop" | "end_turn" | "stop_sequence" | "completed")
    };
    !models.is_empty() && models.iter().all(|model| tells(&tree.nodes[*model].piece))
}

fn failure(it: &Interaction, root: Option<&Observation>, failed: Option<&Observation>) -> Option<String> {
    if it.output.is_some() {
        return None;
    }
    let error = root.and_then(|root| root.error.as_ref()).or_else(|| failed.and_then(|failed| failed.error.as_ref()));
    error.map(|error| super::super::super::interaction::ToolError::read(error).to_string())
}
