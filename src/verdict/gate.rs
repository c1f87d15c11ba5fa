//! Whether a run may pass.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::case_results::CaseVerdict;
use super::summary::{Facts, RunState, Summary};
use crate::recording::{CaseId, counted};

/// One condition on a run. Several are joined by and.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Gate {
    /// Every case passes. The default.
    AllCasesPass,
    /// At least this share of cases passes, from 0 to 1.
    PassRate(f64),
    /// At least this share of one evaluator's decided results passes.
    LabelPassRate(String, f64),
    /// No attempt ends with a failure of the target or its setup.
    TargetDoesNotFail,
    /// No case fails that did not fail in a baseline run.
    NoNewFailures {
        /// The baseline's name.
        baseline: String,
        /// Its cases that did not pass.
        known: BTreeMap<CaseId, CaseVerdict>,
    },
    /// At most this share of traffic is in failed or varied cases.
    TrafficChanged(f64),
    /// The tokens of all cases together are at most this factor of the recorded ones.
    TokenGrowth(f64),
    /// The cost of all cases together is at most this factor of the recorded one.
    CostGrowth(f64),
}

/// Why a text is no gate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no gate: {problem}")]
pub struct GateError {
    text: String,
    problem: String,
}

/// The forms of a gate, for help texts.
pub const FORMS: &str = "all-cases-pass, pass-rate=R, LABEL-pass-rate=R, target-does-not-fail, no-new-failures=RUN, \
     traffic-changed=R, token-growth=F, cost-growth=F";

impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        let wrong = |problem: String| GateError { text: text.to_owned(), problem };
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let number = |most: f64| {
            let value = value.ok_or_else(|| wrong(format!("write {name}=VALUE")))?;
            let (digits, scale) = value.strip_suffix('%').map_or((value, 1.0), |percent| (percent, 100.0));
            let number = digits.trim().parse::<f64>().map_err(|_| wrong(format!("{value:?} is no number")))? / scale;
            if (0.0..=most).contains(&number) {
                Ok(number)
            } else {
                let meant =
                    if number > 1.0 && most <= 1.0 { format!("; write {value}% for a share") } else { String::new() };
                Err(wrong(format!("the value lies between 0 and {most}{meant}")))
            }
        };
        match (name, value) {
            ("all-cases-pass", None) => Ok(Gate::AllCasesPass),
            ("target-does-not-fail", None) => Ok(Gate::TargetDoesNotFail),
            ("pass-rate", _) => number(1.0).map(Gate::PassRate),
            ("traffic-changed", _) => number(1.0).map(Gate::TrafficChanged),
            ("token-growth", _) => number(1e6).map(Gate::TokenGrowth),
            ("cost-growth", _) => number(1e6).map(Gate::CostGrowth),
            ("no-new-failures", Some(run)) if !run.is_empty() => {
                Ok(Gate::NoNewFailures { baseline: run.to_owned(), known: BTreeMap::new() })
            }
            (name, _) => match name.strip_suffix("-pass-rate") {
                Some(label) if !label.is_empty() => Ok(Gate::LabelPassRate(label.to_owned(), number(1.0)?)),
                _ => Err(wrong(format!("the gates are {FORMS}"))),
            },
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gate::AllCasesPass => f.write_str("all-cases-pass"),
            Gate::PassRate(rate) => write!(f, "pass-rate={rate}"),
            Gate::LabelPassRate(label, rate) => write!(f, "{label}-pass-rate={rate}"),
            Gate::TargetDoesNotFail => f.write_str("target-does-not-fail"),
            Gate::NoNewFailures { baseline, .. } => write!(f, "no-new-failures={baseline}"),
            Gate::TrafficChanged(share) => write!(f, "traffic-changed={share}"),
            Gate::TokenGrowth(factor) => write!(f, "token-growth={factor}"),
            Gate::CostGrowth(factor) => write!(f, "cost-growth={factor}"),
        }
    }
}

/// How a gate or a run fell out. The worse comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateState {
    /// It holds.
    Passed,
    /// There is no finding, but it is not proven either.
    NotProven,
    /// It failed by a finding.
    Failed,
}

/// One gate's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateResult {
    /// The gate, as it is written on the command line.
    pub gate: String,
    /// How it fell out.
    pub state: GateState,
    /// Why, in a sentence.
    pub detail: String,
}

impl Gate {
    /// Judges a run.
    #[must_use]
    pub fn judge(&self, summary: &Summary) -> GateResult {
        let (state, detail) = match self {
            Gate::AllCasesPass => all_cases_pass(summary),
            Gate::PassRate(rate) => pass_rate(summary, *rate),
            Gate::LabelPassRate(label, rate) => label_pass_rate(summary, label, *rate),
            Gate::TargetDoesNotFail => match summary.target_failures {
                0 => (GateState::Passed, "no attempt failed".to_owned()),
                failures => (GateState::Failed, format!("{} failed", counted(failures, "attempt"))),
            },
            Gate::NoNewFailures { known, .. } => no_new_failures(summary, known),
            Gate::TrafficChanged(most) => {
                let share = summary.traffic_changed / summary.traffic;
                if share.is_finite() && summary.traffic.is_finite() {
                    at_most(share, *most, "of the traffic changed", 100.0, " %")
                } else {
                    (GateState::NotProven, "the cases stand for no traffic that could be divided".to_owned())
                }
            }
            Gate::TokenGrowth(most) => {
                growth(summary.tokens.factor(), *most, "tokens", summary.tokens.known < summary.tokens.of)
            }
            Gate::CostGrowth(most) => {
                growth(summary.cost.factor(), *most, "cost", summary.cost.known < summary.cost.of)
            }
        };
        let none_ran = summary.cases == 0;
        let (state, detail) = if none_ran { (GateState::NotProven, "no case ran".to_owned()) } else { (state, detail) };
        GateResult { gate: self.to_string(), state, detail }
    }

    /// Judges a run by all gates, and by what no gate may pass over: a run that is not finished or not to be
    /// trusted is not proven. A finding outranks the rest.
    #[must_use]
    pub fn judge_all(gates: &[Gate], summary: &Summary, facts: &Facts) -> (GateState, Vec<GateResult>) {
        let mut results: Vec<GateResult> = gates.iter().map(|gate| gate.judge(summary)).collect();
        let mut unproven = |what: &str, detail: String| {
            results.push(GateResult { gate: what.to_owned(), state: GateState::NotProven, detail });
        };
        if facts.state != RunState::Finished {
            unproven("finished", format!("{} of {} were run", summary.cases, counted(facts.cases, "case")));
        }
        if facts.without_case > 0 {
            unproven(
                "counterparts",
                format!("{} of the second recording without a case", counted(facts.without_case, "interaction")),
            );
        }
        let trust = summary.trust(facts);
        if !trust.trustworthy {
            unproven("trustworthy", trust.reasons.join("; "));
        }
        let state = results.iter().map(|result| result.state).max().unwrap_or(GateState::NotProven);
        (state, results)
    }
}

fn all_cases_pass(summary: &Summary) -> (GateState, String) {
    let (findings, open) = (summary.failed + summary.varied, summary.undecided + summary.no_result);
    if findings > 0 {
        return (GateState::Failed, format!("{findings} of {} failed", counted(summary.cases, "case")));
    }
    if open > 0 {
        return (GateState::NotProven, format!("{open} of {} without a verdict", counted(summary.cases, "case")));
    }
    (GateState::Passed, format!("all {} passed", counted(summary.cases, "case")))
}

fn pass_rate(summary: &Summary, least: f64) -> (GateState, String) {
    let all = summary.cases.max(1) as f64;
    let rate = summary.passed as f64 / all;
    let best = (summary.passed + summary.undecided + summary.no_result) as f64 / all;
    let detail = format!(
        "{} of {} passed, at least {:.1} % must",
        summary.passed,
        counted(summary.cases, "case"),
        least * 100.0
    );
    let state = if rate >= least {
        GateState::Passed
    } else if best >= least {
        GateState::NotProven
    } else {
        GateState::Failed
    };
    (state, detail)
}

fn label_pass_rate(summary: &Summary, label: &str, least: f64) -> (GateState, String) {
    let (passed, failed) = summary.labels.get(label).map_or((0, 0), |count| (count.passed, count.failed));
    if passed + failed == 0 {
        return (GateState::NotProven, format!("{label} judged no attempt, so its rate cannot be read"));
    }
    let rate = passed as f64 / (passed + failed) as f64;
    let state = if rate >= least { GateState::Passed } else { GateState::Failed };
    (state, format!("{label} passed {passed} of {}, at least {:.1} % must", passed + failed, least * 100.0))
}

/// A case that was read in the baseline and not judged is no excuse for a failure now; it is one for lacking evidence.
fn no_new_failures(summary: &Summary, known: &BTreeMap<CaseId, CaseVerdict>) -> (GateState, String) {
    let (failing, unproven): (Vec<_>, Vec<_>) =
        summary.not_passed.iter().partition(|(_, verdict)| verdict.is_failure());
    let had_failed = |id| known.get(id).is_some_and(|verdict| verdict.is_failure());
    let new: Vec<_> = failing.into_iter().filter(|(id, _)| !had_failed(id)).collect();
    let without: Vec<_> = unproven.into_iter().filter(|(id, _)| !known.contains_key(id)).collect();
    let told = |cases: &[&(CaseId, CaseVerdict)], what: &str| {
        let first = cases.first().map(|(id, _)| id.to_string()).unwrap_or_default();
        format!("{} {what}, first {first}", counted(cases.len() as u64, "case"))
    };
    if !new.is_empty() {
        (GateState::Failed, told(&new, "that did not fail before"))
    } else if !without.is_empty() {
        (GateState::NotProven, told(&without, "without a verdict that passed before or are new"))
    } else {
        (GateState::Passed, "no case fails that did not before".to_owned())
    }
}

fn at_most(value: f64, most: f64, what: &str, scale: f64, unit: &str) -> (GateState, String) {
    let state = if value <= most { GateState::Passed } else { GateState::Failed };
    (state, format!("{:.2}{unit} {what}, at most {:.2}{unit} may", value * scale, most * scale))
}

fn growth(factor: Option<f64>, most: f64, what: &str, is_partial: bool) -> (GateState, String) {
    match factor {
        None => (GateState::NotProven, format!("the {what} of the recording or the run is not known")),
        Some(factor) if factor > most => {
            (GateState::Failed, format!("{what} grew by a factor of {factor:.3}, at most {most} passes"))
        }
        Some(factor) if is_partial => {
            (GateState::NotProven, format!("{what}: factor {factor:.3}, but it is not known for all cases"))
        }
        Some(factor) => (GateState::Passed, format!("{what}: factor {factor:.3}, at most {most} passes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_lacks_its_sign_is_told_of() {
        let refused = "pass-rate=95".parse::<Gate>().unwrap_err();
        assert_eq!(refused.problem, "the value lies between 0 and 1; write 95% for a share");
    }

    #[test]
    fn a_share_of_no_traffic_proves_nothing() {
        for traffic in [0.0, f64::INFINITY] {
            let summary = Summary { cases: 2, failed: 2, traffic, ..Summary::default() };
            assert_eq!(gate("traffic-changed=1", &summary), GateState::NotProven);
        }
    }

    #[test]
    fn a_failure_is_new_unless_the_case_failed_before() {
        use CaseVerdict::{Failed, NoResult, Passed, Undecided, Varied};
        let (passed, failed, open) = (GateState::Passed, GateState::Failed, GateState::NotProven);
        for (before, now, wanted) in [
            (Passed, Passed, passed),
            (Passed, Failed, failed),
            (Passed, Varied, failed),
            (Passed, NoResult, open),
            (Passed, Undecided, open),
            (Failed, Failed, passed),
            (Failed, Varied, passed),
            (Varied, Failed, passed),
            (Failed, NoResult, passed),
            (NoResult, Failed, failed),
            (Undecided, Varied, failed),
            (NoResult, Undecided, passed),
        ] {
            let listed = |verdict| (verdict != Passed).then(|| (CaseId::new("a"), verdict));
            let summary = Summary { cases: 1, not_passed: listed(now).into_iter().collect(), ..Summary::default() };
            let known = listed(before).into_iter().collect();
            let gate = Gate::NoNewFailures { baseline: "last".to_owned(), known };
            assert_eq!(gate.judge(&summary).state, wanted, "{before:?}, then {now:?}");
        }
    }

    fn gate(text: &str, summary: &Summary) -> GateState {
        text.parse::<Gate>().unwrap().judge(summary).state
    }

    #[test]
    fn nothing_is_green_by_accident() {
        for text in ["all-cases-pass", "pass-rate=0", "tools-pass-rate=0", "target-does-not-fail", "traffic-changed=1"]
        {
            assert_eq!(gate(text, &Summary::default()), GateState::NotProven, "{text}");
        }
        let open = Summary { cases: 1, no_result: 1, ..Summary::default() };
        assert_eq!(gate("all-cases-pass", &open), GateState::NotProven);
        assert_eq!(gate("tools-pass-rate=0.5", &open), GateState::NotProven);
    }

    #[test]
    fn a_finding_outranks_the_rest() {
        let summary =
            Summary { cases: 3, failed: 1, no_result: 1, passed: 1, attempts_passed: 3, ..Summary::default() };
        let (state, results) = Gate::judge_all(&[Gate::AllCasesPass], &summary, &Facts::default());
        assert_eq!(state, GateState::Failed);
        assert_eq!(results[1].gate, "finished");
    }

    #[test]
    fn rates_are_inclusive_and_open_cases_may_still_decide() {
        let summary = Summary { cases: 4, passed: 3, no_result: 1, ..Summary::default() };
        assert_eq!(gate("pass-rate=75%", &summary), GateState::Passed);
        assert_eq!(gate("pass-rate=0.9", &summary), GateState::NotProven);
        let summary = Summary { cases: 4, passed: 3, failed: 1, ..Summary::default() };
        assert_eq!(gate("pass-rate=0.9", &summary), GateState::Failed);
    }

    #[test]
    fn a_text_that_is_no_gate_is_refused_with_the_gates() {
        for text in ["pass-rate", "pass-rate=2", "pass-rate=x", "all", "no-new-failures", "-pass-rate=1"] {
            assert!(text.parse::<Gate>().is_err(), "{text}");
        }
        for text in ["pass-rate=0.5", "tools-pass-rate=1", "no-new-failures=last", "all-cases-pass"] {
            assert_eq!(text.parse::<Gate>().unwrap().to_string(), text);
        }
    }
}
