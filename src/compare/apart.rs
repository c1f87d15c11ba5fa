//! How far apart two numbers are, exactly, whatever their size.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use super::digits::Digits;
use super::number::{Exponent, Number};

/// A size: digits, times ten to the power of an exponent.
#[derive(Clone, Debug)]
struct Size {
    digits: Digits,
    exponent: i128,
}

impl Size {
    fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    /// The power of ten that it is below, while it is not below a tenth of that.
    fn top(&self) -> i128 {
        if self.is_zero() { i128::MIN } else { self.exponent + self.digits.count() as i128 }
    }

    /// With the exponent made lower, to one that is not far below it.
    fn at(&self, exponent: i128) -> Digits {
        self.digits.with_zeros(usize::try_from(self.exponent - exponent).unwrap_or(0))
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let digits = |size: &Self, at: usize| size.digits.highest_first().get(at).copied().unwrap_or(0);
        let most = self.digits.count().max(other.digits.count());
        let by_digits = || (0..most).map(|at| digits(self, at)).cmp((0..most).map(|at| digits(other, at)));
        self.top().cmp(&other.top()).then_with(by_digits)
    }
}

/// Two numbers, the larger first, by size alone.
pub(super) struct Apart<'a> {
    larger: Size,
    smaller: Size,
    /// What all exponents are counted from: that of the larger one.
    base: &'a Exponent,
    side: Side,
}

/// Where two numbers are, seen from zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Same,
    Opposite,
}

impl<'a> Apart<'a> {
    /// Two numbers.
    pub(super) fn new(a: &'a Number, b: &'a Number) -> Self {
        let size = |number: &Number, base: &Exponent| Size {
            digits: number.digits(),
            exponent: number.exponent().beyond(base),
        };
        let from_a = (size(a, a.exponent()), size(b, a.exponent()));
        let (large, small) = if from_a.0.cmp(&from_a.1).is_ge() { (a, b) } else { (b, a) };
        let side = if a.is_negative() == b.is_negative() { Side::Same } else { Side::Opposite };
        let base = large.exponent();
        Self { larger: size(large, base), smaller: size(small, base), base, side }
    }

    /// Whether they are no further apart than this.
    pub(super) fn is_at_most(&self, most: Decimal) -> bool {
        let exponent = Exponent::Small(-i64::from(most.scale())).beyond(self.base);
        self.is_within(&Size { digits: Digits::from(most.mantissa().unsigned_abs()), exponent })
    }

    /// The same for a whole number.
    pub(super) fn is_at_most_whole(&self, most: u128) -> bool {
        self.is_within(&Size { digits: Digits::from(most), exponent: Exponent::Small(0).beyond(self.base) })
    }

    /// Whether they are no further apart than this part of the larger one.
    pub(super) fn is_at_most_share(&self, share: Decimal) -> bool {
        let digits = self.larger.digits.times(share.mantissa().unsigned_abs());
        self.is_within(&Size { digits, exponent: self.larger.exponent - i128::from(share.scale()) })
    }

    fn is_within(&self, most: &Size) -> bool {
        // Where both others are less than a tenth of the larger number, most of it is what lies between.
        if !self.larger.is_zero() && most.top().max(self.smaller.top()) < self.larger.top() - 1 {
            return false;
        }
        let smaller = self.smaller_beside(most);
        let lowest = self.larger.exponent.min(smaller.exponent);
        let (large, small) = (self.larger.at(lowest), smaller.at(lowest));
        let digits = match self.side {
            Side::Same => large.minus(&small),
            Side::Opposite => large.plus(&small),
        };
        Size { digits, exponent: lowest }.cmp(most).is_le()
    }

    /// The smaller number. One that is so small that it reaches no digit of the others only counts as more than
    /// nothing, so that no zeros have to be written out down to it.
    fn smaller_beside(&self, most: &Size) -> Size {
        let lowest = if most.is_zero() { self.larger.exponent } else { self.larger.exponent.min(most.exponent) };
        if self.smaller.is_zero() {
            Size { digits: Digits::default(), exponent: self.larger.exponent }
        } else if self.smaller.top() <= lowest {
            Size { digits: Digits::from(1), exponent: lowest - 1 }
        } else {
            self.smaller.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at_most(most: &str, a: &str, b: &str) -> bool {
        let (a, b) = (Number::read(a), Number::read(b));
        let answer = Apart::new(&a, &b).is_at_most(most.parse().unwrap());
        assert_eq!(answer, Apart::new(&b, &a).is_at_most(most.parse().unwrap()));
        answer
    }

    fn at_most_share(share: &str, a: &str, b: &str) -> bool {
        let (a, b) = (Number::read(a), Number::read(b));
        Apart::new(&a, &b).is_at_most_share(share.parse().unwrap())
    }

    #[test]
    fn numbers_of_any_length_are_exactly_so_far_apart() {
        let long = "123456789012345678901234567890";
        assert!(at_most("1", long, "123456789012345678901234567891"));
        assert!(!at_most("1", long, "123456789012345678901234567895"));
        assert!(!at_most("1", "79228162514264337593543950335", "79228162514264337593543950337"));
        assert!(at_most("2", "79228162514264337593543950335", "79228162514264337593543950337"));
        assert!(at_most("0.5", "10000000000000000000000000000.5", "1e28"));
        assert!(!at_most("0.5", "10000000000000000000000000000.500000000000000001", "1e28"));
        assert!(at_most_share("0.01", "1.00e-28", "1.01e-28") && !at_most_share("0.01", "1.04e-28", "1.00e-28"));
        assert!(at_most_share("0.5", "2e400", "1e400") && !at_most_share("0.49", "2e400", "1e400"));
        assert!(!at_most("0", "1e-30", "5e-30") && at_most("0", "1e-30", "10e-31"));
    }

    #[test]
    fn sizes_that_are_worlds_apart_take_no_time() {
        for (vast, small) in [("1e999999999", "1"), ("1e99999999999999999999", "1"), ("1", "1e-99999999999999999999")] {
            assert!(!at_most("0.5", vast, small) && !at_most_share("0.999", vast, small));
            assert!(at_most_share("1", vast, small), "a part is what is left");
            assert!(!at_most_share("1", vast, &format!("-{small}")));
        }
        assert!(at_most("1", "1", "1e-999999999") && !at_most("1", "1", "-1e-999999999"));
        assert!(at_most("1", "1e-999999999", "3e-99999999999999999999999"));
        assert!(at_most_share("0.1", "1e100000000000000000000", "9e99999999999999999999"));
        assert!(!at_most_share("0.1", "1e100000000000000000000", "89e99999999999999999998"));
        assert!(at_most("0", "0", "-0") && at_most("0", "1e99999999999999999999", "10e99999999999999999998"));
    }

    proptest! {
        #[test]
        fn it_agrees_with_decimals_where_they_are_exact(
            a in -1_000_000_i64..1_000_000, b in -1_000_000_i64..1_000_000, most in 0_i64..2_000_000,
            scales in (0_u32..7, 0_u32..7, 0_u32..7), share in 0_i64..300,
        ) {
            let (a, b) = (Decimal::new(a, scales.0), Decimal::new(b, scales.1));
            let (most, share) = (Decimal::new(most, scales.2), Decimal::new(share, 2));
            let numbers = (Number::read(&a.to_string()), Number::read(&b.to_string()));
            let apart = Apart::new(&numbers.0, &numbers.1);
            prop_assert_eq!(apart.is_at_most(most), (a - b).abs() <= most);
            prop_assert_eq!(apart.is_at_most_share(share), (a - b).abs() <= share * a.abs().max(b.abs()));
        }
    }
}
