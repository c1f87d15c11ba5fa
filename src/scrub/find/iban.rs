//! Numbers of bank accounts.

use std::sync::LazyLock;

use iban::{Iban, IbanLike as _};
use regex::Regex;

use super::super::key::ScrubKey;
use super::super::kind::Kind;
use super::super::words::{ends_apart, starts_apart};
use super::{Found, Looked, What};

static START: LazyLock<Regex> = LazyLock::new(|| compiled("[A-Za-z]{2}[0-9]{2}[ -]?[A-Za-z0-9]"));

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of accounts")
}

/// How many characters the longest has, and the shortest.
const LENGTHS: std::ops::RangeInclusive<usize> = 15..=34;
/// How many characters of the account are marked in a pseudonym: nines and Xs, which no bank has.
const MARKED: usize = 4;

pub(super) fn find(looked: Looked<'_>, out: &mut Vec<Found>) {
    let (text, mut from) = (looked.text, 0);
    while let Some(start) = START.find_at(text, from) {
        // `\nDE89...`: the match can begin with the letter of an escape.
        from = start.start() + 1;
        if !starts_apart(text, start.start()) {
            continue;
        }
        let Some((end, account)) = longest(text, start.start()) else { continue };
        let range = start.start()..end;
        let what = if is_pseudonym(&account) {
            What::Pseudonym
        } else {
            What::Value(pseudonym(looked.key, &account, &text[range.clone()]))
        };
        from = end;
        out.push(Found::new(Kind::Iban, range, what));
    }
}

/// The longest account that starts here, single gaps between its characters allowed: where it ends, and what it is.
fn longest(text: &str, from: usize) -> Option<(usize, Iban)> {
    let (mut ends, mut bare, mut gap) = (Vec::new(), String::new(), false);
    for (at, character) in text[from..].char_indices() {
        match character {
            'A'..='Z' | 'a'..='z' | '0'..='9' if bare.len() < *LENGTHS.end() => {
                bare.push(character.to_ascii_uppercase());
                gap = false;
                ends.push(from + at + 1);
            }
            ' ' | '-' | '\u{a0}' if !gap => gap = true,
            _ => break,
        }
    }
    let lengths = LENGTHS.rev().filter(|length| *length <= bare.len());
    let whole = lengths.filter(|length| ends_apart(text, ends[length - 1]));
    whole.into_iter().find_map(|length| Some((ends[length - 1], bare[..length].parse::<Iban>().ok()?)))
}

fn is_pseudonym(account: &Iban) -> bool {
    account.bban().bytes().take(MARKED).all(|byte| matches!(byte, b'9' | b'X'))
}

/// The same country, with right check digits and in the same writing.
fn pseudonym(key: &ScrubKey, account: &Iban, written: &str) -> String {
    let mut stream = key.stream("iban", account.electronic_str());
    let mark = |c: char| if c.is_ascii_digit() { '9' } else { 'X' };
    let new: String =
        account.bban().chars().enumerate().map(|(at, c)| if at < MARKED { mark(c) } else { stream.like(c) }).collect();
    let country = account.country_code();
    let check = 98 - remainder(&format!("{new}{country}00"));
    let mut new = country.chars().chain(format!("{check:02}").chars().collect::<Vec<_>>()).chain(new.chars());
    let put = |old: char| match old {
        'a'..='z' => new.next().unwrap_or(old).to_ascii_lowercase(),
        'A'..='Z' | '0'..='9' => new.next().unwrap_or(old),
        gap => gap,
    };
    written.chars().map(put).collect()
}

/// What is left of the number by 97, a letter read as a number from 10 on.
fn remainder(text: &str) -> u32 {
    text.chars().filter_map(|c| c.to_digit(36)).fold(0, |left, digit| match digit {
        0..=9 => (left * 10 + digit) % 97,
        letter => (left * 100 + letter) % 97,
    })
}
