//! How often the engine named an edit, and what else it said.

use super::expected::Expected;
use super::findings::Finding;

/// How the engine did with one kind of edit.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Interactions that the edit was applied to.
    pub tried: usize,
    /// The edit was named, and nothing else.
    pub exact: usize,
    /// The edit was named, and something else as well.
    pub with_more: usize,
    /// Something else was said.
    pub otherwise: usize,
    /// Nothing was said where something ought to be.
    pub missed: usize,
    /// The first that were not named exactly, in words.
    pub examples: Vec<String>,
}

/// How many examples are kept.
const EXAMPLES: usize = 5;

impl Score {
    pub fn add(&mut self, expected: &Expected, found: &[Finding], tell: impl FnOnce() -> String) {
        self.tried += 1;
        let is_said = |way: &Vec<Finding>| way.iter().all(|finding| found.contains(finding));
        if expected.0.iter().any(|way| way.len() == found.len() && is_said(way)) {
            self.exact += 1;
            return;
        }
        if found.is_empty() {
            self.missed += 1;
        } else if expected.0.iter().any(|way| !way.is_empty() && is_said(way)) {
            self.with_more += 1;
        } else {
            self.otherwise += 1;
        }
        if self.examples.len() < EXAMPLES {
            self.examples.push(tell());
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.tried += other.tried;
        self.exact += other.exact;
        self.with_more += other.with_more;
        self.otherwise += other.otherwise;
        self.missed += other.missed;
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }

    /// How often something was said that is not the edit.
    pub fn false_alarms(&self) -> usize {
        self.with_more + self.otherwise
    }
}

/// A count with its share of all, rounded down so that 100 % is never said of less.
pub fn of_all(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(1000);
    let share =
        if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) };
    format!("{part} ({share} %)")
}
