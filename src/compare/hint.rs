//! What helps to understand a difference: why a careless comparison would miss it, or why it may not matter.

use unicode_normalization::UnicodeNormalization;

use super::band::instant_of_text;
use super::canonical::Value;
use super::number::Number;
use crate::recording::check;

/// What may help to understand a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hint {
    /// Only upper and lower case differ.
    CaseOnly,
    /// Only white space differs.
    SpaceOnly,
    /// Only white space around the text differs.
    OuterSpaceOnly,
    /// Only line ends differ.
    LineEndsOnly,
    /// The texts look alike: some characters are others that are drawn the same, or cannot be seen.
    LooksAlike,
    /// The same items in another order.
    OrderOnly,
    /// The same items, some of them more or less often.
    CountsOnly,
    /// It looks like an id that is made anew each time.
    Volatile,
    /// It looks like a time.
    Time,
    /// The same instant, written otherwise.
    SameInstant,
    /// Written as a text both are the same, but they are of two types.
    SameSpelling,
    /// A number and a boolean that some languages take for the same.
    NumberAsBoolean,
    /// Two numbers that a double cannot tell apart.
    BeyondDouble,
    /// Two whole numbers so close that a tolerance would swallow the difference.
    CloseIntegers,
    /// Two texts that read as the same number.
    NumbersInTexts,
    /// One text is the beginning of the other.
    Prefix,
    /// One text holds the other.
    Part,
    /// One or two characters differ.
    NearMiss,
    /// Long texts, alike but for their last characters.
    LongTail,
    /// `null` on one side, nothing on the other.
    NullAndAbsent,
    /// An empty text, list or object on one side, nothing on the other.
    EmptyAndAbsent,
    /// The key is spelt otherwise on the other side.
    KeySpelling,
    /// The key looks like one on the other side and is another one.
    KeyLooksAlike,
    /// Another call of the tool has the value.
    Crossed,
    /// An argument that the recording does not have.
    NotRecorded,
    /// The value came out of another place than in the recording.
    OtherSource,
}

impl Hint {
    /// A sentence for a person.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Hint::CaseOnly => "only upper and lower case differ",
            Hint::SpaceOnly => "only white space differs",
            Hint::OuterSpaceOnly => "only white space around the text differs",
            Hint::LineEndsOnly => "only line ends differ",
            Hint::LooksAlike => "they look alike, some characters are others (shown escaped)",
            Hint::OrderOnly => "the same items in another order",
            Hint::CountsOnly => "the same items, but not as often each",
            Hint::Volatile => "looks like an id made anew each time",
            Hint::Time => "looks like a time",
            Hint::SameInstant => "the same instant, written otherwise",
            Hint::SameSpelling => "written as text both are the same, the types differ",
            Hint::NumberAsBoolean => "a number is no boolean, though some languages take them for equal",
            Hint::BeyondDouble => "a double cannot tell them apart; compared by every digit",
            Hint::CloseIntegers => "whole numbers, compared exactly however close",
            Hint::NumbersInTexts => "equal as numbers, but these are texts",
            Hint::Prefix => "one is the beginning of the other",
            Hint::Part => "one is a part of the other",
            Hint::NearMiss => "almost the same text",
            Hint::LongTail => "long texts that differ near their end alone",
            Hint::NullAndAbsent => "null is not absent",
            Hint::EmptyAndAbsent => "empty is not absent",
            Hint::KeySpelling => "the key is spelt otherwise on the other side",
            Hint::KeyLooksAlike => "a key on the other side looks like it, some characters are others (shown escaped)",
            Hint::Crossed => "another call of the tool has this value: arguments went to the wrong call",
            Hint::NotRecorded => "the recording does not have this argument",
            Hint::OtherSource => "it came out of another place than in the recording",
        }
    }
}

/// What helps to understand that one value stands in the place of another.
pub(super) fn between(expected: &Value, seen: &Value) -> Option<Hint> {
    match (expected.bare(), seen.bare()) {
        (Value::Array(a), Value::Array(b)) => lists(a, b),
        (Value::Text(a), Value::Text(b)) => texts(a.as_str()?, b.as_str()?),
        (Value::Number(a), Value::Number(b)) => numbers(a, b),
        (Value::Number(number), Value::Bool(flag)) | (Value::Bool(flag), Value::Number(number)) => {
            (number.double() == f64::from(u8::from(*flag))).then_some(Hint::NumberAsBoolean)
        }
        (Value::Text(text), other) | (other, Value::Text(text)) => {
            let text = text.as_str()?;
            let same = match other {
                Value::Bool(_) | Value::Null => text.eq_ignore_ascii_case(&other.to_string()),
                Value::Number(number) => number_in(text.trim()).is_some_and(|value| value == *number),
                _ => false,
            };
            same.then_some(Hint::SameSpelling)
        }
        (Value::Embedded(inner), other) | (other, Value::Embedded(inner)) => {
            (**inner == *other).then_some(Hint::SameSpelling)
        }
        _ => None,
    }
}

/// What helps to understand that a value stands on one side alone.
pub(super) fn alone(value: &Value) -> Option<Hint> {
    match value.bare() {
        Value::Null => Some(Hint::NullAndAbsent),
        Value::Text(text) if text.as_str() == Some("") => Some(Hint::EmptyAndAbsent),
        Value::Array(items) if items.is_empty() => Some(Hint::EmptyAndAbsent),
        Value::Object(members) if members.is_empty() => Some(Hint::EmptyAndAbsent),
        _ => None,
    }
}

/// What all spellings of a key have in common, as those of `orderId` and `order_id`, and those that look alike.
pub(super) fn letters(key: &str) -> String {
    key.nfc().filter(|c| c.is_alphanumeric()).map(drawn_as).flat_map(char::to_lowercase).collect()
}

/// How two names are one and the same to a careless reader.
#[must_use]
pub(crate) fn names(a: &str, b: &str) -> Option<Hint> {
    texts(a, b).filter(|hint| matches!(hint, Hint::CaseOnly | Hint::LooksAlike))
}

/// The number that a text holds, written as JSON has it.
fn number_in(text: &str) -> Option<Number> {
    let starts = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    (starts && check(text).is_ok()).then(|| Number::read(text))
}

/// How two lists are alike as wholes: the same items in another order, or not as often each.
pub(super) fn lists(a: &[Value], b: &[Value]) -> Option<Hint> {
    let sorted = |items: &[Value]| {
        let mut items: Vec<u128> = items.iter().map(Value::hash128).collect();
        items.sort_unstable();
        items
    };
    let (mut a, mut b) = (sorted(a), sorted(b));
    if a == b {
        return Some(Hint::OrderOnly);
    }
    a.dedup();
    b.dedup();
    (a == b).then_some(Hint::CountsOnly)
}

fn numbers(a: &Number, b: &Number) -> Option<Hint> {
    let (x, y) = (a.double(), b.double());
    if x == y {
        return Some(Hint::BeyondDouble);
    }
    let close = (x - y).abs() <= x.abs().max(y.abs()) * 1e-6;
    (close && a.is_whole() && b.is_whole()).then_some(Hint::CloseIntegers)
}

/// From so many characters on a text is long.
const LONG: usize = 1_000;

fn texts<'a>(a: &'a str, b: &'a str) -> Option<Hint> {
    // Nothing is collected: of two long texts that differ, little more than their common start is looked at.
    let visible = |text: &'a str| text.chars().filter(|c| !is_space_or_unseen(*c));
    if visible(a).eq(visible(b)) {
        return Some(spaces(a, b));
    }
    let lower = |text: &'a str| text.chars().flat_map(char::to_lowercase);
    if lower(a).eq(lower(b)) {
        return Some(Hint::CaseOnly);
    }
    if a.chars().map(drawn_as).eq(b.chars().map(drawn_as)) || a.nfc().eq(b.nfc()) {
        return Some(Hint::LooksAlike);
    }
    if is_uuid(a) && is_uuid(b) {
        return Some(Hint::Volatile);
    }
    if let (Some(x), Some(y)) = (instant_of_text(a), instant_of_text(b)) {
        return Some(if x == y { Hint::SameInstant } else { Hint::Time });
    }
    if number_in(a).is_some_and(|x| number_in(b).is_some_and(|y| x == y)) {
        return Some(Hint::NumbersInTexts);
    }
    parts(a, b)
}

/// What two texts have in common.
fn parts(a: &str, b: &str) -> Option<Hint> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() {
        return None;
    }
    if long.starts_with(short) {
        return Some(Hint::Prefix);
    }
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    if short.len() >= LONG {
        return (same * 10 >= long.len() * 9).then_some(Hint::LongTail);
    }
    if long.contains(short) {
        return Some(Hint::Part);
    }
    let apart = strsim::damerau_levenshtein(a, b);
    (apart <= 2 && short.chars().count() >= 4 * apart).then_some(Hint::NearMiss)
}

/// Texts that differ in white space and unseen characters alone.
fn spaces(a: &str, b: &str) -> Hint {
    let is_plain_space = |c: &char| matches!(c, ' ' | '\t' | '\n' | '\r');
    if !a.chars().filter(|c| !is_plain_space(c)).eq(b.chars().filter(|c| !is_plain_space(c))) {
        return Hint::LooksAlike;
    }
    if a.trim() == b.trim() {
        return Hint::OuterSpaceOnly;
    }
    let lines = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    if lines(a) == lines(b) { Hint::LineEndsOnly } else { Hint::SpaceOnly }
}

fn is_space_or_unseen(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
            // Joiners, marks of direction, embeddings, isolates, variation selectors, tags.
            | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}'
            | '\u{E0000}'..='\u{E01EF}')
}

/// The Latin letter that a character is drawn like, else the character.
fn drawn_as(c: char) -> char {
    const ALIKE: &str = "аaеeоoрpсcхxуyіiјjѕsԁdһhԛqԝwɡgΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXАAВBЕEКKМMНHОOРPСCТTХX";
    if c.is_ascii() {
        return c;
    }
    let mut letters = ALIKE.chars();
    while let (Some(foreign), Some(latin)) = (letters.next(), letters.next()) {
        if foreign == c {
            return latin;
        }
    }
    c
}

/// Whether a text is a UUID in its usual form.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}

#[cfg(test)]
mod tests {
    use super::super::policy::ToolRules;
    use super::*;
    use crate::recording::Json;

    fn hint(a: &str, b: &str) -> Option<Hint> {
        let read = |text: &str| Value::read(&Json::parse(text).unwrap(), &ToolRules::none());
        let both = (between(&read(a), &read(b)), between(&read(b), &read(a)));
        assert_eq!(both.0, both.1, "the same from both sides");
        both.0
    }

    #[test]
    fn each_trap_has_its_name() {
        let table = [
            ("1", "\"1\"", Hint::SameSpelling),
            ("true", "\"True\"", Hint::SameSpelling),
            ("0", "false", Hint::NumberAsBoolean),
            ("1", "true", Hint::NumberAsBoolean),
            ("9007199254740993", "9007199254740992", Hint::BeyondDouble),
            ("100000000000000000001", "100000000000000000000", Hint::BeyondDouble),
            ("1000000000000001", "1000000000000000", Hint::CloseIntegers),
            ("\"order_1001\"", "\"order_1002\"", Hint::NearMiss),
            ("\"Paris\"", "\"Paris \"", Hint::OuterSpaceOnly),
            ("\"a b\"", "\"a  b\"", Hint::SpaceOnly),
            ("\"a\\nb\"", "\"a\\r\\nb\"", Hint::LineEndsOnly),
            ("\"admin\"", "\"\u{430}dmin\"", Hint::LooksAlike),
            ("\"ab\"", "\"a\u{200b}b\"", Hint::LooksAlike),
            ("\"ab\"", "\"ab\u{202e}\"", Hint::LooksAlike),
            ("\"ab\"", "\"ab\u{fe0f}\"", Hint::LooksAlike),
            ("\"ab\"", "\"a\\u0000b\"", Hint::LooksAlike),
            ("\"ab\"", "\"a\u{e0041}b\"", Hint::LooksAlike),
            ("\"ab\"", "\"a\u{34f}b\"", Hint::LooksAlike),
            ("\"a\u{200b}b c\"", "\"a\u{200b}b  c\"", Hint::SpaceOnly),
            ("\"\u{200b}ab\"", "\"ab\u{200b}\"", Hint::LooksAlike),
            ("\"Search\"", "\"search\"", Hint::CaseOnly),
            ("[1,2,3]", "[3,2,1]", Hint::OrderOnly),
            ("[1,1,2]", "[1,2,2]", Hint::CountsOnly),
            ("\"2026-01-01T00:00:00Z\"", "\"2026-01-01T01:00:00+01:00\"", Hint::SameInstant),
            ("\"2026-01-01\"", "\"2026-01-02\"", Hint::Time),
            ("\"10.0\"", "\"10\"", Hint::NumbersInTexts),
            ("\"/tmp/a\"", "\"/tmp/a/../../etc/passwd\"", Hint::Prefix),
            ("\"order 7 of May\"", "\"7\"", Hint::Part),
            ("{\"a\":1}", "\"{\\\"a\\\":1}\"", Hint::SameSpelling),
        ];
        for (a, b, wanted) in table {
            assert_eq!(hint(a, b), Some(wanted), "{a} {b}");
        }
        assert_eq!(hint("\"Berlin\"", "\"Madrid\""), None);
        for (a, b) in [("9007199254740993", "9007199254740992"), ("1e400", "1e999"), ("inf", "infinity")] {
            assert_ne!(hint(&format!("\"{a}\""), &format!("\"{b}\"")), Some(Hint::NumbersInTexts), "{a} {b}");
            assert_ne!(hint("9007199254740993", &format!("\"{b}\"")), Some(Hint::SameSpelling), "{b}");
        }
        assert_eq!(hint("50", "49.99"), None);
    }

    #[test]
    fn names_that_a_reader_takes_for_one_are_named() {
        assert_eq!(names("search", "se\u{430}rch"), Some(Hint::LooksAlike));
        assert_eq!(names("caf\u{e9}", "cafe\u{301}"), Some(Hint::LooksAlike));
        assert_eq!(names("search", "Search"), Some(Hint::CaseOnly));
        assert_eq!(names("search", "searches"), None);
        assert_eq!((letters("order_id"), letters("\u{43e}rderId")), ("orderid".into(), "orderid".into()));
    }

    #[test]
    fn long_texts_are_looked_at_quickly() {
        let long = |last: char| format!("\"{}{last}\"", "xy ".repeat(300_000));
        assert_eq!(hint(&long('a'), &long('b')), Some(Hint::LongTail));
    }
}
