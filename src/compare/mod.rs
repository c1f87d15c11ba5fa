//! What is different, and what only looks it.
//!
//! One canonical form decides everywhere: a stub answers a call, and an argument passes, when the canonical values
//! under the [`Policy`] are equal. Numbers are compared by value with every digit, objects whatever their key order,
//! texts after Unicode normalisation, a text that holds JSON by what it holds.

mod alignment;
mod arguments;
mod canonical;
mod common_part;
mod declared;
mod difference;
#[cfg(test)]
mod laws;
mod matching;
mod number;
mod path;
mod policy;
mod sequence;
mod text;

pub use alignment::{Alignment, Extra, ExtraKind, Missing, MissingKind, Order, Pair, PairKind};
pub use arguments::{Arguments, CallKey, PreparedCall, prepare};
pub use canonical::Value;
pub use declared::{
    CallStatus, Census, DeclaredDefault, DefinitionError, DefinitionPlace, InspectedCalls, RuledOut, SchemaFault,
    ToolCensus, ToolDefinitions, ToolSchema,
};
pub use difference::{Change, Difference, Hint, around_difference, differences};
pub use matching::Matching;
pub use number::Number;
pub use path::{Path, PathPattern, PathStep, PatternError};
pub use policy::{How, Policy, Rule, RuleError, ToolRules};
pub use sequence::align;
pub use text::Text;
