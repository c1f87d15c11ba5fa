//! What may differ without being a difference: rules by tool and path.

use std::fmt;
use std::str::FromStr;

use super::path::{Path, PathPattern, PatternError};
use crate::recording::ToolName;

/// How a place in the arguments is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum How {
    /// Not at all, present or absent.
    Ignore,
}

impl How {
    /// Its word in a suite file and in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            How::Ignore => "ignore",
        }
    }
}

/// One rule: these tools, these paths, compared this way.
#[derive(Clone, Debug)]
pub struct Rule {
    tools: glob::Pattern,
    path: PathPattern,
    how: How,
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The path is none.
    #[error(transparent)]
    Path(#[from] PatternError),
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
}

/// Where the arguments of a call stand in an interaction; a path may start with it.
const IN_INTERACTION: &str = "toolCalls[*].arguments";

impl Rule {
    /// A rule to ignore `[TOOL:]PATH`, a path into the arguments. TOOL may hold `*` and `?`; without it the rule
    /// is for every tool.
    ///
    /// # Errors
    /// [`RuleError`] when the text is no such path.
    pub fn ignore(text: &str) -> Result<Self, RuleError> {
        let (tools, path) = split_tool(text);
        let inside = path.strip_prefix("$.").unwrap_or(path).strip_prefix(IN_INTERACTION);
        let path = inside.unwrap_or(path);
        let pattern = path.parse::<PathPattern>()?;
        if pattern.covers(&Path::root()) || (tools == "*" && pattern.covers_every_key()) {
            return Err(RuleError::Everything);
        }
        let tools = glob::Pattern::new(tools)
            .map_err(|error| RuleError::Tools { pattern: tools.to_owned(), problem: error.msg.to_owned() })?;
        Ok(Self { tools, path: pattern, how: How::Ignore })
    }
}

/// Splits off the tool: what stands before a colon that is in no brackets.
fn split_tool(text: &str) -> (&str, &str) {
    let colon = text.find(':').filter(|at| !text[..*at].contains(['[', '$']));
    colon.map_or(("*", text), |at| (&text[..at], &text[at + 1..]))
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        Self::ignore(text)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}:{}", self.how.as_str(), self.tools, self.path)
    }
}

/// The rules that stub lookup and checks share.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    rules: Vec<Rule>,
}

impl Policy {
    /// A policy of these rules.
    #[must_use]
    pub fn new(rules: Vec<Rule>) -> Self {
        Self { rules }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rules that apply to a tool.
    #[must_use]
    pub fn tool(&self, tool: &ToolName) -> ToolRules<'_> {
        ToolRules { rules: self.rules.iter().filter(|rule| rule.tools.matches(tool.as_str())).collect() }
    }

    /// A hash that changes when a rule does, whatever their order: it stands in every report.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut rules: Vec<String> = self.rules.iter().map(Rule::to_string).collect();
        rules.sort();
        rules.dedup();
        let mut hasher = blake3::Hasher::new();
        for rule in rules {
            hasher.update(rule.as_bytes());
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// The rules of one tool.
#[derive(Clone, Debug)]
pub struct ToolRules<'a> {
    rules: Vec<&'a Rule>,
}

impl ToolRules<'_> {
    /// No rules.
    #[must_use]
    pub fn none() -> Self {
        Self { rules: Vec::new() }
    }

    /// One rule alone; none where it is not for this tool.
    #[must_use]
    pub(super) fn of_one<'a>(rule: &'a Rule, tool: &ToolName) -> ToolRules<'a> {
        ToolRules { rules: Some(rule).filter(|rule| rule.tools.matches(tool.as_str())).into_iter().collect() }
    }

    /// Whether a path is not looked at.
    #[must_use]
    pub fn ignore(&self, path: &Path) -> bool {
        self.rules.iter().any(|rule| rule.how == How::Ignore && rule.path.covers(path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::canonical::Value;
    use super::*;
    use crate::recording::Json;

    fn equal(rule: &str, tool: &str, a: &str, b: &str) -> bool {
        let policy = Policy::new(vec![rule.parse().unwrap()]);
        let tool = ToolName::new(tool);
        let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &policy.tool(&tool));
        read(a) == read(b)
    }

    #[test]
    fn an_ignored_path_hides_itself_and_nothing_else() {
        for rule in ["ts", "$.ts", "*:ts", "look*:$.ts", "toolCalls[*].arguments.ts", "$.toolCalls[*].arguments.ts"] {
            assert!(equal(rule, "lookup", r#"{"id":1,"ts":1}"#, r#"{"id":1,"ts":2}"#), "{rule}");
            assert!(equal(rule, "lookup", r#"{"id":1,"ts":1}"#, r#"{"id":1}"#), "{rule}");
            assert!(!equal(rule, "lookup", r#"{"id":1,"ts":1}"#, r#"{"id":2,"ts":1}"#), "{rule}");
        }
        assert!(!equal("refund:ts", "lookup", r#"{"ts":1}"#, r#"{"ts":2}"#));
    }

    #[test]
    fn an_ignored_path_reaches_into_a_text_that_holds_json() {
        assert!(equal("payload.ts", "t", r#"{"payload":"{\"ts\":1}"}"#, r#"{"payload":"{\"ts\":2}"}"#));
        assert!(equal("$..at[*]", "t", r#"{"x":{"at":[1]}}"#, r#"{"x":{"at":[2]}}"#));
    }

    #[test]
    fn a_rule_for_everything_is_refused() {
        for all in ["$", "*", "*:*", "$.*", "$..*"] {
            assert_eq!(Rule::ignore(all).unwrap_err(), RuleError::Everything, "{all}");
        }
        assert!(Rule::ignore("refund:*").is_ok(), "one tool's names alone may be compared");
        assert!(Rule::ignore("a[").is_err());
    }

    #[test]
    fn the_hash_does_not_depend_on_the_order_of_rules() {
        let policy = |texts: &[&str]| Policy::new(texts.iter().map(|text| text.parse().unwrap()).collect()).hash();
        assert_eq!(policy(&["a", "x:b"]), policy(&["x:b", "a"]));
        assert_ne!(policy(&["a"]), policy(&["b"]));
    }
}
