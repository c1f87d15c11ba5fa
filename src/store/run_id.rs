//! The name of a run.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};

/// A run's name: the time of its start in UTC and four random digits, as `20261130-203000123-1a2b`, to the
/// millisecond. Names sort by time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(String);

/// The form of a name: `d` is a digit, `h` one of a hexadecimal number.
const FORM: &[u8] = b"dddddddd-ddddddddd-hhhh";

fn fits(text: &str) -> bool {
    text.bytes().zip(FORM).all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        b'h' => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        _ => byte == *form,
    })
}

impl RunId {
    /// A name for a run that starts now.
    #[must_use]
    pub fn fresh() -> Self {
        Self::at(jiff::Timestamp::now())
    }

    /// A name for a run that started then.
    #[must_use]
    pub fn at(start: jiff::Timestamp) -> Self {
        // The seed of a hash map is random enough to tell two runs of one millisecond apart.
        let random = RandomState::new().hash_one(std::process::id()) & 0xffff;
        Self(format!("{}-{random:04x}", start.strftime("%Y%m%d-%H%M%S%3f")))
    }

    /// Reads a name; `None` when the text has not the form of one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == FORM.len() && fits(text)).then(|| Self(text.to_owned()))
    }

    /// Whether a text has the form of a name, or of the start of one.
    #[must_use]
    pub fn may_begin_with(text: &str) -> bool {
        !text.is_empty() && text.len() <= FORM.len() && fits(text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_read_back() {
        let at = |seconds| RunId::at(jiff::Timestamp::from_second(seconds).unwrap());
        let (early, late) = (at(1_796_070_600), at(1_796_070_601));
        assert!(early.as_str().starts_with("20261130-203000000-"), "{early}");
        assert!(early < late);
        assert_eq!(RunId::parse(early.as_str()), Some(early));
    }

    #[test]
    fn other_folders_are_no_runs() {
        for text in [
            "",
            "last",
            "20261130-203000123",
            "20261130-203000123-1A2B",
            "20261130_203000123-1a2b",
            "x0261130-203000123-1a2b",
        ] {
            assert_eq!(RunId::parse(text), None, "{text}");
        }
    }
}
