//! Ids must be unique: which were used, and where.

use std::path::Path;
use std::sync::Arc;

use super::interaction::{CaseId, Interaction};
use super::keys::{Keys, text_key};
use super::place::{At, Place, Reject, RejectReason};
use super::source::{Item, Row};

/// The ids that were used, and where: some 43 bytes an id.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    keys: Keys,
    places: Vec<Spot>,
    stretches: Vec<Stretch>,
}

/// A place without what it has in common with its neighbours.
#[derive(Clone, Copy, Debug)]
struct Spot {
    number: u64,
    /// The offset, or the row group.
    rest: u64,
}

/// Ids that follow each other in one file.
#[derive(Debug)]
struct Stretch {
    /// The number of its first id.
    first: usize,
    file: Arc<Path>,
    kind: SpotKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpotKind {
    Line,
    Value,
    Row,
}

impl Spot {
    fn of(at: At) -> (SpotKind, Self) {
        match at {
            At::Line { number, offset } => (SpotKind::Line, Spot { number, rest: offset }),
            At::Value { number, offset } => (SpotKind::Value, Spot { number, rest: offset }),
            At::Row { group, number } => (SpotKind::Row, Spot { number, rest: group }),
        }
    }

    fn at(self, kind: SpotKind) -> At {
        let Spot { number, rest } = self;
        match kind {
            SpotKind::Line => At::Line { number, offset: rest },
            SpotKind::Value => At::Value { number, offset: rest },
            SpotKind::Row => At::Row { group: rest, number },
        }
    }
}

impl Ids {
    /// The row, if no other had its id before.
    pub(crate) fn admit(&mut self, row: Row) -> Item {
        match self.refuse(&row.id, &row.place, &row.interaction) {
            None => Ok(row),
            Some(reject) => Err(reject),
        }
    }

    /// Why an interaction is turned away: another one had its id before.
    pub(super) fn refuse(&mut self, id: &CaseId, place: &Place, it: &Interaction) -> Option<Reject> {
        let first = self.first_use(id, place)?;
        let raw = super::wire::write(it).into_bytes();
        Some(Reject { place: place.clone(), reason: RejectReason::DuplicateId { id: id.clone(), first }, raw })
    }

    /// Where the id was used before, if it was.
    fn first_use(&mut self, id: &CaseId, place: &Place) -> Option<Place> {
        match self.keys.insert(text_key(id.as_str())) {
            Ok(number) => {
                let (kind, spot) = Spot::of(place.at);
                let fits = |stretch: &Stretch| stretch.kind == kind && stretch.file == place.file;
                if !self.stretches.last().is_some_and(fits) {
                    self.stretches.push(Stretch { first: number, file: Arc::clone(&place.file), kind });
                }
                self.places.push(spot);
                None
            }
            Err(number) => self.place(number),
        }
    }

    fn place(&self, number: usize) -> Option<Place> {
        let after = self.stretches.partition_point(|stretch| stretch.first <= number);
        let stretch = self.stretches.get(after.checked_sub(1)?)?;
        Some(Place { file: Arc::clone(&stretch.file), at: self.places.get(number)?.at(stretch.kind) })
    }

    /// The ids as keys, numbered as they were admitted.
    pub(crate) fn into_keys(self) -> Keys {
        self.keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_use_is_found_over_files_and_kinds_of_place() {
        let (one, two): (Arc<Path>, Arc<Path>) = (Path::new("one").into(), Path::new("two").into());
        let places = [
            Place { file: Arc::clone(&one), at: At::Line { number: 1, offset: 0 } },
            Place { file: Arc::clone(&one), at: At::Line { number: 3, offset: 90 } },
            Place { file: Arc::clone(&two), at: At::Value { number: 1, offset: 2 } },
            Place { file: one, at: At::Row { group: 4, number: 7 } },
            Place { file: two, at: At::Line { number: 5, offset: 6 } },
        ];
        let (mut ids, id) = (Ids::default(), |at: usize| CaseId::new(format!("id-{at}")));
        for (at, place) in places.iter().enumerate() {
            assert_eq!(ids.first_use(&id(at), place), None);
        }
        for (at, place) in places.iter().enumerate() {
            assert_eq!(ids.first_use(&id(at), &places[0]).as_ref(), Some(place));
        }
    }
}
