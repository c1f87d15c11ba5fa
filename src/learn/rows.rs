//! The recorded interactions: looked through once, then read again where they stand, repeat by repeat.

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use super::LearnError;
use crate::recording::{
    Ids, Interaction, PlacedFiles, Quarantine, Recordings, Row, Span, Spool, Standing, UnreadRow, text_key,
};
use crate::replay::target::PairBy;

/// What the repeats of one interaction have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The id, in several files.
    Id,
    /// The input and the turns before it.
    Input,
    /// The value of a field.
    Field(String),
}

impl FromStr for GroupBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "id" => Ok(GroupBy::Id),
            "input" => Ok(GroupBy::Input),
            field if !field.trim().is_empty() => Ok(GroupBy::Field(field.to_owned())),
            _ => Err("group by id, input or the name of a field".into()),
        }
    }
}

impl fmt::Display for GroupBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GroupBy::Id => f.write_str("id"),
            GroupBy::Input => f.write_str("input"),
            GroupBy::Field(field) => f.write_str(field),
        }
    }
}

/// The interactions of recordings, each known by its place.
pub(super) struct Rows {
    files: PlacedFiles,
    rows: Vec<RowPlace>,
}

/// Some 90 bytes an interaction.
struct RowPlace {
    span: Span,
    id: Option<u128>,
    input: Option<u128>,
}

/// Interactions that repeat each other, the groups in the order of their first ones.
pub(super) struct Groups {
    pub(super) by: GroupBy,
    inputs: Inputs,
    groups: Vec<Vec<u32>>,
}

/// Whether repeats must have been asked the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inputs {
    /// They must: nobody said that the ids mean the same.
    Same,
    /// Whoever named what they have in common knows.
    Any,
}

/// Two interactions that repeat each other.
pub(super) struct Twins<'a> {
    /// The number of the group.
    pub(super) group: u64,
    /// Their numbers.
    pub(super) numbers: [u64; 2],
    pub(super) interactions: [&'a Interaction; 2],
}

/// How many pairs there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PairCount {
    /// Pairs that were compared.
    pub(super) compared: u64,
    /// Pairs of one id that were asked different things.
    pub(super) asked_otherwise: u64,
}

/// Of many repeats each is compared with so many that came before it: up to five are compared each with each other.
const REACH: usize = 4;

impl Rows {
    /// Looks through recordings. `visit` is shown each interaction with its number and that of its file.
    pub(super) fn read(
        recordings: &Recordings,
        by: Option<&GroupBy>,
        quarantine: &mut Quarantine,
        mut visit: impl FnMut(u64, usize, &Interaction),
    ) -> Result<Self, LearnError> {
        let stamps = recordings.stamps();
        let mut files = recordings.placed()?;
        let mut spool = Spool::new(files.count());
        let mut rows = Vec::new();
        let mut file = OwnFile::default();
        for found in recordings.found_rows()? {
            let standing = found.as_ref().map_or(Standing::Unwritten, Standing::of);
            let row = match found.and_then(UnreadRow::read).and_then(|row| file.admit(row)) {
                Ok(row) => row,
                Err(reject) => {
                    quarantine.take(reject).map_err(LearnError::Quarantine)?;
                    continue;
                }
            };
            visit(rows.len() as u64, file.number, &row.interaction);
            let span = standing.keep(&row.interaction, &mut spool).map_err(LearnError::Again)?;
            rows.push(RowPlace {
                span,
                id: row.interaction.id.as_ref().map(|id| text_key(id.as_str())),
                input: key(&row, by),
            });
        }
        recordings.check_unchanged(&stamps)?;
        spool.add_to(&mut files).map_err(LearnError::Again)?;
        rows.shrink_to_fit();
        Ok(Self { files, rows })
    }

    /// How many interactions there are.
    pub(super) fn count(&self) -> u64 {
        self.rows.len() as u64
    }

    /// The groups of those that repeat each other: by what is named, else by id where ids come again, else by input.
    pub(super) fn groups(&self, by: Option<&GroupBy>) -> Groups {
        let groups = |key: fn(&RowPlace) -> Option<u128>| {
            let mut keyed: Vec<(u128, u32)> =
                self.rows.iter().zip(0..).filter_map(|(row, number)| Some((key(row)?, number))).collect();
            keyed.sort_unstable();
            let alike = keyed.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
            let mut groups: Vec<Vec<u32>> =
                alike.map(|group| group.iter().map(|(_, number)| *number).collect()).collect();
            groups.sort_unstable();
            groups
        };
        let (by_id, by_input) = (|row: &RowPlace| row.id, |row: &RowPlace| row.input);
        match by {
            Some(GroupBy::Id) => Groups { by: GroupBy::Id, inputs: Inputs::Any, groups: groups(by_id) },
            Some(other) => Groups { by: other.clone(), inputs: Inputs::Any, groups: groups(by_input) },
            None => {
                let found = groups(by_id);
                if found.is_empty() {
                    return Groups { by: GroupBy::Input, inputs: Inputs::Any, groups: groups(by_input) };
                }
                Groups { by: GroupBy::Id, inputs: Inputs::Same, groups: found }
            }
        }
    }

    /// Goes through the pairs of interactions that repeat each other.
    pub(super) fn for_each_pair(
        &self,
        groups: &Groups,
        visit: &mut dyn FnMut(&Twins<'_>),
    ) -> Result<PairCount, LearnError> {
        let mut count = PairCount::default();
        for (group, members) in groups.groups.iter().enumerate() {
            let mut before: VecDeque<(u64, Interaction)> = VecDeque::with_capacity(REACH + 1);
            for number in members {
                let interaction = self.read_again(*number)?;
                for (earlier, other) in &before {
                    if groups.inputs == Inputs::Same && other.input.shown() != interaction.input.shown() {
                        count.asked_otherwise += 1;
                        continue;
                    }
                    count.compared += 1;
                    let numbers = [*earlier, u64::from(*number)];
                    visit(&Twins { group: group as u64, numbers, interactions: [other, &interaction] });
                }
                before.push_back((u64::from(*number), interaction));
                if before.len() > REACH {
                    before.pop_front();
                }
            }
        }
        Ok(count)
    }

    fn read_again(&self, number: u32) -> Result<Interaction, LearnError> {
        self.files.interaction(self.rows[number as usize].span).map_err(LearnError::Again)
    }
}

/// The file that is read: ids are unique in it, and come again in others.
#[derive(Default)]
struct OwnFile {
    name: Option<Arc<Path>>,
    number: usize,
    ids: Ids,
}

impl OwnFile {
    fn admit(&mut self, row: Row) -> crate::recording::Item {
        if self.name.as_ref() != Some(&row.place.file) {
            self.number += usize::from(self.name.is_some());
            (self.name, self.ids) = (Some(Arc::clone(&row.place.file)), Ids::default());
        }
        self.ids.admit(row)
    }
}

/// What an interaction is grouped by, if not by id.
fn key(row: &Row, by: Option<&GroupBy>) -> Option<u128> {
    let interaction = &row.interaction;
    if let Some(GroupBy::Field(field)) = by {
        return PairBy::Field(field.clone()).key(&row.id, 0, interaction);
    }
    // What a later turn is about stands in those before it.
    if interaction.history.is_none() && interaction.turn.is_some_and(|turn| turn > 1) {
        return None;
    }
    let history = interaction.history.as_ref().map(|history| history.compact().text().to_owned());
    Some(text_key(&format!("{}\u{0}{}", history.unwrap_or_default(), interaction.input.shown())))
}
