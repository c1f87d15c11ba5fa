//! What is to be drawn.

use std::str::FromStr;

use super::seed::Seed;
use super::shape::KindsBy;
use super::stratum::By;

/// What is to be drawn from traffic.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How many interactions.
    pub size: Size,
    /// How many of one kind at most.
    pub per_kind: Option<u64>,
    /// Decides which ones.
    pub seed: Seed,
    /// What strata are made by; none makes one stratum of all.
    pub by: Vec<By>,
    /// What makes kinds.
    pub kinds: KindsBy,
}

impl Default for Wanted {
    fn default() -> Self {
        let (seed, kinds) = (Seed::default(), KindsBy::default());
        Self { size: Size::EveryKind, per_kind: None, seed, by: vec![By::Scenario], kinds }
    }
}

/// How many interactions are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// As many of each kind as one kind may have; one, unless more are asked for.
    EveryKind,
    /// So many, or all there are.
    Cases(u64),
    /// A share of those there are, rounded up.
    Share(Share),
}

impl Size {
    /// How many that is, out of so many. `None`: as many as the kinds give.
    pub(super) fn of(self, interactions: u64) -> Option<u64> {
        match self {
            Size::EveryKind => None,
            Size::Cases(cases) => Some(cases.min(interactions)),
            Size::Share(Share(share)) => {
                Some(((interactions as f64 * share).ceil() as u64).clamp(1, interactions.max(1)))
            }
        }
    }
}

/// A share, above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => text.parse(),
        };
        let share = number.ok().filter(|share| *share > 0.0 && *share <= 1.0);
        share.map(Share).ok_or_else(|| format!("{text:?} is no share such as 5%"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_up_and_never_nothing() {
        let of = |share: &str, all| Size::Share(share.parse().unwrap()).of(all);
        assert_eq!(
            (of("5%", 394), of("0.05", 394), of("1%", 3), of("100%", 7)),
            (Some(20), Some(20), Some(1), Some(7))
        );
        assert!(["0", "0%", "101%", "many", "NaN"].iter().all(|text| text.parse::<Share>().is_err()));
    }
}
