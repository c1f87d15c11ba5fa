//! The report for a CI job: `junit.xml`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::case::{self, Detail};
use super::paper::Paper;
use super::visible::visible;
use super::{Report, words};
use crate::evaluate::EvaluationOutcome;
use crate::verdict::{AttemptRow, CaseVerdict, EvalCaseResults};

/// The suite of cases that have no scenario.
const NO_SCENARIO: &str = "cases";
/// How long a message is at most, in characters. The whole text follows it.
const MESSAGE: usize = 300;

/// Writes `junit.xml`: a suite for each scenario, a test for each case. Unlike the other reports it holds a short
/// entry for each case, as the counts stand before the cases.
///
/// # Errors
/// When `out` cannot be written.
pub fn junit(
    report: &Report<'_>,
    cases: &mut dyn Iterator<Item = EvalCaseResults>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut suites: Vec<TestSuite> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for case in cases {
        let case = report.admitted(case);
        let scenario = case.attempts.first().and_then(|row| row.scenario.as_deref()).unwrap_or(NO_SCENARIO);
        let place = *places.entry(scenario.to_owned()).or_insert_with(|| {
            suites.push(TestSuite::new(visible(scenario)));
            suites.len() - 1
        });
        suites[place].add_test_case(test_case(report, &case, scenario));
    }
    for suite in &mut suites {
        suite.set_time(suite.test_cases.iter().filter_map(|case| case.time).sum());
    }
    if let Some(first) = suites.first_mut() {
        first.add_properties(properties(report));
    }
    let mut whole = quick_junit::Report::new("taketwo");
    if let Some(ms) = report.wall_ms {
        whole.set_time(time(ms));
    }
    whole.add_test_suites(suites);
    let mut text = Vec::new();
    whole.serialize(&mut text).map_err(io::Error::other)?;
    let (before, after) = around_skipped_total(&text);
    out.write_all(before)?;
    out.write_all(after)
}

/// What stands before and after the `skipped` of the first tag. The schema of Jenkins' xUnit plugin knows that count on
/// a suite, but refuses it on the whole.
fn around_skipped_total(text: &[u8]) -> (&[u8], &[u8]) {
    let find = |from: usize, wanted: &[u8]| {
        text[from..].windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
    };
    let range = (|| {
        let tag = find(0, b"<testsuites")?;
        let start = find(tag, b" skipped=\"")?;
        let end = find(start + 10, b"\"")? + 1;
        (end < find(tag, b">")?).then_some((start, end))
    })();
    range.map_or((text, &[]), |(start, end)| (&text[..start], &text[end..]))
}

/// What was run, for the reader of the file.
fn properties(report: &Report<'_>) -> Vec<Property> {
    let manifest = report.manifest;
    [
        ("verdict", report.headline()),
        ("run", manifest.id.to_string()),
        ("target", visible(&manifest.target.name).into_owned()),
        ("recordings", manifest.recordings_hash.clone()),
        ("policy", manifest.policy_hash.clone()),
    ]
    .into_iter()
    .map(|(name, value)| Property::new(name, visible(&value)))
    .collect()
}

fn test_case(report: &Report<'_>, case: &EvalCaseResults, scenario: &str) -> TestCase {
    let mut test = TestCase::new(visible(case.id.as_str()), status(report, case));
    test.set_classname(visible(scenario));
    let spent: Vec<f64> = case.attempts.iter().filter_map(|row| row.seen.latency_ms).collect();
    if !spent.is_empty() {
        test.set_time(time(spent.iter().sum()));
    }
    test
}

fn time(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default()
}

/// A finding is a failure; a target that failed is an error; what has no verdict was skipped, and says why.
fn status(report: &Report<'_>, case: &EvalCaseResults) -> TestCaseStatus {
    let telling = case.telling_attempt();
    let failed = telling.is_some_and(|row| row.failure.is_some());
    let (mut status, kind) = match case.verdict {
        CaseVerdict::Passed => return TestCaseStatus::success(),
        CaseVerdict::Failed => (TestCaseStatus::non_success(NonSuccessKind::Failure), "failed"),
        CaseVerdict::Varied => (TestCaseStatus::non_success(NonSuccessKind::Failure), "varied"),
        CaseVerdict::NoResult if failed => (TestCaseStatus::non_success(NonSuccessKind::Error), "target"),
        CaseVerdict::Undecided => (TestCaseStatus::skipped(), "undecided"),
        CaseVerdict::NoResult => (TestCaseStatus::skipped(), "no result"),
    };
    let reason = telling.map(reason).unwrap_or_default();
    let message = if reason.is_empty() { words::case_verdict(case) } else { reason };
    let mut paper = Paper::new(120);
    case::write(&mut paper, report, case, Detail::Finding);
    let text = anstream::adapter::strip_str(&paper.into_text()).to_string();
    status.set_type(kind).set_message(super::visible::cut(&visible(&message), MESSAGE)).set_description(text);
    status
}

/// Why an attempt did not pass, in a line.
fn reason(row: &AttemptRow) -> String {
    if let Some(failure) = &row.failure {
        return crate::replay::Failure { kind: failure.kind, message: failure.message.clone() }.to_string();
    }
    let gated: Vec<String> = row.differences.iter().filter(|it| it.gated).map(words::difference).collect();
    if !gated.is_empty() {
        return gated.join("; ");
    }
    let said = |failed: bool| {
        let told = row.results.iter().filter(|result| {
            result.outcome != EvaluationOutcome::Passed && (result.outcome == EvaluationOutcome::Failed) == failed
        });
        let told = told.map(|result| match result.detail.as_str() {
            "" => format!("{} {}", result.label, result.outcome.as_str()),
            detail => format!("{}: {detail}", result.label),
        });
        told.collect::<Vec<_>>().join("; ")
    };
    Some(said(true)).filter(|said| !said.is_empty()).unwrap_or_else(|| said(false))
}
