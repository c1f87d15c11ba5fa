//! One rule of a policy: these tools, these paths, compared this way.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::how::How;
use super::path::{Path, PathPattern, PatternError};
use crate::recording::ToolName;

/// One rule: these tools, these paths, compared this way. Two rules are equal when they say the same.
#[derive(Clone, Debug)]
pub struct Rule {
    tools: glob::Pattern,
    path: PathPattern,
    how: How,
    origin: Origin,
    /// The rule as it is written; what it is known by.
    text: Box<str>,
}

/// Who stated a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// The JSON Schema that a tool declares; any rule of a person is more specific.
    Declared,
    /// A person.
    Stated,
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The path is none.
    #[error(transparent)]
    Path(#[from] PatternError),
    /// The way of comparing is none.
    #[error("{0}")]
    How(String),
    /// It does not say where.
    #[error("{0:?} does not say where: write HOW [TOOL:]PATH, as in caseless search:$.q")]
    Where(String),
    /// It does not say in which way.
    #[error("{text:?} does not say how to compare: write HOW [TOOL:]PATH, as in {instead:?}")]
    Way {
        /// What was written.
        text: String,
        /// What may have been meant.
        instead: String,
    },
    /// The tool is no pattern.
    #[error("{pattern:?} is no pattern of tools: {problem}")]
    Tools {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// It covers everything, so nothing would be compared.
    #[error(
        "the rule would ignore all arguments of all tools; to compare names alone, skip the check: --skip tool-arguments"
    )]
    Everything,
    /// It is for the arguments as a whole, where it has no meaning.
    #[error("a rule is for a place inside the arguments, as in {0} $.id")]
    Root(&'static str),
}

/// Where the arguments of a call stand in an interaction; a path may start with it.
const IN_INTERACTION: &str = "toolCalls[*].arguments";

impl Rule {
    /// A rule for the tools that match a pattern (`*` and `?`), at the places that a path pattern covers.
    ///
    /// # Errors
    /// [`RuleError`] where a pattern is none, or nothing would be left to compare.
    pub fn new(tools: &str, path: &str, how: How) -> Result<Self, RuleError> {
        let path = behind_way(path).unwrap_or(path).parse::<PathPattern>()?;
        let everywhere = tools == "*" && path.covers_every_key();
        let is_root = path.covers(&Path::root());
        match &how {
            How::Schema => {}
            How::Ignore if is_root || everywhere => return Err(RuleError::Everything),
            _ if is_root => return Err(RuleError::Root(how.word())),
            _ => {}
        }
        Self::made(tools, path, how, Origin::Stated)
    }

    /// A rule to ignore `[TOOL:]PATH`, a path into the arguments. TOOL may hold `*` and `?`; without it the rule
    /// is for every tool.
    ///
    /// # Errors
    /// [`RuleError`] when the text is no such path.
    pub fn ignore(text: &str) -> Result<Self, RuleError> {
        let (tools, path) = split_tool(text);
        Self::new(tools, path, How::Ignore)
    }

    /// What a tool declares: this value and absent are alike at this path.
    ///
    /// # Errors
    /// [`RuleError`] where the path is none.
    pub fn declared_default(tool: &ToolName, path: &str, value: crate::recording::Json) -> Result<Self, RuleError> {
        let tools = glob::Pattern::escape(tool.as_str());
        Self::made(&tools, path.parse::<PathPattern>()?, How::Default(value), Origin::Declared)
    }

    fn made(tools: &str, path: PathPattern, how: How, origin: Origin) -> Result<Self, RuleError> {
        let pattern = glob::Pattern::new(tools)
            .map_err(|error| RuleError::Tools { pattern: tools.to_owned(), problem: error.msg.to_owned() })?;
        let by = if origin == Origin::Declared { " (declared)" } else { "" };
        let path_text = path.to_string();
        // The path of an argument that looks like the way to arguments is not taken for it when it is read again.
        let path_text = match behind_way(&path_text) {
            Some(_) => path_text.replacen(".toolCalls", "[\"toolCalls\"]", 1),
            None => path_text,
        };
        let text = format!("{how} {tools}:{path_text}{by}").into();
        Ok(Self { tools: pattern, path, how, origin, text })
    }

    /// Whether a tool can be named in a rule by its name alone: it would not be read as a pattern, or as a part of the
    /// path.
    #[must_use]
    pub fn can_name(tool: &str) -> bool {
        !tool.contains(['*', '?', '[', '$'])
    }

    /// How its places are compared.
    #[must_use]
    pub fn how(&self) -> &How {
        &self.how
    }

    /// Whether it is for a tool.
    #[must_use]
    pub fn is_for(&self, tool: &ToolName) -> bool {
        self.tools.matches(tool.as_str())
    }

    pub(super) fn covers(&self, path: &Path) -> bool {
        self.path.covers(path)
    }

    /// The more specific rule is greater: a tool by name before a pattern of tools before all tools; then the closer
    /// path; then the stricter rule; and where all that is equal, one of the two, always the same.
    pub(super) fn specificity(&self, other: &Self) -> Ordering {
        let rank = |rule: &Self| (rule.closeness_of_tools(), rule.path.closeness(), rule.how.strictness());
        rank(self).cmp(&rank(other)).then_with(|| other.text.cmp(&self.text))
    }

    /// Who states it, whether it names its tools, and with how many characters.
    fn closeness_of_tools(&self) -> (Origin, bool, usize) {
        let tools = self.tools.as_str();
        let named = tools.chars().filter(|c| !matches!(c, '*' | '?')).count();
        let wild = tools.contains(['*', '?', '[']) && glob::Pattern::escape(tools) != tools;
        (self.origin, !wild, named)
    }

    /// Whether it is for something inside a place that another rule is for, and no less specific up to there.
    pub(super) fn reaches_into(&self, place: &Path, outer: &Self) -> bool {
        let on_the_way = self.path.closeness_on_the_way(place).filter(|_| !self.covers(place));
        let outer = (outer.closeness_of_tools(), outer.path.closeness());
        on_the_way.is_some_and(|closeness| (self.closeness_of_tools(), closeness) >= outer)
    }
}

/// What stands behind the way to the arguments, where a path starts with it.
fn behind_way(path: &str) -> Option<&str> {
    let behind = path.strip_prefix("$.").unwrap_or(path).strip_prefix(IN_INTERACTION)?;
    (behind.is_empty() || behind.starts_with(['.', '['])).then_some(behind)
}

/// Splits off the tool: what stands before the `:$` that a path begins with, else before a colon that is in no
/// brackets. So a tool's name may hold colons where its path begins with `$`.
fn split_tool(text: &str) -> (&str, &str) {
    let before_path = text.find(":$").filter(|at| !text[..*at].contains('$'));
    let colon = before_path.or_else(|| text.find(':').filter(|at| !text[..*at].contains(['[', '$'])));
    colon.map_or(("*", text), |at| (&text[..at], &text[at + 1..]))
}

impl FromStr for Rule {
    type Err = RuleError;

    /// Reads `HOW [TOOL:]PATH`, as in `trim $.q`, `tolerance(0.01) refund:$.amount` or `sorted-by($.id) *:$.items`.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let way = || {
            let spaced = text.split_once(':').filter(|(word, _)| How::from_parts(word, None).is_ok());
            let instead = spaced.map_or_else(|| format!("ignore {text}"), |(word, place)| format!("{word} {place}"));
            RuleError::Way { text: text.to_owned(), instead }
        };
        if text.starts_with('$') {
            return Err(way());
        }
        let (how, place) = match text.find(['(', ' ']) {
            Some(at) if text.as_bytes()[at] == b'(' => {
                let (argument, place) =
                    argument_and_place(&text[at + 1..]).ok_or_else(|| RuleError::Where(text.to_owned()))?;
                (How::from_parts(&text[..at], Some(argument)), place)
            }
            Some(at) => (How::from_parts(&text[..at], None), &text[at + 1..]),
            None if How::from_parts(text, None).is_ok() => return Err(RuleError::Where(text.to_owned())),
            None => return Err(way()),
        };
        let (tools, path) = split_tool(place.trim());
        Self::new(tools, path, how.map_err(RuleError::How)?)
    }
}

/// Splits off what stands in parentheses from the place behind it. What stands in them may hold any characters, and so
/// may a key in quotes: they end at the last `) ` that a place follows.
fn argument_and_place(text: &str) -> Option<(&str, &str)> {
    let mut ends = text.rmatch_indices(") ").map(|(at, _)| (&text[..at], &text[at + 2..])).peekable();
    let last = *ends.peek()?;
    Some(ends.find(|(_, place)| split_tool(place.trim()).1.parse::<PathPattern>().is_ok()).unwrap_or(last))
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Rule {}

impl std::hash::Hash for Rule {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PartialOrd for Rule {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rule {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::quoted_key::arbitrary::key;
    use super::super::quoted_key::quoted;
    use super::*;

    #[test]
    fn a_rule_prints_as_it_is_read() {
        for text in [
            "ignore *:$.ts",
            "tolerance(0.01,1%) refund:$.amount",
            "regex(^a(b) c$) look*:$..id",
            "sorted-by($.id) *:$.items",
            "schema *:$",
            "ignore mcp:search:$.ts",
            "ignore mcp:*:$[\"a:$b\"]",
        ] {
            assert_eq!(text.parse::<Rule>().unwrap().to_string(), text);
        }
        assert_eq!("trim q".parse::<Rule>().unwrap().to_string(), "trim *:$.q");
        assert_eq!(Rule::ignore("$[\"a b\"].c").unwrap().to_string(), "ignore *:$[\"a b\"].c");
        assert_eq!(Rule::ignore("toolCalls[*].arguments.ts").unwrap().to_string(), "ignore *:$.ts");
    }

    proptest! {
        #[test]
        fn every_rule_is_read_as_it_is_shown(
            keys in vec(key(), 1..4), inner in key(), how in 0_usize..4, tool in "(\\*|search|mcp:get|a b)",
        ) {
            let keys: Vec<String> = keys.iter().map(|key| format!("[{}]", quoted(key))).collect();
            let path = format!("${}", keys.join(""));
            let how = match how {
                0 => How::Exact,
                1 => How::from_parts("sorted-by", Some(&format!("$[{}]", quoted(&inner)))).unwrap(),
                2 => How::from_parts("default", Some(crate::recording::Json::string(&inner).text())).unwrap(),
                _ => How::from_parts("regex", Some(&regex::escape(&inner))).unwrap(),
            };
            let rule = Rule::new(&tool, &path, how).unwrap();
            let read: Rule = rule.to_string().parse().unwrap();
            prop_assert_eq!(&read, &rule);
            prop_assert_eq!(read.path, rule.path);
            prop_assert_eq!(read.how.to_string(), rule.how.to_string());
            prop_assert_eq!(read.tools, rule.tools);
        }
    }

    #[test]
    fn parentheses_end_where_a_place_follows() {
        for text in [
            r#"sorted-by($["a) b"]) *:$["c) d"]"#,
            r#"regex(a\) b) *:$["x) y"].z"#,
            r#"default("x) $.y") t:$.v"#,
            r#"ignore *:$["toolCalls"][*].arguments.x"#,
        ] {
            assert_eq!(text.parse::<Rule>().unwrap().to_string(), text);
        }
        assert_eq!(
            Rule::ignore("toolCalls[*].argumentsOf").unwrap().to_string(),
            "ignore *:$.toolCalls[*].argumentsOf"
        );
    }

    #[test]
    fn a_rule_that_leaves_nothing_or_says_no_place_is_refused() {
        for all in ["$", "*", "*:*", "$.*", "$..*"] {
            assert_eq!(Rule::ignore(all).unwrap_err(), RuleError::Everything, "{all}");
        }
        assert!(Rule::ignore("refund:*").is_ok(), "one tool's names alone may be compared");
        assert_eq!("type $".parse::<Rule>().unwrap_err(), RuleError::Root("type"));
        let refused = |text: &str| text.parse::<Rule>().unwrap_err().to_string();
        for (place, instead) in [("$.ts", "ignore $.ts"), ("f:$.x", "ignore f:$.x"), ("trim:f:$.x", "trim f:$.x")] {
            assert!(refused(place).ends_with(&format!("as in {instead:?}")), "a place alone is no rule");
        }
        assert!(matches!("trim".parse::<Rule>().unwrap_err(), RuleError::Where(_)));
        assert!(matches!("regex(a".parse::<Rule>().unwrap_err(), RuleError::Where(_)));
        assert!("trim a[".parse::<Rule>().is_err() && "nonsense $.a".parse::<Rule>().is_err());
    }

    #[test]
    fn a_named_tool_and_a_closer_path_are_more_specific() {
        let order = [
            "trim *:$..*",
            "ignore *:$..id",
            "ignore *:$.*.id",
            "ignore *:$.a.*",
            "ignore *:$.a.id",
            "exact *:$.a.id",
            "ignore look*:$..*",
            "ignore lookup:$..*",
            "exact lookup:$.id",
        ];
        let rules: Vec<Rule> = order.iter().map(|text| text.parse().unwrap()).collect();
        for (at, rule) in rules.iter().enumerate() {
            for below in &rules[..at] {
                assert!(
                    rule.specificity(below).is_gt() || rule.path.closeness() == below.path.closeness(),
                    "{rule} > {below}"
                );
            }
        }
        let declared =
            Rule::declared_default(&ToolName::new("lookup"), "$.page", crate::recording::Json::null()).unwrap();
        assert!(rules.iter().all(|rule| rule.specificity(&declared).is_gt()));
    }
}
