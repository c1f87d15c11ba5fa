//! `taketwo learn` proposes rules for what varies though nothing was meant to, hides nothing by itself, and leaves
//! what means something alone.

use serde_json::{Value, json};

use crate::program::{Folder, Ran, ran, taketwo};

/// Values that look drawn by lot and are the same in each test: a hash of what they are for.
struct Lot(&'static str);

impl Lot {
    fn hex(&self, what: &str) -> String {
        blake3::hash(format!("{} {what}", self.0).as_bytes()).to_hex().to_string()
    }

    fn number(&self, what: &str, below: u64) -> u64 {
        u64::from_str_radix(&self.hex(what)[..12], 16).unwrap() % below
    }

    fn uuid(&self, what: &str) -> String {
        let hex = self.hex(what);
        format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
    }
}

/// A day of production: the same twelve questions, answered with other ids, times, spellings and orders each day.
fn day(name: &'static str, date: &str) -> Vec<Value> {
    let lot = Lot(name);
    (0..12).map(|at| interaction(&lot, date, at)).collect()
}

fn interaction(lot: &Lot, date: &str, at: u64) -> Value {
    let of = |what: &str| format!("{what} {at}");
    let order = format!("ord_{}", lot.number(&of("order"), 90_000) + 1_000);
    let is_even = |what: &str| lot.number(&of(what), 2) == 0;
    let town = ["Paris", "Oslo", "Rome", "Lima"][at as usize % 4];
    let other_town = if lot.0 == "monday" { town.to_owned() } else { town.to_uppercase() };
    let colour = if lot.0 == "monday" { format!(" shade {at}") } else { format!("shade {at}") };
    let tags = if lot.0 == "monday" { json!(["new", at, "sale"]) } else { json!(["sale", "new", at]) };
    let mut create = json!({
        "request_id": lot.uuid(&of("create")),
        "customer": format!("U-{}", 100 + at),
        "town": other_town,
        "colour": colour,
        "tags": tags,
        "made_at": format!("{date}T09:{at:02}:{:02}Z", lot.number(&of("second"), 60)),
        "weight": 20.5 + at as f64 + lot.number(&of("weight"), 100) as f64 / 1000.0,
        "trace": {"span": &lot.hex(&of("span"))[..16]},
    });
    // One day writes out what the other leaves away.
    if lot.0 == "monday" {
        create["page"] = json!(1);
        create["coupon"] = Value::Null;
    }
    let state = if is_even("state") { "open" } else { "closed" };
    let words = ["find", "look for", "search for", "get"][lot.number(&of("verb"), 4) as usize];
    json!({
        "id": format!("case-{at}"),
        "input": format!("I am U-{}. Order lamp {at}, please.", 100 + at),
        "output": "done",
        "recordedAt": format!("{date}T09:{at:02}:30Z"),
        "toolCalls": [
            {"name": "search", "arguments": {
                "request_id": lot.uuid(&of("search")),
                "words": format!("{words} lamp {at} {}", &lot.hex(&of("words"))[..3]),
                "state": if lot.0 == "monday" { ["open", "closed"][at as usize % 2] } else { state },
            }, "result": []},
            {"name": "create_order", "arguments": create, "result": {"id": order, "total": "59.90"}},
            {"name": "pay", "arguments": {"request_id": lot.uuid(&of("pay")), "order": order, "cents": 5990}, "result": "paid"},
            {"name": "mail", "arguments": {"text": format!("Order {order} is on its way.")}},
        ],
    })
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The same without what gets no rule, so that rules can take away all of it.
fn without_words(mut rows: Vec<Value>) -> Vec<Value> {
    for row in &mut rows {
        row["toolCalls"].as_array_mut().unwrap().remove(0);
    }
    rows
}

/// A folder with two days of the same questions.
fn two_days() -> Folder {
    let folder = Folder::new();
    folder.file("monday.jsonl", lines(&day("monday", "2026-03-02")));
    folder.file("tuesday.jsonl", lines(&day("tuesday", "2026-03-03")));
    folder
}

/// Runs the program in a folder.
fn run_in(folder: &Folder, arguments: &[&str]) -> Ran {
    ran(taketwo(arguments).current_dir(folder.path()))
}

fn learn(folder: &Folder, arguments: &[&str]) -> Ran {
    let ran = run_in(folder, &[&["learn"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran
}

/// The rules that are not commented out, as `tool path how`.
fn standing(block: &str) -> Vec<String> {
    let suite: toml::Table = toml::from_str(block).unwrap();
    let rules = suite.get("rule").and_then(|rules| rules.as_array()).cloned().unwrap_or_default();
    let word = |rule: &toml::Value, key: &str| rule.get(key).and_then(|it| it.as_str()).unwrap_or("*").to_owned();
    rules.iter().map(|rule| format!("{} {} {}", word(rule, "tool"), word(rule, "path"), word(rule, "how"))).collect()
}

#[test]
fn the_rules_and_their_reasons_read_well() {
    let folder = two_days();
    let learned = learn(&folder, &["monday.jsonl", "tuesday.jsonl"]);
    insta::assert_snapshot!("learn_block", learned.out);
    insta::assert_snapshot!("learn_summary", learned.err);
    let is_command_or_rule = |line: &str| line.starts_with("# Try it:") || !line.starts_with("# ");
    for line in learned.out.lines().chain(learned.err.lines()).filter(|line| !is_command_or_rule(line)) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn the_page_shows_what_is_printed() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/learning.md")).unwrap();
    let block = page.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let folder = two_days();
    assert!(learn(&folder, &["monday.jsonl", "tuesday.jsonl"]).out.contains(block), "{block}");
}

#[test]
fn under_the_rules_a_real_change_is_all_that_is_left() {
    let folder = Folder::new();
    let (monday, tuesday) = (day("monday", "2026-03-02"), day("tuesday", "2026-03-03"));
    let mut friday = without_words(day("friday", "2026-03-06"));
    folder.file("monday.jsonl", lines(&without_words(monday)));
    folder.file("tuesday.jsonl", lines(&without_words(tuesday)));
    folder.file("quiet.jsonl", lines(&friday));
    friday[7]["toolCalls"][0]["arguments"]["customer"] = json!("U-999");
    folder.file("friday.jsonl", lines(&friday));
    learn(&folder, &["monday.jsonl", "tuesday.jsonl", "-o", "rules.toml"]);

    let quiet = run_in(&folder, &["diff", "monday.jsonl", "quiet.jsonl", "--suite", "rules.toml"]);
    assert!(quiet.out.starts_with("SAME: 12 pairs compared"), "{}", quiet.out);
    let diff = run_in(&folder, &["diff", "monday.jsonl", "friday.jsonl", "--suite", "rules.toml", "--json"]);
    let report: Value = serde_json::from_str(&diff.out).unwrap();
    let groups = report["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{groups:?}");
    assert_eq!((&groups[0]["path"], &groups[0]["count"]), (&json!("$.customer"), &json!(1)), "{groups:?}");
    let excused: u64 =
        report["summary"]["excused"].as_array().unwrap().iter().map(|by| by["count"].as_u64().unwrap()).sum();
    assert!(excused > 100, "what rules let pass is told: {excused}");
}

#[test]
fn what_means_something_gets_no_rule() {
    let folder = Folder::new();
    let (monday, mut tuesday) = (day("monday", "2026-03-02"), day("tuesday", "2026-03-03"));
    // In most cases another customer is asked for than the one who wrote.
    for row in tuesday.iter_mut().take(9) {
        row["toolCalls"][1]["arguments"]["customer"] = json!(format!("U-{}", row["id"].as_str().unwrap().len() * 997));
    }
    folder.file("monday.jsonl", lines(&monday));
    folder.file("tuesday.jsonl", lines(&tuesday));
    let learned = learn(&folder, &["monday.jsonl", "tuesday.jsonl", "--include-ignore", "--min-share", "10%"]);
    let rules = standing(&learned.out);
    for meaningful in ["$.customer", "$.state", "$.words", "$.cents"] {
        assert!(!rules.iter().any(|rule| rule.contains(meaningful)), "{meaningful}: {rules:?}");
    }
    assert!(learned.err.contains("create_order:$.customer: the values stand in what the user said"), "{}", learned.err);
    assert!(learned.err.contains("search:$.state: 2 values that come again"), "{}", learned.err);
}

#[test]
fn the_same_evidence_gives_the_same_rules_in_any_order() {
    let folder = two_days();
    folder.file("friday.jsonl", lines(&day("friday", "2026-03-06")));
    let files = ["monday.jsonl", "tuesday.jsonl", "friday.jsonl"];
    let first = learn(&folder, &files);
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let again = learn(&folder, &order.map(|at| files[at]));
        assert_eq!((&again.out, &again.err), (&first.out, &first.err));
    }
    assert_eq!(standing(&first.out).len(), 11, "{:?}", standing(&first.out));
}

#[test]
fn shape_alone_is_commented_out() {
    let folder = two_days();
    let learned = learn(&folder, &["monday.jsonl"]);
    assert_eq!(standing(&learned.out), Vec::<String>::new());
    for place in ["$.request_id", "$.made_at", "$.trace.span", "$.order"] {
        assert!(learned.out.contains(&format!("#path = \"{place}\"")), "{place}: {}", learned.out);
    }
    assert!(learned.out.contains("#how = \"reference\""), "{}", learned.out);
    assert!(!learned.out.contains("customer") && !learned.out.contains("cents"), "{}", learned.out);
    assert!(learned.err.contains("No rule is proposed."), "{}", learned.err);
    // Whoever takes the marks away has a suite.
    let taken: String = learned
        .out
        .lines()
        .map(|line| format!("{}\n", line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line)))
        .collect();
    assert_eq!(standing(&taken).len(), 4, "{taken}");
}

#[test]
fn repeats_are_found_in_one_recording_by_their_input_or_a_field() {
    let folder = Folder::new();
    let mut rows: Vec<Value> = ["monday", "tuesday"].into_iter().flat_map(|name| day(name, "2026-03-02")).collect();
    for (at, row) in rows.iter_mut().enumerate() {
        row["id"] = json!(format!("row-{at}"));
        row["task"] = json!(at % 12);
    }
    folder.file("both.jsonl", lines(&rows));
    let by_input = learn(&folder, &["both.jsonl"]);
    assert!(by_input.out.contains("12 pairs of interactions with the same input"), "{}", by_input.out);
    assert!(standing(&by_input.out).contains(&"pay $.order reference".to_owned()), "{}", by_input.out);
    for (at, row) in rows.iter_mut().enumerate() {
        row["input"] = json!(format!("asked in other words {at}"));
    }
    folder.file("both.jsonl", lines(&rows));
    assert!(learn(&folder, &["both.jsonl"]).out.contains("nothing: no interaction comes again"));
    let by_field = learn(&folder, &["both.jsonl", "--group-by", "task"]);
    assert!(by_field.out.contains("12 pairs of interactions with the same task"), "{}", by_field.out);
    assert_eq!(standing(&by_field.out).len(), standing(&by_input.out).len());
}

#[test]
fn ids_that_come_again_by_chance_are_no_repeats() {
    let folder = two_days();
    let mut other = day("friday", "2026-03-06");
    other.iter_mut().for_each(|row| row["input"] = json!(format!("another question, {}", row["id"])));
    folder.file("tuesday.jsonl", lines(&other));
    let learned = learn(&folder, &["monday.jsonl", "tuesday.jsonl"]);
    assert!(learned.err.contains("12 pairs with the same id had other inputs and were left out."), "{}", learned.err);
    assert_eq!(standing(&learned.out), Vec::<String>::new());
}

#[test]
fn a_run_of_the_same_build_is_evidence() {
    let folder = two_days();
    run_in(&folder, &["run", "monday.jsonl", "--target", "recorded:tuesday.jsonl"]);
    let learned = learn(&folder, &["--run", "last", "-o", "rules.toml"]);
    let block = std::fs::read_to_string(folder.at("rules.toml")).unwrap();
    let rules = standing(&block);
    for rule in ["* $.request_id regex", "create_order $.town caseless", "create_order $.page default"] {
        assert!(rules.contains(&rule.to_owned()), "{rules:?}");
    }
    // A run does not keep what its results were, so the order's id is left to a person.
    assert!(block.contains("values came out of earlier results"), "{block}");
    assert!(!rules.iter().any(|rule| rule.contains("$.order")), "{rules:?}");
    assert!(learned.err.contains("The rules are in rules.toml."), "{}", learned.err);

    // The next run is made with them, and what they accept is not learned again.
    run_in(&folder, &["run", "monday.jsonl", "--target", "recorded:tuesday.jsonl", "--suite", "rules.toml"]);
    let again = learn(&folder, &["--run", "last"]);
    assert_eq!(standing(&again.out), Vec::<String>::new());
    assert!(again.out.contains("made with 9 rules, needed beside these"), "{}", again.out);
}

#[test]
fn a_run_without_its_recordings_or_its_content_says_so() {
    let folder = two_days();
    let run = ["run", "monday.jsonl", "--target", "recorded:tuesday.jsonl"];
    run_in(&folder, &run);
    let other = run_in(&folder, &["learn", "tuesday.jsonl", "--run", "last"]);
    assert!(other.code == 2 && other.err.contains("not those that the run"), "{}", other.err);
    std::fs::rename(folder.at("monday.jsonl"), folder.at("moved.jsonl")).unwrap();
    let gone = learn(&folder, &["--run", "last"]);
    assert!(gone.err.contains("The recordings of the run are not there any more"), "{}", gone.err);
    assert_eq!(standing(&gone.out), Vec::<String>::new());
    assert!(!standing(&learn(&folder, &["moved.jsonl", "--run", "last"]).out).is_empty());

    std::fs::rename(folder.at("moved.jsonl"), folder.at("monday.jsonl")).unwrap();
    run_in(&folder, &[&run[..], &["--content", "omit"]].concat());
    let empty = run_in(&folder, &["learn", "--run", "last"]);
    assert!(empty.code == 2 && empty.err.contains("without content"), "{}", empty.err);
}

#[test]
fn json_has_everything_and_no_content_where_it_is_left_out() {
    let folder = two_days();
    let days = ["monday.jsonl", "tuesday.jsonl"];
    let whole: Value = serde_json::from_str(&learn(&folder, &[&days[..], &["--json"]].concat()).out).unwrap();
    assert_eq!((&whole["format"], &whole["version"]), (&json!("taketwo.learn"), &json!(1)));
    assert_eq!(whole["compared"]["pairs"], json!(12));
    let order = whole["proposals"].as_array().unwrap().iter().find(|it| it["path"] == "$.order").unwrap();
    assert_eq!(order["rules"], json!(["reference pay:$.order"]));
    assert_eq!((&order["support"]["varied"], &order["takesAway"], &order["left"]), (&json!(12), &json!(12), &json!(0)));
    assert!(order["examples"][0]["expected"].as_str().unwrap().starts_with("\"ord_"));
    let standing: u64 = whole["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["commentedOut"].is_null())
        .map(|it| it["takesAway"].as_u64().unwrap())
        .sum();
    let compared = &whole["compared"];
    assert_eq!(compared["differences"].as_u64().unwrap() - compared["left"].as_u64().unwrap(), standing);

    for arguments in [vec!["--content", "omit"], vec!["--content", "omit", "--json"]] {
        let bare = learn(&folder, &[&days[..], &arguments].concat());
        for value in ["Paris", "shade", "lamp", "2026-03-02", "U-1"] {
            assert!(!bare.out.contains(value) && !bare.err.contains(value), "{value}: {}", bare.out);
        }
    }
}

#[test]
fn a_rule_that_the_engine_does_not_confirm_gives_way_to_the_next() {
    let folder = Folder::new();
    let rows = |name: &'static str| -> Vec<Value> {
        let order = |at: u64| format!("ord_{}", Lot(name).number(&format!("order {at}"), 90_000) + 1_000);
        // In two cases both days pay the same order, which came out of another place each day.
        let results = |at: u64| match (at < 8, name) {
            (true, _) => (json!({"id": order(at)}), order(at)),
            (false, "monday") => (json!({"id": "ord_7777", "old": "ord_1"}), "ord_7777".into()),
            (false, _) => (json!({"id": "ord_2", "old": "ord_7777"}), "ord_7777".into()),
        };
        (0..10)
            .map(|at| {
                let (result, order) = results(at);
                let pay = json!({"name": "pay", "arguments": {"order": order}, "result": "paid"});
                let calls = json!([{"name": "make", "arguments": {}, "result": result}, pay]);
                json!({"id": format!("case-{at}"), "input": "order a lamp", "toolCalls": calls})
            })
            .collect()
    };
    folder.file("monday.jsonl", lines(&rows("monday")));
    folder.file("tuesday.jsonl", lines(&rows("tuesday")));
    let learned = learn(&folder, &["monday.jsonl", "tuesday.jsonl"]);
    assert_eq!(standing(&learned.out), ["pay $.order regex"], "{}", learned.out);
    assert!(learned.out.contains("under `reference` others would differ"), "{}", learned.out);
}

#[test]
fn a_recording_varies_nowhere_from_itself() {
    let folder = Folder::new();
    for name in ["quickstart", "nightly", "support"] {
        let path = format!("{}/recordings/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let copies = ["a.jsonl", "b.jsonl"].map(|copy| folder.file(copy, std::fs::read(&path).unwrap()));
        let learned = learn(&folder, &[&copies[0], &copies[1]]);
        assert!(learned.err.contains(": 0 differences in arguments."), "{name}: {}", learned.err);
        assert_eq!(standing(&learned.out), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn nothing_is_replaced_or_learned_from_nothing() {
    let folder = two_days();
    folder.file("rules.toml", "# mine\n");
    let refused = run_in(&folder, &["learn", "monday.jsonl", "tuesday.jsonl", "-o", "rules.toml"]);
    assert!(refused.code == 2 && refused.err.contains("--force replaces it"), "{}", refused.err);
    let own = run_in(&folder, &["learn", "monday.jsonl", "-o", "monday.jsonl", "--force"]);
    assert!(own.code == 2 && own.err.contains("is one of the recordings"), "{}", own.err);
    learn(&folder, &["monday.jsonl", "tuesday.jsonl", "-o", "rules.toml", "--force"]);
    assert!(std::fs::read_to_string(folder.at("rules.toml")).unwrap().contains("[[rule]]"));

    folder.file("empty.jsonl", "");
    folder.file("broken.jsonl", "{\"input\":\"a\"}\n{\n{\"input\":\"b\"}\n");
    for (arguments, said) in [
        (vec!["learn", "empty.jsonl"], "nothing to learn from"),
        (vec!["learn", "broken.jsonl"], "--max-rejects allows 0"),
        (vec!["learn", "missing.jsonl"], "there is no file"),
        (vec!["learn", "--run", "last"], "there is no run"),
        (vec!["learn"], "RECORDINGS"),
        (vec!["learn", "monday.jsonl", "--min-support", "0"], "--min-support"),
        (vec!["learn", "monday.jsonl", "--min-share", "2"], "no share"),
    ] {
        let ran = run_in(&folder, &arguments);
        assert!(ran.code == 2 && ran.err.contains(said), "{arguments:?}: {} {}", ran.code, ran.err);
        assert_eq!(ran.out, "");
    }
    assert_eq!(learn(&folder, &["broken.jsonl", "--max-rejects", "1"]).code, 0);
}

#[test]
fn packed_recordings_and_standard_input_are_read_twice_as_well() {
    let folder = two_days();
    let plain = learn(&folder, &["monday.jsonl", "tuesday.jsonl"]);
    for name in ["monday", "tuesday"] {
        run_in(&folder, &["convert", &format!("{name}.jsonl"), &format!("{name}.parquet")]);
        run_in(&folder, &["convert", &format!("{name}.jsonl"), &format!("{name}.jsonl.gz")]);
    }
    for ending in ["parquet", "jsonl.gz"] {
        let packed = learn(&folder, &[&format!("monday.{ending}"), &format!("tuesday.{ending}")]);
        assert_eq!(standing(&packed.out), standing(&plain.out), "{ending}");
    }
    let both =
        [folder.at("monday.jsonl"), folder.at("tuesday.jsonl")].map(|path| std::fs::read_to_string(path).unwrap());
    let renamed = both.concat().replace("\"id\":\"case-", "\"task\":\"case-");
    let piped = ran(taketwo(&["learn", "-", "--group-by", "task"]).write_stdin(renamed));
    assert_eq!(standing(&piped.out), standing(&plain.out), "{}", piped.err);
}
