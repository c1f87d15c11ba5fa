//! The differences of an attempt in the order in which they are told: the first, and what came after it.

use std::collections::HashSet;

use super::misses::{misses, rule_option};
use crate::report::visible::visible;
use crate::report::words;
use crate::verdict::{AttemptRow, CallDifference, DifferenceKind};

/// What is said before differences that came after the first.
pub(in crate::report) const AFTER: &str = "after that, and perhaps because of it:";

/// The differences in the order in which they are told.
pub(in crate::report) struct Told<'a> {
    /// Where the first is, where others came after it.
    pub(in crate::report) first: Option<String>,
    /// Those that stand for themselves.
    pub(in crate::report) own: Vec<Finding<'a>>,
    /// Those that came after the first and may follow from it.
    pub(in crate::report) after: Vec<Finding<'a>>,
}

/// A difference, and the calls in which there is the same one.
pub(in crate::report) struct Finding<'a> {
    pub(in crate::report) difference: &'a CallDifference,
    /// The rule with which it would pass, as an option, where nothing else names it.
    pub(in crate::report) rule: Option<String>,
    calls: Vec<usize>,
}

impl<'a> Told<'a> {
    pub(in crate::report) fn of(row: &'a AttemptRow) -> Self {
        let named = misses(row).into_iter().flat_map(|(miss, _)| miss.rules.iter().cloned()).collect();
        let mut told = Self::in_order(&row.differences);
        told.name_rules(named);
        told
    }

    /// The differences in their order, no rules named yet.
    pub(super) fn in_order(differences: &'a [CallDifference]) -> Self {
        let (mut own, mut after): (Vec<Finding<'_>>, Vec<Finding<'_>>) = (Vec::new(), Vec::new());
        for difference in differences.iter().filter(|difference| !difference.downstream) {
            add(&mut own, difference);
        }
        for difference in differences.iter().filter(|difference| difference.downstream) {
            // Of calls made over and over, the second does not follow from the first.
            let again = own.iter_mut().find(|known| is_again(difference.kind) && known.takes(difference));
            match again {
                Some(known) => known.calls.extend(place(difference)),
                None => add(&mut after, difference),
            }
        }
        let first = own.iter().filter_map(|it| Some((earliest(it.difference)?, it.difference)));
        let first = first.min_by_key(|(earliest, _)| *earliest).filter(|_| !after.is_empty());
        Self { first: first.and_then(|(_, first)| named(first)), own, after }
    }

    /// Names the rules with which differences would pass, each once.
    fn name_rules(&mut self, mut named: HashSet<String>) {
        let is_renamed = |finding: &&Finding<'_>| finding.difference.kind == DifferenceKind::Renamed;
        let renamed = self.own.iter().filter(is_renamed).map(|finding| finding.difference.recorded_call);
        // Where another tool was called, no rule for an argument makes up for that.
        let renamed: HashSet<Option<usize>> = renamed.collect();
        for finding in self.own.iter_mut().filter(|it| !renamed.contains(&it.difference.recorded_call)) {
            let rule = finding.difference.remedy.as_ref().filter(|rule| named.insert((*rule).clone()));
            finding.rule = rule.and_then(|rule| rule_option(rule));
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.own.len() + self.after.len()
    }
}

fn add<'a>(findings: &mut Vec<Finding<'a>>, difference: &'a CallDifference) {
    match findings.last_mut().filter(|last| last.takes(difference)) {
        Some(last) => last.calls.extend(place(difference)),
        None => findings.push(Finding { difference, rule: None, calls: place(difference).into_iter().collect() }),
    }
}

impl Finding<'_> {
    /// Whether another difference is the same in another call.
    fn takes(&self, other: &CallDifference) -> bool {
        let this = self.difference;
        if this.path.is_some() || (this.recorded_call.is_some() && this.seen_call.is_some()) {
            return false;
        }
        let (recorded_call, seen_call) =
            (other.recorded_call.and(this.recorded_call), other.seen_call.and(this.seen_call));
        CallDifference { recorded_call, seen_call, downstream: this.downstream, ..other.clone() } == *this
    }

    /// The difference in a sentence.
    pub(in crate::report) fn sentence(&self) -> String {
        words::difference_at(self.difference, &self.calls)
    }
}

/// Whether a kind of difference is a call that was made once more.
fn is_again(kind: DifferenceKind) -> bool {
    matches!(kind, DifferenceKind::Looped | DifferenceKind::Repeated | DifferenceKind::Retried)
}

fn place(difference: &CallDifference) -> Option<usize> {
    difference.seen_call.or(difference.recorded_call)
}

fn earliest(difference: &CallDifference) -> Option<usize> {
    difference.recorded_call.into_iter().chain(difference.seen_call).min()
}

/// Where the calls first differ.
fn named(first: &CallDifference) -> Option<String> {
    let recorded = if first.seen_call.is_none() { "recorded " } else { "" };
    Some(format!("first differs at {recorded}call {} ({})", place(first)?, visible(&first.tool)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(kind: DifferenceKind, recorded_call: Option<usize>, seen_call: Option<usize>) -> CallDifference {
        CallDifference {
            kind,
            tool: "search".into(),
            path: None,
            general_path: None,
            expected: None,
            seen: None,
            hint: None,
            recorded_call,
            seen_call,
            rule: None,
            remedy: None,
            downstream: false,
            gated: true,
        }
    }

    fn after(difference: CallDifference) -> CallDifference {
        CallDifference { downstream: true, ..difference }
    }

    fn shown(differences: &[CallDifference]) -> String {
        let told = Told::in_order(differences);
        let sentences = |findings: &[Finding<'_>]| findings.iter().map(Finding::sentence).collect::<Vec<_>>();
        let after = sentences(&told.after).into_iter().map(|sentence| format!("then {sentence}"));
        told.first.into_iter().chain(sentences(&told.own)).chain(after).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_first_is_named_where_others_came_after_it() {
        use DifferenceKind::{Extra, Missing, Moved};
        let first = difference(Missing, Some(3), None);
        assert_eq!(shown(std::slice::from_ref(&first)), "search was not called (recorded call 3)");
        let later = [after(difference(Moved, Some(5), Some(4))), first, after(difference(Extra, None, Some(9)))];
        insta::assert_snapshot!(shown(&later), @"
        first differs at recorded call 3 (search)
        search was not called (recorded call 3)
        then search moved from place 5 to place 4
        then search was called, and this call was not recorded (call 9)
        ");
    }

    #[test]
    fn calls_with_the_same_difference_are_told_together() {
        use DifferenceKind::{Looped, Missing, UnknownTool};
        let looped = |call| difference(Looped, None, Some(call));
        assert_eq!(
            shown(&[looped(2), after(looped(3)), after(looped(4))]),
            "search was called over and over (calls 2 to 4)"
        );
        let missing = |call| difference(Missing, Some(call), None);
        let other = CallDifference { tool: "note".into(), ..missing(9) };
        let several = [
            missing(2),
            after(missing(4)),
            after(missing(6)),
            after(other),
            after(difference(UnknownTool, None, Some(5))),
        ];
        insta::assert_snapshot!(shown(&several), @"
        first differs at recorded call 2 (search)
        search was not called (recorded call 2)
        then search was not called (recorded calls 4 and 6)
        then note was not called (recorded call 9)
        then search was called, which this case's recording does not use (call 5)
        ");
    }
}
