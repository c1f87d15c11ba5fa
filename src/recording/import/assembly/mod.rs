//! Conversations out of the pieces of traces.
//!
//! The traces of one session are one conversation, each a turn of it; a trace in which several agents began at the top has
//! a turn for each.

mod calls;
mod once;
#[cfg(test)]
mod tests;
mod tree;
mod turn;

use std::path::Path;
use std::sync::Arc;

use super::super::interaction::CaseId;
use super::super::place::{At, Place, Reject, RejectReason};
use super::super::wire::RowFault;
use super::conversation::{Conversation, Turn};
use super::observation::Observation;
use tree::Tree;

/// A conversation that was put together, and where its first piece stands.
#[derive(Debug)]
pub(super) struct Assembled {
    pub(super) file: Arc<Path>,
    pub(super) at: At,
    pub(super) conversation: Conversation,
}

/// What came of traces that belong together.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    pub(super) conversation: Option<Assembled>,
    /// Turns of which nobody knows what was asked.
    pub(super) rejects: Vec<Reject>,
    /// How many traces have nothing to do with agents or models.
    pub(super) foreign: u64,
}

/// Puts traces together that belong together, each in the order in which its pieces came.
pub(super) fn conversation(traces: Vec<Vec<Observation>>) -> Assembly {
    let mut assembly = Assembly::default();
    let session = traces.iter().find_map(|pieces| session(pieces));
    let traces = joined(traces);
    let Some((first, place)) = traces.first().map(|trace| (trace.name.clone(), trace.place.clone())) else {
        return assembly;
    };
    let mut turns = Vec::new();
    for Trace { name, place, tree, .. } in traces {
        match of_trace(&name, &tree) {
            Ok(found) => turns.extend(found),
            Err(Left::Foreign) => assembly.foreign += 1,
            Err(Left::Unasked) => {
                let fault = RowFault::NoInteraction(format!(
                    "the trace {name} does not say what the user asked: its sender recorded no contents"
                ));
                assembly.rejects.push(Reject {
                    place,
                    reason: RejectReason::Row { fault, column: None },
                    raw: Vec::new(),
                });
            }
        }
    }
    if !turns.is_empty() {
        let id = Some(session.clone().unwrap_or(first));
        let conversation = Conversation { id, session, turns, paid: None };
        assembly.conversation = Some(Assembled { file: place.file, at: place.at, conversation });
    }
    assembly
}

/// One trace, or several calls of models that are one turn.
struct Trace {
    name: String,
    place: Place,
    tree: Tree,
    /// The pieces of the calls that go on with it.
    more: Vec<Observation>,
}

/// The traces, with lone calls of models that go on with a turn joined to it.
fn joined(traces: Vec<Vec<Observation>>) -> Vec<Trace> {
    let mut joined: Vec<Trace> = Vec::new();
    for pieces in traces {
        let Some(first) = pieces.first() else { continue };
        let (name, place) = (first.trace.clone(), Place { file: Arc::clone(&first.file), at: first.at });
        let tree = Tree::new(pieces);
        match joined.last_mut().filter(|last| last.tree.is_lone() && tree.goes_on()) {
            Some(last) => last.more.extend(tree.into_pieces()),
            None => joined.push(Trace { name, place, tree, more: Vec::new() }),
        }
    }
    for trace in joined.iter_mut().filter(|trace| !trace.more.is_empty()) {
        let first = std::mem::take(&mut trace.tree);
        trace.tree = Tree::new(first.into_pieces().chain(trace.more.drain(..)).collect());
    }
    joined
}

/// Why a trace gives no turn.
enum Left {
    /// Nothing in it is of an agent or a model.
    Foreign,
    /// Nobody can tell what was asked.
    Unasked,
}

fn of_trace(trace: &str, tree: &Tree) -> Result<Vec<Turn>, Left> {
    let groups = tree.turns();
    if groups.is_empty() {
        return Err(Left::Foreign);
    }
    let count = groups.len();
    let mut turns = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let Some(mut turn) = turn::assemble(tree, group) else { continue };
        let id = if count == 1 { trace.to_owned() } else { format!("{trace}/{}", index + 1) };
        turn.it.id = Some(CaseId::new(id));
        turns.push(turn);
    }
    if turns.is_empty() { Err(Left::Unasked) } else { Ok(turns) }
}

/// The session of a trace: what the outermost piece says that names one, as agents within may have sessions of their own.
pub(super) fn session(pieces: &[Observation]) -> Option<String> {
    let named = pieces.iter().filter(|piece| piece.session.is_some());
    named.min_by_key(|piece| outermost_first(piece)).and_then(|piece| piece.session.clone())
}

/// Those that began first are outside of those that began later.
pub(super) fn outermost_first(piece: &Observation) -> i128 {
    piece.started.map_or(i128::MAX, jiff::Timestamp::as_nanosecond)
}
