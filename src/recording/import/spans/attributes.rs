//! The attributes of a span: keys with values of any kind.

use super::super::super::json::{Json, Kind};
use super::super::fields::as_count;

/// Keys and values in the order they were written.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Attributes(Vec<(String, Json)>);

impl Attributes {
    pub(in super::super) fn push(&mut self, key: String, value: Json) {
        self.0.push((key, value));
    }

    pub(in super::super) fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The value at a key, if it is there and not null.
    pub(in super::super) fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(known, value)| known == key && !value.is_null()).map(|(_, value)| value)
    }

    /// The first of these that is there.
    pub(in super::super) fn first(&self, keys: &[&str]) -> Option<&Json> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// Whether one of the keys starts so.
    pub(in super::super) fn has_below(&self, prefix: &str) -> bool {
        self.0.iter().any(|(key, _)| key.starts_with(prefix))
    }

    /// A text that says something, or the text of a number.
    pub(in super::super) fn text(&self, key: &str) -> Option<String> {
        let value = self.get(key)?;
        let text = value.shown().into_owned();
        (matches!(value.kind(), Kind::String | Kind::Number) && !text.trim().is_empty()).then_some(text)
    }

    /// The first of these that is a text.
    pub(in super::super) fn first_text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.text(key))
    }

    /// The first of these that is a count.
    pub(in super::super) fn count(&self, keys: &[&str]) -> Option<u64> {
        keys.iter().find_map(|key| as_count(self.get(key)?))
    }

    /// A value, taken as the JSON that it is the text of where it is one.
    pub(in super::super) fn json(&self, key: &str) -> Option<Json> {
        let value = self.get(key)?;
        Some(value.as_str().and_then(|text| Json::parse(text.as_ref()).ok()).unwrap_or_else(|| value.clone()))
    }
}

impl FromIterator<(String, Json)> for Attributes {
    fn from_iter<T: IntoIterator<Item = (String, Json)>>(attributes: T) -> Self {
        Self(attributes.into_iter().collect())
    }
}

/// An object of these members; those that are not there are left out.
pub(in super::super) fn object<'a>(members: impl IntoIterator<Item = (&'a str, Option<Json>)>) -> Json {
    let members = members.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let members: Vec<String> =
        members.map(|(key, value)| format!("{}:{}", Json::string(key).text(), value.text())).collect();
    Json::trusted(format!("{{{}}}", members.join(",")))
}

/// A list of these values.
pub(in super::super) fn list<'a>(items: impl IntoIterator<Item = &'a Json>) -> Json {
    let items: Vec<&str> = items.into_iter().map(Json::text).collect();
    Json::trusted(format!("[{}]", items.join(",")))
}
