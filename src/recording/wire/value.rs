//! One field's value on its way into or out of an interaction.

use std::borrow::Cow;

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
        self.as_json().into_owned()
    }

    /// The same, without a copy where it came as JSON.
    pub(in crate::recording) fn as_json(&self) -> Cow<'_, Json> {
        Cow::Owned(match self {
            Value::Json(json) => return Cow::Borrowed(json),
            Value::Text(text) => Json::string(text),
            Value::Whole(whole) => Json::of(whole),
            Value::Float(float) if float.is_finite() => Json::trusted(float_text(*float)),
            Value::Float(float) => Json::string(&float.to_string()),
            Value::Flag(flag) => Json::of(flag),
        })
    }
}

/// A double as JSON, whole ones without a point.
pub(in crate::recording) fn float_text(number: f64) -> String {
    match number {
        // The usual case, without the work of printing a fraction.
        whole if whole.fract() == 0.0 && (0.0..1e15).contains(&whole) && whole.is_sign_positive() => {
            (whole as u64).to_string()
        }
        whole if whole.fract() == 0.0 && whole.abs() < 1e15 => format!("{whole:.0}"),
        fraction => format!("{fraction}"),
    }
}
