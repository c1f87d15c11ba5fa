//! Values that were found by the names of their fields, to be found again where no name tells.

use super::edit::Edit;
use super::find::{Found, What};
use super::kind::Kind;

/// What fields of an interaction held, and what took its place. The same value elsewhere in the interaction is the same
/// person's or thing's: where an agent passes it on, the pseudonym must have been passed on too.
#[derive(Debug, Default)]
pub(super) struct Known(Vec<(String, String)>);

/// More than so many in one interaction are not held: each text is looked through for each.
const MOST: usize = 256;
/// A shorter value that is not all of a text is taken for another word.
const SHORTEST_WORD: usize = 4;
/// A shorter value is found nowhere else.
const SHORTEST: usize = 3;
/// Fewer digits are taken for another number.
const FEWEST_DIGITS: usize = 6;
/// What is written where there is no value.
const NO_VALUES: &[&str] =
    &["none", "null", "unknown", "n/a", "true", "false", "yes", "not provided", "undefined", "test"];

impl Known {
    pub(super) fn add(&mut self, value: &str, pseudonym: &str) {
        let value = value.trim();
        let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
        let shortest = if is_digits { FEWEST_DIGITS } else { SHORTEST };
        let tells = value.chars().count() >= shortest && !NO_VALUES.contains(&value.to_lowercase().as_str());
        if tells && self.0.len() < MOST && !self.0.iter().any(|(known, _)| known == value) {
            self.0.push((value.to_owned(), pseudonym.to_owned()));
        }
    }

    /// The pseudonym of a whole value.
    pub(super) fn whole(&self, value: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == value).map(|(_, pseudonym)| pseudonym.as_str())
    }

    /// Finds the values in a text, as words of their own.
    pub(super) fn find(&self, text: &str, out: &mut Vec<Found>) {
        for (value, pseudonym) in &self.0 {
            let is_whole = value == text.trim();
            if !is_whole && value.chars().count() < SHORTEST_WORD {
                continue;
            }
            for (at, _) in text.match_indices(value.as_str()) {
                let range = at..at + value.len();
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                let before = text[..at].chars().next_back().is_some_and(is_part);
                let after = text[range.end..].chars().next().is_some_and(is_part);
                if !before && !after {
                    let what = What::Value(pseudonym.clone());
                    out.push(Found { kind: Kind::Field, whole: range.clone(), range, what });
                }
            }
        }
    }

    /// The edit of a number that is one of the values.
    pub(super) fn number(&self, digits: &str, range: std::ops::Range<usize>) -> Option<Edit> {
        let text = self.whole(digits)?;
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| Edit { range, text: text.to_owned() })
    }
}
