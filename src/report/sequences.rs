//! Sequences of tools in words.

use super::visible::{cut, visible};
use crate::verdict::{Came, Extent, SequenceChange};

/// How many tools of a sequence are named.
const TOOLS: usize = 8;

/// A sequence, as `get_order > refund`.
pub(super) fn sequence(change: &SequenceChange) -> String {
    let named: Vec<String> =
        change.tools.iter().take(TOOLS).map(|tool| visible(&cut(tool.as_str(), 60)).into_owned()).collect();
    let more = change.tools.len().saturating_sub(TOOLS);
    let more = if more > 0 { format!(" > {more} more") } else { String::new() };
    let tools = format!("{}{more}", named.join(" > "));
    match (change.extent, change.tools.len()) {
        (Extent::Part, _) => tools,
        (Extent::Whole, 0) => "no call at all".to_owned(),
        (Extent::Whole, _) => format!("only {tools}"),
    }
}

/// The mark of a side, as in a diff.
pub(super) fn mark(came: Came) -> char {
    match came {
        Came::Appeared => '+',
        Came::Vanished => '-',
    }
}
