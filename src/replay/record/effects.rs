//! What tools do to the world, as the person who records says.

use std::str::FromStr;

use crate::recording::{Effect, ToolName};

/// A rule `TOOL=EFFECT`, such as `refund=irreversible`; TOOL may hold `*` and `?`.
#[derive(Clone, Debug)]
pub struct EffectRule {
    tools: glob::Pattern,
    effect: Effect,
}

/// Why a text is no such rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no effect of a tool: it is TOOL=read, TOOL=write or TOOL=irreversible, such as refund=write")]
pub struct EffectRuleError(String);

impl FromStr for EffectRule {
    type Err = EffectRuleError;

    fn from_str(text: &str) -> Result<Self, EffectRuleError> {
        let wrong = || EffectRuleError(text.to_owned());
        let (tools, effect) = text.split_once('=').filter(|(tools, _)| !tools.is_empty()).ok_or_else(wrong)?;
        let tools = glob::Pattern::new(tools).map_err(|_| wrong())?;
        Ok(Self { tools, effect: Effect::read(effect).ok_or_else(wrong)? })
    }
}

/// What a tool does; the first rule that names it decides.
#[must_use]
pub(super) fn effect_of(rules: &[EffectRule], tool: &ToolName) -> Option<Effect> {
    rules.iter().find(|rule| rule.tools.matches(tool.as_str())).map(|rule| rule.effect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_names_a_tool_decides() {
        let rules: Vec<EffectRule> = ["get_*=read", "*=write"].iter().map(|rule| rule.parse().unwrap()).collect();
        assert_eq!(effect_of(&rules, &ToolName::new("get_order")), Some(Effect::Read));
        assert_eq!(effect_of(&rules, &ToolName::new("refund")), Some(Effect::Write));
        assert_eq!(effect_of(&rules[..1], &ToolName::new("refund")), None);
        for wrong in ["refund", "=read", "refund=maybe", "[=read"] {
            assert!(wrong.parse::<EffectRule>().is_err(), "{wrong}");
        }
    }
}
