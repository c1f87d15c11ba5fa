//! Cases that failed alike, told once.

use std::collections::BTreeSet;

use super::visible::{cut, visible};
use super::words::grouped;
use crate::evaluate::EvaluationOutcome;
use crate::verdict::EvalCaseResults;

/// How many cases are named that failed like another.
const NAMED: usize = 5;

/// The first case of each sort as text, and the names of others that are like it.
#[derive(Debug, Default)]
pub(super) struct Sorts {
    shown: Vec<Sort>,
    /// Cases that are like none of the shown.
    hidden: u64,
}

/// Whether cases that failed alike are told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folding {
    /// They are; at most so many sorts are told.
    Alike(usize),
    /// Each is told.
    Nothing,
}

/// A case that is told, and those that failed alike.
#[derive(Debug)]
pub(super) struct Sort {
    signature: Signature,
    pub(super) text: String,
    alike: Vec<String>,
    /// How many failed alike, the told one left out.
    pub(super) others: u64,
}

impl Sort {
    /// The names of those that failed alike; `None` when there is none.
    pub(super) fn alike(&self) -> Option<String> {
        let more = match self.others - self.alike.len() as u64 {
            0 => String::new(),
            more => format!(" and {} more", grouped(more)),
        };
        (self.others > 0).then(|| format!("{}{more}", self.alike.join(", ")))
    }
}

/// What two cases have in common that failed alike: kinds, tools, paths and checks, but no values.
type Signature = BTreeSet<(&'static str, String, String)>;

fn signature(case: &EvalCaseResults) -> Signature {
    let mut parts = Signature::new();
    let Some(row) = case.telling_attempt() else { return parts };
    for difference in &row.differences {
        let path = difference.general_path.clone().unwrap_or_default();
        parts.insert((difference.kind.as_str(), difference.tool.clone(), path));
    }
    for result in row.results.iter().filter(|result| result.outcome != EvaluationOutcome::Passed) {
        parts.insert((result.outcome.as_str(), result.label.to_string(), String::new()));
    }
    if let Some(failure) = &row.failure {
        parts.insert((failure.kind.as_str(), String::new(), failure.message.clone()));
    }
    parts
}

impl Sorts {
    /// Takes in a case; `tell` makes its text, should it be told.
    pub(super) fn add(&mut self, case: &EvalCaseResults, folding: Folding, tell: impl FnOnce() -> String) {
        let (signature, most) = match folding {
            Folding::Alike(most) => (signature(case), most),
            Folding::Nothing => (Signature::new(), usize::MAX),
        };
        let known = self.shown.iter_mut().find(|sort| folding != Folding::Nothing && sort.signature == signature);
        if let Some(sort) = known {
            sort.others += 1;
            if sort.alike.len() < NAMED {
                sort.alike.push(visible(&cut(case.id.as_str(), 60)).into_owned());
            }
        } else if self.shown.len() < most {
            self.shown.push(Sort { signature, text: tell(), alike: Vec::new(), others: 0 });
        } else {
            self.hidden += 1;
        }
    }

    /// The cases that are told.
    pub(super) fn shown(&self) -> &[Sort] {
        &self.shown
    }

    /// How many are like none that is told.
    pub(super) fn hidden(&self) -> u64 {
        self.hidden
    }
}
