//! JSON numbers by value, with every digit.

use std::fmt;

use super::digits::Digits;

/// A JSON number in canonical form, so that equal values are equal whatever their spelling: `1`, `1.0` and `1e0`
/// are one number, and so are `-0` and `0`.
///
/// Integers are exact at any size, and so are fractions, but for two traces that doubles leave in 16 or 17 digits: all
/// digits of a double where fewer tell it from every other one, and the noise of arithmetic behind a run of zeros or
/// nines, so `0.30000000000000004` is `0.3`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number {
    negative: bool,
    /// Significant digits in ASCII, no zero at either end; empty for zero.
    digits: Box<str>,
    /// The power of ten that the digits, read as an integer, are multiplied by.
    exponent: Exponent,
}

/// A power of ten.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Exponent {
    /// One that any real number has.
    Small(i64),
    /// One beyond all reason.
    Vast {
        /// Whether it is below 0.
        negative: bool,
        /// Its size.
        power: Digits,
    },
}

impl Exponent {
    /// The exponent that is written, and so much more.
    fn read(written: &str, more: i64) -> Self {
        if let Some(sum) = written.parse::<i64>().ok().and_then(|power| power.checked_add(more)) {
            return Self::Small(sum);
        }
        let negative = written.starts_with('-');
        let power = Digits::read(written.trim_start_matches(['-', '+']));
        let more_digits = Digits::from(u128::from(more.unsigned_abs()));
        // What no i64 holds is larger than what one does, so the sign stays.
        let power = if negative == (more < 0) { power.plus(&more_digits) } else { power.minus(&more_digits) };
        let sign = if negative { "-" } else { "" };
        match format!("{sign}{power}").parse::<i64>() {
            Ok(small) => Self::Small(small),
            Err(_) => Self::Vast { negative, power },
        }
    }

    /// How far it is beyond another one; very far, where an i128 could not say how far.
    pub(super) fn beyond(&self, other: &Self) -> i128 {
        /// Further than any exponents of real numbers, and any lengths of texts, are apart.
        const VERY_FAR: i128 = 1 << 100;
        if let (Self::Small(a), Self::Small(b)) = (self, other) {
            return i128::from(*a) - i128::from(*b);
        }
        let ((ours, a), (theirs, b)) = (self.parts(), other.parts());
        let (negative, far) = match (ours == theirs, a >= b) {
            (false, _) => (ours, a.plus(&b)),
            (true, true) => (ours, a.minus(&b)),
            (true, false) => (!ours, b.minus(&a)),
        };
        let far = far.to_string().parse().unwrap_or(VERY_FAR).min(VERY_FAR);
        if negative { -far } else { far }
    }

    /// Whether it is below 0, and its size.
    fn parts(&self) -> (bool, Digits) {
        match self {
            Self::Small(small) => (*small < 0, Digits::from(u128::from(small.unsigned_abs()))),
            Self::Vast { negative, power } => (*negative, power.clone()),
        }
    }
}

impl Number {
    /// Reads a checked JSON number.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let exact = Self::exact(text);
        exact.without_noise().unwrap_or(exact)
    }

    /// Reads a number with all its digits.
    fn exact(text: &str) -> Self {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Self { negative: false, digits: "".into(), exponent: Exponent::Small(0) };
        }
        let zeros = all.len() - all.trim_end_matches('0').len();
        let exponent = Exponent::read(power, zeros as i64 - fraction.len() as i64);
        Self { negative, digits: digits.into(), exponent }
    }

    /// The number that a double was meant to be which prints like this, where that can be told.
    fn without_noise(&self) -> Option<Self> {
        let is_fraction = matches!(self.exponent, Exponent::Small(exponent) if exponent < 0);
        if !is_fraction || !(FAITHFUL + 1..=PRINTED).contains(&self.digits.len()) {
            return None;
        }
        let shortest = self.shortest();
        let number = shortest.as_ref().unwrap_or(self);
        number.before_noise().or(shortest)
    }

    /// The fewest digits that tell a double from all others, where this is what it prints with all of its 17.
    fn shortest(&self) -> Option<Self> {
        let double = self.double();
        let is_printed = double.is_normal() && Self::exact(&format!("{double:.16e}")) == *self;
        is_printed.then(|| Self::exact(&format!("{double:e}")))
    }

    /// The number before a run of zeros or nines in its fraction that ends in noise: at most so many digits of 15 long,
    /// and at most two doubles away.
    fn before_noise(&self) -> Option<Self> {
        if self.digits.len() <= FAITHFUL {
            return None;
        }
        let double = self.double();
        let round = Self::exact(&format!("{double:.*e}", FAITHFUL - 1));
        let Exponent::Small(exponent) = round.exponent else { return None };
        let whole = usize::try_from(exponent + round.digits.len() as i64).unwrap_or(0);
        let is_shorter = round.digits.len().max(whole) + RUN <= FAITHFUL;
        let doubles_away = double.to_bits().abs_diff(round.double().to_bits());
        (double.is_normal() && is_shorter && doubles_away <= NOISE).then_some(round)
    }

    /// Its digits, read as an integer.
    pub(super) fn digits(&self) -> Digits {
        Digits::read(&self.digits)
    }

    /// The power of ten that the digits are multiplied by.
    pub(super) fn exponent(&self) -> &Exponent {
        &self.exponent
    }

    /// Whether it is below 0.
    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    /// How many digits it has before the point, however they are written; `None` beyond all reason.
    pub(super) fn whole_digits(&self) -> Option<i64> {
        match &self.exponent {
            Exponent::Small(exponent) => Some(exponent.saturating_add(self.digits.len() as i64).max(0)),
            Exponent::Vast { .. } => None,
        }
    }

    /// It, times ten to a power, with all digits.
    pub(super) fn times_ten_to(&self, power: u8) -> Self {
        match &self.exponent {
            Exponent::Small(exponent) if !self.digits.is_empty() => {
                Self { exponent: Exponent::Small(exponent.saturating_add(power.into())), ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// The nearest double.
    pub(super) fn double(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Whether it has no fraction.
    pub(super) fn is_whole(&self) -> bool {
        match &self.exponent {
            Exponent::Small(exponent) => *exponent >= 0,
            Exponent::Vast { negative, .. } => !negative,
        }
    }

    /// Feeds the number to a hash.
    pub(super) fn feed(&self, feed: &mut impl FnMut(&[u8])) {
        feed(if self.negative { b"-" } else { b"+" });
        feed(self.digits.as_bytes());
        match &self.exponent {
            Exponent::Small(exponent) => feed(&exponent.to_le_bytes()),
            Exponent::Vast { negative, power } => {
                feed(if *negative { b"v-" } else { b"v+" });
                feed(power.highest_first());
            }
        }
    }
}

/// A double holds 15 decimal digits faithfully and prints at most 17.
const FAITHFUL: usize = 15;
const PRINTED: usize = 17;

/// How many of 15 digits must be zeros or nines behind the point for what comes after them to be noise.
const RUN: usize = 2;

/// How many doubles away from what was meant arithmetic may end.
const NOISE: u64 = 2;

impl fmt::Display for Number {
    /// In plain decimals where that stays short.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        match &self.exponent {
            Exponent::Vast { negative, power } => write!(f, "{digits}e{}{power}", if *negative { "-" } else { "" }),
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
    use proptest::prelude::*;

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
    fn exponents_are_exact_at_any_size() {
        assert!(equal("1e99999999999999999999", "10e99999999999999999998"));
        assert!(equal("1e99999999999999999999", "0.001e+100000000000000000002"));
        assert!(equal("1e-99999999999999999999", "100e-100000000000000000001"));
        assert!(equal("1.50e-99999999999999999999", "15e-100000000000000000000"));
        assert!(equal("10e9223372036854775807", "1e9223372036854775808") && equal("1e00000000000000000000001", "10"));
        assert!(equal("0.1e9223372036854775808", "1e9223372036854775807"));
        assert!(equal("0.1e-9223372036854775808", "1e-9223372036854775809"));
        for apart in
            ["1e99999999999999999998", "1e-99999999999999999999", "-1e99999999999999999999", "2e99999999999999999999"]
        {
            assert!(!equal("1e99999999999999999999", apart), "{apart}");
        }
        let shown = Number::read("-1.50e-99999999999999999999").to_string();
        assert_eq!(shown, "-15e-100000000000000000000");
        assert_eq!(Number::read(&shown).to_string(), shown);
    }

    #[test]
    fn noise_of_double_arithmetic_is_no_change() {
        for (noisy, meant) in [
            ("0.30000000000000004", "0.3"),
            ("1.0000000000000002", "1"),
            ("0.9999999999999999", "1"),
            ("-434.99999999999994", "-435"),
            ("3.3000000000000003", "3.3"),
            ("1.3310000000000004", "1.331"),
            ("0.010000000000000002", "0.01"),
            ("370370.36699999997", "370370.367"),
            ("12345678912.339998", "12345678912.34"),
            ("1700000000.3000002", "1700000000.3"),
            ("3.0000000000000004e-7", "3e-7"),
        ] {
            assert!(equal(noisy, meant), "{noisy} is {meant}");
        }
    }

    #[test]
    fn all_digits_of_a_double_are_what_the_fewest_say() {
        for (all, fewest) in [
            ("0.29999999999999999", "0.3"),
            ("0.10000000000000001", "0.1"),
            ("12345678901234.561", "12345678901234.56"),
            ("0.12345678901234559", "0.1234567890123456"),
        ] {
            assert!(equal(all, fewest), "{all} is {fewest}");
        }
        assert!(!equal("98765432109876.01", "98765432109876.02"), "no double prints the first");
    }

    #[test]
    fn a_real_change_is_no_noise() {
        for (a, b) in [
            ("0.3000001", "0.3"),
            ("0.300000000000000001", "0.3"),
            ("1.000000000000001", "1"),
            ("1.00000000000001", "1"),
            ("12345678901234.56", "12345678901234.57"),
            ("12345678901200.01", "12345678901200"),
            ("98765432109876.02", "98765432109876"),
            ("1234567890123456.5", "1234567890123459.5"),
            ("1000000000000000.5", "1000000000000001.5"),
            ("1000000000000000.2", "1000000000000000"),
            ("1700000000.1234567", "1700000000.1234589"),
            ("1700000000.000001", "1700000000"),
            ("1700000000.1000004", "1700000000.1000012"),
            ("1700000000000.001", "1700000000000"),
            ("0.1234567890123456", "0.1234567890123457"),
            ("1.0000000000000002e-400", "1e-400"),
        ] {
            assert!(!equal(a, b), "{a} is not {b}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back_as_the_same_number(digits in "[1-9][0-9]{0,18}", point in 0_usize..25, run in "(0{9}|9{9}|)[0-9]{0,3}") {
            let number = Number::read(&format!("{digits}{run}e-{point}"));
            prop_assert_eq!(Number::read(&number.to_string()), number.clone());
            prop_assert_eq!(Number::read(&format!("{digits}{run}0e-{}", point + 1)), number);
        }

        #[test]
        fn every_double_is_one_number_however_it_is_printed(mantissa in 1.0_f64..10.0, power in -300_i32..14) {
            let double = mantissa * 10_f64.powi(power);
            let shortest = Number::read(&format!("{double:e}"));
            prop_assert_eq!(Number::read(&format!("{double:.16e}")), shortest.clone());
            // No two doubles further apart than noise are one number.
            let far = f64::from_bits(double.to_bits() + 5);
            let far = Number::read(&format!("{far:e}"));
            prop_assert_ne!(far, shortest);
        }
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
