//! Reading the fields of an interaction, from JSON or from columns alike.

use std::fmt;

use rust_decimal::Decimal;

use super::super::field::{CallField, Field};
use super::super::interaction::{
    CaseId, Doubt, Effect, Interaction, ModelCall, ModelCalls, Tokens, ToolCall, ToolName,
};
use super::super::json::{Json, Key, Kind, decode_string};
use super::RowFault;
use super::value::{Value, float_text};
use super::write::tokens_text;

/// Reads one interaction.
///
/// Fields that say what happened must have their type, or the row is refused. Fields that measure (tokens, model
/// calls, times, cost, weight) become unknown when they make no sense, with a [`Doubt`] that says so.
///
/// # Errors
/// [`RowFault`] when the value is no interaction.
pub fn read(row: &Json) -> Result<Interaction, RowFault> {
    let members = row.written_members().ok_or(RowFault::NotAnObject(row.kind()))?;
    let mut reader = InteractionReader::new();
    for (key, value) in members {
        reader.member(key, &value)?;
    }
    reader.finish()
}

/// Reads an interaction without its input, which is known: a variant of another one.
///
/// # Errors
/// As [`read`] has them.
pub fn read_part(part: &Json, input: &Json) -> Result<Interaction, RowFault> {
    let members = part.written_members().ok_or(RowFault::NotAnObject(part.kind()))?;
    let mut reader = InteractionReader::new();
    for (key, value) in members {
        reader.member(key, &value)?;
    }
    reader.it.input = input.clone();
    reader.finish()
}

/// Reads the fields that tell what an answer cost, by the same rules, into an interaction that has no others.
pub(super) fn measured(object: &Json) -> Interaction {
    let mut reader = InteractionReader::new();
    for (key, value) in object.members().unwrap_or_default() {
        let told = Field::of_key(&key).filter(|field| {
            matches!(field, Field::ModelCalls | Field::Tokens | Field::Cost | Field::Currency | Field::Model)
        });
        if let Some(field) = told
            && reader.read(field, &Value::Json(&value)).is_err()
        {
            reader.doubts.add(Path::of(field.key()), "a text", &value);
        }
    }
    let InteractionReader { it, doubts: Doubts(doubts) } = reader;
    Interaction { doubts, ..it }
}

/// An interaction that is being read field by field.
pub(in crate::recording) struct InteractionReader {
    it: Interaction,
    doubts: Doubts,
}

impl InteractionReader {
    pub(in crate::recording) fn new() -> Self {
        Self { it: Interaction::new(Json::null()), doubts: Doubts::default() }
    }

    /// Takes a member of a JSON object. What the typed value does not give back exactly is kept in `extra`.
    pub(in crate::recording) fn member(&mut self, quoted_key: &str, value: &Json) -> Result<(), RowFault> {
        let key = decode_string(quoted_key).into_lossy();
        let field = Field::of_key(&key);
        if let (None, Some(meant)) = (field, Field::of_other_spelling(&key)) {
            self.doubts.misspelt(key.into_owned(), meant.key());
        }
        let exact = field.map_or(Ok(false), |field| self.read(field, &Value::Json(value)))?;
        if !exact {
            self.it.extra.push((Key::of_written(quoted_key), value.clone()));
        }
        Ok(())
    }

    /// Takes what a column holds.
    pub(in crate::recording) fn field(&mut self, field: Field, value: &Value<'_>) -> Result<(), RowFault> {
        if !self.read(field, value)? {
            self.it.extra.push((field.key().into(), value.to_json()));
        }
        Ok(())
    }

    /// Takes tool calls that were read one by one.
    pub(in crate::recording) fn calls(&mut self, calls: Vec<ToolCall>) {
        self.it.tool_calls = Some(calls);
    }

    /// Takes tokens that are known to make sense.
    pub(in crate::recording) fn tokens(&mut self, tokens: Tokens) {
        self.it.tokens = tokens;
    }

    /// Where doubts about parts of a field are kept.
    pub(in crate::recording) fn doubts(&mut self) -> &mut Doubts {
        &mut self.doubts
    }

    /// Reads one field and says whether the typed value gives it back exactly.
    fn read(&mut self, field: Field, value: &Value<'_>) -> Result<bool, RowFault> {
        let Self { it, doubts } = self;
        let path = Path::of(field.key());
        match field {
            Field::Id => text(path, value, &mut it.id, |text| CaseId::new(text)),
            Field::Input => {
                it.input = value.to_json();
                Ok(true)
            }
            Field::Output => Ok(json(&value.as_json(), &mut it.output)),
            Field::ToolCalls => tool_calls(doubts, &value.as_json(), &mut it.tool_calls),
            Field::ModelCalls => Ok(model_calls(doubts, path, value, &mut it.model_calls)),
            Field::Tokens => Ok(tokens(doubts, path, value, &mut it.tokens)),
            Field::LatencyMs => Ok(measure(doubts, path, value, &mut it.latency_ms)),
            Field::Cost => Ok(money(doubts, path, &value.as_json(), &mut it.cost)),
            Field::Currency => text(path, value, &mut it.currency, str::to_owned),
            Field::History => list(path, &value.as_json(), &mut it.history),
            Field::Scenario => text(path, value, &mut it.scenario, str::to_owned),
            Field::Tags => tags(path, &value.as_json(), &mut it.tags),
            Field::Weight => Ok(measure(doubts, path, value, &mut it.weight)),
            Field::Session => text(path, value, &mut it.session, str::to_owned),
            Field::Turn => Ok(whole(doubts, path, value, &mut it.turn)),
            Field::Agent => text(path, value, &mut it.agent, str::to_owned),
            Field::Model => text(path, value, &mut it.model, str::to_owned),
            Field::RecordedAt => text(path, value, &mut it.recorded_at, str::to_owned),
            Field::Failure => Ok(said(&value.as_json(), &mut it.failure)),
            Field::Truncated => flag(path, value, &mut it.truncated),
            Field::Variants => list(path, &value.as_json(), &mut it.variants),
        }
    }

    /// The interaction, if what was read is one.
    pub(in crate::recording) fn finish(self) -> Result<Interaction, RowFault> {
        let Self { mut it, doubts: Doubts(mut doubts) } = self;
        if it.input.is_null() {
            return Err(RowFault::Missing("input"));
        }
        if it.input.as_str().is_some_and(|text| text.trim().is_empty()) {
            return Err(RowFault::Blank("input".into()));
        }
        // The order of the fields in a file says nothing: the same doubts must come in the same order from any.
        doubts.sort_by(|a, b| a.path.cmp(&b.path));
        it.doubts = doubts;
        Ok(it)
    }
}

/// A tool call that is being read field by field.
pub(in crate::recording) struct CallReader<'a> {
    index: usize,
    name: Option<ToolName>,
    call: ToolCall,
    doubts: &'a mut Doubts,
}

impl<'a> CallReader<'a> {
    pub(in crate::recording) fn new(index: usize, doubts: &'a mut Doubts) -> Self {
        Self { index, name: None, call: ToolCall::new(ToolName::new(""), None), doubts }
    }

    /// Takes a member of a JSON object.
    pub(in crate::recording) fn member(&mut self, quoted_key: &str, value: &Json) -> Result<(), RowFault> {
        let key = decode_string(quoted_key).into_lossy();
        let field = CallField::of_key(&key);
        if let (None, Some(meant)) = (field, CallField::of_other_spelling(&key)) {
            self.doubts.misspelt(format!("toolCalls[{}].{key}", self.index), meant.key());
        }
        let exact = field.map_or(Ok(false), |field| self.read(field, &Value::Json(value)))?;
        if !exact {
            self.call.extra.push((Key::of_written(quoted_key), value.clone()));
        }
        Ok(())
    }

    /// Takes what a column holds.
    pub(in crate::recording) fn field(&mut self, field: CallField, value: &Value<'_>) -> Result<(), RowFault> {
        if !self.read(field, value)? {
            self.call.extra.push((field.key().into(), value.to_json()));
        }
        Ok(())
    }

    fn read(&mut self, field: CallField, value: &Value<'_>) -> Result<bool, RowFault> {
        let path = Path::in_list(CALLS, self.index, field.key());
        let call = &mut self.call;
        match field {
            CallField::Name => text(path, value, &mut self.name, |text| ToolName::new(text)),
            CallField::Arguments => Ok(json(&value.as_json(), &mut call.arguments)),
            // A recorded null is a result.
            CallField::Result => {
                call.result = Some(value.to_json());
                Ok(true)
            }
            CallField::Error => Ok(tool_error(&value.as_json(), &mut call.error)),
            CallField::Id => text(path, value, &mut call.id, str::to_owned),
            CallField::Step => Ok(whole(self.doubts, path, value, &mut call.step)),
            CallField::LatencyMs => Ok(measure(self.doubts, path, value, &mut call.latency_ms)),
            CallField::Effect => effect(self.doubts, path, value, &mut call.effect),
            CallField::Agent => text(path, value, &mut call.agent, str::to_owned),
            CallField::Truncated => flag(path, value, &mut call.truncated),
        }
    }

    /// The call, if it has a name.
    pub(in crate::recording) fn finish(self) -> Result<ToolCall, RowFault> {
        let path = Path::in_list(CALLS, self.index, "name").to_string();
        match self.name {
            Some(name) if !name.as_str().trim().is_empty() => Ok(ToolCall { name, ..self.call }),
            Some(_) => Err(RowFault::Blank(path)),
            None => Err(RowFault::MissingPart(path)),
        }
    }
}

const CALLS: &str = "toolCalls";
const MODEL_CALLS: &str = "modelCalls";

/// Where a value stands. It becomes a text only where something is wrong.
#[derive(Clone, Copy)]
struct Path<'a> {
    list: Option<(&'static str, usize)>,
    key: &'a str,
    part: Option<&'a str>,
}

impl<'a> Path<'a> {
    fn of(key: &'a str) -> Self {
        Self { list: None, key, part: None }
    }

    fn in_list(list: &'static str, index: usize, key: &'a str) -> Self {
        Self { list: Some((list, index)), key, part: None }
    }

    fn part(self, part: &'a str) -> Self {
        Self { part: Some(part), ..self }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((list, index)) = self.list {
            write!(f, "{list}[{index}]{}", if self.key.is_empty() { "" } else { "." })?;
        }
        f.write_str(self.key)?;
        self.part.map_or(Ok(()), |part| write!(f, ".{part}"))
    }
}

/// What made no sense so far.
#[derive(Default)]
pub(in crate::recording) struct Doubts(Vec<Doubt>);

impl Doubts {
    /// A field whose name is almost one that is known.
    fn misspelt(&mut self, path: String, meant: &str) {
        self.0.push(Doubt { path, problem: format!("kept, but not read: the field is written {meant:?}") });
    }

    fn add(&mut self, path: Path<'_>, wanted: &str, value: &Json) {
        let seen: String = value.text().chars().take(40).collect();
        let problem = format!("{wanted} was expected, this is {seen}; it counts as unknown");
        self.0.push(Doubt { path: path.to_string(), problem });
    }
}

fn json(value: &Json, slot: &mut Option<Json>) -> bool {
    if value.is_null() {
        return false;
    }
    *slot = Some(value.clone());
    true
}

/// A text; a number or boolean is taken by its text.
fn text<T>(
    path: Path<'_>,
    value: &Value<'_>,
    slot: &mut Option<T>,
    make: impl Fn(&str) -> T,
) -> Result<bool, RowFault> {
    if let Value::Text(text) = value {
        *slot = Some(make(text));
        return Ok(true);
    }
    let value = value.as_json();
    match value.kind() {
        Kind::Null => Ok(false),
        Kind::String => {
            let text = value.as_str().unwrap_or_default();
            *slot = Some(make(&text));
            Ok(is_written_as(&value, &text))
        }
        Kind::Number | Kind::Bool => {
            *slot = Some(make(value.text()));
            Ok(false)
        }
        found => Err(RowFault::Wrong { path: path.to_string(), wanted: "a text", found }),
    }
}

/// Whether a JSON string is written as this text would be written again.
fn is_written_as(value: &Json, text: &str) -> bool {
    !value.text().contains('\\') || Json::string(text) == *value
}

/// What went wrong, in any form: a text as it is, anything else as its JSON. Null and false say nothing.
fn said(value: &Json, slot: &mut Option<String>) -> bool {
    if value.is_null() || value.text() == "false" {
        return false;
    }
    let text = value.shown().into_owned();
    let exact = value.kind() == Kind::String && is_written_as(value, &text);
    *slot = Some(text).filter(|text| !text.trim().is_empty());
    exact && slot.is_some()
}

fn list(path: Path<'_>, value: &Json, slot: &mut Option<Json>) -> Result<bool, RowFault> {
    match value.kind() {
        Kind::Null => Ok(false),
        Kind::Array => Ok(json(value, slot)),
        found => Err(RowFault::Wrong { path: path.to_string(), wanted: "a list", found }),
    }
}

fn flag(path: Path<'_>, value: &Value<'_>, slot: &mut Option<bool>) -> Result<bool, RowFault> {
    let value = value.as_json();
    match value.kind() {
        Kind::Null => Ok(false),
        Kind::Bool => {
            *slot = Some(value.text() == "true");
            Ok(true)
        }
        found => Err(RowFault::Wrong { path: path.to_string(), wanted: "true or false", found }),
    }
}

fn tags(path: Path<'_>, value: &Json, slot: &mut Option<Vec<String>>) -> Result<bool, RowFault> {
    let Some(items) = value.items() else {
        return list(path, value, &mut None);
    };
    let tags: Vec<String> = items.iter().map(|item| item.shown().into_owned()).collect();
    let exact = Json::of(&tags) == *value;
    *slot = Some(tags);
    Ok(exact)
}

/// A count: a whole number from 0 on.
fn count(doubts: &mut Doubts, path: Path<'_>, value: &Value<'_>, slot: &mut Option<u64>) -> bool {
    if let Value::Whole(whole) = *value
        && let Ok(whole) = u64::try_from(whole)
    {
        *slot = Some(whole);
        return true;
    }
    let value = value.as_json();
    if value.is_null() {
        return false;
    }
    *slot = as_count(&value);
    if slot.is_none() {
        doubts.add(path, "a count", &value);
    }
    slot.is_some() && is_plain_whole(value.text())
}

/// Whether a JSON number is digits alone: then it is the only way to write its value.
fn is_plain_whole(number: &str) -> bool {
    number.bytes().all(|byte| byte.is_ascii_digit())
}

fn whole(doubts: &mut Doubts, path: Path<'_>, value: &Value<'_>, slot: &mut Option<i64>) -> bool {
    if let Value::Whole(whole) = *value {
        *slot = Some(whole);
        return true;
    }
    let value = value.as_json();
    if value.is_null() {
        return false;
    }
    *slot = value.text().parse().ok().or_else(|| as_count(&value).and_then(|count| count.try_into().ok()));
    if slot.is_none() {
        doubts.add(path, "a whole number", &value);
    }
    slot.is_some_and(|whole| is_plain_whole(value.text()) || whole.to_string() == value.text())
}

/// The largest measure that is one: more milliseconds, or cases, than there can be. Sums of them stay exact enough.
const MOST: f64 = 1e15;

/// A measure that is not negative and not beyond all measure.
fn measure(doubts: &mut Doubts, path: Path<'_>, value: &Value<'_>, slot: &mut Option<f64>) -> bool {
    if let Value::Float(float) = *value
        && (0.0..=MOST).contains(&float)
    {
        *slot = Some(float);
        return true;
    }
    let value = value.as_json();
    if value.is_null() {
        return false;
    }
    if let Some(whole) = short_whole(value.text()) {
        *slot = Some(whole);
        return true;
    }
    let number = (value.kind() == Kind::Number).then(|| value.text().parse::<f64>().ok()).flatten();
    *slot = number.filter(|number| (0.0..=MOST).contains(number));
    if slot.is_none() {
        let wanted = if number.is_some_and(|number| number > MOST) { "at most 1e15" } else { "a number from 0 on" };
        doubts.add(path, wanted, &value);
    }
    slot.is_some_and(|number| float_text(number) == value.text())
}

/// A whole number of at most 15 digits, which a double holds as it is.
fn short_whole(number: &str) -> Option<f64> {
    let is_short = number.len() <= 15 && is_plain_whole(number);
    is_short.then(|| number.parse::<u64>().ok()).flatten().map(|whole| whole as f64)
}

fn money(doubts: &mut Doubts, path: Path<'_>, value: &Json, slot: &mut Option<Decimal>) -> bool {
    if value.is_null() {
        return false;
    }
    let number = (value.kind() == Kind::Number).then(|| as_decimal(value.text())).flatten();
    *slot = number.filter(|number| !number.is_sign_negative());
    if slot.is_none() {
        doubts.add(path, "an amount from 0 on", value);
    }
    slot.is_some_and(|number| number.to_string() == value.text())
}

/// Tokens as a total, or by class. A member that is no class of ours is none of our counts either.
fn tokens(doubts: &mut Doubts, path: Path<'_>, value: &Value<'_>, tokens: &mut Tokens) -> bool {
    let members = match value {
        Value::Json(json) if json.kind() == Kind::Object => json.members().unwrap_or_default(),
        _ => return count(doubts, path, value, &mut tokens.total),
    };
    for (key, value) in &members {
        let slot = match &**key {
            "total" => &mut tokens.total,
            "input" => &mut tokens.input,
            "output" => &mut tokens.output,
            "cacheRead" => &mut tokens.cache_read,
            "cacheWrite" => &mut tokens.cache_write,
            "reasoning" => &mut tokens.reasoning,
            _ => continue,
        };
        count(doubts, path.part(key), &Value::Json(value), slot);
    }
    tokens_text(tokens).is_some_and(|text| text == value.as_json().text())
}

fn model_calls(doubts: &mut Doubts, path: Path<'_>, value: &Value<'_>, slot: &mut Option<ModelCalls>) -> bool {
    let items = match value {
        Value::Json(json) => json.items(),
        _ => None,
    };
    let Some(items) = items else {
        let mut number = None;
        let exact = count(doubts, path, value, &mut number);
        *slot = number.map(ModelCalls::Count);
        return exact;
    };
    let calls = items.iter().enumerate().map(|(index, item)| model_call(doubts, index, item)).collect();
    *slot = Some(ModelCalls::List(calls));
    items.iter().all(|item| item.kind() == Kind::Object)
}

fn model_call(doubts: &mut Doubts, index: usize, item: &Json) -> ModelCall {
    let mut call = ModelCall::default();
    let Some(members) = item.written_members() else {
        doubts.add(Path::in_list(MODEL_CALLS, index, ""), "an object", item);
        return call;
    };
    for (quoted, json) in members {
        let key = decode_string(quoted).into_lossy();
        let (path, value) = (Path::in_list(MODEL_CALLS, index, &key), Value::Json(&json));
        let exact = match &*key {
            "model" => text(path, &value, &mut call.model, str::to_owned).unwrap_or(false),
            "tokens" => tokens(doubts, path, &value, &mut call.tokens),
            "latencyMs" => measure(doubts, path, &value, &mut call.latency_ms),
            "finishReason" => text(path, &value, &mut call.finish_reason, str::to_owned).unwrap_or(false),
            _ => false,
        };
        if !exact {
            call.extra.push((Key::of_written(quoted), json));
        }
    }
    call
}

fn tool_calls(doubts: &mut Doubts, value: &Json, slot: &mut Option<Vec<ToolCall>>) -> Result<bool, RowFault> {
    let Some(items) = value.items() else {
        return list(Path::of(CALLS), value, &mut None);
    };
    // Collecting would not know how many there are and copy them as they become more.
    let mut calls = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        calls.push(tool_call(doubts, index, item)?);
    }
    *slot = Some(calls);
    Ok(true)
}

fn tool_call(doubts: &mut Doubts, index: usize, value: &Json) -> Result<ToolCall, RowFault> {
    let Some(members) = value.written_members() else {
        let path = Path::in_list(CALLS, index, "").to_string();
        return Err(RowFault::Wrong { path, wanted: "an object", found: value.kind() });
    };
    let mut reader = CallReader::new(index, doubts);
    for (key, value) in members {
        reader.member(key, &value)?;
    }
    reader.finish()
}

/// Null, false and a blank text mean that there was no error.
fn tool_error(value: &Json, slot: &mut Option<Json>) -> bool {
    let nothing =
        value.is_null() || value.text() == "false" || value.as_str().is_some_and(|text| text.trim().is_empty());
    !nothing && json(value, slot)
}

fn effect(doubts: &mut Doubts, path: Path<'_>, value: &Value<'_>, slot: &mut Option<Effect>) -> Result<bool, RowFault> {
    let mut word = None;
    let exact = text(path, value, &mut word, str::to_owned)?;
    *slot = word.as_deref().and_then(Effect::read);
    if word.is_some() && slot.is_none() {
        doubts.add(path, "read, write or irreversible", &value.as_json());
    }
    Ok(exact && slot.is_some())
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
