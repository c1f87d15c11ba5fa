//! Finding what has to go in a text: one file a kind, which says what is one, what takes its place, and how that is
//! known again.

pub(super) mod card;
mod email;
mod iban;
mod password;
pub(super) mod phone;
mod private_key;
mod service_key;
mod ssn;
mod token;

use std::ops::Range;

use super::key::ScrubKey;
use super::kind::Kind;
use super::pseudonym;
use super::words::Hint;

/// Something found in a text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) kind: Kind,
    /// What is replaced.
    pub(super) range: Range<usize>,
    /// What is shown and held against the values to keep: the same, with a prefix that stays.
    pub(super) whole: Range<usize>,
    pub(super) what: What,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A value, and what takes its place.
    Value(String),
    /// What took the place of one before.
    Pseudonym,
}

impl Found {
    fn new(kind: Kind, range: Range<usize>, what: What) -> Self {
        Self { kind, whole: range.clone(), range, what }
    }

    /// A secret behind a prefix that stays.
    fn secret(key: &ScrubKey, kind: Kind, text: &str, whole: Range<usize>, range: Range<usize>) -> Self {
        let secret = &text[range.clone()];
        let what = if pseudonym::is_of_secret(secret) {
            What::Pseudonym
        } else {
            What::Value(pseudonym::of_secret(key, secret))
        };
        Self { kind, range, whole, what }
    }

    fn is_pseudonym(&self) -> bool {
        self.what == What::Pseudonym
    }
}

/// A text that is looked through.
#[derive(Clone, Copy)]
pub(super) struct Looked<'a> {
    pub(super) text: &'a str,
    /// What the name of its field says of numbers in it.
    pub(super) field: Option<Hint>,
    pub(super) key: &'a ScrubKey,
}

impl Looked<'_> {
    /// What the words before a place, else the name of the field, say of what stands there.
    fn hint(&self, at: usize) -> Option<Hint> {
        super::words::before(self.text, at).or(self.field)
    }
}

/// What cannot be without one of these characters need not be looked for.
struct Signs {
    at: bool,
    plus: bool,
    digits: usize,
    separator: bool,
}

impl Signs {
    fn of(text: &str) -> Self {
        let mut signs = Self { at: false, plus: false, digits: 0, separator: false };
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => signs.digits += 1,
                b'@' | b'%' => signs.at = true,
                b'+' => signs.plus = true,
                b':' | b'=' => signs.separator = true,
                _ => {}
            }
        }
        signs
    }
}

/// The shortest text that can hold something.
const SHORTEST: usize = 6;

/// Everything in a text, in order, none overlapping another. Pseudonyms come first, then what starts first, then what
/// is longest.
pub(super) fn all(looked: Looked<'_>, own: impl FnOnce(&mut Vec<Found>)) -> Vec<Found> {
    let mut found = Vec::new();
    let text = looked.text;
    if text.len() >= SHORTEST {
        let signs = Signs::of(text);
        let pseudonyms = pseudonym::texts_in(text);
        found.extend(pseudonyms.map(|range| Found::new(Kind::Field, range, What::Pseudonym)));
        if signs.at {
            email::find(looked, &mut found);
        }
        if signs.digits >= 7 {
            card::find(looked, &mut found);
            iban::find(looked, &mut found);
            phone::find(looked, signs.plus, &mut found);
            ssn::find(looked, &mut found);
        }
        if text.len() >= 16 {
            service_key::find(looked, &mut found);
            token::find(looked, &mut found);
            private_key::find(looked, &mut found);
        }
        if signs.separator {
            password::find(looked, &mut found);
        }
    }
    own(&mut found);
    resolve(found)
}

fn resolve(mut found: Vec<Found>) -> Vec<Found> {
    if found.len() < 2 {
        return found;
    }
    found.sort_by_key(|found| (!found.is_pseudonym(), found.range.start, std::cmp::Reverse(found.range.end)));
    let mut kept: Vec<Found> = Vec::with_capacity(found.len());
    for one in found {
        let overlaps = |other: &Found| one.range.start < other.range.end && other.range.start < one.range.end;
        if !kept.iter().any(overlaps) {
            kept.push(one);
        }
    }
    kept.sort_by_key(|found| found.range.start);
    kept
}

/// The digits of a text.
fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The text with its digits replaced one by one.
fn with_digits(text: &str, digits: &str) -> String {
    let mut digits = digits.chars();
    text.chars().map(|c| if c.is_ascii_digit() { digits.next().unwrap_or(c) } else { c }).collect()
}
