//! What was drawn from what, as plain data that is printed or written as JSON.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::census::{Census, Kind, Number};
use super::seed::Seed;
use super::shape::KindsBy;
use super::stratum::By;
use super::tickets::Winner;
use super::wanted::Wanted;
use super::weights::Weights;
use super::write::Words;
use crate::recording::{Json, Quarantine, Recordings};

/// How many kinds are listed, those with the most traffic first.
const LISTED: usize = 10_000;
/// How many of them are those with the least traffic.
const RAREST: usize = 100;

/// What was drawn. As JSON it is described in `docs/sampling.md`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Drawn {
    /// Names this kind of JSON.
    pub format: &'static str,
    /// Rises when a field changes its meaning or goes away.
    pub version: u32,
    /// What decided by lot.
    pub seed: Seed,
    /// What strata were made by.
    pub by: Vec<By>,
    /// What made kinds.
    pub kinds_by: KindsBy,
    /// How many files were read.
    pub files: u64,
    /// How many interactions could be read.
    pub interactions: u64,
    /// How much traffic they stand for.
    pub traffic: Json,
    /// How many rows could not be read.
    pub rejected: u64,
    /// How many last lines were cut off.
    pub torn: u64,
    /// How many interactions were drawn.
    pub cases: u64,
    /// What they stand for together: the traffic.
    pub weight: Json,
    /// How many kinds there are.
    pub different_kinds: u64,
    /// How many of them have a case.
    pub kinds_with_a_case: u64,
    /// The traffic of the others, which the cases of their stratum stand for.
    pub spread_traffic: Json,
    /// The file that was written.
    pub out: String,
    /// Its size.
    pub bytes: u64,
    /// The strata, those with the most traffic first.
    pub strata: Vec<DrawnStratum>,
    /// The kinds, those with the most traffic first.
    pub kinds: Vec<DrawnKind>,
    /// How many kinds are not listed.
    pub other_kinds: u64,
}

/// What was drawn from a stratum.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawnStratum {
    /// What its interactions have in common.
    pub stratum: String,
    /// How many there are.
    pub interactions: u64,
    /// Their traffic.
    pub traffic: Json,
    /// How many kinds there are among them.
    pub kinds: u64,
    /// How many kinds have a case.
    pub kinds_with_a_case: u64,
    /// How many interactions were drawn.
    pub cases: u64,
}

/// What was drawn of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawnKind {
    /// Its stratum.
    pub stratum: String,
    /// The kind, in words.
    pub kind: String,
    /// How many interactions there are of it.
    pub interactions: u64,
    /// Their traffic.
    pub traffic: Json,
    /// How many were drawn.
    pub cases: u64,
    /// What these stand for together.
    pub weight: Json,
    /// One of it, a drawn one where there is one.
    pub example: String,
}

/// The kinds to be listed, those with the most traffic first. Of too many those in the middle are left out.
pub(super) fn listed(census: &Census) -> Vec<Number> {
    let rank = |kind: &Kind| (Reverse(kind.traffic), kind.lot);
    let mut kinds: Vec<Number> = (0..).take(census.kinds.len()).collect();
    kinds.sort_by_key(|number| rank(&census.kinds[*number as usize]));
    if kinds.len() > LISTED {
        kinds.drain(LISTED - RAREST..kinds.len() - RAREST);
    }
    kinds
}

/// Everything that a report is made of.
pub(super) struct Outcome<'a> {
    pub(super) census: &'a Census,
    pub(super) drawn: &'a HashMap<Number, Vec<Winner>>,
    pub(super) weights: &'a Weights,
    pub(super) listed: &'a [Number],
    pub(super) words: &'a Words,
}

impl Outcome<'_> {
    pub(super) fn report(&self, recordings: &Recordings, wanted: &Wanted, quarantine: &Quarantine) -> Drawn {
        let Self { census, words, .. } = self;
        Drawn {
            format: "taketwo.sample",
            version: 1,
            seed: wanted.seed.clone(),
            by: wanted.by.clone(),
            kinds_by: wanted.kinds,
            files: recordings.files().count() as u64,
            interactions: census.tickets.len() as u64,
            traffic: census.traffic.json(),
            rejected: quarantine.rejected,
            torn: quarantine.torn,
            cases: words.written.interactions,
            weight: words.weight.json(),
            different_kinds: census.kinds.len() as u64,
            kinds_with_a_case: self.drawn.len() as u64,
            spread_traffic: self.weights.spread.json(),
            out: words.written.target.display().to_string(),
            bytes: words.written.bytes,
            strata: self.strata(),
            kinds: self.listed.iter().filter_map(|number| self.kind(*number)).collect(),
            other_kinds: (census.kinds.len() - self.listed.len()) as u64,
        }
    }

    fn cases(&self, kind: Number) -> u64 {
        self.drawn.get(&kind).map_or(0, |winners| winners.len() as u64)
    }

    fn strata(&self) -> Vec<DrawnStratum> {
        let kinds = self.census.kinds_by_stratum();
        let mut strata: Vec<_> = self.census.strata.iter().zip(kinds).collect();
        strata.sort_by(|(one, _), (other, _)| other.traffic.cmp(&one.traffic).then_with(|| one.name.cmp(&other.name)));
        let stratum = |(group, kinds): (&super::census::Group, Vec<Number>)| DrawnStratum {
            stratum: group.name.clone(),
            interactions: group.interactions,
            traffic: group.traffic.json(),
            kinds: kinds.len() as u64,
            kinds_with_a_case: kinds.iter().filter(|kind| self.drawn.contains_key(kind)).count() as u64,
            cases: kinds.iter().map(|kind| self.cases(*kind)).sum(),
        };
        strata.into_iter().map(stratum).collect()
    }

    fn kind(&self, kind: Number) -> Option<DrawnKind> {
        let (counted, spoken) = (&self.census.kinds[kind as usize], self.words.of_kinds.get(&kind)?);
        Some(DrawnKind {
            stratum: spoken.stratum.clone(),
            kind: spoken.kind.clone(),
            interactions: counted.interactions,
            traffic: counted.traffic.json(),
            cases: self.cases(kind),
            weight: self.weights.of_kind(kind).json(),
            example: spoken.example.clone(),
        })
    }
}
