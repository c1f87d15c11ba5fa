//! Sequences of tools in words.

use super::visible::{cut, visible};
use crate::verdict::{Came, Extent, SequenceChange};

/// How many stretches of a sequence are named.
const STRETCHES: usize = 8;

/// A sequence, as `get_order > refund`.
pub(super) fn sequence(change: &SequenceChange) -> String {
    let mut named = Vec::new();
    let mut calls = 0;
    for stretch in change.tools.chunk_by(|a, b| a == b).take(STRETCHES) {
        calls += stretch.len();
        let name = visible(&cut(stretch[0].as_str(), 60)).into_owned();
        // A tool that is called over and over is named once.
        match stretch.len() {
            times @ ..3 => named.extend(std::iter::repeat_n(name, times)),
            times => named.push(format!("{name} x {times}")),
        }
    }
    let more = change.tools.len() - calls;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::ToolName;

    #[test]
    fn a_sequence_is_told_in_few_words() {
        let told = |extent, tools: &[&str]| {
            let tools = tools.iter().map(|tool| ToolName::new(*tool)).collect();
            let example = String::new();
            sequence(&SequenceChange { change: Came::Appeared, tools, extent, cases: 1, traffic: 1.0, example })
        };
        assert_eq!(told(Extent::Part, &["get", "put"]), "get > put");
        assert_eq!(told(Extent::Whole, &["get"]), "only get");
        assert_eq!(told(Extent::Whole, &[]), "no call at all");
        assert_eq!(told(Extent::Whole, &["a", "b", "b", "c", "c", "c"]), "only a > b > b > c x 3");
        let long: Vec<&str> = ["a", "b"].repeat(10);
        assert_eq!(told(Extent::Whole, &long), "only a > b > a > b > a > b > a > b > 12 more");
    }
}
