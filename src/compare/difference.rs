//! Where two values differ, said so that a reader sees it.

use std::collections::HashMap;
use std::fmt;

use super::canonical::Value;
use super::excerpt::{IN_SENTENCE, around_difference, beginning, escaped, kept, kept_pair};
use super::hint::{self, Hint};
use super::how::How;
use super::path::{Path, PathStep};
use super::walk::walk;

/// One difference: where, what was expected, what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where in the arguments.
    pub path: Path,
    /// What kind of difference.
    pub change: Change,
    /// What was recorded; long values are cut to what is around the difference.
    pub expected: Option<String>,
    /// What was seen, likewise.
    pub seen: Option<String>,
    /// What a reader may not see at once.
    pub hint: Option<Hint>,
    /// The rules that it was held to, as they are written; none where values are compared exactly.
    pub rules: Vec<String>,
    /// A way of comparing this place that would have accepted it, where there is one that a person may well mean.
    pub remedy: Option<String>,
}

/// The kinds of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
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
    /// The arguments are cut off on one side.
    CutOff,
    /// The arguments are encoded as JSON twice on one side.
    DoubleEncoded,
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
            Change::CutOff => "cut-off arguments",
            Change::DoubleEncoded => "double-encoded arguments",
        }
    }
}

impl Difference {
    pub(super) fn whole(path: Path, change: Change, expected: &str, seen: &str) -> Self {
        let (expected, seen) = kept_pair(expected, seen);
        Self { expected: Some(expected), seen: Some(seen), ..Self::bare(path, change) }
    }

    fn bare(path: Path, change: Change) -> Self {
        Self { path, change, expected: None, seen: None, hint: None, rules: Vec::new(), remedy: None }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match (&self.expected, &self.seen) {
            (Some(expected), Some(seen)) => {
                let (expected, seen) = around_difference(expected, seen, IN_SENTENCE);
                write!(f, "{path}: {expected} -> {seen}")?;
            }
            (Some(expected), None) => write!(f, "{path}: {} is missing", beginning(expected, IN_SENTENCE))?,
            (None, Some(seen)) => write!(f, "{path}: {} was added", beginning(seen, IN_SENTENCE))?,
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
    mark_spellings(&mut found);
    found
}

/// A difference in words.
fn told(path: &Path, expected: Option<&Value>, seen: Option<&Value>) -> Difference {
    match (expected, seen) {
        (Some(expected), Some(seen)) => changed(expected, seen, path),
        (Some(value), None) | (None, Some(value)) => one_sided(value, path, expected.is_some()),
        (None, None) => Difference::bare(path.clone(), Change::Value),
    }
}

fn one_sided(value: &Value, path: &Path, was_recorded: bool) -> Difference {
    let shown = Some(kept(&value.to_string()));
    let hint = hint::alone(value);
    let remedy = Some(match hint {
        Some(Hint::NullAndAbsent) => How::NullIsAbsent.to_string(),
        Some(Hint::EmptyAndAbsent) => format!("default({value})"),
        _ => How::Optional.to_string(),
    });
    let remedy = remedy.filter(|_| !matches!(path.steps().last(), Some(PathStep::Index(_) | PathStep::Item)));
    let (change, expected, seen) = match was_recorded {
        true => (Change::Missing, shown, None),
        false => (Change::Added, None, shown),
    };
    let hint = hint.or_else(|| (!was_recorded).then_some(Hint::NotRecorded));
    Difference { expected, seen, hint, remedy, ..Difference::bare(path.clone(), change) }
}

fn changed(expected: &Value, seen: &Value, path: &Path) -> Difference {
    let change = if expected.kind() == seen.kind() { Change::Value } else { Change::Kind };
    if let (Value::Referred(a), Value::Referred(b)) = (expected, seen) {
        let hint = if change == Change::Kind { hint::between(&a.value, &b.value) } else { Some(Hint::OtherSource) };
        return Difference { hint, ..Difference::whole(path.clone(), change, &a.told(), &b.told()) };
    }
    let hint = hint::between(expected, seen);
    let (mut left, mut right) = (expected.to_string(), seen.to_string());
    if hint == Some(Hint::LooksAlike) || (left == right) {
        (left, right) = (escaped(&left), escaped(&right));
    }
    let remedy = hint.and_then(|hint| remedy(hint, expected, seen));
    Difference { hint, remedy, ..Difference::whole(path.clone(), change, &left, &right) }
}

/// A way of comparing that would have accepted both.
fn remedy(hint: Hint, expected: &Value, seen: &Value) -> Option<String> {
    Some(match hint {
        Hint::CaseOnly => How::Caseless.to_string(),
        Hint::OuterSpaceOnly => How::Trim.to_string(),
        Hint::OrderOnly => How::Bag.to_string(),
        Hint::CountsOnly => How::Set.to_string(),
        Hint::Volatile => How::Ignore.to_string(),
        Hint::SameInstant | Hint::Time => {
            let apart = expected.instant()?.duration_since(seen.instant()?).unsigned_abs();
            How::Window(std::time::Duration::from_secs(apart.as_secs() + u64::from(apart.subsec_nanos() > 0)))
                .to_string()
        }
        _ => return None,
    })
}

/// Marks keys that are gone on one side and there in another spelling on the other.
fn mark_spellings(found: &mut [Difference]) {
    let mut spelt: HashMap<(Vec<PathStep>, String), Spelt> = HashMap::new();
    let known = |difference: &Difference| match difference.path.steps().split_last() {
        Some((PathStep::Key(key), around)) => Some((around.to_vec(), hint::letters(key))),
        _ => None,
    };
    let keys: Vec<_> = found.iter().map(known).collect();
    for (at, key) in keys.iter().enumerate() {
        let Some(key) = key else { continue };
        let spelt = spelt.entry(key.clone()).or_default();
        match found[at].change {
            Change::Missing => spelt.gone.get_or_insert(at),
            Change::Added => spelt.came.get_or_insert(at),
            _ => continue,
        };
    }
    for (at, key) in keys.into_iter().enumerate() {
        let twin = key.and_then(|key| spelt.get(&key)).and_then(|spelt| match found[at].change {
            Change::Missing => spelt.came,
            Change::Added => spelt.gone,
            _ => None,
        });
        if let Some(twin) = twin {
            mark_spelling(found, at, twin);
        }
    }
}

/// The first key of a spelling that is gone, and the first that came.
#[derive(Default)]
struct Spelt {
    gone: Option<usize>,
    came: Option<usize>,
}

fn mark_spelling(found: &mut [Difference], at: usize, twin: usize) {
    let key = |at: usize| match found[at].path.steps().last() {
        Some(PathStep::Key(key)) => key.clone(),
        _ => String::new(),
    };
    let (own, other) = (key(at), key(twin));
    let difference = &mut found[at];
    (difference.hint, difference.remedy) = (Some(Hint::KeySpelling), None);
    if hint::names(&own, &other) == Some(Hint::LooksAlike) {
        difference.hint = Some(Hint::KeyLooksAlike);
        let value = difference.expected.as_mut().or(difference.seen.as_mut());
        value.into_iter().for_each(|value| value.push_str(&format!(" (key {})", escaped(&own))));
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::{Policy, ToolRules};
    use super::*;
    use crate::recording::{Json, ToolName};

    fn between(a: &str, b: &str) -> Vec<String> {
        let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &ToolRules::none());
        differences(&read(a), &read(b)).iter().map(Difference::to_string).collect()
    }

    #[test]
    fn a_key_in_other_letters_is_named_and_shown_escaped() {
        assert_eq!(
            between("{\"a\":1}", "{\"\u{430}\":1}"),
            [
                "$.a: 1 (key a) is missing (a key on the other side looks like it, some characters are others (shown escaped))",
                "$.\u{430}: 1 (key \\u{430}) was added (a key on the other side looks like it, some characters are others (shown escaped))",
            ]
        );
        let many = |name: &str| -> String {
            let members: Vec<String> = (0..3_000).map(|at| format!("\"{name}{at}\":1")).collect();
            format!("{{{}}}", members.join(","))
        };
        assert_eq!(between(&many("k"), &many("q")).len(), 6_000, "not every pair of keys is looked at");
    }

    fn under(rule: &str, a: &str, b: &str) -> Vec<String> {
        let policy = Policy::new(vec![rule.parse().unwrap()]);
        let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &policy.tool(&ToolName::new("t")));
        differences(&read(a), &read(b)).iter().map(Difference::to_string).collect()
    }

    #[test]
    fn each_difference_has_its_path_and_both_sides() {
        assert_eq!(
            between(r#"{"a":1,"b":[{"c":"x"},2],"gone":null}"#, r#"{"a":"1","b":[{"c":"y"},2,3],"new":true}"#),
            [
                "$.a: 1 -> \"1\" (written as text both are the same, the types differ)",
                "$.b[0].c: \"x\" -> \"y\"",
                "$.b[2]: 3 was added (the recording does not have this argument)",
                "$.gone: null is missing (null is not absent)",
                "$.new: true was added (the recording does not have this argument)",
            ]
        );
    }

    #[test]
    fn an_item_that_came_in_between_does_not_mark_those_after_it() {
        assert_eq!(
            between("[1,2,3,4]", "[0,1,2,3,4]"),
            ["$[0]: 0 was added (the recording does not have this argument)"]
        );
        assert_eq!(between("[{\"a\":1},2,3]", "[{\"a\":5},2]"), ["$[0].a: 1 -> 5", "$[2]: 3 is missing"]);
        assert_eq!(between("[1,2]", "[3,4]"), ["$[0]: 1 -> 3", "$[1]: 2 -> 4"]);
    }

    #[test]
    fn each_way_of_comparing_accepts_what_it_says_and_no_more() {
        let table = [
            ("present $.a", r#"{"a":1}"#, r#"{"a":"x"}"#, "{}"),
            ("type $.a", r#"{"a":1}"#, r#"{"a":2.5}"#, r#"{"a":"1"}"#),
            ("regex(^o_[0-9]+$) $.a", r#"{"a":"o_1"}"#, r#"{"a":"o_22"}"#, r#"{"a":"x_1"}"#),
            ("one-of([\"a\",\"b\"]) $.a", r#"{"a":"a"}"#, r#"{"a":"b"}"#, r#"{"a":"c"}"#),
            ("tolerance(0.5) $.a", r#"{"a":1}"#, r#"{"a":1.5}"#, r#"{"a":1.6}"#),
            ("tolerance(10%) $.a[*]", r#"{"a":[10,20]}"#, r#"{"a":[9,22]}"#, r#"{"a":[9,23]}"#),
            (
                "window(1m) $.a",
                r#"{"a":"2026-01-01T00:00:00Z"}"#,
                r#"{"a":"2026-01-01T01:01:00+01:00"}"#,
                r#"{"a":"2026-01-01T00:01:01Z"}"#,
            ),
            ("set $.a", r#"{"a":[1,2,2]}"#, r#"{"a":[2,1]}"#, r#"{"a":[2,1,3]}"#),
            ("bag $.a", r#"{"a":[1,2,2]}"#, r#"{"a":[2,1,2]}"#, r#"{"a":[2,1]}"#),
            (
                "sorted-by($.id) $.a",
                r#"{"a":[{"id":1,"x":1},{"id":2}]}"#,
                r#"{"a":[{"id":2},{"id":1,"x":1}]}"#,
                r#"{"a":[{"id":2},{"id":1,"x":2}]}"#,
            ),
            ("null-is-absent $.a", r#"{"a":null}"#, "{}", r#"{"a":0}"#),
            ("default(10) $.a", r#"{"a":10.0}"#, "{}", r#"{"a":11}"#),
            ("optional $.a", r#"{"a":1}"#, "{}", r#"{"a":2}"#),
            ("text $.a", r#"{"a":"{\"b\":1}"}"#, r#"{"a":"{\"b\":1}"}"#, r#"{"a":"{ \"b\":1}"}"#),
            ("trim $.a", r#"{"a":" x"}"#, r#"{"a":"x\n"}"#, r#"{"a":"X"}"#),
            ("caseless $.a", r#"{"a":"GRÖSSE"}"#, r#"{"a":"grösse"}"#, r#"{"a":"grosse"}"#),
            ("exact-unicode $.a", "{\"a\":\"\u{e9}\"}", "{\"a\":\"\u{e9}\"}", "{\"a\":\"e\u{301}\"}"),
            ("ignore $..a", r#"{"x":[{"a":1}]}"#, r#"{"x":[{}]}"#, r#"{"x":[]}"#),
        ];
        for (rule, recorded, passes, fails) in table {
            assert!(under(rule, recorded, passes).is_empty(), "{rule}: {:?}", under(rule, recorded, passes));
            assert!(under(rule, passes, recorded).is_empty(), "{rule} from the other side");
            assert_eq!(under(rule, recorded, fails).len(), 1, "{rule}: {:?}", under(rule, recorded, fails));
        }
    }

    #[test]
    fn items_of_a_list_without_order_keep_their_leeway() {
        let policy = Policy::new(vec!["bag $.a".parse().unwrap(), "tolerance(1) $.a[*]".parse().unwrap()]);
        let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &policy.tool(&ToolName::new("t")));
        let found = |a: &str, b: &str| differences(&read(a), &read(b)).len();
        assert_eq!(found(r#"{"a":[1,2,3]}"#, r#"{"a":[4,2,2]}"#), 0);
        assert_eq!(found(r#"{"a":[1,2,3]}"#, r#"{"a":[5,2,2]}"#), 2);
    }

    #[test]
    fn a_remedy_accepts_what_it_was_offered_for() {
        let pairs = [
            (r#"{"a":"Paris"}"#, r#"{"a":"paris"}"#),
            (r#"{"a":"Paris"}"#, r#"{"a":"Paris "}"#),
            (r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#),
            (r#"{"a":[1,2,2]}"#, r#"{"a":[2,1,1]}"#),
            (r#"{"a":null}"#, "{}"),
            ("{}", r#"{"a":[]}"#),
            ("{}", r#"{"a":{"b":7}}"#),
            (r#"{"a":"2026-01-01T00:00:00Z"}"#, r#"{"a":"2026-01-01T00:00:10.5Z"}"#),
            (r#"{"a":"2026-01-01"}"#, r#"{"a":"2026-03-01"}"#),
            (r#"{"a":"6f1c1d2e-3b4a-4c5d-8e9f-000000000001"}"#, r#"{"a":"6f1c1d2e-3b4a-4c5d-8e9f-000000000002"}"#),
        ];
        for (a, b) in pairs {
            let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &ToolRules::none());
            let found = differences(&read(a), &read(b)).remove(0);
            let rule = format!("{} {}", found.remedy.expect(a), found.path);
            assert!(under(&rule, a, b).is_empty(), "{rule} for {a} {b}");
        }
    }

    #[test]
    fn keys_in_another_spelling_are_told_so() {
        let found = between(r#"{"orderId":1}"#, r#"{"order_id":1}"#);
        assert!(found.len() == 2 && found.iter().all(|told| told.contains("spelt otherwise")), "{found:?}");
    }

    #[test]
    fn what_an_eye_cannot_see_is_shown_escaped() {
        assert_eq!(
            between("\"admin\"", "\"\u{430}dmin\""),
            ["$: \"admin\" -> \"\\u{430}dmin\" (they look alike, some characters are others (shown escaped))"]
        );
        assert!(between("\"ab\"", "\"a\u{200b}b\"")[0].contains("\\u{200b}"));
    }

    #[test]
    fn long_values_are_cut_to_where_they_differ() {
        let long = |last: char| format!("\"{}{last}\"", "x".repeat(1_000_000));
        let shown = between(&long('a'), &long('b')).remove(0);
        assert!(shown.len() < 500 && shown.contains("xa\"") && shown.contains("xb\""), "{shown}");
    }
}
