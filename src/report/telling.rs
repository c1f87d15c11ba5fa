//! How a report is made: it takes in the cases one by one, so that one look through the journal feeds all forms.

use std::io::{self, Write};

use super::Report;
use crate::verdict::EvalCaseResults;

/// A report in the making. It is told the cases in their order and writes as it can.
pub(super) trait Telling {
    /// Before the first case.
    fn begin(&mut self, _report: &Report<'_>, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Takes in a case.
    fn take(&mut self, report: &Report<'_>, case: &EvalCaseResults, out: &mut dyn Write) -> io::Result<()>;

    /// After the last case.
    fn end(&mut self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()>;
}

/// A report in the making and where it goes. When that breaks, it takes in no more and the others go on.
pub(super) struct Sheet<'a> {
    telling: Box<dyn Telling + 'a>,
    out: &'a mut dyn Write,
    done: io::Result<()>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(telling: impl Telling + 'a, out: &'a mut dyn Write) -> Self {
        Self { telling: Box::new(telling), out, done: Ok(()) }
    }

    /// How the writing went.
    pub(super) fn done(self) -> io::Result<()> {
        self.done
    }

    fn go_on(&mut self, step: impl FnOnce(&mut dyn Telling, &mut dyn Write) -> io::Result<()>) {
        if self.done.is_ok() {
            self.done = step(&mut *self.telling, self.out);
        }
    }
}

/// Tells all cases to all sheets, showing no content where the run keeps none.
pub(super) fn tell(report: &Report<'_>, cases: &mut dyn Iterator<Item = EvalCaseResults>, sheets: &mut [Sheet<'_>]) {
    let summary = report.admitted_summary();
    let report = &Report { summary: &summary, ..*report };
    sheets.iter_mut().for_each(|sheet| sheet.go_on(|telling, out| telling.begin(report, out)));
    for case in cases {
        let case = report.admitted(case);
        sheets.iter_mut().for_each(|sheet| sheet.go_on(|telling, out| telling.take(report, &case, out)));
        // Nobody reads on, so there is no use in looking through the rest.
        if sheets.iter().all(|sheet| sheet.done.is_err()) {
            return;
        }
    }
    sheets.iter_mut().for_each(|sheet| sheet.go_on(|telling, out| telling.end(report, out)));
}

/// Tells all cases to one report.
pub(super) fn tell_one(
    report: &Report<'_>,
    cases: &mut dyn Iterator<Item = EvalCaseResults>,
    telling: impl Telling,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sheets = [Sheet::new(telling, out)];
    tell(report, cases, &mut sheets);
    let [sheet] = sheets;
    sheet.done()
}

/// A report that is bounded, as a text.
pub(super) fn text_of(
    report: &Report<'_>,
    cases: &mut dyn Iterator<Item = EvalCaseResults>,
    telling: impl Telling,
) -> String {
    let mut text = Vec::new();
    // A vector takes all bytes, and reports write texts only.
    let _ = tell_one(report, cases, telling, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Whether a report keeps its ANSI styles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Styles {
    /// It does; whoever shows it takes them out where nobody sees them.
    Kept,
    /// It does not: it goes to a file.
    Stripped,
}

impl Styles {
    /// Writes a text with styles.
    pub(super) fn write(self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Styles::Kept => out.write_all(text.as_bytes()),
            Styles::Stripped => write!(out, "{}", anstream::adapter::strip_str(text)),
        }
    }
}
