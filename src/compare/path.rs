//! Paths into a value, and patterns of paths.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use super::quoted_key::{quoted, unquoted};
use crate::recording::Json;

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathStep {
    /// A member of an object.
    Key(String),
    /// An item of a list, counted from 0.
    Index(usize),
    /// An item of a list that is compared whatever its order.
    Item,
}

/// Where in a value, as `$.filters[0].id`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(Vec<PathStep>);

impl Path {
    /// The whole value.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// The steps from the outside in.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    pub(super) fn push(&mut self, step: PathStep) {
        self.0.push(step);
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    /// What stands there in a value; `None` where nothing does.
    #[must_use]
    pub fn find(&self, value: &Json) -> Option<Json> {
        self.0.iter().try_fold(value.clone(), |value, step| match step {
            PathStep::Key(key) => value.member(key),
            PathStep::Index(index) => value.items()?.into_iter().nth(*index),
            PathStep::Item => None,
        })
    }

    /// The path with `[*]` for every place in a list: what differences are grouped by.
    #[must_use]
    pub fn general(&self) -> String {
        shown(self.0.iter().map(|step| match step {
            PathStep::Key(key) => Segment::Key(key.clone()),
            PathStep::Index(_) | PathStep::Item => Segment::AnyIndex,
        }))
    }
}

impl FromStr for Path {
    type Err = PatternError;

    /// Reads a path that names one place: a [`PathPattern`] without wildcards.
    fn from_str(text: &str) -> Result<Self, PatternError> {
        let PathPattern(segments) = text.parse()?;
        let steps = segments.into_iter().map(|segment| match segment {
            Segment::Key(key) => Some(PathStep::Key(key)),
            Segment::Index(index) => Some(PathStep::Index(index)),
            Segment::AnyKey | Segment::AnyIndex | Segment::Descent => None,
        });
        let problem = "it must name one place, without * and ..";
        steps.collect::<Option<_>>().map(Self).ok_or_else(|| PatternError { pattern: text.to_owned(), problem })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(self.0.iter().map(|step| match step {
            PathStep::Key(key) => Segment::Key(key.clone()),
            PathStep::Index(index) => Segment::Index(*index),
            PathStep::Item => Segment::AnyIndex,
        })))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Segment {
    Key(String),
    AnyKey,
    Index(usize),
    AnyIndex,
    /// Any number of steps, also none.
    Descent,
}

fn shown(segments: impl Iterator<Item = Segment>) -> String {
    let mut path = String::from("$");
    for segment in segments {
        match segment {
            Segment::Key(key) if is_plain(&key) => {
                if !path.ends_with("..") {
                    path.push('.');
                }
                path.push_str(&key);
            }
            Segment::Key(key) => path.push_str(&format!("[{}]", quoted(&key))),
            Segment::AnyKey => path.push_str(if path.ends_with("..") { "*" } else { ".*" }),
            Segment::Index(index) => path.push_str(&format!("[{index}]")),
            Segment::AnyIndex => path.push_str("[*]"),
            Segment::Descent => path.push_str(".."),
        }
    }
    path
}

/// A key that needs no quotes in a path.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key != "*" && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// A pattern of paths: `$.ts`, `$.filters[*].id`, `$.*.id`, `$..id`, `$["a b"]`. The `$.` may be left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PathPattern(Vec<Segment>);

/// Why a text is no pattern of paths.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pattern:?} is no path: {problem} (a path looks like $.filters[*].id)")]
pub struct PatternError {
    pattern: String,
    problem: &'static str,
}

impl PathPattern {
    /// Whether it covers every key of an object at the top.
    pub(super) fn covers_every_key(&self) -> bool {
        matches!(self.0.as_slice(), [Segment::AnyKey] | [Segment::Descent, Segment::AnyKey])
    }

    /// How closely it says what it covers.
    pub(super) fn closeness(&self) -> Closeness {
        closeness(&self.0)
    }

    /// How closely it says the way to a place, where it goes on to places inside.
    pub(super) fn closeness_on_the_way(&self, place: &Path) -> Option<Closeness> {
        let ways = (0..self.0.len()).map(|end| &self.0[..end]);
        ways.filter(|way| covers(way, place.steps())).map(closeness).max()
    }

    /// Whether it covers a path.
    #[must_use]
    pub fn covers(&self, path: &Path) -> bool {
        covers(&self.0, path.steps())
    }
}

/// Fewer `..`, then fewer wildcards, then more names make a path closer.
pub(super) type Closeness = (Reverse<usize>, Reverse<usize>, usize);

fn closeness(segments: &[Segment]) -> Closeness {
    let count = |wanted: fn(&Segment) -> bool| segments.iter().filter(|segment| wanted(segment)).count();
    (
        Reverse(count(|segment| *segment == Segment::Descent)),
        Reverse(count(|segment| matches!(segment, Segment::AnyKey | Segment::AnyIndex))),
        count(|segment| matches!(segment, Segment::Key(_) | Segment::Index(_))),
    )
}

/// Each `..` first takes no step; where what follows does not fit, the last `..` takes one more. An earlier one need not:
/// what it could take the last one can take as well. So the time is at most segments times steps.
fn covers(pattern: &[Segment], path: &[PathStep]) -> bool {
    let (mut segment, mut step) = (0, 0);
    let mut last_descent = None;
    loop {
        match (pattern.get(segment), path.get(step)) {
            (Some(Segment::Descent), _) => {
                segment += 1;
                last_descent = Some((segment, step));
            }
            (Some(wanted), Some(found)) if wanted.fits(found) => {
                segment += 1;
                step += 1;
            }
            (None, None) => return true,
            _ => match last_descent {
                Some((behind, taken)) if taken < path.len() => {
                    last_descent = Some((behind, taken + 1));
                    (segment, step) = (behind, taken + 1);
                }
                _ => return false,
            },
        }
    }
}

impl Segment {
    /// Whether it covers one step; a `..` covers any number, which is for [`covers`] to see.
    fn fits(&self, step: &PathStep) -> bool {
        match (self, step) {
            (Segment::Key(wanted), PathStep::Key(key)) => wanted == key,
            (Segment::Index(wanted), PathStep::Index(index)) => wanted == index,
            (Segment::AnyKey, PathStep::Key(_)) | (Segment::AnyIndex, PathStep::Index(_) | PathStep::Item) => true,
            _ => false,
        }
    }
}

impl FromStr for PathPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let bad = |problem| PatternError { pattern: text.to_owned(), problem };
        let mut rest = text.strip_prefix('$').unwrap_or(text);
        let mut segments = Vec::new();
        if !rest.starts_with(['.', '[']) && !rest.is_empty() {
            rest = name(rest, &mut segments).map_err(bad)?;
        }
        while !rest.is_empty() {
            rest = if let Some(below) = rest.strip_prefix("..") {
                segments.push(Segment::Descent);
                if below.starts_with('[') { below } else { name(below, &mut segments).map_err(bad)? }
            } else if let Some(below) = rest.strip_prefix('.') {
                name(below, &mut segments).map_err(bad)?
            } else if let Some(inside) = rest.strip_prefix('[') {
                bracket(inside, &mut segments).map_err(bad)?
            } else {
                return Err(bad("after `]` comes `.`, `[` or the end"));
            };
        }
        Ok(Self(segments))
    }
}

fn name<'a>(text: &'a str, segments: &mut Vec<Segment>) -> Result<&'a str, &'static str> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    match &text[..end] {
        "" => return Err("a name is missing after a point"),
        "*" => segments.push(Segment::AnyKey),
        key if key.contains(']') => return Err("a name with `]` in it stands in brackets and quotes"),
        key => segments.push(Segment::Key(key.to_owned())),
    }
    Ok(&text[end..])
}

fn bracket<'a>(text: &'a str, segments: &mut Vec<Segment>) -> Result<&'a str, &'static str> {
    if text.starts_with(['"', '\'']) {
        let (key, rest) = unquoted(text).ok_or("a quote is not closed")?;
        segments.push(Segment::Key(key));
        return rest.strip_prefix(']').ok_or("`]` is missing");
    }
    let (inside, rest) = text.split_once(']').ok_or("`]` is missing")?;
    segments.push(match inside {
        "*" => Segment::AnyIndex,
        index => Segment::Index(index.parse().map_err(|_| "in brackets stands a number, * or a key in quotes")?),
    });
    Ok(rest)
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(self.0.iter().cloned()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn path(steps: &[PathStep]) -> Path {
        Path(steps.to_vec())
    }

    fn key(text: &str) -> PathStep {
        PathStep::Key(text.into())
    }

    #[test]
    fn patterns_cover_what_they_say() {
        let at = path(&[key("filters"), PathStep::Index(3), key("id")]);
        for pattern in ["$.filters[*].id", "filters[3].id", "$..id", "$.*[*].id", "..[3].id", "$[\"filters\"][*]['id']"]
        {
            assert!(pattern.parse::<PathPattern>().unwrap().covers(&at), "{pattern}");
        }
        for pattern in ["$.filters[*]", "id", "$.filters[2].id", "$.filters.*.id", "$"] {
            assert!(!pattern.parse::<PathPattern>().unwrap().covers(&at), "{pattern}");
        }
    }

    /// What a pattern covers, as one would say it: a `..` takes any number of steps.
    fn covers_by_definition(pattern: &[Segment], path: &[PathStep]) -> bool {
        match (pattern.split_first(), path.split_first()) {
            (None, None) => true,
            (Some((Segment::Descent, rest)), _) => {
                (0..=path.len()).any(|taken| covers_by_definition(rest, &path[taken..]))
            }
            (Some((segment, rest)), Some((step, below))) => segment.fits(step) && covers_by_definition(rest, below),
            _ => false,
        }
    }

    fn segments() -> impl Strategy<Value = Vec<Segment>> {
        let segment = prop_oneof![
            3 => Just(Segment::Descent),
            3 => "[ab]".prop_map(Segment::Key),
            1 => Just(Segment::AnyKey),
            1 => (0_usize..2).prop_map(Segment::Index),
            1 => Just(Segment::AnyIndex),
        ];
        vec(segment, 0..7)
    }

    fn steps() -> impl Strategy<Value = Vec<PathStep>> {
        let step = prop_oneof![
            3 => "[ab]".prop_map(PathStep::Key),
            1 => (0_usize..2).prop_map(PathStep::Index),
            1 => Just(PathStep::Item),
        ];
        vec(step, 0..8)
    }

    proptest! {
        #[test]
        fn what_is_covered_is_what_the_definition_says(pattern in segments(), path in steps()) {
            prop_assert_eq!(covers(&pattern, &path), covers_by_definition(&pattern, &path));
        }
    }

    #[test]
    fn many_descents_over_a_deep_path_come_to_an_end() {
        let deep = path(&vec![key("a"); 500]);
        let pattern = |last: &str| format!("${}{last}", "..a".repeat(20)).parse::<PathPattern>().unwrap();
        assert!(!pattern("..zz").covers(&deep) && pattern("..a").covers(&deep) && pattern("").covers(&deep));
    }

    proptest! {
        #[test]
        fn every_path_is_read_as_it_is_shown(keys in vec(crate::compare::quoted_key::arbitrary::key(), 0..4), index in 0_usize..9) {
            let mut steps: Vec<PathStep> = keys.into_iter().map(PathStep::Key).collect();
            steps.push(PathStep::Index(index));
            steps.rotate_right(index % 2);
            let path = Path(steps);
            prop_assert_eq!(path.to_string().parse::<Path>().unwrap(), path.clone());
            let pattern: PathPattern = path.general().parse().unwrap();
            prop_assert!(pattern.covers(&path));
            prop_assert_eq!(pattern.to_string().parse::<PathPattern>().unwrap(), pattern);
        }

        #[test]
        fn every_pattern_is_read_as_it_is_shown(pattern in segments()) {
            let descents = |pattern: &[Segment]| pattern.windows(2).any(|two| two[0] == Segment::Descent && two[1] == Segment::Descent);
            prop_assume!(!descents(&pattern) && pattern.last() != Some(&Segment::Descent));
            let pattern = PathPattern(pattern);
            prop_assert_eq!(pattern.to_string().parse::<PathPattern>().unwrap(), pattern);
        }
    }

    #[test]
    fn keys_stand_in_quotes_of_either_kind() {
        for (text, wanted) in [
            (r#"$["a\"b"]"#, "a\"b"),
            (r#"$['a"b']"#, "a\"b"),
            (r#"$['it\'s']"#, "it's"),
            (r#"$["c\\d"]"#, "c\\d"),
            (r#"$["a\b"]"#, "a\\b"),
            (r#"$["a\u{200b}"]"#, "a\u{200b}"),
            (r#"$["a\u200b"]"#, "a\u{200b}"),
            (r#"$["a]b"]"#, "a]b"),
        ] {
            let read: Path = text.parse().unwrap();
            assert_eq!(read.steps(), [key(wanted)], "{text}");
            assert_eq!(read.to_string().parse::<Path>().unwrap(), read);
        }
    }

    #[test]
    fn a_pattern_prints_as_it_is_read() {
        for text in ["$.a[*].b", "$..id", "$[\"a b\"].*", "$", "$[0]"] {
            assert_eq!(text.parse::<PathPattern>().unwrap().to_string(), text);
        }
        assert_eq!("ts".parse::<PathPattern>().unwrap().to_string(), "$.ts");
    }

    #[test]
    fn a_bad_pattern_says_what_is_wrong() {
        for text in ["$.", "a[", "a[x]", "a[\"b]", "a[\"b\\\"]", "a]b..", "a]b", "$.a[0]b"] {
            assert!(text.parse::<PathPattern>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_finds_what_stands_there() {
        let value = Json::parse(r#"{"choices":[{"a b":{"n":1.50}}]}"#).unwrap();
        let find = |text: &str| text.parse::<Path>().unwrap().find(&value).map(|found| found.text().to_owned());
        assert_eq!(find("$.choices[0][\"a b\"].n").as_deref(), Some("1.50"));
        assert_eq!(find("$").as_deref(), Some(value.text()));
        for nowhere in ["$.choices[1]", "$.choices.n", "$.choices[0][0]"] {
            assert_eq!(find(nowhere), None, "{nowhere}");
        }
        for pattern in ["$.choices[*]", "$..n", "$.*"] {
            assert!(pattern.parse::<Path>().is_err(), "{pattern}");
        }
    }

    #[test]
    fn paths_show_keys_that_need_quotes() {
        assert_eq!(path(&[key("a b"), PathStep::Index(0)]).to_string(), "$[\"a b\"][0]");
        assert_eq!(path(&[key("a"), PathStep::Index(7)]).general(), "$.a[*]");
    }
}
