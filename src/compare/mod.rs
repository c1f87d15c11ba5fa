//! What is different, and what only looks it.
//!
//! One canonical form decides everywhere: a stub answers a call, and an argument passes, when the canonical values
//! under the [`Policy`] are equal, or differ by no more than its rules allow. Numbers are compared by value with every
//! digit, objects whatever their key order, texts after Unicode normalisation, a text that holds JSON by what it holds.

mod alignment;
mod apart;
mod arguments;
mod band;
mod canonical;
mod common_part;
mod declared;
mod difference;
mod digits;
mod excerpt;
mod faulty_arguments;
mod hint;
mod how;
#[cfg(test)]
mod laws;
mod matching;
mod number;
mod order;
mod pairing;
mod path;
mod places;
mod policy;
mod prepared;
mod quoted_key;
mod reader;
mod reference;
mod rule;
mod ruled;
mod sequence;
mod text;
mod walk;

pub use alignment::{Alignment, Edge, Excuse, Extra, ExtraKind, Missing, MissingKind, Order, Pair, PairKind};
pub use arguments::{Arguments, CallKey};
pub use band::Band;
pub use canonical::{Alike, Loose, Value, Written};
pub use declared::{
    CallStatus, Census, DeclaredDefault, DefinitionError, DefinitionPlace, InspectedCalls, RuledOut, SchemaFault,
    ToolCensus, ToolDefinitions, ToolSchema,
};
pub use difference::{Change, Difference, differences};
pub(crate) use excerpt::escaped;
pub use excerpt::{around_difference, beginning};
pub use faulty_arguments::FaultyArguments;
pub use hint::Hint;
pub(crate) use hint::{is_uuid, names as alike_names};
pub use how::{How, TextPattern};
pub use matching::Matching;
pub use number::Number;
pub use path::{Path, PathPattern, PathStep, PatternError};
pub use policy::{Policy, ToolRules};
pub use prepared::{PreparedCall, prepare};
pub(crate) use reference::Origins;
pub use reference::Referred;
pub use rule::{Rule, RuleError};
pub use sequence::align;
pub use text::Text;
