//! A call's arguments as the wire means them.

use std::cell::OnceCell;
use std::fmt;

use super::canonical::Value;
use super::difference::{Change, Difference, count_differences, differences};
use super::path::Path;
use super::policy::{Policy, Rule, ToolRules};
use super::text::Text;
use crate::recording::{Json, Kind, ToolCall, ToolName, check, decode_string};

/// The arguments of a call. An object, the JSON text of one, and `""`, `null` or nothing for no arguments all
/// mean an object; what a model broke off or garbled is equal to itself only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arguments {
    /// What the tool is called with, mostly an object.
    Value(Value),
    /// A text that should hold JSON and does not.
    Broken(Text),
}

impl Arguments {
    /// Reads arguments in any of their forms.
    #[must_use]
    pub fn read(arguments: Option<&Json>, rules: &ToolRules<'_>) -> Self {
        let Some(json) = arguments else { return Self::none() };
        match json.kind() {
            Kind::Null => Self::none(),
            Kind::String => Self::read_text(json, rules),
            _ => Arguments::Value(Value::read(json, rules)),
        }
    }

    /// Whether a rule applies to something in the arguments of a call.
    #[must_use]
    pub fn are_touched_by(rule: &Rule, tool: &ToolName, arguments: Option<&Json>) -> bool {
        Self::read(arguments, &ToolRules::none()) != Self::read(arguments, &ToolRules::of_one(rule, tool))
    }

    fn none() -> Self {
        Arguments::Value(Value::Object(Vec::new()))
    }

    fn read_text(json: &Json, rules: &ToolRules<'_>) -> Self {
        let decoded = decode_string(json.text());
        let content = decoded.clone().into_lossy();
        let content = content.trim();
        match check(content) {
            _ if content.is_empty() || content == "null" => Self::none(),
            Ok(_) if content.starts_with('{') => Arguments::Value(Value::read_text(content, rules)),
            _ => Arguments::Broken(Text::exact(decoded)),
        }
    }

    /// The paths where two calls' arguments differ.
    #[must_use]
    pub fn differences(&self, seen: &Arguments) -> Vec<Difference> {
        match (self, seen) {
            (Arguments::Value(expected), Arguments::Value(seen)) => differences(expected, seen),
            _ if self == seen => Vec::new(),
            _ => vec![Difference::whole(Path::root(), Change::Broken, &self.to_string(), &seen.to_string())],
        }
    }

    /// How many [`differences`](Self::differences) there are; much cheaper than telling them.
    #[must_use]
    pub fn count_differences(&self, seen: &Arguments) -> usize {
        match (self, seen) {
            (Arguments::Value(expected), Arguments::Value(seen)) => count_differences(expected, seen),
            _ => usize::from(self != seen),
        }
    }

    fn feed(&self, feed: &mut impl FnMut(&[u8])) {
        match self {
            Arguments::Value(value) => value.feed(feed),
            Arguments::Broken(text) => {
                feed(b"!");
                feed(text.bytes());
            }
        }
    }
}

impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arguments::Value(value) => value.fmt(f),
            Arguments::Broken(text) => write!(f, "(broken JSON) {text}"),
        }
    }
}

/// 128 bits that are equal exactly when two calls name the same tool with equal arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey(u128);

/// A call made ready to be compared. Its canonical arguments are read when they are first needed: most calls are
/// equal to their counterpart to the letter.
#[derive(Debug)]
pub struct PreparedCall<'a> {
    /// The call.
    pub call: &'a ToolCall,
    policy: &'a Policy,
    arguments: OnceCell<Arguments>,
    key: OnceCell<CallKey>,
}

impl<'a> PreparedCall<'a> {
    /// Makes a call ready.
    #[must_use]
    pub fn new(call: &'a ToolCall, policy: &'a Policy) -> Self {
        Self { call, policy, arguments: OnceCell::new(), key: OnceCell::new() }
    }

    /// Its arguments under the policy.
    pub fn arguments(&self) -> &Arguments {
        self.arguments.get_or_init(|| Arguments::read(self.call.arguments.as_ref(), &self.policy.tool(&self.call.name)))
    }

    /// What it is looked up and paired by.
    pub fn key(&self) -> CallKey {
        *self.key.get_or_init(|| CallKey::of(&self.call.name, self.arguments()))
    }

    /// Whether both are the same call to the letter, which no policy can tell apart.
    pub(super) fn is_letter_equal(&self, other: &Self) -> bool {
        self.call.name == other.call.name && self.call.arguments == other.call.arguments
    }
}

impl CallKey {
    /// The key of a call.
    #[must_use]
    pub fn of(tool: &ToolName, arguments: &Arguments) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(tool.as_str().len() as u64).to_le_bytes());
        hasher.update(tool.as_str().as_bytes());
        arguments.feed(&mut |bytes| {
            hasher.update(bytes);
        });
        let mut low = [0; 16];
        low.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(u128::from_le_bytes(low))
    }
}

/// Makes calls ready to be compared.
#[must_use]
pub fn prepare<'a>(calls: &'a [ToolCall], policy: &'a Policy) -> Vec<PreparedCall<'a>> {
    calls.iter().map(|call| PreparedCall::new(call, policy)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Arguments {
        Arguments::read(Some(&Json::parse(text).unwrap()), &ToolRules::none())
    }

    #[test]
    fn every_wire_form_of_the_same_arguments_is_equal() {
        assert_eq!(read(r#""{\"order_id\":\"1001\",\"limit\":5}""#), read(r#"{"limit":5.0,"order_id":"1001"}"#));
        for nothing in ["\"\"", "null", "{}", "\"{}\"", "\" \"", "\"null\""] {
            assert_eq!(read(nothing), Arguments::read(None, &ToolRules::none()), "{nothing}");
        }
    }

    #[test]
    fn broken_arguments_equal_themselves_only() {
        let broken = r#""{\"order_id\":\"1001\"""#;
        assert_eq!(read(broken), read(broken));
        assert_ne!(read(broken), read(r#"{"order_id":"1001"}"#));
        assert_ne!(read(broken), read("{}"));
        assert_eq!(read(broken).differences(&read("{}"))[0].change, Change::Broken);
    }

    #[test]
    fn arguments_that_are_no_object_are_compared_as_they_are() {
        assert_eq!(read("[1]"), read("[1.0]"));
        assert_ne!(read("[]"), read("{}"));
    }

    #[test]
    fn the_key_holds_the_tool_and_the_arguments() {
        let key = |tool: &str, text| CallKey::of(&ToolName::new(tool), &read(text));
        assert_eq!(key("t", r#"{"a":1}"#), key("t", r#"{"a":1.0}"#));
        assert_ne!(key("t", "{}"), key("T", "{}"));
        assert_ne!(key("t", r#"{"a":1}"#), key("t", r#"{"a":2}"#));
    }
}
