//! What varies between repeats of one interaction.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::apart::Clocks;
use super::contrast::{Around, Equivalences, Origin, Sighting};
use super::places::Places;
use super::rows::Twins;
use super::said::Said;
use super::side::Side;
use crate::compare::{
    Alignment, Change, Difference, Matching, Pair, PairKind, Policy, PreparedCall, Rule, Value, align, prepare,
};
use crate::recording::{Interaction, Json, ToolCall, ToolName};

/// Compares repeats, and keeps what that needs.
pub(super) struct Comparing {
    equivalences: Equivalences,
    /// No rules.
    plain: Policy,
    /// Everything by where it came from.
    by_origin: Policy,
}

/// What was compared and what differed, in sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// Pairs of calls.
    pub(super) calls: u64,
    /// Differences in arguments.
    pub(super) differences: u64,
    /// Differences that no rule can take away: calls without a counterpart, renamed or out of order, and arguments
    /// that cannot be read.
    pub(super) of_calls: u64,
}

impl Comparing {
    pub(super) fn new() -> Self {
        let everything = ["reference *:$..*", "reference *:$..[*]"];
        Self {
            equivalences: Equivalences::new(),
            plain: Policy::default(),
            by_origin: Policy::new(everything.iter().filter_map(|rule| rule.parse::<Rule>().ok()).collect()),
        }
    }

    /// The policy under which everything is known by where it came from.
    pub(super) fn by_origin(&self) -> &Policy {
        &self.by_origin
    }

    /// How differences are tried.
    pub(super) fn equivalences(&self) -> &Equivalences {
        &self.equivalences
    }

    /// Takes in what differs between two repeats.
    pub(super) fn gather(&self, twins: &Twins<'_>, places: &mut Places, totals: &mut Totals) {
        let [a, b] = twins.interactions;
        let (Some(recorded), Some(seen)) = (a.tool_calls.as_deref(), b.tool_calls.as_deref()) else { return };
        let (left, right) = (prepare(recorded, &self.plain), prepare(seen, &self.plain));
        let alignment = align(&left, &right, Matching::default());
        totals.add(&alignment);
        let unexplained = self.unexplained(&alignment, recorded, seen);
        let said = [Said::of(a), Said::of(b)];
        let around = Around {
            said: [Some(&said[0]), Some(&said[1])],
            clocks: Clocks { expected: clock(a), seen: clock(b) },
            interactions: twins.numbers,
        };
        for pair in &alignment.pairs {
            let Some(differences) = of_arguments(pair) else { continue };
            let tool = &recorded[pair.recorded].name;
            for path in places_of(&left[pair.recorded], &right[pair.seen]) {
                if let Some(place) = places.at(tool, &path) {
                    place.contrast.add_pair();
                }
            }
            for (path, differences) in by_place(differences) {
                let Some(place) = places.at(tool, &path) else { continue };
                place.contrast.add_varied(twins.group);
                for difference in differences {
                    let sighting = Sighting {
                        expected: Side::read(difference.expected.as_deref()),
                        seen: Side::read(difference.seen.as_deref()),
                        changes_type: difference.change == Change::Kind,
                        origin: unexplained.as_ref().map_or(Origin::Unknown, |left| left.origin(pair, difference)),
                        around: &around,
                    };
                    place.contrast.add(&sighting, &self.equivalences);
                }
            }
        }
    }

    /// What still differs where everything is known by where it came from.
    fn unexplained(&self, plain: &Alignment, recorded: &[ToolCall], seen: &[ToolCall]) -> Option<Unexplained> {
        let differ = plain.pairs.iter().any(|pair| of_arguments(pair).is_some_and(|found| !found.is_empty()));
        let has_results = |calls: &[ToolCall]| calls.iter().any(|call| call.result.is_some());
        if !differ || !has_results(recorded) || !has_results(seen) {
            return None;
        }
        let alignment =
            align(&prepare(recorded, &self.by_origin), &prepare(seen, &self.by_origin), Matching::default());
        let mut left = Unexplained::default();
        for pair in &alignment.pairs {
            left.pairs.insert((pair.recorded, pair.seen));
            for difference in of_arguments(pair).unwrap_or_default() {
                left.differing.insert((pair.recorded, difference.path.to_string()));
            }
        }
        Some(left)
    }

    /// How many differences are left under a policy, by tool and place.
    pub(super) fn left_under(&self, policy: &Policy, twins: &Twins<'_>, left: &mut Left) {
        let [a, b] = twins.interactions;
        let (Some(recorded), Some(seen)) = (a.tool_calls.as_deref(), b.tool_calls.as_deref()) else { return };
        let alignment = align(&prepare(recorded, policy), &prepare(seen, policy), Matching::default());
        for pair in &alignment.pairs {
            for (path, differences) in by_place(of_arguments(pair).unwrap_or_default()) {
                left.add(&recorded[pair.recorded].name, path, differences.len() as u64);
            }
        }
    }
}

/// Differences that are left under a policy, by tool and place.
#[derive(Clone, Debug, Default)]
pub(super) struct Left(BTreeMap<(ToolName, String), u64>);

impl Left {
    pub(super) fn add(&mut self, tool: &ToolName, path: String, count: u64) {
        *self.0.entry((tool.clone(), path)).or_default() += count;
    }

    /// Those at one place.
    pub(super) fn at(&self, tool: &ToolName, path: &str) -> u64 {
        self.0.get(&(tool.clone(), path.to_owned())).copied().unwrap_or_default()
    }

    /// All of them.
    pub(super) fn sum(&self) -> u64 {
        self.0.values().sum()
    }
}

/// What differs where values are known by where they came from: pairs of calls, and places in the recorded ones.
#[derive(Default)]
struct Unexplained {
    pairs: HashSet<(usize, usize)>,
    differing: HashSet<(usize, String)>,
}

impl Unexplained {
    /// Where both sides of a difference came from.
    fn origin(&self, pair: &Pair, difference: &Difference) -> Origin {
        let is_paired = self.pairs.contains(&(pair.recorded, pair.seen));
        match is_paired && !self.differing.contains(&(pair.recorded, difference.path.to_string())) {
            true => Origin::OnePlace,
            false => Origin::Elsewhere,
        }
    }
}

impl Totals {
    fn add(&mut self, alignment: &Alignment) {
        self.of_calls += (alignment.missing.len() + alignment.extra.len()) as u64;
        for pair in &alignment.pairs {
            match of_arguments(pair) {
                None => self.of_calls += 1,
                Some(differences) => {
                    self.calls += 1;
                    let whole = differences.iter().filter(|difference| difference.path.steps().is_empty()).count();
                    self.of_calls += whole as u64;
                    self.differences += (differences.len() - whole) as u64;
                }
            }
        }
    }
}

/// When an interaction was recorded.
pub(super) fn clock(interaction: &Interaction) -> Option<jiff::Timestamp> {
    let text = interaction.recorded_at.as_deref()?;
    Value::read(&Json::string(text), &crate::compare::ToolRules::none()).instant()
}

/// What differs in the arguments of a pair; `None` where they belong to two tools.
fn of_arguments(pair: &Pair) -> Option<&[Difference]> {
    match &pair.kind {
        PairKind::Same => Some(&[]),
        PairKind::Changed(differences) | PairKind::Handed(differences) => Some(differences),
        PairKind::Renamed(_) => None,
    }
}

/// The differences of a pair by place; arguments that differ as a whole have none.
fn by_place(differences: &[Difference]) -> BTreeMap<String, Vec<&Difference>> {
    let mut places: BTreeMap<String, Vec<&Difference>> = BTreeMap::new();
    for difference in differences.iter().filter(|difference| !difference.path.steps().is_empty()) {
        places.entry(difference.path.general()).or_default().push(difference);
    }
    places
}

/// The places that one of two calls has at least.
fn places_of(left: &PreparedCall<'_>, right: &PreparedCall<'_>) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for call in [left, right] {
        call.arguments().for_each_place(&mut |path, _| {
            places.insert(path.general());
        });
    }
    places
}
