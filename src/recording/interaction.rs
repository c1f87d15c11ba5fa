//! One recorded interaction: what production was asked, did, spent and answered.

use std::fmt;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::json::{Json, Key};

/// The identity of an interaction, and of the case made from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId(Arc<str>);

/// The name of a tool, as the model called it. Case counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(Arc<str>);

macro_rules! text_newtype {
    ($name:ident) => {
        impl $name {
            /// Takes the text as it is.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::new)
            }
        }
    };
}
text_newtype!(CaseId);
text_newtype!(ToolName);

/// One recorded interaction. What was not recorded is `None`, which is never the same as zero or empty.
///
/// `extra` holds what this type has no place for: unknown fields, and known ones whose text the typed value would
/// not give back (`900.0` for a latency, a token count that is no number). It is written back as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Unique in a recording; given by its place when absent.
    pub id: Option<CaseId>,
    /// What the user or caller sent: text, or any JSON.
    pub input: Json,
    /// The reply that was given.
    pub output: Option<Json>,
    /// The calls in the order they were made. `None`: not recorded. Empty: none was made.
    pub tool_calls: Option<Vec<ToolCall>>,
    /// How often a model was asked.
    pub model_calls: Option<ModelCalls>,
    /// Tokens by class.
    pub tokens: Tokens,
    /// From the command's start to its end, in milliseconds.
    pub latency_ms: Option<f64>,
    /// What was paid, in `currency`.
    pub cost: Option<Decimal>,
    /// The currency of `cost`.
    pub currency: Option<String>,
    /// Earlier turns of the session, oldest first: a list of `{role, content}`.
    pub history: Option<Json>,
    /// Groups interactions of one kind.
    pub scenario: Option<String>,
    /// Free labels.
    pub tags: Option<Vec<String>>,
    /// How much traffic this interaction stands for; 1 when absent.
    pub weight: Option<f64>,
    /// The conversation it belongs to.
    pub session: Option<String>,
    /// Its place in the conversation.
    pub turn: Option<i64>,
    /// The agent that answered.
    pub agent: Option<String>,
    /// The model that was asked.
    pub model: Option<String>,
    /// When it was recorded, as it was written.
    pub recorded_at: Option<String>,
    /// Why it ended without an answer.
    pub failure: Option<String>,
    /// Whether payloads were cut off when it was recorded. Cut results are never served.
    pub truncated: Option<bool>,
    /// Other ways that are as good as the recorded one: a list of `{name, toolCalls, ...}`.
    pub variants: Option<Json>,
    /// Everything else, as it was written.
    pub extra: Extra,
    /// What could not be read as what it should be, and is unknown therefore.
    pub doubts: Vec<Doubt>,
}

/// Fields kept as they were written, in their order.
pub type Extra = Vec<(Key, Json)>;

/// A value that was there but made no sense, so that it counts as unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Where, as `tokens.input`.
    pub path: String,
    /// What was there and what was wanted.
    pub problem: String,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub name: ToolName,
    /// The arguments: an object, or the JSON text of one. Absent means none.
    pub arguments: Option<Json>,
    /// What the tool gave back. `None`: not recorded.
    pub result: Option<Json>,
    /// The error the tool gave instead, a text or `{type, message}`.
    pub error: Option<Json>,
    /// The provider's id of the call. Not unique, and no key.
    pub id: Option<String>,
    /// Which model call asked for it; equal steps were asked for in parallel.
    pub step: Option<i64>,
    /// How long the tool took, in milliseconds.
    pub latency_ms: Option<f64>,
    /// What a call does to the world.
    pub effect: Option<Effect>,
    /// The sub-agent that made it.
    pub agent: Option<String>,
    /// Whether its payload was cut off when it was recorded.
    pub truncated: Option<bool>,
    /// Everything else, as it was written.
    pub extra: Extra,
}

impl ToolCall {
    /// A call of which only the tool and the arguments are known.
    #[must_use]
    pub fn new(name: ToolName, arguments: Option<Json>) -> Self {
        Self {
            name,
            arguments,
            result: None,
            error: None,
            id: None,
            step: None,
            latency_ms: None,
            effect: None,
            agent: None,
            truncated: None,
            extra: Extra::new(),
        }
    }

    /// The error in its parts.
    #[must_use]
    pub fn tool_error(&self) -> Option<ToolError> {
        self.error.as_ref().map(ToolError::read)
    }
}

/// An error that a tool gave back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    /// Its kind, where it has one.
    pub kind: Option<String>,
    /// What it says.
    pub message: String,
}

impl ToolError {
    /// Reads a recorded error: a text, `{type, message}`, or any other JSON, shown as it is.
    #[must_use]
    pub fn read(json: &Json) -> Self {
        let part = |key| json.member(key).filter(|value| !value.is_null()).map(|value| value.shown().into_owned());
        match part("message") {
            Some(message) => Self { kind: part("type"), message },
            None => Self { kind: None, message: json.shown().into_owned() },
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Some(kind) => write!(f, "{kind}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// What a call of a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Looks only.
    Read,
    /// Changes something.
    Write,
    /// Changes something for good.
    Irreversible,
}

impl Effect {
    /// The word in a recording.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Irreversible => "irreversible",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        [Effect::Read, Effect::Write, Effect::Irreversible].into_iter().find(|effect| effect.as_str() == word)
    }
}

/// How often a model was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelCalls {
    /// Only their number is known.
    Count(u64),
    /// Each is known.
    List(Vec<ModelCall>),
}

impl ModelCalls {
    /// Their number.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            ModelCalls::Count(count) => *count,
            ModelCalls::List(calls) => calls.len() as u64,
        }
    }
}

/// One call of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelCall {
    /// The model.
    pub model: Option<String>,
    /// Its tokens by class.
    pub tokens: Tokens,
    /// How long it took, in milliseconds.
    pub latency_ms: Option<f64>,
    /// Why it stopped, in the provider's word.
    pub finish_reason: Option<String>,
    /// Everything else, as it was written.
    pub extra: Extra,
}

/// Tokens by class, by the field's convention: cache reads and writes are parts of the input, reasoning is part of
/// the output. A class that was not recorded is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// All of them, where only that was recorded.
    pub total: Option<u64>,
    /// What the model read, cached parts included.
    pub input: Option<u64>,
    /// What the model wrote, reasoning included.
    pub output: Option<u64>,
    /// The part of the input that came out of a cache.
    pub cache_read: Option<u64>,
    /// The part of the input that was put into a cache.
    pub cache_write: Option<u64>,
    /// The part of the output that was reasoning.
    pub reasoning: Option<u64>,
}

/// A class of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenClass {
    /// Input and output together.
    Total,
    /// What the model read.
    Input,
    /// What the model read that did not come out of a cache.
    UncachedInput,
    /// What the model wrote.
    Output,
    /// What was put into a cache.
    CacheWrite,
    /// What was reasoning.
    Reasoning,
}

impl TokenClass {
    /// Its words in a report.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            TokenClass::Total => "total",
            TokenClass::Input => "input",
            TokenClass::UncachedInput => "uncached input",
            TokenClass::Output => "output",
            TokenClass::CacheWrite => "cache write",
            TokenClass::Reasoning => "reasoning",
        }
    }
}

impl Tokens {
    /// Input and output together, where both are known or the total was recorded.
    #[must_use]
    pub fn sum(&self) -> Option<u64> {
        match (self.input, self.output) {
            (Some(input), Some(output)) => input.checked_add(output),
            _ => self.total,
        }
    }

    /// The count of a class, where it is known.
    #[must_use]
    pub fn class(&self, class: TokenClass) -> Option<u64> {
        match class {
            TokenClass::Total => self.sum(),
            TokenClass::Input => self.input,
            TokenClass::UncachedInput => self.input?.checked_sub(self.cache_read?),
            TokenClass::Output => self.output,
            TokenClass::CacheWrite => self.cache_write,
            TokenClass::Reasoning => self.reasoning,
        }
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl Interaction {
    /// An interaction of which only the input is known.
    #[must_use]
    pub fn new(input: Json) -> Self {
        Self {
            id: None,
            input,
            output: None,
            tool_calls: None,
            model_calls: None,
            tokens: Tokens::default(),
            latency_ms: None,
            cost: None,
            currency: None,
            history: None,
            scenario: None,
            tags: None,
            weight: None,
            session: None,
            turn: None,
            agent: None,
            model: None,
            recorded_at: None,
            failure: None,
            truncated: None,
            variants: None,
            extra: Extra::new(),
            doubts: Vec::new(),
        }
    }

    /// How much traffic it stands for.
    #[must_use]
    pub fn traffic(&self) -> f64 {
        self.weight.unwrap_or(1.0)
    }

    /// Whether there is a reply with something in it.
    #[must_use]
    pub fn has_reply(&self) -> bool {
        self.output.as_ref().is_some_and(|output| !output.is_null() && !output.shown().trim().is_empty())
    }
}
