//! The first line of every report.

use super::words::{counted, grouped};
use super::{Report, Verdict};
use crate::case::RECORDED_CHECKS;
use crate::verdict::{GateState, RunState};

pub(super) fn headline(report: &Report<'_>) -> String {
    let verdict = report.verdict();
    format!("{}: {}", verdict.as_str(), sentence(report, verdict))
}

fn sentence(report: &Report<'_>, verdict: Verdict) -> String {
    let summary = report.summary;
    let findings = summary.failed + summary.varied;
    let ran = format!("{} of {} were run", grouped(summary.cases), counted(report.manifest.facts.cases, "case"));
    match verdict {
        Verdict::Failed if findings > 0 => {
            let all = counted(summary.cases, "case");
            let did = if all_by_recording(report) { differ(findings) } else { "failed" };
            format!("{} of {all} {did}{}", grouped(findings), so_far(report, &ran))
        }
        Verdict::Failed => format!("{}{}", gates(report, GateState::Failed), so_far(report, &ran)),
        Verdict::Cancelled => format!("{ran}, none of them failed"),
        Verdict::NotProven => not_proven(report, &ran),
        Verdict::Passed if summary.passed == summary.cases && all_by_recording(report) => match summary.cases {
            1 if summary.passed_by_variant == 1 => "the one case did what a variant accepts".to_owned(),
            1 => "the one case did what production did".to_owned(),
            all if summary.passed_by_variant > 0 => {
                let by_variant = grouped(summary.passed_by_variant);
                format!("all {} did what is accepted, {by_variant} by a variant", counted(all, "case"))
            }
            all => format!("all {} did what production did", counted(all, "case")),
        },
        Verdict::Passed => {
            format!("{} of {} passed, and every gate holds", grouped(summary.passed), counted(summary.cases, "case"))
        }
    }
}

fn differ(findings: u64) -> &'static str {
    if findings == 1 { "differs from what production did" } else { "differ from what production did" }
}

/// Whether all that was checked is what the recording holds a run to.
fn all_by_recording(report: &Report<'_>) -> bool {
    let of_harness = ["target", "setup", "fidelity", "evidence", "reply-as-recorded"];
    let mut labels = report.summary.labels.keys().map(String::as_str);
    labels.all(|label| RECORDED_CHECKS.contains(&label) || of_harness.contains(&label))
}

fn so_far(report: &Report<'_>, ran: &str) -> String {
    match report.manifest.facts.state {
        RunState::Finished => String::new(),
        RunState::Cancelled => format!(" (cancelled: {ran})"),
        RunState::Unfinished => format!(" (not finished: {ran})"),
    }
}

fn gates(report: &Report<'_>, state: GateState) -> String {
    let mut named = report.gates.iter().filter(|gate| gate.state == state);
    match named.next() {
        Some(gate) => format!("{}: {}", gate.gate, gate.detail),
        None => "no gate holds".to_owned(),
    }
}

fn not_proven(report: &Report<'_>, ran: &str) -> String {
    let (summary, facts) = (report.summary, &report.manifest.facts);
    let open = summary.undecided + summary.no_result;
    let findings = summary.failed + summary.varied;
    let nothing = if findings == 0 { "nothing failed, but " } else { "" };
    if summary.cases == 0 && facts.cases == 0 {
        return "no case was run".to_owned();
    }
    if facts.state == RunState::Unfinished {
        return format!("{nothing}the run is not finished: {ran}");
    }
    if open > 0 {
        let have = if open == 1 { "has" } else { "have" };
        return format!("{nothing}{} of {} {have} no verdict", grouped(open), counted(summary.cases, "case"));
    }
    format!("{nothing}{}", gates(report, GateState::NotProven))
}
