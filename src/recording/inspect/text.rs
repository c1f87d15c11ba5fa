//! What was seen, for a person: 80 columns, the summary first.

use rust_decimal::Decimal;

use std::fmt::{self, Write};

use super::super::counted::grouped;
use super::report::{Inspected, Named, Spend};

/// How many names of each kind are printed.
const SHOWN: usize = 12;
/// How wide the column of names is.
const NAME: usize = 36;

impl fmt::Display for Inspected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.summary(f)?;
        if self.interactions == 0 {
            return Ok(());
        }
        self.tools(f)?;
        names(f, "Scenarios", &self.scenarios, self.without_scenario)?;
        names(f, "Models", &self.models, self.without_model)?;
        self.spent(f)?;
        self.files(f)?;
        self.covered(f)?;
        self.checkable(f)?;
        self.missing(f)
    }
}

impl Inspected {
    fn summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = counted(self.files, "file", "files");
        let interactions = counted(self.interactions, "interaction", "interactions");
        writeln!(f, "{interactions} in {files}, {}", size(self.bytes))?;
        if self.traffic != self.interactions as f64 {
            writeln!(f, "  they stand for {} by their weights", decimals(self.traffic))?;
        }
        if self.rejected > 0 {
            writeln!(f, "  {} turned away", counted(self.rejected, "row was", "rows were"))?;
        }
        if self.torn > 0 {
            writeln!(f, "  {} cut off and left out", counted(self.torn, "last line was", "last lines were"))?;
        }
        if let Some(example) = &self.first_doubt {
            writeln!(
                f,
                "  {} as unknown, the first:",
                counted(self.doubts, "value makes no sense and counts", "values make no sense and count")
            )?;
            wrapped(f, 4, &format!("{}: {}: {}", example.place, example.path, example.problem))?;
        }
        if self.truncated > 0 {
            let cases = counted(self.truncated, "interaction holds", "interactions hold");
            writeln!(f, "  {cases} payloads that were cut off; they are never served")?;
        }
        Ok(())
    }

    fn tools(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tools.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n{:<NAME$}{:>10}{:>9}{:>8}{:>16}", "Tools", "cases", "calls", "errors", "with an answer")?;
        for tool in self.tools.iter().take(SHOWN) {
            let name = fitted(&tool.name);
            let (cases, calls, errors) = (grouped(tool.cases), grouped(tool.calls), grouped(tool.errors));
            writeln!(f, "  {name}{cases:>8}{calls:>9}{errors:>8}{:>16}", share(tool.answered, tool.calls))?;
        }
        let beyond = self.tools.iter().skip(SHOWN);
        let other = beyond.clone().map(|tool| tool.calls).sum::<u64>() + self.calls_of_other_tools;
        if other > 0 {
            writeln!(f, "  {}{:>17}", fitted("other tools"), grouped(other))?;
        }
        let more = if self.sequences.is_floor { "more than " } else { "" };
        writeln!(f, "\nSequences of tools: {more}{} different; the most frequent:", grouped(self.sequences.different))?;
        for common in self.sequences.common.iter().take(3) {
            let names = if common.name.is_empty() { "(no call)" } else { &common.name };
            let cases = grouped(common.cases);
            writeln!(f, "{cases:>8} × {}", cut(names, 67))?;
        }
        Ok(())
    }

    fn spent(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{:<22}{:>24}{:>10}{:>10}{:>14}", "Spend", "sum", "p50", "p95", "known for")?;
        for spend in &self.spend {
            let optional = matches!(spend.what, "tokens.cacheRead" | "tokens.cacheWrite" | "tokens.reasoning");
            if spend.known_for > 0 || !optional {
                let known = if spend.known_for == spend.of { "all".into() } else { share(spend.known_for, spend.of) };
                let (p50, p95) = (measure(spend, spend.p50), measure(spend, spend.p95));
                writeln!(f, "  {:<20} {:>23} {p50:>9} {p95:>9} {known:>13}", spent_name(spend), sum(spend))?;
            }
        }
        Ok(())
    }

    fn checkable(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title =
            if self.checks.iter().any(|check| !check.without.is_empty()) { "why not in the others" } else { "" };
        let head = format!("{:<20}{:>10}{:>9}   {title}", "What can be checked", "cases", "");
        writeln!(f, "\n{}", head.trim_end())?;
        for check in &self.checks {
            let (cases, percent) = (grouped(check.cases), share(check.cases, self.interactions));
            let mut line = format!("  {:<18}{cases:>10}{percent:>9}   ", check.label);
            let indent = line.len();
            for (at, without) in check.without.iter().enumerate() {
                let more = if at + 1 < check.without.len() { ", " } else { "" };
                let reason = format!("{}: {}{more}", without.why, grouped(without.cases));
                if line.len() + reason.trim_end().len() > 80 {
                    writeln!(f, "{}", line.trim_end())?;
                    line = " ".repeat(indent);
                }
                line.push_str(&reason);
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn covered(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{:<NAME$}{:>10}", "Recorded", "in")?;
        let fields = || self.coverage.iter().filter(|field| field.of > 0);
        for field in fields().filter(|field| field.known > 0 || field.gives.is_some()) {
            let (known, of) = (grouped(field.known), grouped(field.of));
            writeln!(f, "  {}{known:>8} of {of} {}", fitted(field.field), field.unit)?;
        }
        let nowhere = fields().filter(|field| field.known == 0 && field.gives.is_none());
        let nowhere = nowhere.map(|field| field.field).collect::<Vec<_>>().join(", ");
        if nowhere.is_empty() { Ok(()) } else { wrapped(f, 2, &format!("nowhere: {nowhere}")) }
    }

    fn missing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut missing = self.coverage.iter().filter(|field| field.is_lacking()).peekable();
        if missing.peek().is_some() {
            writeln!(f, "\nWhat is missing would give")?;
        }
        for field in missing {
            wrapped(f, 2, &format!("{}: {}", field.field, field.gives.unwrap_or_default()))?;
        }
        Ok(())
    }

    /// A line for each file: recordings of several origins do not tell the same.
    fn files(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.by_file.is_empty() {
            return Ok(());
        }
        write!(f, "\n{:<FILE$}{:>8}", "Files", "cases")?;
        for (title, _) in COLUMNS {
            write!(f, "{title:>8}")?;
        }
        writeln!(f)?;
        for file in self.by_file.iter().take(SHOWN) {
            let name = end_of(&file.file, FILE - 3);
            write!(f, "  {name:<width$}{:>8}", grouped(file.interactions), width = FILE - 2)?;
            for (_, field) in COLUMNS {
                let known = file.coverage.iter().find(|coverage| coverage.field == field);
                write!(f, "{:>8}", known.map_or_else(String::new, |known| share(known.known, known.of)))?;
            }
            writeln!(f)?;
        }
        match self.by_file.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "  and {} (--json lists them)", counted(more as u64, "file more", "files more")),
        }
    }
}

/// How wide the column of files is, and what is shown of each.
const FILE: usize = 22;
const COLUMNS: [(&str, &str); 6] = [
    ("calls", "toolCalls"),
    ("answers", "toolCalls[].result or .error"),
    ("steps", "toolCalls[].step"),
    ("tokens", "tokens"),
    ("times", "latencyMs"),
    ("replies", "output"),
];

/// The end of a text, which says more of a file than its start.
fn end_of(text: &str, width: usize) -> String {
    let shown = cut(text, usize::MAX);
    match shown.chars().count().checked_sub(width) {
        None | Some(0) => shown,
        Some(more) => format!("…{}", shown.chars().skip(more + 1).collect::<String>()),
    }
}

fn names(f: &mut fmt::Formatter<'_>, title: &str, names: &[Named], without: u64) -> fmt::Result {
    if names.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{title:<NAME$}{:>10}", "cases")?;
    for named in names.iter().take(SHOWN) {
        writeln!(f, "  {}{:>8}", fitted(&named.name), grouped(named.cases))?;
    }
    if names.len() > SHOWN {
        let cases: u64 = names.iter().skip(SHOWN).map(|named| named.cases).sum();
        writeln!(f, "  {}{:>8}", fitted("others"), grouped(cases))?;
    }
    if without > 0 {
        writeln!(f, "  {}{:>8}", fitted("(not recorded)"), grouped(without))?;
    }
    Ok(())
}

fn spent_name(spend: &Spend) -> String {
    let name = match spend.what {
        "toolCalls" => "tool calls",
        "modelCalls" => "model calls",
        "tokens.total" => "tokens",
        "tokens.input" => "  input",
        "tokens.cacheRead" => "  of it cache read",
        "tokens.cacheWrite" => "  cache write",
        "tokens.output" => "  output",
        "tokens.reasoning" => "  of it reasoning",
        "latencyMs" => "latency",
        other => other,
    };
    match &spend.currency {
        Some(currency) => format!("{name} {}", cut(currency, 10)),
        None => name.to_owned(),
    }
}

/// The sum; a floor says that it is one.
fn sum(spend: &Spend) -> String {
    let Some(sum) = &spend.sum else {
        return if spend.known_for == 0 { "unknown".into() } else { String::new() };
    };
    // Sums of money are exact in `--json`; the noise of the doubles that they were written from helps nobody here.
    let short = || {
        sum.text()
            .parse::<Decimal>()
            .map_or_else(|_| sum.text().to_owned(), |sum| sum.round_dp(6).normalize().to_string())
    };
    let sum = sum.text().parse::<u128>().map_or_else(|_| short(), grouped);
    if spend.is_floor { format!("at least {sum}") } else { sum }
}

fn measure(spend: &Spend, value: Option<f64>) -> String {
    let Some(value) = value else { return "-".into() };
    match spend.what {
        "latencyMs" if value < 1000.0 => format!("{} ms", decimals(value)),
        "latencyMs" => format!("{:.1} s", value / 1000.0),
        "cost" => format!("{value:.4}"),
        _ => grouped(value.round() as u128),
    }
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A number with one decimal at most.
fn decimals(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A share in percent. What is not all is never shown as 100 %, nor what is something as 0 %.
fn share(part: u64, whole: u64) -> String {
    match (part, whole) {
        (_, 0) => "-".into(),
        (part, whole) if part == whole => "100 %".into(),
        (0, _) => "0 %".into(),
        (part, whole) => format!("{} %", (part as f64 * 100.0 / whole as f64).round().clamp(1.0, 99.0)),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => counted(bytes, "byte", "bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A name in its column. Characters that move the cursor are shown by their code.
pub(crate) fn fitted(name: &str) -> String {
    format!("{:<width$}", cut(name, NAME - 2), width = NAME)
}

/// A text of at most so many characters. Those that move the cursor are shown by their code.
pub(crate) fn cut(name: &str, width: usize) -> String {
    let mut shown = String::new();
    for character in name.chars() {
        if character.is_control() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    match shown.char_indices().nth(width - 1) {
        Some((end, _)) if shown.chars().count() > width => format!("{}…", &shown[..end]),
        _ => shown,
    }
}

/// Text in lines of at most 80 columns, those after the first indented by two more.
pub(crate) fn wrapped(f: &mut fmt::Formatter<'_>, first: usize, text: &str) -> fmt::Result {
    let mut indent = first;
    let text = cut(text, 1000);
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > 80 {
            writeln!(f, "{:indent$}{line}", "")?;
            line.clear();
            if indent == first {
                indent += 2;
            }
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(f, "{:indent$}{line}", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_threes() {
        assert_eq!([0_u64, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn not_all_is_never_shown_as_all() {
        assert_eq!(
            [share(9999, 10_000), share(1, 10_000), share(0, 10), share(10, 10)],
            ["99 %", "1 %", "0 %", "100 %"]
        );
    }

    #[test]
    fn a_name_cannot_move_the_cursor() {
        assert_eq!(cut("a\u{1b}[2Jb", 40), "a\\u{1b}[2Jb");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!([end_of("abcdef", 4), end_of("abcd", 4)], ["…def", "abcd"]);
    }
}
