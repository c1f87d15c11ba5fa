//! Differences from the recordings by kind: which came, which went, which there are more or fewer of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::verdict::AttemptRow;
use crate::verdict::found::{Found, GroupKey, found_in};
use crate::verdict::sequences::Counted;
use crate::verdict::summary::GROUPS;

/// A kind of difference from the recordings of which there are more or fewer in the second run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupChange {
    /// The kind.
    #[serde(flatten)]
    pub key: GroupKey,
    /// Whether the runs are held to it.
    pub gated: bool,
    /// How it changed.
    pub trend: Trend,
    /// How much of it the first run has.
    pub before: GroupSide,
    /// How much of it the second has.
    pub after: GroupSide,
    /// The first case that has it in one run alone; where each case has it in both, the first that has it.
    pub example: String,
    /// What was recorded there, and what was seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
}

/// How a kind of difference changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    /// Only the second run has it.
    Appeared,
    /// It is in more cases, or in as many and more often.
    Grew,
    /// It is in fewer cases, or in as many and less often.
    Shrank,
    /// Only the first run has it.
    Vanished,
}

/// How much of a kind of difference a run has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupSide {
    /// How many differences.
    pub count: u64,
    /// In how many cases.
    pub cases: u64,
    /// The traffic that these cases stand for.
    pub traffic: f64,
    #[serde(skip)]
    last: Option<u64>,
}

impl GroupSide {
    fn add(&mut self, case: &Counted<'_>) {
        self.count += 1;
        if self.last != Some(case.number) {
            (self.last, self.cases, self.traffic) = (Some(case.number), self.cases + 1, self.traffic + case.weight);
        }
    }
}

/// Counts differences on both sides.
#[derive(Debug, Default)]
pub(super) struct GroupChanges {
    groups: BTreeMap<GroupKey, Group>,
    ungrouped: u64,
}

#[derive(Debug)]
struct Group {
    gated: bool,
    before: GroupSide,
    after: GroupSide,
    first: Example,
    /// The first case with more of it on one side than on the other.
    telling: Option<Example>,
}

#[derive(Clone, Debug)]
struct Example {
    id: String,
    detail: Option<String>,
}

impl GroupChanges {
    /// Takes in an attempt of each run.
    pub(super) fn add(&mut self, case: &Counted<'_>, before: &AttemptRow, after: &AttemptRow) {
        let (was, is) = (by_key(before), by_key(after));
        let keys: Vec<GroupKey> = was.keys().chain(is.keys().filter(|key| !was.contains_key(key))).cloned().collect();
        for key in keys {
            let (was, is) = (was.get(&key).map_or(&[][..], Vec::as_slice), is.get(&key).map_or(&[][..], Vec::as_slice));
            let Some(group) = self.group(key, case, is.first().or(was.first())) else {
                self.ungrouped += (was.len() + is.len()) as u64;
                continue;
            };
            was.iter().for_each(|_| group.before.add(case));
            is.iter().for_each(|_| group.after.add(case));
            if was.len() != is.len() && group.telling.is_none() {
                let more = if is.len() > was.len() { is } else { was };
                group.telling = more.first().map(|found| Example::of(case, found));
            }
        }
    }

    fn group(&mut self, key: GroupKey, case: &Counted<'_>, found: Option<&Found>) -> Option<&mut Group> {
        let found = found?;
        if self.groups.len() >= GROUPS && !self.groups.contains_key(&key) {
            return None;
        }
        Some(self.groups.entry(key).or_insert_with(|| Group {
            gated: found.gated,
            before: GroupSide::default(),
            after: GroupSide::default(),
            first: Example::of(case, found),
            telling: None,
        }))
    }

    /// The kinds that changed, the gated ones first, then by the traffic that they gained or lost; and how many
    /// differences are in no group.
    pub(super) fn finish(self) -> (Vec<GroupChange>, u64) {
        let mut changes: Vec<GroupChange> =
            self.groups.into_iter().filter_map(|(key, group)| group.into_change(key)).collect();
        let moved = |change: &GroupChange| (change.after.traffic - change.before.traffic).abs();
        let more = |change: &GroupChange| change.after.count.abs_diff(change.before.count);
        changes.sort_by(|a, b| {
            let by_weight = b.gated.cmp(&a.gated).then(moved(b).total_cmp(&moved(a)));
            by_weight.then(more(b).cmp(&more(a))).then_with(|| a.key.cmp(&b.key))
        });
        (changes, self.ungrouped)
    }
}

impl Example {
    fn of(case: &Counted<'_>, found: &Found) -> Self {
        Self { id: case.id.to_owned(), detail: found.detail.clone() }
    }
}

impl Group {
    fn into_change(self, key: GroupKey) -> Option<GroupChange> {
        let Self { gated, before, after, first, telling } = self;
        let trend = match (before.cases, after.cases) {
            (0, _) => Trend::Appeared,
            (_, 0) => Trend::Vanished,
            (was, is) if (is, after.count) > (was, before.count) => Trend::Grew,
            (was, is) if (is, after.count) < (was, before.count) => Trend::Shrank,
            _ => return None,
        };
        let Example { id: example, detail } = telling.unwrap_or(first);
        Some(GroupChange { key, gated, trend, before, after, example, detail })
    }
}

fn by_key(row: &AttemptRow) -> BTreeMap<GroupKey, Vec<Found>> {
    let mut by_key: BTreeMap<GroupKey, Vec<Found>> = BTreeMap::new();
    for found in found_in(row) {
        by_key.entry(found.key.clone()).or_default().push(found);
    }
    by_key
}
