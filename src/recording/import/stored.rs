//! How pieces of traces are written down until all files were read: foreign types and those of the recording, which
//! have no such form of their own.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::interaction::{Extra, ModelCall, Tokens};
use super::super::json::Json;
use super::super::place::At;

/// The file is written as its number, by who keeps the piece.
pub(super) fn no_file() -> Arc<Path> {
    Path::new("").into()
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "At")]
pub(super) enum AtForm {
    Line { number: u64, offset: u64 },
    Value { number: u64, offset: u64 },
    Row { group: u64, number: u64 },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ModelCall")]
pub(super) struct ModelCallForm {
    model: Option<String>,
    #[serde(with = "TokensForm")]
    tokens: Tokens,
    latency_ms: Option<f64>,
    finish_reason: Option<String>,
    #[serde(with = "extra")]
    extra: Extra,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Tokens")]
struct TokensForm {
    total: Option<u64>,
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    reasoning: Option<u64>,
}

pub(super) mod extra {
    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(extra: &Extra, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(extra.iter().map(|(key, value)| (key.as_str(), value)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Extra, D::Error> {
        let members = Vec::<(String, Json)>::deserialize(deserializer)?;
        Ok(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

pub(super) mod doubts {
    use super::super::super::interaction::Doubt;
    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(doubts: &[Doubt], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(doubts.iter().map(|doubt| (&doubt.path, &doubt.problem)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Doubt>, D::Error> {
        let doubts = Vec::<(String, String)>::deserialize(deserializer)?;
        Ok(doubts.into_iter().map(|(path, problem)| Doubt { path, problem }).collect())
    }
}

pub(super) mod instant {
    use jiff::Timestamp;

    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        at.map(|at| (at.as_second(), at.subsec_nanosecond())).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let at = Option::<(i64, i32)>::deserialize(deserializer)?;
        Ok(at.and_then(|(seconds, nanoseconds)| Timestamp::new(seconds, nanoseconds).ok()))
    }
}
