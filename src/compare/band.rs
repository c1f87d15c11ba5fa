//! How far apart two numbers, or two times, may be.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rust_decimal::Decimal;

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

    /// Whether two numbers are no further apart. Decimals are exact, so 0.3 and 0.2 are 0.1 apart; beyond 28 digits
    /// numbers are compared as doubles.
    #[must_use]
    pub fn holds(&self, a: &Number, b: &Number) -> bool {
        let (Some(a), Some(b)) = (a.decimal(), b.decimal()) else { return self.holds_roughly(a, b) };
        let Some(apart) = a.checked_sub(b).map(|apart| apart.abs()) else { return false };
        let by_value = self.absolute.is_some_and(|most| apart <= most);
        let larger = a.abs().max(b.abs());
        by_value || self.share.and_then(|share| share.checked_mul(larger)).is_some_and(|most| apart <= most)
    }

    fn holds_roughly(&self, a: &Number, b: &Number) -> bool {
        let float = |decimal: Decimal| f64::try_from(decimal).unwrap_or(0.0);
        let (a, b) = (a.double(), b.double());
        let apart = (a - b).abs();
        apart.is_finite()
            && (self.absolute.is_some_and(|most| apart <= float(most))
                || self.share.is_some_and(|share| apart <= float(share) * a.abs().max(b.abs())))
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

/// Whether two instants are no further apart.
pub(super) fn within(window: Duration, a: jiff::Timestamp, b: jiff::Timestamp) -> bool {
    a.duration_since(b).unsigned_abs() <= window
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

/// The instant that a number means: seconds, milliseconds, microseconds or nanoseconds since 1970, by its size.
pub(super) fn instant_of_number(number: &Number) -> Option<jiff::Timestamp> {
    let value = number.double();
    let seconds = match value.abs() {
        size if size < 1e11 => value,
        size if size < 1e14 => value / 1e3,
        size if size < 1e17 => value / 1e6,
        _ => value / 1e9,
    };
    jiff::SignedDuration::try_from_secs_f64(seconds).ok().and_then(|time| jiff::Timestamp::from_duration(time).ok())
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
        assert!(within(Duration::from_secs(60), noon, instant_of_text("2026-01-01T12:01:00Z").unwrap()));
    }
}
