//! How far apart two numbers, or two times, may be.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rust_decimal::Decimal;

use super::apart::Apart;
use super::number::Number;

/// How far apart two numbers may be: inclusive, by value, by share of the larger one, or whichever of both allows more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    absolute: Option<Decimal>,
    share: Option<Decimal>,
}

impl Band {
    /// A band; a share is written as a part of 1.
    ///
    /// # Errors
    /// Where neither is given, or one is below 0.
    pub fn new(absolute: Option<Decimal>, share: Option<Decimal>) -> Result<Self, String> {
        let given = [absolute, share];
        if given.iter().flatten().any(Decimal::is_sign_negative) {
            return Err("a tolerance is not below 0".into());
        }
        if given.iter().all(Option::is_none) {
            return Err("a tolerance says how far numbers may be apart: a number, a share such as 1%, or both".into());
        }
        Ok(Self { absolute, share })
    }

    /// Whether two numbers are no further apart, exactly: 0.3 and 0.2 are 0.1 apart.
    #[must_use]
    pub fn holds(&self, a: &Number, b: &Number) -> bool {
        let apart = Apart::new(a, b);
        self.absolute.is_some_and(|most| apart.is_at_most(most))
            || self.share.is_some_and(|share| apart.is_at_most_share(share))
    }
}

impl FromStr for Band {
    type Err = String;

    /// Reads `0.01`, `1%` or `0.01,1%`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (mut absolute, mut share) = (None, None);
        for part in text.split(',') {
            let (number, slot) = match part.trim().strip_suffix('%') {
                Some(number) => (number, &mut share),
                None => (part, &mut absolute),
            };
            let number = number.trim().parse::<Decimal>().map_err(|_| format!("{part:?} is no number and no share"))?;
            if slot.replace(number).is_some() {
                return Err(format!("{text:?} says the same twice"));
            }
        }
        Self::new(absolute, share.map(|share| share / Decimal::ONE_HUNDRED))
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.share.map(|share| format!("{}%", (share * Decimal::ONE_HUNDRED).normalize()));
        let parts: Vec<String> =
            self.absolute.map(|most| most.normalize().to_string()).into_iter().chain(share).collect();
        f.write_str(&parts.join(","))
    }
}

/// Whether two times in nanoseconds are no further apart.
pub(super) fn within(window: Duration, a: &Number, b: &Number) -> bool {
    Apart::new(a, b).is_at_most_whole(window.as_nanos())
}

/// The instant that a text means. A time without a zone is taken for UTC, as is a day's start.
pub(super) fn instant_of_text(text: &str) -> Option<jiff::Timestamp> {
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Some(instant);
    }
    let civil = text.parse::<jiff::civil::DateTime>().ok().or_else(|| {
        let day = text.parse::<jiff::civil::Date>().ok()?;
        Some(day.at(0, 0, 0, 0))
    })?;
    jiff::tz::Offset::UTC.to_timestamp(civil).ok()
}

/// The nanoseconds since 1970 that a number means, with all its digits: it counts seconds, milliseconds, microseconds
/// or nanoseconds, by its size.
pub(super) fn nanoseconds_of_number(number: &Number) -> Option<Number> {
    Some(number.times_ten_to(match number.whole_digits()? {
        ..=11 => 9,
        12..=14 => 6,
        15..=17 => 3,
        _ => 0,
    }))
}

/// The instant that a number means, to the nanosecond before it.
pub(super) fn instant_of_number(number: &Number) -> Option<jiff::Timestamp> {
    /// More digits than any instant has.
    const BEYOND: i64 = 30;
    let nanoseconds = nanoseconds_of_number(number)?;
    let whole = nanoseconds.whole_digits().filter(|digits| *digits < BEYOND)?;
    // In plain decimals, as it is not long before the point, and what is behind is cut off.
    let digits: String =
        nanoseconds.digits().to_string().chars().chain(std::iter::repeat('0')).take(whole as usize).collect();
    let size: i128 = if whole == 0 { 0 } else { digits.parse().ok()? };
    jiff::Timestamp::from_nanosecond(if number.is_negative() { -size } else { size }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(band: &str, a: &str, b: &str) -> bool {
        band.parse::<Band>().unwrap().holds(&Number::read(a), &Number::read(b))
    }

    #[test]
    fn bands_are_inclusive_exact_and_the_same_both_ways() {
        assert!(holds("0.1", "0.3", "0.2") && holds("0.1", "0.2", "0.3"));
        assert!(!holds("0.1", "0.3", "0.19999"));
        assert!(holds("1%", "100", "99") && holds("1%", "99", "100") && !holds("1%", "100", "98.9"));
        assert!(holds("5,1%", "10", "14") && holds("5,1%", "1000", "1010"));
        assert!(
            holds("1", "9007199254740993", "9007199254740992") && !holds("0", "9007199254740993", "9007199254740992")
        );
        assert!(!holds("1", "100000000000000000001", "100000000000000000003"));
        assert!(holds("1%", "1e300", "1.005e300") && !holds("1%", "1e300", "2e300"));
        assert!(!holds("1", "123456789012345678901234567890", "123456789012345678901234567895"));
        assert!(
            holds("1", "1e28", "10000000000000000000000000001") && !holds("1", "1e28", "10000000000000000000000000002")
        );
        for wrong in ["", "-1", "x", "1,2", "%"] {
            assert!(wrong.parse::<Band>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_read_in_their_usual_forms() {
        let noon = instant_of_text("2026-01-01T12:00:00Z").unwrap();
        for same in ["2026-01-01T13:00:00+01:00", "2026-01-01T12:00:00", "2026-01-01 12:00:00"] {
            assert_eq!(instant_of_text(same), Some(noon), "{same}");
        }
        assert_eq!(instant_of_number(&Number::read("1767268800")), Some(noon));
        assert_eq!(instant_of_number(&Number::read("1767268800000")), Some(noon));
        assert!(instant_of_text("order 7").is_none() && instant_of_text("2026-01-01").is_some());
    }

    #[test]
    fn windows_of_numbers_are_exact() {
        let within = |window: Duration, a: &str, b: &str| {
            let read = |text| nanoseconds_of_number(&Number::read(text)).unwrap();
            within(window, &read(a), &read(b)) && within(window, &read(b), &read(a))
        };
        let (milliseconds, nanoseconds) = (Duration::from_millis, Duration::from_nanos);
        for (a, b, window) in [(1, 4, 3), (2, 9, 7), (10, 21, 11), (100, 350, 250), (999, 1001, 2), (300, 900, 600)] {
            let (a, b) = (format!("{}", 1_767_268_800_000_i64 + a), format!("{}", 1_767_268_800_000_i64 + b));
            assert!(within(milliseconds(window), &a, &b) && !within(milliseconds(window - 1), &a, &b), "{a} {b}");
        }
        assert!(within(milliseconds(500), "1767268800.1", "1767268800.6"));
        assert!(!within(nanoseconds(1), "1767268800000000000", "1767268800000000120"));
        assert!(!within(nanoseconds(0), "1767268800000000", "1767268800000001"));
        assert!(!within(nanoseconds(1), "1767268800000000000.1", "1767268800000000001.9"));
        assert!(within(milliseconds(1), "1767268800", "1767268800001"), "seconds beside milliseconds");
        assert!(
            instant_of_number(&Number::read("1e30")).is_none() && instant_of_number(&Number::read("0.5")).is_some()
        );
        let half = instant_of_number(&Number::read("-1.5")).unwrap();
        assert_eq!(half.as_nanosecond(), -1_500_000_000);
        assert_eq!(instant_of_number(&Number::read("1e-20")).map(|at| at.as_nanosecond()), Some(0));
    }
}
