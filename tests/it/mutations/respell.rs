//! The same calls in another spelling: what they mean to a tool is the same.

use taketwo::recording::{Json, Kind, ToolCall};
use unicode_normalization::UnicodeNormalization;

use super::dice::Dice;
use super::expected::Expected;
use super::subject::{Edited, Subject};
use super::tree::{Tree, arguments};

/// All arguments in another spelling: keys in another order, numbers, letters and white space written otherwise, an
/// object as its text or the other way round; other ids of the calls, and the steps counted otherwise.
pub fn respell(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let run = subject.calls().iter().map(|call| respelled(call, dice)).collect();
    Some(Edited { run, expected: Expected::nothing(), policy: None })
}

/// A call in another spelling.
pub fn respelled(call: &ToolCall, dice: &mut Dice) -> ToolCall {
    let own = |call: &ToolCall| ToolCall {
        id: call.id.as_ref().map(|id| format!("{id}-again")),
        step: call.step.map(|step| 3 * step + 7),
        ..call.clone()
    };
    // Broken arguments equal themselves only.
    let Some(tree) = arguments(call) else { return own(call) };
    let is_text = call.arguments.as_ref().is_some_and(|json| json.kind() == Kind::String);
    let spelled = spell(&tree, dice);
    let is_empty = matches!(&tree, Tree::Object(members) if members.is_empty());
    let arguments = match (is_empty, is_text) {
        (true, _) => dice
            .pick(&[None, Some("{}"), Some("null"), Some("\"\""), Some("\"{ }\"")])
            .copied()
            .flatten()
            .map(|text| Json::parse(text).unwrap()),
        (false, true) => Some(Json::parse(spelled).unwrap()),
        (false, false) => Some(Json::string(&spelled)),
    };
    ToolCall { arguments, ..own(call) }
}

fn spell(tree: &Tree, dice: &mut Dice) -> String {
    match tree {
        Tree::Leaf(json) => match json.kind() {
            Kind::Number => spell_number(json.text(), dice),
            Kind::String => spell_text(json, dice),
            _ => json.text().to_owned(),
        },
        Tree::Embedded(inner) => Json::string(&spell(inner, dice)).text().to_owned(),
        Tree::List(items) => {
            let items: Vec<_> = items.iter().map(|item| spell(item, dice)).collect();
            format!("[ {} ]", items.join("\n, "))
        }
        Tree::Object(members) => {
            let members =
                members.iter().map(|(key, value)| format!("{} :\t{}", Json::string(key).text(), spell(value, dice)));
            let members: Vec<_> = members.collect();
            format!("{{ {} }}", dice.mixed(members).join(" , "))
        }
    }
}

/// The number with more zeros, with an exponent, or with the noise that a double's arithmetic leaves in it.
fn spell_number(number: &str, dice: &mut Dice) -> String {
    let is_plain = !number.contains(['e', 'E']);
    let has_point = number.contains('.');
    match dice.below(3) {
        0 if is_plain && has_point => format!("{number}000"),
        0 if is_plain => format!("{number}.0"),
        1 if is_plain => format!("{number}E+00"),
        2 if is_plain && has_point && digits(number) <= 15 => format!("{:.16e}", number.parse::<f64>().unwrap()),
        _ => number.to_owned(),
    }
}

/// How many digits a number has.
fn digits(number: &str) -> usize {
    number.bytes().filter(u8::is_ascii_digit).count()
}

/// The text with accents written apart, every letter as an escape, or as it was.
fn spell_text(json: &Json, dice: &mut Dice) -> String {
    let text = json.as_str().unwrap();
    match dice.below(3) {
        0 => Json::string(&text.nfd().collect::<String>()).text().to_owned(),
        1 => format!("\"{}\"", text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>()),
        _ => json.text().to_owned(),
    }
}
