//! The page that shows what was measured.

use std::path::Path;

use super::edit::{Edit, Makes};
use super::scores::{Score, of_all};
use crate::real_traffic::Traffic;

/// What stands between these marks is measured.
const MARKS: [&str; 2] = ["<!-- measured -->\n", "<!-- to here -->\n"];

/// Set to anything, it has the page written.
const WRITE: &str = "TAKETWO_WRITE_DOCS";

/// Checks that the page shows what was measured, or writes it there.
pub fn check_or_write(traffic: &Traffic, edits: &[(&Edit, &Score)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/mutations.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(MARKS[0]).expect("the page has a mark");
    let (shown, after) = rest.split_once(MARKS[1]).expect("the page has a second mark");
    let measured = measured(traffic, edits);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, [before, MARKS[0], &measured, MARKS[1], after].concat()).unwrap();
        return;
    }
    assert_eq!(shown, measured, "docs/mutations.md shows something else; {WRITE}=1 writes what was measured");
}

fn measured(traffic: &Traffic, edits: &[(&Edit, &Score)]) -> String {
    let of = |makes: Makes| edits.iter().filter(move |(edit, _)| edit.makes == makes);
    let mut page = format!("\n{}\n\n", summary(traffic));
    page.push_str("| edit | interactions | named exactly | false alarms | missed |\n|---|---:|---:|---:|---:|\n");
    for (edit, score) in of(Makes::ADifference) {
        let Score { tried, exact, missed, .. } = score;
        let (exact, alarms) = (of_all(*exact, *tried), score.false_alarms());
        page.push_str(&format!("| {} | {tried} | {exact} | {alarms} | {missed} |\n", edit.name));
    }
    page.push_str(
        "\n| what makes no difference | interactions | no word said | false alarms |\n|---|---:|---:|---:|\n",
    );
    for (edit, score) in of(Makes::NoDifference) {
        let Score { tried, exact, .. } = score;
        let (exact, alarms) = (of_all(*exact, *tried), score.false_alarms());
        page.push_str(&format!("| {} | {tried} | {exact} | {alarms} |\n", edit.name));
    }
    page.push_str("\n| source | files | interactions | with calls | calls |\n|---|---:|---:|---:|---:|\n");
    for (source, count) in &traffic.sources {
        let row = [count.files, count.interactions, count.with_calls, count.calls].map(|count| count.to_string());
        page.push_str(&format!("| {source} | {} |\n", row.join(" | ")));
    }
    page.push('\n');
    page
}

fn summary(traffic: &Traffic) -> String {
    let sum = |part: fn(&crate::real_traffic::Count) -> usize| {
        traffic.sources.iter().map(|(_, count)| part(count)).sum::<usize>()
    };
    format!(
        "{} interactions with {} tool calls, {} of them with calls like no other; {} edits.",
        sum(|count| count.with_calls),
        sum(|count| count.calls),
        traffic.distinct(),
        super::EDITS.len() - 1,
    )
}
