//! Checks that a suite file states, as `[[check]]` tables.

use std::sync::Arc;

use rust_decimal::Decimal;
use serde::Deserialize;

use super::{
    CallToolWith, CallTools, CallToolsInOrder, CostBudget, EvalContext, Evaluator, ForbiddenTools, LatencyBudget,
    ModelCallBudget, ReplyContains, ReplyDoesNotMatch, ReplyLacks, ReplyLacksLuhnNumber, ReplyMatches, Said,
    TokenBudget, ToolCallBudget, ToolResultContains,
};
use crate::recording::{Json, TokenClass, ToolName};

/// The `[[check]]` tables of a suite.
pub type StatedChecks = Vec<StatedCheck>;

/// One `[[check]]` table: what is checked, and for which cases.
#[derive(Clone, Debug, Deserialize)]
pub struct StatedCheck {
    /// Only for cases of this scenario.
    pub scenario: Option<String>,
    /// What is checked.
    #[serde(flatten)]
    what: What,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "label", rename_all = "kebab-case", deny_unknown_fields)]
enum What {
    Tools { tools: Vec<ToolName> },
    ToolOrder { tools: Vec<ToolName> },
    ToolArguments { tool: ToolName, argument: String, value: toml::Value },
    ToolResults { tool: ToolName, text: String },
    ForbiddenTools { tools: Vec<ToolName> },
    ReplyContains { texts: Vec<String> },
    ReplyMatches { pattern: String },
    ReplyLacks { texts: Vec<String> },
    ReplyDoesNotMatch { pattern: String },
    ReplyLacksLuhnNumber { min: usize, max: usize },
    ReplyLacksPaymentCard,
    ToolCallBudget { max: usize },
    ModelCallBudget { max: u64 },
    TokenBudget { max: u64 },
    LatencyBudget { max_ms: f64 },
    CostBudget { max: Decimal },
}

impl StatedCheck {
    /// Makes the evaluator.
    ///
    /// # Errors
    /// What is wrong with the check, in a sentence.
    pub fn evaluator(&self) -> Result<Arc<dyn Evaluator>, String> {
        let blank = |texts: &[String]| texts.is_empty() || texts.iter().any(|text| text.trim().is_empty());
        let pattern = |error: regex::Error| format!("the pattern cannot be read: {error}");
        let inner: Arc<dyn Evaluator> = match &self.what {
            What::Tools { tools } => Arc::new(CallTools(tools.clone())),
            What::ToolOrder { tools } => Arc::new(CallToolsInOrder(tools.clone())),
            What::ToolArguments { tool, argument, value } => {
                Arc::new(CallToolWith { tool: tool.clone(), argument: argument.clone(), value: Json::of(value) })
            }
            What::ToolResults { tool, text } => Arc::new(ToolResultContains { tool: tool.clone(), text: text.clone() }),
            What::ForbiddenTools { tools } => Arc::new(ForbiddenTools(tools.clone())),
            What::ReplyContains { texts } | What::ReplyLacks { texts } if blank(texts) => {
                return Err("a blank text is in every reply".into());
            }
            What::ReplyContains { texts } => Arc::new(ReplyContains(texts.clone())),
            What::ReplyLacks { texts } => Arc::new(ReplyLacks(texts.clone())),
            What::ReplyMatches { pattern: text } => Arc::new(ReplyMatches::new(text).map_err(pattern)?),
            What::ReplyDoesNotMatch { pattern: text } => Arc::new(ReplyDoesNotMatch::new(text).map_err(pattern)?),
            What::ReplyLacksLuhnNumber { min, max } => {
                let check = ReplyLacksLuhnNumber::new(*min, *max);
                Arc::new(check.ok_or_else(|| "min is at least 2 and max at least min".to_owned())?)
            }
            What::ReplyLacksPaymentCard => Arc::new(ReplyLacksLuhnNumber::payment_card()),
            What::ToolCallBudget { max } => Arc::new(ToolCallBudget(*max)),
            What::ModelCallBudget { max } => Arc::new(ModelCallBudget(*max)),
            What::TokenBudget { max } => Arc::new(TokenBudget(TokenClass::Total, *max)),
            What::LatencyBudget { max_ms } => Arc::new(LatencyBudget(*max_ms)),
            What::CostBudget { max } => Arc::new(CostBudget(*max)),
        };
        Ok(match &self.scenario {
            None => inner,
            Some(scenario) => Arc::new(InScenario { scenario: scenario.clone(), inner }),
        })
    }
}

/// A check for the cases of one scenario.
struct InScenario {
    scenario: String,
    inner: Arc<dyn Evaluator>,
}

impl Evaluator for InScenario {
    fn label(&self) -> &str {
        self.inner.label()
    }
    fn applies(&self, context: &EvalContext<'_>) -> bool {
        context.case.recorded.scenario.as_deref() == Some(&self.scenario)
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        self.inner.evaluate(context)
    }
}
