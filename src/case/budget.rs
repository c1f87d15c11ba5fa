//! How much more than the recording a run may spend.

use std::fmt;
use std::str::FromStr;

use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive, ToPrimitive};

/// A factor of at least 1 on what was recorded; limits are inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance(Decimal);

/// Why a text is no tolerance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no tolerance: it is a factor of at least 1, such as 1.25 for a quarter more")]
pub struct ToleranceError {
    text: String,
}

impl Tolerance {
    /// Exactly what was recorded.
    pub const EXACT: Tolerance = Tolerance(Decimal::ONE);

    /// Half as much again: the default for tokens, latency and cost (TestKit: `DEFAULT_TOLERANCE`).
    #[must_use]
    pub fn half_more() -> Self {
        Self(Decimal::new(15, 1))
    }

    /// The largest count within the tolerance, a part rounded up.
    #[must_use]
    pub fn limit(self, recorded: u64) -> u64 {
        (Decimal::from(recorded) * self.0).ceil().to_u64().unwrap_or(u64::MAX)
    }

    /// The longest time within the tolerance, in milliseconds, a part rounded up.
    #[must_use]
    pub fn limit_ms(self, recorded: f64) -> f64 {
        match Decimal::from_f64(recorded) {
            Some(recorded) => (recorded * self.0).ceil().to_f64().unwrap_or(f64::MAX),
            None => f64::MAX,
        }
    }

    /// The largest amount of money within the tolerance.
    #[must_use]
    pub fn limit_cost(self, recorded: Decimal) -> Decimal {
        recorded.checked_mul(self.0).unwrap_or(Decimal::MAX).normalize()
    }
}

impl FromStr for Tolerance {
    type Err = ToleranceError;

    fn from_str(text: &str) -> Result<Self, ToleranceError> {
        let factor = text
            .trim()
            .parse::<Decimal>()
            .ok()
            .filter(|factor| (Decimal::ONE..=Decimal::from(1_000_000)).contains(factor));
        factor.map(Self).ok_or_else(|| ToleranceError { text: text.to_owned() })
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.normalize().fmt(f)
    }
}

/// The tolerances of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerances {
    /// On tokens, in total and by class.
    pub tokens: Tolerance,
    /// On the time to the reply.
    pub latency: Tolerance,
    /// On the cost.
    pub cost: Tolerance,
    /// On the number of model calls.
    pub model_calls: Tolerance,
}

impl Default for Tolerances {
    fn default() -> Self {
        let half = Tolerance::half_more();
        Self { tokens: half, latency: half, cost: half, model_calls: Tolerance::EXACT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_exact_and_rounded_up() {
        let quarter: Tolerance = "1.25".parse().unwrap();
        assert_eq!(quarter.limit(1000), 1250);
        assert_eq!(quarter.limit(1), 2);
        assert_eq!(quarter.limit(0), 0, "growth from a recorded 0 fails");
        assert_eq!("1.1".parse::<Tolerance>().unwrap().limit(1000), 1100, "doubles would make it 1101");
        assert_eq!(quarter.limit_ms(900.0), 1125.0);
    }

    #[test]
    fn a_factor_below_one_is_refused() {
        for text in ["0.99", "-1", "x", "", "NaN", "1e99"] {
            assert!(text.parse::<Tolerance>().is_err(), "{text}");
        }
        assert_eq!("1.50".parse::<Tolerance>().unwrap().to_string(), "1.5");
    }
}
