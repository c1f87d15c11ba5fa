//! What the events of a sample tell beside its messages: which model calls there were, and how long things took.

use std::collections::{HashMap, HashSet, VecDeque};

use super::super::super::interaction::{Doubt, ModelCall};
use super::super::super::json::Json;
use super::super::fields::{below, between, count, first_member, instant, items, member, milliseconds, text};
use super::super::usage::{Convention, Usage, Written};

/// The events of a sample.
#[derive(Default)]
pub(super) struct Events {
    /// The calls of models while the agent worked, until an answer of the agent takes them.
    calls: Vec<Option<Json>>,
    by_id: HashMap<String, usize>,
    by_words: HashMap<String, VecDeque<usize>>,
    /// Calls of models by scorers.
    pub(super) scorer_calls: usize,
    tool_times: HashMap<String, VecDeque<f64>>,
    /// From the start of the solvers to their end.
    pub(super) worked_ms: Option<f64>,
    /// When the first event was.
    pub(super) started: Option<String>,
    /// Whether there are any calls of models.
    pub(super) tell_calls: bool,
}

/// Where in a sample an event is.
#[derive(Default)]
struct Phase {
    /// Scorers, and what is within them.
    scorer_spans: HashSet<String>,
    /// How many scorers are open in a log of the time before there were spans.
    scorer_steps: u64,
    solvers: Option<(String, String)>,
}

impl Events {
    pub(super) fn read(sample: &Json) -> Self {
        let (mut events, mut phase) = (Self::default(), Phase::default());
        for event in items(sample, "events") {
            events.started = events.started.take().or_else(|| text(&event, "timestamp"));
            match text(&event, "event").as_deref() {
                Some("model") if phase.is_scoring(&event) => events.scorer_calls += 1,
                Some("model") => events.model(event),
                Some("tool") => events.tool(&event),
                Some("step") => phase.step(&event),
                Some("span_begin") => phase.begin(&event),
                Some("span_end") => events.worked_ms = phase.end(&event).or(events.worked_ms),
                _ => {}
            }
        }
        events
    }

    fn model(&mut self, event: Json) {
        self.tell_calls = true;
        let number = self.calls.len();
        if let Some(message) = answered(&event) {
            if let Some(id) = text(&message, "id") {
                self.by_id.entry(id).or_insert(number);
            }
            self.by_words.entry(likeness(&message)).or_default().push_back(number);
        }
        self.calls.push(Some(event));
    }

    fn tool(&mut self, event: &Json) {
        let took = milliseconds(event, "working_time", 1000.0).or_else(|| duration(event));
        if let (Some(id), Some(took)) = (text(event, "id"), took) {
            self.tool_times.entry(id).or_default().push_back(took);
        }
    }

    /// The model call that gave this answer: by the id of the message, else the first with the same words and calls.
    pub(super) fn call_of(&mut self, message: &Json) -> Option<(ModelCall, Option<Doubt>)> {
        let by_id = text(message, "id").and_then(|id| self.by_id.remove(&id));
        let by_id = by_id.and_then(|number| self.calls[number].take());
        let event = by_id.or_else(|| {
            let alike = self.by_words.get_mut(&likeness(message))?;
            std::iter::from_fn(|| alike.pop_front()).find_map(|number| self.calls[number].take())
        })?;
        Some(model_call(&event))
    }

    /// How long the tool took that this call asked for.
    pub(super) fn tool_time(&mut self, id: &str) -> Option<f64> {
        self.tool_times.get_mut(id)?.pop_front()
    }

    /// How many calls of models gave no answer of the agent: those of critics, of other agents, of tries that were dropped.
    pub(super) fn other_calls(&self) -> usize {
        self.calls.iter().flatten().count()
    }
}

impl Phase {
    fn is_scoring(&self, event: &Json) -> bool {
        self.scorer_steps > 0 || text(event, "span_id").is_some_and(|span| self.scorer_spans.contains(&span))
    }

    fn begin(&mut self, event: &Json) {
        let Some(id) = text(event, "id") else { return };
        let kind = text(event, "type").unwrap_or_default();
        let is_within = text(event, "parent_id").is_some_and(|parent| self.scorer_spans.contains(&parent));
        if is_within || kind.starts_with("scorer") {
            self.scorer_spans.insert(id);
        } else if kind == "solvers" && self.solvers.is_none() {
            self.solvers = text(event, "timestamp").map(|start| (id, start));
        }
    }

    /// How long the solvers took, where this is their end.
    fn end(&self, event: &Json) -> Option<f64> {
        let (id, start) = self.solvers.as_ref()?;
        let end = text(event, "timestamp").filter(|_| text(event, "id").as_ref() == Some(id))?;
        between(instant(start)?, instant(&end)?)
    }

    fn step(&mut self, event: &Json) {
        if text(event, "type").is_none_or(|kind| kind != "scorer") {
            return;
        }
        match text(event, "action").as_deref() {
            Some("begin") => self.scorer_steps += 1,
            _ => self.scorer_steps = self.scorer_steps.saturating_sub(1),
        }
    }
}

fn answered(event: &Json) -> Option<Json> {
    let choices = below(event, &["output", "choices"])?.items()?;
    member(choices.first()?, "message")
}

/// The same for the same words and calls.
fn likeness(message: &Json) -> String {
    let calls = items(message, "tool_calls");
    let calls = calls.iter().filter_map(|call| text(call, "function"));
    let content = member(message, "content").map(|content| content.compact().text().to_owned());
    calls.fold(content.unwrap_or_default(), |all, call| all + "\n" + &call)
}

fn duration(event: &Json) -> Option<f64> {
    between(instant(&text(event, "timestamp")?)?, instant(&text(event, "completed")?)?)
}

fn model_call(event: &Json) -> (ModelCall, Option<Doubt>) {
    let output = member(event, "output").unwrap_or_else(Json::null);
    let Usage { tokens, doubt } = member(&output, "usage").map(|usage| tokens(&usage)).unwrap_or_default();
    let cache = member(event, "cache");
    // An answer out of Inspect's own cache took no time of a model.
    let is_cached = cache.as_ref().is_some_and(|cache| cache.text() == "\"read\"");
    let took = milliseconds(&output, "time", 1000.0).or_else(|| duration(event));
    let choice = items(&output, "choices").into_iter().next();
    let call = ModelCall {
        model: text(&output, "model").or_else(|| text(event, "model")),
        tokens,
        latency_ms: took.filter(|_| !is_cached),
        finish_reason: choice.and_then(|choice| text(&choice, "stop_reason")),
        extra: cache.into_iter().map(|cache| ("cache".into(), cache.compact())).collect(),
    };
    (call, doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }))
}

/// The cache stands beside the input. Logs before 2025-06 have what the provider said, which for most is within: the total
/// tells which it is.
fn tokens(usage: &Json) -> Usage {
    let written = Written {
        input: count(usage, "input_tokens"),
        output: count(usage, "output_tokens"),
        cache_read: count(usage, "input_tokens_cache_read"),
        cache_write: count(usage, "input_tokens_cache_write"),
        reasoning: first_member(usage, &["reasoning_tokens"]).and_then(|it| super::super::fields::as_count(&it)),
        more_input: None,
        total: count(usage, "total_tokens"),
    };
    let beside = written.read(Convention::CacheBeside);
    let within = written.read(Convention::Within);
    if beside.doubt.is_some() && within.doubt.is_none() { within } else { beside }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_tells_whether_the_cache_is_within_the_input() {
        let read = |usage: &str| tokens(&Json::parse(usage).unwrap());
        let old = read(r#"{"input_tokens":100,"output_tokens":5,"total_tokens":105,"input_tokens_cache_read":60}"#);
        let new = read(r#"{"input_tokens":40,"output_tokens":5,"total_tokens":105,"input_tokens_cache_read":60}"#);
        assert_eq!((old.tokens.input, old.doubt), (Some(100), None));
        assert_eq!((new.tokens.input, new.tokens.cache_read, new.doubt), (Some(100), Some(60), None));
    }
}
