//! Two looks at the same recordings: the first reads and judges every row, the second takes its word.

use super::placed::Stamp;
use super::source::{Recordings, SourceError};
use super::unread::{FoundRows, UnreadRow};

/// What a first look found: which rows were turned away, for whatever reason. The others are interactions, each with
/// an id of its own.
#[derive(Clone, Debug, Default)]
pub struct FirstLook {
    /// Their numbers among the rows, from 0, in order.
    pub(super) turned_away: Vec<u64>,
    pub(super) stamps: Vec<Option<Stamp>>,
}

/// The good rows of recordings that were looked at before, not read yet. It remembers no ids, so its memory does not
/// grow with them.
pub struct SecondLook {
    rows: FoundRows,
    number: u64,
    turned_away: std::vec::IntoIter<u64>,
    next_turned_away: Option<u64>,
}

impl Recordings {
    /// Goes through the rows again that a first look found good.
    ///
    /// # Errors
    /// [`SourceError::Changed`] where a file is not what it was, others where one cannot be opened.
    pub fn look_again(&self, first: &FirstLook) -> Result<SecondLook, SourceError> {
        self.check_unchanged(&first.stamps)?;
        let mut turned_away = first.turned_away.clone().into_iter();
        let next_turned_away = turned_away.next();
        Ok(SecondLook { rows: self.found_rows()?, number: 0, turned_away, next_turned_away })
    }
}

impl Iterator for SecondLook {
    type Item = UnreadRow;

    fn next(&mut self) -> Option<UnreadRow> {
        loop {
            let row = self.rows.next()?;
            let number = self.number;
            self.number += 1;
            if self.next_turned_away == Some(number) {
                self.next_turned_away = self.turned_away.next();
                continue;
            }
            if let Ok(row) = row {
                return Some(row);
            }
        }
    }
}
