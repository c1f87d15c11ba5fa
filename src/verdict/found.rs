//! What an attempt adds to the groups of differences.

use serde::{Deserialize, Serialize};

use super::calls::{DifferenceKind, is_about_calls};
use super::row::AttemptRow;
use crate::evaluate::EvaluationOutcome;

/// What differences are grouped by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GroupKey {
    /// The tool, or the label of the check where it is not about a tool.
    pub subject: String,
    /// The path into the arguments, with `[*]` for places in lists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// The kind of difference, in words.
    pub kind: String,
    /// The rule that it was held to; none where values are compared exactly.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<String>,
}

/// One difference, ready for its group.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) key: GroupKey,
    /// Whether the run is held to it.
    pub(super) gated: bool,
    /// What was recorded, and what was seen.
    pub(super) detail: Option<String>,
}

/// What differs in an attempt: its calls, and the checks that failed for other reasons.
pub(super) fn found_in(row: &AttemptRow) -> Vec<Found> {
    let mut found = Vec::new();
    for difference in &row.differences {
        let detail = match (&difference.expected, &difference.seen) {
            (Some(expected), Some(seen)) => Some(format!("{expected} -> {seen}")),
            (Some(only), None) | (None, Some(only)) => Some(only.clone()),
            (None, None) => None,
        };
        let kind = match (difference.kind, &difference.seen) {
            (DifferenceKind::Renamed, Some(seen)) => format!("renamed to {seen}"),
            (kind, _) => kind.as_str().to_owned(),
        };
        let key = GroupKey {
            subject: difference.tool.clone(),
            path: difference.general_path.clone(),
            kind,
            rule: difference.rule.clone(),
        };
        found.push(Found { key, gated: difference.gated, detail });
    }
    for result in row.results.iter().filter(|result| result.outcome == EvaluationOutcome::Failed) {
        let explained = is_about_calls(result.label.as_str()) && !row.differences.is_empty();
        if !explained {
            let detail = Some(result.detail.clone()).filter(|detail| !detail.is_empty());
            let (subject, kind) = (result.label.to_string(), "failed".to_owned());
            found.push(Found { key: GroupKey { subject, path: None, kind, rule: None }, gated: true, detail });
        }
    }
    found
}
