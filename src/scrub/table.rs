//! A table of values that must go and values that must stay: how often the finders are wrong.

use super::{ScrubKey, ScrubRules, Scrubber};
use crate::recording::Json;

/// One value of the table.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Value {
    /// The text, or JSON, that is scrubbed.
    text: Option<String>,
    json: Option<serde_json::Value>,
    /// The parts that must go. None: nothing may change.
    #[serde(default)]
    goes: Vec<String>,
    /// The parts that must stay though others go.
    #[serde(default)]
    stays: Vec<String>,
}

fn scrubber() -> Scrubber {
    let key = ScrubKey::new("the key of the table of values", "the test").unwrap();
    Scrubber::new(&ScrubRules::default(), key).unwrap()
}

#[test]
fn what_must_go_goes_and_what_must_stay_stays() {
    let scrubber = scrubber();
    // In pieces, so that no scanner of secrets takes the table for a leak.
    let table = include_str!("../../tests/data/scrub.jsonl").replace("~~", "");
    let (mut missed, mut false_alarms, mut values) = (Vec::new(), Vec::new(), 0);
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        values += 1;
        let (before, after) = match (&value.text, &value.json) {
            (Some(text), None) => (text.clone(), scrubber.text(text)),
            (None, Some(json)) => (json.to_string(), scrubber.json(&Json::of(json)).text().to_owned()),
            _ => panic!("text or json: {line}"),
        };
        missed.extend(
            value.goes.iter().filter(|part| after.contains(part.as_str())).map(|part| format!("{part} in {after}")),
        );
        assert!(value.goes.iter().chain(&value.stays).all(|part| before.contains(part.as_str())), "{line}");
        if value.goes.is_empty() && after != before {
            false_alarms.push(format!("{before} -> {after}"));
        }
        false_alarms.extend(
            value
                .stays
                .iter()
                .filter(|part| !after.contains(part.as_str()))
                .map(|part| format!("{part} in {before} -> {after}")),
        );
    }
    let (missed_count, false_count) = (missed.len(), false_alarms.len());
    println!("{values} values: {missed_count} missed, {false_count} false alarms");
    assert!(values >= 100, "{values} values");
    assert!(
        missed.is_empty() && false_alarms.is_empty(),
        "missed:\n{}\nfalse alarms:\n{}",
        missed.join("\n"),
        false_alarms.join("\n")
    );
}
