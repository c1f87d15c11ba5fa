//! What the values at a place look like: ids, hashes, times, numbers, words.

use super::outline::{Grain, Outline};
use crate::compare::{Value, is_uuid};

/// What the values at a place look like, in counts.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    /// All values.
    pub(super) values: u64,
    /// Texts, those that hold JSON left out.
    pub(super) texts: u64,
    /// Whole numbers.
    pub(super) whole: u64,
    /// Whole numbers of many digits, which nobody says by heart.
    pub(super) long_whole: u64,
    /// Numbers that are seconds, or parts of them, since 1970.
    pub(super) epochs: u64,
    /// Texts of letters and digits without any order in them.
    pub(super) tokens: u64,
    /// Texts of digits alone, and many of them.
    pub(super) long_digits: u64,
    uuids: u64,
    ulids: u64,
    hashes: u64,
    hash_length: HashLength,
    has_capitals: bool,
    times: u64,
    days: u64,
    fine: Outline,
    coarse: Outline,
}

/// How long hashes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HashLength {
    Unseen,
    All(usize),
    Different,
}

/// How the values at a place are made, where it can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Making {
    /// What they are, in a word of the plural.
    pub(super) what: &'static str,
    /// What they all match.
    pub(super) pattern: String,
}

impl Default for Forms {
    fn default() -> Self {
        Self {
            values: 0,
            texts: 0,
            whole: 0,
            long_whole: 0,
            epochs: 0,
            tokens: 0,
            long_digits: 0,
            uuids: 0,
            ulids: 0,
            hashes: 0,
            hash_length: HashLength::Unseen,
            has_capitals: false,
            times: 0,
            days: 0,
            fine: Outline::new(Grain::Fine),
            coarse: Outline::new(Grain::Coarse),
        }
    }
}

/// From so many digits on a whole number is long.
const LONG_NUMBER: usize = 6;

/// The same for a text of digits, which may well be the number of an order.
const LONG_DIGITS: usize = 9;

impl Forms {
    /// Takes in a value.
    pub(super) fn add(&mut self, value: &Value) {
        self.values += 1;
        match value {
            Value::Referred(referred) => {
                self.values -= 1;
                self.add(referred.value());
            }
            Value::Number(number) => self.add_number(&number.to_string(), value),
            Value::Text(text) => match text.as_str() {
                Some(text) => self.add_text(text, value),
                None => self.texts += 1,
            },
            _ => {}
        }
    }

    fn add_number(&mut self, digits: &str, value: &Value) {
        if digits.contains(['.', 'e']) {
            return;
        }
        let length = digits.trim_start_matches('-').len();
        self.whole += 1;
        self.long_whole += u64::from(length >= LONG_NUMBER);
        let is_epoch = matches!(length, 10 | 13 | 16 | 19) && value.instant().is_some_and(is_of_our_time);
        self.epochs += u64::from(is_epoch);
    }

    fn add_text(&mut self, text: &str, value: &Value) {
        self.texts += 1;
        self.fine.add(text);
        self.coarse.add(text);
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        self.long_digits += u64::from(is_digits && text.len() >= LONG_DIGITS);
        self.tokens += u64::from(is_token(text));
        match shape(text) {
            Some(Shape::Day) if value.instant().is_some() => self.days += 1,
            Some(Shape::Time) if value.instant().is_some() => self.times += 1,
            Some(shape @ (Shape::Uuid | Shape::Ulid | Shape::Hash)) => {
                let capital = if shape == Shape::Ulid { u8::is_ascii_lowercase } else { u8::is_ascii_uppercase };
                self.has_capitals |= text.bytes().any(|byte| capital(&byte));
                match shape {
                    Shape::Uuid => self.uuids += 1,
                    Shape::Ulid => self.ulids += 1,
                    _ => {
                        self.hashes += 1;
                        self.hash_length = self.hash_length.and(HashLength::All(text.len()));
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes in what another one saw.
    pub(super) fn merge(&mut self, other: &Self) {
        self.values += other.values;
        self.texts += other.texts;
        self.whole += other.whole;
        self.long_whole += other.long_whole;
        self.epochs += other.epochs;
        self.tokens += other.tokens;
        self.long_digits += other.long_digits;
        self.uuids += other.uuids;
        self.ulids += other.ulids;
        self.hashes += other.hashes;
        self.hash_length = self.hash_length.and(other.hash_length);
        self.has_capitals |= other.has_capitals;
        self.times += other.times;
        self.days += other.days;
        self.fine.merge(&other.fine);
        self.coarse.merge(&other.coarse);
    }

    fn are_all(&self, count: u64) -> bool {
        self.values > 0 && count == self.values
    }

    /// Whether they are all numbers without a fraction.
    pub(super) fn are_whole(&self) -> bool {
        self.are_all(self.whole)
    }

    /// Whether they are all numbers of seconds since 1970.
    pub(super) fn are_epochs(&self) -> bool {
        self.are_all(self.epochs)
    }

    /// Whether they are all texts.
    pub(super) fn are_texts(&self) -> bool {
        self.are_all(self.texts)
    }

    /// Whether they are all texts or numbers that nobody chooses.
    pub(super) fn are_random(&self) -> bool {
        self.are_all(self.tokens) || self.are_all(self.long_digits) || self.are_all(self.long_whole)
    }

    /// What they are where they are ids of a widely known make, which cannot mean anything.
    pub(super) fn universal_ids(&self) -> Option<Making> {
        let hex = if self.has_capitals { "[0-9A-Fa-f]" } else { "[0-9a-f]" };
        if self.are_all(self.uuids) {
            let pattern = format!("^{hex}{{8}}(-{hex}{{4}}){{3}}-{hex}{{12}}$");
            return Some(Making { what: "UUIDs", pattern });
        }
        if self.are_all(self.ulids) {
            let pattern = if self.has_capitals { "^[0-9A-Za-z]{26}$" } else { "^[0-9A-Z]{26}$" };
            return Some(Making { what: "ULIDs", pattern: pattern.into() });
        }
        match self.hash_length {
            HashLength::All(length) if self.are_all(self.hashes) => {
                Some(Making { what: "hashes", pattern: format!("^{hex}{{{length}}}$") })
            }
            _ => None,
        }
    }

    /// What they are where they are ids of any make.
    pub(super) fn ids(&self) -> Option<Making> {
        if let Some(universal) = self.universal_ids() {
            return Some(universal);
        }
        if !self.are_texts() || self.times().is_some() {
            return None;
        }
        let pattern = self.fine.pattern().or_else(|| self.coarse.pattern())?;
        Some(Making { what: "ids", pattern })
    }

    /// What they are where they are times written as texts.
    pub(super) fn times(&self) -> Option<Making> {
        if self.are_all(self.days) {
            return Some(Making { what: "days", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$".into() });
        }
        let pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{5,}(Z|[+-][0-9:]{4,})?$";
        self.are_all(self.times).then(|| Making { what: "times", pattern: pattern.into() })
    }
}

impl HashLength {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (HashLength::Unseen, only) | (only, HashLength::Unseen) => only,
            (HashLength::All(a), HashLength::All(b)) if a == b => self,
            _ => HashLength::Different,
        }
    }
}

/// A year from 2001 to 2100.
fn is_of_our_time(instant: jiff::Timestamp) -> bool {
    (978_307_200..4_102_444_800).contains(&instant.as_second())
}

/// A widely known form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Uuid,
    Ulid,
    Hash,
    Day,
    Time,
}

/// Whether a text has the form of a day or time.
pub(super) fn is_time(text: &str) -> bool {
    matches!(shape(text), Some(Shape::Day | Shape::Time))
}

fn shape(text: &str) -> Option<Shape> {
    let bytes = text.as_bytes();
    let is_hex = |byte: &u8| byte.is_ascii_hexdigit();
    match bytes.len() {
        36 if is_uuid(text) => Some(Shape::Uuid),
        26 if is_ulid(bytes) => Some(Shape::Ulid),
        32 | 40 | 64 if bytes.iter().all(is_hex) => Some(Shape::Hash),
        _ => time_shape(bytes),
    }
}

/// 26 letters and digits, those that are easily taken for another left out; the first says a time before 10889.
fn is_ulid(bytes: &[u8]) -> bool {
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() && !b"ILOUilou".contains(byte);
    matches!(bytes[0], b'0'..=b'7') && bytes.iter().all(fits) && bytes.iter().any(u8::is_ascii_alphabetic)
}

fn time_shape(bytes: &[u8]) -> Option<Shape> {
    let (day, time) = bytes.split_at_checked(10)?;
    let is_day = day.iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    match time.split_first() {
        None if is_day => Some(Shape::Day),
        Some((b'T' | b' ', time)) if is_day => {
            let is_clock = |byte: &&u8| byte.is_ascii_digit() || matches!(**byte, b':' | b'.');
            let length = time.iter().take_while(is_clock).count();
            let is_zone = match &time[length..] {
                [] | b"Z" => true,
                [b'+' | b'-', zone @ ..] => zone.len() >= 4 && zone.iter().all(|byte| is_clock(&byte) && *byte != b'.'),
                _ => false,
            };
            (length >= 5 && is_zone).then_some(Shape::Time)
        }
        _ => None,
    }
}

/// Whether a text looks drawn by lot: letters, capitals and digits follow each other without any order.
fn is_token(text: &str) -> bool {
    let sort = |byte: &u8| match byte {
        b'0'..=b'9' => Some(0),
        b'a'..=b'z' => Some(1),
        b'A'..=b'Z' => Some(2),
        b'+' | b'/' | b'=' | b'_' | b'-' => Some(3),
        _ => None,
    };
    let Some(sorts) = text.as_bytes().iter().map(sort).collect::<Option<Vec<_>>>() else { return false };
    let changes = sorts.windows(2).filter(|two| two[0] != two[1] && two.iter().all(|sort| *sort != 3)).count();
    sorts.contains(&0) && sorts.len() >= 8 && changes >= 3 && changes * 4 >= sorts.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ToolRules;
    use crate::recording::Json;

    fn forms(values: &[&str]) -> Forms {
        let mut forms = Forms::default();
        for value in values {
            let json = Json::parse(*value).unwrap_or_else(|_| Json::string(value));
            forms.add(&Value::read(&json, &ToolRules::none()));
        }
        forms
    }

    #[test]
    fn widely_known_ids_are_known_and_match_their_pattern() {
        let table: [(&[&str], &str); 6] = [
            (&["6f1c1d2e-3b4a-4c5d-8e9f-000000000001", "9ab2aaaa-3b4a-4c5d-8e9f-00000000000c"], "UUIDs"),
            (&["6F1C1D2E-3B4A-4C5D-8E9F-000000000001"], "UUIDs"),
            (&["01ARZ3NDEKTSV4RRFFQ69G5FAV"], "ULIDs"),
            (&["d41d8cd98f00b204e9800998ecf8427e"], "hashes"),
            (&["da39a3ee5e6b4b0d3255bfef95601890afd80709"], "hashes"),
            (&["ord_1", "ord_2"], "ids"),
        ];
        for (texts, what) in table {
            let found = forms(texts).ids().unwrap();
            assert_eq!(found.what, what, "{texts:?}");
            let pattern = regex::Regex::new(&found.pattern).unwrap();
            assert!(texts.iter().all(|text| pattern.is_match(text)), "{found:?}");
        }
        let two_lengths = ["d41d8cd98f00b204e9800998ecf8427e", "da39a3ee5e6b4b0d3255bfef95601890afd80709"];
        assert!(forms(&two_lengths).universal_ids().is_none());
    }

    #[test]
    fn times_match_their_pattern_and_are_no_ids() {
        for (texts, what) in [
            (["2026-01-01T12:00:00Z", "2026-01-01T12:00:00.123+01:00"], "times"),
            (["2026-01-01 12:00:00", "2026-01-01T12:00"], "times"),
            (["2026-01-01", "2026-12-31"], "days"),
        ] {
            let found = forms(&texts).times().unwrap();
            let pattern = regex::Regex::new(&found.pattern).unwrap();
            assert!(found.what == what && texts.iter().all(|text| pattern.is_match(text)), "{texts:?}");
            assert_eq!(forms(&texts).ids(), None);
        }
        for none in ["2026-13-01T12:00:00Z", "2026-01-01T12", "2026-01-01Tsoon", "20260101"] {
            assert_eq!(forms(&[none]).times(), None, "{none}");
        }
        assert!(forms(&["1767268800", "1767268800123"]).are_epochs());
        assert!(!forms(&["1767268800", "17"]).are_epochs() && !forms(&["9999999999"]).are_epochs());
    }

    #[test]
    fn what_nobody_chooses_is_told_from_words_and_numbers() {
        for random in ["k3J9x0Qz7a", "9f8e7d6c5b4a", "a+B3/c9D=x1", "123456789", "\"000000123456\""] {
            assert!(forms(&[random]).are_random(), "{random}");
        }
        for chosen in ["iphone12", "/home/user1/file2.txt", "a quick brown fox", "1001", "\"10014\"", "delivered"] {
            assert!(!forms(&[chosen]).are_random(), "{chosen}");
        }
    }
}
