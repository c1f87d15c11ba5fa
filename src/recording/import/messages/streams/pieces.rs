//! The calls of a streamed answer, whose arguments come in pieces and in between each other.

use std::collections::HashMap;

use super::super::super::super::json::Json;
use super::super::super::dialogue::Asked;
use super::super::utterance::Utterance;
use super::Ending;

/// Calls that grow.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    calls: Vec<Growing>,
    /// Where the last call with an index stands.
    places: HashMap<u64, usize>,
}

/// A call that grows.
#[derive(Debug, Default)]
struct Growing {
    /// Its place in the answer, as the provider counts.
    index: u64,
    id: Option<String>,
    name: String,
    arguments: String,
    /// Whole arguments, where the call came with them.
    whole: Option<Json>,
    is_closed: bool,
}

impl Pieces {
    /// A call begins.
    pub(super) fn begin(&mut self, index: u64, id: Option<String>, name: String, whole: Option<Json>) {
        self.places.insert(index, self.calls.len());
        self.calls.push(Growing { index, id, name, whole, ..Growing::default() });
    }

    /// The arguments of the call with this index go on; of several with it, those of the last.
    pub(super) fn add(&mut self, index: u64, piece: &str) {
        if let Some(call) = self.last(index) {
            call.arguments.push_str(piece);
        }
    }

    /// The arguments of the call are complete.
    pub(super) fn close(&mut self, index: u64) {
        if let Some(call) = self.last(index) {
            call.is_closed = true;
        }
    }

    /// The id of the last call with this index, if there is such a call.
    pub(super) fn id(&self, index: u64) -> Option<Option<&str>> {
        let call = self.calls.get(*self.places.get(&index)?)?;
        Some(call.id.as_deref())
    }

    /// The index of the last call.
    pub(super) fn last_index(&self) -> Option<u64> {
        self.calls.last().map(|call| call.index)
    }

    /// Where the stream was cut, if it was cut.
    pub(super) fn cut(&self) -> Ending {
        if self.calls.last().is_some_and(|call| !call.is_closed) { Ending::CutInCall } else { Ending::Cut }
    }

    /// The calls as what a model asked for.
    pub(super) fn ask(self, utterance: &mut Utterance) {
        for Growing { id, name, arguments, whole, .. } in self.calls {
            let arguments = if arguments.is_empty() { whole } else { Some(Json::string(&arguments)) };
            utterance.ask(Asked { name, arguments, id, agent: None });
        }
    }

    fn last(&mut self, index: u64) -> Option<&mut Growing> {
        self.calls.get_mut(*self.places.get(&index)?)
    }
}
