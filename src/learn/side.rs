//! One side of a difference, read back from how it is told.

use crate::compare::{ToolRules, Value};
use crate::recording::Json;

/// What stands on one side of a difference.
#[derive(Clone, Debug)]
pub(super) enum Side<'a> {
    /// Nothing.
    Absent,
    /// A value.
    There {
        /// As it is told.
        text: &'a str,
        /// As it is compared.
        value: Box<Value>,
        /// As it is written in a recording.
        json: Json,
    },
    /// A value of which only a part is kept.
    Cut(&'a str),
}

impl<'a> Side<'a> {
    pub(super) fn read(text: Option<&'a str>) -> Self {
        let Some(text) = text else { return Side::Absent };
        match Json::parse(text) {
            Ok(json) => Side::There { text, value: Box::new(Value::read(&json, &ToolRules::none())), json },
            Err(_) => Side::Cut(text),
        }
    }

    pub(super) fn value(&self) -> Option<&Value> {
        if let Side::There { value, .. } = self { Some(value) } else { None }
    }

    pub(super) fn json(&self) -> Option<&Json> {
        if let Side::There { json, .. } = self { Some(json) } else { None }
    }

    /// As it is told, where something stands there.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self {
            Side::Absent => None,
            Side::There { text, .. } | Side::Cut(text) => Some(text),
        }
    }
}

/// The words of a text or number; other values have none.
pub(super) fn words_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => text.as_str().map(str::to_owned),
        Value::Number(number) => Some(number.to_string()),
        Value::Referred(referred) => words_of(referred.value()),
        _ => None,
    }
}
