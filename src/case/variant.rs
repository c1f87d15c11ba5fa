//! Other ways of doing what was recorded that are as good.

use super::parser::{Check, EvalCaseParser};
use super::refusal::Refusal;
use crate::recording::{Interaction, Json, Kind, ToolCall, wire};

/// A way that a case accepts beside the recorded one.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// What is done in this way. What it does not tell is taken from the recorded way.
    pub way: Interaction,
    /// What this way holds a run to.
    pub checks: Vec<Check>,
}

/// Why a variant of a recording is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("variants[{index}]: {problem}")]
pub struct VariantFault {
    index: usize,
    problem: String,
}

impl Variant {
    /// A way under a name, as good as the recorded one of a case.
    #[must_use]
    pub fn new(name: impl Into<String>, way: Interaction, recorded: &Interaction, parser: &EvalCaseParser) -> Self {
        let way = completed(way, recorded);
        Self { name: name.into(), checks: parser.checks(&way), way }
    }

    /// Whether a call of it was answered by no recording, so that what came after it was done without an answer.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        let errors = self.way.tool_calls.iter().flatten().filter_map(ToolCall::tool_error);
        errors.filter_map(|error| error.kind).any(|kind| Refusal::read(&kind).is_some())
    }

    /// The variants that a recorded interaction holds itself.
    ///
    /// # Errors
    /// [`VariantFault`] for the first that is none.
    pub(super) fn of_recording(recorded: &Interaction, parser: &EvalCaseParser) -> Result<Vec<Self>, VariantFault> {
        let items = recorded.variants.as_ref().and_then(Json::items).unwrap_or_default();
        let read = |(index, item): (usize, Json)| {
            let fault = |problem: String| VariantFault { index, problem };
            if item.kind() != Kind::Object {
                return Err(fault(format!("a variant is an object, this is {}", item.kind())));
            }
            let way = wire::read_part(&item, &recorded.input).map_err(|error| fault(error.to_string()))?;
            if way.tool_calls.is_none() {
                return Err(fault("a variant says which tools are called: it needs toolCalls".into()));
            }
            let name = item.member("name").and_then(|name| name.as_str().map(|name| name.into_owned()));
            let name = name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| format!("variant {}", index + 1));
            Ok(Self::new(name, way, recorded, parser))
        };
        items.into_iter().enumerate().map(read).collect()
    }
}

/// A way with what it does not tell taken from the recorded one. Spend is taken as a whole: a way that tells its own
/// tokens may well have taken another time.
fn completed(way: Interaction, recorded: &Interaction) -> Interaction {
    let tells_spend =
        way.model_calls.is_some() || !way.tokens.is_unknown() || way.latency_ms.is_some() || way.cost.is_some();
    let mut whole = Interaction {
        tool_calls: way.tool_calls,
        output: way.output.or_else(|| recorded.output.clone()),
        truncated: way.truncated.or(recorded.truncated),
        variants: None,
        ..recorded.clone()
    };
    if tells_spend {
        (whole.model_calls, whole.tokens, whole.latency_ms) = (way.model_calls, way.tokens, way.latency_ms);
        (whole.cost, whole.currency) = (way.cost, way.currency.or(whole.currency));
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(line: &str) -> Result<Vec<Variant>, VariantFault> {
        Variant::of_recording(&wire::read(&Json::parse(line).unwrap()).unwrap(), &EvalCaseParser::default())
    }

    #[test]
    fn a_variant_tells_its_calls_and_takes_the_rest_from_the_recording() {
        let line = r#"{"input":"x","output":"y","toolCalls":[],"tokens":9,"latencyMs":5,"variants":[
            {"name":"by search","toolCalls":[{"name":"search"}]},{"toolCalls":[],"tokens":{"input":3}}]}"#;
        let found = variants(line).unwrap();
        assert_eq!([&*found[0].name, &*found[1].name], ["by search", "variant 2"]);
        assert_eq!((found[0].way.tokens.sum(), found[0].way.latency_ms), (Some(9), Some(5.0)));
        assert_eq!((found[1].way.tokens.input, found[1].way.latency_ms), (Some(3), None), "spend is told as a whole");
        assert!(found[0].way.has_reply() && found[0].checks.contains(&Check::Tools));
        assert!(variants(r#"{"input":"x","toolCalls":[]}"#).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_variant_is_named() {
        for (variants_text, said) in [
            (r#"[1]"#, "variants[0]: a variant is an object, this is a number"),
            (r#"[{"toolCalls":[]},{}]"#, "variants[1]: a variant says which tools are called"),
            (r#"[{"toolCalls":[{}]}]"#, "variants[0]: no \"toolCalls[0].name\""),
        ] {
            let fault = variants(&format!(r#"{{"input":"x","variants":{variants_text}}}"#)).unwrap_err().to_string();
            assert!(fault.starts_with(said), "{fault}");
        }
    }
}
