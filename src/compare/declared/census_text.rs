//! The census for a person: 80 columns, what is ruled out first.

use std::cmp::Reverse;
use std::fmt;

use super::census::{Census, ToolCensus};
use crate::recording::grouped;
use crate::recording::inspect::{fitted, wrapped};

/// How many tools are printed.
const SHOWN: usize = 12;

impl fmt::Display for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}{:>10}{:>9}", fitted("Tool definitions"), "calls", "invalid")?;
        wrapped(f, 2, &self.summary())?;
        let mut called: Vec<&ToolCensus> = self.tools.values().filter(|tool| tool.calls > 0).collect();
        called.sort_by_key(|tool| (tool.is_declared, Reverse(tool.invalid), Reverse(tool.calls)));
        for tool in called.iter().take(SHOWN) {
            tool.fmt(f)?;
        }
        if called.len() > SHOWN {
            let calls: u64 = called.iter().skip(SHOWN).map(|tool| tool.calls).sum();
            writeln!(f, "  {}{:>8}", fitted("other tools"), grouped(calls))?;
        }
        let idle: Vec<&str> =
            self.tools.values().filter(|tool| tool.calls == 0).map(|tool| tool.name.as_str()).collect();
        if idle.is_empty() { Ok(()) } else { wrapped(f, 2, &format!("never called: {}", idle.join(", "))) }
    }
}

impl fmt::Display for ToolCensus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, calls) = (fitted(self.name.as_str()), grouped(self.calls));
        let invalid = if self.is_declared { grouped(self.invalid) } else { "unknown".into() };
        writeln!(f, "  {name}{calls:>8}{invalid:>9}")?;
        match &self.first_ruled_out {
            Some(first) => wrapped(f, 6, &first.to_string()),
            None => Ok(()),
        }
    }
}
