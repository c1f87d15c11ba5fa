//! JSON numbers by value, with every digit.

use std::fmt;

/// A JSON number in canonical form, so that equal values are equal whatever their spelling: `1`, `1.0` and `1e0`
/// are one number, and so are `-0` and `0`.
///
/// Integers are exact at any size. A fraction of 16 or 17 significant digits, which is what a double prints when
/// arithmetic left noise in it, is rounded to 15, so `0.30000000000000004` is `0.3`; longer ones are exact again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number {
    negative: bool,
    /// Significant digits in ASCII, no zero at either end; empty for zero.
    digits: Box<str>,
    /// The power of ten that the digits, read as an integer, are multiplied by.
    exponent: Exponent,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Exponent {
    Small(i64),
    /// An exponent beyond all reason, as it was written.
    Vast(Box<str>),
}

/// A double holds 15 decimal digits faithfully and prints at most 17.
const FAITHFUL: usize = 15;
const PRINTED: usize = 17;

impl Number {
    /// Reads a checked JSON number.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        match power.parse::<i64>().ok().and_then(|power| power.checked_sub(fraction.len() as i64)) {
            Some(exponent) => Self::canonical(negative, &digits, exponent),
            None if digits.bytes().all(|digit| digit == b'0') => Self::canonical(false, "", 0),
            None => Self { negative, digits: digits.into(), exponent: Exponent::Vast(power.into()) },
        }
    }

    fn canonical(negative: bool, digits: &str, exponent: i64) -> Self {
        let (digits, exponent) = without_zeros(digits, exponent);
        let noisy = exponent < 0 && digits.len() > FAITHFUL && digits.len() <= PRINTED;
        let (digits, exponent) = if noisy {
            let (rounded, exponent) = rounded(digits, exponent);
            let (digits, exponent) = without_zeros(&rounded, exponent);
            (digits.to_owned(), exponent)
        } else {
            (digits.to_owned(), exponent)
        };
        if digits.is_empty() {
            return Self { negative: false, digits: "".into(), exponent: Exponent::Small(0) };
        }
        Self { negative, digits: digits.into(), exponent: Exponent::Small(exponent) }
    }

    /// The value where 28 digits hold it.
    pub(super) fn decimal(&self) -> Option<rust_decimal::Decimal> {
        let text = self.to_string();
        let exact = rust_decimal::Decimal::from_str_exact(&text).ok();
        exact.or_else(|| rust_decimal::Decimal::from_scientific(&text).ok().filter(|_| self.digits.len() <= 28))
    }

    /// The nearest double.
    pub(super) fn double(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Whether it has no fraction.
    pub(super) fn is_whole(&self) -> bool {
        match &self.exponent {
            Exponent::Small(exponent) => *exponent >= 0,
            Exponent::Vast(exponent) => !exponent.starts_with('-'),
        }
    }

    /// Feeds the number to a hash.
    pub(super) fn feed(&self, feed: &mut impl FnMut(&[u8])) {
        feed(if self.negative { b"-" } else { b"+" });
        feed(self.digits.as_bytes());
        match &self.exponent {
            Exponent::Small(exponent) => feed(&exponent.to_le_bytes()),
            Exponent::Vast(text) => feed(text.as_bytes()),
        }
    }
}

fn without_zeros(digits: &str, exponent: i64) -> (&str, i64) {
    let digits = digits.trim_start_matches('0');
    let short = digits.trim_end_matches('0');
    (short, exponent.saturating_add((digits.len() - short.len()) as i64))
}

/// Rounds to 15 digits, half up.
fn rounded(digits: &str, exponent: i64) -> (String, i64) {
    let dropped = digits.len() - FAITHFUL;
    let up = digits.as_bytes()[FAITHFUL] >= b'5';
    // 15 digits fit a u64 with room to spare.
    let kept: u64 = digits[..FAITHFUL].bytes().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
    ((kept + u64::from(up)).to_string(), exponent + dropped as i64)
}

impl fmt::Display for Number {
    /// In plain decimals where that stays short.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        match &self.exponent {
            Exponent::Vast(power) => write!(f, "{digits}e{power}"),
            Exponent::Small(exponent @ 0..=24) => write!(f, "{digits}{}", "0".repeat(*exponent as usize)),
            Exponent::Small(exponent @ -24..0) => {
                let after = exponent.unsigned_abs() as usize;
                match digits.len().checked_sub(after) {
                    Some(0) | None => write!(f, "0.{digits:0>after$}"),
                    Some(point) => write!(f, "{}.{}", &digits[..point], &digits[point..]),
                }
            }
            Exponent::Small(exponent) => write!(f, "{digits}e{exponent}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(a: &str, b: &str) -> bool {
        Number::read(a) == Number::read(b)
    }

    #[test]
    fn one_value_is_one_number_whatever_its_spelling() {
        for spelling in ["1.0", "1e0", "1.00", "10e-1", "0.1E1", "1E+0"] {
            assert!(equal("1", spelling), "{spelling}");
        }
        assert!(equal("0", "-0.0") && equal("0", "0e99999999999999999999"));
        assert!(equal("1e400", "10e399"));
    }

    #[test]
    fn integers_are_exact_at_any_size() {
        assert!(!equal("9007199254740993", "9007199254740992"));
        assert!(!equal("100000000000000000001", "100000000000000000000"));
        assert!(!equal("1000000000000001", "1000000000000000"));
        assert!(equal("9007199254740993.0", "9007199254740993"));
        assert!(!equal("1e99999999999999999999", "1e99999999999999999998"));
    }

    #[test]
    fn noise_of_double_arithmetic_is_no_change() {
        assert!(equal("0.30000000000000004", "0.3"));
        assert!(equal("1.0000000000000002", "1"));
        assert!(!equal("0.3000001", "0.3"));
        assert!(!equal("0.300000000000000001", "0.3"), "no double prints 18 digits");
    }

    #[test]
    fn it_shows_plain_decimals() {
        for (read, shown) in
            [("1.50", "1.5"), ("-0.05", "-0.05"), ("1e3", "1000"), ("12e-1", "1.2"), ("1e99", "1e99"), ("-0", "0")]
        {
            assert_eq!(Number::read(read).to_string(), shown);
        }
    }
}
