//! The cases that did not pass.

use super::{TextOptions, omitted};
use crate::report::Report;
use crate::report::case::{self, Detail};
use crate::report::paper::{DIM, Indent, Paper, STRONG, plain, styled};
use crate::report::sorts::{Folding, Sorts};
use crate::report::words::grouped;
use crate::store::Content;
use crate::verdict::{CaseVerdict, EvalCaseResults};

/// Cases that did not pass, by what they came to.
pub(super) struct OpenCases {
    options: TextOptions,
    detail: Detail,
    failed: Sorts,
    open: Sorts,
}

impl OpenCases {
    /// `detail` is [`Detail::Finding`] for a run, [`Detail::Pair`] for two recordings.
    pub(super) fn new(options: TextOptions, detail: Detail) -> Self {
        Self { options, detail, failed: Sorts::default(), open: Sorts::default() }
    }

    /// Takes in a case.
    pub(super) fn add(&mut self, report: &Report<'_>, case: &EvalCaseResults) {
        let sorts = match case.verdict {
            CaseVerdict::Passed => return,
            CaseVerdict::Failed | CaseVerdict::Varied => &mut self.failed,
            CaseVerdict::Undecided | CaseVerdict::NoResult => &mut self.open,
        };
        let folding = match self.options.limit {
            usize::MAX => Folding::Nothing,
            limit => Folding::Alike(limit),
        };
        sorts.add(case, folding, || {
            let mut paper = Paper::new(self.options.width);
            case::write(&mut paper, report, case, self.detail);
            paper.into_text()
        });
    }

    /// `more` is the command that tells every case one by one.
    pub(super) fn write(&self, paper: &mut Paper, report: &Report<'_>, more: &str) {
        let (failed, open) = match self.detail {
            Detail::Finding | Detail::Full => ("Failed cases", "Cases without a verdict"),
            Detail::Pair => ("Pairs that differ", "Pairs that could not be compared to the end"),
        };
        let mut folded = write(paper, failed, &self.failed);
        folded += write(paper, open, &self.open);
        if report.manifest.content == Content::Omit && !self.is_empty() {
            paper.gap();
            omitted(paper);
        }
        if folded > 0 {
            paper.gap();
            let of_others = match self.failed.hidden() + self.open.hidden() {
                0 => String::new(),
                hidden => format!("{} more of other sorts; ", grouped(hidden)),
            };
            let every = if self.detail == Detail::Pair { "every pair" } else { "every case" };
            let said = format!("{of_others}{every}: {more}");
            paper.write(Indent(2, 4), &[styled(DIM, said)]);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        [&self.failed, &self.open].iter().all(|sorts| sorts.shown().is_empty() && sorts.hidden() == 0)
    }
}

/// Writes the cases of one verdict; how many are not told one by one.
fn write(paper: &mut Paper, title: &str, sorts: &Sorts) -> u64 {
    if sorts.shown().is_empty() && sorts.hidden() == 0 {
        return 0;
    }
    paper.gap();
    paper.write(Indent(0, 2), &[styled(STRONG, title)]);
    for (at, sort) in sorts.shown().iter().enumerate() {
        if at > 0 {
            paper.gap();
        }
        paper.add(&sort.text);
        if let Some(alike) = sort.alike() {
            paper.write(Indent(4, 6), &[styled(DIM, "alike: "), plain(alike)]);
        }
    }
    sorts.hidden() + sorts.shown().iter().map(|sort| sort.others).sum::<u64>()
}
