//! Each piece of a trace once, however often and in how many parts it was sent.

use std::collections::{HashMap, HashSet};

use super::super::super::interaction::{Doubt, ModelCall};
use super::super::dialects;
use super::super::observation::{Observation, ObservationKind};
use super::outermost_first;

/// Each piece once, and what was recorded beside pieces. What was sent twice is one: the completer one, with what only the
/// other has.
pub(super) fn once_each(pieces: Vec<Observation>) -> (Vec<Observation>, Vec<Observation>) {
    let mut known: HashMap<String, usize> = HashMap::new();
    let (mut once, mut parts) = (Vec::<Observation>::new(), Vec::<Observation>::new());
    let mut told = HashSet::new();
    for piece in pieces {
        if matches!(piece.kind, ObservationKind::Part) {
            // The same log record, sent twice, was written at the same time and says the same.
            let said = format!("{} {:?} {:?} {:?}", piece.id, piece.started, piece.input, piece.output);
            let is_new = piece.started.is_none() || told.insert(blake3::hash(said.as_bytes()));
            parts.extend(is_new.then_some(piece));
            continue;
        }
        match known.get(&piece.id) {
            Some(number) => merge(&mut once[*number], piece),
            None => {
                known.insert(piece.id.clone(), once.len());
                once.push(piece);
            }
        }
    }
    for part in &parts {
        // A model answered in a piece that never came.
        if !part.id.is_empty() && !part.output.is_empty() && !known.contains_key(&part.id) {
            known.insert(part.id.clone(), once.len());
            let doubts = vec![Doubt { path: "trace".into(), problem: "the span of a model call is missing".into() }];
            let kind = ObservationKind::Model(ModelCall::default());
            let (input, output) = (Vec::new(), Vec::new());
            once.push(Observation { kind, doubts, input, output, ..part.clone() });
        }
    }
    parts.sort_by_key(outermost_first);
    (once, parts)
}

/// How much a piece says.
fn completeness(piece: &Observation) -> usize {
    let outcome = matches!(&piece.kind, ObservationKind::Tool { outcome: Some(_), .. });
    let tokens = matches!(&piece.kind, ObservationKind::Model(call) if !call.tokens.is_unknown());
    usize::from(piece.ended.is_some())
        + usize::from(outcome)
        + usize::from(tokens)
        + usize::from(!piece.input.is_empty())
        + usize::from(!piece.output.is_empty())
        + usize::from(!matches!(piece.kind, ObservationKind::Other))
}

fn merge(known: &mut Observation, mut again: Observation) {
    if completeness(&again) > completeness(known) {
        std::mem::swap(known, &mut again);
    }
    known.parent = known.parent.take().or(again.parent);
    known.started = known.started.or(again.started);
    known.ended = known.ended.or(again.ended);
    known.session = known.session.take().or(again.session);
    known.error = known.error.take().or(again.error);
    if known.input.is_empty() {
        known.input = again.input;
    }
    if known.output.is_empty() {
        known.output = again.output;
    }
    known.kind = dialects::both(std::mem::replace(&mut known.kind, ObservationKind::Other), again.kind);
}
