//! The names of the tools of an attempt, on both sides and in order: enough to tell sequences apart, and no content.

use serde::{Deserialize, Deserializer, Serialize};

use crate::compare::{Alignment, Order};
use crate::evaluate::EvalContext;
use crate::recording::{ToolCall, ToolName};

/// How many names of a side are kept.
const NAMES: usize = 1_000;

/// The tools that were recorded and those that were called, by name.
///
/// Calls that have no order among themselves, as those of one step, stand in the order of the recording on both sides:
/// two lists differ only where the runs do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolNames {
    /// The recorded ones; `None` where they are not known.
    recorded: Option<Vec<ToolName>>,
    /// Those of the run, where they are others than the recorded ones; the inner `None` where they are not known.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "null_is_unknown")]
    seen: Option<Option<Vec<ToolName>>>,
    /// Whether only the first of them are here.
    #[serde(rename = "cut", skip_serializing_if = "std::ops::Not::not", default)]
    is_cut: bool,
}

/// A member that is there counts, whatever it holds.
fn null_is_unknown<'de, D: Deserializer<'de>>(there: D) -> Result<Option<Option<Vec<ToolName>>>, D::Error> {
    Option::deserialize(there).map(Some)
}

impl ToolNames {
    /// The names of both sides; `None` for one that is not known.
    #[must_use]
    pub fn new(recorded: Option<Vec<ToolName>>, seen: Option<Vec<ToolName>>) -> Self {
        let is_long = |names: &Option<Vec<ToolName>>| names.as_ref().is_some_and(|names| names.len() > NAMES);
        let is_cut = is_long(&recorded) || is_long(&seen);
        let cut = |names: Option<Vec<ToolName>>| {
            names.map(|mut names| {
                names.truncate(NAMES);
                names
            })
        };
        let (recorded, seen) = (cut(recorded), cut(seen));
        let seen = (seen != recorded).then_some(seen);
        Self { recorded, seen, is_cut }
    }

    /// The names of an attempt.
    pub(super) fn of(context: &EvalContext<'_>) -> Self {
        let names = |calls: &[ToolCall]| calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
        let recorded = context.recorded().tool_calls.as_deref().map(names);
        let seen = context.calls().map(|calls| match context.alignment() {
            Some(alignment) => in_recorded_order(alignment, calls.len()).map(|at| calls[at].name.clone()).collect(),
            None => names(calls),
        });
        Self::new(recorded, seen)
    }

    /// The recorded ones; `None` where they are not known.
    #[must_use]
    pub fn recorded(&self) -> Option<&[ToolName]> {
        self.recorded.as_deref()
    }

    /// Those of the run; `None` where they are not known.
    #[must_use]
    pub fn seen(&self) -> Option<&[ToolName]> {
        self.seen.as_ref().unwrap_or(&self.recorded).as_deref()
    }

    /// Whether only the first of them are here.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether neither side is known.
    pub(super) fn are_unknown(&self) -> bool {
        self.recorded().is_none() && self.seen().is_none()
    }
}

/// The places of the run's calls, those that kept their order in the order of the recording. The others stay where they
/// are.
fn in_recorded_order(alignment: &Alignment, calls: usize) -> impl Iterator<Item = usize> {
    // Pairs come in the order of the recording.
    let kept = || alignment.pairs.iter().filter(|pair| pair.order == Order::Kept).map(|pair| pair.seen);
    let mut places: Vec<usize> = kept().collect();
    places.sort_unstable();
    let mut order: Vec<usize> = (0..calls).collect();
    for (place, call) in places.into_iter().zip(kept()) {
        order[place] = call;
    }
    order.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Matching, Policy, align, prepare};

    fn names(names: &[&str]) -> Vec<ToolName> {
        names.iter().map(|name| ToolName::new(*name)).collect()
    }

    fn written(names: &ToolNames) -> String {
        serde_json::to_string(names).unwrap()
    }

    #[test]
    fn each_side_is_written_once_and_what_is_unknown_is_null() {
        let of =
            |recorded: Option<&[&str]>, seen: Option<&[&str]>| ToolNames::new(recorded.map(names), seen.map(names));
        let (ab, ac): (&[&str], &[&str]) = (&["a", "b"], &["a", "c"]);
        for (pair, text) in [
            (of(Some(ab), Some(ab)), r#"{"recorded":["a","b"]}"#),
            (of(Some(ab), Some(ac)), r#"{"recorded":["a","b"],"seen":["a","c"]}"#),
            (of(Some(ab), None), r#"{"recorded":["a","b"],"seen":null}"#),
            (of(None, Some(ac)), r#"{"recorded":null,"seen":["a","c"]}"#),
            (of(Some(&[]), Some(&[])), r#"{"recorded":[]}"#),
            (of(None, None), r#"{"recorded":null}"#),
        ] {
            assert_eq!(written(&pair), text);
            assert_eq!(serde_json::from_str::<ToolNames>(text).unwrap(), pair);
        }
        assert_eq!(of(Some(ab), None).seen(), None);
        assert_eq!(of(Some(ab), Some(ab)).seen(), Some(&names(ab)[..]));
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let long = vec![ToolName::new("a"); NAMES + 1];
        let cut = ToolNames::new(Some(long.clone()), Some(long));
        assert!(cut.is_cut() && cut.recorded().is_some_and(|names| names.len() == NAMES));
        assert!(written(&cut).ends_with(r#""a"],"cut":true}"#));
    }

    #[test]
    fn calls_without_an_order_stand_in_the_recorded_one() {
        let call =
            |(name, step): (&str, i64)| ToolCall { step: Some(step), ..ToolCall::new(ToolName::new(name), None) };
        let order = |recorded: &[(&str, i64)], seen: &[(&str, i64)]| {
            let recorded: Vec<ToolCall> = recorded.iter().copied().map(call).collect();
            let seen: Vec<ToolCall> = seen.iter().copied().map(call).collect();
            let policy = Policy::default();
            let (ours, theirs) = (prepare(&recorded, &policy), prepare(&seen, &policy));
            let alignment = align(&ours, &theirs, Matching::PartialOrder);
            let order = in_recorded_order(&alignment, seen.len());
            order.map(|at| seen[at].name.to_string()).collect::<Vec<_>>().join(" ")
        };
        let recorded = [("a", 1), ("b", 1), ("c", 2), ("d", 3)];
        assert_eq!(order(&recorded, &[("b", 1), ("a", 1), ("c", 2), ("d", 3)]), "a b c d");
        assert_eq!(order(&recorded, &[("b", 1), ("x", 1), ("a", 1), ("c", 2), ("d", 3)]), "a x b c d");
        assert_eq!(order(&recorded, &[("a", 1), ("b", 1), ("d", 2), ("c", 3)]), "a b d c");
    }
}
