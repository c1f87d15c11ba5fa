//! Writing an interaction as one line of JSON.

use std::fmt::Display;

use super::super::field::{CallField, Field};
use super::super::interaction::{Effect, Extra, Interaction, ModelCall, ModelCalls, Tokens, ToolCall};
use super::super::json::Json;
use super::value::{Value, float_text};

/// Writes one interaction as one line of JSON, without the line's end.
#[must_use]
pub fn write(it: &Interaction) -> String {
    let mut out = Writer::new(&it.extra);
    for &field in Field::ALL {
        let key = field.key();
        match field {
            Field::ToolCalls => out.list(key, it.tool_calls.as_deref(), write_call),
            Field::ModelCalls => match &it.model_calls {
                Some(ModelCalls::List(calls)) => out.list(key, Some(calls), write_model_call),
                Some(ModelCalls::Count(count)) => out.shown(key, Some(count)),
                None => {}
            },
            Field::Tokens => out.shown(key, tokens_text(&it.tokens)),
            Field::Cost => out.shown(key, it.cost),
            Field::Tags => out.shown(key, it.tags.as_ref().map(|tags| Json::of(tags).text().to_owned())),
            _ => out.value(key, value(it, field)),
        }
    }
    out.finish()
}

/// Writes one tool call as a JSON object.
#[must_use]
pub fn write_call(call: &ToolCall) -> String {
    let mut out = Writer::new(&call.extra);
    for &field in CallField::ALL {
        out.value(field.key(), call_value(call, field));
    }
    out.finish()
}

fn write_model_call(call: &ModelCall) -> String {
    let mut out = Writer::new(&call.extra);
    out.value("model", call.model.as_deref().map(Value::Text));
    out.shown("tokens", tokens_text(&call.tokens));
    out.value("latencyMs", call.latency_ms.map(Value::Float));
    out.value("finishReason", call.finish_reason.as_deref().map(Value::Text));
    out.finish()
}

/// Each call of a model as JSON, where they are known one by one.
pub(in crate::recording) fn model_calls_detail(calls: &ModelCalls) -> Option<String> {
    match calls {
        ModelCalls::Count(_) => None,
        ModelCalls::List(calls) => {
            Some(format!("[{}]", calls.iter().map(write_model_call).collect::<Vec<_>>().join(",")))
        }
    }
}

/// What a field holds, where it is known and one plain value. The others (calls, tokens, tags, cost) are written on
/// their own.
pub(in crate::recording) fn value(it: &Interaction, field: Field) -> Option<Value<'_>> {
    match field {
        Field::Id => it.id.as_ref().map(|id| Value::Text(id.as_str())),
        Field::Input => Some(Value::Json(&it.input)).filter(|_| !it.input.is_null()),
        Field::Output => it.output.as_ref().map(Value::Json),
        Field::LatencyMs => it.latency_ms.map(Value::Float),
        Field::Currency => it.currency.as_deref().map(Value::Text),
        Field::History => it.history.as_ref().map(Value::Json),
        Field::Scenario => it.scenario.as_deref().map(Value::Text),
        Field::Weight => it.weight.map(Value::Float),
        Field::Session => it.session.as_deref().map(Value::Text),
        Field::Turn => it.turn.map(Value::Whole),
        Field::Agent => it.agent.as_deref().map(Value::Text),
        Field::Model => it.model.as_deref().map(Value::Text),
        Field::RecordedAt => it.recorded_at.as_deref().map(Value::Text),
        Field::Failure => it.failure.as_deref().map(Value::Text),
        Field::Truncated => it.truncated.map(Value::Flag),
        Field::Variants => it.variants.as_ref().map(Value::Json),
        Field::ToolCalls | Field::ModelCalls | Field::Tokens | Field::Cost | Field::Tags => None,
    }
}

/// What a field of a tool call holds, where it is known.
pub(in crate::recording) fn call_value(call: &ToolCall, field: CallField) -> Option<Value<'_>> {
    match field {
        CallField::Name => Some(Value::Text(call.name.as_str())),
        CallField::Arguments => call.arguments.as_ref().map(Value::Json),
        CallField::Result => call.result.as_ref().map(Value::Json),
        CallField::Error => call.error.as_ref().map(Value::Json),
        CallField::Id => call.id.as_deref().map(Value::Text),
        CallField::Step => call.step.map(Value::Whole),
        CallField::LatencyMs => call.latency_ms.map(Value::Float),
        CallField::Effect => call.effect.map(|effect| Value::Text(Effect::as_str(effect))),
        CallField::Agent => call.agent.as_deref().map(Value::Text),
        CallField::Truncated => call.truncated.map(Value::Flag),
    }
}

/// Tokens as JSON: a number where only the total is known.
pub(in crate::recording) fn tokens_text(tokens: &Tokens) -> Option<String> {
    let Tokens { total, input, output, cache_read, cache_write, reasoning } = *tokens;
    let classes = [
        ("total", total),
        ("input", input),
        ("output", output),
        ("cacheRead", cache_read),
        ("cacheWrite", cache_write),
        ("reasoning", reasoning),
    ];
    if let (Some(total), true) = (total, classes[1..].iter().all(|(_, count)| count.is_none())) {
        return Some(total.to_string());
    }
    let mut text = String::new();
    for (key, count) in classes {
        let Some(count) = count else { continue };
        text.push_str(if text.is_empty() { "{\"" } else { ",\"" });
        text.push_str(key);
        text.push_str("\":");
        text.push_str(&count.to_string());
    }
    if text.is_empty() {
        return None;
    }
    text.push('}');
    Some(text)
}

/// The fields of `extra` as a JSON object, in their order. Empty: `None`.
pub(in crate::recording) fn extra_text(extra: &Extra) -> Option<String> {
    (!extra.is_empty()).then(|| Writer::new(extra).finish())
}

/// Writes an object field by field; what `extra` holds under the same key wins.
struct Writer<'a> {
    out: String,
    extra: &'a Extra,
}

impl<'a> Writer<'a> {
    fn new(extra: &'a Extra) -> Self {
        Self { out: String::from("{"), extra }
    }

    /// Starts a field, unless `extra` has it.
    fn begins(&mut self, key: &str) -> bool {
        if self.extra.iter().any(|(name, _)| name.as_str() == key) {
            return false;
        }
        self.comma();
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
        true
    }

    fn comma(&mut self) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
    }

    fn value(&mut self, key: &str, value: Option<Value<'_>>) {
        let Some(value) = value else { return };
        match value {
            // JSON has no such number, and a line that no reader takes would lose the rest too.
            Value::Float(float) if !float.is_finite() => {}
            Value::Float(float) => self.shown(key, Some(float_text(float))),
            Value::Whole(whole) => self.shown(key, Some(whole)),
            Value::Flag(flag) => self.shown(key, Some(flag)),
            Value::Text(text) => {
                if self.begins(key) {
                    push_quoted(&mut self.out, text);
                }
            }
            Value::Json(json) => {
                if self.begins(key) {
                    self.json(json);
                }
            }
        }
    }

    fn shown(&mut self, key: &str, value: Option<impl Display>) {
        if let Some(value) = value
            && self.begins(key)
        {
            use std::fmt::Write as _;
            // Writing to a string cannot fail.
            let _ = write!(self.out, "{value}");
        }
    }

    fn list<T>(&mut self, key: &str, items: Option<&[T]>, write: impl Fn(&T) -> String) {
        if let Some(items) = items
            && self.begins(key)
        {
            self.out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    self.out.push(',');
                }
                self.out.push_str(&write(item));
            }
            self.out.push(']');
        }
    }

    /// A line break in JSON can only stand between tokens (a text has it escaped), and one row is one line.
    fn json(&mut self, json: &Json) {
        if json.text().contains(['\n', '\r']) {
            self.out.push_str(json.compact().text());
        } else {
            self.out.push_str(json.text());
        }
    }

    fn finish(mut self) -> String {
        for (key, value) in self.extra {
            self.comma();
            self.out.push_str(&key.quoted());
            self.out.push(':');
            self.json(value);
        }
        self.out.push('}');
        self.out
    }
}

/// Appends a text as a JSON string.
fn push_quoted(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(Json::string(text).text());
    }
}
