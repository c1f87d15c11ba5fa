//! The sentences that all reports share.

use rust_decimal::Decimal;

use super::visible::visible;
use crate::compare::{Hint, around_difference, beginning};
use crate::verdict::grouped_digits;
use crate::verdict::{CallDifference, CaseVerdict, DifferenceKind, EvalCaseResults, Summary, Usage};
pub(super) use crate::verdict::{counted, grouped};

/// An amount: whole thousands with commas, at most six places.
pub(super) fn amount(value: Decimal) -> String {
    let text = value.round_dp(6).normalize().to_string();
    let (whole, part) = text.split_once('.').map_or((text.as_str(), None), |(whole, part)| (whole, Some(part)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    match part {
        Some(part) => format!("{sign}{}.{part}", grouped_digits(digits)),
        None => format!("{sign}{}", grouped_digits(digits)),
    }
}

/// A share of a whole in percent, never rounded to all or nothing when it is neither.
pub(super) fn percent(part: f64, whole: f64) -> String {
    if whole <= 0.0 {
        return "0 %".to_owned();
    }
    let share = part / whole * 100.0;
    match share {
        0.0 | 100.0 => format!("{share:.0} %"),
        share if share < 0.1 => "under 0.1 %".to_owned(),
        share if share > 99.9 && share < 100.0 => "over 99.9 %".to_owned(),
        share => format!("{share:.1} %"),
    }
}

/// A weight of traffic: whole where it is whole.
pub(super) fn traffic(weight: f64) -> String {
    Decimal::try_from(weight).map_or_else(|_| weight.to_string(), amount)
}

/// What a share of the traffic is a share of, where cases do not all stand for one interaction.
pub(super) fn weighed(summary: &Summary) -> Option<String> {
    let is_plain = (summary.traffic - summary.cases as f64).abs() < 1e-9;
    let stand = if summary.cases == 1 { "stands" } else { "stand" };
    let (cases, all) = (counted(summary.cases, "case"), traffic(summary.traffic));
    (!is_plain).then(|| format!("traffic: {cases} {stand} for {all} interactions (`weight`)"))
}

/// A time in the unit that a person would use.
pub(super) fn duration(ms: f64) -> String {
    let seconds = ms / 1000.0;
    if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
        if hours > 0 { format!("{hours} h {minutes:02} min") } else { format!("{minutes} min {seconds:02} s") }
    }
}

/// What a case came to, with its attempts where there are several.
pub(super) fn case_verdict(case: &EvalCaseResults) -> String {
    let made = case.attempts.len();
    if made <= 1 {
        return case.verdict.as_str().to_owned();
    }
    use crate::verdict::AttemptVerdict::{Failed, Passed};
    let count = |verdict| case.attempts.iter().filter(|row| row.verdict == verdict).count();
    let (passed, failed) = (count(Passed), count(Failed));
    match case.verdict {
        CaseVerdict::Passed if passed == made => format!("passed in all {made} attempts"),
        CaseVerdict::Passed => format!("passed in {passed} of {made} attempts"),
        CaseVerdict::Failed => format!("failed in {failed} of {made} attempts"),
        CaseVerdict::Varied => format!("varied: failed in {failed} of {made} attempts"),
        CaseVerdict::Undecided | CaseVerdict::NoResult => format!("{} in {made} attempts", case.verdict.as_str()),
    }
}

/// A difference in a sentence: what, where, expected, seen, hint.
pub(super) fn difference(difference: &CallDifference) -> String {
    let call = difference.seen_call.or(difference.recorded_call);
    difference_at(difference, call.as_slice())
}

/// The same of several calls, by their places.
pub(super) fn difference_at(difference: &CallDifference, calls: &[usize]) -> String {
    let tool = visible(&difference.tool);
    let recorded = difference.recorded_call;
    let was = at_calls("recorded call", if difference.seen_call.is_none() { calls } else { recorded.as_slice() });
    let is = at_calls("call", if difference.seen_call.is_some() { calls } else { &[] });
    let mut text = match difference.kind {
        DifferenceKind::Missing => format!("{tool} was not called{was}"),
        DifferenceKind::FewerTimes => format!("{tool} was called fewer times than recorded{was}"),
        DifferenceKind::RetryDropped => format!("{tool} was not retried as it was recorded{was}"),
        DifferenceKind::Extra => format!("{tool} was called, and this call was not recorded{is}"),
        DifferenceKind::Repeated => format!("{tool} was called more often than recorded{is}"),
        DifferenceKind::Retried => format!("{tool} was called again after it failed, which was not recorded{is}"),
        DifferenceKind::Looped => format!("{tool} was called over and over{is}"),
        DifferenceKind::OtherAgent => match (&difference.expected, &difference.seen) {
            (Some(was), Some(is)) => format!("{tool} was called by the agent {}, not by {}", visible(is), visible(was)),
            _ => format!("{tool} was called by another agent"),
        },
        DifferenceKind::UndeclaredTool => format!("{tool} was called, which the tool definitions do not name{is}"),
        DifferenceKind::InvalidArgument => format!("{}{is}", argument(difference)),
        DifferenceKind::UnknownTool => format!("{tool} was called, which this case's recording does not use{is}"),
        DifferenceKind::Renamed => match &difference.seen {
            Some(seen) => format!("{tool} was not called, {} was with like arguments{is}", visible(seen)),
            None => format!("{tool} was not called, another tool was with like arguments{is}"),
        },
        DifferenceKind::Moved => match (difference.recorded_call, difference.seen_call) {
            (Some(was), Some(is)) => format!("{tool} moved from place {was} to place {is}"),
            _ => format!("{tool} moved"),
        },
        _ => argument(difference),
    };
    text.push_str(&asides(difference));
    text
}

/// How many places of calls are named.
const PLACES: usize = 4;

/// Where calls stand, as ` (call 3)` or ` (calls 3 to 6)`.
fn at_calls(what: &str, calls: &[usize]) -> String {
    let named = |calls: &[usize]| calls.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match calls {
        [] => String::new(),
        [only] => format!(" ({what} {only})"),
        [first, .., last] if last - first == calls.len() - 1 && calls.len() > 2 => {
            format!(" ({what}s {first} to {last})")
        }
        [start @ .., last] if calls.len() <= PLACES => format!(" ({what}s {} and {last})", named(start)),
        _ => format!(" ({what}s {} and {} more)", named(&calls[..PLACES - 1]), calls.len() + 1 - PLACES),
    }
}

/// What is to say of a difference beside what it is: hint, rule, and whether a run is held to it.
pub(super) fn asides(difference: &CallDifference) -> String {
    let mut text = String::new();
    if let Some(hint) = &difference.hint {
        text.push_str(&format!(" ({})", visible(hint)));
    }
    if let Some(rule) = &difference.rule {
        text.push_str(&format!(" [rule: {}]", visible(rule)));
    }
    if !difference.gated {
        text.push_str(" [not gated]");
    }
    text
}

/// Where an argument differs, as `refund $.amount`.
pub(super) fn place(difference: &CallDifference) -> String {
    format!("{} {}", visible(&difference.tool), visible(difference.path.as_deref().unwrap_or("$")))
}

/// Whether the values look like ids or times that are made anew in each run.
pub(super) fn looks_generated(difference: &CallDifference) -> bool {
    let hints = [Hint::Volatile, Hint::Time].map(Hint::as_str);
    difference.hint.as_deref().is_some_and(|hint| hints.contains(&hint))
}

/// How many characters of a value stand in a sentence.
const IN_SENTENCE: usize = 120;

fn argument(difference: &CallDifference) -> String {
    let place = place(difference);
    let sides = match (&difference.expected, &difference.seen) {
        (Some(expected), Some(seen)) => {
            let (expected, seen) = around_difference(expected, seen, IN_SENTENCE);
            (Some(expected), Some(seen))
        }
        (expected, seen) => {
            let short = |text: &Option<String>| text.as_ref().map(|text| beginning(text, IN_SENTENCE));
            (short(expected), short(seen))
        }
    };
    let (expected, seen) = (sides.0.as_deref().map(visible), sides.1.as_deref().map(visible));
    match (expected, seen) {
        (Some(expected), Some(seen)) => {
            let kind = match difference.kind {
                DifferenceKind::TypeChanged => ", another type",
                DifferenceKind::InvalidArgument => ", not as declared",
                DifferenceKind::BrokenArguments => ", broken JSON",
                DifferenceKind::CutOffArguments => ", cut off",
                DifferenceKind::DoubleEncodedArguments => ", encoded twice",
                _ => "",
            };
            format!("{place}: expected {expected}, seen {seen}{kind}")
        }
        (Some(expected), None) => format!("{place}: expected {expected}, not there"),
        (None, Some(seen)) => format!("{place}: {seen} was added"),
        (None, None) => format!("{place}: {}", difference.kind.as_str()),
    }
}

/// What an attempt spent, in a line: recorded -> seen.
pub(super) fn usage(recorded: &Usage, seen: &Usage) -> String {
    let counts = [
        ("tool calls", recorded.tool_calls, seen.tool_calls),
        ("model calls", recorded.model_calls, seen.model_calls),
        ("tokens", recorded.tokens, seen.tokens),
    ];
    let shown = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), grouped);
    let mut parts: Vec<String> = counts
        .into_iter()
        .filter(|(_, recorded, seen)| recorded.is_some() || seen.is_some())
        .map(|(name, recorded, seen)| format!("{name} {} -> {}", shown(recorded), shown(seen)))
        .collect();
    if recorded.latency_ms.is_some() || seen.latency_ms.is_some() {
        let shown = |time: Option<f64>| time.map_or_else(|| "?".to_owned(), duration);
        parts.push(format!("latency {} -> {}", shown(recorded.latency_ms), shown(seen.latency_ms)));
    }
    if recorded.cost.is_some() || seen.cost.is_some() {
        let shown = |usage: &Usage| {
            let currency = usage.currency.as_deref().map(|currency| format!(" {}", visible(currency)));
            usage.cost.map_or_else(|| "?".to_owned(), |cost| amount(cost) + &currency.unwrap_or_default())
        };
        parts.push(format!("cost {} -> {}", shown(recorded), shown(seen)));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(grouped(0_u64), "0");
        assert_eq!(grouped(1_234_567_u64), "1,234,567");
        assert_eq!(amount("-1234.5000".parse().unwrap()), "-1,234.5");
        assert_eq!(counted(1, "case"), "1 case");
        assert_eq!([traffic(1370.0), traffic(0.1 + 0.2), traffic(f64::INFINITY)], ["1,370", "0.3", "inf"]);
        assert_eq!(duration(12.4), "12 ms");
        assert_eq!(duration(90_000.0), "1 min 30 s");
        assert_eq!(duration(7_260_000.0), "2 h 01 min");
    }

    #[test]
    fn places_of_calls_are_told_in_few_words() {
        let told = |calls: &[usize]| at_calls("call", calls);
        assert_eq!([told(&[]), told(&[3])], ["", " (call 3)"]);
        assert_eq!([told(&[3, 4]), told(&[3, 4, 5])], [" (calls 3 and 4)", " (calls 3 to 5)"]);
        assert_eq!(told(&[1, 3, 5, 7]), " (calls 1, 3, 5 and 7)");
        assert_eq!(told(&[1, 3, 5, 7, 9, 10]), " (calls 1, 3, 5 and 3 more)");
    }

    #[test]
    fn a_share_is_never_rounded_to_all_or_nothing() {
        assert_eq!(percent(0.0, 10.0), "0 %");
        assert_eq!(percent(1.0, 1e6), "under 0.1 %");
        assert_eq!(percent(999_999.0, 1e6), "over 99.9 %");
        assert_eq!(percent(10.0, 10.0), "100 %");
        assert_eq!(percent(1.0, 3.0), "33.3 %");
    }
}
