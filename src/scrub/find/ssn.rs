//! Social security numbers of the United States.

use std::sync::LazyLock;

use regex::Regex;

use super::super::kind::Kind;
use super::super::words::{Hint, stands_apart};
use super::{Found, Looked, What, digits};

static SSN: LazyLock<Regex> = LazyLock::new(|| compiled("[0-9]{3}-[0-9]{2}-[0-9]{4}"));

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of social security numbers")
}

pub(super) fn find(looked: Looked<'_>, out: &mut Vec<Found>) {
    for place in SSN.find_iter(looked.text) {
        let number = digits(place.as_str());
        let (area, group, serial) = (&number[..3], &number[3..5], &number[5..]);
        if !stands_apart(looked.text, place.start(), place.end())
            || serial == "0000"
            || looked.hint(place.start()) == Some(Hint::Name)
        {
            continue;
        }
        // No area from 900 on and no group 00 is given out, so pseudonyms have both.
        let what = match (area, group) {
            (_, "00") if area.starts_with('9') => What::Pseudonym,
            ("000" | "666", _) | (_, "00") => continue,
            _ if area.starts_with('9') => continue,
            _ => {
                let mut stream = looked.key.stream("ssn", &number);
                let mut some = |count| (0..count).map(|_| stream.digit()).collect::<String>();
                What::Value(format!("9{}-00-{}", some(2), some(4)))
            }
        };
        out.push(Found::new(Kind::Ssn, place.range(), what));
    }
}
