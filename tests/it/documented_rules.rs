//! What docs/rules.md says of each rule is so: its table and its flag say the same, what passes passes, what differs
//! differs, and the more specific rule decides.

use std::collections::BTreeSet;

use taketwo::compare::{How, Matching, Policy, Rule, align, prepare};
use taketwo::experiment::Suite;
use taketwo::recording::{Json, ToolCall, ToolName, wire};

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md")).unwrap()
}

/// What stands under the heading of each rule, by its word.
fn sections(page: &str) -> Vec<(&str, &str)> {
    let rules = page.split_once("## All rules").unwrap().1.split("\n## ").next().unwrap();
    rules.split("\n### ").skip(1).map(|section| section.split_once('\n').unwrap()).collect()
}

fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let open = format!("```{kind}\n");
    text.split(&*open).skip(1).map(|rest| rest.split_once("```").unwrap().0).collect()
}

/// The rules of a block of a suite file.
fn rules_of(block: &str) -> Vec<Rule> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), block).unwrap();
    let suite = Suite::read(file.path()).unwrap_or_else(|error| panic!("{error}: {block}"));
    suite.rule.iter().map(|table| table.rule().unwrap_or_else(|error| panic!("{error}: {block}"))).collect()
}

/// The rules of the flags in a line.
fn flags_of(section: &str) -> Vec<Rule> {
    let line = section.lines().find(|line| line.starts_with("`--rule '")).unwrap();
    let words = shlex::split(line.trim_matches('`')).unwrap();
    words.chunks(2).map(|flag| flag[1].parse().unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// The cells of a row in code marks, under its first word.
fn row<'a>(section: &'a str, first: &str) -> Option<Vec<&'a str>> {
    let line = section.lines().find(|line| line.starts_with(&format!("| {first} |")))?;
    Some(line.split('|').skip(2).map(|cell| cell.trim().trim_matches('`')).filter(|cell| !cell.is_empty()).collect())
}

fn calls(text: &str, tool: &str) -> Vec<ToolCall> {
    let calls = match text.starts_with('[') {
        true => text.to_owned(),
        false => format!("[{{\"name\":\"{tool}\",\"arguments\":{text}}}]"),
    };
    let line = Json::parse(format!("{{\"input\":\"x\",\"toolCalls\":{calls}}}")).unwrap();
    wire::read(&line).unwrap().tool_calls.unwrap()
}

fn passes(rules: &[Rule], tool: &str, pair: &[&str]) -> bool {
    let policy = Policy::new(rules.to_vec());
    let (recorded, seen) = (calls(pair[0], tool), calls(pair[1], tool));
    align(&prepare(&recorded, &policy), &prepare(&seen, &policy), Matching::Strict).holds(Matching::Strict)
}

#[test]
fn every_rule_has_its_section_and_no_other() {
    let page = page();
    let words: BTreeSet<&str> = sections(&page).into_iter().map(|(word, _)| word).collect();
    let error = How::from_parts("nonsense", None).unwrap_err();
    let known = error.split_once("is none of ").unwrap().1.split(';').next().unwrap();
    assert_eq!(words, known.split(", ").collect::<BTreeSet<_>>());
    let listed = page.lines().filter(|line| line.starts_with("| [`")).count();
    assert_eq!(listed, words.len(), "the table names them all");
}

#[test]
fn table_and_flag_say_the_same_and_do_what_is_said() {
    let page = page();
    for (word, section) in sections(&page) {
        let rules = rules_of(blocks(section, "toml")[0]);
        assert_eq!(rules, flags_of(section), "{word}");
        assert_eq!(rules.last().unwrap().how().word(), word);
        let (Some(passing), Some(differing)) = (row(section, "passes"), row(section, "differs")) else {
            assert_eq!(word, "schema", "{word} has examples");
            continue;
        };
        // A tool that the rule is for.
        let tools = ["search", "refund", "pay", "order", "write_file", "read_file"];
        let tool = tools.into_iter().find(|tool| rules.iter().all(|rule| rule.is_for(&ToolName::new(*tool)))).unwrap();
        assert!(passes(&rules, tool, &passing), "{word}: {passing:?}");
        assert!(!passes(&rules, tool, &differing), "{word}: {differing:?}");
        let needs_rule = !matches!(word, "exact" | "text" | "exact-unicode");
        assert!(!needs_rule || !passes(&[], tool, &passing), "{word} is what lets it pass");
    }
}

#[test]
fn rules_with_leeway_are_named_as_such() {
    let page = page();
    let with_leeway: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| [`") && line.ends_with("| yes |"))
        .filter_map(|line| line.split('`').nth(1))
        .collect();
    for (word, section) in sections(&page) {
        let is_loose = Policy::new(rules_of(blocks(section, "toml")[0])).is_loose();
        assert_eq!(is_loose, with_leeway.contains(&word), "{word}");
    }
}

#[test]
fn the_more_specific_rule_decides() {
    let page = page();
    let table = page.split_once("| decides | over | at |").unwrap().1.split("\n\n").next().unwrap();
    let mut rows = 0;
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let [decides, over, at] = cells[..] else { panic!("{line}") };
        let (tool, path) = at.split_once(':').unwrap();
        for rules in [[decides, over], [over, decides]] {
            let policy = Policy::new(rules.iter().map(|rule| rule.parse().unwrap()).collect());
            let deciding = policy.tool(&ToolName::new(tool)).deciding(&path.parse().unwrap());
            assert_eq!(deciding, [&decides.parse::<Rule>().unwrap()], "{line}");
        }
        rows += 1;
    }
    assert_eq!(rows, 6);
}

#[test]
fn what_is_said_between_the_tables_holds() {
    for name in ["rules.md", "suite.md", "learning.md"] {
        let page = std::fs::read_to_string(format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        blocks(&page, "toml").into_iter().for_each(|block| drop(rules_of(block)));
    }
    let rules = |texts: &[&str]| -> Vec<Rule> { texts.iter().map(|text| text.parse().unwrap()).collect() };
    assert!(passes(&rules(&["trim $.q", "caseless $.q"]), "t", &[r#"{"q":" Paris"}"#, r#"{"q":"paris"}"#]));
    let both = rules(&["set $.tags", "caseless $.tags[*]"]);
    assert!(passes(&both, "t", &[r#"{"tags":["A","b"]}"#, r#"{"tags":["B","a"]}"#]));
    let inside = rules(&["ignore $.payload.id"]);
    assert!(passes(&inside, "t", &[r#"{"payload":"{\"id\":1}"}"#, r#"{"payload":"{\"id\":2}"}"#]));
    for refused in ["ignore $", "ignore $..*", "type $"] {
        assert!(refused.parse::<Rule>().is_err(), "{refused}");
    }
    let by_origin = rules(&["reference $..*"]);
    let pair = |id: &str, version: &str| {
        format!(
            r#"[{{"name":"make","result":"Order {id} was made"}},{{"name":"get","arguments":{{"at":"/v{version}/{id}/items"}}}}]"#
        )
    };
    let recorded = pair("ord-17", "1");
    assert!(passes(&by_origin, "t", &[&recorded, &pair("ord-88", "1")]));
    assert!(!passes(&by_origin, "t", &[&recorded, &pair("ord-88", "2")]));
}

#[test]
fn a_rule_inside_a_place_that_is_not_looked_at_counts_as_the_table_says() {
    let page = page();
    let table = page.split_once("| outer | inner | inside `$.v` |").unwrap().1.split("\n\n").next().unwrap();
    let mut rows = 0;
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let (outer, inner) = (line.split('`').nth(1).unwrap(), line.split('`').nth(3).unwrap());
        let says = line.split(" | ").nth(2).unwrap();
        for word in ["ignore", "type", "present"] {
            let rules: Vec<Rule> =
                [&*outer.replace("ignore", word), inner].iter().map(|text| text.parse().unwrap()).collect();
            let pair = [r#"{"v":{"w":1,"x":1}}"#, r#"{"v":{"w":2,"x":2}}"#];
            let list = [r#"{"v":[{"id":1,"x":1}]}"#, r#"{"v":[{"id":2},{}]}"#];
            let beside = [r#"{"v":[{"id":1,"x":1}]}"#, r#"{"v":[{"id":1},{}]}"#];
            assert_eq!(!passes(&rules, "t", &pair), says.starts_with("`w` is compared"), "{line}");
            assert_eq!(!passes(&rules, "t", &list), says.starts_with("`id` of each item"), "{line}");
            assert!(passes(&rules, "t", &beside), "{line}");
        }
        rows += 1;
    }
    assert_eq!(rows, 6);
}
