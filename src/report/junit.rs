//! The report for a CI job: `junit.xml`.

mod element;
mod suites;

use std::io::{self, Write};
use std::time::Duration;

use self::element::Element;
use self::suites::{Suites, TestKind};
use super::case::{self, Detail};
use super::paper::Paper;
use super::telling::{Telling, tell_one};
use super::visible::visible;
use super::{Report, words};
use crate::evaluate::EvaluationOutcome;
use crate::verdict::{AttemptRow, CaseVerdict, EvalCaseResults};

/// The suite of cases that have no scenario.
const NO_SCENARIO: &str = "cases";
/// How long a message is at most, in characters. The whole text follows it.
const MESSAGE: usize = 300;

/// Writes `junit.xml`: a suite for each scenario, a test for each case. The counts stand before the cases, so the tests
/// are kept in a temporary file until all are known; memory holds some 4 KB a suite.
///
/// # Errors
/// When `out` or the temporary file cannot be written.
pub fn junit(
    report: &Report<'_>,
    cases: &mut dyn Iterator<Item = EvalCaseResults>,
    out: &mut dyn Write,
) -> io::Result<()> {
    tell_one(report, cases, JunitReport::default(), out)
}

/// `junit.xml` in the making.
#[derive(Default)]
pub(super) struct JunitReport {
    suites: Suites,
}

impl Telling for JunitReport {
    fn take(&mut self, report: &Report<'_>, case: &EvalCaseResults, _out: &mut dyn Write) -> io::Result<()> {
        let scenario = case.attempts.first().and_then(|row| row.scenario.as_deref()).unwrap_or(NO_SCENARIO);
        let spent = case.attempts.iter().filter_map(|row| row.seen.latency_ms).reduce(|a, b| a + b).map(time);
        let (kind, outcome) = outcome(report, case);
        let mut test =
            Element::new("testcase").with("name", &visible(case.id.as_str())).with("classname", &visible(scenario));
        if let Some(spent) = spent {
            test = test.with("time", &seconds(spent));
        }
        self.suites.suite(scenario).add(kind, spent.unwrap_or_default());
        self.suites.write(scenario, |text| match outcome {
            None => test.write_empty(TEST, text),
            Some((outcome, said)) => {
                test.write_start(TEST, text);
                outcome.write_around(&said, TEST + 1, text);
                test.write_end(TEST, text);
            }
        })
    }

    fn end(&mut self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut text = element::declaration();
        let whole = self.suites.total();
        let mut root = Element::new("testsuites")
            .with("name", "taketwo")
            .with("tests", &whole.tests.to_string())
            // The schema of Jenkins' xUnit plugin knows the skipped ones on a suite, but refuses them here.
            .with("failures", &whole.failures.to_string())
            .with("errors", &whole.errors.to_string());
        if let Some(ms) = report.wall_ms {
            root = root.with("time", &seconds(time(ms)));
        }
        root.write_start(0, &mut text);
        let mut properties = Some(properties(report));
        self.suites.each(|scenario, counts, tests| {
            let suite = Element::new("testsuite")
                .with("name", &visible(scenario))
                .with("tests", &counts.tests.to_string())
                .with("skipped", &counts.skipped.to_string())
                .with("errors", &counts.errors.to_string())
                .with("failures", &counts.failures.to_string())
                .with("time", &seconds(counts.time));
            suite.write_start(SUITE, &mut text);
            // What was run stands in the first suite.
            text.extend(properties.take().unwrap_or_default());
            out.write_all(&text)?;
            tests.copy_to(out)?;
            text.clear();
            suite.write_end(SUITE, &mut text);
            Ok(())
        })?;
        root.write_end(0, &mut text);
        text.push(b'\n');
        out.write_all(&text)
    }
}

/// How deep a suite and a test stand.
const SUITE: usize = 1;
const TEST: usize = 2;

/// What was run, for the reader of the file.
fn properties(report: &Report<'_>) -> Vec<u8> {
    let manifest = report.manifest;
    let (list, mut text) = (Element::new("properties"), Vec::new());
    list.write_start(SUITE + 1, &mut text);
    for (name, value) in [
        ("verdict", report.headline()),
        ("run", manifest.id.to_string()),
        ("target", visible(&manifest.target.name).into_owned()),
        ("recordings", manifest.recordings_hash.clone()),
        ("policy", manifest.policy_hash.clone()),
    ] {
        let property = Element::new("property").with("name", name).with("value", &visible(&value));
        property.write_empty(SUITE + 2, &mut text);
    }
    list.write_end(SUITE + 1, &mut text);
    text
}

fn time(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default()
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// A finding is a failure; a target that failed is an error; what has no verdict was skipped, and says why.
fn outcome(report: &Report<'_>, case: &EvalCaseResults) -> (TestKind, Option<(Element, String)>) {
    let telling = case.telling_attempt();
    let failed = telling.is_some_and(|row| row.failure.is_some());
    let (kind, element, word) = match case.verdict {
        CaseVerdict::Passed => return (TestKind::Passed, None),
        CaseVerdict::Failed => (TestKind::Failed, "failure", "failed"),
        CaseVerdict::Varied => (TestKind::Failed, "failure", "varied"),
        CaseVerdict::NoResult if failed => (TestKind::Broke, "error", "target"),
        CaseVerdict::Undecided => (TestKind::Skipped, "skipped", "undecided"),
        CaseVerdict::NoResult => (TestKind::Skipped, "skipped", "no result"),
    };
    let reason = telling.map(reason).unwrap_or_default();
    let message = if reason.is_empty() { words::case_verdict(case) } else { reason };
    let mut paper = Paper::in_one_column(120);
    case::write(&mut paper, report, case, Detail::Finding);
    let text = format!("\n{}", anstream::adapter::strip_str(&paper.into_text()));
    let message = visible(&message);
    let element = Element::new(element).with("message", &super::visible::cut(&message, MESSAGE)).with("type", word);
    (kind, Some((element, text)))
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
