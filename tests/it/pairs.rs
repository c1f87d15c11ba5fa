//! Pairs of a recorded and an observed interaction come out as a careful engineer would want, by `run` and by `diff`.

use serde_json::Value;

use crate::program::{Folder, run};

#[test]
fn each_pair_is_judged_as_it_should_be() {
    let text = std::fs::read_to_string("tests/data/pairs.jsonl").unwrap();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let pair: Value = serde_json::from_str(line).unwrap();
        let wanted = match pair["expect"].as_str().unwrap() {
            "pass" => 0,
            "fail" => 1,
            "inconclusive" => 3,
            other => panic!("{other} is no verdict"),
        };
        let folder = Folder::new();
        let file = |name: &str, side: &str| folder.file(name, format!("{}\n", pair[side]));
        let (a, b, runs) = (file("a.jsonl", "recorded"), file("b.jsonl", "observed"), folder.at("runs"));
        let target = format!("recorded:{b}");
        let more: Vec<&str> = pair["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        for verb in [&["run", &a, "--target", &target, "--runs", &runs][..], &["diff", &a, &b, "--exit-code"]] {
            let ran = run(&[verb, &["--tolerance", "1.25"], &more].concat());
            if ran.code != wanted {
                let said: Vec<&str> = ran.out.lines().chain(ran.err.lines()).take(4).collect();
                let (id, verb, why, code) = (&pair["id"], verb[0], &pair["why"], ran.code);
                wrong.push(format!("{id} {verb}: {wanted} wanted as {why}, was {code}: {}", said.join(" | ")));
            }
        }
    }
    assert!(text.lines().count() > 60);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
