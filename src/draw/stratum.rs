//! The groups that traffic is drawn from.

use std::fmt;
use std::str::FromStr;

use crate::recording::{Interaction, did_you_mean};

/// What interactions of one stratum have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// Their scenario.
    Scenario,
    /// The agent that answered.
    Agent,
    /// The model that was asked.
    Model,
    /// What the tag of this name says: `lang:de` and `lang=de` say `de` of `lang`, `vip` says that it is there.
    Tag(String),
}

const WORDS: [&str; 4] = ["scenario", "agent", "model", "tag:NAME"];

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("tag:")) {
            ("scenario", _) => Ok(By::Scenario),
            ("agent", _) => Ok(By::Agent),
            ("model", _) => Ok(By::Model),
            (_, Some(name)) if !name.is_empty() => Ok(By::Tag(name.to_owned())),
            _ => Err(format!("strata are made by {}, not by {text:?}{}", WORDS.join(", "), did_you_mean(text, &WORDS))),
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            By::Scenario => f.write_str("scenario"),
            By::Agent => f.write_str("agent"),
            By::Model => f.write_str("model"),
            By::Tag(name) => write!(f, "tag:{name}"),
        }
    }
}

impl serde::Serialize for By {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What an interaction says of each property that strata are made by. `None`: nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stratum(Vec<Option<String>>);

impl Stratum {
    pub(super) fn of(interaction: &Interaction, by: &[By]) -> Self {
        Self(by.iter().map(|by| value(interaction, by)).collect())
    }

    /// Bytes that are equal for equal strata alone.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for value in &self.0 {
            let length = value.as_ref().map_or(u64::MAX, |value| value.len() as u64);
            bytes.extend(length.to_le_bytes());
            bytes.extend(value.iter().flat_map(|value| value.bytes()));
        }
        bytes
    }
}

fn value(interaction: &Interaction, by: &By) -> Option<String> {
    match by {
        By::Scenario => interaction.scenario.clone(),
        By::Agent => interaction.agent.clone(),
        By::Model => interaction.model.clone(),
        By::Tag(name) => {
            let tags = interaction.tags.as_deref().unwrap_or_default();
            let said = tags.iter().find_map(|tag| said(tag, name));
            said.map(|said| if said.is_empty() { name.clone() } else { said.to_owned() })
        }
    }
}

/// What a tag says of a name; nothing more where it is the name.
fn said<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    match tag.strip_prefix(name)? {
        "" => Some(""),
        rest => rest.strip_prefix([':', '=']),
    }
}

impl fmt::Display for Stratum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, value) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { " / " })?;
            f.write_str(value.as_deref().unwrap_or("(none)"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Json, wire};

    fn stratum(line: &str, by: &[&str]) -> Stratum {
        let by: Vec<By> = by.iter().map(|by| by.parse().unwrap()).collect();
        Stratum::of(&wire::read(&Json::parse(line).unwrap()).unwrap(), &by)
    }

    #[test]
    fn a_stratum_is_told_by_its_values() {
        let line = r#"{"input":"x","scenario":"refund","tags":["language","lang:de","vip"]}"#;
        let said = |by: &[&str]| stratum(line, by).to_string();
        assert_eq!(said(&["scenario", "tag:lang", "tag:vip", "model"]), "refund / de / vip / (none)");
        assert_eq!(said(&["tag:la"]), "(none)");
        assert_eq!(said(&[]), "");
    }

    #[test]
    fn what_is_not_said_is_not_a_word() {
        let none = stratum(r#"{"input":"x"}"#, &["scenario", "agent"]);
        let word = stratum(r#"{"input":"x","scenario":"(none)"}"#, &["scenario", "agent"]);
        assert_ne!(none.bytes(), word.bytes());
        let [one, other] = [("ab", "c"), ("a", "bc")].map(|(scenario, agent)| {
            let line = format!(r#"{{"input":"x","scenario":"{scenario}","agent":"{agent}"}}"#);
            stratum(&line, &["scenario", "agent"]).bytes()
        });
        assert_ne!(one, other);
    }

    #[test]
    fn a_word_that_is_none_is_refused_with_the_nearest() {
        let said = "scenarios".parse::<By>().unwrap_err();
        assert!(said.ends_with("did you mean scenario?"), "{said}");
        assert!("tag:".parse::<By>().is_err());
    }
}
