//! What rules make of the value at a place.

use std::sync::Arc;

use super::canonical::{Alike, Loose, Value, Written};
use super::how::{Aspect, How};
use super::path::{Path, PathStep};
use super::policy::{ToolRules, Treatment};
use super::reader::Reader;
use super::rule::Rule;
use crate::recording::Json;

/// What lies over the places inside one that is not looked into: they count for nothing, but for those that a more
/// specific rule is for.
#[derive(Clone, Debug)]
pub(super) struct Veil<'a> {
    lifted_by: Vec<&'a Arc<Rule>>,
}

impl Veil<'_> {
    fn is_lifted_at(&self, path: &Path) -> bool {
        self.lifted_by.iter().any(|rule| rule.covers(path))
    }
}

impl<'a> Reader<'a> {
    /// Reads what stands at the next step; `None` where it counts as absent.
    pub(super) fn place(&mut self, step: impl FnOnce() -> PathStep) -> Option<Value> {
        if self.rules.is_empty() {
            return Some(self.value());
        }
        self.path.push(step());
        let value = self.at_place();
        self.path.pop();
        value
    }

    fn at_place(&mut self) -> Option<Value> {
        if self.veil.as_ref().is_some_and(|veil| !veil.is_lifted_at(&self.path)) {
            return looked_at(self.value());
        }
        let outer = self.veil.take();
        let value = self.ruled(&self.rules.at(&self.path));
        self.veil = outer;
        value
    }

    fn ruled(&mut self, treatment: &Treatment<'a>) -> Option<Value> {
        let value = self.equated(treatment)?;
        // What is alike to a value that counts as absent counts as absent too.
        let is_alike = |absent: &str| self.of(absent).equated(treatment).as_ref() == Some(&value);
        if treatment.of(Aspect::Null).is_some() && is_alike("null") {
            return None;
        }
        if let Some(How::Default(json)) = treatment.of(Aspect::Default).map(|rule| rule.how())
            && is_alike(json.text())
        {
            return None;
        }
        Some(match treatment.of(Aspect::Presence) {
            Some(rule) => loose(value, rule),
            None => value,
        })
    }

    /// Reads a value, as what the rule on equality takes it for.
    fn equated(&mut self, treatment: &Treatment<'a>) -> Option<Value> {
        let Some(rule) = treatment.of(Aspect::Equality) else { return Some(self.value_as(treatment)) };
        if matches!(rule.how(), How::Ignore | How::Present | How::Type) {
            return self.veiled(rule, treatment);
        }
        let value = self.value_as(treatment);
        Some(match rule.how() {
            How::Regex(pattern) if scalar_text(&value).is_some_and(|text| pattern.matches(&text)) => {
                Value::Alike(Alike::Fits(Arc::clone(rule), Written::of(&value)))
            }
            How::OneOf(values) if values.iter().any(|json| is_value(&value, json)) => {
                Value::Alike(Alike::Fits(Arc::clone(rule), Written::of(&value)))
            }
            How::Tolerance(_) | How::Window(_) => loose(value, rule),
            How::Reference => match self.origins {
                Some(origins) => origins.trace(value),
                None => value,
            },
            _ => value,
        })
    }

    /// Reads a value that is not looked into. Where more specific rules are for places in it, those places are all that
    /// is left of it.
    fn veiled(&mut self, rule: &'a Arc<Rule>, treatment: &Treatment<'a>) -> Option<Value> {
        let lifted_by = self.rules.inside(&self.path, rule);
        if !lifted_by.is_empty() {
            let from = self.at;
            self.veil = Some(Veil { lifted_by });
            let seen = looked_at(self.value_as(treatment));
            self.veil = None;
            if seen.is_some() {
                return seen;
            }
            self.at = from;
        }
        let none = ToolRules::none();
        let mut whole = self.without_rules(&none);
        let value = whole.value_as(treatment);
        self.at = whole.at;
        match rule.how() {
            How::Present => Some(Value::Alike(Alike::Present(Written::of(&value)))),
            How::Type => Some(Value::Alike(Alike::Type(value.kind(), Written::of(&value)))),
            _ => None,
        }
    }
}

/// What is left of a value under a veil: the places where it is lifted, and what they stand in. How long a list is does
/// not count.
fn looked_at(value: Value) -> Option<Value> {
    let is_seen = |item: &Value| *item != Value::Alike(Alike::Ignored);
    match value {
        Value::Object(members) => (!members.is_empty()).then_some(Value::Object(members)),
        Value::Array(mut items) => {
            let last = items.iter().rposition(is_seen)?;
            items.truncate(last + 1);
            Some(Value::Array(items))
        }
        Value::Unordered(mut items) => {
            items.retain(is_seen);
            (!items.is_empty()).then_some(Value::Unordered(items))
        }
        Value::Embedded(value) => looked_at(*value).map(|value| Value::Embedded(Box::new(value))),
        Value::Loose(inner) => looked_at(inner.value).map(|value| loose(value, &inner.rule)),
        _ => None,
    }
}

fn loose(value: Value, rule: &Arc<Rule>) -> Value {
    Value::Loose(Box::new(Loose { value, rule: Arc::clone(rule) }))
}

/// A list in the order that a rule asks for.
pub(super) fn ordered(mut items: Vec<Value>, rule: Option<&Arc<Rule>>, rules: &ToolRules<'_>) -> Value {
    let Some(rule) = rule else { return Value::Array(items) };
    match rule.how() {
        How::Set => {
            items.sort();
            items.dedup();
            Value::Unordered(items)
        }
        How::Bag => {
            items.sort();
            Value::Unordered(items)
        }
        How::SortedBy(path) => {
            items.sort_by(|a, b| within(a, path).cmp(&within(b, path)).then_with(|| a.cmp(b)));
            // With leeway, items that belong to each other need not come in one order.
            if rules.are_loose() { loose(Value::Array(items), rule) } else { Value::Array(items) }
        }
        _ => Value::Array(items),
    }
}

/// What stands at a path in a value.
fn within<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    path.steps().iter().try_fold(value, |value, step| match (value.bare(), step) {
        (Value::Object(members), PathStep::Key(key)) => {
            members.iter().find(|(known, _)| known.as_str() == Some(key)).map(|(_, value)| value)
        }
        (Value::Array(items), PathStep::Index(index)) => items.get(*index),
        _ => None,
    })
}

fn is_value(value: &Value, json: &Json) -> bool {
    *value == Value::read(json, &ToolRules::none())
}

/// A text or number as text; other values match no pattern.
fn scalar_text(value: &Value) -> Option<std::borrow::Cow<'_, str>> {
    match value {
        Value::Text(text) => Some(text.lossy()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}
