//! One field's value on its way into or out of an interaction.

use super::super::json::Json;

/// A value that came as JSON text or as what a column holds.
#[derive(Clone, Debug)]
pub(in crate::recording) enum Value<'a> {
    Json(&'a Json),
    Text(&'a str),
    Whole(i64),
    Float(f64),
    Flag(bool),
}

impl Value<'_> {
    /// The value as JSON text. A double that JSON has no number for becomes a text.
    pub(in crate::recording) fn to_json(&self) -> Json {
        match self {
            Value::Json(json) => (*json).clone(),
            Value::Text(text) => Json::string(text),
            Value::Whole(whole) => Json::of(whole),
            Value::Float(float) if float.is_finite() => Json::trusted(float_text(*float)),
            Value::Float(float) => Json::string(&float.to_string()),
            Value::Flag(flag) => Json::of(flag),
        }
    }
}

/// A double as JSON, whole ones without a point.
pub(in crate::recording) fn float_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number:.0}") } else { format!("{number}") }
}
