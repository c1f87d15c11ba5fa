//! The report for a program: `report.json`, written case by case.

use std::io::{self, Write};

use serde::Serialize;

use super::document::{CaseLine, FORMAT, RunDocument, VERSION};
use super::telling::{Telling, tell_one};
use super::{Report, Verdict};
use crate::verdict::{DifferenceGroup, EvalCaseResults, Facts, GateResult, Summary, Trust};

/// All of a [`ReportDocument`](super::ReportDocument) but its cases.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    format: &'static str,
    version: u32,
    verdict: Verdict,
    exit_code: u8,
    headline: String,
    run: RunDocument,
    facts: &'a Facts,
    summary: Summary,
    groups: Vec<DifferenceGroup>,
    gates: &'a [GateResult],
    trust: &'a Trust,
    notes: &'a [String],
}

/// Writes `report.json`: the head in full, then a line for each case. It holds one case at a time.
///
/// # Errors
/// When `out` cannot be written.
pub fn json(
    report: &Report<'_>,
    cases: &mut dyn Iterator<Item = EvalCaseResults>,
    out: &mut dyn Write,
) -> io::Result<()> {
    tell_one(report, cases, JsonReport::default(), out)
}

/// `report.json` in the making.
#[derive(Default)]
pub(super) struct JsonReport {
    has_cases: bool,
}

impl Telling for JsonReport {
    fn begin(&mut self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut summary = report.summary.clone();
        let groups = std::mem::take(&mut summary.groups);
        let head = Head {
            format: FORMAT,
            version: VERSION,
            verdict: report.verdict(),
            exit_code: report.exit,
            headline: report.headline(),
            run: RunDocument::of(report),
            facts: &report.manifest.facts,
            summary,
            groups,
            gates: report.gates,
            trust: report.trust,
            notes: report.notes,
        };
        let head = serde_json::to_string_pretty(&head)?;
        // The closing brace follows the cases.
        out.write_all(head.trim_end_matches('}').trim_end().as_bytes())?;
        out.write_all(b",\n  \"cases\": [")
    }

    fn take(&mut self, _report: &Report<'_>, case: &EvalCaseResults, out: &mut dyn Write) -> io::Result<()> {
        let between: &[u8] = if self.has_cases { b",\n    " } else { b"\n    " };
        self.has_cases = true;
        out.write_all(between)?;
        Ok(serde_json::to_writer(out, &CaseLine::of(case))?)
    }

    fn end(&mut self, _report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"\n  ]\n}\n")
    }
}
