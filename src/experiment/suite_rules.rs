//! Rules of comparing as a suite file states them.

use serde::Deserialize;

use super::suite::Number;
use crate::compare::{How, Rule, RuleError};
use crate::recording::Json;

/// A rule as a `[[rule]]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SuiteRule {
    /// The tools, `*` and `?` for any; all where absent.
    pub tool: Option<String>,
    /// The places in the arguments.
    pub path: Option<String>,
    /// The way of comparing, in a word.
    pub how: String,
    /// How far apart numbers may be (`tolerance`).
    pub absolute: Option<Number>,
    /// How far apart they may be as a share of the larger one, as `1%` (`tolerance`).
    pub relative: Option<String>,
    /// What texts must match (`regex`).
    pub pattern: Option<String>,
    /// The values that are alike (`one-of`).
    pub values: Option<Vec<toml::Value>>,
    /// How far apart times may be (`window`), or the path that items are sorted by (`sorted-by`).
    pub by: Option<String>,
    /// What an absent argument means (`default`).
    pub value: Option<toml::Value>,
}

impl SuiteRule {
    /// The rule.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn rule(&self) -> Result<Rule, String> {
        let how = self.how()?;
        let path = match (&self.path, &how) {
            (Some(path), _) => path.as_str(),
            (None, How::Schema) => "$",
            (None, how) => return Err(format!("`{}` needs a path, as in path = \"$.id\"", how.word())),
        };
        Rule::new(self.tool.as_deref().unwrap_or("*"), path, how).map_err(|error: RuleError| error.to_string())
    }

    fn how(&self) -> Result<How, String> {
        let json = |value: &toml::Value| Json::of(value);
        let given = [
            ("absolute", self.absolute.is_some(), "tolerance"),
            ("relative", self.relative.is_some(), "tolerance"),
            ("pattern", self.pattern.is_some(), "regex"),
            ("values", self.values.is_some(), "one-of"),
            ("value", self.value.is_some(), "default"),
        ];
        if let Some((key, _, word)) = given.iter().find(|(_, is_given, word)| *is_given && *word != self.how) {
            return Err(format!("`{key}` belongs to a rule with how = \"{word}\", this one is {:?}", self.how));
        }
        let argument = match self.how.as_str() {
            "tolerance" => {
                let share = self.relative.as_deref().map(|share| match share.ends_with('%') {
                    true => Ok(share.to_owned()),
                    false => Err(format!("{share:?} is no share: write it as 1%")),
                });
                let parts = self.absolute.as_ref().map(ToString::to_string).into_iter().chain(share.transpose()?);
                let parts: Vec<String> = parts.collect();
                if parts.is_empty() {
                    return Err("`tolerance` needs absolute = 0.01, relative = \"1%\", or both".into());
                }
                Some(parts.join(","))
            }
            "regex" => Some(self.pattern.clone().ok_or("`regex` needs a pattern, as in pattern = \"^ord_\"")?),
            "one-of" => {
                let values = self.values.as_ref().ok_or("`one-of` needs values, as in values = [\"a\", \"b\"]")?;
                let values: Vec<String> = values.iter().map(|value| json(value).text().to_owned()).collect();
                Some(format!("[{}]", values.join(",")))
            }
            "window" => Some(self.by.clone().ok_or("`window` needs a time, as in by = \"5m\"")?),
            "sorted-by" => Some(self.by.clone().ok_or("`sorted-by` needs a path into an item, as in by = \"$.id\"")?),
            "default" => {
                let value = self.value.as_ref().ok_or("`default` needs a value, as in value = 10")?;
                Some(json(value).text().to_owned())
            }
            _ if self.by.is_some() => return Err(format!("`by` says nothing to a rule with how = {:?}", self.how)),
            _ => None,
        };
        How::from_parts(&self.how, argument.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(table: &str) -> Result<String, String> {
        toml::from_str::<SuiteRule>(table)
            .map_err(|error| error.message().to_owned())?
            .rule()
            .map(|rule| rule.to_string())
    }

    #[test]
    fn a_table_says_what_a_flag_says() {
        for (table, text) in [
            (
                "tool = \"refund\"\npath = \"$.amount\"\nhow = \"tolerance\"\nabsolute = 0.01\nrelative = \"1%\"",
                "tolerance(0.01,1%) refund:$.amount",
            ),
            ("path = \"id\"\nhow = \"regex\"\npattern = \"^a(b)$\"", "regex(^a(b)$) *:$.id"),
            ("path = \"a\"\nhow = \"one-of\"\nvalues = [\"x\", 1]", "one-of([\"x\",1]) *:$.a"),
            ("path = \"at\"\nhow = \"window\"\nby = \"5m\"", "window(5m) *:$.at"),
            ("path = \"items\"\nhow = \"sorted-by\"\nby = \"$.id\"", "sorted-by($.id) *:$.items"),
            ("path = \"page\"\nhow = \"default\"\nvalue = { a = [1, 2.5] }", "default({\"a\":[1,2.5]}) *:$.page"),
            ("how = \"schema\"", "schema *:$"),
            ("tool = \"get*\"\npath = \"$..id\"\nhow = \"reference\"", "reference get*:$..id"),
        ] {
            assert_eq!(rule(table).as_deref(), Ok(text), "{table}");
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_said() {
        for (table, said) in [
            ("how = \"trim\"", "needs a path"),
            ("path = \"a\"\nhow = \"tolerance\"", "absolute = 0.01"),
            ("path = \"a\"\nhow = \"trim\"\nabsolute = 1", "belongs to a rule with how = \"tolerance\""),
            ("path = \"a\"\nhow = \"trim\"\nby = \"x\"", "`by` says nothing"),
            ("path = \"a\"\nhow = \"trm\"", "did you mean trim?"),
            ("path = \"a\"\nhow = \"tolerance\"\nrelative = \"0.1\"", "write it as 1%"),
            ("path = \"a\"\nhow = \"trim\"\nwhat = 1", "unknown field"),
        ] {
            let problem = rule(table).unwrap_err();
            assert!(problem.contains(said), "{table}: {problem}");
        }
    }
}
