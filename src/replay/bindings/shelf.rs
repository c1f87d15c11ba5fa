//! The recorded calls of an attempt, and how the one that answers a call is found.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};

use super::Answer;
use crate::compare::{Arguments, CallKey, Origins, Policy};
use crate::recording::{Effect, Interaction, Json, ToolCall, ToolName};

/// The recorded calls of an attempt.
#[derive(Debug)]
pub(super) struct Shelf {
    /// Those of the recorded way first, then those of each variant.
    calls: Vec<Bound>,
    /// How many calls each way has.
    ways: Vec<usize>,
    /// For each call the one that stands for it: the same step of an earlier way, else itself.
    stand_ins: Vec<usize>,
    lookup: Lookup,
    /// What the results of each way handed out, where values are known by the results that they came out of.
    results: Option<Vec<Origins>>,
}

/// A recorded call and what it answers.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) tool: ToolName,
    written: Option<Json>,
    way: usize,
    arguments: OnceCell<Arguments>,
    key: OnceCell<CallKey>,
    pub(super) answer: Option<Answer>,
    effect: Option<Effect>,
}

impl Bound {
    fn new(call: &ToolCall, way: usize, is_cut: bool) -> Self {
        let is_cut = is_cut || call.truncated == Some(true);
        let answer = match (call.tool_error(), &call.result) {
            (Some(error), _) => Some(Answer::Error(error)),
            // A payload that was cut off is not what the tool said.
            (None, Some(result)) if !is_cut => Some(Answer::Result(result.clone())),
            _ => None,
        };
        let (tool, written, effect) = (call.name.clone(), call.arguments.clone(), call.effect);
        Self { tool, written, way, arguments: OnceCell::new(), key: OnceCell::new(), answer, effect }
    }

    /// Whether it changes something.
    pub(super) fn writes(&self) -> bool {
        matches!(self.effect, Some(Effect::Write | Effect::Irreversible))
    }
}

/// How the recording of a call is found.
#[derive(Debug)]
enum Lookup {
    /// So far each call was, to the letter, the next one that was recorded; so many were served. No policy tells such
    /// calls apart and no equal one waits before it, so nothing has to be looked up.
    InStep(usize),
    /// By tool and canonical arguments.
    Indexed(Index),
}

/// The recordings by call and by tool.
#[derive(Debug, Default)]
struct Index {
    by_key: HashMap<CallKey, Queue>,
    by_tool: HashMap<ToolName, OfTool>,
}

/// The recordings of one call: those to come, and the last that was served.
#[derive(Debug, Default)]
struct Queue {
    next: VecDeque<usize>,
    last: Option<usize>,
}

/// The recordings of one tool.
#[derive(Debug, Default)]
struct OfTool {
    places: Vec<usize>,
    /// How many calls of it were asked.
    asked: usize,
}

impl OfTool {
    /// The recordings that a call is looked for among: all, or where there are very many, those around the place that
    /// the run has come to. Thousands of misses over thousands of recordings would take the square of that.
    fn around(&self) -> &[usize] {
        let reach = (LOOKED_AT / self.places.len().max(1)).max(LEAST_REACH);
        let until = self.asked.saturating_add(reach).min(self.places.len());
        let from = self.asked.saturating_sub(reach).min(self.places.len().saturating_sub(2 * reach));
        &self.places[from..until.max(from)]
    }
}

/// How many recordings all misses of a tool together may look at, about, on each side.
const LOOKED_AT: usize = 100_000;

/// How many recordings on each side a miss looks at in any case.
const LEAST_REACH: usize = 32;

/// What is found for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A recording of it that was not served yet.
    Next(usize),
    /// All recordings of it were served; this one last.
    UsedUp(usize),
    /// None.
    Nothing,
}

impl Shelf {
    pub(super) fn new<'c>(ways: impl IntoIterator<Item = &'c Interaction>, policy: &Policy) -> Self {
        let ways: Vec<&Interaction> = ways.into_iter().collect();
        let traces = policy.has_references();
        // Calls that are equal to the letter may have come out of other results, or stand in several ways.
        let is_looked_up = traces || ways.len() > 1;
        let mut shelf = Self {
            calls: Vec::new(),
            ways: Vec::with_capacity(ways.len()),
            stand_ins: Vec::new(),
            lookup: if is_looked_up { Lookup::Indexed(Index::default()) } else { Lookup::InStep(0) },
            results: traces.then(|| vec![Origins::default(); ways.len()]),
        };
        for (way, recorded) in ways.into_iter().enumerate() {
            shelf.add(way, recorded, policy);
        }
        shelf
    }

    /// Adds the calls of a way. A value that came out of a call is known by the call that stands for it, so that it is
    /// the same value in each way.
    fn add(&mut self, way: usize, recorded: &Interaction, policy: &Policy) {
        let mut made = HashMap::new();
        for call in recorded.tool_calls.iter().flatten() {
            let at = self.calls.len();
            self.calls.push(Bound::new(call, way, recorded.truncated == Some(true)));
            let stand_in = self.put(at, &mut made, policy);
            self.stand_ins.push(stand_in);
            if let (Some(results), Some(result)) = (&mut self.results, &call.result) {
                results[way].add(at, stand_in as u64, result);
            }
        }
        self.ways.push(recorded.tool_calls.as_ref().map_or(0, Vec::len));
    }

    /// Puts a call into the index, where there is one, and gives the call that stands for it. The second of equal calls
    /// is one step whichever way it is recorded in, so it is there once: asked again, a run gets what comes next.
    fn put(&mut self, at: usize, made: &mut HashMap<CallKey, usize>, policy: &Policy) -> usize {
        if matches!(self.lookup, Lookup::InStep(_)) {
            return at;
        }
        let (tool, key) = (self.calls[at].tool.clone(), self.key(at, policy));
        let Lookup::Indexed(index) = &mut self.lookup else { return at };
        let queue = index.by_key.entry(key).or_default();
        let turn = made.entry(key).or_default();
        *turn += 1;
        if let Some(stand_in) = queue.next.get(*turn - 1) {
            return *stand_in;
        }
        queue.next.push_back(at);
        index.by_tool.entry(tool).or_default().places.push(at);
        at
    }

    /// How many calls there are, in all ways.
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// How many calls each way has.
    pub(super) fn ways(&self) -> &[usize] {
        &self.ways
    }

    /// The call that stands for another one: what is served or left over is counted by it.
    pub(super) fn stand_in(&self, at: usize) -> usize {
        self.stand_ins[at]
    }

    /// A recorded call.
    pub(super) fn call(&self, at: usize) -> &Bound {
        &self.calls[at]
    }

    /// A recorded call's arguments under the policy.
    pub(super) fn arguments(&self, at: usize, policy: &Policy) -> &Arguments {
        let call = &self.calls[at];
        let results = self.results.as_ref().and_then(|results| results.get(call.way));
        let read = || Arguments::read_after(call.written.as_ref(), &policy.tool(&call.tool), results, at);
        call.arguments.get_or_init(read)
    }

    /// What a recorded call is looked up by.
    fn key(&self, at: usize, policy: &Policy) -> CallKey {
        let call = &self.calls[at];
        *call.key.get_or_init(|| CallKey::of(&call.tool, self.arguments(at, policy)))
    }

    /// Whether a recorded call is equal to a call without any rule.
    pub(super) fn is_plainly(&self, at: usize, arguments: Option<&Json>) -> bool {
        let none = crate::compare::ToolRules::none();
        Arguments::read(self.calls[at].written.as_ref(), &none) == Arguments::read(arguments, &none)
    }

    /// Whether a tool is known to change something.
    pub(super) fn writes(&self, tool: &ToolName) -> bool {
        self.calls.iter().any(|call| call.tool == *tool && call.writes())
    }

    /// The next recorded call, where the run kept step with the recording and this call does too.
    pub(super) fn next_in_step(&mut self, tool: &ToolName, arguments: Option<&Json>) -> Option<usize> {
        let Lookup::InStep(served) = &mut self.lookup else { return None };
        let at = *served;
        let next = self.calls.get(at)?;
        if next.tool != *tool || next.written.as_ref() != arguments {
            return None;
        }
        *served += 1;
        Some(at)
    }

    /// Finds the recording that answers a call: by its hash, else by what rules with leeway let pass.
    pub(super) fn find(&mut self, tool: &ToolName, arguments: &Arguments, policy: &Policy) -> Found {
        self.make_index(policy);
        let Lookup::Indexed(index) = &mut self.lookup else { return Found::Nothing };
        let key = CallKey::of(tool, arguments);
        let known = index.by_key.get(&key).map(|queue| (queue.next.front().copied(), queue.last));
        let equal = known.and_then(|(next, _)| next);
        // What a rule with leeway accepts in an earlier way goes before what is equal in a later one.
        let is_first = equal.is_some_and(|at| self.calls[at].way == 0);
        let loose = if is_first { None } else { self.next_by_leeway(tool, arguments, policy) };
        let next = match (equal, loose) {
            (Some(equal), Some(loose)) if self.calls[loose].way < self.calls[equal].way => Some(loose),
            (equal, loose) => equal.or(loose),
        };
        self.note_asked(tool);
        let Some(at) = next else {
            let last = known.and_then(|(_, last)| last).or_else(|| self.last_by_leeway(tool, arguments, policy));
            return last.map_or(Found::Nothing, Found::UsedUp);
        };
        self.take(at, policy);
        Found::Next(at)
    }

    /// Takes a recording out of those to come.
    fn take(&mut self, at: usize, policy: &Policy) {
        let key = self.key(at, policy);
        let Lookup::Indexed(index) = &mut self.lookup else { return };
        if let Some(queue) = index.by_key.get_mut(&key) {
            match queue.next.front() {
                Some(front) if *front == at => drop(queue.next.pop_front()),
                _ => queue.next.retain(|waiting| *waiting != at),
            }
            queue.last = Some(at);
        }
    }

    /// The first recording to come that a rule with leeway accepts the call for.
    fn next_by_leeway(&self, tool: &ToolName, arguments: &Arguments, policy: &Policy) -> Option<usize> {
        self.by_leeway(tool, arguments, policy, |queue, at| queue.next.contains(&at))
    }

    fn last_by_leeway(&self, tool: &ToolName, arguments: &Arguments, policy: &Policy) -> Option<usize> {
        self.by_leeway(tool, arguments, policy, |queue, at| queue.last == Some(at))
    }

    fn by_leeway(
        &self,
        tool: &ToolName,
        arguments: &Arguments,
        policy: &Policy,
        wanted: impl Fn(&Queue, usize) -> bool,
    ) -> Option<usize> {
        let Lookup::Indexed(index) = &self.lookup else { return None };
        let places = self.around(tool).iter().copied().filter(|_| policy.is_loose());
        let mut fitting = places.filter(|at| {
            let queue = || index.by_key.get(&self.key(*at, policy));
            self.arguments(*at, policy).accepts(arguments) && queue().is_some_and(|queue| wanted(queue, *at))
        });
        fitting.next()
    }

    /// The recordings of a tool that are near the place that the run has come to.
    pub(super) fn around(&self, tool: &ToolName) -> &[usize] {
        match &self.lookup {
            Lookup::Indexed(index) => index.by_tool.get(tool).map_or(&[][..], OfTool::around),
            Lookup::InStep(_) => &[],
        }
    }

    /// Counts that a call of a tool was asked.
    fn note_asked(&mut self, tool: &ToolName) {
        if let Lookup::Indexed(index) = &mut self.lookup
            && let Some(of_tool) = index.by_tool.get_mut(tool)
        {
            of_tool.asked += 1;
        }
    }

    /// Makes the index when a run first leaves step, what was served so far taken out of it.
    fn make_index(&mut self, policy: &Policy) {
        let Lookup::InStep(served) = self.lookup else { return };
        self.lookup = Lookup::Indexed(Index::default());
        let mut made = HashMap::new();
        for at in 0..self.calls.len() {
            self.put(at, &mut made, policy);
        }
        for at in 0..served {
            self.take(at, policy);
            self.note_asked(&self.calls[at].tool.clone());
        }
    }
}
