//! Natural numbers as decimal digits, exact at any length.

use std::cmp::Ordering;
use std::fmt;

/// A natural number. All that is done with it takes time in the number of its digits, however many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Digits(Box<[u8]>);

impl Digits {
    /// Reads ASCII digits.
    pub(super) fn read(text: &str) -> Self {
        Self::of(text.bytes().map(|digit| digit - b'0').collect())
    }

    /// Digits from the highest to the lowest.
    fn of(digits: Vec<u8>) -> Self {
        match digits.iter().position(|digit| *digit != 0) {
            Some(0) => Self(digits.into()),
            Some(from) => Self(digits[from..].into()),
            None => Self::default(),
        }
    }

    /// How many digits it has; 0 has none.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// From the highest to the lowest.
    pub(super) fn highest_first(&self) -> &[u8] {
        &self.0
    }

    /// With so many zeros behind it.
    pub(super) fn with_zeros(&self, zeros: usize) -> Self {
        match self.is_zero() {
            true => self.clone(),
            false => Self(self.0.iter().copied().chain(std::iter::repeat_n(0, zeros)).collect()),
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut carry = 0;
        let sum = self.lowest_first(other).map(|(a, b)| {
            let digit = a + b + carry;
            carry = digit / 10;
            digit % 10
        });
        let mut sum: Vec<u8> = sum.collect();
        sum.push(carry);
        sum.reverse();
        Self::of(sum)
    }

    /// Without another that is no larger.
    pub(super) fn minus(&self, other: &Self) -> Self {
        debug_assert!(self >= other);
        let mut borrowed = 0;
        let rest = self.lowest_first(other).map(|(a, b)| {
            let digit = 10 + a - b - borrowed;
            borrowed = u8::from(digit < 10);
            digit % 10
        });
        let mut rest: Vec<u8> = rest.collect();
        rest.reverse();
        Self::of(rest)
    }

    /// Both from the lowest digit on, the shorter one filled up with zeros.
    fn lowest_first<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (u8, u8)> {
        let digits = |of: &'a Self| of.0.iter().rev().copied().chain(std::iter::repeat(0));
        digits(self).zip(digits(other)).take(self.count().max(other.count()))
    }

    /// So many times it; for factors of up to 30 digits.
    pub(super) fn times(&self, factor: u128) -> Self {
        let mut carry = 0;
        let mut product = Vec::with_capacity(self.count() + 30);
        for digit in self.0.iter().rev() {
            carry += factor * u128::from(*digit);
            product.push((carry % 10) as u8);
            carry /= 10;
        }
        while carry > 0 {
            product.push((carry % 10) as u8);
            carry /= 10;
        }
        product.reverse();
        Self::of(product)
    }
}

impl Ord for Digits {
    fn cmp(&self, other: &Self) -> Ordering {
        self.count().cmp(&other.count()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Digits {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<u128> for Digits {
    fn from(number: u128) -> Self {
        Self::read(&number.to_string())
    }
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_zero() {
            true => f.write_str("0"),
            false => f.write_str(&self.0.iter().map(|digit| char::from(b'0' + digit)).collect::<String>()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_counts_as_integers_do(a in 0..u128::MAX / 2, b in 0..u128::MAX / 2, factor in 0_u128..1 << 30, small in 0_u128..1 << 90) {
            let digits = Digits::from;
            prop_assert_eq!(digits(a).plus(&digits(b)), digits(a + b));
            prop_assert_eq!(digits(a.max(b)).minus(&digits(a.min(b))), digits(a.abs_diff(b)));
            prop_assert_eq!(digits(small).times(factor), digits(small * factor));
            prop_assert_eq!(digits(a).cmp(&digits(b)), a.cmp(&b));
            prop_assert_eq!(digits(small).with_zeros(3), digits(small * 1000));
            prop_assert_eq!(digits(a).to_string(), a.to_string());
        }
    }

    #[test]
    fn zeros_before_it_count_for_nothing() {
        assert_eq!(Digits::read("000"), Digits::default());
        assert_eq!(Digits::read("0070").to_string(), "70");
        assert_eq!(Digits::read("100").minus(&Digits::read("99")).to_string(), "1");
        assert_eq!(Digits::default().to_string(), "0");
        assert!(Digits::default().with_zeros(5).is_zero());
    }
}
