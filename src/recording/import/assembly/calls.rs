//! The calls of a turn: those that tools tell, and those that only the answers of models tell.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::super::super::interaction::{ToolCall, ToolName};
use super::super::super::json::Json;
use super::super::arguments::set_arguments;
use super::super::dialogue::{Asked, Outcome};
use super::super::fields::between;
use super::super::message::Message;
use super::super::observation::{Observation, ObservationKind};
use super::super::open_calls::OpenCalls;
use super::outermost_first;
use super::tree::{Group, Tree};

/// A call that a model asked for, or that a tool told.
struct Call {
    /// The number of the model that asked, from 1; 0 where none was asked before.
    step: usize,
    asked: Option<Asked>,
    /// The piece that told it.
    tool: Option<usize>,
    agent: Option<usize>,
    outcome: Option<Outcome>,
}

/// The calls of a turn in the order they were made. `main` is the agent of the turn: calls of others are marked.
pub(super) fn of_turn(tree: &Tree, group: &Group, models: &[usize], main: Option<usize>) -> Vec<ToolCall> {
    let mut calls = asked_for(tree, models);
    let mut free = Free::new(tree, &group.tools);
    for find in [Free::by_id, Free::by_arguments, Free::by_name] {
        for call in calls.iter_mut().filter(|call| call.tool.is_none()) {
            call.tool = call.asked.as_ref().and_then(|asked| find(&mut free, asked));
        }
    }
    answer_from_history(tree, models, &mut calls);
    for &tool in group.tools.iter().filter(|tool| !free.is_taken(**tool)) {
        let started = outermost_first(&tree.nodes[tool].piece);
        let step = models.iter().filter(|model| outermost_first(&tree.nodes[**model].piece) <= started).count();
        calls.push(Call { step, asked: None, tool: Some(tool), agent: tree.nodes[tool].agent, outcome: None });
    }
    calls.sort_by_key(|call| call.step);
    calls.into_iter().map(|call| call.finish(tree, main)).collect()
}

/// What the answers of models asked for.
fn asked_for(tree: &Tree, models: &[usize]) -> Vec<Call> {
    let mut calls = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let node = &tree.nodes[*model];
        for message in &node.piece.output {
            let Message::Assistant { calls: asked, .. } = message else { continue };
            calls.extend(asked.iter().map(|asked| Call {
                step: index + 1,
                asked: Some(asked.clone()),
                tool: None,
                agent: node.agent,
                outcome: None,
            }));
        }
    }
    calls
}

/// Takes results that no tool told out of the next request of the same agent.
fn answer_from_history(tree: &Tree, models: &[usize], calls: &mut [Call]) {
    let is_open = |tree: &Tree, call: &Call| match call.tool {
        None => true,
        Some(tool) => {
            let piece = &tree.nodes[tool].piece;
            piece.error.is_none() && matches!(piece.kind, ObservationKind::Tool { outcome: None, .. })
        }
    };
    let mut from = 0;
    while from < calls.len() {
        let step = calls[from].step;
        let to = from + calls[from..].iter().take_while(|call| call.step == step).count();
        let open = calls[from..to].iter().any(|call| is_open(tree, call));
        let agent = calls[from].agent;
        let next = models[step.min(models.len())..].iter().find(|model| tree.nodes[**model].agent == agent);
        if let Some(next) = next.filter(|_| open) {
            let mut returned = pairs(&tree.nodes[*next].piece.input);
            for call in calls[from..to].iter_mut().rev().filter(|call| is_open(tree, call)) {
                let Some(asked) = &call.asked else { continue };
                // From the end, as earlier calls can have had the same id.
                let at = returned.iter().rposition(|(made, outcome)| outcome.is_some() && is_same(made, asked));
                call.outcome = at.and_then(|at| returned.remove(at).1);
            }
        }
        from = to;
    }
}

fn is_same(made: &Asked, asked: &Asked) -> bool {
    let id = |call: &Asked| call.id.clone().filter(|id| !id.is_empty());
    match (id(made), id(asked)) {
        (Some(made), Some(asked)) => made == asked,
        _ => made.name == asked.name && meaning(made.arguments.as_ref()) == meaning(asked.arguments.as_ref()),
    }
}

/// The calls of a history with what they gave back.
fn pairs(messages: &[Message]) -> Vec<(Asked, Option<Outcome>)> {
    let (mut open, mut pairs) = (OpenCalls::default(), Vec::<(Asked, Option<Outcome>)>::new());
    for message in messages {
        match message {
            Message::Assistant { calls, .. } => {
                for call in calls {
                    open.made(pairs.len(), call.id.as_deref(), &call.name);
                    pairs.push((call.clone(), None));
                }
            }
            Message::Tool(returned) => {
                if let Some(number) = open.answered(returned.id.as_deref(), returned.name.as_deref()) {
                    pairs[number].1 = Some(returned.outcome.clone());
                }
            }
            _ => {}
        }
    }
    pairs
}

/// What arguments mean, however they are written.
fn meaning(arguments: Option<&Json>) -> Value {
    let of_text = |text: &str| serde_json::from_str::<Value>(text).ok();
    let value = arguments.and_then(|json| of_text(json.text())).unwrap_or_default();
    let inner = value.as_str().and_then(|text| if text.trim().is_empty() { Some(Value::Null) } else { of_text(text) });
    match inner.unwrap_or(value) {
        Value::Null => Value::Object(serde_json::Map::new()),
        value => value,
    }
}

/// The tools that no answer of a model was found for yet, by all that they can be found by.
struct Free {
    is_taken: HashMap<usize, bool>,
    by_id: HashMap<String, VecDeque<usize>>,
    by_arguments: HashMap<(String, String), VecDeque<usize>>,
    by_name: HashMap<String, VecDeque<usize>>,
}

impl Free {
    fn new(tree: &Tree, tools: &[usize]) -> Self {
        let mut free = Self {
            is_taken: tools.iter().map(|tool| (*tool, false)).collect(),
            by_id: HashMap::new(),
            by_arguments: HashMap::new(),
            by_name: HashMap::new(),
        };
        for tool in tools {
            let piece = &tree.nodes[*tool].piece;
            let ObservationKind::Tool { id, arguments, .. } = &piece.kind else { continue };
            if let Some(id) = id {
                free.by_id.entry(id.clone()).or_default().push_back(*tool);
            }
            let key = (piece.name.clone(), meaning(arguments.as_ref()).to_string());
            free.by_arguments.entry(key).or_default().push_back(*tool);
            free.by_name.entry(piece.name.clone()).or_default().push_back(*tool);
        }
        free
    }

    fn is_taken(&self, tool: usize) -> bool {
        self.is_taken.get(&tool).copied().unwrap_or(false)
    }

    fn by_id(&mut self, asked: &Asked) -> Option<usize> {
        let waiting = self.by_id.get_mut(asked.id.as_deref()?);
        Self::take(&mut self.is_taken, waiting)
    }

    fn by_arguments(&mut self, asked: &Asked) -> Option<usize> {
        let key = (asked.name.clone(), meaning(asked.arguments.as_ref()).to_string());
        let waiting = self.by_arguments.get_mut(&key);
        Self::take(&mut self.is_taken, waiting)
    }

    fn by_name(&mut self, asked: &Asked) -> Option<usize> {
        let waiting = self.by_name.get_mut(&asked.name);
        Self::take(&mut self.is_taken, waiting)
    }

    fn take(is_taken: &mut HashMap<usize, bool>, waiting: Option<&mut VecDeque<usize>>) -> Option<usize> {
        let waiting = waiting?;
        while let Some(tool) = waiting.pop_front() {
            if !is_taken.insert(tool, true).unwrap_or(false) {
                return Some(tool);
            }
        }
        None
    }
}

impl Call {
    fn finish(self, tree: &Tree, main: Option<usize>) -> ToolCall {
        let piece: Option<&Observation> = self.tool.map(|tool| &tree.nodes[tool].piece);
        let asked = self.asked.unwrap_or_default();
        let name = [Some(asked.name.as_str()), piece.map(|piece| piece.name.as_str())];
        let name = name.into_iter().flatten().find(|name| !name.trim().is_empty()).unwrap_or("(no name)");
        let mut call = ToolCall::new(ToolName::new(name), None);
        let (mut id, mut arguments, mut outcome) = (None, None, None);
        if let Some(ObservationKind::Tool { id: own, arguments: given, outcome: told }) = piece.map(|piece| &piece.kind)
        {
            (id, arguments, outcome) = (own.clone(), given.clone(), told.clone());
        }
        set_arguments(&mut call, asked.arguments.or(arguments));
        call.id = asked.id.filter(|id| !id.is_empty()).or(id);
        call.step = (self.step > 0).then_some(self.step as i64);
        call.latency_ms = piece.and_then(|piece| between(piece.started?, piece.ended?));
        call.agent = agent(tree, self.agent, main);
        let failed = || piece.and_then(|piece| piece.error.clone()).map(Outcome::Error);
        match outcome.or_else(failed).or(self.outcome) {
            Some(Outcome::Result(result)) => call.result = Some(result),
            Some(Outcome::Error(error)) => call.error = Some(error),
            None => {}
        }
        call
    }
}

/// The agent that a call belongs to, if it is another than the turn's.
fn agent(tree: &Tree, agent: Option<usize>, main: Option<usize>) -> Option<String> {
    let name = |agent: Option<usize>| agent.map(|agent| tree.nodes[agent].piece.name.as_str());
    let own = name(agent)?;
    (agent != main && name(main) != Some(own)).then(|| own.to_owned())
}
