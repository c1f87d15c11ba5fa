//! The pieces of one trace as a tree: each piece once, with what stands above it.

use std::collections::HashMap;

use super::super::super::interaction::Doubt;
use super::super::dialects;
use super::super::dialogue::Outcome;
use super::super::lone;
use super::super::observation::{Observation, ObservationKind};
use super::once::once_each;
use super::outermost_first;

/// The pieces of a trace.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

/// A piece, and the nearest pieces of some kinds above it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) piece: Observation,
    pub(super) parent: Option<usize>,
    /// The agent that it is a part of.
    pub(super) agent: Option<usize>,
    /// How many agents there are above it.
    pub(super) agents: u32,
    /// The outermost agent or workflow, which may be this piece itself.
    top: Option<usize>,
    /// The call of a model around it, if no agent and no tool is between.
    model: Option<usize>,
    /// The call of a tool around it, if no agent and no model is between.
    tool: Option<usize>,
    /// Whether another piece tells of the same call, and tells it for both.
    pub(super) is_told: bool,
    /// Whether a parent is named that is not there.
    is_orphan: bool,
}

/// The pieces of one turn.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// What all of it happened in, if there is one such piece.
    pub(super) root: Option<usize>,
    /// Calls of models and of tools, each once, in the order in which they began.
    pub(super) models: Vec<usize>,
    pub(super) tools: Vec<usize>,
    pub(super) doubts: Vec<Doubt>,
}

impl Tree {
    pub(super) fn new(pieces: Vec<Observation>) -> Self {
        let (pieces, parts) = once_each(pieces);
        let nodes = pieces.into_iter().map(Node::new).collect();
        let mut tree = Self { nodes };
        let order = tree.link();
        tree.inherit(&order);
        tree.give_parts(parts);
        tree.tell_models_once(&order);
        tree.tell_tools_once(&order);
        tree
    }

    /// Whether there is nothing but calls of models.
    pub(super) fn is_lone(&self) -> bool {
        let is_lone = |node: &Node| node.is_model() || matches!(node.piece.kind, ObservationKind::Other);
        self.nodes.iter().any(Node::is_model) && self.nodes.iter().all(is_lone)
    }

    /// Whether there is nothing but a call of a model that goes on with a turn.
    pub(super) fn goes_on(&self) -> bool {
        let mut models = self.nodes.iter().filter(|node| node.is_model() && !node.is_told);
        self.is_lone() && models.next().is_some_and(|node| lone::goes_on(&node.piece.input)) && models.next().is_none()
    }

    pub(super) fn into_pieces(self) -> impl Iterator<Item = Observation> {
        self.nodes.into_iter().map(|node| node.piece)
    }

    /// Finds the parents and gives an order in which each comes after its parent. What goes in a circle is cut.
    fn link(&mut self) -> Vec<usize> {
        let by_id: HashMap<&str, usize> =
            self.nodes.iter().enumerate().map(|(number, node)| (node.piece.id.as_str(), number)).collect();
        let parents: Vec<Option<usize>> = self
            .nodes
            .iter()
            .enumerate()
            .map(|(number, node)| by_id.get(node.piece.parent.as_deref()?).copied().filter(|parent| *parent != number))
            .collect();
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (number, parent) in parents.iter().enumerate() {
            let node = &mut self.nodes[number];
            node.parent = *parent;
            let names_itself = node.piece.parent.as_ref() == Some(&node.piece.id);
            node.is_orphan = parent.is_none() && node.piece.parent.is_some() && !names_itself;
            if let Some(parent) = parent {
                children[*parent].push(number);
            }
        }
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut is_reached = vec![false; self.nodes.len()];
        let roots = (0..self.nodes.len()).filter(|number| parents[*number].is_none());
        // After the roots, whatever was not reached from them is in a circle or below one.
        for start in roots.chain(0..self.nodes.len()).collect::<Vec<_>>() {
            if is_reached[start] {
                continue;
            }
            self.nodes[start].parent = None;
            is_reached[start] = true;
            let mut next = order.len();
            order.push(start);
            while let Some(number) = order.get(next).copied() {
                next += 1;
                for child in &children[number] {
                    if !std::mem::replace(&mut is_reached[*child], true) {
                        order.push(*child);
                    }
                }
            }
        }
        order
    }

    fn inherit(&mut self, order: &[usize]) {
        for &number in order {
            let Some(parent) = self.nodes[number].parent else {
                let is_top = self.nodes[number].is_top();
                self.nodes[number].top = is_top.then_some(number);
                continue;
            };
            let above = &self.nodes[parent];
            let (mut agent, mut agents, mut model, mut tool) = (above.agent, above.agents, above.model, above.tool);
            match above.piece.kind {
                ObservationKind::Agent => (agent, agents, model, tool) = (Some(parent), agents + 1, None, None),
                ObservationKind::Workflow => (model, tool) = (None, None),
                ObservationKind::Model(_) => (model, tool) = (Some(parent), None),
                ObservationKind::Tool { .. } => (model, tool) = (None, Some(parent)),
                ObservationKind::Merged | ObservationKind::Other | ObservationKind::Part => {}
            }
            let top = above.top;
            let node = &mut self.nodes[number];
            (node.agent, node.agents, node.model, node.tool) = (agent, agents, model, tool);
            node.top = top.or_else(|| node.is_top().then_some(number));
        }
    }

    /// Gives messages that were recorded beside a piece to it, where it has none of its own.
    fn give_parts(&mut self, parts: Vec<Observation>) {
        if parts.is_empty() {
            return;
        }
        let by_id: HashMap<String, usize> =
            self.nodes.iter().enumerate().map(|(number, node)| (node.piece.id.clone(), number)).collect();
        let models: Vec<usize> = (0..self.nodes.len()).filter(|number| self.nodes[*number].is_model()).collect();
        let innermost: Vec<usize> = {
            let outer: std::collections::HashSet<usize> =
                models.iter().filter_map(|number| self.nodes[*number].model).collect();
            models.into_iter().filter(|number| !outer.contains(number)).collect()
        };
        let mut given: HashMap<usize, (Vec<_>, Vec<_>)> = HashMap::new();
        for part in parts {
            let owner = match by_id.get(&part.id) {
                Some(owner) => Some(*owner),
                None => self.owner_by_time(&innermost, &part),
            };
            if let Some(owner) = owner {
                let (input, output) = given.entry(owner).or_default();
                input.extend(part.input);
                output.extend(part.output);
            }
        }
        for (owner, (input, output)) in given {
            let piece = &mut self.nodes[owner].piece;
            if piece.input.is_empty() {
                piece.input = input;
            }
            if piece.output.is_empty() {
                piece.output = output;
            }
        }
    }

    /// The only call of a model, or the only one that went on at that time.
    fn owner_by_time(&self, models: &[usize], part: &Observation) -> Option<usize> {
        if let [only] = models {
            return Some(*only);
        }
        let at = part.started?;
        let mut going_on = models.iter().filter(|number| {
            let piece = &self.nodes[**number].piece;
            piece.started.is_some_and(|started| started <= at) && piece.ended.is_some_and(|ended| at <= ended)
        });
        let first = going_on.next()?;
        going_on.next().is_none().then_some(*first)
    }

    /// Of calls of models within each other the innermost count. They get what only the outer ones tell.
    fn tell_models_once(&mut self, order: &[usize]) {
        let mut inner: HashMap<usize, Vec<usize>> = HashMap::new();
        for &number in order.iter().filter(|number| self.nodes[**number].is_model()) {
            if let Some(outer) = self.nodes[number].model {
                inner.entry(outer).or_default().push(number);
            }
        }
        for outer in order {
            let Some(within) = inner.get_mut(outer) else { continue };
            within.sort_by_key(|number| outermost_first(&self.nodes[*number].piece));
            let (Some(first), Some(last)) = (within.first().copied(), within.last().copied()) else { continue };
            self.nodes[*outer].is_told = true;
            let piece = self.nodes[*outer].piece.clone();
            let lacks_input = self.nodes[first].piece.input.is_empty();
            if lacks_input {
                self.nodes[first].piece.input = piece.input;
            }
            if self.nodes[last].piece.output.is_empty() {
                self.nodes[last].piece.output = piece.output;
            }
            if let (true, ObservationKind::Model(outer), ObservationKind::Model(inner)) =
                (first == last, piece.kind, &mut self.nodes[last].piece.kind)
            {
                *inner = dialects::fill(std::mem::take(inner), outer);
            }
        }
    }

    /// Of calls of tools within each other that tell of the same call one counts: the outer one, which the model made, with
    /// what only the inner ones tell.
    fn tell_tools_once(&mut self, order: &[usize]) {
        // From the inside to the outside.
        for &number in order.iter().rev() {
            let Some(outer) = self.nodes[number].tool.filter(|_| self.nodes[number].is_tool()) else { continue };
            if !is_same_call(&self.nodes[outer].piece, &self.nodes[number].piece) {
                continue;
            }
            self.nodes[number].is_told = true;
            let ObservationKind::Tool { id, arguments, outcome } = self.nodes[number].piece.kind.clone() else {
                continue;
            };
            if let ObservationKind::Tool { id: own_id, arguments: own_arguments, outcome: own } =
                &mut self.nodes[outer].piece.kind
            {
                *own_id = own_id.take().or(id);
                *own_arguments = own_arguments.take().or(arguments);
                *own = match (own.take(), outcome) {
                    (Some(Outcome::Result(content)), Some(Outcome::Error(_))) => Some(Outcome::error(Some(content))),
                    (own, inner) => own.or(inner),
                };
            }
        }
    }

    /// The turns: one for each agent or workflow at the top, or one for all where there is none. Traces without a call of
    /// a model or tool, or an agent that was asked something, have none.
    pub(super) fn turns(&self) -> Vec<Group> {
        let mut groups: HashMap<Option<usize>, Group> = HashMap::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let is_call = (node.is_model() || node.is_tool()) && !node.is_told;
            let is_asked = node.top == Some(number) && !node.piece.input.is_empty();
            if !is_call && !is_asked {
                continue;
            }
            let group = groups.entry(node.top).or_default();
            match node.piece.kind {
                ObservationKind::Model(_) => group.models.push(number),
                ObservationKind::Tool { .. } => group.tools.push(number),
                _ => {}
            }
        }
        // What happened beside the agents belongs to the first of them, as what prepares a turn or ends it.
        let beside = if groups.len() > 1 { groups.remove(&None) } else { None };
        let mut groups: Vec<(Option<usize>, Group)> = groups.into_iter().collect();
        groups.sort_by_key(|(top, _)| top.map(|top| (outermost_first(&self.nodes[top].piece), top)));
        if let (Some(beside), Some((_, first))) = (beside, groups.first_mut()) {
            first.models.extend(beside.models);
            first.tools.extend(beside.tools);
        }
        groups.into_iter().map(|(top, group)| self.completed(top, group)).collect()
    }

    fn completed(&self, top: Option<usize>, mut group: Group) -> Group {
        let by_time = |number: &usize| (outermost_first(&self.nodes[*number].piece), *number);
        group.models.sort_by_key(by_time);
        group.tools.sort_by_key(by_time);
        group.root = top.or_else(|| self.only_root());
        if top.is_none() && self.nodes.iter().any(|node| node.is_orphan) {
            group.doubts.push(Doubt { path: "trace".into(), problem: "its root is missing".into() });
        }
        group
    }

    /// The piece that all others are in.
    fn only_root(&self) -> Option<usize> {
        let mut roots = (0..self.nodes.len()).filter(|number| self.nodes[*number].parent.is_none());
        let first = roots.next()?;
        roots.next().is_none().then_some(first)
    }
}

impl Node {
    fn new(piece: Observation) -> Self {
        Self {
            piece,
            parent: None,
            agent: None,
            agents: 0,
            top: None,
            model: None,
            tool: None,
            is_told: false,
            is_orphan: false,
        }
    }

    fn is_top(&self) -> bool {
        matches!(self.piece.kind, ObservationKind::Agent | ObservationKind::Workflow)
    }

    pub(super) fn is_model(&self) -> bool {
        matches!(self.piece.kind, ObservationKind::Model(_))
    }

    pub(super) fn is_tool(&self) -> bool {
        matches!(self.piece.kind, ObservationKind::Tool { .. })
    }
}

/// Whether two pieces tell of one call: by the id, or by the name, to which servers of tools put prefixes.
fn is_same_call(outer: &Observation, inner: &Observation) -> bool {
    let id = |piece: &Observation| match &piece.kind {
        ObservationKind::Tool { id, .. } => id.clone(),
        _ => None,
    };
    let ends_with = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|prefix| prefix.is_empty() || prefix.ends_with(['_', '.', '/', ':', '-', ' ']))
    };
    let is_same_id = id(outer).is_some_and(|outer| id(inner) == Some(outer));
    is_same_id || ends_with(&outer.name, &inner.name) || ends_with(&inner.name, &outer.name)
}
