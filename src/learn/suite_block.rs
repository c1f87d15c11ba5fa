//! What was learned as a suite file: TOML with a reason above each rule.

use super::learned::{Learned, Proposal, Support};
use super::lines::{alone, sides, wrapped};
use crate::compare::{How, Rule};
use crate::recording::{Json, Kind};
use crate::report::{shell_word, visible};
use crate::verdict::{counted, grouped};

/// The suite that was learned. It depends on what was read alone, on no time and no place.
#[must_use]
pub fn suite_block(learned: &Learned, saved_as: &str) -> String {
    let mut text = head(learned, saved_as);
    let mut proposed = learned.proposed().peekable();
    if proposed.peek().is_none() {
        text.push_str("\n# No rule is proposed.\n");
    }
    proposed.for_each(|proposal| text.push_str(&one(proposal)));
    let mut rest = learned.commented_out().peekable();
    if rest.peek().is_some() {
        text.push('\n');
        text.push_str(&wrapped(
            "# ",
            "# ",
            "The rules from here on are commented out: they may hide what means something. Who knows better takes the \
             # before their lines away.",
        ));
    }
    rest.for_each(|proposal| text.push_str(&one(proposal)));
    text
}

fn head(learned: &Learned, saved_as: &str) -> String {
    let mut text = wrapped(
        "# ",
        "# ",
        "Rules that `taketwo learn` proposes: how to compare what varied though nothing was meant to. A rule hides \
         differences, so read each before you keep it.",
    );
    text.push_str("#\n");
    for (head, said) in read(learned).into_iter().chain(compared(learned)) {
        text.push_str(&wrapped(&format!("# {head:<10}"), "#           ", &said));
    }
    // A command stays on one line, so that it can be copied.
    text.push_str(&format!("# Try it:   {}\n", try_it(learned, saved_as)));
    text
}

fn read(learned: &Learned) -> Vec<(&'static str, String)> {
    let read = &learned.read;
    let mut lines = Vec::new();
    if !read.files.is_empty() {
        lines.push(("Read:", format!("{} in {}", counted(read.interactions, "interaction"), files(&read.files))));
    }
    lines.extend(read.hash.as_ref().map(|hash| ("", format!("hash {}", &hash[..hash.len().min(16)]))));
    if let Some(run) = &read.run {
        let attempts = counted(run.attempts, "attempt");
        lines.push(("Run:", format!("{} of {}, {attempts}", visible(&run.id), visible(&run.target))));
        if !run.rules.is_empty() {
            lines.push(("", format!("made with {}, needed beside these", counted(run.rules.len() as u64, "rule"))));
        }
    }
    lines
}

fn compared(learned: &Learned) -> Vec<(&'static str, String)> {
    let compared = &learned.compared;
    let calls = counted(compared.call_pairs, "pair") + " of calls";
    let of = match (compared.pairs, &learned.read.run) {
        (0, Some(_)) => format!("{calls}, the run with its recording"),
        (0, None) => "nothing: no interaction comes again".into(),
        (pairs, run) => {
            let with = if run.is_some() { ", and the run with its recording" } else { "" };
            format!(
                "{} of interactions with the same {}{with}; {calls}",
                counted(pairs, "pair"),
                visible(&compared.grouped_by)
            )
        }
    };
    if compared.pairs == 0 && learned.read.run.is_none() {
        return vec![("Compared:", of)];
    }
    let found = counted(compared.differences, "difference");
    let gone = grouped(compared.differences.saturating_sub(compared.left));
    let found = format!("{found} in arguments; the rules take away {gone} and leave {}", grouped(compared.left));
    vec![("Compared:", of), ("Found:", found)]
}

/// How many files are named.
const NAMED: usize = 4;

fn files(files: &[String]) -> String {
    let named: Vec<_> = files.iter().take(NAMED).map(|file| visible(file)).collect();
    match files.len().checked_sub(NAMED) {
        None | Some(0) => named.join(", "),
        Some(more) => format!("{} and {more} more files", named.join(", ")),
    }
}

/// The command that shows what the rules do.
fn try_it(learned: &Learned, saved_as: &str) -> String {
    let read = &learned.read;
    let suite = word(saved_as);
    match (&read.run, read.files.as_slice()) {
        (Some(run), _) => {
            let arguments: Vec<String> = run.arguments.iter().map(|argument| word(argument)).collect();
            let arguments = arguments.join(" ");
            let names = |flag: &str| run.arguments.iter().any(|it| it.strip_prefix(flag).is_some_and(ends_word));
            // One run reads one suite: what another one says must not get lost.
            if names("--target") && !names("--suite") {
                format!("taketwo run {arguments} --suite {suite}")
            } else {
                format!("put the rules into your suite, then: taketwo run {arguments}")
            }
        }
        (None, [before, after, ..]) => format!("taketwo diff {} {} --suite {suite}", word(before), word(after)),
        (None, files) => {
            let file = files.first().map(|file| word(file)).unwrap_or_default();
            format!("taketwo run {file} --target TARGET --suite {suite}")
        }
    }
}

/// Whether a flag ends where this begins.
fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('=')
}

/// A text as a word of a shell, in quotes where it needs them.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | ':');
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { shell_word(text) }
}

fn one(proposal: &Proposal) -> String {
    let mut text = String::from("\n");
    text.push_str(&wrapped("# ", "# ", &support(&proposal.support, proposal.tools.len())));
    for example in &proposal.examples {
        text.push_str(&match (&example.expected, &example.seen) {
            (Some(value), None) if proposal.support.varied == 0 => alone("#   ", value),
            (expected, seen) => sides("#   ", expected.as_deref(), seen.as_deref()),
        });
    }
    text.push_str(&wrapped("# ", "#   ", &format!("Why: {}.", proposal.why)));
    if let Some(doubt) = &proposal.commented_out {
        text.push_str(&wrapped("# ", "#   ", &format!("Commented out {doubt}.")));
    }
    if proposal.support.differences > 0 {
        let of = counted(proposal.support.differences, "difference");
        let left = if proposal.left > 0 { format!(", {} left", grouped(proposal.left)) } else { String::new() };
        let taken = format!("Checked: it takes away {} of {of} here{left}.", grouped(proposal.takes_away));
        text.push_str(&wrapped("# ", "#   ", &taken));
    }
    let mark = if proposal.commented_out.is_some() { "#" } else { "" };
    for rule in &proposal.rules {
        for line in table(rule, &proposal.tool, &proposal.path) {
            text.push_str(&format!("{mark}{line}\n"));
        }
    }
    text
}

/// How often it varied, in a sentence.
fn support(support: &Support, tools: usize) -> String {
    let values = match support.distinct_is_floor {
        true => format!("more than {} different values", support.distinct),
        false => counted(support.distinct, "different value"),
    };
    let of_tools = if tools > 1 { format!(" of {tools} tools") } else { String::new() };
    let at_least = if tools > 1 { "at least " } else { "" };
    let interactions = format!("{at_least}{}", counted(support.interactions, "interaction"));
    match (support.varied, support.pairs) {
        (0, _) => format!("In {interactions}{of_tools}; {values}."),
        (varied, Some(pairs)) => {
            let pairs = counted(pairs, "pair");
            let differ = if varied == 1 { "differs" } else { "differ" };
            format!("{} of {pairs} of calls{of_tools} {differ} here, in {interactions}; {values}.", grouped(varied))
        }
        (varied, None) => {
            let pairs = counted(varied, "pair");
            format!("{pairs} of calls{of_tools} differ here, in {interactions}; {values}.")
        }
    }
}

/// A rule as a table of a suite.
fn table(rule: &Rule, tool: &str, path: &str) -> Vec<String> {
    let mut lines = vec!["[[rule]]".to_owned()];
    if tool != "*" {
        lines.push(format!("tool = {}", quoted(tool)));
    }
    lines.push(format!("path = {}", quoted(path)));
    lines.push(format!("how = {}", quoted(rule.how().word())));
    match rule.how() {
        How::Regex(pattern) => lines.push(format!("pattern = {}", literal(pattern.text()))),
        How::Window(_) => lines.push(format!("by = {}", quoted(&argument(rule)))),
        How::Default(json) => lines.extend(value(json).map(|value| format!("value = {value}"))),
        How::Tolerance(_) => lines.extend(argument(rule).split(',').map(|part| match part.ends_with('%') {
            true => format!("relative = {}", quoted(part)),
            false => format!("absolute = {part}"),
        })),
        _ => {}
    }
    lines
}

/// What stands in parentheses behind the word of a rule.
fn argument(rule: &Rule) -> String {
    let how = rule.how().to_string();
    how.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default().to_owned()
}

/// A JSON value in TOML, where TOML has it as it is.
pub(super) fn value(json: &Json) -> Option<String> {
    let text = json.text();
    match json.kind() {
        Kind::Bool => Some(text.to_owned()),
        Kind::String => json.as_str().map(|text| quoted(&text)),
        // TOML has whole numbers of 64 bits, and others as doubles.
        Kind::Number if text.parse::<i64>().is_ok() => Some(text.to_owned()),
        Kind::Number => {
            let number = text.parse::<f64>().ok().filter(|number| Json::of(number).text() == text)?;
            text.contains('.').then(|| number.to_string())
        }
        Kind::Array if json.items()?.is_empty() => Some("[]".to_owned()),
        Kind::Object if json.members()?.is_empty() => Some("{}".to_owned()),
        _ => None,
    }
}

/// A text in double quotes. TOML has the escapes of JSON, and none of its control characters bare.
fn quoted(text: &str) -> String {
    Json::string(text).text().replace('\u{7f}', "\\u007f")
}

/// A text in single quotes, where patterns need no escapes.
fn literal(text: &str) -> String {
    if text.contains('\'') || text.chars().any(char::is_control) { quoted(text) } else { format!("'{text}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_read_back_as_the_rules_they_were_made_of() {
        for text in [
            "regex(^ord_[0-9]+$) pay:$.order",
            "regex(it's \\d) *:$.a[*].b",
            "window(5m) pay:$[\"a b\"]",
            "tolerance(0.005) pay:$.amount",
            "tolerance(2%) pay:$.amount",
            "tolerance(0.5,2%) pay:$.amount",
            "default(10) pay:$.page",
            "default(2.5) pay:$.page",
            "default(\"a\\\"\u{7f}b\") pay:$.page",
            "default([]) pay:$.page",
            "default({}) pay:$.page",
            "default(false) pay:$.page",
            "reference p*y:$.order",
        ] {
            let rule: Rule = text.parse().unwrap();
            let place = text.split_once(") ").or_else(|| text.split_once(' ')).unwrap().1;
            let (tool, path) = place.split_once(':').unwrap();
            let file = tempfile::NamedTempFile::new().unwrap();
            let table = table(&rule, tool, path).join("\n");
            std::fs::write(file.path(), &table).unwrap();
            let read = crate::experiment::Suite::read(file.path()).unwrap();
            assert_eq!(read.rule[0].rule().unwrap(), rule, "{table}");
        }
    }

    #[test]
    fn values_that_toml_does_not_have_are_left_alone() {
        let read = |text: &str| value(&Json::parse(text).unwrap());
        assert_eq!(read("9223372036854775808"), None);
        assert_eq!(read("null"), None);
        assert_eq!(read("[1]"), None);
        assert_eq!(read("0.1000000000000000055511151231257827"), None);
        assert_eq!(read("1e3"), None);
    }

    #[test]
    fn commands_are_quoted_where_a_shell_needs_it() {
        assert_eq!(word("a/b-1.jsonl"), "a/b-1.jsonl");
        assert_eq!(word("my file"), "'my file'");
        assert_eq!(word("command:python3 x.py"), "'command:python3 x.py'");
    }
}
