//! How far apart the two sides of a place are, and what leeway that takes.

use std::time::Duration;

use rust_decimal::Decimal;

use crate::compare::{Band, Value};

/// How far apart times are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TimesApart {
    /// Differences that have a time on both sides.
    pub(super) count: u64,
    /// The widest.
    pub(super) widest: Duration,
    /// Differences whose both times are near the time at which their interaction was recorded.
    pub(super) by_the_clock: u64,
}

/// When the two interactions of a pair were recorded, where it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clocks {
    pub(super) expected: Option<jiff::Timestamp>,
    pub(super) seen: Option<jiff::Timestamp>,
}

/// So near the time of recording a time goes by the clock.
const NEAR: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether a time is near the one at which it was recorded.
pub(super) fn is_by_the_clock(time: jiff::Timestamp, clock: Option<jiff::Timestamp>) -> bool {
    clock.is_some_and(|clock| time.duration_since(clock).unsigned_abs() <= NEAR)
}

impl TimesApart {
    pub(super) fn add(&mut self, expected: &Value, seen: &Value, clocks: Clocks) {
        let (Some(a), Some(b)) = (expected.instant(), seen.instant()) else { return };
        self.count += 1;
        self.widest = self.widest.max(a.duration_since(b).unsigned_abs());
        let both = is_by_the_clock(a, clocks.expected) && is_by_the_clock(b, clocks.seen);
        self.by_the_clock += u64::from(both);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.widest = self.widest.max(other.widest);
        self.by_the_clock += other.by_the_clock;
    }

    /// The window that takes in the widest, where that is no more than a day.
    pub(super) fn window(&self) -> Option<Duration> {
        const STEPS: [u64; 19] =
            [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 64800, 86400];
        STEPS.into_iter().map(Duration::from_secs).find(|step| *step >= self.widest)
    }
}

/// How far apart numbers are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NumbersApart {
    /// Differences that have a number on both sides.
    pub(super) count: u64,
    /// Those with a fraction on one side at least.
    pub(super) with_fraction: u64,
    /// The widest by value.
    pub(super) widest: Decimal,
    /// The widest as a share of the larger one.
    pub(super) widest_share: Decimal,
    largest: Decimal,
}

/// Beyond this share of the larger one numbers are no longer about the same.
const ABOUT_THE_SAME: Decimal = Decimal::from_parts(1, 0, 0, false, 1);

/// The share of the largest number at a place that is little whatever the number.
const LITTLE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

impl NumbersApart {
    pub(super) fn add(&mut self, expected: &Value, seen: &Value) {
        let decimal = |value: &Value| match value {
            Value::Number(number) => Decimal::from_str_exact(&number.to_string()).ok(),
            _ => None,
        };
        let (Some(a), Some(b)) = (decimal(expected), decimal(seen)) else { return };
        let Some(apart) = a.checked_sub(b).map(|apart| apart.abs()) else { return };
        let larger = a.abs().max(b.abs());
        self.count += 1;
        self.with_fraction += u64::from(!a.is_integer() || !b.is_integer());
        self.widest = self.widest.max(apart);
        self.largest = self.largest.max(larger);
        // Numbers that differ are not both 0.
        self.widest_share = self.widest_share.max(apart.checked_div(larger).unwrap_or(Decimal::MAX));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.with_fraction += other.with_fraction;
        self.widest = self.widest.max(other.widest);
        self.widest_share = self.widest_share.max(other.widest_share);
        self.largest = self.largest.max(other.largest);
    }

    /// The tolerance that takes in the widest, where they are about the same: as a share, or by value where the share
    /// is large because numbers are near 0.
    pub(super) fn band(&self) -> Option<Band> {
        if self.widest_share <= ABOUT_THE_SAME {
            return Band::new(None, Some(rounded_up(self.widest_share)?)).ok();
        }
        let is_little = self.largest.checked_mul(LITTLE).is_some_and(|little| self.widest <= little);
        if is_little { Band::new(Some(rounded_up(self.widest)?), None).ok() } else { None }
    }

    /// The widest share in percent, for a person.
    pub(super) fn percent(&self) -> String {
        let percent = self.widest_share.saturating_mul(Decimal::ONE_HUNDRED);
        format!("{} %", percent.round_sf(3).unwrap_or(percent).normalize())
    }
}

/// The least of 1, 2 and 5, times a power of ten, that is no less.
fn rounded_up(number: Decimal) -> Option<Decimal> {
    let mut unit = Decimal::new(1, 12);
    while unit.checked_mul(Decimal::from(5))? < number {
        unit = unit.checked_mul(Decimal::TEN)?;
    }
    [1, 2, 5].into_iter().map(|times| unit * Decimal::from(times)).find(|step| *step >= number).map(|it| it.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ToolRules;
    use crate::recording::Json;

    fn value(text: &str) -> Value {
        Value::read(&Json::parse(text).unwrap(), &ToolRules::none())
    }

    fn numbers(pairs: &[(&str, &str)]) -> NumbersApart {
        let mut apart = NumbersApart::default();
        pairs.iter().for_each(|(a, b)| apart.add(&value(a), &value(b)));
        apart
    }

    #[test]
    fn a_tolerance_is_the_next_round_number() {
        let band = |pairs| numbers(pairs).band().map(|band| band.to_string());
        assert_eq!(band(&[("100.5", "101"), ("9.9", "10.02")]).as_deref(), Some("2%"));
        assert_eq!(band(&[("0.995", "1")]).as_deref(), Some("0.5%"), "inclusive");
        assert_eq!(band(&[("0.001", "-0.002"), ("12.5", "12.503")]).as_deref(), Some("0.005"));
        assert_eq!(band(&[("1.5", "3.5")]), None);
        assert_eq!(numbers(&[("100.5", "101")]).percent(), "0.495 %");
        assert_eq!(numbers(&[("1.5", "3.5")]).percent(), "57.1 %");
        assert_eq!(numbers(&[("1e300", "2")]).count, 0);
    }

    #[test]
    fn a_window_is_the_next_round_time_up_to_a_day() {
        let clock = |text: &str| text.parse().ok();
        let window = |a: &str, b: &str| {
            let mut apart = TimesApart::default();
            apart.add(&value(a), &value(b), Clocks { expected: clock("2026-01-01T00:10:00Z"), seen: None });
            assert_eq!((apart.count, apart.by_the_clock), (1, 0), "one clock is not known");
            apart.window().map(|window| window.as_secs())
        };
        assert_eq!(window("\"2026-01-01T00:00:00Z\"", "\"2026-01-01T00:03:12.5Z\""), Some(300));
        assert_eq!(window("1767225600", "1767225601"), Some(1));
        assert_eq!(window("\"2026-01-01\"", "\"2026-01-02\""), Some(86_400));
        assert_eq!(window("\"2026-01-01\"", "\"2026-01-03\""), None);
    }

    #[test]
    fn a_time_that_is_that_of_the_call_goes_by_the_clock() {
        let mut apart = TimesApart::default();
        let clocks =
            Clocks { expected: "2026-01-01T00:10:00Z".parse().ok(), seen: "2026-03-01T00:10:00Z".parse().ok() };
        apart.add(&value("\"2026-01-01T00:00:00Z\""), &value("\"2026-03-01T00:00:07Z\""), clocks);
        apart.add(&value("\"2026-01-01T00:00:00Z\""), &value("\"2026-01-01T00:00:07Z\""), clocks);
        assert_eq!((apart.count, apart.by_the_clock), (2, 1));
    }
}
