//! Amounts of traffic that add up to the last digit.

use rust_decimal::Decimal;

use crate::recording::Json;

/// More traffic than this cannot be written as one weight, nor can more digits be shared out.
const MOST_STEPS: u128 = 1_000_000_000_000_000_000_000_000_000;
/// The largest weight that a recording may have.
const MOST: u64 = 1_000_000_000_000_000;

/// How much traffic something stands for, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Amount(Decimal);

impl Amount {
    /// The amount that a weight is written as. `None` where it has more digits than can be added up.
    pub(super) fn of_weight(weight: f64) -> Option<Self> {
        if weight.fract() == 0.0 && (0.0..=MOST as f64).contains(&weight) {
            return Some(Self(Decimal::from(weight as u64)));
        }
        // The shortest text that means this double: what a person wrote, never an exponent.
        Decimal::from_str_exact(&weight.to_string()).ok().map(|exact| Self(exact.normalize()))
    }

    /// Both together. `None` where digits would be lost.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let sum = self.0.checked_add(other.0)?;
        let is_exact = sum.scale() >= self.0.scale().max(other.0.scale());
        (is_exact && sum <= Decimal::from(MOST)).then_some(Self(sum))
    }

    /// How many digits stand after its point.
    pub(super) fn places(self) -> u32 {
        self.0.scale()
    }

    /// Its number of steps of the last of so many decimal places. `None` where there are too many of them.
    pub(super) fn steps(self, places: u32) -> Option<Steps> {
        let mut exact = self.0;
        exact.rescale(places);
        let steps = u128::try_from(exact.mantissa()).ok()?;
        (exact.scale() == places && steps <= MOST_STEPS).then_some(steps)
    }

    /// The amount of so many steps.
    pub(super) fn of_steps(steps: Steps, places: u32) -> Self {
        // No count of steps is above what a decimal holds.
        let steps = i128::try_from(steps).unwrap_or(i128::MAX);
        Self(Decimal::try_from_i128_with_scale(steps, places).unwrap_or(Decimal::MAX).normalize())
    }

    /// As a number with all its digits.
    pub(super) fn json(self) -> Json {
        // The text of a decimal is a number in JSON too.
        Json::parse(self.to_string()).unwrap_or_else(|_| Json::null())
    }

    /// As a number, rounded where it has to be.
    pub(super) fn as_f64(self) -> f64 {
        // The text of a decimal is always a number.
        self.to_string().parse().unwrap_or(f64::MAX)
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.normalize().fmt(f)
    }
}

impl serde::Serialize for Amount {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

/// An amount in steps of the last decimal place that any weight of the recordings has: whole interactions, mostly.
pub(super) type Steps = u128;

/// Shares steps out in proportion to the parts, in their order. The shares always add up to all; none is more than one
/// step away from its exact value, as long as the numbers have no more than 38 digits together.
pub(super) fn share_out(all: Steps, parts: &[Steps]) -> Vec<Steps> {
    let whole: Steps = parts.iter().sum();
    if whole == 0 {
        // Nobody stands for anything, so all stand for the same.
        return if parts.is_empty() { Vec::new() } else { share_out(all, &vec![1; parts.len()]) };
    }
    let (mut until, mut given) = (0, 0);
    let mut share = |part: &Steps| {
        until += part;
        let due = part_of(all, until, whole);
        let share = due - given;
        given = due;
        share
    };
    parts.iter().map(&mut share).collect()
}

/// `all * until / whole`, never more than `all`, never less for a larger `until`, and all of it for the whole.
fn part_of(all: Steps, until: Steps, whole: Steps) -> Steps {
    if until == whole {
        return all;
    }
    match all.checked_mul(until) {
        Some(product) => product / whole,
        None => ((all as f64 * (until as f64 / whole as f64)) as Steps).min(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_weight_is_what_was_written() {
        let sum = [0.1, 0.2, 3.0].map(|weight| Amount::of_weight(weight).unwrap());
        let sum = sum.into_iter().try_fold(Amount::default(), Amount::plus).unwrap();
        assert_eq!((sum.to_string(), sum.places(), sum.steps(1)), ("3.3".into(), 1, Some(33)));
        assert_eq!(Amount::of_steps(330, 2), sum);
        assert_eq!(Amount::of_weight(5e-324), None);
    }

    #[test]
    fn no_digit_is_lost_without_a_word() {
        let [large, small] = [1e15, 1e-20].map(|weight| Amount::of_weight(weight).unwrap());
        assert_eq!(large.plus(small), None);
        assert_eq!(large.plus(Amount::of_weight(1.0).unwrap()), None, "it could not be read again");
    }

    #[test]
    fn equal_parts_get_the_same_but_for_one_step() {
        assert_eq!(share_out(5, &[1, 1, 1]), [1, 2, 2]);
        assert_eq!(share_out(2, &[0, 0]), [1, 1]);
        assert_eq!(share_out(7, &[]), Vec::<Steps>::new());
    }

    proptest! {
        #[test]
        fn shares_add_up_and_are_in_proportion(
            all in 0..MOST_STEPS,
            parts in proptest::collection::vec(prop_oneof![0..1000_u128, 0..MOST_STEPS / 100], 1..40),
        ) {
            let shares = share_out(all, &parts);
            prop_assert_eq!(shares.iter().sum::<Steps>(), all);
            let whole = parts.iter().sum::<Steps>() as f64;
            for (share, part) in shares.iter().zip(&parts).filter(|_| whole > 0.0) {
                let due = all as f64 * (*part as f64 / whole);
                prop_assert!((*share as f64 - due).abs() <= 1.0 + all as f64 * 1e-12, "{} for {}", share, due);
            }
        }
    }
}
