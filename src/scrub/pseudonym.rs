//! Pseudonyms that keep no shape of what they stand for, and those of keys, which keep all of it.

use super::key::ScrubKey;

/// What the pseudonym of a text begins with.
const TEXT: &str = "scrubbed-";
/// How many hexadecimal digits follow.
const TEXT_DIGITS: usize = 16;

/// The pseudonym of any text.
pub(super) fn of_text(key: &ScrubKey, text: &str) -> String {
    format!("{TEXT}{}", key.stream("text", text).hex(TEXT_DIGITS))
}

/// Where pseudonyms of texts stand in a text.
pub(super) fn texts_in(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    text.match_indices(TEXT).filter_map(|(at, _)| {
        let digits = text.as_bytes().get(at + TEXT.len()..at + TEXT.len() + TEXT_DIGITS)?;
        let is_hex = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hex.then_some(at..at + TEXT.len() + TEXT_DIGITS)
    })
}

/// What the pseudonym of a number begins with.
const NUMBER: &str = "9099";

/// The pseudonym of a whole number: 15 digits, so that a double holds it, the last two a check of the others.
pub(super) fn of_digits(key: &ScrubKey, digits: &str) -> String {
    let mut stream = key.stream("digits", digits);
    let mut number: String = NUMBER.chars().chain((0..9).map(|_| stream.digit())).collect();
    number.push_str(&check(&number));
    number
}

/// Whether digits are the pseudonym of a number.
pub(super) fn is_of_digits(digits: &str) -> bool {
    digits.len() == 15
        && digits.starts_with(NUMBER)
        && digits.is_char_boundary(13)
        && check(&digits[..13]) == digits[13..]
}

fn check(digits: &str) -> String {
    format!("{:02}", digits.parse::<u64>().unwrap_or_default() % 97)
}

/// The pseudonym of a day, as in a date of birth: one of the nineteenth century, in which nobody was born who lives.
pub(super) fn of_day(key: &ScrubKey, day: &str) -> String {
    let mut stream = key.stream("day", day);
    let (year, month, day) = (stream.below(100), 1 + stream.below(12), 1 + stream.below(28));
    format!("18{year:02}-{month:02}-{day:02}")
}

/// Whether a text is a day, as 1985-03-12.
pub(super) fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// Whether a day is the pseudonym of one.
pub(super) fn is_of_day(text: &str) -> bool {
    text.starts_with("18") && is_day(text)
}

/// What stands at the start of what is secret in a key, in its pseudonym.
const MARK: &str = "SCRUBBED";

/// The pseudonym of a secret that keeps its length and which characters are digits and letters.
pub(super) fn of_secret(key: &ScrubKey, secret: &str) -> String {
    let bare: String = significant(secret).filter_map(|(c, counts)| counts.then_some(c)).collect();
    let (mut stream, mut mark) = (key.stream("secret", &bare), MARK.chars());
    let put = |(character, counts): (char, bool)| match counts {
        true => mark.next().unwrap_or_else(|| stream.like(character)),
        false => character,
    };
    significant(secret).map(put).collect()
}

/// Whether a secret is a pseudonym, or has one in it.
pub(super) fn is_of_secret(secret: &str) -> bool {
    let bare: String = significant(secret).filter_map(|(c, counts)| counts.then_some(c)).collect();
    bare.contains(MARK)
}

/// The characters, each with whether it is a letter or digit of the secret itself: the `n` of an escaped line break is
/// not.
fn significant(secret: &str) -> impl Iterator<Item = (char, bool)> {
    let mut escaped = false;
    secret.chars().map(move |character| {
        let counts = character.is_ascii_alphanumeric() && !escaped;
        escaped = character == '\\' && !escaped;
        (character, counts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudonyms_are_known_again() {
        let key = ScrubKey::new("a key of a test, long enough", "the test").unwrap();
        let text = format!("({}) {}x", of_text(&key, "Jane"), of_text(&key, "Joe"));
        assert_eq!(texts_in(&text).count(), 2);
        let number = of_digits(&key, "12345");
        assert!(is_of_digits(&number) && !is_of_digits("909912345678901") && !is_of_digits("12345"), "{number}");
        let day = of_day(&key, "1985-03-12");
        assert!(is_of_day(&day) && !is_of_day("1985-03-12") && is_day("1985-03-12") && !is_day("1985-13-12"), "{day}");
        let secret = of_secret(&key, "abc-DEF-123-ghi\\nJKL");
        assert!(is_of_secret(&secret) && secret.starts_with("SCR-UBB-ED") && secret.contains("\\n"), "{secret}");
        assert_ne!(of_secret(&key, "abcdefghijkl"), of_secret(&key, "abcdefghijkm"));
    }
}
