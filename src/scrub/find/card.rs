//! Numbers of payment cards.

use std::sync::LazyLock;

use regex::Regex;

use super::super::key::ScrubKey;
use super::super::kind::Kind;
use super::super::words::{Hint, stands_apart};
use super::{Found, Looked, What, digits, with_digits};

/// In one piece, in groups of four, or as American Express and Diners print them.
static CARD: LazyLock<Regex> = LazyLock::new(|| {
    let groups = |gap: &str| format!(r"[0-9]{{4}}(?:{gap}[0-9]{{4}}){{3}}|[0-9]{{4}}{gap}[0-9]{{6}}{gap}[0-9]{{4,5}}");
    compiled(&format!("{}|{}|[0-9]{{13,19}}", groups(r"[ \u{a0}]"), groups("-")))
});

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of cards")
}

/// What the pseudonym of a card starts with. No card does: 9 is for the countries' own, and none has given this out.
const MARK: &str = "9999";

pub(super) fn find(looked: Looked<'_>, out: &mut Vec<Found>) {
    for place in CARD.find_iter(looked.text) {
        let range = place.range();
        if !stands_apart(looked.text, range.start, range.end) {
            continue;
        }
        let number = digits(place.as_str());
        let is_grouped = number.len() < place.len();
        if is_pseudonym(&number) {
            out.push(Found::new(Kind::Card, range, What::Pseudonym));
        } else if is_card(&number, is_grouped, looked.hint(range.start)) {
            out.push(Found::new(Kind::Card, range, What::Value(replaced(looked.key, place.as_str()))));
        }
    }
}

/// How surely digits with a right check digit are a card's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Issuer {
    /// A large network, in the length that its cards have: unless a word says that it is something else.
    Large,
    /// Any other: only if a word or the way it is written says so.
    Other,
}

/// Whether digits are a card's. One of ten numbers passes the check by chance, so that is not enough.
pub(in super::super) fn is_card(number: &str, is_grouped: bool, hint: Option<Hint>) -> bool {
    let fits = match issuer(number) {
        None => return false,
        Some(Issuer::Large) => hint != Some(Hint::Name) || is_grouped,
        Some(Issuer::Other) => hint == Some(Hint::Card) || (is_grouped && hint != Some(Hint::Name)),
    };
    fits && check_sum(number).is_multiple_of(10)
}

fn issuer(number: &str) -> Option<Issuer> {
    let start = |count: usize| number.get(..count).and_then(|start| start.parse::<u32>().ok()).unwrap_or(0);
    let (two, three, four) = (start(2), start(3), start(4));
    let large = match number.len() {
        16 => {
            matches!(two, 40..=49 | 51..=55 | 65)
                || matches!(four, 2221..=2720 | 6011 | 3528..=3589)
                || matches!(three, 644..=649)
        }
        15 => matches!(two, 34 | 37),
        _ => false,
    };
    if large {
        return Some(Issuer::Large);
    }
    let other = match number.len() {
        // Visa's old and long ones.
        13 => two / 10 == 4,
        14 => matches!(two, 36 | 38 | 39) || matches!(three, 300..=305),
        16..=19 => matches!(two, 40..=49 | 50 | 56..=58 | 60..=69 | 81 | 82) || matches!(four, 2200..=2204 | 9792),
        _ => false,
    };
    other.then_some(Issuer::Other)
}

/// The sum of Luhn: every second digit from the right is doubled.
fn check_sum(number: &str) -> u32 {
    let digits = number.bytes().rev().map(|byte| u32::from(byte - b'0'));
    let counted = |(at, digit): (usize, u32)| match at % 2 {
        0 => digit,
        _ if digit > 4 => digit * 2 - 9,
        _ => digit * 2,
    };
    digits.enumerate().map(counted).sum()
}

/// As many digits, with a right check digit.
pub(in super::super) fn pseudonym(key: &ScrubKey, number: &str) -> String {
    let mut stream = key.stream("card", number);
    let body = number.len().saturating_sub(MARK.len() + 1);
    let mut new: String = MARK.chars().chain((0..body).map(|_| stream.digit())).collect();
    let check = (10 - check_sum(&format!("{new}0")) % 10) % 10;
    new.push_str(&check.to_string());
    new
}

/// Whether a whole text can be the number of a card, where its field says that it is one.
pub(in super::super) fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '\u{a0}'))
        && (13..=19).contains(&digits(text).len())
}

/// The number as it is written, in the digits of its pseudonym.
pub(in super::super) fn replaced(key: &ScrubKey, text: &str) -> String {
    with_digits(text, &pseudonym(key, &digits(text)))
}

/// Whether digits are the pseudonym of a card.
pub(in super::super) fn is_pseudonym(number: &str) -> bool {
    (13..=19).contains(&number.len()) && number.starts_with(MARK) && check_sum(number).is_multiple_of(10)
}
