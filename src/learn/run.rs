//! What varied in a stored run whose target is known to do the same as production: an A/A run.

use std::collections::{BTreeMap, BTreeSet};

use super::LearnError;
use super::apart::Clocks;
use super::contrast::{Around, Equivalences, Origin, Sighting};
use super::places::Places;
use super::repeats::{Left, Totals, clock};
use super::said::Said;
use super::side::Side;
use crate::compare::{Arguments, Path, PathStep, Policy, ToolRules};
use crate::recording::{CaseId, Interaction, Json, Recordings, Rows, ToolName};
use crate::store::{Content, JournalIndex, RunFolder, RunManifest};
use crate::verdict::{AttemptRow, CallDifference, DifferenceKind};

/// A run that is learned from.
pub(super) struct RunEvidence<'a> {
    folder: &'a RunFolder,
    journal: JournalIndex,
    /// What it was made from, where that is still there.
    recordings: Option<&'a Recordings>,
}

impl<'a> RunEvidence<'a> {
    pub(super) fn new(folder: &'a RunFolder, recordings: Option<&'a Recordings>) -> Result<Self, LearnError> {
        if folder.manifest().content == Content::Omit {
            return Err(LearnError::NoContent { run: folder.manifest().id.to_string() });
        }
        Ok(Self { journal: folder.index()?, folder, recordings })
    }

    pub(super) fn manifest(&self) -> &RunManifest {
        self.folder.manifest()
    }

    /// Takes in what differs in the run. Without its recordings nobody knows how often a place did not differ.
    pub(super) fn gather(
        &self,
        equivalences: &Equivalences,
        places: &mut Places,
        totals: &mut Totals,
    ) -> Result<u64, LearnError> {
        let started = self.manifest().started_at.parse().ok();
        let mut recorded = self.recordings.map(Recorded::new).transpose()?;
        let mut attempts = 0;
        for case in self.journal.cases() {
            let case = case?;
            let interaction = recorded.as_mut().and_then(|recorded| recorded.find(&case.id));
            let said = interaction.as_ref().map(Said::of);
            for row in case.attempts.iter().filter(|row| row.failure.is_none()) {
                attempts += 1;
                let around = Around {
                    said: [said.as_ref(), None],
                    clocks: Clocks { expected: interaction.as_ref().and_then(clock), seen: started },
                    interactions: [RUN | (row.index << 1), RUN | (u64::from(row.attempt) << 40) | (row.index << 1) | 1],
                };
                totals.add_row(row);
                if let Some(interaction) = &interaction {
                    count_places(interaction, row, places, totals);
                }
                for ((_, tool, path), differences) in by_place(row) {
                    let Some(place) = places.at(&tool, path) else { continue };
                    if interaction.is_none() {
                        place.contrast.add_pair_of_unknown_many();
                    }
                    place.contrast.add_varied(RUN | row.index);
                    for difference in differences {
                        place.contrast.add(&sighting(difference, &around), equivalences);
                    }
                }
            }
        }
        Ok(attempts)
    }

    /// How many differences are left under a policy, by tool and place. A run keeps the values that differ and not the
    /// calls they stand in, so each is held to the rules by itself.
    pub(super) fn left_under(&self, policy: &Policy, left: &mut Left) -> Result<(), LearnError> {
        for case in self.journal.cases() {
            for row in case?.attempts.iter().filter(|row| row.failure.is_none()) {
                for ((_, tool, path), differences) in by_place(row) {
                    let rules = policy.tool(&tool);
                    let kept = differences.iter().filter(|difference| !is_accepted(difference, &rules)).count();
                    left.add(&tool, path.to_owned(), kept as u64);
                }
            }
        }
        Ok(())
    }
}

/// Tells the numbers of a run's interactions from those of recordings.
const RUN: u64 = 1 << 63;

impl Totals {
    fn add_row(&mut self, row: &AttemptRow) {
        for difference in &row.differences {
            if is_of_an_argument(difference) { self.differences += 1 } else { self.of_calls += 1 }
        }
    }
}

/// Counts for each place of the recorded calls that it was compared. The journal names only what differed.
fn count_places(interaction: &Interaction, row: &AttemptRow, places: &mut Places, totals: &mut Totals) {
    let alone = |difference: &&CallDifference| {
        let kind = difference.kind;
        difference.seen_call.is_none() || kind == DifferenceKind::Renamed
    };
    let unpaired: BTreeSet<usize> =
        row.differences.iter().filter(alone).filter_map(|difference| difference.recorded_call).collect();
    let mut added: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for difference in row.differences.iter().filter(|difference| is_of_an_argument(difference)) {
        if let (Some(call), Some(path)) = (difference.recorded_call, &difference.general_path) {
            added.entry(call).or_default().insert(path);
        }
    }
    for (at, call) in interaction.tool_calls.iter().flatten().enumerate() {
        let number = at + 1;
        if unpaired.contains(&number) {
            continue;
        }
        totals.calls += 1;
        let mut paths: BTreeSet<String> =
            added.get(&number).into_iter().flatten().map(|path| (*path).to_owned()).collect();
        Arguments::read(call.arguments.as_ref(), &ToolRules::none()).for_each_place(&mut |path, _| {
            paths.insert(path.general());
        });
        for path in paths {
            if let Some(place) = places.at(&call.name, &path) {
                place.contrast.add_pair();
            }
        }
    }
}

/// Whether it is a difference at a place in the arguments of two calls of one tool.
fn is_of_an_argument(difference: &CallDifference) -> bool {
    let kinds = [
        DifferenceKind::Changed,
        DifferenceKind::TypeChanged,
        DifferenceKind::ArgumentMissing,
        DifferenceKind::ArgumentAdded,
    ];
    kinds.contains(&difference.kind) && difference.general_path.as_deref().is_some_and(|path| path != "$")
}

/// A call, its tool, and a place in its arguments.
type PlaceOfCall<'a> = (Option<usize>, ToolName, &'a str);

fn by_place(row: &AttemptRow) -> BTreeMap<PlaceOfCall<'_>, Vec<&CallDifference>> {
    let mut places: BTreeMap<PlaceOfCall<'_>, Vec<&CallDifference>> = BTreeMap::new();
    for difference in row.differences.iter().filter(|difference| is_of_an_argument(difference)) {
        let path = difference.general_path.as_deref().unwrap_or("$");
        let key = (difference.recorded_call, ToolName::new(difference.tool.as_str()), path);
        places.entry(key).or_default().push(difference);
    }
    places
}

fn sighting<'a>(difference: &'a CallDifference, around: &'a Around<'a>) -> Sighting<'a> {
    Sighting {
        expected: Side::read(difference.expected.as_deref()),
        seen: Side::read(difference.seen.as_deref()),
        changes_type: difference.kind == DifferenceKind::TypeChanged,
        // What the run's own results were is not kept.
        origin: Origin::Unknown,
        around,
    }
}

/// Whether rules accept a difference, as far as its two values tell.
fn is_accepted(difference: &CallDifference, rules: &ToolRules<'_>) -> bool {
    let Some(path) = difference.path.as_deref().and_then(|path| path.parse::<Path>().ok()) else { return false };
    let whole = |text: Option<&str>| match Side::read(text) {
        Side::Absent => Some(without(&path)),
        Side::There { json, .. } => Some(within(&path, json.text())),
        Side::Cut(_) => None,
    };
    let (Some(expected), Some(seen)) = (whole(difference.expected.as_deref()), whole(difference.seen.as_deref()))
    else {
        return false;
    };
    let read = |text: String| Json::parse(text).ok().map(|json| Arguments::read(Some(&json), rules));
    matches!((read(expected), read(seen)), (Some(expected), Some(seen)) if expected.accepts(&seen))
}

/// Arguments that hold this value at a path and nothing else.
fn within(path: &Path, value: &str) -> String {
    path.steps().iter().rev().fold(value.to_owned(), |inner, step| match step {
        PathStep::Key(key) => format!("{{{}:{inner}}}", Json::string(key).text()),
        PathStep::Index(_) | PathStep::Item => format!("[{inner}]"),
    })
}

/// Arguments that have all around a path and nothing at it.
fn without(path: &Path) -> String {
    let steps = path.steps();
    let around = steps.len().saturating_sub(1);
    let nothing = match steps.last() {
        Some(PathStep::Index(_) | PathStep::Item) => "[]",
        Some(PathStep::Key(_)) | None => "{}",
    };
    steps[..around].iter().rev().fold(nothing.to_owned(), |inner, step| match step {
        PathStep::Key(key) => format!("{{{}:{inner}}}", Json::string(key).text()),
        PathStep::Index(_) | PathStep::Item => format!("[{inner}]"),
    })
}

/// The recorded interactions of a run, found in their order.
struct Recorded {
    rows: Rows,
}

impl Recorded {
    fn new(recordings: &Recordings) -> Result<Self, LearnError> {
        Ok(Self { rows: recordings.rows()? })
    }

    /// The interaction of a case: the cases of a run are in the order of its recordings.
    fn find(&mut self, id: &CaseId) -> Option<Interaction> {
        self.rows.by_ref().flatten().find(|row| row.id == *id).map(|row| row.interaction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_made_around_a_value() {
        let path: Path = "$.a[3][\"b c\"]".parse().unwrap();
        assert_eq!(within(&path, "1"), r#"{"a":[{"b c":1}]}"#);
        assert_eq!(without(&path), r#"{"a":[{}]}"#);
        assert_eq!(without(&"$.a[3]".parse().unwrap()), r#"{"a":[]}"#);
    }
}
