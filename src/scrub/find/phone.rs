//! Numbers of telephones.

use std::sync::LazyLock;

use regex::Regex;

use super::super::key::ScrubKey;
use super::super::kind::Kind;
use super::super::words::{Hint, stands_apart};
use super::{Found, Looked, What, digits, with_digits};

/// `+49 170 1234567`
static INTERNATIONAL: LazyLock<Regex> = LazyLock::new(|| compiled(r"\+[1-9](?:[ .\-/\u{a0}]?\(?[0-9]\)?){6,14}"));
/// `(415) 555-2671`, `1-415-555-2671`, `415.555.2671`
static NORTH_AMERICAN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?:1[-. ])?(?:\([0-9]{3}\)[ -]?[0-9]{3}[-. ][0-9]{4}|[0-9]{3}-[0-9]{3}-[0-9]{4}|[0-9]{3}\.[0-9]{3}\.[0-9]{4})",
    )
});
/// Any digits that can be dialled, where a word says that they are.
static DIALLED: LazyLock<Regex> = LazyLock::new(|| compiled(r"\(?[0-9]\)?(?:[ .\-/\u{a0}]?\(?[0-9]\)?){6,14}"));

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of telephones")
}

/// The country code of pseudonyms: it is reserved and given to nobody.
const COUNTRY: &str = "999";
/// What other pseudonyms start with: no number that is dialled does.
const LOCAL: &str = "000";

pub(super) fn find(looked: Looked<'_>, has_plus: bool, out: &mut Vec<Found>) {
    let text = looked.text;
    if has_plus {
        for place in INTERNATIONAL.find_iter(text) {
            let Some(number) = international(place.as_str()) else { continue };
            let range = place.start()..place.start() + number.len();
            if stands_apart(text, range.start, range.end) {
                out.push(found(looked.key, number, range));
            }
        }
    }
    for place in NORTH_AMERICAN.find_iter(text) {
        let hint = looked.hint(place.start());
        if stands_apart(text, place.start(), place.end())
            && hint.is_none_or(|hint| matches!(hint, Hint::Phone | Hint::Call))
            && is_north_american(&digits(place.as_str()))
        {
            out.push(found(looked.key, place.as_str(), place.range()));
        }
    }
    for place in DIALLED.find_iter(text) {
        let number = digits(place.as_str());
        let looks_dialled = number.starts_with('0') || number.len() < place.len();
        let is_told = match looked.hint(place.start()) {
            Some(Hint::Phone) => true,
            // Tools are called too, so a bare number after the word may be any.
            Some(Hint::Call) => looks_dialled,
            _ => false,
        };
        if is_told && stands_apart(text, place.start(), place.end()) && can_be_dialled(&number) {
            out.push(found(looked.key, place.as_str(), place.range()));
        }
    }
}

fn found(key: &ScrubKey, number: &str, range: std::ops::Range<usize>) -> Found {
    let what = if is_pseudonym(number) { What::Pseudonym } else { What::Value(pseudonym(key, number)) };
    Found::new(Kind::Phone, range, what)
}

/// What of a text that starts with a plus is a number: all of it, or the 11 digits of a North American one.
fn international(text: &str) -> Option<&str> {
    let number = digits(text);
    if number.starts_with(COUNTRY) {
        return Some(text);
    }
    if number.starts_with('1') {
        let (last, _) = text.char_indices().filter(|(_, c)| c.is_ascii_digit()).nth(10)?;
        return is_north_american(&number[..11]).then(|| &text[..=last]);
    }
    (number.len() >= 8 && has_country(&number)).then_some(text)
}

/// Ten digits, or eleven with the country's 1, whose area and exchange are given to somebody, or a pseudonym.
fn is_north_american(number: &str) -> bool {
    let number = if number.len() == 11 { number.strip_prefix('1').unwrap_or(number) } else { number };
    let digit = |at: usize| number.as_bytes().get(at).copied().unwrap_or(b'0');
    let real = digit(0) >= b'2' && digit(1) != b'9' && digit(3) >= b'2';
    number.len() == 10 && (real || number.starts_with(LOCAL))
}

/// Digits that a word calls a telephone's: long enough, and no year or date.
fn can_be_dialled(number: &str) -> bool {
    (7..=15).contains(&number.len()) && !super::super::pseudonym::is_of_digits(number)
}

/// Whether the country code is given to somebody (ITU-T E.164).
fn has_country(number: &str) -> bool {
    let start = |count: usize| number.get(..count).and_then(|start| start.parse::<u16>().ok()).unwrap_or(0);
    let two = start(2);
    if number.starts_with(['1', '7']) {
        return true;
    }
    let of_two = matches!(two, 20 | 27 | 30..=34 | 36 | 39..=41 | 43..=49 | 51..=58 | 60..=66 | 81 | 82 | 84 | 86 | 90..=95 | 98);
    of_two
        || matches!(
            start(3),
            211..=213 | 216 | 218 | 220..=269 | 290 | 291 | 297..=299 | 350..=359 | 370..=378 | 380..=383 | 385..=387 | 389
                | 420 | 421 | 423 | 500..=509 | 590..=599 | 670 | 672..=683 | 685..=692 | 800 | 808 | 850 | 852 | 853
                | 855 | 856 | 870 | 878 | 880..=883 | 886 | 888 | 960..=968 | 970..=977 | 979 | 992..=996 | 998
        )
}

/// The same number in other digits, as many and in the same writing.
pub(in super::super) fn pseudonym(key: &ScrubKey, number: &str) -> String {
    let old = digits(number);
    let (kept, mark, name) = match number.starts_with('+') {
        true => ("", COUNTRY, format!("+{old}")),
        false if old.len() == 11 && old.starts_with('1') => ("1", LOCAL, old[1..].to_owned()),
        false if old.starts_with("00") => ("", LOCAL, format!("+{}", &old[2..])),
        false => ("", LOCAL, old.clone()),
    };
    let mut stream = key.stream("phone", &name);
    let marked = kept.chars().chain(mark.chars());
    let new: String = marked.chain(std::iter::repeat_with(|| stream.digit())).take(old.len()).collect();
    with_digits(number, &new)
}

/// Whether a number is the pseudonym of one.
pub(in super::super) fn is_pseudonym(number: &str) -> bool {
    let bare = digits(number);
    match number.starts_with('+') {
        true => bare.starts_with(COUNTRY),
        false => bare.strip_prefix('1').unwrap_or(&bare).starts_with(LOCAL),
    }
}

/// Whether a whole text can be a telephone's number, where its field says that it is one.
pub(in super::super) fn is_number(text: &str) -> bool {
    let rest = text.strip_prefix('+').unwrap_or(text);
    rest.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '.' | '-' | '/' | '(' | ')' | '\u{a0}'))
        && can_be_dialled(&digits(text))
}
