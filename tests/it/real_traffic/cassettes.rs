//! HTTP exchanges with model providers: cassettes of VCR, and bodies of answers alone.

use std::collections::HashSet;
use std::path::Path;

use taketwo::recording::Json;

use super::Found;
use super::conversation::Conversation;
use super::parts::{Part, parts};
use crate::corpus::documents;

/// A cassette: what one test of a client library sent and got, in order.
pub fn cassette(file: &Path, found: &mut Found) {
    let documents = documents(file);
    let exchanges = documents.first().and_then(|whole| whole["interactions"].as_array());
    let Some(exchanges) = exchanges else { return found.skip() };
    let mut talk = Conversation::default();
    let mut answered = 0;
    for exchange in exchanges {
        if let Some(request) = payload(&exchange["request"]) {
            read_request(&request, &mut talk, &mut answered);
        }
        match payload(&exchange["response"]) {
            Some(response) => talk.parts(calls(&response)),
            // A stream, whose calls stand in the next request.
            None => found.skip(),
        }
    }
    found.add("", talk.interaction());
}

/// The body of one answer, with its calls in parallel.
pub fn body(file: &Path, found: &mut Found) {
    let Some(json) = found.json(file) else { return };
    let mut talk = Conversation::default();
    talk.parts(calls(&json));
    found.add("", talk.interaction());
}

/// What a message carries, where it is JSON.
fn payload(message: &serde_json::Value) -> Option<Json> {
    if message["parsed_body"].is_object() {
        return Json::parse(message["parsed_body"].to_string()).ok();
    }
    let body = &message["body"];
    Json::parse(body.as_str().or_else(|| body["string"].as_str())?).ok()
}

fn calls(answer: &Json) -> impl Iterator<Item = Part> {
    parts(answer).into_iter().filter(|part| matches!(part, Part::Call { .. }))
}

/// A request repeats all that was said before. New are calls that came as a stream, told by their ids, and what came
/// back of calls; where that has no ids, by its count.
fn read_request(request: &Json, talk: &mut Conversation, answered: &mut usize) {
    let known: HashSet<String> = talk.ids().into_iter().map(str::to_owned).collect();
    let mut nameless = 0;
    let new = parts(request).into_iter().filter(|part| match part {
        Part::Call { id, .. } => id.as_ref().is_some_and(|id| !known.contains(id)),
        Part::Answer { id: Some(_), .. } => true,
        Part::Answer { id: None, .. } => {
            nameless += 1;
            nameless > *answered
        }
    });
    let new: Vec<_> = new.collect();
    *answered = (*answered).max(nameless);
    talk.parts(new);
}
