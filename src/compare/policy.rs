//! What may differ without being a difference: rules by tool and path.

use std::sync::Arc;

use super::declared::{ToolDefinitions, ToolSchema};
use super::how::{Aspect, Decides, How};
use super::path::Path;
use super::rule::Rule;
use crate::recording::ToolName;

/// The rules that stub lookup and checks share.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// As they were given.
    stated: Vec<Rule>,
    /// The most specific first.
    ranked: Vec<Arc<Rule>>,
}

impl Policy {
    /// A policy of these rules. Their order does not matter.
    #[must_use]
    pub fn new(rules: Vec<Rule>) -> Self {
        let mut ranked: Vec<Arc<Rule>> = rules.iter().cloned().map(Arc::new).collect();
        ranked.sort_by(|a, b| b.specificity(a));
        ranked.dedup();
        Self { stated: rules, ranked }
    }

    /// The same with the defaults that tools declare, for the tools that a `schema` rule asks it for.
    #[must_use]
    pub fn with_defaults_of(mut self, definitions: &ToolDefinitions) -> Self {
        let asked: Vec<&Rule> = self.stated.iter().filter(|rule| matches!(rule.how(), How::Schema)).collect();
        let mut declared = Vec::new();
        for tool in definitions.names().filter(|tool| asked.iter().any(|rule| rule.is_for(tool))) {
            let defaults = definitions.schema(tool).map(ToolSchema::defaults).unwrap_or_default();
            let rules =
                defaults.iter().map(|default| Rule::declared_default(tool, &default.path, default.value.clone()));
            declared.extend(rules.flatten());
        }
        self.ranked.extend(declared.into_iter().map(Arc::new));
        self.ranked.sort_by(|a, b| b.specificity(a));
        self
    }

    /// Whether it has a rule that says nothing without tool definitions.
    #[must_use]
    pub fn needs_definitions(&self) -> bool {
        self.stated.iter().any(|rule| matches!(rule.how(), How::Schema))
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.stated
    }

    /// The rules that apply to a tool.
    #[must_use]
    pub fn tool(&self, tool: &ToolName) -> ToolRules<'_> {
        ToolRules { rules: self.ranked.iter().filter(|rule| rule.is_for(tool)).collect() }
    }

    /// Whether something is compared by where it came from, so that earlier results have to be looked at.
    #[must_use]
    pub fn has_references(&self) -> bool {
        self.ranked.iter().any(|rule| matches!(rule.how(), How::Reference))
    }

    /// Whether a rule lets values pass that no hash finds.
    #[must_use]
    pub fn is_loose(&self) -> bool {
        self.ranked.iter().any(|rule| rule.how().is_loose())
    }

    /// A hash that changes when a rule does, whatever their order: it stands in every report.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut rules: Vec<String> = self.ranked.iter().map(|rule| rule.to_string()).collect();
        rules.sort();
        let mut hasher = blake3::Hasher::new();
        for rule in rules {
            hasher.update(rule.as_bytes());
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// The rules of one tool, the most specific first.
#[derive(Clone, Debug)]
pub struct ToolRules<'a> {
    rules: Vec<&'a Arc<Rule>>,
}

/// What the rules say of one place: for each aspect the rule that decides it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Treatment<'a>([Option<&'a Arc<Rule>>; Aspect::COUNT]);

impl<'a> Treatment<'a> {
    /// The rule that decides an aspect.
    pub(super) fn of(&self, aspect: Aspect) -> Option<&'a Arc<Rule>> {
        self.0[aspect as usize]
    }

    /// The rules that decide something here.
    fn deciding(&self) -> impl Iterator<Item = &'a Arc<Rule>> {
        self.0.into_iter().flatten()
    }
}

impl<'a> ToolRules<'a> {
    /// No rules.
    #[must_use]
    pub fn none() -> Self {
        Self { rules: Vec::new() }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What they say of a place: in each aspect the most specific rule decides, and an `exact` rule takes back what
    /// less specific ones say.
    pub(super) fn at(&self, path: &Path) -> Treatment<'a> {
        let mut treatment = Treatment::default();
        for rule in self.rules.iter().filter(|rule| rule.covers(path)) {
            match rule.how().decides() {
                Decides::Everything => break,
                Decides::One(aspect) => drop(treatment.0[aspect as usize].get_or_insert(rule)),
                Decides::NoPlace => {}
            }
        }
        treatment
    }

    /// The rules that are for something inside a place which another rule keeps from being looked into.
    pub(super) fn inside(&self, place: &Path, veil: &Rule) -> Vec<&'a Arc<Rule>> {
        let decide = self.rules.iter().copied().filter(|rule| rule.how().decides() != Decides::NoPlace);
        decide.filter(|rule| rule.reaches_into(place, veil)).collect()
    }

    /// Whether one of them lets values pass that no hash finds.
    pub(super) fn are_loose(&self) -> bool {
        self.rules.iter().any(|rule| rule.how().is_loose())
    }

    /// The rule that takes back what less specific ones say of a place, where it is all that is said.
    fn exact_at(&self, place: &Path) -> Option<&'a Rule> {
        let rule = self.rules.iter().find(|rule| rule.covers(place) && rule.how().decides() != Decides::NoPlace)?;
        (rule.how().decides() == Decides::Everything).then_some(&***rule)
    }

    /// The rules that decide how a place is compared: its own, else those of the nearest place around it that has any.
    #[must_use]
    pub fn deciding(&self, path: &Path) -> Vec<&'a Rule> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let mut place = path.clone();
        loop {
            let mut found: Vec<&Rule> = self.at(&place).deciding().map(|rule| &**rule).collect();
            found.extend(self.exact_at(&place));
            if !found.is_empty() || place.steps().is_empty() {
                return found;
            }
            place.pop();
        }
    }

    /// The same rules, as they are written.
    #[must_use]
    pub(super) fn named(&self, path: &Path) -> Vec<String> {
        self.deciding(path).into_iter().map(ToString::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::canonical::Value;
    use super::*;
    use crate::recording::Json;

    fn policy(rules: &[&str]) -> Policy {
        Policy::new(rules.iter().map(|text| text.parse().unwrap()).collect())
    }

    fn equal(rules: &[&str], tool: &str, a: &str, b: &str) -> bool {
        let policy = policy(rules);
        let tool = ToolName::new(tool);
        let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &policy.tool(&tool));
        let (a, b) = (read(a), read(b));
        assert_eq!(a.accepts(&b), b.accepts(&a));
        if a == b {
            assert_eq!(a.hash128(), b.hash128());
        }
        a.accepts(&b)
    }

    #[test]
    fn an_ignored_path_hides_itself_and_nothing_else() {
        for rule in ["ts", "$.ts", "*:ts", "look*:$.ts", "toolCalls[*].arguments.ts", "$.toolCalls[*].arguments.ts"] {
            let rule = &[&*format!("ignore {rule}")];
            assert!(equal(rule, "lookup", r#"{"id":1,"ts":1}"#, r#"{"id":1,"ts":2}"#), "{rule:?}");
            assert!(equal(rule, "lookup", r#"{"id":1,"ts":1}"#, r#"{"id":1}"#), "{rule:?}");
            assert!(!equal(rule, "lookup", r#"{"id":1,"ts":1}"#, r#"{"id":2,"ts":1}"#), "{rule:?}");
        }
        assert!(!equal(&["ignore refund:ts"], "lookup", r#"{"ts":1}"#, r#"{"ts":2}"#));
    }

    #[test]
    fn an_ignored_path_reaches_into_a_text_that_holds_json() {
        assert!(equal(&["ignore payload.ts"], "t", r#"{"payload":"{\"ts\":1}"}"#, r#"{"payload":"{\"ts\":2}"}"#));
        assert!(equal(&["ignore $..at[*]"], "t", r#"{"x":{"at":[1]}}"#, r#"{"x":{"at":[2]}}"#));
    }

    #[test]
    fn the_most_specific_rule_decides() {
        let rules = ["ignore $..made_at", "ignore $..seen_at"];
        assert!(equal(&rules, "t", r#"{"made_at":1,"x":{"seen_at":2}}"#, r#"{"x":{}}"#));
        assert!(equal(&["ignore $..at", "exact $.at"], "t", r#"{"x":{"at":1}}"#, r#"{"x":{"at":2}}"#));
        assert!(!equal(&["ignore $..at", "exact $.at"], "t", r#"{"at":1}"#, r#"{"at":2}"#));
        assert!(equal(&["exact $.at", "ignore pay:$..at"], "pay", r#"{"at":1}"#, r#"{"at":2}"#), "the tool by name");
        assert!(equal(&["trim $.q", "caseless $.q"], "t", r#"{"q":" Paris"}"#, r#"{"q":"paris "}"#), "aspects add up");
        assert!(!equal(&["trim $.*", "exact $.q"], "t", r#"{"q":" a"}"#, r#"{"q":"a"}"#));
        for two in [["ignore $.a", "type $.a"], ["type $.a", "ignore $.a"]] {
            assert!(!equal(&two, "t", r#"{"a":1}"#, "{}"), "of two that are equally specific the stricter");
        }
    }

    #[test]
    fn a_more_specific_rule_looks_into_what_is_not_looked_at() {
        let (one, other, more) = (r#"{"v":{"w":1,"x":1}}"#, r#"{"v":{"w":2,"x":1}}"#, r#"{"v":{"w":1,"x":2}}"#);
        for veil in ["ignore t:$.v", "present t:$.v", "type t:$.v", "ignore t:$.*", "ignore *:$..v"] {
            let equal = |inside: &str, a: &str, b: &str| equal(&[veil, inside], "t", a, b);
            assert!(!equal("exact t:$.v.w", one, other) && equal("exact t:$.v.w", one, more), "{veil}");
            assert!(equal("tolerance(1) t:$.v.w", one, other) && equal("type t:$.v.w", one, other), "{veil}");
            assert!(!equal("tolerance(0.5) t:$.v.w", one, other) && !equal("type t:$.v.w", one, r#"{"v":{"w":"1"}}"#));
            assert!(equal("ignore t:$.v.w", one, other), "{veil}");
            assert!(!equal("exact t:$.v.w", one, r#"{"v":{"x":1}}"#) && !equal("exact t:$.v.w", one, r#"{"v":7}"#));
            assert!(
                equal("optional t:$.v.w", one, r#"{"v":{"w":1,"y":[]}}"#) && !equal("optional t:$.v.w", one, other)
            );
            assert!(equal("exact t:$.v.z", one, other), "{veil}: nothing stands there");
        }
        assert!(!equal(&["ignore t:$.v", "exact t:$.v.w"], "t", one, "{}"));
        assert!(equal(&["ignore t:$.v", "exact *:$.v.w"], "t", one, other), "the outer rule is more specific");
        assert!(equal(&["ignore *:$.v", "exact *:$..w"], "t", one, other), "and here");
        assert!(equal(&["ignore *:$.v", "exact *:$.*.w"], "t", one, other), "and here");
        assert!(!equal(&["ignore *:$.v", "exact t:$..w"], "t", one, other), "the inner one names the tool");
        assert!(equal(&["ignore *:$.v", "trim t:$..*"], "t", one, other), "it is for the outer place too");
    }

    #[test]
    fn a_closer_rule_looks_into_lists_and_texts_that_are_not_looked_at() {
        let list = ["ignore t:$.v", "exact t:$.v[*].id"];
        let pair = r#"{"v":[{"id":1,"x":1},{"id":2}]}"#;
        assert!(
            equal(&list, "t", pair, r#"{"v":[{"id":1},{"id":2,"x":5},{"x":9},3]}"#),
            "how long it is does not count"
        );
        for other in
            [r#"{"v":[{"id":1},{"id":3}]}"#, r#"{"v":[{"id":2},{"id":1}]}"#, r#"{"v":[{"id":1}]}"#, r#"{"v":[]}"#]
        {
            assert!(!equal(&list, "t", pair, other), "{other}");
        }
        let bag = ["ignore t:$.v", "bag t:$.v", "exact t:$.v[*].id"];
        assert!(equal(&bag, "t", pair, r#"{"v":[3,{"id":2},{"id":1}]}"#));
        let text = ["type t:$.v", "exact t:$.v.w"];
        assert!(equal(&text, "t", r#"{"v":"{\"w\":1,\"x\":1}"}"#, r#"{"v":"{\"w\":1.0}"}"#));
        assert!(!equal(&text, "t", r#"{"v":"{\"w\":1}"}"#, r#"{"v":"{\"w\":2}"}"#));
        assert!(!equal(&text, "t", r#"{"v":"{\"w\":1}"}"#, r#"{"v":{"w":1}}"#));
        let twice = ["ignore t:$.v", "exact t:$.v.w", "ignore t:$.v.w.n", "exact t:$.v.w.n.k"];
        assert!(equal(&twice, "t", r#"{"v":{"w":{"n":{"k":1,"j":1}}}}"#, r#"{"v":{"w":{"n":{"k":1}}}}"#));
        assert!(!equal(&twice, "t", r#"{"v":{"w":{"n":{"k":1}}}}"#, r#"{"v":{"w":{"n":{"k":2}}}}"#));
        let absent = ["ignore t:$.v", "null-is-absent t:$.v", "exact t:$.v.w"];
        assert!(equal(&absent, "t", r#"{"v":null}"#, "{}") && !equal(&absent, "t", r#"{"v":{"w":1}}"#, "{}"));
    }

    #[test]
    fn many_rules_over_a_deep_value_come_to_an_end() {
        let deep = |leaf: &str| format!("{}{leaf}{}", r#"{"a":"#.repeat(300), "}".repeat(300));
        let rules = ["type t:$..a", "exact t:$.a.q", "present t:$.a.a", "trim t:$.a.a.a.q", "ignore t:$.a.*.q"];
        assert!(equal(&rules, "t", &deep("1"), &deep("2")));
    }

    #[test]
    fn sorting_by_what_has_leeway_compares_like_a_bag() {
        let rules = ["sorted-by($.s) t:$.v", "tolerance(0.2) t:$.v[*].s"];
        let a = r#"{"v":[{"s":1.00,"n":"x"},{"s":1.01,"n":"y"}]}"#;
        assert!(equal(&rules, "t", a, r#"{"v":[{"s":1.02,"n":"x"},{"s":1.01,"n":"y"}]}"#));
        assert!(equal(&rules, "t", a, r#"{"v":[{"s":1.01,"n":"y"},{"s":1.02,"n":"x"}]}"#));
        for other in [
            r#"{"v":[{"s":1.02,"n":"x"},{"s":1.01,"n":"x"}]}"#,
            r#"{"v":[{"s":1.02,"n":"x"},{"s":1.51,"n":"y"}]}"#,
            r#"{"v":[{"s":1.02,"n":"x"}]}"#,
            r#"{"v":[]}"#,
            r#"{"v":{}}"#,
        ] {
            assert!(!equal(&rules, "t", a, other), "{other}");
        }
        let optional = ["sorted-by($.s) t:$.v", "optional t:$.v[*].s"];
        assert!(equal(&optional, "t", r#"{"v":[{"n":1},{"s":5,"n":2}]}"#, r#"{"v":[{"s":3,"n":1},{"n":2}]}"#));
        assert!(equal(&["sorted-by($.s) t:$.v"], "t", r#"{"v":[{"s":2},{"s":1}]}"#, r#"{"v":[{"s":1},{"s":2}]}"#));
        assert!(equal(&optional, "t", r#"{"v":[]}"#, r#"{"v":[]}"#));
    }

    #[test]
    fn the_hash_does_not_depend_on_the_order_of_rules() {
        assert_eq!(policy(&["ignore a", "ignore x:b"]).hash(), policy(&["ignore x:b", "ignore a", "ignore a"]).hash());
        assert_ne!(policy(&["ignore a"]).hash(), policy(&["ignore b"]).hash());
        assert_ne!(policy(&["trim a"]).hash(), policy(&["ignore a"]).hash());
    }

    #[test]
    fn a_schema_rule_takes_the_declared_defaults() {
        let tools = r#"[{"name":"search","input_schema":{"properties":{"page":{"default":1},"in":{"items":{"properties":{"max":{"default":10}}}}}}}]"#;
        let tools = ToolDefinitions::parse("tools.json", tools).unwrap();
        let equal = |rules: &[&str], a: &str, b: &str| {
            let policy = policy(rules).with_defaults_of(&tools);
            let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &policy.tool(&ToolName::new("search")));
            read(a) == read(b)
        };
        let (full, bare) = (r#"{"page":1.0,"in":[{"max":10}]}"#, r#"{"in":[{}]}"#);
        assert!(equal(&["schema *:$"], full, bare) && equal(&["schema sea*:$"], full, bare));
        assert!(!equal(&[], full, bare) && !equal(&["schema other:$"], full, bare));
        assert!(!equal(&["schema *:$"], r#"{"page":2,"in":[{}]}"#, bare));
        assert!(!equal(&["schema *:$", "exact $..max"], full, bare), "a stated rule takes back what is declared");
        assert!(equal(&["schema *:$", "default(2) $.page"], r#"{"page":2,"in":[{}]}"#, bare));
    }

    #[test]
    fn what_decided_is_named() {
        let policy = policy(&["set $.tags", "ignore $..x", "tolerance(1) pay:$.amount"]);
        let named = |tool: &str, path: &str| {
            let rules = policy.tool(&ToolName::new(tool));
            rules.deciding(&path.parse().unwrap()).iter().map(|rule| rule.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(named("pay", "$.amount"), ["tolerance(1) pay:$.amount"]);
        assert_eq!(named("pay", "$.tags[3].name"), ["set *:$.tags"]);
        assert!(named("get", "$.amount").is_empty());
        let policy = self::policy(&["ignore $.v", "exact $.v.w"]);
        let rules = policy.tool(&ToolName::new("t"));
        let named = |path: &str| rules.named(&path.parse().unwrap());
        assert_eq!(named("$.v.w"), ["exact *:$.v.w"]);
        assert_eq!(named("$.v.x"), ["ignore *:$.v"]);
    }
}
