//! Pairs of a recorded and an observed interaction come out as a careful engineer would want, by `run` and by `diff`.

use serde_json::value::RawValue;

use crate::program::{Folder, run};

/// Both sides stand as they are written, with every digit.
#[derive(serde::Deserialize)]
struct Pair {
    id: String,
    expect: String,
    why: String,
    args: Vec<String>,
    recorded: Box<RawValue>,
    observed: Box<RawValue>,
}

#[test]
fn each_pair_is_judged_as_it_should_be() {
    let text = std::fs::read_to_string("tests/data/pairs.jsonl").unwrap();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let pair: Pair = serde_json::from_str(line).unwrap();
        let wanted = match pair.expect.as_str() {
            "pass" => 0,
            "fail" => 1,
            "inconclusive" => 3,
            other => panic!("{other} is no verdict"),
        };
        let folder = Folder::new();
        let file = |name: &str, side: &RawValue| folder.file(name, format!("{}\n", side.get()));
        let (a, b, runs) = (file("a.jsonl", &pair.recorded), file("b.jsonl", &pair.observed), folder.at("runs"));
        let target = format!("recorded:{b}");
        let more: Vec<&str> = pair.args.iter().map(String::as_str).collect();
        for verb in [&["run", &a, "--target", &target, "--runs", &runs][..], &["diff", &a, &b, "--exit-code"]] {
            let ran = run(&[verb, &["--tolerance", "1.25"], &more].concat());
            if ran.code != wanted {
                let said: Vec<&str> = ran.out.lines().chain(ran.err.lines()).take(4).collect();
                let (id, verb, why, code) = (&pair.id, verb[0], &pair.why, ran.code);
                wrong.push(format!("{id} {verb}: {wanted} wanted as {why}, was {code}: {}", said.join(" | ")));
            }
        }
    }
    assert!(text.lines().count() > 60);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
