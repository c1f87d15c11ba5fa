//! The places in a value, for who looks at what stands where.

use super::arguments::Arguments;
use super::band::{instant_of_number, instant_of_text, nanoseconds_of_number};
use super::canonical::Value;
use super::number::Number;
use super::path::{Path, PathStep};
use super::reference::Referred;

impl Arguments {
    /// Shows each place in them with what stands there, the outer before the inner. Arguments that cannot be read
    /// have none.
    pub(crate) fn for_each_place<'v>(&'v self, visit: &mut dyn FnMut(&Path, &'v Value)) {
        if let Some(value) = self.value() {
            value.each_below(&mut Path::root(), visit);
        }
    }
}

impl Value {
    /// The instant that a text or number means, where it means one.
    pub(crate) fn instant(&self) -> Option<jiff::Timestamp> {
        match self.bare() {
            Value::Text(text) => instant_of_text(text.as_str()?),
            Value::Number(number) => instant_of_number(number),
            _ => None,
        }
    }

    /// The nanoseconds since 1970 that a text or number means, with all digits, where it means a time.
    pub(super) fn nanoseconds(&self) -> Option<Number> {
        let instant = self.instant()?;
        match self.bare() {
            Value::Number(number) => nanoseconds_of_number(number),
            _ => Some(Number::read(&instant.as_nanosecond().to_string())),
        }
    }

    /// Shows the whole with the path `$`, then each place in it.
    pub(super) fn for_each_place<'v>(&'v self, visit: &mut dyn FnMut(&Path, &'v Value)) {
        visit(&Path::root(), self);
        self.each_below(&mut Path::root(), visit);
    }

    fn each_below<'v>(&'v self, path: &mut Path, visit: &mut dyn FnMut(&Path, &'v Value)) {
        let at = |step: PathStep, value: &'v Value, path: &mut Path, visit: &mut dyn FnMut(&Path, &'v Value)| {
            path.push(step);
            visit(path, value);
            value.each_below(path, visit);
            path.pop();
        };
        match self {
            Value::Object(members) => {
                members.iter().for_each(|(key, value)| at(PathStep::Key(key.lossy().into_owned()), value, path, visit));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| at(PathStep::Index(index), item, path, visit));
            }
            Value::Unordered(items) => items.iter().for_each(|item| at(PathStep::Item, item, path, visit)),
            // What a text holds stands at the text's own place.
            Value::Embedded(value) => value.each_below(path, visit),
            Value::Loose(loose) => loose.value.each_below(path, visit),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Alike(_) | Value::Referred(_) => {
            }
        }
    }
}

impl Referred {
    /// What it is, wherever it came from.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::ToolRules;
    use super::*;
    use crate::recording::Json;

    #[test]
    fn each_place_is_shown_once_also_in_texts_that_hold_json() {
        let json = Json::parse(r#"{"a":[1,{"b":"x"}],"c":"{\"d\":null}"}"#).unwrap();
        let arguments = Arguments::read(Some(&json), &ToolRules::none());
        let mut seen = Vec::new();
        arguments.for_each_place(&mut |path, value| seen.push(format!("{path} {}", value.kind())));
        let told = [
            "$.a a list",
            "$.a[0] a number",
            "$.a[1] an object",
            "$.a[1].b a text",
            "$.c a text that holds JSON",
            "$.c.d null",
        ];
        assert_eq!(seen, told);
    }
}
