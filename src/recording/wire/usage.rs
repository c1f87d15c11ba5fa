//! What an answer cost, as its maker tells it: the measuring fields of an interaction, on their own.

use rust_decimal::Decimal;

use super::super::interaction::{Doubt, ModelCalls, Tokens};
use super::super::json::Json;
use super::read::measured;

/// What an answer cost, as its maker tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// How often a model was asked.
    pub model_calls: Option<ModelCalls>,
    /// Tokens by class.
    pub tokens: Tokens,
    /// What was paid.
    pub cost: Option<Decimal>,
    /// In which currency.
    pub currency: Option<String>,
    /// Which model was asked.
    pub model: Option<String>,
    /// What of it made no sense, and is unknown therefore.
    pub doubts: Vec<Doubt>,
}

/// Reads the usage fields (`modelCalls`, `tokens`, `cost`, `currency`, `model`) of an object by the rules of a
/// recording; all other fields are skipped.
#[must_use]
pub fn read_usage(object: &Json) -> Usage {
    let it = measured(object);
    Usage {
        model_calls: it.model_calls,
        tokens: it.tokens,
        cost: it.cost,
        currency: it.currency,
        model: it.model,
        doubts: it.doubts,
    }
}
