//! What decides by lot.

use std::fmt;
use std::str::FromStr;

/// What a person gives to draw other cases, or the same ones again: any text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct Seed(String);

impl Default for Seed {
    fn default() -> Self {
        Self("0".into())
    }
}

impl FromStr for Seed {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Seed {
    /// The lots of this seed.
    pub(super) fn lots(&self) -> Lots {
        Lots { key: blake3::derive_key("taketwo sample 1: which interactions are drawn", self.0.as_bytes()) }
    }
}

/// Gives each thing a number that depends on nothing but its name and the seed. What else is in the recording, and in
/// which order, changes nothing.
#[derive(Clone, Debug)]
pub(super) struct Lots {
    key: [u8; 32],
}

/// The number that a thing got.
pub(super) type Lot = u64;

impl Lots {
    pub(super) fn of(&self, name: &[u8]) -> Lot {
        let hash = blake3::keyed_hash(&self.key, name);
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hash.as_bytes()[..8]);
        Lot::from_le_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lot_depends_on_the_name_and_the_seed_alone() {
        let [one, again, other] = ["1", "1", "2"].map(|seed| seed.parse::<Seed>().unwrap().lots());
        assert_eq!(one.of(b"a"), again.of(b"a"));
        assert_ne!(one.of(b"a"), one.of(b"b"));
        assert_ne!(one.of(b"a"), other.of(b"a"));
    }
}
