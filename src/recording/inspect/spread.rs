//! Sums that know what they are missing, and percentiles in bounded memory.

use std::collections::BTreeMap;

/// How many values are kept as they are before they are sorted into buckets.
const EXACT: usize = 4096;
/// Buckets grow by this factor, so a percentile out of buckets is off by half a percent at most.
const GROWTH: f64 = 1.01;

/// How values from 0 on are spread.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    count: u64,
    exact: Vec<f64>,
    zeros: u64,
    buckets: BTreeMap<i32, u64>,
    max: f64,
}

impl Spread {
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        self.max = self.max.max(value);
        if self.count <= EXACT as u64 {
            self.exact.push(value);
            return;
        }
        for value in std::mem::take(&mut self.exact) {
            self.sort_in(value);
        }
        self.sort_in(value);
    }

    fn sort_in(&mut self, value: f64) {
        if value < f64::MIN_POSITIVE {
            self.zeros += 1;
        } else {
            *self.buckets.entry((value.ln() / GROWTH.ln()).ceil() as i32).or_default() += 1;
        }
    }

    /// The smallest value that so many percent of the values do not exceed.
    pub(super) fn percentile(&self, percent: u64) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let rank = (u128::from(self.count) * u128::from(percent)).div_ceil(100).max(1) as u64;
        if !self.exact.is_empty() {
            let mut sorted = self.exact.clone();
            sorted.sort_by(f64::total_cmp);
            return sorted.get(rank as usize - 1).copied();
        }
        let mut passed = self.zeros;
        if rank <= passed {
            return Some(0.0);
        }
        for (bucket, count) in &self.buckets {
            passed += count;
            if rank <= passed {
                return Some(GROWTH.powf(f64::from(*bucket) - 0.5).min(self.max));
            }
        }
        Some(self.max)
    }

    pub(super) fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }
}

/// A sum of counts, with how they are spread.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) sum: u128,
    pub(super) spread: Spread,
}

impl Counts {
    /// Adds a count, if it is known.
    pub(super) fn add(&mut self, count: Option<u64>) {
        if let Some(count) = count {
            self.sum += u128::from(count);
            self.spread.add(count as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(values: impl IntoIterator<Item = f64>) -> Spread {
        let mut spread = Spread::default();
        values.into_iter().for_each(|value| spread.add(value));
        spread
    }

    #[test]
    fn few_values_give_exact_percentiles() {
        let few = spread((1..=20).map(f64::from));
        assert_eq!((few.percentile(50), few.percentile(95), few.max()), (Some(10.0), Some(19.0), Some(20.0)));
        assert_eq!(spread([7.5]).percentile(95), Some(7.5));
        assert_eq!(spread([]).percentile(50), None);
    }

    #[test]
    fn many_values_give_percentiles_within_one_percent() {
        let many = spread((1..=100_000).map(f64::from));
        for (percent, exact) in [(50, 50_000.0), (95, 95_000.0)] {
            let seen = many.percentile(percent).unwrap();
            assert!((seen / exact - 1.0).abs() < 0.01, "{percent}: {seen}");
        }
        assert_eq!(spread((0..10_000).map(|_| 0.0)).percentile(95), Some(0.0));
    }
}
