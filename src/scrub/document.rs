//! Going through JSON as text, so that all that is not replaced stays as it was written.

use unicode_normalization::UnicodeNormalization;

use super::edit::{Content, Edit, apply, edits};
use super::find::{self, Found, Looked, What};
use super::key::ScrubKey;
use super::kind::Kind;
use super::known::Known;
use super::number::whole_digits;
use super::place::{Mark, Place};
use super::pseudonym;
use super::scrubber::Scrubber;
use super::words::Hint;
use crate::recording::check;

/// How deep JSON may stand in texts that stand in JSON; what is deeper is looked through as a text.
const DEEPEST: usize = 8;

/// Is told of everything that is replaced: what kind it is, where it stood, and its value.
pub(super) type Seen<'a> = dyn FnMut(&Kind, &str, &str) + 'a;

/// One way through an interaction.
pub(super) struct Pass<'a> {
    pub(super) scrubber: &'a Scrubber,
    pub(super) known: &'a mut Known,
    pub(super) seen: &'a mut Seen<'a>,
}

/// A list or object that is not closed yet.
struct Open {
    /// Where its parts stand.
    inside: Mark,
    /// Where it stands itself.
    outside: Mark,
    wants: Wants,
}

/// What comes next in a list or object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    Key,
    Value,
    Item,
}

impl Pass<'_> {
    fn key(&self) -> &ScrubKey {
        &self.scrubber.key
    }

    /// The edits that scrub a text that is well-formed JSON.
    pub(super) fn document(&mut self, text: &str, place: &mut Place, level: usize) -> Vec<Edit> {
        let (mut at, mut out, mut open, mut keys) = (0, Vec::new(), Vec::<Open>::new(), Vec::new());
        while let Some(byte) = text.as_bytes().get(at) {
            match byte {
                b'{' | b'[' => {
                    let outside = place.mark();
                    if *byte == b'[' {
                        place.enter_list();
                    }
                    let wants = if *byte == b'[' { Wants::Item } else { Wants::Key };
                    open.push(Open { inside: place.mark(), outside, wants });
                    at += 1;
                }
                b'}' | b']' => {
                    if let Some(closed) = open.pop() {
                        place.back_to(closed.outside);
                    }
                    at += 1;
                }
                b',' => {
                    if let Some(container) = open.last_mut().filter(|container| container.wants == Wants::Value) {
                        place.back_to(container.inside);
                        container.wants = Wants::Key;
                    }
                    at += 1;
                }
                b'"' => {
                    let end = string_end(text, at);
                    let quoted = Content::of(&text[at..end], at);
                    match open.last_mut().filter(|container| container.wants == Wants::Key) {
                        Some(container) => {
                            container.wants = Wants::Value;
                            keys.extend(self.member(&quoted, place));
                        }
                        None => {
                            let found = self.content(&quoted.text, place, level);
                            out.extend(quoted.outwards(found));
                        }
                    }
                    at = end;
                }
                b'-' | b'0'..=b'9' => {
                    let rest = &text.as_bytes()[at..];
                    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                    let end = at + rest.iter().take_while(|byte| is_part(byte)).count();
                    out.extend(self.number(&text[at..end], at, place));
                    at = end;
                }
                _ => at += 1,
            }
        }
        with_keys(text, out, keys)
    }

    /// Goes to the member of an object, whose name may be data itself: the edits of its name.
    fn member(&mut self, quoted: &Content<'_>, place: &mut Place) -> Vec<Edit> {
        let name = &*quoted.text;
        let found = if place.is_exempt() { Vec::new() } else { self.found(name, place) };
        let shown = match found.first() {
            Some(found) => format!("[{}]", found.kind),
            // Names such as ids would make a line of the report of each.
            None if name.bytes().filter(u8::is_ascii_digit).count() > 3 || name.chars().count() > 40 => "*".to_owned(),
            None => name.to_owned(),
        };
        let mark = place.mark();
        place.enter_field(name, &shown, &self.scrubber.fields);
        let edits = if place.is_exempt() { Vec::new() } else { self.replaced(name, found, place) };
        if edits.is_empty() && shown.starts_with('[') {
            // It was known already: its place is shown by its name.
            place.back_to(mark);
            place.enter_field(name, "*", &self.scrubber.fields);
        }
        quoted.outwards(edits).collect()
    }

    /// The edits of what a JSON string says.
    pub(super) fn content(&mut self, text: &str, place: &mut Place, level: usize) -> Vec<Edit> {
        if place.is_exempt() {
            return Vec::new();
        }
        if level < DEEPEST && text.trim_start().starts_with(['{', '[']) && check(text).is_ok() {
            return self.document(text, place, level + 1);
        }
        if place.is_listed() {
            return self.listed(text, place);
        }
        let found = self.found(text, place);
        self.replaced(text, found, place)
    }

    fn found(&self, text: &str, place: &Place) -> Vec<Found> {
        let looked = Looked { text, field: place.hint(), key: self.key() };
        let scrubber = self.scrubber;
        find::all(looked, |found| {
            scrubber.find_own(text, found);
            self.known.find(text, found);
        })
    }

    /// The edits of what was found in a text, but for what is to stay.
    fn replaced(&mut self, text: &str, found: Vec<Found>, place: &Place) -> Vec<Edit> {
        let mut out = Vec::new();
        for found in found {
            let What::Value(new) = found.what else { continue };
            let whole = &text[found.whole.clone()];
            if !self.scrubber.is_off(&found.kind) && !self.scrubber.keeps(whole) {
                (self.seen)(&found.kind, place.shown(), whole);
                edits(found.range.clone(), &text[found.range], new, &mut out);
            }
        }
        out
    }

    /// The edits of a text whose field is listed: all of it goes.
    fn listed(&mut self, text: &str, place: &Place) -> Vec<Edit> {
        let bare = text.trim();
        if bare.is_empty() || self.scrubber.keeps(bare) {
            return Vec::new();
        }
        let start = text.len() - text.trim_start().len();
        let range = start..start + bare.len();
        let whole = self.found(bare, place).into_iter().find(|found| found.whole == (0..bare.len()));
        let (kind, new) = match whole {
            Some(Found { what: What::Pseudonym, .. }) => return Vec::new(),
            Some(Found { kind, what: What::Value(new), range, .. }) => {
                (kind, format!("{}{new}{}", &bare[..range.start], &bare[range.end..]))
            }
            None if self.is_pseudonym(bare, place) => return Vec::new(),
            None => self.pseudonym(bare, place),
        };
        // The other kinds are found wherever they stand.
        if matches!(kind, Kind::Field | Kind::Phone | Kind::Card) {
            self.known.add(bare, &new);
        }
        (self.seen)(&kind, place.shown(), bare);
        let mut out = Vec::new();
        edits(range, bare, new, &mut out);
        out
    }

    /// Whether all of a listed value is a pseudonym that no finder knows without its surroundings.
    fn is_pseudonym(&self, bare: &str, place: &Place) -> bool {
        let digits: String = bare.chars().filter(char::is_ascii_digit).collect();
        pseudonym::is_of_digits(bare)
            || pseudonym::is_of_day(bare)
            || (place.hint() == Some(Hint::Phone) && find::phone::is_number(bare) && find::phone::is_pseudonym(bare))
            || (place.hint() == Some(Hint::Card) && find::card::is_number(bare) && find::card::is_pseudonym(&digits))
            || (digits == bare && find::card::is_pseudonym(bare))
    }

    /// What a listed value is, and its pseudonym.
    fn pseudonym(&self, bare: &str, place: &Place) -> (Kind, String) {
        let hint = place.hint();
        if hint == Some(Hint::Phone) && find::phone::is_number(bare) {
            return (Kind::Phone, find::phone::pseudonym(self.key(), bare));
        }
        if hint == Some(Hint::Card) && find::card::is_number(bare) {
            return (Kind::Card, find::card::replaced(self.key(), bare));
        }
        if bare.bytes().all(|byte| byte.is_ascii_digit()) {
            return (Kind::Field, pseudonym::of_digits(self.key(), bare));
        }
        if pseudonym::is_day(bare) {
            return (Kind::Field, pseudonym::of_day(self.key(), bare));
        }
        let text: String = bare.nfc().collect();
        (Kind::Field, pseudonym::of_text(self.key(), &text))
    }

    /// The edit of a number.
    fn number(&mut self, written: &str, at: usize, place: &Place) -> Option<Edit> {
        if place.is_exempt() || (!place.is_listed() && written.len() < 7) {
            return None;
        }
        let range = at..at + written.len();
        let whole = whole_digits(written);
        let (kind, text) = match (&whole, place.is_listed()) {
            (Some(digits), _) if find::card::is_pseudonym(digits) || pseudonym::is_of_digits(digits) => return None,
            (Some(digits), is_listed)
                if find::card::is_card(digits, false, place.hint())
                    || (is_listed && place.hint() == Some(Hint::Card) && find::card::is_number(digits)) =>
            {
                (Kind::Card, find::card::pseudonym(self.key(), digits))
            }
            (Some(digits), true) => (Kind::Field, pseudonym::of_digits(self.key(), digits)),
            (Some(digits), false) => (Kind::Field, self.known.number(digits, range.clone())?.text),
            // By value, as numbers are compared.
            (None, true) => {
                let value = written.parse::<f64>().map_or_else(|_| written.to_owned(), |value| format!("{value:e}"));
                (Kind::Field, pseudonym::of_digits(self.key(), &value))
            }
            (None, false) => return None,
        };
        if self.scrubber.is_off(&kind) || self.scrubber.keeps(written) {
            return None;
        }
        if let (Some(digits), true) = (&whole, place.is_listed()) {
            self.known.add(digits, &text);
        }
        (self.seen)(&kind, place.shown(), written);
        Some(Edit { range, text })
    }
}

/// Puts the edits of values and names together. Two names of one object must not become one: then names stay apart by
/// a number at their end.
fn with_keys(text: &str, values: Vec<Edit>, mut keys: Vec<Edit>) -> Vec<Edit> {
    if keys.is_empty() {
        return values;
    }
    let merged = |keys: &[Edit]| {
        let mut all = [values.as_slice(), keys].concat();
        all.sort_by_key(|edit| edit.range.start);
        all
    };
    for attempt in 0..2 {
        let all = merged(&keys);
        if check(&apply(text, &all)).is_ok() {
            return all;
        }
        for (number, edit) in keys.iter_mut().enumerate().filter(|_| attempt == 0) {
            edit.text.push_str(&format!("-{}", number + 1));
        }
    }
    values
}

/// Where a JSON string ends that starts here.
fn string_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}
