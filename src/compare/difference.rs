//! Where two values differ, said so that a reader sees it.

use std::fmt;

use super::canonical::Value;
use super::path::{Path, PathStep};
use super::text::Text;

/// One difference: where, what was expected, what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where in the arguments.
    pub path: Path,
    /// What kind of difference.
    pub change: Change,
    /// What was recorded, cut to what matters.
    pub expected: Option<String>,
    /// What was seen, cut to what matters.
    pub seen: Option<String>,
    /// What a reader may not see at once.
    pub hint: Option<Hint>,
}

/// The kinds of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// Another value of the same kind.
    Value,
    /// A value of another kind.
    Kind,
    /// It was recorded and is gone.
    Missing,
    /// It was not recorded and is there.
    Added,
    /// The arguments are broken JSON on one side.
    Broken,
}

impl Change {
    /// Its word in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Change::Value => "changed",
            Change::Kind => "type changed",
            Change::Missing => "missing",
            Change::Added => "added",
            Change::Broken => "broken arguments",
        }
    }
}

/// What may help to understand a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hint {
    /// Only upper and lower case differ.
    CaseOnly,
    /// Only white space differs.
    SpaceOnly,
    /// The texts look alike: some characters are others that are drawn the same, or cannot be seen.
    LooksAlike,
    /// The same items in another order.
    OrderOnly,
    /// It looks like an id that is made anew each time.
    Volatile,
    /// It looks like a time.
    Time,
}

impl Hint {
    /// A sentence for a person.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Hint::CaseOnly => "only upper and lower case differ",
            Hint::SpaceOnly => "only white space differs",
            Hint::LooksAlike => "they look alike, some characters are others (shown escaped)",
            Hint::OrderOnly => "the same items in another order",
            Hint::Volatile => "looks like an id made anew each time",
            Hint::Time => "looks like a time",
        }
    }
}

impl Difference {
    pub(super) fn whole(path: Path, change: Change, expected: &str, seen: &str) -> Self {
        let (expected, seen) = cut_pair(expected, seen);
        Self { path, change, expected: Some(expected), seen: Some(seen), hint: None }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match (&self.expected, &self.seen) {
            (Some(expected), Some(seen)) => write!(f, "{path}: {expected} -> {seen}")?,
            (Some(expected), None) => write!(f, "{path}: {expected} is missing")?,
            (None, Some(seen)) => write!(f, "{path}: {seen} was added")?,
            (None, None) => write!(f, "{path}: {}", self.change.as_str())?,
        }
        match self.hint {
            Some(hint) => write!(f, " ({})", hint.as_str()),
            None if self.change == Change::Kind => write!(f, " (type changed)"),
            None => Ok(()),
        }
    }
}

/// All differences of two values, outermost first, in the order of keys and places.
#[must_use]
pub fn differences(expected: &Value, seen: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    walk(expected, seen, &mut Path::root(), &mut |path, expected, seen| found.push(told(path, expected, seen)));
    found
}

/// How many [`differences`] there are; much cheaper than telling them.
#[must_use]
pub(super) fn count_differences(expected: &Value, seen: &Value) -> usize {
    let mut count = 0;
    walk(expected, seen, &mut Path::root(), &mut |_, _, _| count += 1);
    count
}

/// Is shown a place that differs, and what is there on both sides; one of them is `Some`.
type Found<'a> = dyn FnMut(&Path, Option<&Value>, Option<&Value>) + 'a;

fn walk(expected: &Value, seen: &Value, path: &mut Path, found: &mut Found<'_>) {
    if expected == seen {
        return;
    }
    match (expected, seen) {
        (Value::Object(a), Value::Object(b)) => walk_objects(a, b, path, found),
        (Value::Array(a), Value::Array(b)) if !same_items(a, b) => walk_arrays(a, b, path, found),
        (Value::Embedded(a), Value::Embedded(b)) => walk(a, b, path, found),
        _ => found(path, Some(expected), Some(seen)),
    }
}

fn walk_objects(a: &[(Text, Value)], b: &[(Text, Value)], path: &mut Path, found: &mut Found<'_>) {
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let gone = if order.is_le() { left.next() } else { None };
        let came = if order.is_ge() { right.next() } else { None };
        let Some((key, _)) = gone.or(came) else { return };
        path.push(PathStep::Key(key.lossy().into_owned()));
        one_side_or_both(gone.map(|(_, value)| value), came.map(|(_, value)| value), path, found);
        path.pop();
    }
}

fn walk_arrays(a: &[Value], b: &[Value], path: &mut Path, found: &mut Found<'_>) {
    for index in 0..a.len().max(b.len()) {
        path.push(PathStep::Index(index));
        one_side_or_both(a.get(index), b.get(index), path, found);
        path.pop();
    }
}

fn one_side_or_both(expected: Option<&Value>, seen: Option<&Value>, path: &mut Path, found: &mut Found<'_>) {
    match (expected, seen) {
        (Some(expected), Some(seen)) => walk(expected, seen, path, found),
        (expected, seen) => found(path, expected, seen),
    }
}

/// A difference in words.
fn told(path: &Path, expected: Option<&Value>, seen: Option<&Value>) -> Difference {
    let change = match (expected, seen) {
        (Some(expected), Some(seen)) => return changed(expected, seen, path),
        (Some(_), None) => Change::Missing,
        (None, _) => Change::Added,
    };
    let shown = |value: Option<&Value>| value.map(|value| cut(&value.to_string()));
    Difference { path: path.clone(), change, expected: shown(expected), seen: shown(seen), hint: None }
}

fn same_items(a: &[Value], b: &[Value]) -> bool {
    let sorted = |items: &[Value]| {
        let mut hashes: Vec<u128> = items.iter().map(Value::hash128).collect();
        hashes.sort_unstable();
        hashes
    };
    a.len() == b.len() && sorted(a) == sorted(b)
}

fn changed(expected: &Value, seen: &Value, path: &Path) -> Difference {
    let change = if expected.kind() == seen.kind() { Change::Value } else { Change::Kind };
    let hint = hint(expected, seen);
    let (mut left, mut right) = (expected.to_string(), seen.to_string());
    if hint == Some(Hint::LooksAlike) || (left == right) {
        (left, right) = (escaped(&left), escaped(&right));
    }
    Difference { hint, ..Difference::whole(path.clone(), change, &left, &right) }
}

fn hint(expected: &Value, seen: &Value) -> Option<Hint> {
    match (expected, seen) {
        (Value::Array(_), Value::Array(_)) => Some(Hint::OrderOnly),
        (Value::Text(a), Value::Text(b)) => text_hint(a.as_str()?, b.as_str()?),
        _ => None,
    }
}

fn text_hint<'a>(a: &'a str, b: &'a str) -> Option<Hint> {
    // Nothing is collected: of two long texts that differ, little more than their common start is looked at.
    let visible = |text: &'a str| text.chars().filter(|c| !is_space_or_unseen(*c));
    if visible(a).eq(visible(b)) {
        let unseen = |text: &str| text.chars().any(|c| is_space_or_unseen(c) && !c.is_ascii());
        return Some(if unseen(a) || unseen(b) { Hint::LooksAlike } else { Hint::SpaceOnly });
    }
    let lower = |text: &'a str| text.chars().flat_map(char::to_lowercase);
    if lower(a).eq(lower(b)) {
        return Some(Hint::CaseOnly);
    }
    if a.chars().map(drawn_as).eq(b.chars().map(drawn_as)) {
        return Some(Hint::LooksAlike);
    }
    if is_uuid(a) && is_uuid(b) {
        return Some(Hint::Volatile);
    }
    (is_time(a) && is_time(b)).then_some(Hint::Time)
}

fn is_space_or_unseen(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{AD}')
}

/// The Latin letter that a character is drawn like, else the character.
fn drawn_as(c: char) -> char {
    const ALIKE: &str = "аaеeоoрpсcхxуyіiјjѕsԁdһhԛqԝwɡgΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXАAВBЕEКKМMНHОOРPСCТTХX";
    if c.is_ascii() {
        return c;
    }
    let mut letters = ALIKE.chars();
    while let (Some(foreign), Some(latin)) = (letters.next(), letters.next()) {
        if foreign == c {
            return latin;
        }
    }
    c
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}

fn is_time(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok()
}

/// The text with everything outside of ASCII written as escapes.
fn escaped(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() }).collect()
}

/// The longest value that is shown whole, in characters.
const SHOWN: usize = 120;

fn cut(text: &str) -> String {
    let length = text.chars().count();
    if length <= SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHOWN - 20).collect();
    format!("{start}… ({length} characters)")
}

/// Cuts two long values to what stands around their first difference.
fn cut_pair(a: &str, b: &str) -> (String, String) {
    around_difference(a, b, SHOWN)
}

/// Two texts as they are, or cut to what stands around their first difference where one has more than `most`
/// characters.
#[must_use]
pub fn around_difference(a: &str, b: &str, most: usize) -> (String, String) {
    if a.chars().count() <= most && b.chars().count() <= most {
        return (a.to_owned(), b.to_owned());
    }
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(most / 3);
    (window(a, from, most * 2 / 3), window(b, from, most * 2 / 3))
}

fn window(text: &str, from: usize, width: usize) -> String {
    let length = text.chars().count();
    let part: String = text.chars().skip(from).take(width).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if from + width < length { "…" } else { "" };
    format!("{before}{part}{after} ({length} characters)")
}

#[cfg(test)]
mod tests {
    use super::super::policy::ToolRules;
    use super::*;
    use crate::recording::Json;

    fn between(a: &str, b: &str) -> Vec<String> {
        let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &ToolRules::none());
        differences(&read(a), &read(b)).iter().map(Difference::to_string).collect()
    }

    #[test]
    fn each_difference_has_its_path_and_both_sides() {
        assert_eq!(
            between(r#"{"a":1,"b":[{"c":"x"},2],"gone":null}"#, r#"{"a":"1","b":[{"c":"y"},2,3],"new":true}"#),
            [
                "$.a: 1 -> \"1\" (type changed)",
                "$.b[0].c: \"x\" -> \"y\"",
                "$.b[2]: 3 was added",
                "$.gone: null is missing",
                "$.new: true was added",
            ]
        );
    }

    #[test]
    fn what_an_eye_cannot_see_is_said() {
        assert_eq!(
            between("\"admin\"", "\"\u{430}dmin\""),
            ["$: \"admin\" -> \"\\u{430}dmin\" (they look alike, some characters are others (shown escaped))"]
        );
        assert!(between("\"Paris\"", "\"Paris \"")[0].contains("white space"));
        assert!(between("\"ab\"", "\"a\u{200b}b\"")[0].contains("\\u{200b}"));
        assert!(between("\"Search\"", "\"search\"")[0].contains("case"));
        assert!(between("[1,2,3]", "[3,2,1]")[0].contains("another order"));
        let uuid = |last| format!("\"6f1c1d2e-3b4a-4c5d-8e9f-00000000000{last}\"");
        assert!(between(&uuid(1), &uuid(2))[0].contains("made anew"));
    }

    #[test]
    fn long_values_are_cut_to_where_they_differ() {
        let long = |last: char| format!("\"{}{last}\"", "x".repeat(1_000_000));
        let shown = between(&long('a'), &long('b')).remove(0);
        assert!(shown.len() < 500 && shown.contains("xa\"") && shown.contains("xb\""), "{shown}");
    }
}
