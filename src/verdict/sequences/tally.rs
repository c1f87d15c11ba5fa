//! Sequences of tools, counted on both sides in bounded memory.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::told_once::{Changed, told_once};
use super::{BothSides, Came, Counted, Extent, Known, SequenceChange, Sequences};
use crate::recording::ToolName;
use crate::verdict::EvalCaseResults;

/// Calls that stand right after each other are looked at in parts of up to so many.
pub(super) const LONGEST_PART: usize = 3;
/// The most different tools, parts, and whole sequences that are told apart.
const KINDS: usize = 4_000;
/// The most calls that all whole sequences together may have.
const CALLS_OF_WHOLES: usize = 250_000;

/// Counts sequences, attempt by attempt.
#[derive(Debug, Default)]
pub(in crate::verdict) struct SequenceTally {
    numbers: HashMap<ToolName, Number>,
    parts: HashMap<Box<[Number]>, BySide>,
    wholes: HashMap<Box<[Number]>, BySide>,
    calls_of_wholes: usize,
    totals: Sequences,
}

/// A tool by its number, counted from 0.
pub(super) type Number = u32;

/// Stands for all tools that have no number of their own.
const UNNUMBERED: Number = Number::MAX;

/// In what cases a sequence is, on each side.
#[derive(Debug, Default)]
struct BySide {
    before: OnOneSide,
    after: OnOneSide,
}

#[derive(Debug, Default)]
pub(super) struct OnOneSide {
    pub(super) cases: u64,
    traffic: f64,
    last: Option<u64>,
    /// Stands for which cases these are.
    pub(super) fingerprint: u64,
    example: String,
    /// Whether it is also in an attempt that could not be compared: there it is not missing from this side.
    is_elsewhere: bool,
}

impl OnOneSide {
    fn add(&mut self, case: &Counted<'_>) {
        if self.last == Some(case.number) {
            return;
        }
        if self.cases == 0 {
            case.id.clone_into(&mut self.example);
        }
        (self.last, self.cases, self.traffic) = (Some(case.number), self.cases + 1, self.traffic + case.weight);
        let mut hasher = DefaultHasher::new();
        (self.fingerprint, case.number).hash(&mut hasher);
        self.fingerprint = hasher.finish();
    }

    fn is_empty(&self) -> bool {
        self.cases == 0 && !self.is_elsewhere
    }
}

/// The sides that a list of names is counted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    Both,
    Before,
    After,
    /// The other side is not known.
    BeforeAlone,
    AfterAlone,
}

impl Sides {
    fn add(self, found: &mut BySide, case: &Counted<'_>) {
        match self {
            Sides::Both => {
                found.before.add(case);
                found.after.add(case);
            }
            Sides::Before => found.before.add(case),
            Sides::After => found.after.add(case),
            Sides::BeforeAlone => found.before.is_elsewhere = true,
            Sides::AfterAlone => found.after.is_elsewhere = true,
        }
    }
}

impl SequenceTally {
    /// Takes in a case of a run: what was recorded, and what was seen.
    pub(in crate::verdict) fn add_case(&mut self, case: &EvalCaseResults) {
        for row in &case.attempts {
            let counted = Counted { number: case.index, id: case.id.as_str(), weight: row.weight };
            self.add(&counted, BothSides::of(row));
        }
    }

    /// Takes in an attempt at a case.
    pub(in crate::verdict) fn add(&mut self, case: &Counted<'_>, names: BothSides<'_>) {
        let known = names.known;
        self.totals.cut += u64::from(known == Known::Beginning);
        let (Some(before), Some(after)) = (names.before, names.after.filter(|_| known != Known::BrokenOff)) else {
            self.totals.unknown += 1;
            names.before.into_iter().for_each(|before| self.count(case, before, known, Sides::BeforeAlone));
            names.after.into_iter().for_each(|after| self.count(case, after, known, Sides::AfterAlone));
            return;
        };
        self.totals.compared += 1;
        if before == after {
            self.count(case, before, known, Sides::Both);
        } else {
            self.count(case, before, known, Sides::Before);
            self.count(case, after, known, Sides::After);
        }
    }

    fn count(&mut self, case: &Counted<'_>, names: &[ToolName], known: Known, sides: Sides) {
        let numbers: Vec<Number> = names.iter().map(|name| self.number(name)).collect();
        for length in 1..=LONGEST_PART {
            for part in numbers.windows(length) {
                match entry(&mut self.parts, part, KINDS) {
                    Some(found) => sides.add(found, case),
                    None => self.totals.left_out += 1,
                }
            }
        }
        if known == Known::Whole {
            self.count_whole(case, &numbers, sides);
        }
    }

    fn count_whole(&mut self, case: &Counted<'_>, numbers: &[Number], sides: Sides) {
        let has_room = self.calls_of_wholes + numbers.len() <= CALLS_OF_WHOLES;
        let before = self.wholes.len();
        match entry(&mut self.wholes, numbers, if has_room { KINDS } else { 0 }) {
            Some(found) => sides.add(found, case),
            None => self.totals.left_out += 1,
        }
        if self.wholes.len() > before {
            self.calls_of_wholes += numbers.len();
        }
    }

    fn number(&mut self, name: &ToolName) -> Number {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        if self.numbers.len() >= KINDS {
            return UNNUMBERED;
        }
        let number = self.numbers.len() as Number;
        self.numbers.insert(name.clone(), number);
        number
    }

    /// What appeared and what vanished.
    pub(in crate::verdict) fn finish(self) -> Sequences {
        let mut names: Vec<(&ToolName, Number)> = self.numbers.iter().map(|(name, number)| (name, *number)).collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        let parts = self.parts.iter().map(|(tools, by_side)| (Extent::Part, tools, by_side));
        let wholes = self.wholes.iter().map(|(tools, by_side)| (Extent::Whole, tools, by_side));
        let changed = parts.chain(wholes).filter_map(|(extent, tools, by_side)| {
            let (came, side) = by_side.change()?;
            Some(Changed { came, extent, tools, side })
        });
        let (told, explained) = told_once(changed.collect());
        let named = |tools: &[Number]| {
            tools.iter().filter_map(|number| names.get(*number as usize)).map(|name| name.0.clone()).collect()
        };
        let change = |it: Changed<'_>| SequenceChange {
            change: it.came,
            tools: named(it.tools),
            extent: it.extent,
            cases: it.side.cases,
            traffic: it.side.traffic,
            example: it.side.example.clone(),
        };
        let mut changes: Vec<SequenceChange> = told.into_iter().map(change).collect();
        changes.sort_by(|a, b| {
            let by_weight = b.cases.cmp(&a.cases).then(b.traffic.total_cmp(&a.traffic));
            // What changed in the same cases stands together.
            let by_name =
                || (&a.example, a.change, a.extent, &a.tools).cmp(&(&b.example, b.change, b.extent, &b.tools));
            by_weight.then_with(by_name)
        });
        Sequences { explained, changes, ..self.totals }
    }
}

/// The counts of a sequence; `None` where there is no room for another.
fn entry<'a>(all: &'a mut HashMap<Box<[Number]>, BySide>, tools: &[Number], most: usize) -> Option<&'a mut BySide> {
    if tools.contains(&UNNUMBERED) || (all.len() >= most && !all.contains_key(tools)) {
        return None;
    }
    if !all.contains_key(tools) {
        all.insert(tools.into(), BySide::default());
    }
    all.get_mut(tools)
}

impl BySide {
    fn change(&self) -> Option<(Came, &OnOneSide)> {
        if self.after.cases > 0 && self.before.is_empty() {
            Some((Came::Appeared, &self.after))
        } else if self.before.cases > 0 && self.after.is_empty() {
            Some((Came::Vanished, &self.before))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(calls: &str) -> Vec<ToolName> {
        calls.split_whitespace().map(ToolName::new).collect()
    }

    /// What changes where these cases are called on each side; `?` is not known.
    fn found(cases: &[(&str, &str)]) -> Sequences {
        let mut tally = SequenceTally::default();
        for (number, (before, after)) in (0..).zip(cases) {
            let side = |calls: &str| (calls != "?").then(|| names(calls));
            let (before, after, id) = (side(before), side(after), format!("case-{number}"));
            let case = Counted { number, id: &id, weight: 2.0 };
            let sides = BothSides { before: before.as_deref(), after: after.as_deref(), known: Known::Whole };
            tally.add(&case, sides);
        }
        tally.finish()
    }

    fn told(found: &Sequences) -> Vec<String> {
        let told = |change: &SequenceChange| {
            let mark = if change.change == Came::Appeared { '+' } else { '-' };
            let tools: Vec<&str> = change.tools.iter().map(ToolName::as_str).collect();
            let whole = if change.extent == Extent::Whole { " whole" } else { "" };
            format!("{mark} {}{whole} in {} from {}", tools.join(" "), change.cases, change.example)
        };
        found.changes.iter().map(told).collect()
    }

    #[test]
    fn what_is_the_same_on_both_sides_is_no_change() {
        let same = found(&[("a b c", "a b c"), ("", ""), ("a", "a")]);
        assert_eq!((told(&same), same.compared, same.explained), (vec![], 3, 0));
        // Each side has what the other has, only elsewhere.
        assert_eq!(told(&found(&[("a b", "c"), ("c", "a b")])), Vec::<String>::new());
    }

    #[test]
    fn a_new_tool_is_told_once_not_with_all_that_it_stands_in() {
        let renamed = found(&[("a old b", "a new b"), ("old", "new"), ("a b", "a b")]);
        assert_eq!(told(&renamed), ["+ new in 2 from case-0", "- old in 2 from case-0"]);
        // `a new`, `new b`, `a new b` and both wholes, and as many with `old`.
        assert_eq!(renamed.explained, 10);
    }

    #[test]
    fn a_change_of_order_is_told_by_the_shortest_sequences_that_show_it() {
        // In case 1 a call is left out, so that `a c` is not in the same cases as the rest.
        let moved = found(&[("a b c", "a c b"), ("x a b", "x a")]);
        assert_eq!(
            told(&moved),
            [
                "- a b in 2 from case-0",
                "+ a c b in 1 from case-0",
                "- b c in 1 from case-0",
                "+ x a whole in 1 from case-1"
            ]
        );
        // `a b`, `b c` and `c d` are gone, `a c`, `c b` and `b d` are new: each time the three stand in one.
        let swapped = found(&[("a b c d", "a c b d"), ("a b c d", "a c b d")]);
        assert_eq!(told(&swapped), ["+ a c b d whole in 2 from case-0", "- a b c d whole in 2 from case-0"]);
    }

    #[test]
    fn a_whole_that_is_made_of_known_parts_is_told_as_a_whole() {
        let shorter = found(&[("a b", "a"), ("b a b", "b a b"), ("b", "")]);
        assert_eq!(
            told(&shorter),
            [
                "+ a whole in 1 from case-0",
                "- a b whole in 1 from case-0",
                "+  whole in 1 from case-2",
                "- b whole in 1 from case-2"
            ]
        );
        // That nothing else is called goes without saying where a call is gone.
        assert_eq!(told(&found(&[("a c", "a"), ("a b", "a b")])), ["- c in 1 from case-0"]);
    }

    #[test]
    fn what_is_most_frequent_comes_first_and_a_case_counts_once() {
        let found = found(&[("a", "a x x"), ("b", "b y"), ("b", "b y"), ("y", "?")]);
        let told = told(&found);
        assert_eq!(told[0], "+ b y in 2 from case-1");
        assert!(told.contains(&"+ x in 1 from case-0".to_owned()), "{told:?}");
        assert_eq!((found.compared, found.unknown), (3, 1));
        assert_eq!(found.changes[0].traffic, 4.0);
    }

    #[test]
    fn what_is_in_an_attempt_that_cannot_be_compared_is_not_new() {
        let longer = found(&[("a", "a b"), ("b a b", "?")]);
        assert_eq!(told(&longer), ["+ a b whole in 1 from case-0", "- a whole in 1 from case-0"]);
        // Nor is gone what an attempt called that broke off.
        let mut tally = SequenceTally::default();
        let case = |number, id| Counted { number, id, weight: 1.0 };
        let (ab, a) = (names("a b"), names("a"));
        let sides = |before, after, known| BothSides { before, after, known };
        tally.add(&case(0, "x"), sides(Some(&ab[..]), Some(&a[..]), Known::Whole));
        tally.add(&case(1, "y"), sides(None, Some(&ab[..]), Known::BrokenOff));
        assert_eq!(told(&tally.finish()), ["+ a whole in 1 from x", "- a b whole in 1 from x"]);
    }

    #[test]
    fn there_is_an_end_to_what_is_told_apart_and_it_is_said() {
        let mut tally = SequenceTally::default();
        let tools: Vec<ToolName> = (0..KINDS as u64 + 7).map(|at| ToolName::new(format!("tool-{at}"))).collect();
        for (number, tool) in (0..).zip(&tools) {
            let one = std::slice::from_ref(tool);
            let case = Counted { number, id: "x", weight: 1.0 };
            tally.add(&case, BothSides { before: Some(&[]), after: Some(one), known: Known::Whole });
        }
        let found = tally.finish();
        // The empty sequence takes a place among the wholes.
        assert_eq!((found.changes.len(), found.left_out), (KINDS + 1, 7 + 8));
    }
}
