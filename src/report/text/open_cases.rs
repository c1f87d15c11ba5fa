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
    failed: Sorts,
    open: Sorts,
}

impl OpenCases {
    pub(super) fn new(options: TextOptions) -> Self {
        Self { options, failed: Sorts::default(), open: Sorts::default() }
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
            case::write(&mut paper, report, case, Detail::Finding);
            paper.into_text()
        });
    }

    /// `more` is the command that tells every case one by one.
    pub(super) fn write(&self, paper: &mut Paper, report: &Report<'_>, more: &str) {
        let mut folded = write(paper, "Failed cases", &self.failed);
        folded += write(paper, "Cases without a verdict", &self.open);
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
            let said = format!("{of_others}every case: {more}");
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
