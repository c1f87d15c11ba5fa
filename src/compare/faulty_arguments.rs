//! Calls of recordings whose arguments are no object: cut off, broken, or encoded twice.

use serde::Serialize;

use super::arguments::Arguments;
use super::difference::Change;
use super::policy::ToolRules;
use crate::recording::{Interaction, Kind, Place};

/// Recorded calls whose arguments are a text that holds no object, by what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultyArguments {
    /// The text ends before the JSON in it does.
    pub cut_off: u64,
    /// The text is no JSON.
    pub broken: u64,
    /// The text holds the JSON of a text that holds the JSON of an object.
    pub double_encoded: u64,
    /// The first of them: where its interaction stands, and the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
}

impl FaultyArguments {
    /// Counts the calls of the interaction at a place.
    pub fn add(&mut self, place: &Place, interaction: &Interaction) {
        for call in interaction.tool_calls.iter().flatten() {
            // Only a text can hold less, or more, than an object.
            let text = call.arguments.as_ref().filter(|arguments| arguments.kind() == Kind::String);
            let count = match text.and_then(|text| Arguments::read(Some(text), &ToolRules::none()).fault()) {
                Some(Change::CutOff) => &mut self.cut_off,
                Some(Change::DoubleEncoded) => &mut self.double_encoded,
                Some(_) => &mut self.broken,
                None => continue,
            };
            *count += 1;
            self.first.get_or_insert_with(|| format!("{place}: {}", call.name));
        }
    }

    /// How many there are.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.cut_off + self.broken + self.double_encoded
    }

    /// What a person should know of them; `None` where there are none.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        let kinds = [(self.cut_off, "cut off"), (self.broken, "broken JSON"), (self.double_encoded, "encoded twice")];
        let kinds: Vec<String> =
            kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let calls =
            if self.all() == 1 { "1 recorded call has".into() } else { format!("{} recorded calls have", self.all()) };
        Some(format!("{calls} arguments that are no object: {}; the first: {first}", kinds.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{At, Json, wire};

    #[test]
    fn each_fault_is_counted_apart_and_the_first_is_named() {
        let line = r#"{"input":"x","toolCalls":[{"name":"a","arguments":"{\"x\":1}"},{"name":"b","arguments":"{\"x\":"},
            {"name":"c","arguments":"x=1"},{"name":"d","arguments":"\"{\\\"x\\\":1}\""},{"name":"e","arguments":""}]}"#;
        let interaction = wire::read(&Json::parse(line).unwrap()).unwrap();
        let place = Place { file: std::path::Path::new("t.jsonl").into(), at: At::Line { number: 3, offset: 0 } };
        let mut faulty = FaultyArguments::default();
        assert_eq!(faulty.note(), None);
        faulty.add(&place, &interaction);
        assert_eq!((faulty.cut_off, faulty.broken, faulty.double_encoded), (1, 1, 1));
        let note = faulty.note().unwrap();
        assert!(note.contains("1 cut off, 1 broken JSON, 1 encoded twice") && note.ends_with(": b"), "{note}");
    }
}
