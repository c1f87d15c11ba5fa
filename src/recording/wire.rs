//! An [`Interaction`] as one JSON object, read and written without loss.
//!
//! What a type cannot hold exactly goes to `extra` and comes back from there, so the rule for every field is the
//! same: read it, write it again in mind, and keep the text where the two differ.

use rust_decimal::Decimal;

use super::interaction::{
    CaseId, Doubt, Effect, Extra, Interaction, ModelCall, ModelCalls, Tokens, ToolCall, ToolName,
};
use super::json::{Fault, Json, Kind};

/// Why a line or row is no interaction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowFault {
    /// It is no JSON, or JSON that cannot be relied on.
    #[error("{0}")]
    Json(#[from] Fault),
    /// It is JSON, but no object.
    #[error("an interaction is an object, this is {0}")]
    NotAnObject(Kind),
    /// A field that must be there is not.
    #[error("no {0:?}: every interaction needs one")]
    Missing(&'static str),
    /// A field that must say something is blank.
    #[error("{0:?} is blank")]
    Blank(String),
    /// A field has the wrong type.
    #[error("{path:?} should be {wanted}, this is {found}")]
    Wrong {
        /// Which field, as `toolCalls[2].name`.
        path: String,
        /// What it should be.
        wanted: &'static str,
        /// What it is.
        found: Kind,
    },
    /// The bytes are no UTF-8 text.
    #[error("{0}")]
    Encoding(String),
}

/// Reads one interaction.
///
/// Fields that say what happened must have their type, or the row is refused. Fields that measure (tokens, model
/// calls, times, cost, weight) become unknown when they make no sense, with a [`Doubt`] that says so.
///
/// # Errors
/// [`RowFault`] when the value is no interaction.
pub fn read(row: &Json) -> Result<Interaction, RowFault> {
    let members = row.members().ok_or(RowFault::NotAnObject(row.kind()))?;
    let mut reader = Reader::default();
    let mut it = Interaction::new(Json::null());
    for (key, value) in &members {
        let key: &str = key;
        let exact = match key {
            "id" => reader.text(key, value, &mut it.id, |text| CaseId::new(text))?,
            "input" => {
                it.input = value.clone();
                true
            }
            "output" => reader.json(value, &mut it.output),
            "toolCalls" => reader.tool_calls(value, &mut it.tool_calls)?,
            "modelCalls" => reader.model_calls(value, &mut it.model_calls),
            "tokens" => reader.tokens(key, value, &mut it.tokens),
            "latencyMs" => reader.millis(key, value, &mut it.latency_ms),
            "cost" => reader.money(key, value, &mut it.cost),
            "currency" => reader.text(key, value, &mut it.currency, str::to_owned)?,
            "history" => reader.list(key, value, &mut it.history)?,
            "scenario" => reader.text(key, value, &mut it.scenario, str::to_owned)?,
            "tags" => reader.tags(value, &mut it.tags)?,
            "weight" => reader.millis(key, value, &mut it.weight),
            "session" => reader.text(key, value, &mut it.session, str::to_owned)?,
            "turn" => reader.whole(key, value, &mut it.turn),
            "agent" => reader.text(key, value, &mut it.agent, str::to_owned)?,
            "model" => reader.text(key, value, &mut it.model, str::to_owned)?,
            "recordedAt" => reader.text(key, value, &mut it.recorded_at, str::to_owned)?,
            "failure" => reader.said(value, &mut it.failure),
            "truncated" => reader.flag(key, value, &mut it.truncated)?,
            _ => false,
        };
        if !exact {
            it.extra.push((key.into(), value.clone()));
        }
    }
    if it.input.is_null() {
        return Err(RowFault::Missing("input"));
    }
    if it.input.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Err(RowFault::Blank("input".into()));
    }
    it.doubts = reader.doubts;
    Ok(it)
}

/// Reads fields one by one. Each method says whether the typed value gives the text back exactly.
#[derive(Default)]
struct Reader {
    doubts: Vec<Doubt>,
}

impl Reader {
    fn doubt(&mut self, path: &str, wanted: &str, value: &Json) {
        let seen: String = value.text().chars().take(40).collect();
        self.doubts.push(Doubt {
            path: path.into(),
            problem: format!("{wanted} was expected, this is {seen}; it counts as unknown"),
        });
    }

    fn json(&mut self, value: &Json, slot: &mut Option<Json>) -> bool {
        if value.is_null() {
            return false;
        }
        *slot = Some(value.clone());
        true
    }

    /// A text; a number or boolean is taken by its text.
    fn text<T>(
        &mut self,
        path: &str,
        value: &Json,
        slot: &mut Option<T>,
        make: impl Fn(&str) -> T,
    ) -> Result<bool, RowFault> {
        match value.kind() {
            Kind::Null => Ok(false),
            Kind::String => {
                let text = value.as_str().unwrap_or_default();
                *slot = Some(make(&text));
                Ok(Json::string(&text) == *value)
            }
            Kind::Number | Kind::Bool => {
                *slot = Some(make(value.text()));
                Ok(false)
            }
            found => Err(RowFault::Wrong { path: path.into(), wanted: "a text", found }),
        }
    }

    /// What went wrong, in any form: a text as it is, anything else as its JSON. Null and false say nothing.
    fn said(&mut self, value: &Json, slot: &mut Option<String>) -> bool {
        if value.is_null() || value.text() == "false" {
            return false;
        }
        let text = value.shown().into_owned();
        let exact = Json::string(&text) == *value;
        *slot = Some(text).filter(|text| !text.trim().is_empty());
        exact && slot.is_some()
    }

    fn list(&mut self, path: &str, value: &Json, slot: &mut Option<Json>) -> Result<bool, RowFault> {
        match value.kind() {
            Kind::Null => Ok(false),
            Kind::Array => Ok(self.json(value, slot)),
            found => Err(RowFault::Wrong { path: path.into(), wanted: "a list", found }),
        }
    }

    fn flag(&mut self, path: &str, value: &Json, slot: &mut Option<bool>) -> Result<bool, RowFault> {
        match value.kind() {
            Kind::Null => Ok(false),
            Kind::Bool => {
                *slot = Some(value.text() == "true");
                Ok(true)
            }
            found => Err(RowFault::Wrong { path: path.into(), wanted: "true or false", found }),
        }
    }

    fn tags(&mut self, value: &Json, slot: &mut Option<Vec<String>>) -> Result<bool, RowFault> {
        let Some(items) = value.items() else {
            return self.list("tags", value, &mut None);
        };
        let tags: Vec<String> = items.iter().map(|item| item.shown().into_owned()).collect();
        let exact = Json::of(&tags) == *value;
        *slot = Some(tags);
        Ok(exact)
    }

    /// A count: a whole number from 0 on.
    fn count(&mut self, path: &str, value: &Json, slot: &mut Option<u64>) -> bool {
        if value.is_null() {
            return false;
        }
        *slot = as_count(value);
        if slot.is_none() {
            self.doubt(path, "a count", value);
        }
        slot.is_some_and(|count| count.to_string() == value.text())
    }

    fn whole(&mut self, path: &str, value: &Json, slot: &mut Option<i64>) -> bool {
        if value.is_null() {
            return false;
        }
        *slot = value.text().parse().ok();
        if slot.is_none() {
            self.doubt(path, "a whole number", value);
        }
        slot.is_some_and(|whole| whole.to_string() == value.text())
    }

    /// A measure that is finite and not negative.
    fn millis(&mut self, path: &str, value: &Json, slot: &mut Option<f64>) -> bool {
        if value.is_null() {
            return false;
        }
        let number = (value.kind() == Kind::Number).then(|| value.text().parse::<f64>().ok()).flatten();
        *slot = number.filter(|number| number.is_finite() && *number >= 0.0);
        if slot.is_none() {
            self.doubt(path, "a number from 0 on", value);
        }
        slot.is_some_and(|number| float_text(number) == value.text())
    }

    fn money(&mut self, path: &str, value: &Json, slot: &mut Option<Decimal>) -> bool {
        if value.is_null() {
            return false;
        }
        let number = (value.kind() == Kind::Number).then(|| as_decimal(value.text())).flatten();
        *slot = number.filter(|number| !number.is_sign_negative());
        if slot.is_none() {
            self.doubt(path, "an amount from 0 on", value);
        }
        slot.is_some_and(|number| number.to_string() == value.text())
    }

    fn tokens(&mut self, path: &str, value: &Json, tokens: &mut Tokens) -> bool {
        match value.kind() {
            Kind::Null => return false,
            Kind::Object => {}
            _ => return self.count(path, value, &mut tokens.total),
        }
        for (key, value) in value.members().unwrap_or_default() {
            let slot = match &*key {
                "total" => &mut tokens.total,
                "input" => &mut tokens.input,
                "output" => &mut tokens.output,
                "cacheRead" => &mut tokens.cache_read,
                "cacheWrite" => &mut tokens.cache_write,
                "reasoning" => &mut tokens.reasoning,
                _ => continue,
            };
            self.count(&format!("{path}.{key}"), &value, slot);
        }
        tokens_text(tokens).is_some_and(|text| text == value.text())
    }

    fn model_calls(&mut self, value: &Json, slot: &mut Option<ModelCalls>) -> bool {
        let Some(items) = value.items() else {
            let mut count = None;
            let exact = self.count("modelCalls", value, &mut count);
            *slot = count.map(ModelCalls::Count);
            return exact;
        };
        let mut calls = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let Some(members) = item.members() else {
                self.doubt(&format!("modelCalls[{index}]"), "an object", item);
                calls.push(ModelCall::default());
                continue;
            };
            calls.push(self.model_call(&format!("modelCalls[{index}]"), members));
        }
        let exact = items.iter().all(|item| item.kind() == Kind::Object);
        *slot = Some(ModelCalls::List(calls));
        exact
    }

    fn model_call(&mut self, at: &str, members: Vec<(std::borrow::Cow<'_, str>, Json)>) -> ModelCall {
        let mut call = ModelCall::default();
        for (key, value) in members {
            let path = format!("{at}.{key}");
            let exact = match &*key {
                "model" => self.text(&path, &value, &mut call.model, str::to_owned).unwrap_or(false),
                "tokens" => self.tokens(&path, &value, &mut call.tokens),
                "latencyMs" => self.millis(&path, &value, &mut call.latency_ms),
                "finishReason" => self.text(&path, &value, &mut call.finish_reason, str::to_owned).unwrap_or(false),
                _ => false,
            };
            if !exact {
                call.extra.push((key.into(), value));
            }
        }
        call
    }

    fn tool_calls(&mut self, value: &Json, slot: &mut Option<Vec<ToolCall>>) -> Result<bool, RowFault> {
        let Some(items) = value.items() else {
            return self.list("toolCalls", value, &mut None);
        };
        let calls = items.iter().enumerate().map(|(index, item)| self.tool_call(&format!("toolCalls[{index}]"), item));
        *slot = Some(calls.collect::<Result<_, _>>()?);
        Ok(true)
    }

    fn tool_call(&mut self, at: &str, value: &Json) -> Result<ToolCall, RowFault> {
        let Some(members) = value.members() else {
            return Err(RowFault::Wrong { path: at.into(), wanted: "an object", found: value.kind() });
        };
        let mut name: Option<ToolName> = None;
        let mut call = ToolCall::new(ToolName::new(""), None);
        for (key, value) in members {
            let path = format!("{at}.{key}");
            let exact = match &*key {
                "name" => self.text(&path, &value, &mut name, |text| ToolName::new(text))?,
                "arguments" => self.json(&value, &mut call.arguments),
                // A recorded null is a result.
                "result" => {
                    call.result = Some(value.clone());
                    true
                }
                "error" => self.tool_error(&value, &mut call.error),
                "id" => self.text(&path, &value, &mut call.id, str::to_owned)?,
                "step" => self.whole(&path, &value, &mut call.step),
                "latencyMs" => self.millis(&path, &value, &mut call.latency_ms),
                "effect" => self.effect(&path, &value, &mut call.effect)?,
                "agent" => self.text(&path, &value, &mut call.agent, str::to_owned)?,
                "truncated" => self.flag(&path, &value, &mut call.truncated)?,
                _ => false,
            };
            if !exact {
                call.extra.push((key.into(), value));
            }
        }
        match name {
            Some(name) if !name.as_str().trim().is_empty() => call.name = name,
            Some(_) => return Err(RowFault::Blank(format!("{at}.name"))),
            None => return Err(RowFault::Wrong { path: format!("{at}.name"), wanted: "a text", found: Kind::Null }),
        }
        Ok(call)
    }

    /// Null, false and a blank text mean that there was no error.
    fn tool_error(&mut self, value: &Json, slot: &mut Option<Json>) -> bool {
        let nothing =
            value.is_null() || value.text() == "false" || value.as_str().is_some_and(|text| text.trim().is_empty());
        !nothing && self.json(value, slot)
    }

    fn effect(&mut self, path: &str, value: &Json, slot: &mut Option<Effect>) -> Result<bool, RowFault> {
        let mut word = None;
        let exact = self.text(path, value, &mut word, str::to_owned)?;
        *slot = word.as_deref().and_then(Effect::read);
        if word.is_some() && slot.is_none() {
            self.doubt(path, "read, write or irreversible", value);
        }
        Ok(exact && slot.is_some())
    }
}

/// A whole number from 0 on, also when it was written as `900.0`.
fn as_count(value: &Json) -> Option<u64> {
    if value.kind() != Kind::Number {
        return None;
    }
    value.text().parse().ok().or_else(|| {
        let number: f64 = value.text().parse().ok()?;
        // Below 2^53 every whole double is exact.
        (number >= 0.0 && number.fract() == 0.0 && number < 9_007_199_254_740_992.0).then_some(number as u64)
    })
}

fn as_decimal(text: &str) -> Option<Decimal> {
    text.parse().ok().or_else(|| Decimal::from_scientific(text).ok())
}

/// A double as JSON, whole ones without a point.
pub(super) fn float_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number:.0}") } else { format!("{number}") }
}

/// Tokens as JSON: a number where only the total is known.
pub(super) fn tokens_text(tokens: &Tokens) -> Option<String> {
    let classes = [
        ("total", tokens.total),
        ("input", tokens.input),
        ("output", tokens.output),
        ("cacheRead", tokens.cache_read),
        ("cacheWrite", tokens.cache_write),
        ("reasoning", tokens.reasoning),
    ];
    if let (Some(total), true) = (tokens.total, classes[1..].iter().all(|(_, count)| count.is_none())) {
        return Some(total.to_string());
    }
    let known: Vec<_> =
        classes.iter().filter_map(|(key, count)| count.map(|count| format!("\"{key}\":{count}"))).collect();
    (!known.is_empty()).then(|| format!("{{{}}}", known.join(",")))
}

/// Writes one interaction as one line of JSON, without the line's end.
#[must_use]
pub fn write(it: &Interaction) -> String {
    let mut out = Writer::new(&it.extra);
    out.field("id", it.id.as_ref().map(|id| quoted(id.as_str())));
    if !it.input.is_null() {
        out.field("input", Some(it.input.text().to_owned()));
    }
    out.field("output", it.output.as_ref().map(|output| output.text().to_owned()));
    out.field("toolCalls", it.tool_calls.as_ref().map(|calls| list(calls.iter().map(write_call))));
    out.field("modelCalls", it.model_calls.as_ref().map(model_calls_text));
    out.field("tokens", tokens_text(&it.tokens));
    out.field("latencyMs", it.latency_ms.map(float_text));
    out.field("cost", it.cost.map(|cost| cost.to_string()));
    out.text("currency", it.currency.as_deref());
    out.field("history", it.history.as_ref().map(|history| history.text().to_owned()));
    out.text("scenario", it.scenario.as_deref());
    out.field("tags", it.tags.as_ref().map(|tags| Json::of(tags).text().to_owned()));
    out.field("weight", it.weight.map(float_text));
    out.text("session", it.session.as_deref());
    out.field("turn", it.turn.map(|turn| turn.to_string()));
    out.text("agent", it.agent.as_deref());
    out.text("model", it.model.as_deref());
    out.text("recordedAt", it.recorded_at.as_deref());
    out.text("failure", it.failure.as_deref());
    out.field("truncated", it.truncated.map(|flag| flag.to_string()));
    out.finish()
}

/// Writes one tool call as a JSON object.
#[must_use]
pub fn write_call(call: &ToolCall) -> String {
    let mut out = Writer::new(&call.extra);
    out.text("name", Some(call.name.as_str()));
    out.field("arguments", call.arguments.as_ref().map(|json| json.text().to_owned()));
    out.field("result", call.result.as_ref().map(|json| json.text().to_owned()));
    out.field("error", call.error.as_ref().map(|json| json.text().to_owned()));
    out.text("id", call.id.as_deref());
    out.field("step", call.step.map(|step| step.to_string()));
    out.field("latencyMs", call.latency_ms.map(float_text));
    out.text("effect", call.effect.map(Effect::as_str));
    out.text("agent", call.agent.as_deref());
    out.field("truncated", call.truncated.map(|flag| flag.to_string()));
    out.finish()
}

fn model_calls_text(calls: &ModelCalls) -> String {
    match calls {
        ModelCalls::Count(count) => count.to_string(),
        ModelCalls::List(calls) => list(calls.iter().map(|call| {
            let mut out = Writer::new(&call.extra);
            out.text("model", call.model.as_deref());
            out.field("tokens", tokens_text(&call.tokens));
            out.field("latencyMs", call.latency_ms.map(float_text));
            out.text("finishReason", call.finish_reason.as_deref());
            out.finish()
        })),
    }
}

fn quoted(text: &str) -> String {
    Json::string(text).text().to_owned()
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
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

    fn field(&mut self, key: &str, value: Option<String>) {
        if let Some(value) = value
            && !self.extra.iter().any(|(name, _)| &**name == key)
        {
            self.push(&format!("\"{key}\""), &value);
        }
    }

    fn text(&mut self, key: &str, value: Option<&str>) {
        self.field(key, value.map(quoted));
    }

    fn push(&mut self, key: &str, value: &str) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        self.out.push_str(key);
        self.out.push(':');
        // A line break can only stand between tokens (a text has it escaped), and one row is one line.
        if value.contains(['\n', '\r']) {
            self.out.extend(value.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
        } else {
            self.out.push_str(value);
        }
    }

    fn finish(mut self) -> String {
        for (key, value) in self.extra {
            self.push(&quoted(key), value.text());
        }
        self.out.push('}');
        self.out
    }
}

/// What an answer cost, as its maker tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// How often a model was asked.
    pub model_calls: Option<ModelCalls>,
    /// Tokens by class.
    pub tokens: Tokens,
    /// What was paid.
    pub cost: Option<Decimal>,
    /// In which currency.
    pub currency: Option<String>,
    /// Which model was asked.
    pub model: Option<String>,
    /// What of it made no sense, and is unknown therefore.
    pub doubts: Vec<Doubt>,
}

/// Reads the usage fields (`modelCalls`, `tokens`, `cost`, `currency`, `model`) of an object by the rules of a
/// recording; all other fields are skipped.
#[must_use]
pub fn read_usage(object: &Json) -> Usage {
    let (mut reader, mut usage) = (Reader::default(), Usage::default());
    for (key, value) in object.members().unwrap_or_default() {
        let key: &str = &key;
        let read = match key {
            "modelCalls" => Ok(reader.model_calls(&value, &mut usage.model_calls)),
            "tokens" => Ok(reader.tokens(key, &value, &mut usage.tokens)),
            "cost" => Ok(reader.money(key, &value, &mut usage.cost)),
            "currency" => reader.text(key, &value, &mut usage.currency, str::to_owned),
            "model" => reader.text(key, &value, &mut usage.model, str::to_owned),
            _ => continue,
        };
        if read.is_err() {
            reader.doubt(key, "a text", &value);
        }
    }
    usage.doubts = reader.doubts;
    usage
}
