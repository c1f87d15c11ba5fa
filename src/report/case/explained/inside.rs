//! Objects and lists: a line for each place in them that changed.

use std::borrow::Cow;

use similar::{Algorithm, DiffOp};

use super::{Line, LineMark, Part, PartKind};
use crate::compare::{Change, Difference, Path, ToolRules, Value, around_difference, beginning, differences};
use crate::recording::Json;
use crate::report::visible::visible;

/// How many characters of a value on a line of its own are shown.
const ON_LINE: usize = 160;
/// How many of each where two stand on one line.
const ONE_OF_TWO: usize = 60;

/// What differs in two values that are not both texts, with the kind of difference in words.
pub(super) fn both(expected: &str, seen: &str) -> Option<(Cow<'static, str>, Vec<Line>)> {
    let (expected, seen) = (read(expected)?, read(seen)?);
    let what = match (expected.kind(), seen.kind()) {
        (was, is) if was == is => Cow::Borrowed("changed"),
        (was, is) => format!("expected {was}, seen {is}").into(),
    };
    let lines = match (opened(&expected), opened(&seen)) {
        (Value::Array(was), Value::Array(is)) if is_whole(&differences(opened(&expected), opened(&seen))) => {
            items(was, is)
        }
        (was, is) if is_container(was) && was.kind() == is.kind() => differences(was, is).iter().map(told).collect(),
        (was, is) => entries(was, LineMark::Expected).into_iter().chain(entries(is, LineMark::Seen)).collect(),
    };
    (!lines.is_empty()).then_some((what, lines))
}

/// What is in an object or list that stands on one side alone.
pub(super) fn alone(value: &str, mark: LineMark) -> Option<Vec<Line>> {
    let value = read(value)?;
    is_container(&value).then(|| entries(&value, mark))
}

fn read(text: &str) -> Option<Value> {
    Json::parse(text).ok().map(|json| Value::read(&json, &ToolRules::none()))
}

/// What a text holds that holds JSON, else the value itself.
fn opened(value: &Value) -> &Value {
    if let Value::Embedded(inner) = value { inner } else { value }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Array(_))
}

/// Whether two lists differ as a whole, as they do when only their order differs.
fn is_whole(found: &[Difference]) -> bool {
    matches!(found, [only] if only.path.steps().is_empty())
}

/// A difference within, on a line.
fn told(difference: &Difference) -> Line {
    let place = place(&difference.path);
    match (&difference.expected, &difference.seen) {
        (Some(was), Some(is)) => {
            let (was, is) = around_difference(was, is, ONE_OF_TWO);
            changed(&place, &was, &is)
        }
        (Some(was), None) => at(LineMark::Expected, &place, was),
        (None, Some(is)) => at(LineMark::Seen, &place, is),
        (None, None) => at(LineMark::Changed, &place, Change::as_str(difference.change)),
    }
}

fn changed(place: &str, was: &str, is: &str) -> Line {
    let part = |kind, text: &str| Part { text: visible(text).into_owned(), kind };
    let parts = vec![
        part(PartKind::Plain, &format!("{place}: ")),
        part(PartKind::SetOff, was),
        part(PartKind::Plain, " -> "),
        part(PartKind::SetOff, is),
    ];
    Line { mark: LineMark::Changed, parts }
}

fn at(mark: LineMark, place: &str, value: &str) -> Line {
    Line::plain(mark, &format!("{place}: {}", beginning(value, ON_LINE)))
}

/// A path within, as `.range.to`.
fn place(path: &Path) -> String {
    let path = path.to_string();
    path.strip_prefix('$').unwrap_or(&path).to_owned()
}

/// What is in an object or list, a line each; another value as it is.
fn entries(value: &Value, mark: LineMark) -> Vec<Line> {
    let found = match value {
        Value::Object(_) => differences(&Value::Object(Vec::new()), value),
        Value::Array(_) => differences(&Value::Array(Vec::new()), value),
        _ => Vec::new(),
    };
    if found.is_empty() {
        return vec![Line::plain(mark, &beginning(&value.to_string(), ON_LINE))];
    }
    let one = |entry: &Difference| at(mark, &place(&entry.path), entry.seen.as_deref().unwrap_or_default());
    found.iter().map(one).collect()
}

/// Lists of the same items in another order: which of them left their place, and where they are now.
fn items(was: &[Value], is: &[Value]) -> Vec<Line> {
    let some = |mark, items: &[Value], start: usize| {
        let place = match items.len() {
            1 => format!("[{start}]"),
            count => format!("[{start}] to [{}]", start + count - 1),
        };
        let texts: Vec<String> = items.iter().map(Value::to_string).collect();
        at(mark, &place, &texts.join(", "))
    };
    let mut lines = Vec::new();
    for op in similar::capture_diff_slices(Algorithm::Myers, was, is) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        if !old.is_empty() {
            lines.push(some(LineMark::Expected, &was[old.clone()], old.start));
        }
        if !new.is_empty() {
            lines.push(some(LineMark::Seen, &is[new.clone()], new.start));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expected: &str, seen: &str) -> String {
        let (what, lines) = both(expected, seen).unwrap();
        let line = |line: &Line| format!("\n{}{}", line.mark.drawn(), line.text());
        what.into_owned() + &lines.iter().map(line).collect::<String>()
    }

    #[test]
    fn a_text_that_holds_json_is_compared_by_what_it_holds() {
        let was = r#"{"a":1,"steps":[{"do":"x","with":{"y":1}},{"do":"z"}],"gone":null}"#;
        let is = r#""{\"a\":1,\"steps\":[{\"do\":\"x\",\"with\":{\"y\":2}},{\"do\":\"z\"},3]}""#;
        insta::assert_snapshot!(shown(was, is), @"
        expected an object, seen a text that holds JSON
        - .gone: null
        | .steps[0].with.y: 1 -> 2
        + .steps[2]: 3
        ");
    }

    #[test]
    fn what_has_nothing_in_common_is_listed_entry_by_entry() {
        let was = r#"{"range":{"from":1,"to":2},"it's":"open"}"#;
        insta::assert_snapshot!(shown(was, r#"[{"status":"open"},{"range":{"from":1,"to":3}}]"#), @r#"
        expected an object, seen a list
        - ["it's"]: "open"
        - .range: {"from":1,"to":2}
        + [0]: {"status":"open"}
        + [1]: {"range":{"from":1,"to":3}}
        "#);
        insta::assert_snapshot!(shown(was, "null"), @r#"
        expected an object, seen null
        - ["it's"]: "open"
        - .range: {"from":1,"to":2}
        + null
        "#);
        let lines = alone(&format!(r#"{{"a":[],"text":"{}"}}"#, "x".repeat(500)), LineMark::Seen).unwrap();
        assert_eq!(lines[0].text(), ".a: []");
        assert!(lines[1].text().ends_with("… (502 characters)"), "{}", lines[1].text());
    }

    #[test]
    fn of_another_order_only_what_left_its_place_is_listed() {
        insta::assert_snapshot!(shown("[1,2,3,4,5,6]", "[3,4,5,1,2,6]"), @"
        changed
        - [0] to [1]: 1, 2
        + [3] to [4]: 1, 2
        ");
        insta::assert_snapshot!(shown(r#"["a","b"]"#, r#"["b","a"]"#), @r#"
        changed
        + [0]: "b"
        - [1]: "b"
        "#);
    }
}
