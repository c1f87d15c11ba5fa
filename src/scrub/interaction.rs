//! The parts of an interaction that can hold secrets and personal data.

use super::document::Pass;
use super::edit::apply;
use super::place::Place;
use crate::recording::{CaseId, Extra, Interaction, Json, Key, ModelCalls, ToolCall};

/// Fields that say what happened and how much, kept as they were written. They hold nobody's data.
const MEASURES: &[&str] = &[
    "tokens",
    "modelCalls",
    "latencyMs",
    "cost",
    "currency",
    "weight",
    "turn",
    "step",
    "truncated",
    "recordedAt",
    "agent",
    "model",
    "effect",
    "name",
    "finishReason",
];

impl Pass<'_> {
    /// Scrubs an interaction. Tells whether something was found.
    pub(super) fn interaction(&mut self, it: &mut Interaction) -> bool {
        // Every field is named, so that a new one is not forgotten.
        let Interaction {
            id,
            input,
            output,
            tool_calls,
            model_calls,
            history,
            scenario,
            tags,
            session,
            failure,
            variants,
            extra,
            doubts,
            tokens: _,
            latency_ms: _,
            cost: _,
            currency: _,
            weight: _,
            turn: _,
            agent,
            model: _,
            recorded_at: _,
            truncated: _,
        } = it;
        let mut found = false;
        if let Some(named) = id {
            let mut text = named.as_str().to_owned();
            if self.text("id", &mut text) {
                *named = CaseId::new(text);
                found = true;
            }
        }
        // What fields hold is found first, so that texts are found to speak of it.
        for call in tool_calls.iter_mut().flatten() {
            found |= self.call(call);
        }
        found |= self.json(Place::of_part("input"), input);
        for (part, json) in [("output", output), ("history", history), ("variants", variants)] {
            found |= json.as_mut().is_some_and(|json| self.json(Place::of_part(part), json));
        }
        for (part, text) in [("scenario", scenario), ("session", session), ("failure", failure), ("agent", agent)] {
            found |= text.as_mut().is_some_and(|text| self.text(part, text));
        }
        for tag in tags.iter_mut().flatten() {
            found |= self.text("tags[*]", tag);
        }
        if let Some(ModelCalls::List(calls)) = model_calls {
            for call in calls {
                found |= self.extra("modelCalls[*]", &mut call.extra);
            }
        }
        for doubt in doubts {
            found |= self.text("doubts", &mut doubt.problem);
        }
        found | self.extra("", extra)
    }

    fn call(&mut self, call: &mut ToolCall) -> bool {
        let ToolCall {
            name,
            arguments,
            result,
            error,
            id,
            extra,
            step: _,
            latency_ms: _,
            effect: _,
            agent: _,
            truncated: _,
        } = call;
        let mut found = id.as_mut().is_some_and(|id| self.text("toolCalls[*].id", id));
        if self.scrubber.exempts(name) {
            return found;
        }
        for (part, json) in [("arguments", arguments), ("result", result), ("error", error)] {
            let place = Place::of_call(part);
            found |= json.as_mut().is_some_and(|json| self.json(place, json));
        }
        found | self.extra("toolCalls[*]", extra)
    }

    fn extra(&mut self, around: &str, extra: &mut Extra) -> bool {
        let mut found = false;
        for (key, value) in extra.iter_mut().filter(|(key, _)| !MEASURES.contains(&key.as_str())) {
            let mut name = key.as_str().to_owned();
            if self.text("(the name of a field)", &mut name) {
                *key = Key::from(name);
                found = true;
            }
            let mut place = Place::of_part(around);
            place.enter_field(key, key, &self.scrubber.fields);
            found |= self.json(place, value);
        }
        found
    }

    /// Scrubs a value. Tells whether something was found.
    pub(super) fn json(&mut self, mut place: Place, json: &mut Json) -> bool {
        let edits = self.document(json.text(), &mut place, 0);
        if edits.is_empty() {
            return false;
        }
        // What takes the place of a text or number is one, so this is JSON; were it not, nothing of it may stay.
        *json = Json::parse(apply(json.text(), &edits)).unwrap_or_else(|_| Json::string("scrubbed"));
        true
    }

    /// Scrubs a text. Tells whether something was found.
    pub(super) fn text(&mut self, part: &str, text: &mut String) -> bool {
        let edits = self.content(text, &mut Place::of_part(part), 0);
        if !edits.is_empty() {
            *text = apply(text, &edits);
        }
        !edits.is_empty()
    }
}
