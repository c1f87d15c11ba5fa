//! The second look at the traffic: what was drawn is written, everything else is passed over unread.

use std::collections::{HashMap, HashSet};

use super::amount::Amount;
use super::census::{Census, Number};
use super::error::DrawError;
use super::mark::{Mark, marked};
use super::tickets::Winner;
use super::weights::Weights;
use crate::recording::{FirstLook, Interaction, RecordingWriter, Recordings, Row, Written};

/// What is to be done with the rows that are wanted, in their order.
pub(super) struct Suite<'a> {
    census: &'a Census,
    drawn: &'a HashMap<Number, Vec<Winner>>,
    /// The kinds that words are wanted for.
    listed: HashSet<Number>,
    tasks: Vec<Task>,
}

/// What is to be done with one row.
#[derive(Clone, Copy, Debug)]
struct Task {
    row: usize,
    kind: Number,
    /// What it stands for, where it was drawn. Where it was not, it is only asked for the words of its kind.
    weight: Option<Amount>,
}

/// What was learned when the suite was written.
pub(super) struct Words {
    /// The words for the kinds that are listed, and one interaction of each.
    pub(super) of_kinds: HashMap<Number, Spoken>,
    pub(super) written: Written,
    /// The sum of the weights that were written.
    pub(super) weight: Amount,
}

/// A kind in words.
#[derive(Clone, Debug)]
pub(super) struct Spoken {
    pub(super) stratum: String,
    pub(super) kind: String,
    pub(super) example: String,
}

impl<'a> Suite<'a> {
    pub(super) fn new(
        census: &'a Census,
        drawn: &'a HashMap<Number, Vec<Winner>>,
        weights: &Weights,
        listed: &[Number],
    ) -> Self {
        let mut tasks = Vec::new();
        for (kind, winners) in drawn {
            let of_cases = winners.iter().zip(weights.of_cases(*kind, winners));
            tasks.extend(of_cases.map(|(winner, weight)| Task { row: winner.row, kind: *kind, weight: Some(weight) }));
        }
        let unnamed = listed.iter().copied().filter(|kind| !drawn.contains_key(kind));
        tasks.extend(unnamed.map(|kind| Task { row: census.kinds[kind as usize].first, kind, weight: None }));
        tasks.sort_by_key(|task| task.row);
        Self { census, drawn, listed: listed.iter().copied().collect(), tasks }
    }

    /// Reads the rows that are wanted again and writes those that were drawn.
    pub(super) fn write(
        self,
        recordings: &Recordings,
        look: &FirstLook,
        mut writer: RecordingWriter,
    ) -> Result<Words, DrawError> {
        let mut of_kinds = HashMap::new();
        let mut weight = Amount::default();
        let mut rows = recordings.look_again(look)?.enumerate();
        for task in &self.tasks {
            let row = rows.find(|(number, _)| *number == task.row).ok_or(DrawError::Changed)?.1;
            let row = row.read().map_err(|_| DrawError::Changed)?;
            let (stratum, kind) = self.census.rules().words(&row.interaction);
            let spoken = Spoken { stratum, kind, example: row.id.to_string() };
            if let Some(stands_for) = task.weight {
                weight = weight.plus(stands_for).ok_or(DrawError::Changed)?;
                writer.write(&self.marked(row, task.kind, &spoken, stands_for))?;
            }
            if self.listed.contains(&task.kind) {
                of_kinds.entry(task.kind).or_insert(spoken);
            }
        }
        Ok(Words { of_kinds, written: writer.finish()?, weight })
    }

    fn marked(&self, row: Row, kind: Number, spoken: &Spoken, weight: Amount) -> Interaction {
        let counted = &self.census.kinds[kind as usize];
        let mark = Mark {
            kind: spoken.kind.clone(),
            interactions: counted.interactions,
            traffic: counted.traffic,
            cases: self.drawn[&kind].len() as u64,
        };
        marked(row, &mark, weight)
    }
}
